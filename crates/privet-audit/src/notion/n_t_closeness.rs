//! (n, t)-closeness (Li, Li and Venkatasubramanian 2010): every class is within distance t of one of its natural supersets
//! that has at least n records.
//!
//! The natural supersets of a class are the records of the original whose quasi-identifiers lie below the class's cells, each
//! cell as it is or replaced by a label above it in the column's hierarchy, in all combinations; `*` is above everything. A
//! range that a hierarchy does not know has nothing above it but `*`.
//!
//! There are as many combinations as the product of what the cells may be replaced by, so they are not listed. Of each record only the step
//! counts, in every column, at which the class's cell is wide enough for it. Columns are narrowed one after the other, from `*` down, in as many
//! ways as records differ in; a way ends where fewer than n records are left, or where no set between those that are left and those that
//! always stay can be near enough to the class.

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
struct Column {
    tree: Option<Taxonomy>,
    labels: Dictionary,
}

impl Column {
    fn new(facts: &Facts<'_>, original: usize) -> Result<Column> {
        let column = facts.policy.columns.get(original).ok_or_else(|| Error::internal("no such column"))?;
        Ok(Column { tree: value_tree(facts.policy, column)?, labels: Dictionary::default() })
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
type Kind = (Vec<u32>, Vec<(u32, u64)>);

/// The original as the classes see it: records whose values the same labels are wide enough for count as alike.
struct Original {
    /// Per column and kind of value, the labels that are wide enough for it.
    labels: Vec<Vec<Vec<u32>>>,
    /// The kinds of values of distinct records, with how often these have each value of the sensitive column.
    kinds: Vec<Kind>,
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
        let mut kinds: Vec<Kind> =
            found.into_iter().map(|(kind, counts)| (kind, counts.into_iter().collect())).collect();
        kinds.sort_unstable();
        Ok(Original { labels, kinds })
    }

    /// The records by the steps, in every column, at which the cells of a class are wide enough for them.
    fn seen_from(&self, chains: &[&Vec<u32>]) -> Vec<Crowd> {
        let steps: Vec<Vec<u32>> = (self.labels.iter().zip(chains))
            .map(|(kinds, chain)| {
                let step = |wide: &Vec<u32>| {
                    chain.iter().position(|label| wide.contains(label)).unwrap_or(chain.len())
                };
                kinds.iter().map(|wide| step(wide) as u32).collect()
            })
            .collect();
        let mut crowds: HashMap<Vec<u32>, BTreeMap<u32, u64>> = HashMap::new();
        for (kind, counts) in &self.kinds {
            let steps: Vec<u32> =
                kind.iter().zip(&steps).map(|(kind, steps)| steps[*kind as usize]).collect();
            let crowd = crowds.entry(steps).or_default();
            counts.iter().for_each(|(value, count)| *crowd.entry(*value).or_default() += count);
        }
        let mut crowds: Vec<Crowd> = (crowds.into_iter())
            .map(|(steps, counts)| Crowd {
                steps,
                records: counts.values().sum(),
                counts: counts.into_iter().collect(),
            })
            .collect();
        crowds.sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
        crowds
    }
}

/// How many records are read, and sets looked at, between two looks at whether to go on.
const LOOK: usize = 256;

/// Records that a class's cells become wide enough for at the same steps.
struct Crowd {
    steps: Vec<u32>,
    counts: Vec<(u32, u64)>,
    records: u64,
}

/// The search for a natural superset of one class.
struct Narrowing<'a> {
    closeness: &'a TCloseness,
    class: &'a Histogram,
    n: u64,
    /// How many values the column has.
    values: usize,
    crowds: Vec<Crowd>,
    /// Whether the nearest set is looked for, not just one within t.
    exhaustive: bool,
    /// The nearest set so far.
    nearest: Option<Ratio>,
    looked: usize,
    watch: Watch<'a>,
}

impl Narrowing<'_> {
    /// Whether a superset within t is found among those that narrow the columns from a given one on. `crowds` are those that are
    /// left; `is_new` says whether they were not asked about yet.
    fn find(&mut self, column: usize, crowds: &[usize], is_new: bool) -> Result<bool> {
        self.looked += 1;
        if self.looked.is_multiple_of(LOOK) {
            (self.watch)()?;
        }
        let mut around = vec![0; self.values];
        let records: u64 = crowds.iter().map(|at| self.crowds[*at].records).sum();
        if records < self.n {
            return Ok(false);
        }
        self.add(crowds.iter(), &mut around);
        if is_new {
            let distance = self.closeness.distance_to(self.class, &around, records);
            if let Some(distance) = distance {
                if !self.exhaustive && distance.at_most(self.closeness.t) {
                    self.nearest = Some(distance);
                    return Ok(true);
                }
                if self.nearest.is_none_or(|nearest| distance.to_f64() < nearest.to_f64()) {
                    self.nearest = Some(distance);
                }
            }
        }
        // What is wide enough without any step in the columns to come is left whatever is done to them.
        let stays = |at: &&usize| self.crowds[**at].steps[column..].iter().all(|step| *step == 0);
        if column == self.steps() || crowds.iter().all(|at| stays(&at)) {
            return Ok(false);
        }
        let mut inside = vec![0; self.values];
        self.add(crowds.iter().filter(stays), &mut inside);
        let bound = self.closeness.least_distance(self.class, &inside, &around, self.n);
        let nearest = self.nearest.map_or(f64::INFINITY, Ratio::to_f64);
        let limit = if self.exhaustive { nearest } else { self.closeness.t.to_f64() };
        if bound > limit + CLEAR {
            return Ok(false);
        }
        let mut steps: Vec<u32> = crowds.iter().map(|at| self.crowds[*at].steps[column]).collect();
        steps.sort_unstable();
        steps.dedup();
        for (at, step) in steps.iter().rev().enumerate() {
            let left: Vec<usize> =
                crowds.iter().copied().filter(|at| self.crowds[*at].steps[column] <= *step).collect();
            if self.find(column + 1, &left, at > 0)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn steps(&self) -> usize {
        self.crowds.first().map_or(0, |crowd| crowd.steps.len())
    }

    fn add<'c>(&self, crowds: impl Iterator<Item = &'c usize>, counts: &mut [u64]) {
        for at in crowds {
            self.crowds[*at].counts.iter().for_each(|(value, count)| counts[*value as usize] += count);
        }
    }
}

/// Checks every class.
pub(super) fn check(asked: &NtCloseness, name: String, facts: &Facts<'_>) -> Result<Check> {
    let n = asked.n;
    let closeness = TCloseness::of(("n-t-closeness", asked.column), asked.t, asked.distance, facts)?;
    let (original, release) = (&facts.tables.original, &facts.tables.release);
    let quasi = facts.layout.quasi.len();
    let mut columns: Vec<Column> =
        facts.layout.quasi.iter().map(|place| Column::new(facts, place.original)).collect::<Result<_>>()?;
    let mut chains = |dictionaries: &[Dictionary]| -> Result<Vec<Vec<Vec<u32>>>> {
        let of_column = |(column, texts): (&mut Column, &Dictionary)| {
            texts.texts().map(|text| column.chain(text)).collect::<Result<Vec<_>>>()
        };
        columns.iter_mut().zip(dictionaries).map(of_column).collect()
    };
    let (below, above) = (chains(&original.quasi)?, chains(&release.quasi)?);
    let original = Original::of(facts, closeness.column, &below, &above)?;
    // The search from a class: for anything within t, or for the nearest set there is.
    let search = |class: u32, histogram: &Histogram, nearest: bool| -> Result<(bool, Option<Ratio>)> {
        let cells = facts.classes.cells.get(class);
        let own: Vec<&Vec<u32>> =
            above.iter().zip(cells).map(|(column, code)| &column[*code as usize]).collect();
        let crowds = original.seen_from(&own);
        let all: Vec<usize> = (0..crowds.len()).collect();
        let mut narrowing = Narrowing {
            closeness: &closeness,
            class: histogram,
            n,
            values: facts.tables.plain[closeness.column].len(),
            crowds,
            exhaustive: nearest,
            nearest: None,
            looked: 0,
            watch: facts.watch,
        };
        let found = narrowing.find(0, &all, true)?;
        Ok((found, narrowing.nearest))
    };
    let histogram = |class: u32| facts.classes.histogram(class, quasi + closeness.column, &release.records);
    let mut check = Check::new(name, true, String::new());
    let mut worst: Option<(bool, f64, u32, Option<Ratio>)> = None;
    // A class of n records is its own natural superset.
    for class in facts.classes.cells.ids().filter(|class| facts.classes.cells.count(*class) < n) {
        (facts.watch)()?;
        let histogram = histogram(class);
        let (found, distance) = search(class, &histogram, false)?;
        if !found {
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += histogram.size;
        }
        let strain = distance.map_or(f64::INFINITY, Ratio::to_f64);
        if worst.as_ref().is_none_or(|(failed, most, ..)| (*failed, *most) < (!found, strain)) {
            worst = Some((!found, strain, class, distance));
        }
    }
    check.worst = match worst {
        None => None,
        Some((fails, _, class, distance)) => {
            let histogram = histogram(class);
            // One that fails is named with the nearest set that there is, not with the nearest that was looked at.
            let distance = if fails { search(class, &histogram, true)?.1 } else { distance };
            Some(explain(facts, class, &histogram, distance, fails, n, &closeness))
        }
    };
    check.detail = match (check.classes_failing, facts.classes.len()) {
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
