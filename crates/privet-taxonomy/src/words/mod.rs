//! Word networks: how far the meanings of two terms are apart, and which words there are.
//!
//! Whatever the source, methods see only [`Distances`] over the numbered terms of the data, and the [`Neighbours`] that lie
//! within reach of each term. Distances are whole numbers, so that every comparison is exact: a source with decimals counts
//! in units of `1 / scale`.

mod dictionary;
mod morphology;
mod neighbours;
mod network;
mod pairs;
#[cfg(test)]
mod query_log_tests;
#[cfg(test)]
mod tests;
mod tree;
mod wordnet;

use std::path::Path;
use std::sync::Arc;

pub use dictionary::{Dictionary, WordList};
pub use neighbours::Neighbours;
pub use pairs::Pairs;
pub use tree::ByDepth;
#[cfg(test)]
pub(crate) use wordnet::tests::installed;
pub use wordnet::{Attach, WordNet};

use super::{ItemTree, Node};
use network::NetworkDistances;
use pairs::PairDistances;
use privet_core::{Exact, Result};
use privet_data::Term;
use tree::TreeDistances;

/// Where distances between words come from, before any data is seen.
#[derive(Debug, Clone)]
pub enum Semantics {
    /// The number of edges between two nodes of a tree; words in different trees have nothing to do with each other. A
    /// term may be an inner node.
    Tree(Arc<ItemTree>),
    /// The number of edges in WordNet's tree of first hypernyms, with one leaf per term at its first sense.
    WordNetTree(Arc<WordNet>, Attach),
    /// The number of edges on the shortest way through all hypernyms of WordNet, between the first senses of two terms.
    /// Ways lead through senses only, never through a word: a word of many senses would glue unrelated ones together.
    WordNetNetwork(Arc<WordNet>, Attach),
    /// What a file lists.
    Pairs(Arc<Pairs>),
}

/// Distances between the terms of some data, by their numbers: 0 for a term and itself only, and symmetric. The triangle
/// inequality does not hold for every source. A term that the source does not have is near nothing but itself.
///
/// Methods that take a [`Term`] expect one of these terms and panic on any other.
///
/// ```
/// use std::sync::Arc;
/// use privet_taxonomy::ItemTree;
/// use privet_taxonomy::words::Semantics;
/// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
/// let tree = ItemTree::from_paths(&[path("wine;alcohol;goods"), path("vino;alcohol;goods"), path("boots;goods")])?;
/// let terms = ["boots", "gin", "vino", "wine"].map(String::from);
/// let distances = Semantics::Tree(Arc::new(tree)).between(&terms);
/// assert_eq!((distances.of(2, 3), distances.of(0, 3), distances.of(1, 3)), (Some(2), Some(3), None));
/// assert_eq!(distances.neighbours(2)?.near(3), (&[3, 2][..], &[0, 2][..]));
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Distances {
    source: Source,
    scale: u32,
}

#[derive(Debug, Clone)]
enum Source {
    Tree(TreeDistances),
    Network(NetworkDistances),
    Pairs(PairDistances),
}

impl Semantics {
    /// Distances that a file lists, one `term<TAB>term<TAB>distance` per line.
    pub fn pairs(path: &Path) -> Result<Semantics> {
        Ok(Semantics::Pairs(Arc::new(Pairs::read(path)?)))
    }

    /// In how many units one is counted: 1, but for a file with decimals the power of ten that makes them whole.
    pub fn scale(&self) -> u32 {
        match self {
            Semantics::Pairs(pairs) => pairs.scale(),
            Semantics::Tree(_) | Semantics::WordNetTree(..) | Semantics::WordNetNetwork(..) => 1,
        }
    }

    /// How far apart two terms are at most that are within `epsilon`, in units; more than fits is without end.
    pub fn reach(&self, epsilon: Exact) -> u32 {
        u32::try_from(epsilon.floor_of(self.scale().into())).unwrap_or(u32::MAX)
    }

    /// Whether the distances are those of a tree, in which terms have ancestors.
    pub fn has_tree(&self) -> bool {
        matches!(self, Semantics::Tree(_) | Semantics::WordNetTree(..))
    }

    /// The distances between these terms.
    pub fn between(&self, terms: &[String]) -> Distances {
        let source = match self {
            Semantics::Tree(tree) => Source::Tree(TreeDistances::new(tree.clone(), terms)),
            Semantics::WordNetTree(net, attach) => match net.tree(terms, *attach) {
                Some(tree) => Source::Tree(TreeDistances::new(Arc::new(tree), terms)),
                None => Source::Tree(TreeDistances::none(terms.len())),
            },
            Semantics::WordNetNetwork(net, attach) => {
                Source::Network(NetworkDistances::new(net, terms, *attach))
            }
            Semantics::Pairs(pairs) => Source::Pairs(PairDistances::new(pairs, terms)),
        };
        Distances { source, scale: self.scale() }
    }
}

impl Distances {
    /// How far two terms are apart; `None` if they have nothing to do with each other. Quick for trees and files; a
    /// network is searched each time, for which [`Neighbours::between`] is the remedy.
    #[inline]
    pub fn of(&self, one: Term, other: Term) -> Option<u32> {
        if one == other {
            return Some(0);
        }
        match &self.source {
            Source::Tree(tree) => tree.of(one, other),
            Source::Network(network) => network.of(one, other),
            Source::Pairs(pairs) => pairs.of(one, other),
        }
    }

    /// How far two terms are apart; `None` if that is more than `reach`, which takes less to tell in a tree.
    #[inline]
    pub fn within(&self, one: Term, other: Term, reach: u32) -> Option<u32> {
        match &self.source {
            Source::Tree(tree) if one != other => tree.within(one, other, reach),
            _ => self.of(one, other).filter(|distance| *distance <= reach),
        }
    }

    /// The tree behind the distances, where there is one.
    pub fn tree(&self) -> Option<&Arc<ItemTree>> {
        match &self.source {
            Source::Tree(tree) => tree.tree(),
            Source::Network(_) | Source::Pairs(_) => None,
        }
    }

    /// Where a term is in the tree.
    pub fn place(&self, term: Term) -> Option<Node> {
        match &self.source {
            Source::Tree(tree) => tree.place(term),
            Source::Network(_) | Source::Pairs(_) => None,
        }
    }

    /// Whether the source has the term.
    pub fn knows(&self, term: Term) -> bool {
        match &self.source {
            Source::Tree(tree) => tree.place(term).is_some(),
            Source::Network(network) => network.knows(term),
            Source::Pairs(pairs) => pairs.knows(term),
        }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Tree(tree) => tree.len(),
            Source::Network(network) => network.len(),
            Source::Pairs(pairs) => pairs.len(),
        }
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// In how many units one is counted.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// No two words that have something to do with each other are farther apart: for a tree the longest way between any
    /// two of its nodes, for a file the largest number in it, for a network a bound.
    pub fn diameter(&self) -> u32 {
        match &self.source {
            Source::Tree(tree) => tree.diameter(),
            Source::Network(network) => network.diameter(),
            Source::Pairs(pairs) => pairs.diameter(),
        }
    }

    /// The terms of a tree in an order in which those within `epsilon` of a term stand side by side, which takes far less
    /// memory than [`Distances::neighbours`]; `None` without a tree, and where there would be more pieces than terms.
    pub fn by_depth(&self, epsilon: u32) -> Option<ByDepth<'_>> {
        match &self.source {
            Source::Tree(tree) => tree.by_depth(epsilon),
            Source::Network(_) | Source::Pairs(_) => None,
        }
    }

    /// All terms within `epsilon` of each term; an error where they are too many to hold.
    pub fn neighbours(&self, epsilon: u32) -> Result<Neighbours> {
        match &self.source {
            Source::Tree(tree) => tree.neighbours(epsilon),
            Source::Network(network) => network.neighbours(epsilon),
            Source::Pairs(pairs) => pairs.neighbours(epsilon),
        }
    }
}
