//! (n, t)-closeness (Li, Li and Venkatasubramanian 2010): every class is within distance t of one of its natural supersets
//! that has at least n records.
//!
//! The natural supersets of a class are the records of the original whose quasi-identifiers lie below the class's cells, each
//! cell as it is or replaced by a label above it in the column's hierarchy, in all combinations; `*` is above everything. A
//! range that a hierarchy does not know has nothing above it but `*`.

use std::collections::BTreeMap;

use super::t_closeness::{Ratio, TCloseness};
use super::{Facts, lacks};
use crate::audit::Check;
use crate::audit::classes::Histogram;
use crate::audit::cover::value_tree;
use crate::audit::table::Dictionary;
use crate::error::counted;
use crate::policy::Clause;
use crate::taxonomy::Taxonomy;
use crate::{Error, Result};

/// A label per quasi-identifier, by number.
type Combination = Vec<u32>;

/// How often each value of the column occurs in a superset, and how many records it has.
#[derive(Default)]
struct Superset {
    counts: Vec<u64>,
    records: u64,
}

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

/// All ways to take one label of each column.
fn combinations(chains: &[&Vec<u32>]) -> Vec<Combination> {
    let mut ways = vec![Vec::new()];
    for chain in chains {
        ways = (ways.iter())
            .flat_map(|way: &Combination| chain.iter().map(|label| [way.as_slice(), &[*label]].concat()))
            .collect();
    }
    ways
}

/// Checks every class.
pub(super) fn check(clause: &Clause, facts: &Facts<'_>) -> Result<Check> {
    let n = clause.settings.count("n").ok_or_else(|| lacks(clause, "n"))?;
    let closeness = TCloseness::of(clause, facts)?;
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
    let ways = |chains: &[Vec<Vec<u32>>], tuple: &[u32]| {
        let own: Vec<&Vec<u32>> =
            chains.iter().zip(tuple).map(|(column, code)| &column[*code as usize]).collect();
        combinations(&own)
    };
    // A class of n records is its own natural superset; what the others need is counted in one go.
    let small = || facts.classes.cells.ids().filter(|class| facts.classes.cells.count(*class) < n);
    let mut supersets: BTreeMap<Combination, Superset> = BTreeMap::new();
    for class in small() {
        for way in ways(&above, facts.classes.cells.get(class)) {
            supersets.entry(way).or_default();
        }
    }
    let values = facts.tables.plain[closeness.column].len();
    let (tuples, tuple_of) = original.records.beginnings(quasi)?;
    let mut histograms: Vec<Vec<(u32, u64)>> = vec![Vec::new(); tuples.ids().len()];
    for (id, tuple) in original.records.ids().zip(tuple_of) {
        let value = original.records.get(id)[quasi + closeness.column];
        histograms[tuple as usize].push((value, original.records.count(id)));
    }
    for tuple in tuples.ids() {
        for way in ways(&below, tuples.get(tuple)) {
            let Some(superset) = supersets.get_mut(&way) else { continue };
            superset.counts.resize(values, 0);
            for (value, count) in &histograms[tuple as usize] {
                superset.counts[*value as usize] += count;
                superset.records += count;
            }
        }
    }
    let mut check = Check::new(clause.describe(&facts.policy.columns), true, String::new());
    let mut worst: Option<(bool, f64, String)> = None;
    for class in small() {
        let histogram = facts.classes.histogram(class, quasi + closeness.column, &release.records);
        let found: Vec<Ratio> = ways(&above, facts.classes.cells.get(class))
            .iter()
            .filter_map(|way| supersets.get(way))
            .filter(|superset| superset.records >= n)
            .filter_map(|superset| closeness.distance_to(&histogram, &superset.counts, superset.records))
            .collect();
        let fails = !found.iter().any(|distance| distance.at_most(closeness.t));
        if fails {
            check.holds = false;
            check.classes_failing += 1;
            check.concerned += histogram.size;
        }
        let closest = found.into_iter().min_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
        let strain = closest.map_or(f64::INFINITY, Ratio::to_f64);
        if worst.as_ref().is_none_or(|(failed, most, _)| (*failed, *most) < (fails, strain)) {
            worst = Some((fails, strain, explain(facts, class, &histogram, closest, fails, n, &closeness)));
        }
    }
    check.worst = worst.map(|(_, _, text)| text);
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
    closest: Option<Ratio>,
    fails: bool,
    n: u64,
    closeness: &TCloseness,
) -> String {
    let cells = facts.describe(class);
    let (size, sign) = (histogram.size, if fails { ">" } else { "≤" });
    match closest {
        Some(distance) => format!(
            "{cells}: size {size}, distance to the closest natural superset of {n} records or more {} {sign} t = {}",
            distance.in_words(),
            closeness.t
        ),
        None => format!("{cells}: size {size}, no natural superset of {n} records has all of its values"),
    }
}
