//! The data in the form that the inverse itemset enumeration tree scans.

use std::collections::BTreeMap;

use privet_engine::itemset::rows::Rows;
use privet_taxonomy::{ItemTree, Node, append_with_ancestors};

/// Distinct rows, each with all nodes that it holds, including ancestors, ascending.
#[derive(Debug)]
pub struct FullRows {
    nodes: Vec<Node>,
    /// Per row, where its nodes begin and end.
    bounds: Vec<(usize, usize)>,
    /// Per row, the number of transactions that it represents.
    weights: Vec<u64>,
    /// Per row, where its counts of sensitive items end.
    mark_ends: Vec<usize>,
    marks: Vec<(u32, u64)>,
}

impl FullRows {
    /// The rows with the ancestors of their nodes. Only sensitive items that matter are counted.
    pub fn new(tree: &ItemTree, rows: &Rows, matters: &[bool]) -> FullRows {
        let mut full = FullRows {
            nodes: Vec::new(),
            bounds: Vec::new(),
            weights: rows.iter().map(|(_, weight)| weight).collect(),
            mark_ends: Vec::new(),
            marks: Vec::new(),
        };
        for row in rows.numbers() {
            let start = full.nodes.len();
            append_with_ancestors(&mut full.nodes, rows.nodes(row).iter().copied(), |node| tree.parent(node));
            full.bounds.push((start, full.nodes.len()));
            full.marks.extend(rows.marks(row).iter().filter(|(mark, _)| matters[*mark as usize]));
            full.mark_ends.push(full.marks.len());
        }
        full
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// The nodes that a row holds, ascending.
    pub fn nodes(&self, row: u32) -> &[Node] {
        let (start, end) = self.bounds[row as usize];
        &self.nodes[start..end]
    }

    /// The number of transactions that a row represents.
    pub fn weight(&self, row: u32) -> u64 {
        self.weights[row as usize]
    }

    /// The number of these that hold each sensitive item, if any do.
    pub fn marks(&self, row: u32) -> &[(u32, u64)] {
        let start = (row as usize).checked_sub(1).map_or(0, |before| self.mark_ends[before]);
        &self.marks[start..self.mark_ends[row as usize]]
    }

    /// The number of transactions that hold each sensitive item, if any do, ascending by item.
    pub fn all_marks(&self) -> Vec<(u32, u64)> {
        let mut all = BTreeMap::new();
        for (mark, count) in &self.marks {
            *all.entry(*mark).or_insert(0) += count;
        }
        all.into_iter().collect()
    }

    /// Removes nodes. Rows keep their numbers.
    pub fn retain(&mut self, keep: impl Fn(Node) -> bool) {
        for (start, end) in &mut self.bounds {
            let mut kept = *start;
            for at in *start..*end {
                let node = self.nodes[at];
                if keep(node) {
                    self.nodes[kept] = node;
                    kept += 1;
                }
            }
            *end = kept;
        }
    }
}
