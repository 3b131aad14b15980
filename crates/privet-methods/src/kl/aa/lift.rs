//! The cut as it becomes coarser, and the cheapest way to make a rare set frequent.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hashbrown::HashSet;

use privet_core::{Error, Result};
use privet_engine::baskets::Baskets;
use privet_engine::itemset::rows::{NOBODY, Rows};
use privet_engine::loss::items::ItemMeasure;
use privet_taxonomy::{ItemTree, Node};

/// How many ways to lift one set are compared before the search continues from the cheapest only.
const MOST_WAYS: usize = 4096;

/// A cut with the transactions as published under it.
pub(super) struct LiftedCut<'a> {
    pub(super) tree: &'a ItemTree,
    pub(super) rows: Rows,
    /// What is counted (transactions or people), for messages.
    counted: &'static str,
    inside: Vec<bool>,
    /// Per node of the cut, the rows that hold it, ascending.
    holders: Vec<Vec<u32>>,
    /// Per node at or above the cut, the cost of the cut below it.
    spent: Vec<u128>,
    /// Per node, its cost in a cut.
    price: Vec<u128>,
    /// Per node, how often items below it occur.
    occurrences: Vec<u64>,
}

/// A way to lift a set: its cost, and the node that replaces each member.
type Lift = (u128, Vec<Node>);

impl<'a> LiftedCut<'a> {
    /// The finest cut.
    pub(super) fn new(baskets: &'a Baskets, measure: ItemMeasure) -> LiftedCut<'a> {
        let tree = &*baskets.tree;
        let occurrences = baskets.occurrences();
        let price: Vec<u128> = occurrences
            .iter()
            .zip(tree.nodes())
            .map(|(count, node)| u128::from(*count) * u128::from(measure.weight(tree, node)))
            .collect();
        LiftedCut {
            tree,
            rows: Rows::of_items(baskets),
            counted: baskets.counted(),
            inside: tree.nodes().map(|node| tree.is_leaf(node)).collect(),
            holders: Vec::new(),
            spent: vec![0; tree.len()],
            price,
            occurrences,
        }
    }

    /// Merges equal rows.
    pub(super) fn merge_rows(&mut self) {
        self.rows = self.rows.merged_again();
        self.holders = vec![Vec::new(); self.tree.len()];
        for row in 0..self.rows.len() as u32 {
            for node in self.rows.nodes(row) {
                self.holders[*node as usize].push(row);
            }
        }
    }

    pub(super) fn longest_row(&self) -> usize {
        self.rows.iter().map(|(nodes, _)| nodes.len()).max().unwrap_or(0)
    }

    /// The nodes of the cut, in the order of the tree.
    pub(super) fn nodes(&self) -> Vec<Node> {
        self.tree.nodes().filter(|node| self.is_in(*node)).collect()
    }

    /// The nodes of the cut that transactions hold, in the order of the tree.
    pub(super) fn occurring(&self) -> VecDeque<Node> {
        self.tree.nodes().filter(|node| !self.holders[*node as usize].is_empty()).collect()
    }

    pub(super) fn is_in(&self, node: Node) -> bool {
        self.inside[node as usize]
    }

    /// The rows that hold a node of the cut.
    pub(super) fn holders(&self, node: Node) -> &[u32] {
        &self.holders[node as usize]
    }

    /// Replaces all nodes of the cut below a node with that node.
    pub(super) fn lift(&mut self, target: Node) {
        let below = target as usize..self.tree.end(target) as usize;
        let mut holders: Vec<u32> = self.holders[below.clone()].iter_mut().flat_map(std::mem::take).collect();
        holders.sort_unstable();
        holders.dedup();
        self.inside[below].fill(false);
        self.inside[target as usize] = true;
        for row in &holders {
            self.rows.lift(*row, self.tree, target);
        }
        self.holders[target as usize] = holders;
        let (before, after) = (self.spent[target as usize], self.price[target as usize]);
        self.spent[target as usize] = after;
        for above in self.tree.ancestors(target) {
            let spent = &mut self.spent[above as usize];
            *spent = *spent + after - before;
        }
    }

    /// The cheapest way to lift the nodes of a rare set so that at least `least` transactions hold it, as the nodes to
    /// lift to. Ways are tried in order of cost, one step of one node at a time.
    pub(super) fn cheapest_lift(&self, set: &[Node], least: u64) -> Result<Vec<Node>> {
        let mut waiting: BinaryHeap<Reverse<Lift>> = BinaryHeap::new();
        let mut seen: HashSet<Vec<Node>, foldhash::fast::RandomState> = HashSet::default();
        let mut first = set.to_vec();
        first.sort_unstable();
        waiting.push(Reverse((0, first)));
        let mut tried = 0;
        while let Some(Reverse((_, way))) = waiting.pop() {
            tried += 1;
            if self.is_frequent(&way, least) {
                return Ok(way.into_iter().filter(|node| !self.is_in(*node)).collect());
            }
            if tried > MOST_WAYS {
                waiting.clear();
            }
            for at in 0..way.len() {
                let Some(above) = self.tree.parent(way[at]) else { continue };
                let mut next: Vec<Node> =
                    way.iter().copied().filter(|node| !self.tree.contains(above, *node)).collect();
                next.push(above);
                next.sort_unstable();
                if !seen.contains(&next) {
                    waiting.push(Reverse((self.extra_cost(&next), next.clone())));
                    seen.insert(next);
                }
            }
        }
        let labels: Vec<&str> = set.iter().map(|node| self.tree.label(*node)).collect();
        Err(Error::infeasible(format!(
            "k is {least}, but fewer {} hold {} together, even when each is generalised to its root",
            self.counted,
            privet_core::shortened_values(&labels)
        ))
        .help(
            "lower k or m, give the trees a common root, or allow suppression with name = \"mm\" in [method]",
        ))
    }

    /// A minimal rare subset of a rare set.
    pub(super) fn smallest_rare(&self, mut set: Vec<Node>, least: u64) -> Vec<Node> {
        for at in (0..set.len()).rev() {
            let node = set.remove(at);
            if self.is_frequent(&set, least) {
                set.insert(at, node);
            }
        }
        set
    }

    fn extra_cost(&self, way: &[Node]) -> u128 {
        way.iter().map(|node| self.price[*node as usize] - self.spent[*node as usize]).sum()
    }

    /// Whether at least `least` transactions or people hold all of some nodes at or above the cut.
    pub(super) fn is_frequent(&self, nodes: &[Node], least: u64) -> bool {
        // The rarest node fails soonest.
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable_by_key(|node| self.occurrences[*node as usize]);
        let Some((rarest, others)) = nodes.split_first() else { return true };
        let rarest = *rarest;
        let mut support = 0;
        // An owner's rows may hold different nodes below the rarest.
        let mut counted: HashSet<u32, foldhash::fast::RandomState> = HashSet::default();
        for below in rarest..self.tree.end(rarest) {
            for row in &self.holders[below as usize] {
                // A row that holds several nodes below the rarest is counted with the first of them.
                let first = self.rows.first_below(*row, self.tree, rarest) == Some(below);
                if first && others.iter().all(|node| self.rows.holds(*row, self.tree, *node)) {
                    let owner = self.rows.owner(*row);
                    if owner != NOBODY && !counted.insert(owner) {
                        continue;
                    }
                    support += self.rows.weight(*row);
                    if support >= least {
                        return true;
                    }
                }
            }
        }
        false
    }
}
