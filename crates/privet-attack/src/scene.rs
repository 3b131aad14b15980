//! What an attack is run on: the policy, the original, the released files, and what else the attacker may have.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::groups::Placed;
use super::transactions::TransactionView;
use super::view::{MatchingEffort, TableView, ViewColumn};
use privet_audit::released::Released;
use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_data::{Bags, Source};
use privet_policy::PolicyRef;
use privet_policy::{AnyPolicy, CheckedPolicy};
use privet_taxonomy::NodeId;

/// Another release about some of the same people, for attacks on several at once.
#[derive(Debug)]
pub struct OtherRelease {
    /// What it is called.
    pub name: String,
    /// The policy that it was made under.
    pub policy: AnyPolicy,
    /// Its files.
    pub released: Released,
}

/// What another method would have released of the same table of mixed columns, to compare with.
#[derive(Debug, Clone)]
pub struct BaselineRelease {
    /// What it is called, as in "people at risk, in …".
    pub name: String,
    /// Per distinct record the node that each mixed column shows, in the order of the policy, and how often it occurs.
    pub records: Vec<(Vec<NodeId>, u64)>,
}

/// A second try is on a fraction of the people: one in this many …
const FEWER: u64 = 16;
/// … but on at least this many, if there are.
const FEWEST: u64 = 200;

/// How much an attack may list and try.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many of the worst cases are listed.
    pub most: usize,
    /// How many columns the attacker knows in the listed cases.
    pub known: usize,
    /// How sure the attacker has to be of a second sensitive value, if certainty is not needed.
    pub confidence: Exact,
    /// Of more people than this a random sample is attacked.
    pub people: usize,
    /// Tables with more rows than this are not held in memory, and most attacks not run.
    pub rows: usize,
    /// The most bytes that attacks hold in memory; `None` where that is not limited.
    pub memory: Option<u64>,
    /// How many steps an attack may plan for; `None` where that is not limited.
    pub steps: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            most: 10,
            known: super::freeform::KNOWN,
            confidence: Exact::new(9, 10).unwrap_or(Exact::ONE),
            people: 100_000,
            rows: 3_000_000,
            memory: None,
            steps: None,
        }
    }
}

/// What an attack is run on.
pub struct Scene<'a> {
    /// What the publisher says; it names the original.
    pub policy: PolicyRef<'a>,
    /// The released data.
    pub released: Released,
    /// All public files written so far.
    pub files: Vec<PathBuf>,
    /// Everybody who may be in the data, with their quasi-identifiers.
    pub population: Option<Source>,
    /// People like those in the data who were left out of the release.
    pub holdout: Option<Source>,
    /// Other releases about some of the same people.
    pub others: Vec<OtherRelease>,
    /// What other methods would have released.
    pub baselines: Arc<[BaselineRelease]>,
    /// Whether the plan of an earlier release was applied: then these data decided nothing about it.
    pub by_earlier_plan: bool,
    /// Keys the attacks' random choices. It tells nothing about the release's own.
    pub seed: u64,
    /// How much is listed and tried.
    pub limits: Limits,
    /// Time and interruption.
    pub clock: &'a Clock,
    tables: OnceLock<Result<std::result::Result<Vec<TableView>, String>>>,
    transactions: OnceLock<Result<std::result::Result<TransactionView, String>>>,
    bags: OnceLock<Result<(Bags, Bags)>>,
    placed: Mutex<Option<(usize, Arc<Placed>)>>,
}

impl<'a> Scene<'a> {
    /// A scene with a release alone.
    pub fn new(policy: PolicyRef<'a>, released: Released, seed: u64, clock: &'a Clock) -> Scene<'a> {
        let files = released.files();
        Scene {
            policy,
            released,
            files,
            population: None,
            holdout: None,
            others: Vec::new(),
            baselines: Arc::new([]),
            by_earlier_plan: false,
            seed,
            limits: Limits::default(),
            clock,
            tables: OnceLock::new(),
            transactions: OnceLock::new(),
            bags: OnceLock::new(),
            placed: Mutex::new(None),
        }
    }

    /// Reads the release and its original, so that what cannot be read is an error whichever attack asks for it first. Tables
    /// that are too large to be held in memory are not read to their end.
    pub fn read(&self) -> Result<()> {
        let unread = match self.released {
            Released::Table(_) | Released::Groups(_) | Released::Projections(_) => {
                self.tables.get_or_init(|| TableView::read_all(self)).as_ref().err()
            }
            Released::Transactions(_) => {
                self.transactions.get_or_init(|| TransactionView::read(self)).as_ref().err()
            }
            Released::Vocabularies(_) => return self.bags().map(|_| ()),
        };
        unread.cloned().map_or(Ok(()), Err)
    }

    /// The original and the released vocabularies, read when they are asked for first.
    pub(super) fn bags(&self) -> Result<(&Bags, &Bags)> {
        let read = || {
            let (PolicyRef::Vocabularies(policy), Released::Vocabularies(file)) =
                (self.policy, &self.released)
            else {
                return Err(privet_core::Error::internal("vocabularies without a vocabulary policy"));
            };
            let mut tick = |_| self.clock.check();
            let (source, _) = policy.source.read(&mut tick)?;
            let (released, _) = file.read(&mut tick)?;
            Ok((source, released))
        };
        self.bags
            .get_or_init(read)
            .as_ref()
            .map(|(source, released)| (source, released))
            .map_err(Clone::clone)
    }

    /// The same scene with fewer people to attack, for a second try after the time was up; `None` where nothing is sampled.
    pub(super) fn with_fewer_people(&self) -> Result<Option<Scene<'_>>> {
        let Ok(tables) = self.tables() else { return Ok(None) };
        let tried = tables.iter().map(|table| table.quasi.people()).max().unwrap_or(0);
        let people = (tried / FEWER).max(FEWEST).min(tried) as usize;
        let mut scene = Scene::new(self.policy, self.released.clone(), self.seed, self.clock);
        scene.files.clone_from(&self.files);
        (scene.population, scene.holdout) = (self.population.clone(), self.holdout.clone());
        scene.baselines = self.baselines.clone();
        scene.by_earlier_plan = self.by_earlier_plan;
        let steps = self.limits.steps.map(|steps| steps / FEWER);
        scene.limits = Limits { people, steps, ..self.limits };
        let fewer = tables.iter().map(|table| table.again(scene.sample())).collect::<Result<Vec<_>>>()?;
        let fewer = TableView::with_the_same_people(fewer, &scene)?;
        scene.tables = OnceLock::from(Ok(Ok(fewer)));
        Ok(Some(scene))
    }

    /// The people of the only released table, in groups with the values of a sensitive column, by its place. Attacks ask for the
    /// same column one after the other: who was placed last is kept.
    ///
    /// No rayon work may wait inside, as attacks run in parallel.
    pub(super) fn placed(&self, view: &TableView, column: usize) -> Result<Arc<Placed>> {
        let mut kept = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, placed)) = kept.as_ref().filter(|(known, _)| *known == column) {
            return Ok(placed.clone());
        }
        // Two of them need not be in memory at once.
        *kept = None;
        let placed = Arc::new(Placed::of(self, view, Some(column))?);
        *kept = Some((column, placed.clone()));
        Ok(placed)
    }

    /// To look at as many people as there are limits for.
    pub(super) fn sample(&self) -> MatchingEffort<'_> {
        let people = Some((self.limits.people, self.seed));
        MatchingEffort { people, steps: self.limits.steps, clock: self.clock }
    }

    /// To look at everybody, or not to look at all where that takes too long.
    pub(super) fn everybody(&self) -> MatchingEffort<'_> {
        MatchingEffort { people: None, ..self.sample() }
    }

    /// The policy, where it is about a table.
    pub fn table_policy(&self) -> Option<&'a CheckedPolicy> {
        match self.policy {
            PolicyRef::Table(policy) => Some(policy),
            _ => None,
        }
    }

    /// The released transactions next to the original, read when they are asked for first; else a reason not to run an attack.
    pub(super) fn transactions(&self) -> std::result::Result<&TransactionView, String> {
        match self.transactions.get_or_init(|| TransactionView::read(self)) {
            Ok(Ok(transactions)) => Ok(transactions),
            Ok(Err(reason)) => Err(reason.clone()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The released tables next to the original, coded: one, or several for projected tables. If they cannot be read, there is a
    /// reason not to run an attack. They are read when they are asked for first.
    ///
    /// No rayon work may wait inside: attacks run in parallel, and the first that asks reads for all.
    pub(super) fn tables(&self) -> std::result::Result<&[TableView], String> {
        match self.tables.get_or_init(|| TableView::read_all(self)) {
            Ok(Ok(tables)) => Ok(tables),
            Ok(Err(reason)) => Err(reason.clone()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The same for attacks on people whose quasi-identifiers are known.
    pub(super) fn quasi_tables(&self) -> std::result::Result<&[TableView], String> {
        let tables = self.tables()?;
        match tables.iter().all(|table| table.quasi.columns.is_empty()) {
            true => Err("the release has no column of role 'quasi-identifier'".to_string()),
            false => Ok(tables),
        }
    }

    /// The same for attacks on sensitive values.
    pub(super) fn sensitive_tables(&self) -> std::result::Result<&[TableView], String> {
        let tables = self.quasi_tables()?;
        match tables.iter().any(|table| table.columns.iter().any(ViewColumn::is_sensitive)) {
            true => Ok(tables),
            false => Err("the release has no column of role 'sensitive'".to_string()),
        }
    }

    /// The same inside an attack, where there is nothing else to do than to fail.
    pub(super) fn views(&self) -> Result<&[TableView]> {
        self.tables().map_err(privet_core::Error::input)
    }

    /// The first released table, for attacks on one table.
    pub(super) fn view(&self) -> Result<&TableView> {
        self.views()?.first().ok_or_else(|| privet_core::Error::internal("a release without a table"))
    }
}

impl std::fmt::Debug for Scene<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene").field("policy", &self.policy).field("released", &self.released).finish()
    }
}
