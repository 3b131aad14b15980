//! (n, t)-closeness (Li, Li and Venkatasubramanian 2010): every class is within distance t of one of its natural supersets
//! that has at least n records.
//!
//! The natural supersets of a class are the records of the original whose quasi-identifiers lie below the class's cells, each
//! cell as it is or replaced by a label above it in the column's hierarchy, in all combinations; `*` is above everything. A
//! range that a hierarchy does not know has nothing above it but `*`.
//!
//! There are as many combinations as the product of what the cells may be replaced by, so they are not listed class by class.
//! Classes share most of their natural supersets, so all classes walk through them together: columns are narrowed one after the
//! other, from `*` down, and every set is made once, for all classes whose cells lie below its labels. A class leaves where no set
//! within the one at hand can be near enough; a way ends where fewer than n records are left, or no class.
//!
//! A set costs as much as it has distinct records and classes. Distances are computed once for all classes of a set that look alike.
//! There are at most as many sets as combinations of labels that n records or more lie below: that grows with the number of columns
//! and of levels, and with the records as long as n does not grow with them, but not with the number of classes squared.

use std::collections::{BTreeMap, HashMap};

use super::Facts;
use super::t_closeness::{Ratio, TCloseness};
use crate::Check;
use crate::classes::Histogram;
use crate::cover::value_tree;
use crate::table::Dictionary;
use crate::watch::Watch;
use privet_core::counted;
use privet_core::{Error, Result};
use privet_policy::requirement::NtCloseness;
use privet_taxonomy::Taxonomy;

/// Beyond t by this much, a distance in floating point is beyond it for certain.
const CLEAR: f64 = 1e-6;

/// What a cell or a value may be widened to, in one column.
struct NtColumn {
    tree: Option<Taxonomy>,
    labels: Dictionary,
}

impl NtColumn {
    fn new(facts: &Facts<'_>, original: usize) -> Result<NtColumn> {
        let column = facts.policy.columns.get(original).ok_or_else(|| Error::internal("no such column"))?;
        Ok(NtColumn { tree: value_tree(facts.policy, column)?, labels: Dictionary::default() })
    }

    /// The labels from a text up to `*`.
    fn chain(&mut self, text: &str) -> Result<Vec<u32>> {
        let mut labels = vec![text.to_string()];
        if let Some(tree) = &self.tree {
            let mut node = match tree.leaf_of(text)? {
                Some(leaf) => Some(leaf),
                None => tree.find(text),
            };
            while let Some(at) = node {
                labels.push(tree.label(at).to_string());
                node = tree.parent(at);
            }
        }
        labels.push("*".to_string());
        labels.dedup();
        labels.iter().map(|label| self.labels.code(label, 0)).collect()
    }
}

/// Kinds of values, one per column, with how often records of these have each value of the sensitive column.
type RecordKind = (Vec<u32>, Vec<(u32, u64)>);

/// The original as the classes see it: records whose values the same labels are wide enough for count as alike.
struct Original {
    /// Per column and kind of value, the labels that are wide enough for it.
    labels: Vec<Vec<Vec<u32>>>,
    /// The kinds of values of distinct records, with how often these have each value of the sensitive column.
    kinds: Vec<RecordKind>,
}

impl Original {
    /// `below` has the labels that are wide enough for each value, `above` those that the cells of the release may be widened to.
    fn of(
        facts: &Facts<'_>,
        column: usize,
        below: &[Vec<Vec<u32>>],
        above: &[Vec<Vec<u32>>],
    ) -> Result<Original> {
        let original = &facts.tables.original;
        let quasi = below.len();
        let (mut labels, mut kind_of) = (Vec::new(), Vec::new());
        for (below, above) in below.iter().zip(above) {
            let used: std::collections::BTreeSet<u32> = above.iter().flatten().copied().collect();
            let mut numbers: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            let kinds: Vec<u32> = (below.iter())
                .map(|chain| {
                    let wide: Vec<u32> = chain.iter().copied().filter(|label| used.contains(label)).collect();
                    let next = numbers.len() as u32;
                    *numbers.entry(wide).or_insert(next)
                })
                .collect();
            let mut wide = vec![Vec::new(); numbers.len()];
            numbers.into_iter().for_each(|(labels, kind)| wide[kind as usize] = labels);
            labels.push(wide);
            kind_of.push(kinds);
        }
        let mut found: HashMap<Vec<u32>, BTreeMap<u32, u64>> = HashMap::new();
        for (at, id) in original.records.ids().enumerate() {
            if at.is_multiple_of(LOOK) {
                (facts.watch)()?;
            }
            let record = original.records.get(id);
            let kind: Vec<u32> =
                record[..quasi].iter().zip(&kind_of).map(|(code, kinds)| kinds[*code as usize]).collect();
            *found.entry(kind).or_default().entry(record[quasi + column]).or_default() +=
                original.records.count(id);
        }
        let mut kinds: Vec<RecordKind> =
            found.into_iter().map(|(kind, counts)| (kind, counts.into_iter().collect())).collect();
        kinds.sort_unstable();
        Ok(Original { labels, kinds })
    }

    /// How many records distinct ones stand for, and how often these have each value.
    fn count(&self, kinds: &[u32], values: usize) -> (u64, Vec<u64>) {
        let mut counts = vec![0; values];
        for kind in kinds {
            self.kinds[*kind as usize].1.iter().for_each(|(value, count)| counts[*value as usize] += count);
        }
        (counts.iter().sum(), counts)
    }

    /// How many records distinct ones stand for.
    fn records(&self, kind: u32) -> u64 {
        self.kinds[kind as usize].1.iter().map(|(_, count)| count).sum()
    }

    /// The labels of a column that are wide enough for distinct records.
    fn labels(&self, column: usize, kind: u32) -> &[u32] {
        &self.labels[column][self.kinds[kind as usize].0[column] as usize]
    }
}

/// How many records are read, and classes looked at, between two looks at whether to go on.
const LOOK: usize = 256;

/// A class that looks for a natural superset.
struct Seeker<'a> {
    class: u32,
    /// What it looks like: its number among the histograms.
    look: usize,
    /// What its cells may be replaced by, per column: from the cell up to `*`.
    chains: Vec<&'a [u32]>,
    found: bool,
    /// The nearest set so far.
    nearest: Option<Ratio>,
}

/// What a set is to the classes that look alike.
#[derive(Clone, Copy)]
struct ClassVerdict {
    distance: Ratio,
    is_within: bool,
    /// Whether a narrower set may be near enough.
    has_hope: bool,
}

/// The walk of classes through their natural supersets.
struct SupersetWalk<'a> {
    closeness: &'a TCloseness,
    original: &'a Original,
    n: u64,
    /// How many values the sensitive column has.
    values: usize,
    looks: &'a [Histogram],
    seekers: Vec<Seeker<'a>>,
    /// Whether the nearest set is looked for, not just one within t. Then there is one class.
    exhaustive: bool,
    /// Per column and label, how many records of a set lie below it; all 0 between two sets.
    sizes: Vec<Vec<u64>>,
    looked: usize,
    watch: Watch<'a>,
}

impl SupersetWalk<'_> {
    fn all(&mut self) -> Result<()> {
        let kinds: Vec<u32> = (0..self.original.kinds.len() as u32).collect();
        let seekers: Vec<usize> = (0..self.seekers.len()).collect();
        self.visit(0, &kinds, seekers, true)
    }

    /// Looks at one set, by its distinct records, and at those that narrow it in the columns from a given one on; `is_new` says
    /// whether the classes have not seen it yet.
    fn visit(&mut self, column: usize, kinds: &[u32], seekers: Vec<usize>, is_new: bool) -> Result<()> {
        (self.watch)()?;
        let seekers = if is_new { self.show(kinds, seekers)? } else { self.seeking(seekers) };
        if seekers.is_empty() || column == self.original.labels.len() {
            return Ok(());
        }
        let mut narrower: BTreeMap<u32, (Vec<u32>, Vec<usize>)> = self
            .narrowed(column, kinds)
            .into_iter()
            .map(|(label, kinds)| (label, (kinds, Vec::new())))
            .collect();
        for seeker in &seekers {
            // From `*` down, a label counts where it leaves out what the one above it has.
            let mut last = kinds.len();
            for label in self.seekers[*seeker].chains[column].iter().rev() {
                let Some((kinds, seekers)) = narrower.get_mut(label) else { break };
                if kinds.len() < last {
                    seekers.push(*seeker);
                    last = kinds.len();
                }
            }
        }
        self.visit(column + 1, kinds, seekers, false)?;
        let mut narrower: Vec<(Vec<u32>, Vec<usize>)> = narrower.into_values().collect();
        // Wide sets first: they are the likeliest to be near.
        narrower.sort_by_key(|(kinds, _)| std::cmp::Reverse(kinds.len()));
        for (kinds, seekers) in narrower {
            let seekers = self.seeking(seekers);
            if !seekers.is_empty() {
                self.visit(column + 1, &kinds, seekers, true)?;
            }
        }
        Ok(())
    }

    /// Those that have not found a set yet.
    fn seeking(&self, mut seekers: Vec<usize>) -> Vec<usize> {
        seekers.retain(|seeker| !self.seekers[*seeker].found);
        seekers
    }

    /// What a set narrows to below each label of a column that n records or more are left below.
    fn narrowed(&mut self, column: usize, kinds: &[u32]) -> BTreeMap<u32, Vec<u32>> {
        let (original, sizes) = (self.original, &mut self.sizes[column]);
        for kind in kinds {
            let records = original.records(*kind);
            original.labels(column, *kind).iter().for_each(|label| sizes[*label as usize] += records);
        }
        let mut sets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for kind in kinds {
            for label in original.labels(column, *kind) {
                if sizes[*label as usize] >= self.n {
                    sets.entry(*label).or_default().push(*kind);
                }
            }
        }
        for kind in kinds {
            original.labels(column, *kind).iter().for_each(|label| sizes[*label as usize] = 0);
        }
        sets
    }

    /// Shows classes a set that they have not seen. Returns those that go on to narrower ones: they are not there yet, and may still
    /// come near enough.
    fn show(&mut self, kinds: &[u32], seekers: Vec<usize>) -> Result<Vec<usize>> {
        let (records, around) = self.original.count(kinds, self.values);
        if records < self.n {
            return Ok(Vec::new());
        }
        let mut verdicts: HashMap<usize, Option<ClassVerdict>> = HashMap::new();
        let mut going_on = Vec::new();
        for seeker in seekers {
            self.looked += 1;
            if self.looked.is_multiple_of(LOOK) {
                (self.watch)()?;
            }
            let Seeker { look, nearest, .. } = self.seekers[seeker];
            let verdict =
                *verdicts.entry(look).or_insert_with(|| self.judge(look, nearest, &around, records));
            // A narrower set has no values that this one lacks.
            let Some(verdict) = verdict else { continue };
            let state = &mut self.seekers[seeker];
            state.found = verdict.is_within && !self.exhaustive;
            if state.found || nearest.is_none_or(|nearest| verdict.distance.to_f64() < nearest.to_f64()) {
                state.nearest = Some(verdict.distance);
            }
            if !state.found && verdict.has_hope {
                going_on.push(seeker);
            }
        }
        Ok(going_on)
    }

    /// What a set is to classes that look like this; `None` where it lacks one of their values.
    fn judge(
        &self,
        look: usize,
        nearest: Option<Ratio>,
        around: &[u64],
        records: u64,
    ) -> Option<ClassVerdict> {
        let class = &self.looks[look];
        let distance = self.closeness.distance_to(class, around, records)?;
        let limit = match self.exhaustive {
            true => nearest.map_or(f64::INFINITY, Ratio::to_f64).min(distance.to_f64()),
            false => self.closeness.t.to_f64(),
        };
        let least = self.closeness.least_distance(class, &vec![0; around.len()], around, self.n);
        let is_within = distance.at_most(self.closeness.t);
        Some(ClassVerdict { distance, is_within, has_hope: least <= limit + CLEAR })
    }
}

/// What came of a class's search.
struct FoundSuperset {
    class: u32,
    size: u64,
    found: bool,
    nearest: Option<Ratio>,
}

/// Checks every class.
pub(super) fn check(asked: &NtCloseness, name: String, facts: &Facts<'_>) -> Result<Check> {
    let n = asked.n;
    let closeness = TCloseness::of(("n-t-closeness", asked.column), asked.t, asked.distance, facts)?;
    let (original, release) = (&facts.tables.original, &facts.tables.release);
    let quasi = facts.layout.quasi.len();
    let mut columns: Vec<NtColumn> =
        facts.layout.quasi.iter().map(|place| NtColumn::new(facts, place.original)).collect::<Result<_>>()?;
    let mut chains = |dictionaries: &[Dictionary]| -> Result<Vec<Vec<Vec<u32>>>> {
        let of_column = |(column, texts): (&mut NtColumn, &Dictionary)| {
            texts.texts().map(|text| column.chain(text)).collect::<Result<Vec<_>>>()
        };
        columns.iter_mut().zip(dictionaries).map(of_column).collect()
    };
    let (below, above) = (chains(&original.quasi)?, chains(&release.quasi)?);
    let original = Original::of(facts, closeness.column, &below, &above)?;
    let histogram = |class: u32| facts.classes.histogram(class, quasi + closeness.column, &release.records);
    // A class of n records is its own natural superset.
    let small: Vec<u32> =
        facts.classes.cells.ids().filter(|class| facts.classes.cells.count(*class) < n).collect();
    let (mut looks, mut numbers) = (Vec::new(), HashMap::new());
    let mut look_of: HashMap<u32, usize> = HashMap::new();
    for class in &small {
        let own = histogram(*class);
        let look = *numbers.entry((own.size, own.counts.clone())).or_insert_with(|| {
            looks.push(own);
            looks.len() - 1
        });
        look_of.insert(*class, look);
    }
    let seeker = |class: &u32| Seeker {
        class: *class,
        look: look_of[class],
        chains: (above.iter().zip(facts.classes.cells.get(*class)))
            .map(|(column, code)| column[*code as usize].as_slice())
            .collect(),
        found: false,
        nearest: None,
    };
    let widths: Vec<usize> = columns.iter().map(|column| column.labels.len()).collect();
    let walk = |classes: &[u32], exhaustive: bool| -> Result<Vec<FoundSuperset>> {
        let mut walk = SupersetWalk {
            closeness: &closeness,
            original: &original,
            n,
            values: facts.tables.plain[closeness.column].len(),
            looks: &looks,
            seekers: classes.iter().map(seeker).collect(),
            exhaustive,
            sizes: widths.iter().map(|width| vec![0; *width]).collect(),
            looked: 0,
            watch: facts.watch,
        };
        walk.all()?;
        let found = |seeker: Seeker<'_>| FoundSuperset {
            class: seeker.class,
            size: looks[seeker.look].size,
            found: seeker.found,
            nearest: seeker.nearest,
        };
        Ok(walk.seekers.into_iter().map(found).collect())
    };
    let mut check = Check::new(name, true, String::new());
    let mut worst: Option<(bool, f64, u32, Option<Ratio>)> = None;
    for FoundSuperset { class, size, found, nearest } in walk(&small, false)? {
        if !found {
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += size;
        }
        let strain = nearest.map_or(f64::INFINITY, Ratio::to_f64);
        if worst.as_ref().is_none_or(|(failed, most, ..)| (*failed, *most) < (!found, strain)) {
            worst = Some((!found, strain, class, nearest));
        }
    }
    check.worst = match worst {
        None => None,
        Some((fails, _, class, distance)) => {
            // One that fails is named with the nearest set that there is, not with the nearest that was looked at.
            let distance = match fails {
                true => walk(&[class], true)?.first().and_then(|found| found.nearest),
                false => distance,
            };
            Some(explain(facts, class, &histogram(class), distance, fails, n, &closeness))
        }
    };
    check.detail = match (check.classes_failing, facts.classes.len()) {
        (0, 1) => "holds in the only class".to_string(),
        (0, classes) => format!("holds in all {classes} classes"),
        (failing, classes) => {
            format!("fails in {failing} of {}", counted(classes as u64, "class", "classes"))
        }
    };
    Ok(check)
}

fn explain(
    facts: &Facts<'_>,
    class: u32,
    histogram: &Histogram,
    distance: Option<Ratio>,
    fails: bool,
    n: u64,
    closeness: &TCloseness,
) -> String {
    let cells = facts.describe(class);
    let size = histogram.size;
    match distance {
        Some(distance) if fails => format!(
            "{cells}: size {size}, distance to the closest natural superset of {n} records or more {} > t = {}",
            distance.in_words(),
            closeness.t
        ),
        Some(distance) => format!(
            "{cells}: size {size}, distance to a natural superset of {n} records or more {} ≤ t = {}",
            distance.in_words(),
            closeness.t
        ),
        None => format!("{cells}: size {size}, no natural superset of {n} records has all of its values"),
    }
}
