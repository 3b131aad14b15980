//! Transactions as a cut shows them: distinct sets of nodes, how many transactions each stands for, and how many of
//! those hold each sensitive item.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::engine::baskets::Baskets;
use crate::taxonomy::{ItemTree, Node};

/// Distinct rows of nodes.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    nodes: Vec<Node>,
    /// Where each row's nodes end.
    ends: Vec<usize>,
    weights: Vec<u64>,
    /// Sensitive items and how many of a row's transactions hold them.
    marks: Vec<(u32, u64)>,
    mark_ends: Vec<usize>,
}

/// The node that stands for each node of the tree in a cut: its ancestor or itself; nodes above the cut stay.
pub fn shown_by(tree: &ItemTree, cut: &[Node]) -> Vec<Node> {
    let mut shown: Vec<Node> = tree.nodes().collect();
    for node in cut {
        shown[*node as usize..tree.end(*node) as usize].fill(*node);
    }
    shown
}

impl Rows {
    /// The rows of all baskets, merged where they differ in sensitive items only; `shown` as [`shown_by`] gives it.
    pub fn of(baskets: &Baskets, shown: &[Node]) -> Rows {
        let mut merger = Merger::default();
        for basket in 0..baskets.len() {
            let count = baskets.count(basket);
            let marks = baskets.marks(basket).iter().map(|mark| (*mark, count));
            merger.add(baskets.items(basket).iter().map(|item| shown[*item as usize]), count, marks);
        }
        merger.finish()
    }

    /// The same rows as a coarser cut shows them.
    pub fn merged(&self, shown: &[Node]) -> Rows {
        let mut merger = Merger::default();
        for row in 0..self.len() {
            let nodes = self.nodes(row).iter().map(|node| shown[*node as usize]);
            merger.add(nodes, self.weight(row), self.marks(row).iter().copied());
        }
        merger.finish()
    }

    /// Per node of the tree, how many transactions hold it or something below it.
    pub fn supports(&self, tree: &ItemTree) -> Vec<u64> {
        let mut supports = vec![0; tree.len()];
        // Per node, one more than the last row that was counted.
        let mut counted = vec![0; tree.len()];
        for row in 0..self.len() {
            for node in self.nodes(row) {
                let mut at = Some(*node);
                // Above a node that was counted for this row, all were.
                while let Some(node) = at.filter(|node| counted[*node as usize] != row + 1) {
                    counted[node as usize] = row + 1;
                    supports[node as usize] += self.weight(row);
                    at = tree.parent(node);
                }
            }
        }
        supports
    }

    /// The number of distinct rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The nodes of a row, ascending.
    pub fn nodes(&self, row: usize) -> &[Node] {
        &self.nodes[start(&self.ends, row)..self.ends[row]]
    }

    /// How many transactions a row stands for.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights[row]
    }

    /// How many of them hold each sensitive item that any of them holds, ascending.
    pub fn marks(&self, row: usize) -> &[(u32, u64)] {
        &self.marks[start(&self.mark_ends, row)..self.mark_ends[row]]
    }
}

fn start(ends: &[usize], at: usize) -> usize {
    if at == 0 { 0 } else { ends[at - 1] }
}

/// Collects rows and adds up equal ones.
#[derive(Default)]
struct Merger {
    rows: Rows,
    index: HashTable<u32>,
    hasher: RandomState,
    /// Pairs of row and mark with counts, in the order of arrival.
    marks: Vec<(u32, u32, u64)>,
}

impl Merger {
    /// `nodes` are ascending but may repeat: a cut keeps the order of what it stands for.
    fn add(
        &mut self,
        nodes: impl Iterator<Item = Node>,
        weight: u64,
        marks: impl Iterator<Item = (u32, u64)>,
    ) {
        let Merger { rows, index, hasher, marks: pairs } = self;
        let begin = rows.nodes.len();
        for node in nodes {
            if rows.nodes.len() == begin || rows.nodes.last() != Some(&node) {
                rows.nodes.push(node);
            }
        }
        let hash = hasher.hash_one(&rows.nodes[begin..]);
        let known = index.find(hash, |row| rows.nodes(*row as usize) == &rows.nodes[begin..]).copied();
        let row = match known {
            Some(row) => {
                rows.nodes.truncate(begin);
                rows.weights[row as usize] += weight;
                row
            }
            None => {
                let row = rows.weights.len() as u32;
                rows.ends.push(rows.nodes.len());
                rows.weights.push(weight);
                index.insert_unique(hash, row, |row| hasher.hash_one(rows.nodes(*row as usize)));
                row
            }
        };
        pairs.extend(marks.map(|(mark, count)| (row, mark, count)));
    }

    fn finish(self) -> Rows {
        let Merger { mut rows, mut marks, .. } = self;
        marks.sort_unstable();
        let mut row = 0;
        for (at, mark, count) in marks {
            while row < at as usize {
                rows.mark_ends.push(rows.marks.len());
                row += 1;
            }
            let first = start(&rows.mark_ends, row);
            match rows.marks[first..].last_mut() {
                Some((last, sum)) if *last == mark => *sum += count,
                _ => rows.marks.push((mark, count)),
            }
        }
        rows.mark_ends.resize(rows.weights.len(), rows.marks.len());
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_merged_as_a_cut_shows_them() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = ItemTree::from_paths(&[path("a;P;R"), path("b;P;R"), path("c;R")]).expect("a tree");
        let find = |label: &str| tree.find(label).expect("a node");
        let (a, b, c, p) = (find("a"), find("b"), find("c"), find("P"));
        let mut baskets = Baskets::new(tree.clone().into(), vec!["s".into(), "t".into()]);
        baskets.add(&mut vec![a, c], &mut vec![1], 2);
        baskets.add(&mut vec![b, c], &mut vec![0, 1], 3);
        baskets.add(&mut vec![], &mut vec![0], 4);
        baskets.add(&mut vec![a, b, c], &mut vec![], 5);
        let leaves = Rows::of(&baskets, &tree.nodes().collect::<Vec<_>>());
        assert_eq!((leaves.len(), leaves.nodes(1), leaves.marks(1)), (4, &[b, c][..], &[(0, 3), (1, 3)][..]));
        let supports = leaves.supports(&tree);
        assert_eq!([a, b, c, p].map(|node| supports[node as usize]), [7, 8, 10, 10]);
        let rows = leaves.merged(&shown_by(&tree, &[p, c]));
        assert_eq!(rows.len(), 2);
        assert_eq!((rows.nodes(0), rows.weight(0), rows.marks(0)), (&[p, c][..], 10, &[(0, 3), (1, 5)][..]));
        assert_eq!((rows.nodes(1), rows.weight(1), rows.marks(1)), (&[][..], 4, &[(0, 4)][..]));
    }
}
