//! The cut of the tree of items for some classes.
//!
//! Every class is a *block*: its records hold sets of items, and supports are counted block by block. The search starts with
//! the roots. Of the nodes that are shown it takes the one that loses most and shows its children instead, if every set of at
//! most m shown nodes that occurs in a block then still has the support that is asked for. Only sets with one of the children
//! are new, so only these are counted. Where some fail and the limit allows it, the children that fail most for their number
//! of occurrences are removed from all sets, as long as that gains more than it loses. The result is *locally optimal*: no
//! shown node can be replaced by its children.
//!
//! Why it is right: at every step all sets of shown nodes meet what is asked for. Without sensitive items a node that cannot be
//! replaced once cannot be replaced later either, because the other nodes only become finer and supports smaller.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use hashbrown::HashMap;

use super::{allowance, price};
use privet_core::Exact;
use privet_engine::privacy::ItemCells;
use privet_engine::privacy::item_sets::{ItemDemand, each_subset};
use privet_taxonomy::{ItemTree, Node};

/// Some records of a block that hold the same items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub block: u32,
    pub cell: u32,
    pub count: u64,
}

/// What is shown of each item that occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemCut {
    /// Per leaf that occurs, the node that is shown; `None` where the item is removed.
    shown: BTreeMap<Node, Option<Node>>,
    /// Per leaf, how often it occurs.
    counts: BTreeMap<Node, u64>,
    /// How often items occur.
    pub occurrences: u64,
}

impl ItemCut {
    /// The node that stands for a leaf.
    pub fn shown(&self, leaf: Node) -> Option<Node> {
        self.shown.get(&leaf).copied().flatten()
    }

    /// What all occurrences lose, each at most 1.
    pub fn loss(&self, tree: &ItemTree) -> f64 {
        let lost = |(leaf, count): (&Node, &u64)| {
            *count as f64 * self.shown(*leaf).map_or(1.0, |node| price(tree, node))
        };
        self.counts.iter().map(lost).sum()
    }
}

/// The sets of nodes that occur in a block, as keys.
type Known = (u32, Vec<Node>);

/// How many records hold a set, and how many of these each sensitive item.
#[derive(Default)]
struct Support {
    records: u64,
    secrets: BTreeMap<u32, u64>,
}

/// The state of the search.
struct Search<'a> {
    items: &'a ItemCells,
    demand: &'a ItemDemand,
    members: Vec<Member>,
    /// The leaves that occur, each with a member that holds it, ascending.
    postings: Vec<(Node, u32)>,
    cut: ItemCut,
    /// How many occurrences may still be removed.
    left: u64,
}

/// The cut for some members; `None` where even the roots, without the items that may be removed, do not meet what is asked for.
pub(super) fn find(
    items: &ItemCells,
    demand: &ItemDemand,
    limit: Exact,
    members: Vec<Member>,
) -> Option<ItemCut> {
    let mut search = Search::of(items, demand, limit, members);
    let roots: Vec<Node> = items.tree.roots().collect();
    if !search.open(&roots) {
        return None;
    }
    let mut waiting: BinaryHeap<(u64, Reverse<Node>)> = BinaryHeap::new();
    let mut refused = Vec::new();
    roots.iter().for_each(|root| search.queue(*root, &mut waiting));
    loop {
        let mut changed = false;
        while let Some((_, Reverse(node))) = waiting.pop() {
            match search.replace(node) {
                true => {
                    changed = true;
                    let tree = &items.tree;
                    tree.children(node).for_each(|child| search.queue(child, &mut waiting));
                }
                false => refused.push(node),
            }
        }
        // What is removed, or how often a sensitive item goes with what is shown, may let a node be replaced after all.
        if !changed || (search.items.sensitive.is_empty() && limit == Exact::ZERO) {
            return Some(search.cut);
        }
        for node in std::mem::take(&mut refused) {
            search.queue(node, &mut waiting);
        }
    }
}

impl<'a> Search<'a> {
    fn of(
        items: &'a ItemCells,
        demand: &'a ItemDemand,
        limit: Exact,
        mut members: Vec<Member>,
    ) -> Search<'a> {
        members.sort_unstable();
        members.dedup_by(|later, earlier| {
            let same = (later.block, later.cell) == (earlier.block, earlier.cell);
            if same {
                earlier.count += later.count;
            }
            same
        });
        let mut postings = Vec::new();
        let (mut counts, mut shown) = (BTreeMap::new(), BTreeMap::new());
        for (number, member) in (0u32..).zip(&members) {
            for leaf in items.leaves(member.cell) {
                postings.push((*leaf, number));
                *counts.entry(*leaf).or_insert(0) += member.count;
            }
        }
        postings.sort_unstable();
        for leaf in counts.keys() {
            let root = items.tree.ancestors(*leaf).last().unwrap_or(*leaf);
            shown.insert(*leaf, Some(root));
        }
        let occurrences = counts.values().sum();
        let cut = ItemCut { shown, counts, occurrences };
        Search { items, demand, members, postings, cut, left: allowance(limit, occurrences) }
    }

    /// What all occurrences below a node lose as long as it is shown, for the order of the search; nothing for a leaf.
    fn queue(&self, node: Node, waiting: &mut BinaryHeap<(u64, Reverse<Node>)>) {
        let tree = &self.items.tree;
        let count: u64 = self.below(node).map(|(_, count)| count).sum();
        if count > 0
            && !tree.is_leaf(node)
            && self.below(node).any(|(leaf, _)| self.cut.shown(leaf) == Some(node))
        {
            waiting.push((count * u64::from(tree.leaves(node) - 1), Reverse(node)));
        }
    }

    /// The leaves below a node that occur, with their numbers of occurrences.
    fn below(&self, node: Node) -> impl Iterator<Item = (Node, u64)> + '_ {
        let range = node..self.items.tree.end(node);
        self.cut.counts.range(range).map(|(leaf, count)| (*leaf, *count))
    }

    /// Whether the sets of roots are fine, after some roots were removed where they must be.
    fn open(&mut self, roots: &[Node]) -> bool {
        let everybody = 0..self.members.len() as u32;
        let supports = self.supports(everybody, &|leaf| self.cut.shown(leaf), &|_| true);
        let mut size: BTreeMap<u32, u64> = BTreeMap::new();
        self.members.iter().for_each(|member| *size.entry(member.block).or_default() += member.count);
        if size.values().any(|size| *size < self.demand.k) {
            return false;
        }
        let failing = self.failing(supports);
        match self.cover(failing, roots) {
            Some((removed, cost)) if cost <= self.left => {
                removed.iter().for_each(|node| self.remove(*node));
                true
            }
            _ => false,
        }
    }

    /// Shows a node's children instead of it, if what is asked for still holds; some children may be removed for that.
    fn replace(&mut self, node: Node) -> bool {
        let tree = &self.items.tree;
        if self.below(node).all(|(leaf, _)| self.cut.shown(leaf) != Some(node)) {
            return false;
        }
        let children: Vec<Node> =
            tree.children(node).filter(|child| self.below(*child).next().is_some()).collect();
        let child_of = |leaf: Node| children.iter().rev().find(|child| **child <= leaf).copied();
        let shown = |leaf: Node| match self.cut.shown(leaf) {
            Some(own) if own == node => child_of(leaf),
            other => other,
        };
        let range = node..tree.end(node);
        let from = self.postings.partition_point(|(leaf, _)| *leaf < range.start);
        let to = self.postings.partition_point(|(leaf, _)| *leaf < range.end);
        let mut holders: Vec<u32> = self.postings[from..to].iter().map(|(_, member)| *member).collect();
        holders.sort_unstable();
        holders.dedup();
        let is_new = |known: &[Node]| known.iter().any(|one| range.contains(one));
        let failing = self.failing(self.supports(holders.into_iter(), &shown, &is_new));
        let Some((removed, cost)) = self.cover(failing, &children) else { return false };
        if cost > self.left {
            return false;
        }
        let count = |one: Node| self.below(one).map(|(_, count)| count).sum::<u64>() as f64;
        let gain = |child: &Node| match removed.contains(child) {
            true => count(*child) * (price(tree, node) - 1.0),
            false => count(*child) * (price(tree, node) - price(tree, *child)),
        };
        if !removed.is_empty() && children.iter().map(gain).sum::<f64>() <= 0.0 {
            return false;
        }
        let leaves: Vec<(Node, Option<Node>)> =
            self.below(node).map(|(leaf, _)| (leaf, child_of(leaf))).collect();
        for (leaf, child) in leaves {
            self.cut.shown.insert(leaf, child);
        }
        removed.iter().for_each(|child| self.remove(*child));
        true
    }

    /// Removes all items below a node.
    fn remove(&mut self, node: Node) {
        let leaves: Vec<(Node, u64)> = self.below(node).collect();
        for (leaf, count) in leaves {
            self.cut.shown.insert(leaf, None);
            self.left -= count;
        }
    }

    /// The supports of all sets of at most m nodes that some members show and that are asked about.
    fn supports(
        &self,
        members: impl Iterator<Item = u32>,
        shown: &dyn Fn(Node) -> Option<Node>,
        asked: &dyn Fn(&[Node]) -> bool,
    ) -> HashMap<Known, Support> {
        let mut supports: HashMap<Known, Support> = HashMap::new();
        for member in members {
            let Member { block, cell, count } = self.members[member as usize];
            let mut nodes: Vec<Node> =
                self.items.leaves(cell).iter().filter_map(|leaf| shown(*leaf)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            each_subset(&nodes, self.demand.m, &mut |known| {
                if !asked(known) {
                    return;
                }
                let support = supports.entry((block, known.to_vec())).or_default();
                support.records += count;
                for secret in self.items.secrets(cell) {
                    *support.secrets.entry(*secret).or_default() += count;
                }
            });
        }
        supports
    }

    /// The sets that do not have what is asked for.
    fn failing(&self, supports: HashMap<Known, Support>) -> Vec<Vec<Node>> {
        let fails = |support: &Support| {
            let secrets = support.secrets.iter().map(|(secret, count)| (*secret, *count));
            !self.demand.allows(support.records, secrets)
        };
        let failing = supports.into_iter().filter(|(_, support)| fails(support));
        let mut failing: Vec<Vec<Node>> = failing.map(|((_, known), _)| known).collect();
        failing.sort_unstable();
        failing
    }

    /// Some of the nodes, so that every failing set has one, with the number of their occurrences: again and again the one with
    /// the fewest occurrences for each set that it takes away. `None` where a set has none of the nodes.
    fn cover(&self, mut failing: Vec<Vec<Node>>, nodes: &[Node]) -> Option<(Vec<Node>, u64)> {
        let (mut removed, mut cost) = (Vec::new(), 0);
        while !failing.is_empty() {
            let mut hits: BTreeMap<Node, u64> = BTreeMap::new();
            for known in &failing {
                known
                    .iter()
                    .filter(|one| nodes.contains(one))
                    .for_each(|one| *hits.entry(*one).or_default() += 1);
            }
            let count = |one: &Node| self.below(*one).map(|(_, count)| count).sum::<u64>();
            let best = hits.iter().min_by(|(one, hits), (other, others)| {
                (u128::from(count(one)) * u128::from(**others))
                    .cmp(&(u128::from(count(other)) * u128::from(**hits)))
            })?;
            let best = *best.0;
            if !failing.iter().all(|known| known.iter().any(|one| nodes.contains(one))) {
                return None;
            }
            cost += count(&best);
            removed.push(best);
            failing.retain(|known| !known.contains(&best));
        }
        Some((removed, cost))
    }
}
