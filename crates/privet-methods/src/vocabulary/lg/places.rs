//! The bags as LG sees them: the leaves of the tree that each touches, with counts.

use std::borrow::Cow;

use crate::vocabulary::Print;
use privet_core::Result;
use privet_data::{Bags, Term};
use privet_engine::local::Itemsets;
use privet_taxonomy::words::Distances;
use privet_taxonomy::{ItemTree, Node};

/// The positions of the terms of all bags in the tree.
pub(super) struct LeafPlaces<'a> {
    /// The tree, with an added leaf below every inner node that is a term itself.
    tree: Cow<'a, ItemTree>,
    /// The published form of each node.
    prints: Vec<Print>,
    ends: Vec<u32>,
    leaves: Vec<Node>,
    counts: Vec<u32>,
    /// The number of terms that are not in the tree.
    pub(super) unplaced_terms: u64,
    /// Their number of occurrences.
    pub(super) unplaced_occurrences: u64,
}

impl<'a> LeafPlaces<'a> {
    pub(super) fn of(bags: &Bags, distances: &Distances, tree: &'a ItemTree) -> Result<LeafPlaces<'a>> {
        let terms = bags.terms().len() as Term;
        let placed: Vec<Option<Node>> = (0..terms).map(|term| distances.place(term)).collect();
        let (tree, leaf_of, prints) = with_leaves(tree, &placed)?;
        let mut places = LeafPlaces {
            tree,
            prints,
            ends: Vec::with_capacity(bags.len()),
            leaves: Vec::new(),
            counts: Vec::new(),
            unplaced_terms: placed.iter().filter(|place| place.is_none()).count() as u64,
            unplaced_occurrences: 0,
        };
        let mut leaves: Vec<Node> = Vec::new();
        for bag in bags.iter() {
            leaves.clear();
            leaves.extend(bag.iter().filter_map(|term| leaf_of[*term as usize]));
            leaves.sort_unstable();
            places.unplaced_occurrences += (bag.len() - leaves.len()) as u64;
            for same in leaves.chunk_by(|one, other| one == other) {
                places.leaves.extend(same.first());
                places.counts.push(same.len() as u32);
            }
            places.ends.push(places.leaves.len() as u32);
        }
        Ok(places)
    }

    pub(super) fn tree(&self) -> &ItemTree {
        &self.tree
    }

    /// The published form of a node.
    pub(super) fn print(&self, node: Node) -> Print {
        self.prints[node as usize].clone()
    }

    fn range(&self, bag: u32) -> std::ops::Range<usize> {
        let begin = if bag == 0 { 0 } else { self.ends[bag as usize - 1] };
        begin as usize..self.ends[bag as usize] as usize
    }

    /// The leaves that a bag touches, ascending, with counts.
    pub(super) fn occurrences(&self, bag: u32) -> impl Iterator<Item = (Node, u32)> + '_ {
        let range = self.range(bag);
        self.leaves[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Per node, the number of people who used something below it; if users are unknown, every bag is a different
    /// person.
    pub(super) fn people(&self, bags: &Bags) -> Vec<u32> {
        let mut people = vec![0; self.tree.len()];
        let mut order: Vec<(u32, u32)> =
            (0..bags.len() as u32).map(|bag| (bags.user(bag as usize).unwrap_or(bag), bag)).collect();
        order.sort_unstable();
        let mut leaves = Vec::new();
        for same in order.chunk_by(|(one, _), (other, _)| one == other) {
            leaves.clear();
            for (_, bag) in same {
                leaves.extend_from_slice(self.items(*bag));
            }
            leaves.sort_unstable();
            for node in self.tree.with_ancestors(&leaves) {
                people[node as usize] += 1;
            }
        }
        people
    }
}

impl Itemsets for LeafPlaces<'_> {
    fn items(&self, row: u32) -> &[Node] {
        &self.leaves[self.range(row)]
    }
}

/// A tree, the leaf of each term, and the published form of each node.
type LeavedTree<'a> = (Cow<'a, ItemTree>, Vec<Option<Node>>, Vec<Print>);

/// A tree in which every term is a leaf: the tree itself, or one with an added leaf below every inner node that is a
/// term.
fn with_leaves<'a>(tree: &'a ItemTree, placed: &[Option<Node>]) -> Result<LeavedTree<'a>> {
    let mut term_at: Vec<Option<Term>> = vec![None; tree.len()];
    for (term, place) in (0..).zip(placed) {
        if let Some(node) = place {
            term_at[*node as usize] = Some(term);
        }
    }
    let is_inner = |node: &Node| !tree.is_leaf(*node) && term_at[*node as usize].is_some();
    if !tree.nodes().any(|node| is_inner(&node)) {
        let print = |node: Node| term_at[node as usize].map_or(Print::General(node), Print::Term);
        return Ok((Cow::Borrowed(tree), placed.to_vec(), tree.nodes().map(print).collect()));
    }
    // Existing labels are unchanged, so ties are broken as without the new leaves; the labels of those must be unique.
    let mut mark = "\u{1}".to_string();
    while tree.nodes().any(|node| tree.label(node).starts_with(&mark)) {
        mark.push('\u{1}');
    }
    let path = |node: Node| -> Vec<String> {
        std::iter::once(node).chain(tree.ancestors(node)).map(|node| tree.label(node).to_string()).collect()
    };
    let mut paths = Vec::new();
    for node in tree.nodes() {
        if tree.is_leaf(node) {
            paths.push(path(node));
        } else if is_inner(&node) {
            let mut below = path(node);
            below.insert(0, format!("{mark}{}", tree.label(node)));
            paths.push(below);
        }
    }
    let grown = ItemTree::from_paths(&paths)?;
    let mut leaf_of = vec![None; placed.len()];
    let mut prints = Vec::with_capacity(grown.len());
    for node in grown.nodes() {
        let label = grown.label(node);
        let old = tree.find(label.strip_prefix(&mark).unwrap_or(label));
        let term = old.and_then(|old| term_at[old as usize]).filter(|_| grown.is_leaf(node));
        if let Some(term) = term {
            leaf_of[term as usize] = Some(node);
        }
        prints.push(match (term, old) {
            (Some(term), _) => Print::Term(term),
            (None, old) => Print::General(old.unwrap_or_default()),
        });
    }
    Ok((Cow::Owned(grown), leaf_of, prints))
}
