//! Hierarchies inside plans.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Named;
use privet_taxonomy::{ItemTree, Taxonomy};

/// A hierarchy as labels: the parent of each node, parents first. A root has no parent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlannedTree(Named<Option<String>>);

impl PlannedTree {
    pub(crate) fn of(taxonomy: &Taxonomy) -> PlannedTree {
        let label = |node| taxonomy.label(node).to_string();
        PlannedTree(taxonomy.nodes().map(|node| (label(node), taxonomy.parent(node).map(label))).collect())
    }

    pub(crate) fn of_items(tree: &ItemTree) -> PlannedTree {
        let label = |node| tree.label(node).to_string();
        PlannedTree(tree.nodes().map(|node| (label(node), tree.parent(node).map(label))).collect())
    }

    /// The nodes with their parents, parents first.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.0.iter().map(|(label, parent)| (label, parent.as_deref()))
    }

    /// The tree, ready for questions.
    pub(crate) fn index(&self) -> TreeIndex<'_> {
        let parents: HashMap<&str, Option<&str>> = self.nodes().collect();
        let inner = parents.values().copied().flatten().collect();
        TreeIndex { parents, inner }
    }

    /// The labels without children, in the order of the hierarchy.
    pub(crate) fn leaves(&self) -> Vec<&str> {
        let index = self.index();
        self.0.iter().map(|(label, _)| label).filter(|label| !index.inner.contains(label)).collect()
    }
}

/// A hierarchy, ready for questions.
pub(crate) struct TreeIndex<'a> {
    parents: HashMap<&'a str, Option<&'a str>>,
    inner: std::collections::HashSet<&'a str>,
}

impl<'a> TreeIndex<'a> {
    /// Whether the label is that of a leaf.
    pub fn is_leaf(&self, label: &str) -> bool {
        self.parents.contains_key(label) && !self.inner.contains(label)
    }

    /// Whether there is such a node.
    pub fn has(&self, label: &str) -> bool {
        self.parents.contains_key(label)
    }

    /// A label and all above it. A plan that was not checked may go in circles, so there are at most as many as labels.
    pub fn path<'b>(&'b self, label: &'b str) -> impl Iterator<Item = &'b str> {
        let above = move |label: &&'b str| self.parents.get(label).copied().flatten();
        std::iter::successors(Some(label), above).take(self.parents.len())
    }

    /// For each node, the number of steps down to the lowest leaf below it.
    pub fn heights(&self) -> HashMap<&'a str, usize> {
        let mut heights: HashMap<&str, usize> = HashMap::new();
        for leaf in self.parents.keys().filter(|label| !self.inner.contains(*label)) {
            let mut height = 0;
            let mut at = Some(*leaf);
            while let Some(label) = at {
                match heights.get(label) {
                    Some(known) if *known >= height => break,
                    _ => heights.insert(label, height),
                };
                height += 1;
                at = self.parents.get(label).copied().flatten();
            }
        }
        heights
    }
}
