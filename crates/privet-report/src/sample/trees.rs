//! Made-up taxonomies.

use super::super::model::{TaxonomyDrawing, TaxonomyNode};

/// A tree by levels: each entry of `groups` is a label and its children, down to leaves.
pub(super) struct Tree {
    nodes: Vec<TaxonomyNode>,
}

impl Tree {
    pub(super) fn new(root: &str, height: usize) -> Tree {
        let label = root.to_string();
        Tree {
            nodes: vec![TaxonomyNode {
                label,
                parent: None,
                records: 0.into(),
                released: 0,
                in_cut: false,
                level: height,
                mark: None,
            }],
        }
    }

    pub(super) fn child(&mut self, parent: usize, label: impl Into<String>, records: u64) -> usize {
        let level = self.nodes[parent].level.saturating_sub(1);
        let label = label.into();
        self.nodes.push(TaxonomyNode {
            label,
            parent: Some(parent),
            records: records.into(),
            released: 0,
            in_cut: false,
            level,
            mark: None,
        });
        let mut above = Some(parent);
        while let Some(node) = above {
            *self.nodes[node].records.open_mut() += records;
            above = self.nodes[node].parent;
        }
        self.nodes.len() - 1
    }

    pub(super) fn at_level(mut self, level: usize) -> Option<TaxonomyDrawing> {
        for node in &mut self.nodes {
            node.in_cut = node.level == level;
            node.released = if node.in_cut { node.records.open() - node.records.open() / 160 } else { 0 };
        }
        Some(TaxonomyDrawing { nodes: self.nodes })
    }
}

pub(super) fn ages() -> Tree {
    let mut tree = Tree::new("any age", 4);
    for half in [0, 40] {
        let half_node =
            tree.child(0, format!("{}–{}", half.max(17), half + if half == 0 { 39 } else { 50 }), 0);
        for decade in (half.max(10)..half + 40 + half / 4).step_by(10) {
            let decade_node = tree.child(half_node, format!("{decade}–{}", decade + 9), 0);
            for five in [decade, decade + 5] {
                let five_node = tree.child(decade_node, format!("{five}–{}", five + 4), 0);
                for age in five.max(17)..five + 5 {
                    let records = 520_u64.saturating_sub(u64::from(u32::abs_diff(age, 37)) * 9).max(6);
                    tree.child(five_node, age.to_string(), records);
                }
            }
        }
    }
    tree
}

pub(super) fn grouped(root: &str, groups: &[(&str, &[(&str, u64)])]) -> Tree {
    let mut tree = Tree::new(root, 2);
    for (group, leaves) in groups {
        let parent = tree.child(0, *group, 0);
        for (leaf, records) in *leaves {
            tree.child(parent, *leaf, *records);
        }
    }
    tree
}
