//! Mining for threats: itemsets of visible nodes that too few transactions fit, or that tell a sensitive item too surely
//! (Definition 4.4). What comes out are conflicts, and combinations that a known conflict covers are never counted.
//!
//! Itemsets are grown from nodes in descending preorder, so that at every step what is left to add lies before what is
//! chosen, and general nodes come before special ones. Only itemsets that hold in some *unsafe* row are grown
//! ([`Field`]): no others can be threats.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::field::{Field, Layout};
use super::guard::Guard;
use super::lookup::Lookup;
use super::rows::Rows;
use super::worker::{FoundThreat, Start, Worker};
use crate::conflict::Conflicts;
use crate::privacy::kl::KlPrivacy;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::{ItemTree, Node};

/// An itemset that is a threat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threat {
    /// What the adversary knows to be present.
    pub present: Vec<Node>,
    /// What the adversary knows to be absent.
    pub absent: Vec<Node>,
    /// How many transactions fit.
    pub support: u64,
}

/// How much the adversary knows, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Power {
    /// Items present.
    pub present: u64,
    /// Leaves of items absent.
    pub absent: u64,
}

/// What mining took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Itemsets counted.
    pub itemsets: u64,
    /// Threats among them.
    pub threats: u64,
    /// Cells of rows looked at.
    pub cells: u64,
}

impl Effort {
    /// Adds another's effort to this one.
    pub fn add(&mut self, other: Effort) {
        self.itemsets += other.itemsets;
        self.threats += other.threats;
        self.cells += other.cells;
    }
}

/// How mining ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every threat within the power is covered by a known conflict.
    Complete,
    /// The allowed number of cells was used up first, or the time.
    Early,
}

/// First items that are worked on before conflicts are shared: few as long as conflicts are found, for they spare others work,
/// and more and more where there are none, so that no thread waits. The same for any number of threads, so that what is
/// found does not depend on it.
const BATCH: usize = 8;
const LARGEST_BATCH: usize = 256;

/// The transactions as a cut shows them, ready to be mined for threats.
#[derive(Debug)]
pub struct Miner<'a> {
    pub(super) tree: &'a ItemTree,
    pub(super) privacy: &'a KlPrivacy,
    pub(super) field: Field,
}

impl<'a> Miner<'a> {
    /// Lays the rows of a cut out. `lookup` has all rows, as this cut or a finer one shows them.
    pub fn new(
        tree: &'a ItemTree,
        rows: &Rows,
        lookup: Arc<Lookup>,
        privacy: &'a KlPrivacy,
        layout: Layout,
    ) -> Miner<'a> {
        Miner { tree, privacy, field: Field::new(tree, rows, lookup, privacy, layout) }
    }

    /// Whether no threat is possible with the absences that it was laid out for, however many items are known.
    pub fn is_safe(&self) -> bool {
        self.field.unsafe_rows == 0
    }

    /// How many items of a transaction an adversary can know to be present where that may harm.
    pub fn longest(&self) -> u64 {
        self.field.longest
    }

    /// The least that an absence costs the adversary; more than there is where nothing occurs.
    pub fn least_absence(&self) -> u64 {
        self.field.fewest_leaves()
    }

    /// Finds the conflicts of all threats within `power` among the visible nodes, and adds them to `conflicts`.
    ///
    /// At most about `cells` cells are looked at. `mined` is another cut whose threats within `power` all have a known
    /// conflict, if there is one: what consists of its nodes is not looked at again. There has to be one where only a part
    /// of the rows was laid out, and no absences are known then.
    pub fn mine(
        &self,
        power: Power,
        cells: u64,
        mined: Option<&[Node]>,
        conflicts: &mut Conflicts<Threat>,
        clock: &Clock,
    ) -> Result<(Ended, Effort)> {
        // Nodes above a cut, and absences, would have to be distinguished as well.
        let is_new = mined.filter(|_| self.field.is_flat && power.absent == 0).map(|mined| {
            self.field.nodes.iter().map(|node| mined.binary_search(node).is_err()).collect::<Vec<bool>>()
        });
        let guard = Guard::new(&self.field, conflicts.iter().map(|conflict| &conflict.members[..]));
        let mut mining = Mining {
            tree: self.tree,
            field: &self.field,
            privacy: self.privacy,
            power,
            clock,
            conflicts,
            effort: Effort::default(),
            guard,
            is_new: is_new.as_deref(),
            pool: Mutex::new(Vec::new()),
        };
        let ended = mining.run(cells)?;
        Ok((ended, mining.effort))
    }
}

pub(super) struct Mining<'a> {
    pub tree: &'a ItemTree,
    pub field: &'a Field,
    pub privacy: &'a KlPrivacy,
    pub power: Power,
    pub clock: &'a Clock,
    conflicts: &'a mut Conflicts<Threat>,
    effort: Effort,
    /// All conflicts known when a batch begins.
    pub guard: Guard,
    /// Per node, whether itemsets with it have to be looked at, where others need not be.
    pub is_new: Option<&'a [bool]>,
    /// Workers that are idle.
    pool: Mutex<Vec<Worker<'a>>>,
}

impl<'a> Mining<'a> {
    fn run(&mut self, cells: u64) -> Result<Ended> {
        if !self.field.is_partial && self.privacy.is_threat(self.field.total, self.mark_totals()) {
            let threat = Threat { present: Vec::new(), absent: Vec::new(), support: self.field.total };
            self.conflicts.insert(self.tree, Vec::new(), threat);
            return Ok(Ended::Complete);
        }
        if self.field.unsafe_rows == 0 {
            return Ok(Ended::Complete);
        }
        let mut starts = Vec::new();
        if self.power.absent > 0 {
            starts.push(Start::Nothing);
        }
        if self.power.present > 0 {
            starts.extend(self.single_nodes().into_iter().map(Start::Present));
        }
        let (mut rest, mut size) = (&starts[..], BATCH);
        while !rest.is_empty() {
            let batch;
            (batch, rest) = rest.split_at(size.min(rest.len()));
            self.clock.check()?;
            let left = cells.saturating_sub(self.effort.cells);
            if left == 0 || self.conflicts.impossible().is_some() {
                break;
            }
            let found: Vec<(Vec<FoundThreat>, Effort, Ended)> =
                batch.par_iter().map(|start| self.work(*start, left)).collect();
            let mut ended = Ended::Complete;
            size = (2 * size).min(LARGEST_BATCH);
            for (found, effort, end) in found {
                self.effort.add(effort);
                if end == Ended::Early {
                    ended = Ended::Early;
                }
                if !found.is_empty() {
                    size = BATCH;
                }
                found.into_iter().for_each(|found| self.keep(found));
            }
            if ended == Ended::Early {
                self.clock.check()?;
                return Ok(Ended::Early);
            }
        }
        Ok(if self.effort.cells >= cells { Ended::Early } else { Ended::Complete })
    }

    fn mark_totals(&self) -> impl Iterator<Item = (u32, u64)> + use<'a> {
        (0..).zip(self.field.mark_totals.iter().copied())
    }

    /// Tests every node by itself, and returns those that larger itemsets may grow from.
    fn single_nodes(&mut self) -> Vec<u32> {
        let mut worker = Worker::new(self);
        let mut growing = worker.test_single_nodes();
        self.effort.add(worker.effort);
        std::mem::take(&mut worker.found).into_iter().for_each(|found| self.keep(found));
        let larger = self.power.present > 1 || self.power.absent > 0;
        let is_new = |node: u32| self.is_new.is_none_or(|is_new| is_new[node as usize]);
        growing.retain(|node| larger && is_new(*node) && !self.guard.is_blocked(self.field, *node));
        growing
    }

    fn work(&self, start: Start, cells: u64) -> (Vec<FoundThreat>, Effort, Ended) {
        let idle = self.pool.lock().ok().and_then(|mut pool| pool.pop());
        let mut worker = match idle {
            Some(worker) => worker,
            None => Worker::new(self),
        };
        worker.catch_up(&self.guard);
        worker.begin(start, cells);
        let found = std::mem::take(&mut worker.found);
        let result = (found, worker.effort, if worker.stopped { Ended::Early } else { Ended::Complete });
        if let Ok(mut pool) = self.pool.lock() {
            pool.push(worker);
        }
        result
    }

    fn keep(&mut self, found: FoundThreat) {
        let FoundThreat { members, numbers, threat } = found;
        if self.conflicts.insert(self.tree, members, threat) && !numbers.is_empty() {
            self.guard.add(numbers);
        }
    }
}
