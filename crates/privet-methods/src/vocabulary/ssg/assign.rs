//! Phase 2: left-over rows join the cluster that they harm least.
//!
//! Usually fewer than k rows are left. But if one person has most of them, nearly all rows may be left, and comparing
//! each with every cluster would take quadratic time. So clusters are looked up by their terms: a cluster with nothing
//! within reach of a row costs all its occurrences, and among those only the cheapest can win.

use std::collections::BTreeSet;

use super::crowd::CrowdVocabulary;
use super::grow::GrownCluster;
use super::hyper::{JoinPrice, Matchmaker, Tariff};
use super::reach::BagReach;
use super::rows::{BagRow, BagRows};
use super::stretch::Stretches;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_data::Term;
use privet_engine::matching::Match;

pub(super) struct Assigner<'a> {
    pub(super) rows: &'a BagRows,
    pub(super) tariff: Tariff<'a>,
    pub(super) stretches: &'a Stretches,
    pub(super) reach: BagReach,
    pub(super) matchmaker: Matchmaker,
}

/// The clusters, with the index to find them.
struct Hosts {
    crowds: Vec<CrowdVocabulary>,
    /// The loss of each cluster if a row leaves nothing of it, with the cluster.
    by_loss: BTreeSet<(u64, u32)>,
    /// For every position of a term, the clusters with a bag that begins with it, and some that had one.
    begins: Vec<u32>,
    listed: Vec<u32>,
    /// The total number of bags.
    bags: usize,
    /// The clusters examined for the last row.
    seen: Vec<u32>,
    round: u32,
}

impl Hosts {
    fn of(clusters: &mut [GrownCluster], stretches: &Stretches) -> Hosts {
        let take = |cluster: &mut GrownCluster| CrowdVocabulary::from(std::mem::take(&mut cluster.hyper));
        let crowds: Vec<CrowdVocabulary> = clusters.iter_mut().map(take).collect();
        let by_loss = (0u32..).zip(&crowds).map(|(at, crowd)| (crowd.occurrences(), at)).collect();
        let seen = vec![0; crowds.len()];
        let mut hosts =
            Hosts { crowds, by_loss, begins: Vec::new(), listed: Vec::new(), bags: 0, seen, round: 0 };
        hosts.list(stretches);
        hosts
    }

    /// Lists all bags by the positions of their first terms.
    fn list(&mut self, stretches: &Stretches) {
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for (at, crowd) in (0u32..).zip(&self.crowds) {
            pairs.extend(crowd.firsts().map(|term| (stretches.place(term), at)));
        }
        self.bags = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        self.begins.clear();
        let mut next = 0;
        for place in 0..=stretches.len() {
            next += pairs[next..].iter().take_while(|(other, _)| *other < place).count();
            self.begins.push(next as u32);
        }
        self.listed = pairs.into_iter().map(|(_, at)| at).collect();
    }

    /// The candidates for the cheapest cluster for a row: the one that loses least by a row that leaves nothing of it,
    /// and all that have a term within reach of the row's, each once. If losses are free, all clusters lose as little,
    /// and the first one counts.
    fn within(&mut self, reach: &BagReach, stretches: &Stretches, is_free: bool, found: &mut Vec<u32>) {
        found.clear();
        self.round += 1;
        let first = self.by_loss.first().map(|(_, at)| if is_free { 0 } else { *at });
        let near = reach.runs().iter().flat_map(|(term, _)| stretches.near(*term));
        let lists = near.flat_map(|near| {
            let places = near.places();
            &self.listed[self.begins[places.start] as usize..self.begins[places.end] as usize]
        });
        for at in first.into_iter().chain(lists.copied()) {
            if std::mem::replace(&mut self.seen[at as usize], self.round) != self.round {
                found.push(at);
            }
        }
    }

    /// Adds a bag to a cluster, given their matching.
    fn join(&mut self, at: usize, bag: &[Term], pairs: &[(u32, u32)], stretches: &Stretches) {
        let crowd = &mut self.crowds[at];
        self.by_loss.remove(&(crowd.occurrences(), at as u32));
        let before = crowd.shape().1;
        crowd.join(bag, pairs);
        self.bags -= before - crowd.shape().1;
        self.by_loss.insert((crowd.occurrences(), at as u32));
        // Rebuild the lists when half of their entries are obsolete, so that all rebuilds together take little time.
        if self.listed.len() > 2 * self.bags {
            self.list(stretches);
        }
    }
}

impl Assigner<'_> {
    /// Adds each row, in this order, to the cheapest cluster, the first among equals. With `or_leave`, rows that cost
    /// more than all their occurrences stay out; these are returned.
    pub(super) fn assign(
        &mut self,
        clusters: &mut [GrownCluster],
        left: &[BagRow],
        or_leave: bool,
        clock: &Clock,
    ) -> Result<Vec<BagRow>> {
        let mut out = Vec::new();
        if left.is_empty() {
            return Ok(out);
        }
        clock.progress().stage("placing what is left over", Some(left.len() as u64));
        let mut hosts = Hosts::of(clusters, self.stretches);
        let mut found = Vec::new();
        for (done, row) in (0u64..).zip(left) {
            clock.check()?;
            clock.progress().at(done);
            let bag = self.rows.bag(*row);
            match self.cheapest(&mut hosts, bag, or_leave, &mut found) {
                None => out.push(*row),
                Some(at) => {
                    hosts.crowds[at].matched(bag, &self.tariff, &mut self.matchmaker);
                    hosts.join(at, bag, self.matchmaker.pairs(), self.stretches);
                    clusters[at].members.push(*row);
                }
            }
        }
        for (cluster, crowd) in clusters.iter_mut().zip(hosts.crowds) {
            cluster.hyper = crowd.into_hyper();
        }
        Ok(out)
    }

    /// The cheapest cluster for a bag, the first among equals; `None` if every cluster would lose more than the bag has
    /// occurrences, and the bag may stay out.
    fn cheapest(
        &mut self,
        hosts: &mut Hosts,
        bag: &[Term],
        or_leave: bool,
        found: &mut Vec<u32>,
    ) -> Option<usize> {
        self.reach.set(bag, self.stretches);
        hosts.within(&self.reach, self.stretches, self.tariff.omega == Some(0), found);
        let alone = self.tariff.price_of(bag.len() as u64, 0);
        let mut best: Option<(JoinPrice, u32)> = None;
        for at in &*found {
            let crowd = &hosts.crowds[*at as usize];
            let shape = crowd.shape();
            // A term relevant to every term of a bag is relevant to its first.
            let mut bound = self.reach.bound(crowd.firsts().map(|term| self.stretches.place(term)));
            bound.matched = bound.matched.min(bag.len());
            if self.tariff.omega.is_some() {
                bound.weight = 0;
            }
            let beaten =
                |price: JoinPrice| best.is_some_and(|best| (price, *at) >= best) || or_leave && price > alone;
            if beaten(self.tariff.price(shape, bag.len(), bound)) {
                continue;
            }
            let found = match bound.matched {
                0 => Match::default(),
                _ => crowd.matched(bag, &self.tariff, &mut self.matchmaker),
            };
            let price = self.tariff.price(shape, bag.len(), found);
            if !beaten(price) {
                best = Some((price, *at));
            }
        }
        best.map(|(_, at)| at as usize)
    }
}
