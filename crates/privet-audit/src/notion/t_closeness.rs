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
//!
//! A class has few of the values that a column may have. What its distance to the whole original owes to the others is known once
//! for all classes, so a class costs as much as its own values: see [`Outline`].

mod distance;

use std::collections::BTreeMap;

pub(super) use self::distance::Ratio;
use self::distance::{Distance, DistanceTree, equal, hierarchical, ordered};
use super::{Facts, Notion, OriginalColumn};
use crate::classes::Histogram;
use crate::cover::number_of;
use privet_core::{Error, Exact, Result};
use privet_policy::requirement;
use privet_taxonomy::Taxonomy;

pub(super) struct TCloseness {
    pub column: usize,
    pub t: Exact,
    /// How often each value occurs in the original, by number; 0 for a value that only the release has.
    table: Vec<u64>,
    /// N.
    records: u64,
    distance: Distance,
    outline: Outline,
}

/// What all classes have in common in their distance to the whole original.
enum Outline {
    Equal,
    Ordered {
        /// The place of each value in the order.
        place: Vec<usize>,
        /// How many records have one of the first j values.
        upto: Vec<u64>,
        /// The sums of these: of the first j of `upto`, beginning with that of one value.
        sums: Vec<u128>,
    },
    Hierarchical {
        /// How many records are below each node.
        below: Vec<u64>,
        /// Σ over all nodes but the root of how much its parent is higher, times the records below it.
        sum: u128,
    },
}

pub(super) fn auditor(asked: &requirement::TCloseness, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    Ok(Box::new(TCloseness::of(("t-closeness", asked.column), asked.t, asked.distance, facts)?))
}

/// The notion for a column at this place among the unchanged ones.
pub(super) fn of_column(
    asked: &requirement::TCloseness,
    column: usize,
    original: &OriginalColumn<'_>,
) -> Result<Box<dyn Notion>> {
    Ok(Box::new(TCloseness::of_column(column, asked.t, asked.distance, original)?))
}

/// The column's taxonomy, or an error where it has none.
fn tree_of(column: &OriginalColumn<'_>) -> Result<Taxonomy> {
    column.tree()?.ok_or_else(|| {
        let name = column.name();
        Error::input(format!("t-closeness of column '{name}' needs a hierarchy"))
            .in_file(column.policy().written.path())
            .help(format!("give [columns.{name}] a hierarchy, or choose distance = \"equal\""))
    })
}

/// The node of the leaf of each value that the original has.
fn leaves_of(column: &OriginalColumn<'_>, tree: &Taxonomy) -> Result<Vec<usize>> {
    let values = column.values.iter().zip(&column.counts);
    values
        .map(|(value, count)| match tree.leaf_of(value)? {
            Some(leaf) => Ok(leaf.0 as usize),
            None if *count == 0 => Ok(0),
            None => Err(Error::input(format!(
                "a value of column '{}' has no leaf in its hierarchy",
                column.name()
            ))
            .in_file(column.policy().source.origin())
            .help("add a line for every value of the column to the hierarchy file")),
        })
        .collect()
}

/// The values that occur in the original, as numbers if all of them are, else along the leaves of the hierarchy. A missing
/// value that is kept as a value comes before all numbers.
fn order(column: &OriginalColumn<'_>) -> Result<Vec<usize>> {
    let texts = &column.values;
    let mut values: Vec<usize> = (0..texts.len()).filter(|value| column.counts[*value] > 0).collect();
    let missing = |value: usize| column.policy().is_missing(texts[value]);
    let numeric = values.iter().all(|value| missing(*value) || number_of(texts[*value]).is_some());
    if numeric && !values.iter().all(|value| missing(*value)) {
        let number =
            |value: usize| number_of(texts[value]).filter(|_| !missing(value)).unwrap_or(f64::NEG_INFINITY);
        values.sort_by(|a, b| number(*a).total_cmp(&number(*b)).then(texts[*a].cmp(texts[*b])));
        return Ok(values);
    }
    let leaves = leaves_of(column, &tree_of(column)?)?;
    // Nodes are numbered depth first, so the order of the leaves' numbers is the order of the leaves.
    values.sort_by(|a, b| leaves[*a].cmp(&leaves[*b]).then(texts[*a].cmp(texts[*b])));
    Ok(values)
}

impl TCloseness {
    /// The closeness that a requirement of this name asks for.
    pub fn of(
        (notion, column): (&str, usize),
        t: Exact,
        distance: requirement::Distance,
        facts: &Facts<'_>,
    ) -> Result<TCloseness> {
        let column = facts.column(notion, column)?;
        TCloseness::of_column(column, t, distance, &facts.original_column(column)?)
    }

    fn of_column(
        column: usize,
        t: Exact,
        distance: requirement::Distance,
        original: &OriginalColumn<'_>,
    ) -> Result<TCloseness> {
        let distance = match distance {
            requirement::Distance::PerValue => {
                return Err(Error::internal("sets are judged value by value, not by what is moved"));
            }
            requirement::Distance::Equal => Distance::Equal,
            requirement::Distance::Ordered => Distance::Ordered(order(original)?),
            requirement::Distance::Hierarchical => {
                let tree = tree_of(original)?;
                let leaves = leaves_of(original, &tree)?;
                Distance::Hierarchical(DistanceTree::new(&tree, leaves))
            }
        };
        Ok(TCloseness::new(column, t, original.counts.clone(), distance))
    }

    fn new(column: usize, t: Exact, table: Vec<u64>, distance: Distance) -> TCloseness {
        let records = table.iter().sum();
        let outline = Outline::of(&distance, &table);
        TCloseness { column, t, table, records, distance, outline }
    }

    /// The distance; `None` for a class with a value that the original does not have.
    fn distance(&self, class: &Histogram) -> Option<Ratio> {
        if class.counts.iter().any(|(value, _)| self.table[*value as usize] == 0) {
            return None;
        }
        let all = u128::from(self.records) * u128::from(class.size);
        Some(match (&self.outline, &self.distance) {
            (Outline::Ordered { place, upto, sums }, _) => {
                self.ordered_by_segments(class, place, upto, sums, all)
            }
            (Outline::Hierarchical { below, sum }, Distance::Hierarchical(tree)) => {
                self.hierarchical_by_paths(class, tree, below, *sum, all)
            }
            _ => equal(class, &self.table, self.records),
        })
    }

    /// Between two values of the class the running sum of the extras only falls: it is positive first and negative then.
    fn ordered_by_segments(
        &self,
        class: &Histogram,
        place: &[usize],
        upto: &[u64],
        sums: &[u128],
        all: u128,
    ) -> Ratio {
        let size = u128::from(class.size);
        let mut own: Vec<(usize, u64)> =
            class.counts.iter().map(|(value, count)| (place[*value as usize], *count)).collect();
        own.sort_unstable();
        let values = upto.len();
        let (mut over, mut seen, mut from) = (0, 0u64, 0);
        // Each segment begins with a value of the class; the first one begins before all of them.
        for (next, count) in own.into_iter().chain([(values, 0)]) {
            let reached = u128::from(seen) * u128::from(self.records);
            let turn = from + upto[from..next].partition_point(|upto| u128::from(*upto) * size <= reached);
            let (rising, falling) = ((turn - from) as u128, (next - turn) as u128);
            over += rising * reached - size * (sums[turn] - sums[from]);
            over += size * (sums[next] - sums[turn]) - falling * reached;
            seen += count;
            from = next;
        }
        // A single value has nowhere to move: `over` is 0 then.
        Ratio { over, under: (values.max(2) as u128 - 1) * all }
    }

    /// Half of what is moved crosses the edge above a node: as much as the extras below it come to. Below nodes without values of the class
    /// that is what the original has there.
    fn hierarchical_by_paths(
        &self,
        class: &Histogram,
        tree: &DistanceTree,
        below: &[u64],
        sum: u128,
        all: u128,
    ) -> Ratio {
        let mut own: BTreeMap<usize, u64> = BTreeMap::new();
        for (value, count) in &class.counts {
            let mut node = tree.leaf_of[*value as usize];
            while node > 0 {
                *own.entry(node).or_default() += count;
                node = tree.parents[node];
            }
        }
        let mut over = sum * u128::from(class.size);
        for (node, count) in own {
            let expected = u128::from(below[node]) * u128::from(class.size);
            let found = u128::from(count) * u128::from(self.records);
            let rise = tree.rise(node);
            over = over - rise * expected + rise * found.abs_diff(expected);
        }
        Ratio { over, under: 2 * tree.height().max(1) * all }
    }

    /// The distance to a larger set of records, which has each value so often; `None` for a class with a value that it
    /// does not have.
    pub fn distance_to(&self, class: &Histogram, table: &[u64], records: u64) -> Option<Ratio> {
        if class.counts.iter().any(|(value, _)| table[*value as usize] == 0) {
            return None;
        }
        if matches!(self.distance, Distance::Equal) {
            return Some(equal(class, table, records));
        }
        let whole = i128::from(records);
        let size = i128::from(class.size);
        let mut extras: Vec<i128> = table.iter().map(|count| -i128::from(*count) * size).collect();
        for (value, count) in &class.counts {
            extras[*value as usize] += i128::from(*count) * whole;
        }
        let all = u128::from(records) * u128::from(class.size);
        Some(match &self.distance {
            Distance::Equal => equal(class, table, records),
            Distance::Ordered(order) => ordered(&extras, order, all),
            Distance::Hierarchical(tree) => hierarchical(&extras, tree, all),
        })
    }

    /// No set of at least `least` records that has all of `inside`, and none but `around`, is nearer to the class than this, but
    /// for rounding. Sets are given by how often they have each value.
    ///
    /// All distances add up how far shares are apart: of single values, of all values up to one, of all values below a node.
    pub fn least_distance(&self, class: &Histogram, inside: &[u64], around: &[u64], least: u64) -> f64 {
        let (fewest, most): (u64, u64) = (inside.iter().sum(), around.iter().sum());
        let fewest_of_all = least.max(fewest);
        // How far the share of some values in the class is from all that it can be in such a set: too small, too large.
        let apart = |own: f64, least: u64, largest: u64| {
            let share = own / class.size as f64;
            let others = most - largest;
            let small = least.max(fewest_of_all.saturating_sub(others));
            let smallest = small as f64 / (small + others).max(1) as f64;
            let others = (fewest - least).max(fewest_of_all.saturating_sub(largest));
            let largest = largest as f64 / (largest + others).max(1) as f64;
            (f64::max(smallest - share, 0.0), f64::max(share - largest, 0.0))
        };
        let mut own = vec![0.0; inside.len()];
        class.counts.iter().for_each(|(value, count)| own[*value as usize] = *count as f64);
        match &self.distance {
            Distance::Equal => {
                let all = (0..own.len()).map(|value| apart(own[value], inside[value], around[value]));
                let (lacking, abundant) = all.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                f64::max(lacking, abundant)
            }
            Distance::Ordered(order) => {
                let (mut sum, mut upto) = (0.0, (0.0, 0, 0));
                for value in order {
                    upto = (upto.0 + own[*value], upto.1 + inside[*value], upto.2 + around[*value]);
                    let (lacking, abundant) = apart(upto.0, upto.1, upto.2);
                    sum += lacking + abundant;
                }
                sum / (order.len().max(2) - 1) as f64
            }
            Distance::Hierarchical(tree) => {
                let mut below = vec![(0.0, 0, 0); tree.parents.len()];
                for (value, leaf) in tree.leaf_of.iter().enumerate() {
                    let node = &mut below[*leaf];
                    *node = (node.0 + own[value], node.1 + inside[value], node.2 + around[value]);
                }
                let mut sum = 0.0;
                for node in (1..below.len()).rev() {
                    let (share, least, largest) = below[node];
                    let (lacking, abundant) = apart(share, least, largest);
                    sum += tree.rise(node) as f64 * (lacking + abundant);
                    let parent = &mut below[tree.parents[node]];
                    *parent = (parent.0 + share, parent.1 + least, parent.2 + largest);
                }
                sum / (2 * tree.height().max(1)) as f64
            }
        }
    }
}

impl Outline {
    fn of(distance: &Distance, table: &[u64]) -> Outline {
        match distance {
            Distance::Equal => Outline::Equal,
            Distance::Ordered(order) => {
                let mut place = vec![usize::MAX; table.len()];
                let (mut upto, mut sums, mut records) = (Vec::new(), vec![0], 0);
                for (at, value) in order.iter().enumerate() {
                    place[*value] = at;
                    records += table[*value];
                    upto.push(records);
                    sums.push(sums[at] + u128::from(records));
                }
                Outline::Ordered { place, upto, sums }
            }
            Distance::Hierarchical(tree) => {
                let mut below = vec![0; tree.parents.len()];
                tree.leaf_of.iter().zip(table).for_each(|(leaf, count)| below[*leaf] += count);
                let mut sum = 0;
                for node in (1..below.len()).rev() {
                    sum += tree.rise(node) * u128::from(below[node]);
                    below[tree.parents[node]] += below[node];
                }
                Outline::Hierarchical { below, sum }
            }
        }
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
mod tests;
