//! Transactions as a cut shows them: distinct sets of nodes, how many transactions each stands for, and how many of
//! those hold each sensitive item.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::baskets::Baskets;
use privet_taxonomy::{ItemTree, Node};

/// Rows of nodes.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    cells: Vec<Node>,
    /// Per row, where its nodes begin and how many they are.
    bounds: Vec<(usize, u32)>,
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

    /// The same rows as a coarser cut shows them, equal ones merged.
    pub fn under(&self, shown: &[Node]) -> Rows {
        self.some_under(shown, |_| true)
    }

    /// Those rows that hold a wanted node of a coarser cut, as this shows them, equal ones merged.
    pub fn with_any(&self, wanted: impl Fn(Node) -> bool, shown: &[Node]) -> Rows {
        self.some_under(shown, |nodes| nodes.iter().any(|node| wanted(shown[*node as usize])))
    }

    fn some_under(&self, shown: &[Node], wanted: impl Fn(&[Node]) -> bool) -> Rows {
        let mut merger = Merger::default();
        for row in self.numbers().filter(|row| wanted(self.nodes(*row))) {
            let nodes = self.nodes(row).iter().map(|node| shown[*node as usize]);
            merger.add(nodes, self.weight(row), self.marks(row).iter().copied());
        }
        merger.finish()
    }

    /// Rows without sensitive items, equal ones merged, in the order in which they first appear.
    pub fn merged<'a>(rows: impl Iterator<Item = (&'a [Node], u64)>) -> Rows {
        let mut merger = Merger::default();
        for (nodes, weight) in rows {
            merger.add(nodes.iter().copied(), weight, std::iter::empty());
        }
        merger.finish()
    }

    /// Adds a row without sensitive items, whether or not there is one like it; the nodes must be ascending.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = Node>, weight: u64) {
        let start = self.cells.len();
        self.cells.extend(nodes);
        self.bounds.push((start, (self.cells.len() - start) as u32));
        self.weights.push(weight);
        self.mark_ends.push(self.marks.len());
    }

    /// Replaces all that a row holds below a node by that node.
    pub fn lift(&mut self, row: u32, tree: &ItemTree, node: Node) {
        let (start, length) = self.bounds[row as usize];
        let nodes = &mut self.cells[start..start + length as usize];
        let from = nodes.partition_point(|other| *other < node);
        let to = nodes.partition_point(|other| *other < tree.end(node));
        if from < to {
            nodes[from] = node;
            nodes.copy_within(to.., from + 1);
            self.bounds[row as usize].1 = length - (to - from - 1) as u32;
        }
    }

    /// Per node of the tree, how many transactions hold it or something below it.
    pub fn supports(&self, tree: &ItemTree) -> Vec<u64> {
        let mut supports = vec![0; tree.len()];
        // Per node, one more than the last row that was counted.
        let mut counted = vec![0; tree.len()];
        for row in self.numbers() {
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

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The numbers of all rows.
    pub fn numbers(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// All rows with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[Node], u64)> {
        self.numbers().map(|row| (self.nodes(row), self.weight(row)))
    }

    /// The nodes of a row, ascending.
    pub fn nodes(&self, row: u32) -> &[Node] {
        let (start, length) = self.bounds[row as usize];
        &self.cells[start..start + length as usize]
    }

    /// How many transactions a row stands for.
    pub fn weight(&self, row: u32) -> u64 {
        self.weights[row as usize]
    }

    /// How many of them hold each sensitive item that any of them holds, ascending.
    pub fn marks(&self, row: u32) -> &[(u32, u64)] {
        &self.marks[start(&self.mark_ends, row as usize)..self.mark_ends[row as usize]]
    }

    /// Whether a row holds a node: the node itself or something below it.
    pub fn holds(&self, row: u32, tree: &ItemTree, node: Node) -> bool {
        self.first_below(row, tree, node).is_some()
    }

    /// The first node of a row that is the given one or below it.
    pub fn first_below(&self, row: u32, tree: &ItemTree, node: Node) -> Option<Node> {
        let nodes = self.nodes(row);
        let found = nodes.get(nodes.partition_point(|other| *other < node)).copied();
        found.filter(|found| *found < tree.end(node))
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
        let begin = rows.cells.len();
        for node in nodes {
            if rows.cells.len() == begin || rows.cells.last() != Some(&node) {
                rows.cells.push(node);
            }
        }
        let hash = hasher.hash_one(&rows.cells[begin..]);
        let known = index.find(hash, |row| rows.nodes(*row) == &rows.cells[begin..]).copied();
        let row = match known {
            Some(row) => {
                rows.cells.truncate(begin);
                rows.weights[row as usize] += weight;
                row
            }
            None => {
                let row = rows.weights.len() as u32;
                rows.bounds.push((begin, (rows.cells.len() - begin) as u32));
                rows.weights.push(weight);
                index.insert_unique(hash, row, |row| hasher.hash_one(rows.nodes(*row)));
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
        let rows = leaves.under(&shown_by(&tree, &[p, c]));
        assert_eq!(rows.len(), 2);
        assert_eq!((rows.nodes(0), rows.weight(0), rows.marks(0)), (&[p, c][..], 10, &[(0, 3), (1, 5)][..]));
        assert_eq!((rows.nodes(1), rows.weight(1), rows.marks(1)), (&[][..], 4, &[(0, 4)][..]));
    }
    #[test]
    fn lifting_replaces_what_is_below() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = ItemTree::from_paths(&[path("a;P;R"), path("b;P;R"), path("c;R")]).expect("a tree");
        let mut rows = Rows::merged([(&[2, 3, 4][..], 1), (&[4], 1), (&[2, 3, 4], 1)].into_iter());
        assert_eq!((rows.len(), rows.weight(0)), (2, 2));
        rows.lift(0, &tree, 1);
        rows.lift(1, &tree, 1);
        assert_eq!((rows.nodes(0), rows.nodes(1)), (&[1, 4][..], &[4][..]));
        assert!(rows.holds(0, &tree, 0) && !rows.holds(1, &tree, 1));
    }
}
