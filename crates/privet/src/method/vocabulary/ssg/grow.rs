//! Growing a cluster from its candidates: again and again the one that costs least joins.
//!
//! A largest matching with the hyper-vocabulary of more members never has more pairs than one with that of fewer, and at
//! the same number of pairs it is never lighter. So what was once computed for a candidate bounds its price from below, and
//! only candidates whose bound is the least of all are matched again. Greedy matchings, and those that weigh distances
//! against suppressions, have no such order: there the bounds of the search stay.

use super::gather::Candidate;
use super::hyper::{Hyper, Matchmaker, Price, Tariff};
use super::live::Live;
use super::rows::{Row, Rows};
use crate::engine::matching::Match;

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
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Grower<'a> {
    pub(super) rows: &'a Rows,
    pub(super) live: &'a Live,
    pub(super) tariff: Tariff<'a>,
    pub(super) k: usize,
}

/// Room for a row in a key.
const ROW_BITS: u32 = 32;

impl Grower<'_> {
    /// Adds k - 1 members to a seed: of the candidates, or the smallest rows where those cost less. There are enough live
    /// people.
    pub(super) fn grow(&self, seed: Row, candidates: &[Candidate], matchmaker: &mut Matchmaker) -> Growth {
        let hyper = Hyper::of(self.rows.bag(seed));
        let mut growth = Growth { cluster: Grown { members: vec![seed], hyper }, fallback: 0 };
        let live = candidates.iter().filter(|candidate| self.live.has(candidate.row));
        // Less distance may be had for fewer pairs where both count.
        let weighed = self.tariff.omega.is_some();
        let contender = |candidate: &Candidate| Contender {
            row: candidate.row,
            size: self.rows.size(candidate.row),
            bound: if weighed { Match { weight: 0, ..candidate.best } } else { candidate.best },
            matched_with: 0,
        };
        let mut contenders: Vec<Contender> = live.map(contender).collect();
        let mut keys: Vec<Price> = Vec::with_capacity(contenders.len());
        while growth.cluster.members.len() < self.k {
            let Some(row) = self.cheapest(&growth.cluster, &mut contenders, &mut keys, matchmaker) else {
                break;
            };
            let bag = self.rows.bag(row);
            self.tariff.match_with(&growth.cluster.hyper, bag, matchmaker);
            growth.fallback += u32::from(matchmaker.pairs().is_empty());
            growth.cluster.hyper.extend(bag, matchmaker.pairs());
            growth.cluster.members.push(row);
            let user = self.rows.user(row);
            contenders.retain(|contender| self.rows.user(contender.row) != user);
        }
        growth
    }

    /// The row that costs least, by price and then by its place in the order of sizes.
    fn cheapest(
        &self,
        cluster: &Grown,
        contenders: &mut [Contender],
        keys: &mut Vec<Price>,
        matchmaker: &mut Matchmaker,
    ) -> Option<Row> {
        let hyper = &cluster.hyper;
        let shape = (hyper.width(), hyper.len());
        let key = |size: usize, row: Row, found: Match| {
            self.tariff.price(shape, size, found) << ROW_BITS | Price::from(row)
        };
        keys.clear();
        keys.extend(
            contenders
                .iter()
                .map(|contender| key(contender.size, contender.row, contender.bound_for(shape.1))),
        );
        // Rows without anything in common cost least when they are small.
        let fallback = self.smallest(cluster);
        let fallback_key = fallback.map(|row| key(self.rows.size(row), row, Match::default()));
        loop {
            let least = keys.iter().copied().enumerate().min_by_key(|(_, key)| *key);
            let Some((at, least)) = least.filter(|(_, least)| fallback_key.is_none_or(|key| *least < key))
            else {
                return fallback;
            };
            let contender = &mut contenders[at];
            if contender.matched_with == hyper.width() {
                return Some(contender.row);
            }
            let found = self.tariff.match_with(hyper, self.rows.bag(contender.row), matchmaker);
            keys[at] = key(contender.size, contender.row, found);
            debug_assert!(keys[at] >= least, "a bound is a bound");
            contender.matched_with = hyper.width();
            if self.tariff.is_monotone(hyper.len(), contender.size) {
                contender.bound = found;
            }
        }
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

impl Contender {
    /// What its match with a hyper-vocabulary of so many bags cannot be better than.
    fn bound_for(&self, bags: usize) -> Match {
        if self.bound.matched <= bags { self.bound } else { Match { matched: bags, weight: 0 } }
    }
}
