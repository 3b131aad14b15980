//! Growing a cluster from its candidates: again and again the one that costs least joins.
//!
//! A largest matching with the hyper-vocabulary of more members never has more pairs than one with that of fewer, and at
//! the same number of pairs it is never lighter. So what was once computed for a candidate bounds its price from below, and
//! only candidates whose bound is the least of all are matched again. Greedy matchings, and those that weigh distances
//! against suppressions, have no such order: there the bounds of the search stay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::gather::Candidate;
use super::hyper::{Hyper, Matchmaker, Price, SMALL, Tariff};
use super::live::Live;
use super::reach::Reach;
use super::rows::{Row, Rows};
use super::stretch::Stretches;
use crate::data::Term;
use crate::engine::matching::{Match, Weight};

/// A cluster as it grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Grown {
    pub(super) members: Vec<Row>,
    pub(super) hyper: Hyper,
}

/// A cluster that has what it needs, and how many of its members are just the next smallest rows.
#[derive(Debug, Clone)]
pub(super) struct Growth {
    pub(super) cluster: Grown,
    pub(super) fallback: u32,
}

#[derive(Debug)]
struct Contender {
    row: Row,
    size: usize,
    /// What its match cannot be better than.
    bound: Match,
    /// With how many members it was matched last.
    matched_with: usize,
    sums: Sums,
}

/// How far each term of a contender is from each bag of the hyper-vocabulary, by the seed's occurrence that the bag began
/// as: what earlier members add to a distance is not computed again.
#[derive(Debug, Default)]
struct Sums {
    /// How many members are counted in.
    members: usize,
    /// Where the distances of the contender begin among those of all.
    begin: usize,
}

/// The distance of what is not relevant to each other.
const FAR: Weight = Weight::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Grower<'a> {
    pub(super) rows: &'a Rows,
    pub(super) live: &'a Live,
    pub(super) tariff: Tariff<'a>,
    /// What is within reach of the seed, where that is at hand.
    pub(super) seed_reach: Option<SeedReach<'a>>,
    pub(super) k: usize,
}

/// What is within reach of a seed: most terms are not, which one look tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeedReach<'a> {
    pub(super) reach: &'a Reach,
    pub(super) stretches: &'a Stretches,
}

impl SeedReach<'_> {
    /// How far a term is from an occurrence of the seed, one of the first 64, if they are relevant to each other.
    #[inline]
    fn between(&self, (at, seed): (u32, Term), term: Term, tariff: &Tariff<'_>) -> Option<u32> {
        let (mask, least) = self.reach.at(self.stretches.place(term));
        match least {
            _ if mask >> at & 1 == 0 => None,
            Some(least) if mask.is_power_of_two() => Some(least.into()),
            _ => tariff.between(seed, term),
        }
    }
}

/// A cluster as it grows, and where its bags began.
struct Growing {
    cluster: Grown,
    /// The occurrence of the seed in each bag of the hyper-vocabulary.
    origins: Vec<u32>,
    /// Prices, rows and contenders, cheapest first.
    queue: Vec<Reverse<(Price, Row, u32)>>,
    /// The distances of all contenders that were ever matched.
    distances: Vec<Weight>,
}

/// Who joins next.
enum Choice {
    Contender(usize),
    /// A row that has nothing in common with the others, as far as is known.
    Smallest(Row),
}

impl Grower<'_> {
    /// Adds k - 1 members to a seed: of the candidates, or the smallest rows where those cost less. There are enough live
    /// people.
    pub(super) fn grow(&self, seed: Row, candidates: &[Candidate], matchmaker: &mut Matchmaker) -> Growth {
        let bag = self.rows.bag(seed);
        let mut growing = Growing {
            cluster: Grown { members: vec![seed], hyper: Hyper::of(bag) },
            origins: (0..bag.len() as u32).collect(),
            queue: Vec::new(),
            distances: Vec::new(),
        };
        let live = candidates.iter().filter(|candidate| self.live.has(candidate.row));
        // Less distance may be had for fewer pairs where both count.
        let weighed = self.tariff.omega.is_some();
        let contender = |candidate: &Candidate| Contender {
            row: candidate.row,
            size: self.rows.size(candidate.row),
            bound: if weighed { Match { weight: 0, ..candidate.best } } else { candidate.best },
            matched_with: 0,
            sums: Sums::default(),
        };
        let mut contenders: Vec<Contender> = live.map(contender).collect();
        let mut fallback = 0;
        while growing.cluster.members.len() < self.k {
            let row = match self.cheapest(&mut growing, &mut contenders, matchmaker) {
                Some(Choice::Contender(at)) => {
                    self.evaluate(&mut growing, &mut contenders[at], matchmaker);
                    contenders[at].row
                }
                Some(Choice::Smallest(row)) => {
                    self.tariff.match_with(&growing.cluster.hyper, self.rows.bag(row), matchmaker);
                    row
                }
                None => break,
            };
            fallback += u32::from(matchmaker.pairs().is_empty());
            growing.origins =
                matchmaker.pairs().iter().map(|pair| growing.origins[pair.0 as usize]).collect();
            growing.cluster.hyper.extend(self.rows.bag(row), matchmaker.pairs());
            growing.cluster.members.push(row);
            let user = self.rows.user(row);
            contenders.retain(|contender| self.rows.user(contender.row) != user);
        }
        Growth { cluster: growing.cluster, fallback }
    }

    /// The row that costs least, by price and then by its place in the order of sizes.
    fn cheapest(
        &self,
        growing: &mut Growing,
        contenders: &mut [Contender],
        matchmaker: &mut Matchmaker,
    ) -> Option<Choice> {
        let (members, bags) = (growing.cluster.hyper.width(), growing.cluster.hyper.len());
        let price = |size: usize, found: Match| self.tariff.price((members, bags), size, found);
        let mut queue = std::mem::take(&mut growing.queue);
        queue.clear();
        queue.extend((0u32..).zip(contenders.iter()).map(|(at, contender)| {
            Reverse((price(contender.size, contender.bound_for(bags)), contender.row, at))
        }));
        let mut queue = BinaryHeap::from(queue);
        // Rows without anything in common cost least when they are small.
        let smallest = self.smallest(&growing.cluster);
        let smallest_key = smallest.map(|row| (price(self.rows.size(row), Match::default()), row));
        let choice = loop {
            let first = queue.pop().map(|Reverse(first)| first);
            let Some((least, row, at)) =
                first.filter(|first| smallest_key.is_none_or(|key| (first.0, first.1) < key))
            else {
                break smallest.map(Choice::Smallest);
            };
            let contender = &mut contenders[at as usize];
            if contender.matched_with == members {
                break Some(Choice::Contender(at as usize));
            }
            let found = self.evaluate(growing, contender, matchmaker);
            let exact = price(contender.size, found);
            debug_assert!(exact >= least, "a bound is a bound");
            contender.matched_with = members;
            if self.tariff.is_monotone(bags, contender.size) {
                contender.bound = found;
            }
            queue.push(Reverse((exact, row, at)));
        };
        growing.queue = queue.into_vec();
        choice
    }

    /// Matches a contender with the cluster as it is.
    fn evaluate(
        &self,
        growing: &mut Growing,
        contender: &mut Contender,
        matchmaker: &mut Matchmaker,
    ) -> Match {
        let hyper = &growing.cluster.hyper;
        let bag = self.rows.bag(contender.row);
        if hyper.len() > SMALL || bag.len() > SMALL {
            return self.tariff.match_with(hyper, bag, matchmaker);
        }
        let sums = &mut contender.sums;
        if sums.members == 0 {
            let seed_size = self.rows.size(growing.cluster.members[0]);
            sums.begin = growing.distances.len();
            growing.distances.resize(sums.begin + seed_size * bag.len(), 0);
        }
        let distances = &mut growing.distances[sums.begin..];
        sums.count_in(hyper, &growing.origins, bag, self, distances);
        let far = |mine: usize, theirs: usize| {
            Some(distances[growing.origins[mine] as usize * bag.len() + theirs]).filter(|sum| *sum != FAR)
        };
        self.tariff.match_small((hyper.width(), hyper.len()), bag.len(), far, matchmaker)
    }

    /// The first live row that may still join.
    fn smallest(&self, cluster: &Grown) -> Option<Row> {
        let joined = |row: &Row| {
            let user = self.rows.user(*row);
            cluster.members.iter().any(|member| self.rows.user(*member) == user)
        };
        self.live.iter().find(|row| !joined(row))
    }
}

impl Sums {
    /// Counts in the members that joined since the last time.
    fn count_in(
        &mut self,
        hyper: &Hyper,
        origins: &[u32],
        bag: &[Term],
        grower: &Grower<'_>,
        distances: &mut [Weight],
    ) {
        let tariff = &grower.tariff;
        if let Some(reach) = grower.seed_reach.filter(|_| self.members == 0) {
            for (mine, origin) in hyper.bags().zip(origins) {
                let sums = &mut distances[*origin as usize * bag.len()..][..bag.len()];
                for (sum, term) in sums.iter_mut().zip(bag) {
                    let far = reach.between((*origin, mine[0]), *term, tariff);
                    *sum = far.map_or(FAR, |far| Weight::from(far) * tariff.unit);
                }
            }
            self.members = 1;
        }
        if self.members < hyper.width() {
            for (mine, origin) in hyper.bags().zip(origins) {
                let sums = &mut distances[*origin as usize * bag.len()..][..bag.len()];
                for (sum, term) in sums.iter_mut().zip(bag).filter(|(sum, _)| **sum != FAR) {
                    *sum = tariff.distance(&mine[self.members..], *term).map_or(FAR, |more| *sum + more);
                }
            }
            self.members = hyper.width();
        }
    }
}

impl Contender {
    /// What its match with a hyper-vocabulary of so many bags cannot be better than.
    fn bound_for(&self, bags: usize) -> Match {
        if self.bound.matched <= bags { self.bound } else { Match { matched: bags, weight: 0 } }
    }
}
