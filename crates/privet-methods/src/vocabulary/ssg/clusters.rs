//! Phase 1: clusters of k, each started by the smallest remaining row.
//!
//! Clusters for the next few seeds are grown concurrently, each as if the others did not exist, and then settled one
//! after the other: a cluster whose members are all still available is what it would have become on its own, and any
//! other is grown again from its remaining candidates. So the number of threads does not change the result.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::gather::{ClusterCandidate, GatherLimits, Gatherer, SearchField};
use super::grow::{ClusterGrower, CompleteCluster, GrownCluster};
use super::hyper::{HyperVocabulary, Matchmaker, SMALL, Tariff};
use super::index::RowIndex;
use super::kin::KinDistances;
use super::live::LiveRows;
use super::rows::{BagRow, BagRows};
use super::settings::SsgSettings;
use super::stretch::{NearStretch, Stretches};
use super::surplus::surplus;
use super::twins::TwinRows;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_data::Term;

/// How thoroughly to search for candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchEffort {
    /// Everything within reach, and nothing is set aside: the decisions of the quadratic algorithm.
    Reference,
    /// Everything within reach, of which the best are kept.
    Full,
    /// As far as the limits permit.
    Limited,
}

/// Up to this many bags the quadratic algorithm is affordable.
const REFERENCE_ROWS: usize = 3_000;
/// Up to this many bags everything within reach can be examined.
const FULL_ROWS: usize = 20_000;
/// How many more candidates are kept if everything within reach is examined.
const FULL_POOL: usize = 5;
/// The number of clusters that are grown concurrently; fixed, so that the result does not depend on threads.
const BATCH: usize = 64;
/// How often a row of usual size is examined: once per term, and once more.
const LOOKS_PER_VISIT: usize = 5;
/// The factor by which the limits are raised for a seed without enough candidates.
const SECOND_TRY: usize = 16;

impl SearchEffort {
    pub(super) fn for_rows(rows: usize) -> SearchEffort {
        if rows <= REFERENCE_ROWS {
            SearchEffort::Reference
        } else if rows <= FULL_ROWS {
            SearchEffort::Full
        } else {
            SearchEffort::Limited
        }
    }
}

/// The result of phase 1.
#[derive(Debug, Default)]
pub(super) struct ClusteringOutcome {
    pub(super) clusters: Vec<GrownCluster>,
    /// Rows that are left when fewer than k people have any, ascending; includes those that took no part.
    pub(super) left: Vec<BagRow>,
    /// The number of rows that took no part because their people have far more than can be clustered.
    pub(super) surplus: u64,
    /// Seeds that have nothing in common with the remaining rows.
    pub(super) aside: Vec<BagRow>,
    /// The number of members that were matched with nothing.
    pub(super) fallback: u64,
    /// The number of clusters that were grown twice because members were no longer available.
    pub(super) regrown: u64,
    /// The number of matchings that were too large to be exact.
    pub(super) coarse: u64,
}

/// What is known about the terms: the neighbours of each, and a faster way to get distances between neighbours, if
/// there is one.
pub(super) struct TermNeighbourhood<'a> {
    pub(super) stretches: &'a Stretches,
    pub(super) kin: Option<KinDistances>,
}

pub(super) struct ClusteringPhase<'a> {
    rows: &'a BagRows,
    tariff: Tariff<'a>,
    ground: &'a TermNeighbourhood<'a>,
    settings: &'a SsgSettings,
    effort: SearchEffort,
    commonness: Vec<u64>,
    live: LiveRows,
    twins: TwinRows,
    index: RowIndex,
    /// Rows that take no part.
    surplus: Vec<BagRow>,
    outcome: ClusteringOutcome,
}

/// The buffers that are reused from seed to seed.
struct SeedWorker {
    gatherer: Gatherer,
    matchmaker: Matchmaker,
}

/// A cluster that was grown as if no other existed, and its candidates.
struct Proposal {
    growth: CompleteCluster,
    pool: Vec<ClusterCandidate>,
    /// Whether the candidates include everything within reach.
    complete: bool,
}

impl<'a> ClusteringPhase<'a> {
    pub(super) fn new(
        rows: &'a BagRows,
        tariff: Tariff<'a>,
        ground: &'a TermNeighbourhood<'a>,
        settings: &'a SsgSettings,
        effort: SearchEffort,
    ) -> ClusteringPhase<'a> {
        let stretches = ground.stretches;
        let terms = tariff.distances.len();
        let mut live = LiveRows::new(rows);
        let surplus = match effort {
            SearchEffort::Limited => surplus(rows, settings.k),
            // Few rows are no problem, no matter whose they are.
            SearchEffort::Reference | SearchEffort::Full => Vec::new(),
        };
        surplus.iter().for_each(|row| live.remove(*row, rows));
        let twins = TwinRows::of(rows, &live);
        let index = RowIndex::new(rows, &live, stretches);
        let near = |term: Term| {
            let held = |near: &NearStretch| {
                index.classes().iter().map(|class| class.count(near.places()) as u64).sum::<u64>()
            };
            stretches.near(term).iter().map(held).sum()
        };
        let commonness = (0..terms as Term).into_par_iter().map(near).collect();
        let outcome = ClusteringOutcome { surplus: surplus.len() as u64, ..ClusteringOutcome::default() };
        ClusteringPhase {
            rows,
            tariff,
            ground,
            settings,
            effort,
            commonness,
            live,
            twins,
            index,
            surplus,
            outcome,
        }
    }

    /// Forms clusters while k people are left. Rows without terms form a cluster of their own if there are enough.
    pub(super) fn run(mut self, clock: &Clock) -> Result<ClusteringOutcome> {
        let terms = self.tariff.distances.len();
        let worker = || SeedWorker { gatherer: Gatherer::new(terms), matchmaker: Matchmaker::default() };
        // One per thread, so the locks are never contended.
        let mut workers: Vec<Mutex<SeedWorker>> =
            (0..rayon::current_num_threads()).map(|_| Mutex::new(worker())).collect();
        self.take_empty_rows();
        clock.progress().stage("clustering vocabularies", Some(self.rows.len() as u64));
        while self.live.people() >= self.settings.k {
            clock.check()?;
            let seeds: Vec<BagRow> = self.live.iter().take(BATCH).collect();
            let phase = &self;
            let propose = |seed: &BagRow| {
                let worker = &workers[rayon::current_thread_index().unwrap_or(0) % workers.len()];
                phase.propose(*seed, &mut worker.lock().unwrap_or_else(PoisonError::into_inner))
            };
            let proposals: Vec<Proposal> = seeds.par_iter().with_max_len(1).map(propose).collect();
            let worker = workers[0].get_mut().unwrap_or_else(PoisonError::into_inner);
            for (seed, proposal) in seeds.iter().zip(proposals) {
                if self.live.has(*seed) && self.live.people() >= self.settings.k {
                    self.settle(*seed, proposal, worker);
                }
            }
            self.index.tidy(self.rows, &self.live, self.ground.stretches);
            clock.progress().at((self.rows.len() - self.live.len()) as u64);
        }
        self.outcome.left = self.live.iter().chain(std::mem::take(&mut self.surplus)).collect();
        self.outcome.left.sort_unstable();
        self.outcome.coarse = {
            let coarse = |worker: Mutex<SeedWorker>| {
                worker.into_inner().unwrap_or_else(PoisonError::into_inner).matchmaker.coarse
            };
            workers.into_iter().map(coarse).sum()
        };
        Ok(self.outcome)
    }

    /// Bags without terms are published as they are if k people have one.
    fn take_empty_rows(&mut self) {
        let rows = self.rows;
        let empty: Vec<BagRow> = self.live.iter().take_while(|row| rows.size(*row) == 0).collect();
        let mut people: Vec<u32> = empty.iter().map(|row| rows.user(*row)).collect();
        people.sort_unstable();
        people.dedup();
        if empty.is_empty() || people.len() < self.settings.k {
            return;
        }
        let mut hyper = HyperVocabulary::of(&[]);
        for row in empty.iter().skip(1) {
            hyper.extend(rows.bag(*row), &[]);
        }
        for row in &empty {
            self.take(*row);
        }
        self.outcome.clusters.push(GrownCluster { members: empty, hyper });
    }

    fn pool(&self, times: usize) -> usize {
        self.settings.pool.max(self.settings.k).saturating_mul(times)
    }

    fn limits(&self, times: usize) -> GatherLimits {
        match self.effort {
            SearchEffort::Reference => GatherLimits::NONE,
            SearchEffort::Full => GatherLimits { pool: self.pool(FULL_POOL * times), ..GatherLimits::NONE },
            SearchEffort::Limited => GatherLimits {
                looks: self.settings.visits.saturating_mul(LOOKS_PER_VISIT).saturating_mul(times),
                pool: self.pool(times),
                enough: self.settings.slack.saturating_mul(self.settings.k - 1).saturating_mul(times),
            },
        }
    }

    fn grower(&self) -> ClusterGrower<'_> {
        ClusterGrower {
            rows: self.rows,
            live: &self.live,
            tariff: self.tariff,
            ground: self.ground,
            places: self.index.places(),
            seed_reach: None,
            k: self.settings.k,
        }
    }

    /// The cluster that a seed would start if there were no other seeds.
    fn propose(&self, seed: BagRow, worker: &mut SeedWorker) -> Proposal {
        if let Some(cluster) = self.twins(seed) {
            return Proposal {
                growth: CompleteCluster { cluster, fallback: 0 },
                pool: Vec::new(),
                complete: false,
            };
        }
        self.search(seed, 1, worker)
    }

    fn search(&self, seed: BagRow, times: usize, worker: &mut SeedWorker) -> Proposal {
        let field = SearchField {
            rows: self.rows,
            stretches: self.ground.stretches,
            live: &self.live,
            classes: self.index.classes(),
            places: self.index.places(),
            commonness: &self.commonness,
        };
        let (pool, complete) = worker.gatherer.gather(seed, &field, &self.limits(times));
        let reach = Some(worker.gatherer.reach()).filter(|_| self.rows.size(seed) <= SMALL);
        let grower = ClusterGrower { seed_reach: reach, ..self.grower() };
        let growth = grower.grow(seed, &pool, &mut worker.matchmaker);
        Proposal { growth, pool, complete }
    }

    /// A seed together with equal rows, if k people have such a row.
    ///
    /// They cost nothing. If suppression costs nothing either, other rows may tie with them, and the search decides.
    fn twins(&self, seed: BagRow) -> Option<GrownCluster> {
        if self.tariff.omega == Some(0) {
            return None;
        }
        let k = self.settings.k;
        let members = self.twins.with(seed, k, self.rows, &self.live)?;
        Some(GrownCluster { hyper: HyperVocabulary::same(self.rows.bag(seed), k), members })
    }

    /// Turns a proposal, or what remains of it, into a cluster.
    fn settle(&mut self, seed: BagRow, mut proposal: Proposal, worker: &mut SeedWorker) {
        let gone = |phase: &ClusteringPhase<'_>, growth: &CompleteCluster| {
            growth.cluster.members.iter().any(|member| !phase.live.has(*member))
        };
        if gone(self, &proposal.growth) {
            self.outcome.regrown += 1;
            let live = proposal.pool.iter().filter(|candidate| self.live.has(candidate.row)).count();
            if proposal.complete || live + 1 >= self.settings.k {
                proposal.growth = self.grower().grow(seed, &proposal.pool, &mut worker.matchmaker);
            } else {
                proposal = self.propose(seed, worker);
            }
        }
        if proposal.growth.cluster.hyper.len() == 0 && !proposal.complete && self.rows.size(seed) > 0 {
            proposal = self.search(seed, SECOND_TRY, worker);
        }
        let cluster = proposal.growth.cluster;
        if self.effort != SearchEffort::Reference && cluster.hyper.len() == 0 && self.settings.k > 1 {
            self.take(seed);
            self.outcome.aside.push(seed);
            return;
        }
        self.outcome.fallback += u64::from(proposal.growth.fallback);
        for member in &cluster.members {
            self.take(*member);
        }
        self.outcome.clusters.push(cluster);
    }

    fn take(&mut self, row: BagRow) {
        self.live.remove(row, self.rows);
        self.index.take(row);
    }
}
