//! Hyper-vocabularies that any number of members may join.
//!
//! Clusters grow to k members, and then a few more join. But if one person has most of the vocabularies, thousands may
//! join one cluster, and visiting all members for each would take quadratic time. So beyond a number of members the
//! terms of a bag are counted: they are relevant to each other, so there are few distinct ones.

use std::cmp::Ordering;

use super::hyper::{HyperVocabulary, Matchmaker, Partner, Tariff};
use privet_data::Term;
use privet_engine::matching::{Match, Weight};

/// From this many members on, a hyper-vocabulary is stored as counts.
const WIDE: usize = 128;

/// The hyper-vocabulary of a few members, or of many.
#[derive(Debug)]
pub(super) enum CrowdVocabulary {
    Few(HyperVocabulary),
    Many(CountedVocabulary),
}

/// The hyper-vocabulary of many members.
#[derive(Debug)]
pub(super) struct CountedVocabulary {
    width: usize,
    bags: Vec<CountedBag>,
}

/// A bag of a hyper-vocabulary.
#[derive(Debug)]
struct CountedBag {
    /// Its terms in the order of the members.
    terms: Vec<Term>,
    /// The distinct terms, ascending, with the number of members that have each.
    kinds: Vec<(Term, u32)>,
}

impl CountedBag {
    fn of(terms: &[Term]) -> CountedBag {
        let mut sorted = terms.to_vec();
        sorted.sort_unstable();
        let kinds =
            sorted.chunk_by(|one, other| one == other).map(|run| (run[0], run.len() as u32)).collect();
        CountedBag { terms: terms.to_vec(), kinds }
    }

    fn add(&mut self, term: Term) {
        self.terms.push(term);
        match self.kinds.binary_search_by_key(&term, |(kind, _)| *kind) {
            Ok(at) => self.kinds[at].1 += 1,
            Err(at) => self.kinds.insert(at, (term, 1)),
        }
    }
}

impl CountedVocabulary {
    fn of(hyper: &HyperVocabulary) -> CountedVocabulary {
        CountedVocabulary { width: hyper.width(), bags: hyper.bags().map(CountedBag::of).collect() }
    }

    fn extend(&mut self, bag: &[Term], pairs: &[(u32, u32)]) {
        let mut old: Vec<Option<CountedBag>> = self.bags.drain(..).map(Some).collect();
        self.bags.extend(pairs.iter().filter_map(|(mine, theirs)| {
            let mut joined = old[*mine as usize].take()?;
            joined.add(bag[*theirs as usize]);
            Some(joined)
        }));
        self.width += 1;
    }
}

impl Partner for CountedVocabulary {
    fn shape(&self) -> (usize, usize) {
        (self.width, self.bags.len())
    }

    fn first(&self, bag: usize) -> Term {
        self.bags[bag].terms[0]
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        self.bags[one].kinds.cmp(&self.bags[other].kinds)
    }

    fn far(&self, tariff: &Tariff<'_>, bag: usize, term: Term) -> Option<Weight> {
        let mut sum = 0;
        for (kind, count) in &self.bags[bag].kinds {
            sum += Weight::from(tariff.between(*kind, term)?) * Weight::from(*count);
        }
        Some(sum * tariff.unit)
    }
}

impl From<HyperVocabulary> for CrowdVocabulary {
    fn from(hyper: HyperVocabulary) -> CrowdVocabulary {
        if hyper.width() < WIDE {
            CrowdVocabulary::Few(hyper)
        } else {
            CrowdVocabulary::Many(CountedVocabulary::of(&hyper))
        }
    }
}

impl CrowdVocabulary {
    /// The number of members and of bags.
    pub(super) fn shape(&self) -> (usize, usize) {
        match self {
            CrowdVocabulary::Few(hyper) => hyper.shape(),
            CrowdVocabulary::Many(many) => many.shape(),
        }
    }

    /// The number of occurrences that would be lost with all bags.
    pub(super) fn occurrences(&self) -> u64 {
        let (width, bags) = self.shape();
        width as u64 * bags as u64
    }

    /// The term of the first member in each bag.
    pub(super) fn firsts(&self) -> impl Iterator<Item = Term> + '_ {
        (0..self.shape().1).map(|bag| match self {
            CrowdVocabulary::Few(hyper) => hyper.first(bag),
            CrowdVocabulary::Many(many) => many.first(bag),
        })
    }

    /// Matches it with a bag; the pairs are left in the matchmaker.
    pub(super) fn matched(&self, bag: &[Term], tariff: &Tariff<'_>, matchmaker: &mut Matchmaker) -> Match {
        match self {
            CrowdVocabulary::Few(hyper) => tariff.match_with(hyper, bag, matchmaker),
            CrowdVocabulary::Many(many) => tariff.match_with(many, bag, matchmaker),
        }
    }

    /// Adds a member. Bags that are not matched with any of its terms are dropped, and so are its unmatched terms.
    pub(super) fn join(&mut self, bag: &[Term], pairs: &[(u32, u32)]) {
        match self {
            CrowdVocabulary::Few(hyper) => {
                hyper.extend(bag, pairs);
                if hyper.width() >= WIDE {
                    *self = CrowdVocabulary::Many(CountedVocabulary::of(hyper));
                }
            }
            CrowdVocabulary::Many(many) => many.extend(bag, pairs),
        }
    }

    /// The hyper-vocabulary with the terms of its bags in the order of the members.
    pub(super) fn into_hyper(self) -> HyperVocabulary {
        match self {
            CrowdVocabulary::Few(hyper) => hyper,
            CrowdVocabulary::Many(CountedVocabulary { width, bags }) => {
                HyperVocabulary::of_bags(width, bags.into_iter().map(|bag| bag.terms))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Matching, Penalty};
    use super::*;
    use crate::vocabulary::cases;

    #[test]
    fn many_members_are_matched_as_few_are() {
        let word = |one: &str| one.to_string();
        // Each has something to drink, something to wear, and something else that is soon dropped.
        let lists: Vec<Vec<String>> = (0..3 * WIDE)
            .map(|at| {
                let drink = ["Wine", "Vino"][at / 3 % 2];
                let wear = ["Boots", "Shoes", "Shoes"][at % 3];
                let other = ["Raw-milk", "Jackets", "Pants", "Homo-milk"][at * at % 4];
                vec![word(drink), word(wear), word(other)]
            })
            .collect();
        let bags = cases::bags(&lists, None);
        let distances = cases::distances(cases::goods(), &bags);
        for matching in [Matching::Exact, Matching::Greedy] {
            let tariff = Tariff {
                distances: &distances,
                epsilon: 2,
                neighbours: None,
                has_tree: true,
                omega: None,
                unit: 1,
                penalty: Penalty::Occurrence,
                matching,
            };
            let (mut one, mut other) = (Matchmaker::default(), Matchmaker::default());
            let mut hyper = HyperVocabulary::of(bags.bag(0));
            let mut crowd = CrowdVocabulary::from(hyper.clone());
            for bag in bags.iter().skip(1) {
                assert_eq!(tariff.match_with(&hyper, bag, &mut one), crowd.matched(bag, &tariff, &mut other));
                assert_eq!(one.pairs(), other.pairs());
                hyper.extend(bag, one.pairs());
                crowd.join(bag, other.pairs());
                assert_eq!(crowd.shape(), (hyper.width(), hyper.len()));
                assert!(crowd.firsts().eq(hyper.bags().map(|bag| bag[0])));
            }
            assert!(matches!(crowd, CrowdVocabulary::Many(_)));
            assert_eq!((hyper.len(), crowd.into_hyper()), (2, hyper));
        }
    }
}
