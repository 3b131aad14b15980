//! Is every released cell as coarse as the policy's `least_levels` ask?
//!
//! A rule may forbid detail whatever the size of a class: ZIP codes of more than three digits, dates finer than a year. The
//! setting names, per quasi-identifier, the lowest level of its hierarchy that may be published. Literally: a released cell
//! must say what stands for its values at that level, or something above it. A column without a hierarchy has two levels,
//! the value itself and `*`.

use std::collections::BTreeSet;

use super::Check;
use super::cover::{EVERYTHING, number_of, value_tree};
use super::notion::Facts;
use privet_core::counted;
use privet_core::{Error, Result};
use privet_taxonomy::{NodeId, Range, Taxonomy};

/// The setting that is checked.
const KEY: &str = "least_levels";

/// The check; `None` where the policy sets no least level.
pub(super) fn check(facts: &Facts<'_>) -> Result<Option<Check>> {
    let Some(least) = facts.policy.method.least_levels() else { return Ok(None) };
    let mut too_fine: Vec<Vec<u32>> = vec![Vec::new(); facts.layout.quasi.len()];
    let mut faults = Vec::new();
    let mut asked = Vec::new();
    let columns = facts.layout.quasi.iter().zip(&facts.tables.release.quasi).zip(&mut too_fine);
    for ((place, cells), too_fine) in columns {
        let level = least.get(&place.original).copied().unwrap_or(0);
        if level == 0 {
            continue;
        }
        let column = facts.policy.columns.get(place.original);
        let column = column.ok_or_else(|| Error::internal("the policy lost a column"))?;
        asked.push(format!("{} ≥ {level}", column.name));
        let permitted = Permitted::of(value_tree(facts.policy, column)?, level);
        for (code, cell) in (0u32..).zip(cells.texts()) {
            if !permitted.allows(cell)? {
                too_fine.push(code);
            }
        }
        if let Some((first, rest)) = too_fine.split_first() {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            faults.push(format!(
                "column '{}': '{}' in line {}{more} is finer than level {level}",
                column.name,
                cells.text(*first),
                cells.line(*first)
            ));
        }
    }
    let mut check =
        Check::new(KEY.replace('_', " "), faults.is_empty(), format!("levels: {}", asked.join(", ")));
    if asked.is_empty() {
        check.detail = "no column has a least level above 0".to_string();
    }
    if check.holds {
        return Ok(Some(check));
    }
    check.detail = faults.join("; ");
    let fine =
        |cells: &[u32]| cells.iter().zip(&too_fine).any(|(cell, fine)| fine.binary_search(cell).is_ok());
    let failing = facts.classes.cells.ids().filter(|class| fine(facts.classes.cells.get(*class)));
    let mut most = 0;
    for class in failing {
        let size = facts.classes.cells.count(class);
        check.classes_failing += 1;
        check.concerned += size;
        if size > most {
            most = size;
            check.worst = Some(format!("{}: {}", facts.describe(class), counted(size, "record", "records")));
        }
    }
    Ok(Some(check))
}

/// What a column's cells may say.
struct Permitted {
    tree: Option<Taxonomy>,
    level: usize,
    /// The labels at the least level and above.
    labels: BTreeSet<String>,
}

impl Permitted {
    fn of(tree: Option<Taxonomy>, level: u64) -> Permitted {
        let highest = tree.as_ref().map_or(1, |tree| tree.levels().saturating_sub(1));
        let level = usize::try_from(level).map_or(highest, |level| level.min(highest));
        let mut labels = BTreeSet::from([EVERYTHING.to_string()]);
        if let Some(tree) = &tree {
            for leaf in 0..tree.leaves() {
                let mut node = Some(tree.at_level(leaf, level));
                while let Some(at) = node {
                    labels.insert(tree.label(at).to_string());
                    node = tree.parent(at);
                }
            }
        }
        Permitted { tree, level, labels }
    }

    fn allows(&self, cell: &str) -> Result<bool> {
        if self.labels.contains(cell) {
            return Ok(true);
        }
        let Some(tree) = &self.tree else { return Ok(false) };
        if tree.find(cell).is_some() {
            return Ok(false);
        }
        // A value in another spelling than its leaf's: as coarse as asked only where the leaf stands for itself.
        if let Some(leaf) = tree.leaf_of(cell)? {
            return Ok(self.group(tree, leaf) == Some(leaf));
        }
        // A cell that says nothing at all is found by the check of values.
        Ok(Range::parse(cell).is_none_or(|range| self.is_coarse(tree, &range)))
    }

    /// The node that stands for a leaf at the least level.
    fn group(&self, tree: &Taxonomy, leaf: NodeId) -> Option<NodeId> {
        let position = tree.leaves_below(leaf).next()?;
        Some(tree.at_level(position, self.level))
    }

    /// Whether a range that is not a label of the hierarchy holds all of every group at the least level that it touches. A
    /// group of a single value could be that value, so it does not count.
    fn is_coarse(&self, tree: &Taxonomy, range: &Range) -> bool {
        let held =
            |leaf: usize| number_of(tree.label(tree.leaf(leaf))).is_some_and(|number| range.holds(number));
        (0..tree.leaves()).filter(|leaf| held(*leaf)).all(|leaf| {
            let mut group = tree.leaves_below(tree.at_level(leaf, self.level));
            group.len() > 1 && group.all(held)
        })
    }
}
