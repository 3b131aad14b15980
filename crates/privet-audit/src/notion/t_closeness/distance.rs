//! Distances between two distributions of a column, in whole numbers.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_integer::Integer;

use crate::classes::Histogram;
use privet_core::Exact;
use privet_taxonomy::Taxonomy;

pub enum Distance {
    Equal,
    /// The values of the original, in order.
    Ordered(Vec<usize>),
    /// The tree, and the node of each value's leaf.
    Hierarchical(DistanceTree),
}

/// What the hierarchical distance needs of a taxonomy, by the numbers of its nodes.
pub struct DistanceTree {
    /// The node of each value's leaf; 0 for a value that only the release has.
    pub leaf_of: Vec<usize>,
    /// The parent of each node; the root's is not used.
    pub parents: Vec<usize>,
    /// The height of each node.
    pub heights: Vec<u128>,
}

/// over / under, not reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    pub over: u128,
    pub under: u128,
}

impl DistanceTree {
    pub fn new(taxonomy: &Taxonomy, leaf_of: Vec<usize>) -> DistanceTree {
        let nodes = (0..taxonomy.len() as u32).map(privet_taxonomy::NodeId);
        let parents = nodes.clone().map(|node| taxonomy.parent(node).map_or(0, |parent| parent.0 as usize));
        let heights = nodes.map(|node| taxonomy.height(node) as u128);
        DistanceTree { leaf_of, parents: parents.collect(), heights: heights.collect() }
    }
}

impl DistanceTree {
    /// How much higher a node's parent is.
    pub fn rise(&self, node: usize) -> u128 {
        self.heights[self.parents[node]] - self.heights[node]
    }

    pub fn height(&self) -> u128 {
        self.heights.first().copied().unwrap_or(0)
    }
}

/// Values that the class lacks are too few by all that the whole has of them.
pub fn equal(class: &Histogram, table: &[u64], records: u64) -> Ratio {
    let (size, whole) = (u128::from(class.size), u128::from(records));
    let (mut over, mut others) = (0, whole);
    for (value, count) in &class.counts {
        let expected = u128::from(table[*value as usize]);
        over += (u128::from(*count) * whole).abs_diff(expected * size);
        others -= expected;
    }
    Ratio { over: over + others * size, under: 2 * whole * size }
}

pub fn ordered(extras: &[i128], order: &[usize], all: u128) -> Ratio {
    let mut running = 0;
    let mut over = 0;
    for value in order {
        running += extras[*value];
        over += running.unsigned_abs();
    }
    // A single value has nowhere to move: `over` is 0 then.
    Ratio { over, under: (order.len().max(2) as u128 - 1) * all }
}

pub fn hierarchical(extras: &[i128], tree: &DistanceTree, all: u128) -> Ratio {
    let nodes = tree.parents.len();
    let mut extra_of = vec![0i128; nodes];
    for (extra, leaf) in extras.iter().zip(&tree.leaf_of) {
        extra_of[*leaf] += extra;
    }
    let mut positive = vec![0u128; nodes];
    let mut negative = vec![0u128; nodes];
    // Children come after their parents, so going backwards every subtree is complete when it is added to its parent.
    for node in (1..nodes).rev() {
        let (parent, extra) = (tree.parents[node], extra_of[node]);
        extra_of[parent] += extra;
        match extra.cmp(&0) {
            Ordering::Greater => positive[parent] += extra.unsigned_abs(),
            Ordering::Less => negative[parent] += extra.unsigned_abs(),
            Ordering::Equal => {}
        }
    }
    let moved = (0..nodes).map(|node| tree.heights[node] * positive[node].min(negative[node])).sum();
    let height = tree.heights.first().copied().unwrap_or(0);
    Ratio { over: moved, under: height.max(1) * all }
}

impl Ratio {
    pub fn at_most(self, bound: Exact) -> bool {
        BigUint::from(self.over) * bound.denominator() <= BigUint::from(self.under) * bound.numerator()
    }

    pub fn to_f64(self) -> f64 {
        self.over as f64 / self.under.max(1) as f64
    }

    /// The decimal, and the fraction itself where it is short enough to be read.
    pub fn in_words(self) -> String {
        let divisor = self.over.gcd(&self.under).max(1);
        let (over, under) = (self.over / divisor, self.under / divisor);
        let decimal = self.to_f64();
        if under < 1_000_000_000 { format!("{over}/{under} ({decimal:.6})") } else { format!("{decimal:.6}") }
    }
}
