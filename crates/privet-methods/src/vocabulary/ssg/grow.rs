//! Growing a cluster from its candidates: the cheapest candidate joins, again and again.
//!
//! A largest matching with the hyper-vocabulary of more members never has more pairs than one with that of fewer, and
//! with equally many pairs it is never lighter. So an earlier result for a candidate is a lower bound on its price, and
//! only candidates whose bound leaves them a chance against the best so far are examined again: first by a quick
//! estimate and, only if that does not decide, by the value of their matching. The matching itself is computed for the
//! one that joins. Greedy matchings, and those that weigh distances against suppressions, have no such order: there the
//! bounds of the search are kept.

use std::ops::Range;

use super::clusters::TermNeighbourhood;
use super::gather::ClusterCandidate;
use super::hyper::{HyperVocabulary, Matchmaker, SMALL, Tariff};
use super::live::LiveRows;
use super::reach::BagReach;
use super::rows::{BagRow, BagRows};
use privet_engine::matching::value;
use privet_engine::matching::value::NO_EDGE;
use privet_engine::matching::{Match, Weight};

/// A cluster in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct GrownCluster {
    pub(super) members: Vec<BagRow>,
    pub(super) hyper: HyperVocabulary,
}

/// A complete cluster, and how many of its members are just the next smallest rows.
#[derive(Debug, Clone)]
pub(super) struct CompleteCluster {
    pub(super) cluster: GrownCluster,
    pub(super) fallback: u32,
}

#[derive(Debug)]
struct Contender {
    row: BagRow,
    size: usize,
    /// The start of its terms among those of all contenders.
    begin: usize,
    /// An upper bound on its match.
    bound: Match,
    sums: DistanceSums,
}

/// The distance of each term of a contender from each bag of the hyper-vocabulary, by the seed's occurrence in the bag,
/// so that the contributions of earlier members are not computed again.
#[derive(Debug, Default)]
struct DistanceSums {
    /// The number of members included.
    members: usize,
    /// The start of the contender's distances among those of all.
    begin: usize,
}

#[derive(Clone, Copy)]
pub(super) struct ClusterGrower<'a> {
    pub(super) rows: &'a BagRows,
    pub(super) live: &'a LiveRows,
    pub(super) tariff: Tariff<'a>,
    pub(super) ground: &'a TermNeighbourhood<'a>,
    /// The positions of the terms of all rows.
    pub(super) places: &'a [u32],
    /// What is within reach of the seed, if known: most terms are not, which a single lookup shows.
    pub(super) seed_reach: Option<&'a BagReach>,
    pub(super) k: usize,
}

/// A cluster in progress, with the origins of its bags.
struct Growing {
    cluster: GrownCluster,
    /// The positions of the terms in the bags of the hyper-vocabulary.
    hyper_places: HyperVocabulary,
    /// The positions of the terms of all contenders. Rows are scattered in memory, so they are fetched all at once.
    terms: Vec<u32>,
    /// The occurrence of the seed in each bag of the hyper-vocabulary.
    origins: Vec<u32>,
    /// The distances of all contenders that were ever examined.
    distances: Vec<Weight>,
}

/// The next member.
enum NextMember {
    Contender(usize),
    /// A row that has nothing in common with the others, as far as is known.
    Smallest(BagRow),
}

impl ClusterGrower<'_> {
    /// Adds k - 1 members to a seed: candidates, or the smallest rows if those cost less. There must be enough live
    /// people.
    pub(super) fn grow(
        &self,
        seed: BagRow,
        candidates: &[ClusterCandidate],
        matchmaker: &mut Matchmaker,
    ) -> CompleteCluster {
        let bag = self.rows.bag(seed);
        let mut growing = Growing {
            cluster: GrownCluster { members: vec![seed], hyper: HyperVocabulary::of(bag) },
            hyper_places: HyperVocabulary::of(self.places_of(seed)),
            terms: Vec::new(),
            origins: (0..bag.len() as u32).collect(),
            distances: Vec::new(),
        };
        let live = candidates.iter().filter(|candidate| self.live.has(candidate.row));
        // If both count, fewer pairs may have less distance.
        let weighed = self.tariff.omega.is_some();
        let terms = &mut growing.terms;
        let contender = |candidate: &ClusterCandidate| {
            let (places, begin) = (self.places_of(candidate.row), terms.len());
            terms.extend_from_slice(places);
            let bound = if weighed { Match { weight: 0, ..candidate.best } } else { candidate.best };
            Contender { row: candidate.row, size: places.len(), begin, bound, sums: DistanceSums::default() }
        };
        let mut contenders: Vec<Contender> = live.map(contender).collect();
        let mut fallback = 0;
        while growing.cluster.members.len() < self.k {
            let row = match self.cheapest(&mut growing, &mut contenders, matchmaker) {
                Some(NextMember::Contender(at)) => {
                    self.evaluate(&mut growing, &mut contenders[at], matchmaker);
                    contenders[at].row
                }
                Some(NextMember::Smallest(row)) => {
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
        CompleteCluster { cluster: growing.cluster, fallback }
    }

    /// The cheapest row, by price and then by position in the order of sizes.
    fn cheapest(
        &self,
        growing: &mut Growing,
        contenders: &mut [Contender],
        matchmaker: &mut Matchmaker,
    ) -> Option<NextMember> {
        let shape = (growing.cluster.hyper.width(), growing.cluster.hyper.len());
        // Rows with nothing in common are cheapest if they are small.
        let smallest = self.smallest(&growing.cluster);
        let mut best = smallest.map(|row| {
            let price = self.tariff.price(shape, self.rows.size(row), Match::default());
            ((price, row), NextMember::Smallest(row))
        });
        // The runner-up among those examined.
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
                let beaten = best.replace((key(found), NextMember::Contender(at)));
                second = beaten.map(|(_, choice)| choice);
            }
        }
        // Try the runner-up first; it often wins the next round and prunes the rest. It came before the winner.
        if let Some(NextMember::Contender(second)) = second {
            contenders.swap(0, second);
        }
        best.map(|(_, choice)| choice)
    }

    /// The value of a small contender's matching with the cluster; if it cannot win, a bound that shows it.
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

    /// Matches a contender with the cluster.
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

    /// Adds the members that joined since the last time to the distances of a contender.
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
            // Far from everything that a lookup in the seed's reach does not find.
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
                    // If there is only one, its distance is the least.
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

    /// The distance of the terms at two positions, if they are relevant to each other.
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

    /// The positions of a row's terms.
    fn places_of(&self, row: BagRow) -> &[u32] {
        let Range { start, end } = self.rows.span(row);
        &self.places[start as usize..end as usize]
    }

    /// The first live row that may still join.
    fn smallest(&self, cluster: &GrownCluster) -> Option<BagRow> {
        let joined = |user: u32| cluster.members.iter().any(|member| self.rows.user(*member) == user);
        self.live.first_of(|user| !joined(user), self.rows)
    }
}

impl Contender {
    /// An upper bound on its match with a hyper-vocabulary of this many bags.
    fn bound_for(&self, bags: usize) -> Match {
        if self.bound.matched <= bags { self.bound } else { Match { matched: bags, weight: 0 } }
    }
}
