//! The children of an itemset, counted in one pass over its rows.

use std::ops::Range;

use super::threats::{ChildItemset, InverseTree, PathFrame};
use privet_taxonomy::Node;

/// Counts per node, all zero between two passes.
#[derive(Debug)]
pub(super) struct Counters {
    support: Vec<u64>,
    rows: Vec<usize>,
    /// Which nodes are not zero, as bits.
    seen: Vec<u64>,
    /// The number of sensitive items, and the counts per node and sensitive item.
    width: usize,
    marks: Vec<u64>,
    is_marked: Vec<bool>,
    /// The index for the next row of a node.
    cursor: Vec<usize>,
}

/// The index of rows that are not needed.
const NOWHERE: usize = usize::MAX;

impl Counters {
    pub fn new(nodes: usize, marks: usize) -> Counters {
        Counters {
            support: vec![0; nodes],
            rows: vec![0; nodes],
            seen: vec![0; nodes.div_ceil(64)],
            width: marks,
            marks: vec![0; nodes * marks],
            is_marked: vec![false; nodes],
            cursor: vec![NOWHERE; nodes],
        }
    }

    fn count(&mut self, nodes: &[Node], weight: u64, marks: &[(u32, u64)]) {
        for node in nodes.iter().map(|node| *node as usize) {
            if self.rows[node] == 0 {
                self.seen[node / 64] |= 1 << (node % 64);
            }
            self.rows[node] += 1;
            self.support[node] += weight;
        }
        if !marks.is_empty() {
            for node in nodes.iter().map(|node| *node as usize) {
                self.is_marked[node] = true;
                for (mark, count) in marks {
                    self.marks[node * self.width + *mark as usize] += count;
                }
            }
        }
    }

    fn clear(&mut self, node: usize) {
        (self.rows[node], self.support[node]) = (0, 0);
        if std::mem::take(&mut self.is_marked[node]) {
            self.marks[node * self.width..(node + 1) * self.width].fill(0);
        }
    }
}

impl InverseTree<'_> {
    /// Counts an itemset together with every node before its last one, and keeps those that form children.
    pub(super) fn count_children(&mut self, frame: &PathFrame) -> Range<usize> {
        let before = |nodes: &[Node]| nodes.partition_point(|node| *node < frame.node);
        for row in &self.row_arena[frame.rows.clone()] {
            let nodes = self.rows.nodes(*row);
            self.counters.count(&nodes[..before(nodes)], self.rows.weight(*row), self.rows.marks(*row));
        }
        let (first, first_row) = (self.child_arena.len(), self.row_arena.len());
        let mut next_row = first_row;
        if frame.absent_left > 0 {
            // An absent node may be missing from every row.
            for node in 0..frame.node {
                self.push_child(frame, node, &mut next_row);
            }
        } else {
            for word in 0..self.counters.seen.len() {
                let mut bits = self.counters.seen[word];
                while bits > 0 {
                    self.push_child(frame, (word * 64) as Node + bits.trailing_zeros(), &mut next_row);
                    bits &= bits - 1;
                }
            }
        }
        self.forget_counts();
        if next_row > first_row {
            self.scatter_rows(frame, first_row, next_row);
        }
        for child in &self.child_arena[first..] {
            self.counters.cursor[child.node as usize] = NOWHERE;
        }
        first..self.child_arena.len()
    }

    /// Adds a node as a child, unless it can be neither present nor absent.
    fn push_child(&mut self, frame: &PathFrame, node: Node, next_row: &mut usize) {
        let at = node as usize;
        let support = self.counters.support[at];
        let may_be_present = frame.present_left > 0 && support > 0 && self.above_present[at] == 0;
        let may_be_absent = frame.absent_left >= u64::from(self.tree.leaves(node))
            && support < frame.support
            && self.above[at] == 0;
        if self.known.dead[at] || !(may_be_present || may_be_absent) {
            return;
        }
        let mut rows = 0..0;
        if may_be_present && self.may_grow(frame, node, support) {
            rows = *next_row..*next_row + self.counters.rows[at];
            self.counters.cursor[at] = rows.start;
            *next_row = rows.end;
        }
        let marks_start = self.mark_arena.len();
        if self.counters.is_marked[at] {
            let width = self.counters.width;
            let counts = self.counters.marks[at * width..(at + 1) * width].iter().zip(0..);
            let counts = counts.filter(|(count, _)| **count > 0);
            self.mark_arena.extend(counts.map(|(count, mark)| (mark, *count)));
        }
        self.child_arena.push(ChildItemset {
            node,
            support,
            rows,
            marks: marks_start..self.mark_arena.len(),
        });
    }

    /// Whether the itemset with this node may still have children.
    fn may_grow(&self, frame: &PathFrame, node: Node, support: u64) -> bool {
        let Some(power_left) = frame.present_left.saturating_add(frame.absent_left).checked_sub(1) else {
            return false;
        };
        power_left > 0
            && !(self.prunings.generic && support == frame.support)
            && !(self.prunings.local && support < self.privacy.k)
            && !(self.prunings.global && self.shadows[self.frames.len()].covers(node))
    }

    fn forget_counts(&mut self) {
        for word in 0..self.counters.seen.len() {
            let mut bits = std::mem::take(&mut self.counters.seen[word]);
            while bits > 0 {
                self.counters.clear(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }

    /// Distributes the rows to the children that hold them.
    fn scatter_rows(&mut self, frame: &PathFrame, first_row: usize, end: usize) {
        self.row_arena.resize(end, 0);
        let (known, new) = self.row_arena.split_at_mut(first_row);
        for row in &known[frame.rows.clone()] {
            for node in self.rows.nodes(*row).iter().take_while(|node| **node < frame.node) {
                let cursor = &mut self.counters.cursor[*node as usize];
                if *cursor != NOWHERE {
                    new[*cursor - first_row] = *row;
                    *cursor += 1;
                }
            }
        }
    }

    /// Adds the rows of an itemset that do not hold a node.
    pub(super) fn push_rows_without(&mut self, depth: usize, node: Node) -> Range<usize> {
        let start = self.row_arena.len();
        for at in self.frames[depth].rows.clone() {
            let row = self.row_arena[at];
            if self.rows.nodes(row).binary_search(&node).is_err() {
                self.row_arena.push(row);
            }
        }
        start..self.row_arena.len()
    }
}
