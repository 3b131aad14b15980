//! Phase 1: clusters of k, each begun by the smallest row that is left.
//!
//! Clusters for the next few seeds are grown at the same time, each as if the others were not, and then settled one after
//! the other: a cluster whose members are all still there is what it would have become by itself, and any other is grown
//! again from what is left of its candidates. So the number of threads changes nothing.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::gather::{Candidate, Field, Gatherer, Limits};
use super::grow::{Grower, Grown, Growth};
use super::hyper::{Hyper, Matchmaker, SMALL, Tariff};
use super::index::Index;
use super::kin::Kin;
use super::live::Live;
use super::rows::{Row, Rows};
use super::settings::Settings;
use super::stretch::{NearStretch, Stretches};
use super::surplus::surplus;
use super::twins::Twins;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_data::Term;

/// How thoroughly candidates are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// Everything within reach, and nothing is set aside: what the quadratic algorithm decides.
    Reference,
    /// Everything within reach, and the best of it are kept.
    Full,
    /// As far as the limits go.
    Limited,
}

/// Up to so many bags the quadratic algorithm is affordable.
const REFERENCE_ROWS: usize = 3_000;
/// Up to so many bags everything within reach can be looked at.
const FULL_ROWS: usize = 20_000;
/// How many more candidates are kept where everything within reach is looked at.
const FULL_POOL: usize = 5;
/// Clusters that are grown at the same time; fixed, so that the result does not depend on threads.
const BATCH: usize = 64;
/// How often a row of usual size is looked at: as often as it has terms, and once more.
const LOOKS_PER_VISIT: usize = 5;
/// By how much the limits are raised for a seed whose candidates do not suffice.
const SECOND_TRY: usize = 16;

impl Effort {
    pub(super) fn for_rows(rows: usize) -> Effort {
        if rows <= REFERENCE_ROWS {
            Effort::Reference
        } else if rows <= FULL_ROWS {
            Effort::Full
        } else {
            Effort::Limited
        }
    }
}

/// What phase 1 leaves to do.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) clusters: Vec<Grown>,
    /// Rows that are left when fewer than k people have any, ascending; those that took no part are among them.
    pub(super) left: Vec<Row>,
    /// How many rows took no part because their people have far more than can be put together.
    pub(super) surplus: u64,
    /// Seeds that have nothing in common with what is left.
    pub(super) aside: Vec<Row>,
    /// Members that were matched with nothing.
    pub(super) fallback: u64,
    /// Clusters that were grown twice because their members were gone.
    pub(super) regrown: u64,
    /// How many matchings were too large to be exact.
    pub(super) coarse: u64,
}

/// What is known of the terms: what is near each, and how far those that are near each other are apart, where that can be told
/// quicker than by the distances themselves.
pub(super) struct Ground<'a> {
    pub(super) stretches: &'a Stretches,
    pub(super) kin: Option<Kin>,
}

pub(super) struct Phase<'a> {
    rows: &'a Rows,
    tariff: Tariff<'a>,
    ground: &'a Ground<'a>,
    settings: &'a Settings,
    effort: Effort,
    commonness: Vec<u64>,
    live: Live,
    twins: Twins,
    index: Index,
    /// Rows that take no part.
    surplus: Vec<Row>,
    outcome: Outcome,
}

/// What is kept from seed to seed.
struct Worker {
    gatherer: Gatherer,
    matchmaker: Matchmaker,
}

/// A cluster that was grown as if no other were, and the candidates it came from.
struct Proposal {
    growth: Growth,
    pool: Vec<Candidate>,
    /// Whether the candidates were all within reach.
    complete: bool,
}

impl<'a> Phase<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        tariff: Tariff<'a>,
        ground: &'a Ground<'a>,
        settings: &'a Settings,
        effort: Effort,
    ) -> Phase<'a> {
        let stretches = ground.stretches;
        let terms = tariff.distances.len();
        let mut live = Live::new(rows);
        let surplus = match effort {
            Effort::Limited => surplus(rows, settings.k),
            // Few rows are no trouble, whosever they are.
            Effort::Reference | Effort::Full => Vec::new(),
        };
        surplus.iter().for_each(|row| live.remove(*row, rows));
        let twins = Twins::of(rows, &live);
        let index = Index::new(rows, &live, stretches);
        let near = |term: Term| {
            let held = |near: &NearStretch| {
                index.classes().iter().map(|class| class.count(near.places()) as u64).sum::<u64>()
            };
            stretches.near(term).iter().map(held).sum()
        };
        let commonness = (0..terms as Term).into_par_iter().map(near).collect();
        let outcome = Outcome { surplus: surplus.len() as u64, ..Outcome::default() };
        Phase { rows, tariff, ground, settings, effort, commonness, live, twins, index, surplus, outcome }
    }

    /// Forms clusters while there are k people left. Rows without terms form one of their own if they are enough.
    pub(super) fn run(mut self, clock: &Clock) -> Result<Outcome> {
        let terms = self.tariff.distances.len();
        let worker = || Worker { gatherer: Gatherer::new(terms), matchmaker: Matchmaker::default() };
        // One for each thread, which no other asks for.
        let mut workers: Vec<Mutex<Worker>> =
            (0..rayon::current_num_threads()).map(|_| Mutex::new(worker())).collect();
        self.take_empty_rows();
        clock.progress().stage("clustering vocabularies", Some(self.rows.len() as u64));
        while self.live.people() >= self.settings.k {
            clock.check()?;
            let seeds: Vec<Row> = self.live.iter().take(BATCH).collect();
            let phase = &self;
            let propose = |seed: &Row| {
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
            let coarse = |worker: Mutex<Worker>| {
                worker.into_inner().unwrap_or_else(PoisonError::into_inner).matchmaker.coarse
            };
            workers.into_iter().map(coarse).sum()
        };
        Ok(self.outcome)
    }

    /// Bags without terms are published as they are, if k people have one.
    fn take_empty_rows(&mut self) {
        let rows = self.rows;
        let empty: Vec<Row> = self.live.iter().take_while(|row| rows.size(*row) == 0).collect();
        let mut people: Vec<u32> = empty.iter().map(|row| rows.user(*row)).collect();
        people.sort_unstable();
        people.dedup();
        if empty.is_empty() || people.len() < self.settings.k {
            return;
        }
        let mut hyper = Hyper::of(&[]);
        for row in empty.iter().skip(1) {
            hyper.extend(rows.bag(*row), &[]);
        }
        for row in &empty {
            self.take(*row);
        }
        self.outcome.clusters.push(Grown { members: empty, hyper });
    }

    fn pool(&self, times: usize) -> usize {
        self.settings.pool.max(self.settings.k).saturating_mul(times)
    }

    fn limits(&self, times: usize) -> Limits {
        match self.effort {
            Effort::Reference => Limits::NONE,
            Effort::Full => Limits { pool: self.pool(FULL_POOL * times), ..Limits::NONE },
            Effort::Limited => Limits {
                looks: self.settings.visits.saturating_mul(LOOKS_PER_VISIT).saturating_mul(times),
                pool: self.pool(times),
                enough: self.settings.slack.saturating_mul(self.settings.k - 1).saturating_mul(times),
            },
        }
    }

    fn grower(&self) -> Grower<'_> {
        Grower {
            rows: self.rows,
            live: &self.live,
            tariff: self.tariff,
            ground: self.ground,
            places: self.index.places(),
            seed_reach: None,
            k: self.settings.k,
        }
    }

    /// The cluster that a seed would begin if there were no other seeds.
    fn propose(&self, seed: Row, worker: &mut Worker) -> Proposal {
        if let Some(cluster) = self.twins(seed) {
            return Proposal { growth: Growth { cluster, fallback: 0 }, pool: Vec::new(), complete: false };
        }
        self.search(seed, 1, worker)
    }

    fn search(&self, seed: Row, times: usize, worker: &mut Worker) -> Proposal {
        let field = Field {
            rows: self.rows,
            stretches: self.ground.stretches,
            live: &self.live,
            classes: self.index.classes(),
            places: self.index.places(),
            commonness: &self.commonness,
        };
        let (pool, complete) = worker.gatherer.gather(seed, &field, &self.limits(times));
        let reach = Some(worker.gatherer.reach()).filter(|_| self.rows.size(seed) <= SMALL);
        let grower = Grower { seed_reach: reach, ..self.grower() };
        let growth = grower.grow(seed, &pool, &mut worker.matchmaker);
        Proposal { growth, pool, complete }
    }

    /// A seed together with rows that hold the same, if there are k people with such a row.
    fn twins(&self, seed: Row) -> Option<Grown> {
        let k = self.settings.k;
        let members = self.twins.with(seed, k, self.rows, &self.live)?;
        Some(Grown { hyper: Hyper::same(self.rows.bag(seed), k), members })
    }

    /// Makes a cluster of a proposal, or of what is left of it.
    fn settle(&mut self, seed: Row, mut proposal: Proposal, worker: &mut Worker) {
        let gone = |phase: &Phase<'_>, growth: &Growth| {
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
        if self.effort != Effort::Reference && cluster.hyper.len() == 0 && self.settings.k > 1 {
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

    fn take(&mut self, row: Row) {
        self.live.remove(row, self.rows);
        self.index.take(row);
    }
}
