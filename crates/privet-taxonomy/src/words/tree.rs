//! Distances in a tree: the number of edges between two nodes.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::neighbours::{Neighbours, check_entries, entry, may_be_too_many};
use crate::{ItemTree, Node};
use privet_core::Result;
use privet_data::Term;

/// More nodes on the ways from all terms to their roots are not written down: the tree is a chain rather than a tree.
const MOST_ON_PATHS: usize = 1 << 24;

/// The terms of the data in a tree.
#[derive(Debug, Clone)]
pub(super) struct TreeDistances {
    /// None if it would have no node.
    tree: Option<Arc<ItemTree>>,
    places: Vec<Option<Node>>,
    paths: Option<RootPaths>,
    diameter: u32,
}

/// For every term the nodes from its root down to itself: what two terms share of these is what they have in common.
#[derive(Debug, Clone)]
struct RootPaths {
    ends: Vec<u32>,
    nodes: Vec<Node>,
}

impl TreeDistances {
    pub(super) fn new(tree: Arc<ItemTree>, terms: &[String]) -> TreeDistances {
        let places: Vec<Option<Node>> = terms.iter().map(|term| tree.find(term)).collect();
        let (paths, diameter) = (RootPaths::of(&tree, &places), diameter(&tree));
        TreeDistances { tree: Some(tree), places, paths, diameter }
    }

    /// This many terms, none in a tree.
    pub(super) fn none(terms: usize) -> TreeDistances {
        TreeDistances { tree: None, places: vec![None; terms], paths: None, diameter: 0 }
    }

    pub(super) fn tree(&self) -> Option<&Arc<ItemTree>> {
        self.tree.as_ref()
    }

    pub(super) fn place(&self, term: Term) -> Option<Node> {
        self.places[term as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn diameter(&self) -> u32 {
        self.diameter
    }

    #[inline]
    pub(super) fn of(&self, one: Term, other: Term) -> Option<u32> {
        match &self.paths {
            Some(paths) => paths.distance(one, other),
            None => self.tree.as_ref()?.distance(self.place(one)?, self.place(other)?),
        }
    }

    #[inline]
    pub(super) fn within(&self, one: Term, other: Term, reach: u32) -> Option<u32> {
        match &self.paths {
            Some(paths) => paths.within(one, other, reach),
            None => self.of(one, other).filter(|distance| *distance <= reach),
        }
    }

    pub(super) fn neighbours(&self, epsilon: u32) -> Result<Neighbours> {
        let reach = epsilon.min(self.diameter);
        let Some(tree) = &self.tree else {
            return Neighbours::gather(
                (epsilon, 0),
                self.len(),
                || (),
                |(), term, row| row.push(entry(0, term)),
            );
        };
        let order = Preorder::of(tree, &self.places);
        let by_level = order.has_few_pieces(reach);
        if by_level && may_be_too_many(order.all.nodes.len()) {
            let placed = self.places.par_iter().flatten();
            let near = |node: &Node| {
                let mut near = 0;
                order.levels_near(tree, *node, reach, &mut |_, (_, piece)| near += piece.len() as u64);
                near
            };
            check_entries(placed.map(near).sum())?;
        }
        let gather = |(): &mut (), term: Term, row: &mut Vec<u64>| match self.place(term) {
            None => row.push(entry(0, term)),
            Some(node) if by_level => {
                order.levels_near(tree, node, reach, &mut |distance, (depth, piece)| {
                    row.extend(order.levels[depth].terms[piece].iter().map(|term| entry(distance, *term)));
                })
            }
            Some(node) => order.all_near(tree, node, reach, row),
        };
        Neighbours::gather((epsilon, reach), self.len(), || (), gather)
    }

    pub(super) fn by_depth(&self, epsilon: u32) -> Option<ByDepth<'_>> {
        let tree = self.tree.as_ref()?;
        let reach = epsilon.min(self.diameter);
        let pieces = Preorder::of(tree, &self.places);
        if reach > u16::MAX.into() || !pieces.has_few_pieces(reach) {
            return None;
        }
        let outside = (0..).zip(&self.places).filter(|(_, place)| place.is_none()).map(|(term, _)| term);
        let mut order: Vec<Term> = outside.collect();
        let outside = order.len();
        let mut begins = Vec::with_capacity(pieces.levels.len());
        for level in &pieces.levels {
            begins.push(order.len());
            order.extend_from_slice(&level.terms);
        }
        Some(ByDepth { tree, places: &self.places, reach, pieces, outside, begins, order })
    }
}

/// The terms in the order of depth, and of preorder within it, in which those near a term are a few runs: some levels below
/// each of its ancestors. Terms that are in no tree come first.
///
/// ```
/// use std::sync::Arc;
/// use privet_taxonomy::ItemTree;
/// use privet_taxonomy::words::Semantics;
/// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
/// let paths = ["wine;alcohol;goods", "beer;alcohol;goods", "boots;goods", "milk;edibles;goods"].map(path);
/// let terms = ["beer", "boots", "milk", "tea", "wine"].map(String::from);
/// let distances = Semantics::Tree(Arc::new(ItemTree::from_paths(&paths)?)).between(&terms);
/// let order = distances.by_depth(2).ok_or("few pieces").unwrap();
/// assert_eq!(order.order(), [3, 1, 4, 0, 2]);
/// assert_eq!(order.near(0), [(0, 3..4), (2, 2..3)]);
/// # Ok::<(), privet_core::Error>(())
/// ```
pub struct ByDepth<'a> {
    tree: &'a ItemTree,
    places: &'a [Option<Node>],
    reach: u32,
    pieces: Preorder,
    /// How many terms are in no tree.
    outside: usize,
    /// Where the terms of each depth begin.
    begins: Vec<usize>,
    order: Vec<Term>,
}

impl ByDepth<'_> {
    /// The terms in this order.
    pub fn order(&self) -> &[Term] {
        &self.order
    }

    /// Where the terms within reach of a term stand, itself included: distances and the runs that are so far, ascending.
    pub fn near(&self, term: Term) -> Vec<(u32, Range<usize>)> {
        let Some(node) = self.places[term as usize] else {
            let at = self.order[..self.outside].partition_point(|other| *other < term);
            return vec![(0, at..at + 1)];
        };
        let mut near: Vec<(u32, Range<usize>)> = Vec::new();
        self.pieces.levels_near(self.tree, node, self.reach, &mut |distance, (depth, piece)| {
            let begin = self.begins[depth];
            if !piece.is_empty() {
                near.push((distance, begin + piece.start..begin + piece.end));
            }
        });
        near.sort_unstable_by_key(|(distance, run)| (*distance, run.start));
        near.dedup_by(|next, last| {
            let joins = next.0 == last.0 && next.1.start == last.1.end;
            if joins {
                last.1.end = next.1.end;
            }
            joins
        });
        near
    }
}

impl RootPaths {
    fn of(tree: &ItemTree, places: &[Option<Node>]) -> Option<RootPaths> {
        let mut paths = RootPaths { ends: Vec::with_capacity(places.len()), nodes: Vec::new() };
        for place in places {
            if let Some(node) = *place {
                let begin = paths.nodes.len();
                if begin + tree.depth(node) as usize >= MOST_ON_PATHS {
                    return None;
                }
                paths.nodes.push(node);
                paths.nodes.extend(tree.ancestors(node));
                paths.nodes[begin..].reverse();
            }
            paths.ends.push(paths.nodes.len() as u32);
        }
        Some(paths)
    }

    /// The path of a term; empty if it is in no tree.
    #[inline]
    fn of_term(&self, term: Term) -> &[Node] {
        let term = term as usize;
        let begin = if term == 0 { 0 } else { self.ends[term - 1] };
        &self.nodes[begin as usize..self.ends[term] as usize]
    }

    #[inline]
    fn distance(&self, one: Term, other: Term) -> Option<u32> {
        let (one, other) = (self.of_term(one), self.of_term(other));
        let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        (common > 0).then(|| (one.len() + other.len() - 2 * common) as u32)
    }

    /// Most terms are far apart, which shows in one place: paths that share a node share all nodes above it.
    #[inline]
    fn within(&self, one: Term, other: Term, reach: u32) -> Option<u32> {
        let (one, other) = (self.of_term(one), self.of_term(other));
        let both = one.len() + other.len();
        let least = both.saturating_sub(reach as usize).div_ceil(2).max(1);
        if one.get(least - 1)? != other.get(least - 1)? {
            return None;
        }
        let deeper = one[least..].iter().zip(&other[least..]).take_while(|(one, other)| one == other).count();
        Some((both - 2 * (least + deeper)) as u32)
    }
}

/// Terms by their nodes. Those below a node are one run, as the nodes are numbered in preorder.
#[derive(Default)]
struct Run {
    nodes: Vec<Node>,
    terms: Vec<Term>,
}

impl Run {
    /// Where the nodes of a subtree are.
    fn below(&self, tree: &ItemTree, node: Node) -> (usize, usize) {
        let begin = self.nodes.partition_point(|other| *other < node);
        let end = tree.end(node);
        (begin, begin + self.nodes[begin..].partition_point(|other| *other < end))
    }
}

/// All terms that are in the tree, and those of each depth.
struct Preorder {
    all: Run,
    levels: Vec<Run>,
}

impl Preorder {
    fn of(tree: &ItemTree, places: &[Option<Node>]) -> Preorder {
        let placed = (0..).zip(places).filter_map(|(term, place)| Some(((*place)?, term)));
        let mut placed: Vec<(Node, Term)> = placed.collect();
        placed.sort_unstable();
        let (mut all, mut levels) = (Run::default(), Vec::new());
        for (node, term) in placed {
            let depth = tree.depth(node) as usize;
            if levels.len() <= depth {
                levels.resize_with(depth + 1, Run::default);
            }
            for run in [&mut all, &mut levels[depth]] {
                run.nodes.push(node);
                run.terms.push(term);
            }
        }
        Preorder { all, levels }
    }

    /// For a short reach what is near a term is put together from few pieces of levels; for a long one there are more pieces
    /// than terms.
    fn has_few_pieces(&self, reach: u32) -> bool {
        let steps = (reach as usize).min(self.levels.len());
        steps * steps <= self.all.nodes.len()
    }

    /// Climbs from the node; what is `b` levels below an ancestor `a` steps up, and not below the one before, is at `a + b`.
    /// `each` gets such a distance, a depth and where the terms are among those of this depth.
    fn levels_near(
        &self,
        tree: &ItemTree,
        node: Node,
        reach: u32,
        each: &mut impl FnMut(u32, (usize, Range<usize>)),
    ) {
        let mut came_from = None;
        for (steps, above) in (0..=reach).zip(std::iter::once(node).chain(tree.ancestors(node))) {
            let depth = tree.depth(above) as usize;
            let levels = self.levels.iter().skip(depth);
            for ((down, at), level) in (0..=reach - steps).zip(depth..).zip(levels) {
                let (begin, end) = level.below(tree, above);
                let known = came_from.map_or((end, end), |child| level.below(tree, child));
                each(steps + down, (at, begin..known.0));
                each(steps + down, (at, known.1..end));
            }
            came_from = Some(above);
        }
    }

    /// Climbs from the node and looks at every term once.
    fn all_near(&self, tree: &ItemTree, node: Node, reach: u32, row: &mut Vec<u64>) {
        let mut known = None;
        for (steps, above) in (0..=reach).zip(std::iter::once(node).chain(tree.ancestors(node))) {
            let (begin, end) = self.all.below(tree, above);
            let (left, right) = known.unwrap_or((end, end));
            let depth = tree.depth(above);
            for place in (begin..left).chain(right..end) {
                let distance = steps + tree.depth(self.all.nodes[place]) - depth;
                if distance <= reach {
                    row.push(entry(distance, self.all.terms[place]));
                }
            }
            known = Some((begin, end));
        }
    }
}

/// The longest way between two nodes of one tree.
fn diameter(tree: &ItemTree) -> u32 {
    let mut height = vec![0; tree.len()];
    let mut longest = 0;
    // Children come before their parents: the ways through a node join the two highest of its subtrees.
    for node in tree.nodes().rev() {
        if let Some(parent) = tree.parent(node) {
            let reached = height[node as usize] + 1;
            let highest: &mut u32 = &mut height[parent as usize];
            longest = longest.max(*highest + reached);
            *highest = reached.max(*highest);
        }
    }
    longest
}
