//! People of a table of mixed columns, by what it shows about them.
//!
//! Such a table shows one cut through each hierarchy, so a value is shown as the cell that is a node above it. If the
//! cells of another tool overlap, it is the lowest of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::budget::takes_long;
use super::view::TableView;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_policy::Role;
use privet_taxonomy::{NodeId, Taxonomy};

/// How many rows are processed between two checks of the clock.
const BETWEEN: usize = 1024;

/// People of a table of mixed columns.
pub(super) struct ShownPeople {
    /// The mixed columns, by their places in the view.
    pub columns: Vec<usize>,
    /// Their hierarchies.
    pub trees: Vec<Arc<Taxonomy>>,
    /// Everybody who may have a released record: per column the position of their leaf and the node shown for it.
    pub people: Vec<Vec<(u32, NodeId)>>,
    /// How many released records show the same nodes.
    pub released: BTreeMap<Vec<NodeId>, u64>,
    /// How many people no released record can be of.
    pub left_out: u64,
}

impl ShownPeople {
    /// Looks everybody up. A cell that is not a node of its column's hierarchy is an error.
    pub fn of(view: &TableView, clock: &Clock) -> Result<ShownPeople> {
        if view.original.is_sample() {
            return Err(takes_long());
        }
        let columns = view.columns_where(|column| column.policy.role == Some(Role::Mixed));
        let mut trees: Vec<Arc<Taxonomy>> = Vec::new();
        // Per column: by cell its node, and by value its leaf and the node that is shown of it.
        let mut cells: Vec<Vec<NodeId>> = Vec::new();
        let mut values: Vec<Vec<Option<(u32, NodeId)>>> = Vec::new();
        for column in columns.iter().map(|column| &view.columns[*column]) {
            let tree = (column.policy.hierarchy.clone())
                .ok_or_else(|| Error::internal("a mixed column without a hierarchy"))?;
            let node = |text: &str| match tree.find(text) {
                None if text == "*" => Ok(tree.root()),
                None => tree.leaf_of(text)?.ok_or_else(|| {
                    Error::input(format!("a cell of column '{}' is not a node of its hierarchy", column.name))
                }),
                Some(node) => Ok(node),
            };
            let nodes: Vec<NodeId> = column.cells.texts().map(node).collect::<Result<_>>()?;
            let shown = |(value, text): (u32, &str)| -> Result<Option<(u32, NodeId)>> {
                let above = column.cover.cells_of(value).into_iter().map(|cell| nodes[cell as usize]);
                let lowest = above.min_by_key(|node| (tree.leaves_below(*node).len(), *node));
                let leaf = tree.leaf_of(text)?.map(|leaf| tree.leaves_below(leaf).start as u32);
                Ok(leaf.zip(lowest))
            };
            values.push((0..).zip(column.values.texts()).map(shown).collect::<Result<_>>()?);
            cells.push(nodes);
            trees.push(tree);
        }
        let mut released: BTreeMap<Vec<NodeId>, u64> = BTreeMap::new();
        for row in 0..view.released.len {
            if row % BETWEEN == 0 {
                clock.check()?;
            }
            let nodes = columns.iter().zip(&cells);
            let nodes = nodes.map(|(at, nodes)| nodes[view.released.codes[*at].at(row) as usize]);
            *released.entry(nodes.collect()).or_default() += 1;
        }
        let mut people = Vec::new();
        let mut left_out = 0;
        for row in 0..view.original.len {
            if row % BETWEEN == 0 {
                clock.check()?;
            }
            let own = columns.iter().zip(&values);
            let own = own.map(|(at, values)| values[view.original.codes[*at].at(row) as usize]);
            let own: Option<Vec<(u32, NodeId)>> = own.collect();
            let is_there = |own: &Vec<(u32, NodeId)>| {
                released.contains_key(&own.iter().map(|(_, node)| *node).collect::<Vec<_>>())
            };
            match own.filter(is_there) {
                Some(own) => people.push(own),
                None => left_out += 1,
            }
        }
        Ok(ShownPeople { columns, trees, people, released, left_out })
    }
}
