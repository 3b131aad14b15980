//! What the words of a release mean: which terms they may stand for, and how many people used them.

use super::{BAG_SEPARATOR, Manner, VocabularyRelease};
use crate::flow;
use privet_data::{Bags, Term};
use privet_taxonomy::Node;

/// What one printed word is.
#[derive(Debug, Default)]
pub(super) struct ReleasedWord {
    /// The terms of the data that are printed: one, or several in a bag.
    pub(super) terms: Vec<Term>,
    /// The node of the tree that has this name.
    pub(super) node: Option<Node>,
}

impl ReleasedWord {
    /// Whether it means nothing.
    pub(super) fn is_unknown(&self) -> bool {
        self.terms.is_empty() && self.node.is_none()
    }
}

/// What all words of a release are, by their number in it.
pub(super) fn words(facts: &VocabularyRelease<'_>) -> Vec<ReleasedWord> {
    let term = |label: &str| {
        let terms = facts.original.terms();
        terms.binary_search_by(|term| term.as_str().cmp(label)).ok().map(|term| term as Term)
    };
    let word = |label: &String| {
        let terms = match (term(label), facts.manner) {
            (Some(term), _) => Some(vec![term]),
            (None, Manner::Hyper) => label.split(BAG_SEPARATOR).map(term).collect(),
            (None, _) => None,
        };
        let node = facts.distances.tree().and_then(|tree| tree.find(label));
        ReleasedWord { terms: terms.unwrap_or_default(), node }
    };
    facts.release.terms().iter().map(word).collect()
}

/// Whether a word may stand for an occurrence of a term.
pub(super) fn stands_for(facts: &VocabularyRelease<'_>, word: &ReleasedWord, term: Term) -> bool {
    let near = |other: &Term| facts.distances.of(*other, term).is_some_and(|far| far <= facts.epsilon);
    let as_term = match facts.manner {
        Manner::Vote | Manner::Hyper => word.terms.iter().all(near),
        Manner::General => word.terms.contains(&term),
    };
    if as_term && !word.terms.is_empty() {
        return true;
    }
    match (word.node, facts.distances.place(term), facts.distances.tree()) {
        (Some(node), Some(place), Some(tree)) => tree.contains(node, place),
        _ => false,
    }
}

/// Whether every published occurrence stands for an occurrence of its own in the original bag.
pub(super) fn injects(
    facts: &VocabularyRelease<'_>,
    words: &[ReleasedWord],
    published: &[Term],
    bag: &[Term],
) -> bool {
    let kinds: Vec<&[Term]> = published.chunk_by(|one, other| one == other).collect();
    let kind_word = |kind: &[Term]| kind.first().and_then(|word| words.get(*word as usize));
    // Most often the bag has the very terms that are published.
    let has = |kind: &&[Term]| match kind_word(kind).map(|word| &word.terms[..]) {
        Some([term]) => {
            let from = bag.partition_point(|other| other < term);
            bag[from..].iter().take_while(|other| *other == term).count() >= kind.len()
        }
        _ => false,
    };
    if kinds.iter().all(has) {
        return true;
    }
    let mut wanted: Vec<u64> = kinds.iter().map(|kind| kind.len() as u64).collect();
    let supplies: Vec<(u64, Vec<u32>)> = bag
        .chunk_by(|one, other| one == other)
        .map(|same| {
            let stands = |kind: &[Term]| {
                same.first()
                    .is_some_and(|term| kind_word(kind).is_some_and(|word| stands_for(facts, word, *term)))
            };
            let takers = (0u32..).zip(&kinds).filter(|(_, kind)| stands(kind)).map(|(at, _)| at);
            (same.len() as u64, takers.collect())
        })
        .collect();
    // First come, first served: that nearly always finds a pairing, and a pairing is a proof however it was found.
    let mut open = wanted.clone();
    for (amount, takers) in &supplies {
        let mut left = *amount;
        for taker in takers {
            let taken = left.min(open[*taker as usize]);
            open[*taker as usize] -= taken;
            left -= taken;
        }
    }
    if open.iter().all(|left| *left == 0) {
        return true;
    }
    flow::fill(&supplies, &mut wanted);
    wanted.iter().all(|left| *left == 0)
}

/// By how many people something below each node was used.
pub(super) fn node_users(facts: &VocabularyRelease<'_>) -> Vec<u32> {
    let Some(tree) = facts.distances.tree() else { return Vec::new() };
    let mut users = vec![0; tree.len()];
    // The last person who was counted for a node.
    let mut last: Vec<Option<u32>> = vec![None; tree.len()];
    for (person, bag) in by_person(facts.original) {
        for place in facts.original.bag(bag).iter().filter_map(|term| facts.distances.place(*term)) {
            for node in std::iter::once(place).chain(tree.ancestors(place)) {
                if last[node as usize].replace(person) != Some(person) {
                    users[node as usize] += 1;
                }
            }
        }
    }
    users
}

/// All bags, those of one person side by side; without users each is somebody else's.
fn by_person(bags: &Bags) -> Vec<(u32, usize)> {
    let mut order: Vec<(u32, usize)> =
        (0..bags.len()).map(|bag| (bags.user(bag).unwrap_or(bag as u32), bag)).collect();
    order.sort_unstable();
    order
}
