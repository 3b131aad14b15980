//! All words that occur in the original or the release, in bytewise order: terms and general words together.

use super::closed::{WordIndex, WordSets};
use crate::vocabulary::{BagSolution, Print};
use privet_core::lists::Lists;
use privet_data::{Bags, Term};
use privet_taxonomy::Node;
use privet_taxonomy::words::Distances;

/// What a word refers to; a term may be a node too.
#[derive(Debug, Clone, Copy)]
enum WordMeaning {
    Term(Term),
    General(Node),
}

/// The words.
pub(super) struct WordTable<'a> {
    distances: &'a Distances,
    labels: Vec<&'a str>,
    meanings: Vec<WordMeaning>,
    word_of_term: Vec<WordIndex>,
    /// The published general words and their numbers, ascending.
    general: Vec<(Node, WordIndex)>,
}

impl<'a> WordTable<'a> {
    pub(super) fn of(bags: &'a Bags, solution: &BagSolution, distances: &'a Distances) -> WordTable<'a> {
        let mut nodes: Vec<Node> = Vec::new();
        for shown in solution.clusters.iter().flat_map(|cluster| &cluster.shown) {
            if let Print::General(node) = shown.print {
                nodes.push(node);
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        let terms =
            bags.terms().iter().zip(0..).map(|(label, term)| (label.as_str(), WordMeaning::Term(term)));
        let mut all: Vec<(&str, WordMeaning)> = terms.collect();
        if let Some(tree) = distances.tree() {
            let known = |label: &str| bags.terms().binary_search_by(|term| term.as_str().cmp(label)).is_ok();
            let general = nodes.iter().map(|node| (tree.label(*node), WordMeaning::General(*node)));
            all.extend(general.filter(|(label, _)| !known(label)));
        }
        all.sort_unstable_by_key(|(label, _)| *label);
        let (labels, meanings): (Vec<&str>, Vec<WordMeaning>) = all.into_iter().unzip();
        let place = |label: &str| labels.partition_point(|other| *other < label) as WordIndex;
        let word_of_term = bags.terms().iter().map(|term| place(term)).collect();
        let label = |node: Node| distances.tree().map_or("", |tree| tree.label(node));
        let general = nodes.iter().map(|node| (*node, place(label(*node)))).collect();
        WordTable { distances, labels, meanings, word_of_term, general }
    }

    /// The text of a word.
    pub(super) fn label(&self, word: WordIndex) -> &str {
        self.labels[word as usize]
    }

    /// The distance of two words, whatever the limit of a method.
    pub(super) fn distance(&self, one: WordIndex, other: WordIndex) -> Option<u32> {
        if one == other {
            return Some(0);
        }
        match (self.meanings[one as usize], self.meanings[other as usize]) {
            (WordMeaning::Term(one), WordMeaning::Term(other)) => self.distances.of(one, other),
            (one, other) => self.distances.tree()?.distance(self.node(one)?, self.node(other)?),
        }
    }

    fn node(&self, meaning: WordMeaning) -> Option<Node> {
        match meaning {
            WordMeaning::Term(term) => self.distances.place(term),
            WordMeaning::General(node) => Some(node),
        }
    }

    /// The original's bags as sets.
    pub(super) fn original(&self, bags: &Bags) -> WordSets {
        let mut sets = Lists::default();
        for bag in bags.iter() {
            // Terms keep their order among the words, and a bag is ascending.
            let distinct = bag.chunk_by(|one, other| one == other);
            sets.extend(distinct.map(|same| self.word_of_term[same[0] as usize]));
        }
        WordSets::of(&sets, |_| 1, self.labels.len())
    }

    /// The published vocabularies as sets. A bag of terms counts as all of them.
    pub(super) fn published(&self, solution: &BagSolution) -> WordSets {
        let mut sets = Lists::default();
        let mut words: Vec<WordIndex> = Vec::new();
        for cluster in &solution.clusters {
            words.clear();
            for shown in &cluster.shown {
                match &shown.print {
                    Print::Term(term) => words.push(self.word_of_term[*term as usize]),
                    Print::General(node) => {
                        let at = self.general.partition_point(|(other, _)| other < node);
                        words.extend(self.general.get(at).map(|(_, word)| *word));
                    }
                    Print::Bag(terms) => {
                        words.extend(terms.iter().map(|term| self.word_of_term[*term as usize]));
                    }
                }
            }
            words.sort_unstable();
            words.dedup();
            sets.push(&words);
        }
        WordSets::of(&sets, |set| solution.clusters[set].members.len() as u64, self.labels.len())
    }
}
