//! KL(m,n)-privacy by brute force: every cut, every itemset, every transaction, nothing shared with the searches.

use std::collections::BTreeSet;

use crate::baskets::Baskets;
use crate::loss::items::ItemMeasure;
use crate::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node};

/// A cut: its nodes, ascending.
pub type NodeCut = Vec<Node>;

/// What an adversary knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Itemset {
    /// Nodes that the transaction holds, ascending.
    pub present: Vec<Node>,
    /// Nodes that it does not hold, ascending.
    pub absent: Vec<Node>,
}

/// Every cut through a forest.
pub fn all_cuts(tree: &ItemTree) -> Vec<NodeCut> {
    fn below(tree: &ItemTree, node: Node) -> Vec<NodeCut> {
        let mut cuts = vec![vec![node]];
        if !tree.is_leaf(node) {
            cuts.extend(product(tree.children(node).map(|child| below(tree, child))));
        }
        cuts
    }
    product(tree.roots().map(|root| below(tree, root)))
}

fn product(parts: impl Iterator<Item = Vec<NodeCut>>) -> Vec<NodeCut> {
    parts.fold(vec![Vec::new()], |all, part| {
        all.iter()
            .flat_map(|front| part.iter().map(move |back| front.iter().chain(back).copied().collect()))
            .collect()
    })
}

/// Per node, whether it is in the cut or above it.
pub fn visible(tree: &ItemTree, cut: &[Node]) -> Vec<bool> {
    tree.nodes().map(|node| cut.iter().any(|shown| tree.contains(node, *shown))).collect()
}

/// Whether a transaction with these items holds a node.
fn holds(tree: &ItemTree, items: &[Node], node: Node) -> bool {
    items.iter().any(|item| tree.contains(node, *item))
}

/// How many transactions are one of these baskets, or how many people have one, where the data say whose they are.
pub fn heads(baskets: &Baskets, among: &[usize]) -> u64 {
    let Some(people) = baskets.people() else {
        return among.iter().map(|basket| baskets.count(*basket)).sum();
    };
    let several: BTreeSet<u32> =
        among.iter().flat_map(|basket| people.named(*basket).iter().copied()).collect();
    among.iter().map(|basket| people.single(*basket)).sum::<u64>() + several.len() as u64
}

/// All threats over visible nodes. Itemsets may hold related nodes: only those without support are left out.
pub fn threats(baskets: &Baskets, privacy: &KlPrivacy, visible: &[bool]) -> Vec<Itemset> {
    let tree = &baskets.tree;
    let all: Vec<usize> = (0..baskets.len()).collect();
    let mut found = Vec::new();
    // Itemsets over the first nodes, with the baskets that support them.
    let mut waiting = vec![(0, Itemset { present: Vec::new(), absent: Vec::new() }, all)];
    while let Some((node, itemset, fitting)) = waiting.pop() {
        if fitting.is_empty() {
            continue;
        }
        if node as usize == tree.len() {
            let counts = (0..baskets.sensitive.len() as u32).map(|mark| {
                let marked = fitting.iter().copied().filter(|basket| baskets.marks(*basket).contains(&mark));
                (mark, heads(baskets, &marked.collect::<Vec<_>>()))
            });
            if privacy.is_threat(heads(baskets, &fitting), counts) {
                found.push(itemset);
            }
            continue;
        }
        if visible[node as usize] {
            let (with, without): (Vec<usize>, Vec<usize>) =
                fitting.iter().partition(|basket| holds(tree, baskets.items(**basket), node));
            let reach: u64 =
                itemset.absent.iter().chain([&node]).map(|node| u64::from(tree.leaves(*node))).sum();
            if (itemset.present.len() as u64) < privacy.m {
                let mut more = itemset.clone();
                more.present.push(node);
                waiting.push((node + 1, more, with));
            }
            if reach <= privacy.n {
                let mut more = itemset.clone();
                more.absent.push(node);
                waiting.push((node + 1, more, without));
            }
        }
        waiting.push((node + 1, itemset, fitting));
    }
    found
}

/// Whether the data generalised to a cut has no threat.
pub fn is_valid(baskets: &Baskets, privacy: &KlPrivacy, cut: &[Node]) -> bool {
    threats(baskets, privacy, &visible(&baskets.tree, cut)).is_empty()
}

/// A threat without its signs, and without nodes above other members: those are visible whenever the others are.
pub fn undecorated(tree: &ItemTree, threat: &Itemset) -> Vec<Node> {
    let nodes: BTreeSet<Node> = threat.present.iter().chain(&threat.absent).copied().collect();
    let lowest = |node: &&Node| !nodes.iter().any(|other| other != *node && tree.contains(**node, *other));
    nodes.iter().filter(lowest).copied().collect()
}

/// Whether each member of one itemset is a member of the other or above one.
pub fn generalises(tree: &ItemTree, general: &[Node], special: &[Node]) -> bool {
    general.iter().all(|above| special.iter().any(|below| tree.contains(*above, *below)))
}

/// The undecorated threats that no other one generalises.
pub fn most_general_threats(baskets: &Baskets, privacy: &KlPrivacy) -> BTreeSet<Vec<Node>> {
    let tree = &baskets.tree;
    let found = threats(baskets, privacy, &vec![true; tree.len()]);
    let all: BTreeSet<Vec<Node>> = found.iter().map(|threat| undecorated(tree, threat)).collect();
    let minimal =
        |threat: &&Vec<Node>| !all.iter().any(|other| other != *threat && generalises(tree, other, threat));
    all.iter().filter(minimal).cloned().collect()
}

/// What a cut costs: per occurrence of an item, what its node in the cut weighs.
pub fn cost(baskets: &Baskets, cut: &[Node], measure: ItemMeasure) -> u128 {
    let tree = &baskets.tree;
    let weight = |item: Node| {
        let shown = cut.iter().find(|node| tree.contains(**node, item)).expect("each item is covered");
        let leaves = (*shown..tree.end(*shown)).filter(|node| tree.is_leaf(*node)).count() as u128;
        match measure {
            ItemMeasure::Lm => leaves - 1,
            ItemMeasure::Ncp if leaves == 1 => 0,
            ItemMeasure::Ncp => leaves,
        }
    };
    let basket = |at: usize| {
        u128::from(baskets.count(at)) * baskets.items(at).iter().map(|item| weight(*item)).sum::<u128>()
    };
    (0..baskets.len()).map(basket).sum()
}

/// The least cost of a valid cut, and the valid cuts that have it; `None` where no cut is valid.
pub fn optimum(
    baskets: &Baskets,
    requirements: &[KlPrivacy],
    measure: ItemMeasure,
) -> Option<(u128, Vec<NodeCut>)> {
    let valid = |cut: &NodeCut| requirements.iter().all(|privacy| is_valid(baskets, privacy, cut));
    let cuts = all_cuts(&baskets.tree).into_iter().filter(valid);
    let priced: Vec<(u128, NodeCut)> = cuts.map(|cut| (cost(baskets, &cut, measure), cut)).collect();
    let least = priced.iter().map(|(cost, _)| *cost).min()?;
    Some((least, priced.into_iter().filter(|(cost, _)| *cost == least).map(|(_, cut)| cut).collect()))
}
