//! What released cells say: which original values a cell of a quasi-identifier may stand for.
//!
//! A cell stands for the value it spells, for the leaves below the node whose label it is, for every number in the range
//! it spells (where all values of the column are numbers), and `*` stands for everything.

use super::table::Dictionary;
use privet_core::Result;
use privet_policy::{CheckedPolicy, OnMissing, PolicyColumn};
use privet_taxonomy::{Range, Taxonomy};

/// The cell that stands for everything.
pub(super) const EVERYTHING: &str = "*";

/// Which released cells of one column stand for which original values, both by number.
pub(super) struct Coverage {
    /// For each original value the cells that name it or something above it, in rising order.
    naming: Vec<Vec<u32>>,
    /// For each original value the number that it is.
    numbers: Vec<Option<f64>>,
    /// For each released cell the range that it spells.
    ranges: Vec<Option<Range>>,
    /// The released cells that say nothing, in rising order.
    pub senseless: Vec<u32>,
}

impl Coverage {
    /// Reads the meaning of every released cell of a column.
    pub fn of(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        values: &Dictionary,
        cells: &Dictionary,
    ) -> Result<Coverage> {
        let tree = value_tree(policy, column)?;
        let numbers: Vec<Option<f64>> = values.texts().map(number_of).collect();
        let numeric =
            values.texts().zip(&numbers).all(|(value, number)| number.is_some() || policy.is_missing(value));
        let ranges: Vec<Option<Range>> =
            cells.texts().map(|cell| if numeric { Range::parse(cell) } else { None }).collect();
        let naming = values
            .texts()
            .map(|value| {
                let labels = labels_above(value, tree.as_ref())?;
                let mut naming: Vec<u32> = labels.iter().filter_map(|label| cells.find(label)).collect();
                naming.sort_unstable();
                naming.dedup();
                Ok(naming)
            })
            .collect::<Result<Vec<_>>>()?;
        let says_something = |cell: &str, range: &Option<Range>| {
            cell == EVERYTHING
                || range.is_some()
                || values.find(cell).is_some()
                || tree.as_ref().is_some_and(|tree| tree.find(cell).is_some())
        };
        let senseless = (0u32..)
            .zip(cells.texts().zip(&ranges))
            .filter(|(_, (cell, range))| !says_something(cell, range))
            .map(|(code, _)| code)
            .collect();
        Ok(Coverage { naming, numbers, ranges, senseless })
    }

    /// The cells that stand for a value, in rising order.
    pub fn standing_for(&self, value: u32) -> Vec<u32> {
        let in_range = (0..self.ranges.len() as u32).filter(|cell| self.in_range(*cell, value));
        let mut cells: Vec<u32> = self.naming(value).iter().copied().chain(in_range).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The number of distinct released cells.
    pub fn cells(&self) -> usize {
        self.ranges.len()
    }

    /// The cells that name a value or something above it, in rising order.
    pub fn naming(&self, value: u32) -> &[u32] {
        &self.naming[value as usize]
    }

    /// Whether a cell spells a range.
    pub fn is_range(&self, cell: u32) -> bool {
        self.ranges[cell as usize].is_some()
    }

    /// Whether a cell spells a range that holds the value.
    pub fn in_range(&self, cell: u32, value: u32) -> bool {
        match (&self.ranges[cell as usize], self.numbers[value as usize]) {
            (Some(range), Some(number)) => range.holds(number),
            _ => false,
        }
    }
}

/// What names a value: its own text, `*`, and the labels from its leaf up to the root.
fn labels_above(value: &str, tree: Option<&Taxonomy>) -> Result<Vec<String>> {
    let mut labels = vec![value.to_string(), EVERYTHING.to_string()];
    if let Some(tree) = tree {
        let mut node = tree.leaf_of(value)?;
        while let Some(at) = node {
            labels.push(tree.label(at).to_string());
            node = tree.parent(at);
        }
    }
    Ok(labels)
}

/// A column's taxonomy; where missing values are values, it has a leaf for them.
pub(super) fn value_tree(policy: &CheckedPolicy, column: &PolicyColumn) -> Result<Option<Taxonomy>> {
    let Some(tree) = column.hierarchy.as_deref() else { return Ok(None) };
    match policy.missing.first() {
        Some(missing) if policy.on_missing == OnMissing::Value && tree.leaf_of(missing)?.is_none() => {
            tree.with_leaf(missing).map(Some)
        }
        _ => Ok(Some(tree.clone())),
    }
}

/// The number that a text spells; words such as `inf` and `nan` are texts.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let spelling = text.trim();
    let plain = spelling.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    // Adding zero turns -0 into 0.
    spelling.parse().ok().filter(|number: &f64| plain && number.is_finite()).map(|number| number + 0.0)
}
