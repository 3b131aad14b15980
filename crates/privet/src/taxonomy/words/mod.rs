//! Word networks: how far the meanings of two terms are apart.
//!
//! Whatever the source, methods see only [`Distances`] over the numbered terms of the data, and the [`Neighbours`] that lie
//! within reach of each term.

mod neighbours;

use std::sync::Arc;

pub use neighbours::Neighbours;

use super::{ItemTree, Node};
use crate::data::Term;

/// Where distances between words come from, before any data is seen.
#[derive(Debug, Clone)]
pub enum Semantics {
    /// The number of edges between two nodes of a tree; words in different trees have nothing to do with each other.
    Tree(Arc<ItemTree>),
}

/// Distances between the terms of some data, by their numbers: 0 for a term and itself only, and symmetric. The triangle
/// inequality does not hold for every source.
#[derive(Debug, Clone)]
pub struct Distances {
    tree: Arc<ItemTree>,
    /// Where each term is in the tree; `None` for a term that the tree does not have, which is near nothing but itself.
    places: Vec<Option<Node>>,
}

impl Semantics {
    /// The distances between these terms.
    pub fn between(&self, terms: &[String]) -> Distances {
        let Semantics::Tree(tree) = self;
        let places = terms.iter().map(|term| tree.find(term)).collect();
        Distances { tree: tree.clone(), places }
    }
}

impl Distances {
    /// How far two terms are apart; `None` if they have nothing to do with each other.
    pub fn of(&self, one: Term, other: Term) -> Option<u32> {
        if one == other {
            return Some(0);
        }
        let (one, other) = (self.places[one as usize]?, self.places[other as usize]?);
        self.tree.distance(one, other)
    }

    /// The tree behind the distances, where there is one.
    pub fn tree(&self) -> Option<&Arc<ItemTree>> {
        Some(&self.tree)
    }

    /// Where a term is in the tree.
    pub fn place(&self, term: Term) -> Option<Node> {
        self.places[term as usize]
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// All terms within `epsilon` of each term.
    pub fn neighbours(&self, epsilon: u32) -> Neighbours {
        let rows = (0..self.len() as Term).map(|term| {
            let near = |other| Some((self.of(term, other)?, other)).filter(|(far, _)| *far <= epsilon);
            (0..self.len() as Term).filter_map(near).collect()
        });
        Neighbours::of(epsilon, rows)
    }
}
