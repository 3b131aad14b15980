//! Phase 2: rows that are left over join the cluster that they harm least.

use super::grow::Grown;
use super::hyper::{Matchmaker, Tariff};
use super::reach::Reach;
use super::rows::{Row, Rows};
use super::stretch::Stretches;
use crate::Result;
use crate::engine::clock::Clock;
use crate::engine::matching::Match;

pub(super) struct Assigner<'a> {
    pub(super) rows: &'a Rows,
    pub(super) tariff: Tariff<'a>,
    pub(super) stretches: &'a Stretches,
    pub(super) reach: Reach,
    pub(super) matchmaker: Matchmaker,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assigned {
    Joined,
    /// Every cluster would lose more by it than the row has.
    Dearer,
}

impl Assigner<'_> {
    /// Adds each row, in this order, to the cluster that costs least, the first of equal ones. With `or_leave`, rows that
    /// cost more than all their occurrences stay out; these are returned.
    pub(super) fn assign(
        &mut self,
        clusters: &mut [Grown],
        left: &[Row],
        or_leave: bool,
        clock: &Clock,
    ) -> Result<Vec<Row>> {
        let mut out = Vec::new();
        clock.progress().stage("placing what is left over", Some(left.len() as u64));
        for (done, row) in (0u64..).zip(left) {
            clock.check()?;
            clock.progress().at(done);
            if self.place(clusters, *row, or_leave) == Assigned::Dearer {
                out.push(*row);
            }
        }
        Ok(out)
    }

    fn place(&mut self, clusters: &mut [Grown], row: Row, or_leave: bool) -> Assigned {
        let bag = self.rows.bag(row);
        self.reach.set(bag, self.stretches);
        let alone = self.tariff.price_of(bag.len() as u64, 0);
        let mut best = None;
        for (at, cluster) in clusters.iter().enumerate() {
            let hyper = &cluster.hyper;
            let shape = (hyper.width(), hyper.len());
            // Relevant to every term of a bag is relevant to its first.
            let mut bound = self.reach.bound(hyper.bags().map(|bag| self.stretches.place(bag[0])));
            bound.matched = bound.matched.min(bag.len());
            if self.tariff.omega.is_some() {
                bound.weight = 0;
            }
            let beaten = |price| best.is_some_and(|(least, _)| price >= least) || or_leave && price > alone;
            if beaten(self.tariff.price(shape, bag.len(), bound)) {
                continue;
            }
            let found = match bound.matched {
                0 => Match::default(),
                _ => self.tariff.match_with(hyper, bag, &mut self.matchmaker),
            };
            let price = self.tariff.price(shape, bag.len(), found);
            if !beaten(price) {
                best = Some((price, at));
            }
        }
        let Some((_, at)) = best else { return Assigned::Dearer };
        self.tariff.match_with(&clusters[at].hyper, bag, &mut self.matchmaker);
        clusters[at].hyper.extend(bag, self.matchmaker.pairs());
        clusters[at].members.push(row);
        Assigned::Joined
    }
}
