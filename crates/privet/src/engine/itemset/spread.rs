//! Depth-first counting of itemsets: the transactions that hold a set are spread over the nodes that could extend it.
//!
//! Sets grow towards smaller nodes. So the transactions that hold a set need only be remembered with how far their nodes
//! are still of interest, and every set is met once.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::taxonomy::{ItemTree, Node};

/// Transactions as ascending lists of nodes, with how often each occurs.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    cells: Vec<Node>,
    /// Per row, where its nodes begin and how many they are.
    bounds: Vec<(usize, u32)>,
    weights: Vec<u64>,
}

impl Rows {
    /// Adds a row; the nodes must be ascending.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = Node>, weight: u64) {
        let start = self.cells.len();
        self.cells.extend(nodes);
        self.bounds.push((start, (self.cells.len() - start) as u32));
        self.weights.push(weight);
    }

    /// The same transactions with equal rows made one, in the order in which they first appear.
    pub fn merged<'a>(rows: impl Iterator<Item = (&'a [Node], u64)>) -> Rows {
        let mut merged = Rows::default();
        let hasher = RandomState::default();
        let mut index: HashTable<u32> = HashTable::new();
        for (nodes, weight) in rows {
            let hash = hasher.hash_one(nodes);
            let same = |row: &u32| merged.nodes(*row) == nodes;
            if let Some(row) = index.find(hash, same).copied() {
                merged.weights[row as usize] += weight;
                continue;
            }
            let row = merged.len() as u32;
            merged.push(nodes.iter().copied(), weight);
            index.insert_unique(hash, row, |row| hasher.hash_one(merged.nodes(*row)));
        }
        merged
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The nodes of a row, ascending.
    pub fn nodes(&self, row: u32) -> &[Node] {
        let (start, length) = self.bounds[row as usize];
        &self.cells[start..start + length as usize]
    }

    /// How often a row occurs.
    pub fn weight(&self, row: u32) -> u64 {
        self.weights[row as usize]
    }

    /// All rows with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[Node], u64)> {
        (0..self.len() as u32).map(|row| (self.nodes(row), self.weight(row)))
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

    /// Every row, with all its nodes of interest.
    pub fn all(&self) -> Vec<Held> {
        (0..self.len() as u32).map(|row| self.held(row)).collect()
    }

    /// A row, with all its nodes of interest.
    pub fn held(&self, row: u32) -> Held {
        Held { row, upto: self.bounds[row as usize].1 }
    }
}

/// A set of nodes with everything above them, ascending.
pub fn with_ancestors(tree: &ItemTree, nodes: &[Node]) -> Vec<Node> {
    let mut all: Vec<Node> =
        nodes.iter().flat_map(|node| std::iter::once(*node).chain(tree.ancestors(*node))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A row that holds a set, and how many of its nodes could still extend the set.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The row.
    pub row: u32,
    /// The nodes before this position are smaller than all of the set.
    pub upto: u32,
}

/// A node that extends a set, and the rows that hold both.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    /// The node.
    pub node: Node,
    /// How many transactions hold the extended set.
    pub support: u64,
    start: usize,
    end: usize,
}

/// The extensions of a set, in the order of their nodes.
#[derive(Debug, Default)]
pub struct Spread {
    branches: Vec<Branch>,
    held: Vec<Held>,
}

impl Spread {
    /// The extensions.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The rows of an extension.
    pub fn rows(&self, branch: &Branch) -> &[Held] {
        &self.held[branch.start..branch.end]
    }
}

/// Working memory for spreading; it can be used again and again.
#[derive(Debug)]
pub struct Spreader {
    support: Vec<u64>,
    /// How many rows; while rows are dealt out, where the next one goes.
    places: Vec<usize>,
    touched: Vec<Node>,
}

/// Marks a node whose rows are not wanted.
const UNWANTED: usize = usize::MAX;

impl Spreader {
    /// Memory for sets of nodes below `nodes`.
    pub fn new(nodes: usize) -> Spreader {
        Spreader { support: vec![0; nodes], places: vec![0; nodes], touched: Vec::new() }
    }

    fn count(&mut self, rows: &Rows, held: &[Held], may: impl Fn(Node) -> bool) {
        for Held { row, upto } in held {
            let weight = rows.weight(*row);
            for node in &rows.nodes(*row)[..*upto as usize] {
                if may(*node) {
                    let at = *node as usize;
                    if self.places[at] == 0 {
                        self.touched.push(*node);
                    }
                    self.places[at] += 1;
                    self.support[at] += weight;
                }
            }
        }
        self.touched.sort_unstable();
    }

    /// Tells, for every node that `may` extend the set which the rows hold, the support of the extended set.
    pub fn weigh(
        &mut self,
        rows: &Rows,
        held: &[Held],
        may: impl Fn(Node) -> bool,
        mut each: impl FnMut(Node, u64),
    ) {
        self.count(rows, held, may);
        for node in self.touched.drain(..) {
            let at = node as usize;
            self.places[at] = 0;
            each(node, std::mem::take(&mut self.support[at]));
        }
    }

    /// Deals the rows out to every node that `may` extend the set which they hold and whose support is `wanted`.
    pub fn spread(
        &mut self,
        rows: &Rows,
        held: &[Held],
        may: impl Fn(Node) -> bool,
        mut wanted: impl FnMut(Node, u64) -> bool,
        into: &mut Spread,
    ) {
        self.count(rows, held, may);
        into.branches.clear();
        let mut next = 0;
        for node in &self.touched {
            let at = *node as usize;
            let support = std::mem::take(&mut self.support[at]);
            let count = self.places[at];
            if wanted(*node, support) {
                into.branches.push(Branch { node: *node, support, start: next, end: next + count });
                self.places[at] = next + 1;
                next += count;
            } else {
                self.places[at] = UNWANTED;
            }
        }
        into.held.clear();
        into.held.resize(next, Held { row: 0, upto: 0 });
        if next > 0 {
            for Held { row, upto } in held {
                for (upto, node) in (0..*upto).zip(rows.nodes(*row)) {
                    // A place is one more than where the row goes: 0 says that the node may not extend the set.
                    let place = &mut self.places[*node as usize];
                    if *place != 0 && *place != UNWANTED {
                        into.held[*place - 1] = Held { row: *row, upto };
                        *place += 1;
                    }
                }
            }
        }
        for node in self.touched.drain(..) {
            self.places[node as usize] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_dealt_out_to_what_they_hold() {
        let mut rows = Rows::default();
        rows.push([0, 2, 3], 2);
        rows.push([0, 1, 3], 1);
        rows.push([2], 5);
        let mut spreader = Spreader::new(4);
        let mut spread = Spread::default();
        spreader.spread(&rows, &rows.all(), |node| node != 2, |_, support| support > 1, &mut spread);
        let branches: Vec<(Node, u64)> =
            spread.branches().iter().map(|branch| (branch.node, branch.support)).collect();
        assert_eq!(branches, [(0, 3), (3, 3)]);
        let last: Vec<Held> = spread.rows(&spread.branches()[1]).to_vec();
        let mut below = Vec::new();
        spreader.weigh(&rows, &last, |_| true, |node, support| below.push((node, support)));
        assert_eq!(below, [(0, 3), (1, 1), (2, 2)]);
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
        assert_eq!(with_ancestors(&tree, &[3, 4]), [0, 1, 3, 4]);
    }
}
