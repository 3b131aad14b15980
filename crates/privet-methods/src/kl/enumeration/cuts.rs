//! Phase 2 of the thesis: the cut enumeration tree over the item tree (section 4.4.1).
//!
//! A cut realises a threat iff it specialises all nodes of the threat's [conflict](privet_engine::conflict), so
//! validity is tested on conflicts: the verdicts are those of Theorem 4.3, and there are far fewer conflicts than
//! threats.

use hashbrown::HashSet;

use super::CutSwitches;
use super::threats::KnownThreats;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::{Conflicts, between, cut_of};
use privet_engine::cut::enumeration::{Enumerable, Order, Techniques, enumerate};
use privet_engine::cut::{Amount, Cut, CutOutcome, Limits};
use privet_taxonomy::{ItemTree, Node};

/// The minimal conflicts of all known threats and locks.
pub fn conflicts(tree: &ItemTree, known: &KnownThreats) -> Conflicts<()> {
    let mut all: HashSet<Vec<Node>> = known.locked.iter().map(|node| vec![*node]).collect();
    all.extend(known.threats().map(|threat| between(tree, threat.iter().copied())));
    // Small ones first, because they cover most of the others.
    let mut all: Vec<Vec<Node>> = all.into_iter().collect();
    all.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    let mut conflicts = Conflicts::new(tree);
    for conflict in all {
        conflicts.insert(tree, conflict, ());
    }
    conflicts
}

/// A cut of the item tree with open and locked nodes.
struct ItemCut<'a> {
    tree: &'a ItemTree,
    prices: &'a [Amount],
    /// Nodes that are never specialised.
    is_final: Vec<bool>,
    specialised: Vec<bool>,
    /// Per node, the conflicts that it is in.
    conflicts_of: Vec<Vec<u32>>,
    /// Per conflict, how many of its nodes are not specialised.
    missing: Vec<usize>,
    /// The number of conflicts with none missing.
    realised: usize,
    first: Vec<Node>,
    cost: Amount,
    /// The cost of the locked nodes: all of them, and those already counted.
    locked: Amount,
    bound: Amount,
    /// The specialised nodes, each with the previous bound.
    steps: Vec<(Node, Amount)>,
}

impl<'a> ItemCut<'a> {
    fn new(
        tree: &'a ItemTree,
        prices: &'a [Amount],
        mut is_final: Vec<bool>,
        conflicts: &Conflicts<()>,
        reduced: bool,
    ) -> ItemCut<'a> {
        let mut conflicts_of = vec![Vec::new(); tree.len()];
        for (id, conflict) in (0..).zip(conflicts.iter()) {
            conflict.members.iter().for_each(|node| conflicts_of[*node as usize].push(id));
        }
        if reduced {
            tree.nodes()
                .filter(|node| conflicts.is_locked(*node))
                .for_each(|node| is_final[node as usize] = true);
        }
        let mut specialised = vec![false; tree.len()];
        let mut first = Vec::new();
        let mut waiting: Vec<Node> = tree.roots().collect();
        while let Some(node) = waiting.pop() {
            let is_free = !is_final[node as usize] && conflicts_of[node as usize].is_empty();
            if reduced && is_free {
                specialised[node as usize] = true;
                waiting.extend(tree.children(node));
            } else {
                first.push(node);
            }
        }
        let price = |nodes: &mut dyn Iterator<Item = &Node>| nodes.map(|node| prices[*node as usize]).sum();
        let locked: Amount = price(&mut first.iter().filter(|node| is_final[**node as usize]));
        ItemCut {
            tree,
            prices,
            conflicts_of,
            missing: conflicts.iter().map(|conflict| conflict.members.len()).collect(),
            realised: usize::from(conflicts.impossible().is_some()),
            cost: price(&mut first.iter()),
            first,
            is_final,
            specialised,
            locked,
            bound: locked,
            steps: Vec::new(),
        }
    }

    /// The costs of all children, and of those that are never specialised.
    fn below(&self, node: Node) -> (Amount, Amount) {
        let price = |child: Node| self.prices[child as usize];
        let children = || self.tree.children(node);
        let closed = children().filter(|child| self.is_final[*child as usize]);
        (children().map(price).sum(), closed.map(price).sum())
    }
}

impl Enumerable for ItemCut<'_> {
    type Value = Node;

    fn first(&self) -> Vec<Node> {
        self.first.iter().copied().filter(|node| !self.is_final[*node as usize]).collect()
    }

    fn open_children(&self, node: Node, open: &mut Vec<Node>) {
        open.extend(self.tree.children(node).filter(|child| !self.is_final[*child as usize]));
    }

    fn rank(&self, node: Node) -> u128 {
        self.prices[node as usize].unsigned_abs()
    }

    fn specialise(&mut self, node: Node) {
        self.specialised[node as usize] = true;
        for conflict in &self.conflicts_of[node as usize] {
            self.missing[*conflict as usize] -= 1;
            self.realised += usize::from(self.missing[*conflict as usize] == 0);
        }
        let (all, closed) = self.below(node);
        self.cost += all - self.prices[node as usize];
        self.locked += closed;
        self.steps.push((node, self.bound));
        self.bound = self.locked;
    }

    fn generalise(&mut self) {
        let Some((node, bound)) = self.steps.pop() else { return };
        self.specialised[node as usize] = false;
        for conflict in &self.conflicts_of[node as usize] {
            self.realised -= usize::from(self.missing[*conflict as usize] == 0);
            self.missing[*conflict as usize] += 1;
        }
        let (all, closed) = self.below(node);
        self.cost -= all - self.prices[node as usize];
        self.locked -= closed;
        self.bound = bound;
    }

    fn lock(&mut self, node: Node, tighten: bool) {
        self.locked += self.prices[node as usize];
        if tighten {
            self.bound = self.locked;
        }
    }

    fn changes(&self) -> usize {
        0
    }

    /// The bound needs no update: unlocking returns to an earlier cut, whose bound is restored.
    fn unlock(&mut self, nodes: &[Node], _: usize) {
        self.locked -= nodes.iter().map(|node| self.prices[*node as usize]).sum::<Amount>();
    }

    fn is_valid(&self) -> bool {
        self.realised == 0
    }

    fn cost(&self) -> Amount {
        self.cost
    }

    fn bound(&self) -> Amount {
        self.bound
    }

    fn cut(&self) -> Cut {
        Cut(vec![cut_of(self.tree, |node| self.specialised[node as usize])])
    }
}

/// Finds the cheapest cut that realises no conflict and does not go below the final nodes.
pub fn cheapest(
    tree: &ItemTree,
    prices: &[Amount],
    is_final: Vec<bool>,
    conflicts: &Conflicts<()>,
    switches: CutSwitches,
    clock: &Clock,
) -> Result<CutOutcome> {
    let order = if switches.ordered { Order::Descending } else { Order::Numbered };
    let techniques = Techniques { by_cost: switches.by_cost, order, tighten: switches.tightened };
    let mut cut = ItemCut::new(tree, prices, is_final, conflicts, switches.reduced);
    enumerate(&mut cut, techniques, &Limits::default(), clock)
}
