//! Growing a cluster from its candidates: again and again the one that costs least joins.
//!
//! A largest matching with the hyper-vocabulary of more members never has more pairs than one with that of fewer, and at
//! the same number of pairs it is never lighter. So what was once computed for a candidate bounds its price from below, and
//! only candidates that this leaves a chance against the best so far are looked at again: first at a glance, and only where
//! that does not decide, at the value of their matching. The matching itself is made for the one that joins. Greedy
//! matchings, and those that weigh distances against suppressions, have no such order: there the bounds of the search stay.

use std::ops::Range;

use super::clusters::Ground;
use super::gather::Candidate;
use super::hyper::{Hyper, Matchmaker, SMALL, Tariff};
use super::live::Live;
use super::reach::Reach;
use super::rows::{Row, Rows};
use privet_engine::matching::value;
use privet_engine::matching::value::NO_EDGE;
use privet_engine::matching::{Match, Weight};

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
    /// Where its terms begin among those of all contenders.
    begin: usize,
    /// What its match cannot be better than.
    bound: Match,
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

#[derive(Clone, Copy)]
pub(super) struct Grower<'a> {
    pub(super) rows: &'a Rows,
    pub(super) live: &'a Live,
    pub(super) tariff: Tariff<'a>,
    pub(super) ground: &'a Ground<'a>,
    /// Where the terms of all rows stand.
    pub(super) places: &'a [u32],
    /// What is within reach of the seed, where that is at hand: most terms are not, which one look tells.
    pub(super) seed_reach: Option<&'a Reach>,
    pub(super) k: usize,
}

/// A cluster as it grows, and where its bags began.
struct Growing {
    cluster: Grown,
    /// The places of the terms in the bags of the hyper-vocabulary.
    hyper_places: Hyper,
    /// The places of the terms of all contenders. Rows lie all over the memory, and are fetched all at once.
    terms: Vec<u32>,
    /// The occurrence of the seed in each bag of the hyper-vocabulary.
    origins: Vec<u32>,
    /// The distances of all contenders that were ever looked at.
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
            hyper_places: Hyper::of(self.places_of(seed)),
            terms: Vec::new(),
            origins: (0..bag.len() as u32).collect(),
            distances: Vec::new(),
        };
        let live = candidates.iter().filter(|candidate| self.live.has(candidate.row));
        // Less distance may be had for fewer pairs where both count.
        let weighed = self.tariff.omega.is_some();
        let terms = &mut growing.terms;
        let contender = |candidate: &Candidate| {
            let (places, begin) = (self.places_of(candidate.row), terms.len());
            terms.extend_from_slice(places);
            let bound = if weighed { Match { weight: 0, ..candidate.best } } else { candidate.best };
            Contender { row: candidate.row, size: places.len(), begin, bound, sums: Sums::default() }
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
            growing.hyper_places.extend(self.places_of(row), matchmaker.pairs());
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
        let shape = (growing.cluster.hyper.width(), growing.cluster.hyper.len());
        // Rows without anything in common cost least when they are small.
        let smallest = self.smallest(&growing.cluster);
        let mut best = smallest.map(|row| {
            let price = self.tariff.price(shape, self.rows.size(row), Match::default());
            ((price, row), Choice::Smallest(row))
        });
        // The one that nearly won, of those looked at.
        let mut second = None;
        for (at, contender) in contenders.iter_mut().enumerate() {
            let (row, size) = (contender.row, contender.size);
            let key = |found: Match| (self.tariff.price(shape, size, found), row);
            let wins = |found: Match| best.as_ref().is_none_or(|(least, _)| key(found) < *least);
            let bound = contender.bound_for(shape.1);
            if !wins(bound) {
                continue;
            }
            let found = if self.tariff.is_monotone(shape.1, size) {
                contender.bound = self.value(growing, contender, wins, matchmaker);
                contender.bound
            } else {
                self.evaluate(growing, contender, matchmaker)
            };
            debug_assert!(key(found) >= key(bound), "a bound is a bound");
            if wins(found) {
                let beaten = best.replace((key(found), Choice::Contender(at)));
                second = beaten.map(|(_, choice)| choice);
            }
        }
        // Who nearly won is likely to win next: looked at first, it spares looking at others. It stood before the winner.
        if let Some(Choice::Contender(second)) = second {
            contenders.swap(0, second);
        }
        best.map(|(_, choice)| choice)
    }

    /// The value of a small contender's matching with the cluster as it is; where that cannot win, a bound that shows it.
    fn value(
        &self,
        growing: &mut Growing,
        contender: &mut Contender,
        wins: impl Fn(Match) -> bool,
        matchmaker: &mut Matchmaker,
    ) -> Match {
        self.count_in(growing, contender);
        let distances = &growing.distances[contender.sums.begin..];
        let row = |origin: &u32| &distances[*origin as usize * contender.size..][..contender.size];
        let rows = || growing.origins.iter().map(row);
        let seen = value::glance(rows());
        if seen.is_met || !wins(seen.bound) {
            return seen.bound;
        }
        value::most_pairs(rows()).unwrap_or_else(|| self.evaluate(growing, contender, matchmaker))
    }

    /// Matches a contender with the cluster as it is.
    fn evaluate(
        &self,
        growing: &mut Growing,
        contender: &mut Contender,
        matchmaker: &mut Matchmaker,
    ) -> Match {
        let size = contender.size;
        if growing.cluster.hyper.len() > SMALL || size > SMALL {
            let bag = self.rows.bag(contender.row);
            return self.tariff.match_with(&growing.cluster.hyper, bag, matchmaker);
        }
        self.count_in(growing, contender);
        let distances = &growing.distances[contender.sums.begin..];
        let far = |mine: usize, theirs: usize| {
            Some(distances[growing.origins[mine] as usize * size + theirs]).filter(|sum| *sum != NO_EDGE)
        };
        let hyper = &growing.cluster.hyper;
        self.tariff.match_small((hyper.width(), hyper.len()), size, far, matchmaker)
    }

    /// Counts the members that joined since the last time into the distances of a contender.
    fn count_in(&self, growing: &mut Growing, contender: &mut Contender) {
        let Growing { cluster, hyper_places: hyper, terms, origins, distances } = growing;
        let (sums, size) = (&mut contender.sums, contender.size);
        if sums.members == hyper.width() {
            return;
        }
        let terms = &terms[contender.begin..contender.begin + size];
        let unit = self.tariff.unit;
        if sums.members == 0 {
            sums.begin = distances.len();
            // Far from all that the look at the seed's reach does not find.
            let far = if self.seed_reach.is_some() { NO_EDGE } else { 0 };
            distances.resize(sums.begin + self.rows.size(cluster.members[0]) * size, far);
        }
        let distances = &mut distances[sums.begin..];
        if let Some(reach) = self.seed_reach.filter(|_| sums.members == 0) {
            for (at, place) in terms.iter().enumerate() {
                let (mask, least) = reach.at(*place as usize);
                for (mine, origin) in hyper.bags().zip(origins.iter()) {
                    if mask >> origin & 1 == 0 {
                        continue;
                    }
                    // Where there is only one, its distance is the least.
                    let far = match least.filter(|_| mask.is_power_of_two()) {
                        Some(least) => Some(least.into()),
                        None => self.between(mine[0], *place),
                    };
                    let far = far.map_or(NO_EDGE, |far| Weight::from(far) * unit);
                    distances[*origin as usize * size + at] = far;
                }
            }
            sums.members = 1;
        }
        if sums.members < hyper.width() {
            for (mine, origin) in hyper.bags().zip(origins.iter()) {
                let new = &mine[sums.members..];
                let sums_to = &mut distances[*origin as usize * size..][..size];
                for (sum, place) in sums_to.iter_mut().zip(terms).filter(|(sum, _)| **sum != NO_EDGE) {
                    let more = new.iter().map(|member| self.between(*member, *place).map(Weight::from));
                    *sum = more.sum::<Option<Weight>>().map_or(NO_EDGE, |more| *sum + more * unit);
                }
            }
            sums.members = hyper.width();
        }
    }

    /// How far the terms at two places are apart, if they are relevant to each other.
    #[inline]
    fn between(&self, one: u32, other: u32) -> Option<u32> {
        match &self.ground.kin {
            Some(kin) => kin.between(one, other),
            None => {
                let order = self.ground.stretches.order();
                self.tariff.between(order[one as usize], order[other as usize])
            }
        }
    }

    /// Where the terms of a row stand.
    fn places_of(&self, row: Row) -> &[u32] {
        let Range { start, end } = self.rows.span(row);
        &self.places[start as usize..end as usize]
    }

    /// The first live row that may still join.
    fn smallest(&self, cluster: &Grown) -> Option<Row> {
        let joined = |user: u32| cluster.members.iter().any(|member| self.rows.user(*member) == user);
        self.live.first_of(|user| !joined(user), self.rows)
    }
}

impl Contender {
    /// What its match with a hyper-vocabulary of so many bags cannot be better than.
    fn bound_for(&self, bags: usize) -> Match {
        if self.bound.matched <= bags { self.bound } else { Match { matched: bags, weight: 0 } }
    }
}
