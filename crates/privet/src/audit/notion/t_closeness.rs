//! t-closeness (Li, Li and Venkatasubramanian 2007): the earth mover's distance between the distribution of a column in
//! a class and in the whole original is at most t.
//!
//! For a class of n records out of N, the *extra* of a value is nᵢ/n − Nᵢ/N. All distances are computed with the whole
//! numbers nᵢ·N − Nᵢ·n instead, so nothing is rounded:
//!
//! - equal: half the sum of the extras' amounts;
//! - ordered: the sum of the amounts of the running sums of the extras, in the order of the m values, over m − 1;
//! - hierarchical: over every inner node of the column's tree, its height over the height of the tree times what has
//!   to be moved between its children: the smaller one of their positive and their negative extras.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_integer::Integer;

use super::{Facts, Notion, number};
use crate::audit::classes::Histogram;
use crate::audit::cover::{number_of, value_tree};
use crate::policy::Clause;
use crate::taxonomy::Taxonomy;
use crate::{Error, Exact, Result};

pub(super) struct TCloseness {
    pub column: usize,
    pub t: Exact,
    /// How often each value occurs in the original, by number; 0 for a value that only the release has.
    table: Vec<u64>,
    /// N.
    records: u64,
    distance: Distance,
}

enum Distance {
    Equal,
    /// The values of the original, in order.
    Ordered(Vec<usize>),
    /// The tree, and the node of each value's leaf.
    Hierarchical(Tree),
}

/// What the hierarchical distance needs of a taxonomy, by the numbers of its nodes.
struct Tree {
    /// The node of each value's leaf; 0 for a value that only the release has.
    leaf_of: Vec<usize>,
    /// The parent of each node; the root's is not used.
    parents: Vec<usize>,
    /// The height of each node.
    heights: Vec<u128>,
}

/// over / under, not reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ratio {
    over: u128,
    under: u128,
}

pub(super) fn auditor(clause: &Clause, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    Ok(Box::new(TCloseness::of(clause, facts)?))
}

/// The column's taxonomy, with a leaf for missing values where they are values.
fn tree_of(facts: &Facts<'_>, column: usize) -> Result<Option<Taxonomy>> {
    let place = facts.layout.plain[column].original;
    facts.policy.columns.get(place).map_or(Ok(None), |column| value_tree(facts.policy, column))
}

/// The node of the leaf of each value that the original has.
fn leaves_of(facts: &Facts<'_>, column: usize, tree: &Taxonomy, table: &[u64]) -> Result<Vec<usize>> {
    let values = facts.tables.plain[column].texts().zip(table);
    values
        .map(|(value, count)| match tree.leaf_of(value)? {
            Some(leaf) => Ok(leaf.0 as usize),
            None if *count == 0 => Ok(0),
            None => Err(Error::input(format!(
                "a value of column '{}' has no leaf in its hierarchy",
                name(facts, column)
            ))
            .in_file(facts.policy.source.path())
            .help("add a line for every value of the column to the hierarchy file")),
        })
        .collect()
}

/// The values that occur in the original, as numbers if all of them are, else along the leaves of the hierarchy. A missing
/// value that is kept as a value comes before all numbers.
fn order(facts: &Facts<'_>, column: usize, table: &[u64]) -> Result<Vec<usize>> {
    let texts: Vec<&str> = facts.tables.plain[column].texts().collect();
    let mut values: Vec<usize> = (0..texts.len()).filter(|value| table[*value] > 0).collect();
    let missing = |value: usize| facts.policy.is_missing(texts[value]);
    let numeric = values.iter().all(|value| missing(*value) || number_of(texts[*value]).is_some());
    if numeric && !values.iter().all(|value| missing(*value)) {
        let number =
            |value: usize| number_of(texts[value]).filter(|_| !missing(value)).unwrap_or(f64::NEG_INFINITY);
        values.sort_by(|a, b| number(*a).total_cmp(&number(*b)).then(texts[*a].cmp(texts[*b])));
        return Ok(values);
    }
    let tree = tree_of(facts, column)?.ok_or_else(|| needs_hierarchy(facts, column))?;
    let leaves = leaves_of(facts, column, &tree, table)?;
    // Nodes are numbered depth first, so the order of the leaves' numbers is the order of the leaves.
    values.sort_by(|a, b| leaves[*a].cmp(&leaves[*b]).then(texts[*a].cmp(texts[*b])));
    Ok(values)
}

fn name<'a>(facts: &'a Facts<'_>, column: usize) -> &'a str {
    facts.column_name(facts.layout.plain[column].original)
}

fn needs_hierarchy(facts: &Facts<'_>, column: usize) -> Error {
    let name = name(facts, column);
    Error::input(format!("t-closeness of column '{name}' needs a hierarchy"))
        .in_file(facts.policy.written.path())
        .help(format!("give [columns.{name}] a hierarchy, or choose distance = \"equal\""))
}

impl Tree {
    fn new(taxonomy: &Taxonomy, leaf_of: Vec<usize>) -> Tree {
        let nodes = (0..taxonomy.len() as u32).map(crate::taxonomy::NodeId);
        let parents = nodes.clone().map(|node| taxonomy.parent(node).map_or(0, |parent| parent.0 as usize));
        let heights = nodes.map(|node| taxonomy.height(node) as u128);
        Tree { leaf_of, parents: parents.collect(), heights: heights.collect() }
    }
}

impl TCloseness {
    /// Reads a clause with a column, a t and a distance.
    pub fn of(clause: &Clause, facts: &Facts<'_>) -> Result<TCloseness> {
        let column = facts.column(clause)?;
        let table = facts.distribution(column);
        let distance = match clause.settings.choice("distance") {
            Some("equal") => Distance::Equal,
            Some("ordered") => Distance::Ordered(order(facts, column, &table)?),
            Some("hierarchical") => {
                let tree = tree_of(facts, column)?.ok_or_else(|| needs_hierarchy(facts, column))?;
                let leaves = leaves_of(facts, column, &tree, &table)?;
                Distance::Hierarchical(Tree::new(&tree, leaves))
            }
            other => {
                let distance = other.unwrap_or("none");
                return Err(Error::input(format!(
                    "this audit does not know the distance '{distance}' of t-closeness"
                ))
                .help("known distances: equal, ordered, hierarchical"));
            }
        };
        let records = table.iter().sum();
        Ok(TCloseness { column, t: number(clause, "t")?, table, records, distance })
    }

    /// The distance; `None` for a class with a value that the original does not have.
    fn distance(&self, class: &Histogram) -> Option<Ratio> {
        self.distance_to(class, &self.table, self.records)
    }

    /// The distance to a larger set of records, which has each value so often; `None` for a class with a value that it
    /// does not have.
    pub fn distance_to(&self, class: &Histogram, table: &[u64], records: u64) -> Option<Ratio> {
        let whole = i128::from(records);
        let size = i128::from(class.size);
        let mut extras: Vec<i128> = table.iter().map(|count| -i128::from(*count) * size).collect();
        for (value, count) in &class.counts {
            if table[*value as usize] == 0 {
                return None;
            }
            extras[*value as usize] += i128::from(*count) * whole;
        }
        let all = u128::from(records) * u128::from(class.size);
        Some(match &self.distance {
            Distance::Equal => equal(&extras, all),
            Distance::Ordered(order) => ordered(&extras, order, all),
            Distance::Hierarchical(tree) => hierarchical(&extras, tree, all),
        })
    }
}

fn equal(extras: &[i128], all: u128) -> Ratio {
    Ratio { over: extras.iter().map(|extra| extra.unsigned_abs()).sum(), under: 2 * all }
}

fn ordered(extras: &[i128], order: &[usize], all: u128) -> Ratio {
    let mut running = 0;
    let mut over = 0;
    for value in order {
        running += extras[*value];
        over += running.unsigned_abs();
    }
    // A single value has nowhere to move: `over` is 0 then.
    Ratio { over, under: (order.len().max(2) as u128 - 1) * all }
}

fn hierarchical(extras: &[i128], tree: &Tree, all: u128) -> Ratio {
    let nodes = tree.parents.len();
    let mut extra_of = vec![0i128; nodes];
    for (extra, leaf) in extras.iter().zip(&tree.leaf_of) {
        extra_of[*leaf] += extra;
    }
    let mut positive = vec![0u128; nodes];
    let mut negative = vec![0u128; nodes];
    // Children come after their parents, so going backwards every subtree is complete when it is added to its parent.
    for node in (1..nodes).rev() {
        let (parent, extra) = (tree.parents[node], extra_of[node]);
        extra_of[parent] += extra;
        match extra.cmp(&0) {
            Ordering::Greater => positive[parent] += extra.unsigned_abs(),
            Ordering::Less => negative[parent] += extra.unsigned_abs(),
            Ordering::Equal => {}
        }
    }
    let moved = (0..nodes).map(|node| tree.heights[node] * positive[node].min(negative[node])).sum();
    let height = tree.heights.first().copied().unwrap_or(0);
    Ratio { over: moved, under: height.max(1) * all }
}

impl Ratio {
    pub fn at_most(self, bound: Exact) -> bool {
        BigUint::from(self.over) * bound.denominator() <= BigUint::from(self.under) * bound.numerator()
    }

    pub fn to_f64(self) -> f64 {
        self.over as f64 / self.under.max(1) as f64
    }

    /// The decimal, and the fraction itself where it is short enough to be read.
    pub fn in_words(self) -> String {
        let divisor = self.over.gcd(&self.under).max(1);
        let (over, under) = (self.over / divisor, self.under / divisor);
        let decimal = self.to_f64();
        if under < 1_000_000_000 { format!("{over}/{under} ({decimal:.6})") } else { format!("{decimal:.6}") }
    }
}

impl Notion for TCloseness {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        self.distance(class).is_some_and(|distance| distance.at_most(self.t))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        self.distance(class).map_or(f64::INFINITY, Ratio::to_f64)
    }

    fn explain(&self, class: &Histogram) -> String {
        let Some(distance) = self.distance(class) else {
            return format!("size {}, it has a value that the original does not have", class.size);
        };
        let sign = if distance.at_most(self.t) { "≤" } else { ">" };
        format!("size {}, distance {} {sign} t = {}", class.size, distance.in_words(), self.t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notion(distance: Distance, table: &[u64], t: &str) -> TCloseness {
        let t = Exact::parse(t).expect("a number");
        TCloseness { column: 0, t, table: table.to_vec(), records: table.iter().sum(), distance }
    }

    fn class(counts: &[u64]) -> Histogram {
        let present = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0);
        Histogram { size: counts.iter().sum(), counts: present.collect() }
    }

    fn value(notion: &TCloseness, counts: &[u64]) -> Option<(u128, u128)> {
        notion.distance(&class(counts)).map(|ratio| {
            let divisor = ratio.over.gcd(&ratio.under);
            (ratio.over / divisor, ratio.under / divisor)
        })
    }

    #[test]
    fn the_equal_distance_accepts_the_tie_that_doubles_miss() {
        // Global share 1/10, share in the class 1/4: the distance is 0.15 exactly.
        let closeness = notion(Distance::Equal, &[1, 9], "0.15");
        assert_eq!(value(&closeness, &[1, 3]), Some((3, 20)));
        assert!(closeness.holds(&class(&[1, 3])));
        assert!(!notion(Distance::Equal, &[1, 9], "0.149999999999999999").holds(&class(&[1, 3])));
    }

    #[test]
    fn the_ordered_distance_is_that_of_the_paper() {
        // Li et al. 2007: salaries 3k … 11k; {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} is 1/6 (0.167).
        let closeness = notion(Distance::Ordered((0..9).collect()), &[1; 9], "0.375");
        assert_eq!(value(&closeness, &[1, 1, 1, 0, 0, 0, 0, 0, 0]), Some((3, 8)));
        assert_eq!(value(&closeness, &[0, 0, 0, 1, 0, 1, 0, 0, 1]), Some((1, 6)));
        assert!(closeness.holds(&class(&[1, 1, 1, 0, 0, 0, 0, 0, 0])));
    }

    #[test]
    fn one_value_has_no_distance() {
        let closeness = notion(Distance::Ordered(vec![0]), &[7], "0");
        assert!(closeness.holds(&class(&[3])));
    }

    #[test]
    fn the_hierarchical_distance_weighs_moves_by_the_height_they_climb() {
        // root ─┬─ a ─┬─ x      x, y and z have a third each.
        //       │     └─ y
        //       └─ b ─── z
        let tree = || Tree {
            leaf_of: vec![2, 3, 5],
            parents: vec![0, 0, 1, 1, 0, 4],
            heights: vec![2, 1, 0, 0, 1, 0],
        };
        let closeness = notion(Distance::Hierarchical(tree()), &[1, 1, 1], "1/2");
        // All in z: both thirds climb to the root.
        assert_eq!(value(&closeness, &[0, 0, 1]), Some((2, 3)));
        // x and z: a third of 1/6 each from y; 1/6 within a (1/2) and 1/6 over the root (1).
        assert_eq!(value(&closeness, &[1, 0, 1]), Some((1, 4)));
        assert_eq!(value(&closeness, &[5, 5, 5]), Some((0, 1)));
    }

    #[test]
    fn a_value_that_the_original_lacks_is_never_close() {
        let closeness = notion(Distance::Equal, &[1, 1, 0], "1");
        assert!(!closeness.holds(&class(&[1, 0, 1])));
        assert!(closeness.explain(&class(&[0, 0, 1])).contains("does not have"));
    }
}
