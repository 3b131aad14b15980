//! The trees of items with what is published, in pieces that can be looked at.

use super::super::Edition;
use super::super::block::Chart;
use super::super::gate::Datum;
use super::super::model::{TaxonomyDrawing, TaxonomyNode};
use super::super::transactions::TransactionReport;
use super::columns::{LabelHead, taxonomy};

/// More trees than this are not drawn.
const MOST_TREES: usize = 8;
/// A tree of at most this many nodes is drawn in one piece.
const ONE_PIECE: usize = 24;

/// The trees in pieces that can be looked at, the most frequent first, and what is said about those that are not drawn.
pub(super) fn trees(model: &TransactionReport, edition: Edition) -> (Vec<Chart>, Datum) {
    let forest = Forest::new(&model.tree.nodes, edition);
    let tops = forest.pieces();
    let left = tops.len().saturating_sub(MOST_TREES);
    let charts = tops.iter().take(MOST_TREES).map(|top| {
        let piece = forest.piece(*top);
        let name = piece.nodes.first().map(|node| Datum::named(&node.label)).unwrap_or_default();
        let heads = match edition.key() {
            Some(key) => vec![LabelHead::Level, LabelHead::Original(key), LabelHead::Release],
            None => vec![LabelHead::Release],
        };
        let title = Datum::say("Items below {}, with what is published", [name.clone()]);
        taxonomy((name, Datum::default()), &title, &piece, &heads, edition)
    });
    let charts = charts.collect();
    let undrawn = match edition.key() {
        Some(key) => {
            let undrawn = *model.undrawn.see(key);
            let trees =
                (left > 0).then(|| Datum::say("{} more trees are not drawn.", [key.count(left as u64)]));
            let nodes = (undrawn > 0).then(|| {
                let words = "The {} least frequent nodes are left out of the drawing.";
                Datum::say(words, [key.count(undrawn)])
            });
            Datum::join(trees.into_iter().chain(nodes), " ")
        }
        None if left > 0 => "Less frequent items are not drawn.".into(),
        None => Datum::default(),
    };
    (charts, undrawn)
}

/// The nodes with their children, those that an edition may show, the most frequent first.
struct Forest<'a> {
    nodes: &'a [TaxonomyNode],
    children: Vec<Vec<usize>>,
    tops: Vec<usize>,
}

impl<'a> Forest<'a> {
    fn new(nodes: &'a [TaxonomyNode], edition: Edition) -> Forest<'a> {
        // How often the release shows a node or something below: all that may rank nodes in public.
        let mut released: Vec<u64> =
            nodes.iter().map(|node| if node.in_cut { node.released } else { 0 }).collect();
        for at in (0..nodes.len()).rev() {
            if let Some(parent) = nodes[at].parent.filter(|parent| *parent < at) {
                released[parent] = released[parent].saturating_add(released[at]);
            }
        }
        let rank = |at: &usize| {
            std::cmp::Reverse(edition.key().map_or(released[*at], |key| *nodes[*at].records.see(key)))
        };
        let mut children = vec![Vec::new(); nodes.len()];
        let mut tops = Vec::new();
        for at in (0..nodes.len()).filter(|at| edition.is_steward() || released[*at] > 0) {
            match nodes[at].parent.filter(|parent| *parent < at) {
                Some(parent) => children[parent].push(at),
                None => tops.push(at),
            }
        }
        children.iter_mut().for_each(|list: &mut Vec<usize>| list.sort_by_key(rank));
        tops.sort_by_key(rank);
        Forest { nodes, children, tops }
    }

    /// Where pieces begin: at the roots, or below a single root that is too large for one piece and not published.
    fn pieces(&self) -> Vec<usize> {
        let mut tops = self.tops.clone();
        while let [only] = tops.as_slice() {
            let children = &self.children[*only];
            if self.nodes[*only].in_cut || children.is_empty() || self.nodes.len() <= ONE_PIECE {
                break;
            }
            tops = children.clone();
        }
        tops
    }

    /// A node with all that is below it.
    fn piece(&self, top: usize) -> TaxonomyDrawing {
        let mut nodes: Vec<TaxonomyNode> = Vec::new();
        let mut open = vec![(top, None)];
        while let Some((at, parent)) = open.pop() {
            open.extend(self.children[at].iter().rev().map(|child| (*child, Some(nodes.len()))));
            nodes.push(TaxonomyNode { parent, ..self.nodes[at].clone() });
        }
        TaxonomyDrawing { nodes }
    }
}
