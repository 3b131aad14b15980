//! Mining for threats: itemsets of visible nodes that too few transactions fit, or that tell a sensitive item too surely
//! (Definition 4.4). What comes out are conflicts, and combinations that a known conflict covers are never counted.
//!
//! Itemsets are grown from nodes in descending preorder, so that at every step what is left to add lies before what is
//! chosen, and general nodes come before special ones. Only itemsets that hold in some *unsafe* row are grown
//! ([`Field`]): no others can be threats.

use std::sync::Mutex;

use rayon::prelude::*;

use super::field::{Field, Layout, NONE, is_set};
use super::general::Itemset;
use super::guard::Guard;
use super::rows::Rows;
use crate::Result;
use crate::engine::clock::Clock;
use crate::engine::conflict::{Conflicts, between};
use crate::privacy::kl::KlPrivacy;
use crate::taxonomy::{ItemTree, Node};

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

/// First items that are worked on before conflicts are shared. The same for any number of threads, so that what is found
/// does not depend on it.
const BATCH: usize = 8;

/// The transactions as a cut shows them, ready to be mined for threats.
#[derive(Debug)]
pub struct Miner<'a> {
    tree: &'a ItemTree,
    privacy: &'a KlPrivacy,
    field: Field,
}

impl<'a> Miner<'a> {
    /// Lays the rows of a cut out.
    pub fn new(tree: &'a ItemTree, rows: &Rows, privacy: &'a KlPrivacy, layout: Layout) -> Miner<'a> {
        Miner { tree, privacy, field: Field::new(tree, rows, privacy, layout) }
    }

    /// Whether no threat is possible with the absences that it was laid out for, however many items are known.
    pub fn is_safe(&self) -> bool {
        self.field.unsafe_rows == 0
    }

    /// How many items of a transaction an adversary can know to be present where that may harm.
    pub fn longest(&self) -> u64 {
        self.field.longest()
    }

    /// The least that an absence costs the adversary; more than there is where nothing occurs.
    pub fn least_absence(&self) -> u64 {
        self.field.fewest_leaves()
    }

    /// Finds the conflicts of all threats within `power` among the visible nodes, and adds them to `conflicts`.
    ///
    /// At most about `cells` cells are looked at. `mined` is another cut whose threats within `power` all have a known
    /// conflict, if there is one: what consists of its nodes is not looked at again.
    pub fn mine(
        &self,
        power: Power,
        cells: u64,
        mined: Option<&[Node]>,
        conflicts: &mut Conflicts<Threat>,
        clock: &Clock,
    ) -> Result<(Ended, Effort)> {
        // Nodes above a cut would have to be told apart as well, and absences.
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

struct Mining<'a> {
    tree: &'a ItemTree,
    field: &'a Field,
    privacy: &'a KlPrivacy,
    power: Power,
    clock: &'a Clock,
    conflicts: &'a mut Conflicts<Threat>,
    effort: Effort,
    /// All conflicts known when a batch begins.
    guard: Guard,
    /// Per node, whether itemsets with it have to be looked at, where others need not be.
    is_new: Option<&'a [bool]>,
    /// Workers that are idle.
    pool: Mutex<Vec<Worker<'a>>>,
}

/// Where a worker begins.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// With nothing known to be present.
    Nothing,
    /// With this node known to be present.
    Present(u32),
}

impl<'a> Mining<'a> {
    fn run(&mut self, cells: u64) -> Result<Ended> {
        if self.privacy.is_threat(self.field.total, self.mark_totals()) {
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
        for batch in starts.chunks(BATCH) {
            self.clock.check()?;
            let left = cells.saturating_sub(self.effort.cells);
            if left == 0 || self.conflicts.impossible().is_some() {
                break;
            }
            let found: Vec<(Vec<Found>, Effort, Ended)> =
                batch.par_iter().map(|start| self.work(*start, left)).collect();
            let mut ended = Ended::Complete;
            for (found, effort, end) in found {
                self.effort.add(effort);
                if end == Ended::Early {
                    ended = Ended::Early;
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
        let all: Vec<u32> = (0..self.field.weights.len() as u32).collect();
        let mut buffer = Buffer::default();
        worker.extend(&all, self.field.nodes.len() as u32, &mut buffer);
        let mut growing = buffer.growing;
        self.effort.add(worker.effort);
        std::mem::take(&mut worker.found).into_iter().for_each(|found| self.keep(found));
        let larger = self.power.present > 1 || self.power.absent > 0;
        let is_new = |node: u32| self.is_new.is_none_or(|is_new| is_new[node as usize]);
        growing.retain(|node| larger && is_new(*node) && !self.guard.is_blocked(self.field, *node));
        growing
    }

    fn work(&self, start: Start, cells: u64) -> (Vec<Found>, Effort, Ended) {
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

    fn keep(&mut self, found: Found) {
        let Found { members, numbers, threat } = found;
        if self.conflicts.insert(self.tree, members, threat) && !numbers.is_empty() {
            self.guard.add(numbers);
        }
    }
}

/// A threat and its conflict, in the numbers of the tree and of the field.
struct Found {
    members: Vec<Node>,
    numbers: Vec<u32>,
    threat: Threat,
}

/// What one task works with; the vectors are kept from task to task.
struct Worker<'a> {
    tree: &'a ItemTree,
    field: &'a Field,
    privacy: &'a KlPrivacy,
    power: Power,
    clock: &'a Clock,
    is_new: Option<&'a [bool]>,
    guard: Guard,
    /// How many conflicts were known before the task.
    known: usize,
    present: Vec<u32>,
    absent: Vec<u32>,
    /// Per node, what was counted last.
    slots: Vec<Slot>,
    /// Per row, the last pass whose rows it belongs to.
    among: Vec<u32>,
    pass: u32,
    marks: MarkCounts,
    buffers: Vec<Buffer>,
    found: Vec<Found>,
    effort: Effort,
    limit: u64,
    stopped: bool,
}

/// What was counted about a node.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// How many transactions of the rows at hand hold it.
    support: u64,
    /// How many rows; while they are dealt out, where the next one goes.
    rows: u32,
    /// The pass that counted it.
    pass: u32,
}

/// A row's place that is not wanted.
const UNWANTED: u32 = u32::MAX;

/// What one step of the recursion keeps while the next one works.
#[derive(Default)]
struct Buffer {
    candidates: Vec<u32>,
    growing: Vec<u32>,
    ends: Vec<usize>,
    rows: Vec<u32>,
}

/// How often each sensitive item goes with each node in the rows at hand.
struct MarkCounts {
    marks: usize,
    counts: Vec<u64>,
    touched: Vec<u32>,
    /// The sums over all rows at hand.
    sums: Vec<u64>,
}

/// Whether a conflict was found that needs nothing but what is chosen already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Open,
    Covered,
}

impl<'a> Worker<'a> {
    fn new(mining: &Mining<'a>) -> Worker<'a> {
        let Mining { tree, field, privacy, power, clock, is_new, .. } = *mining;
        let guard = mining.guard.clone();
        let nodes = field.nodes.len();
        let marks = if privacy.guards_marks() { privacy.theta.len() } else { 0 };
        Worker {
            tree,
            field,
            privacy,
            power,
            clock,
            is_new,
            known: guard.len(),
            guard,
            present: Vec::new(),
            absent: Vec::new(),
            slots: vec![Slot::default(); nodes],
            among: vec![0; field.weights.len()],
            pass: 0,
            marks: MarkCounts {
                marks,
                counts: vec![0; nodes * marks],
                touched: Vec::new(),
                sums: vec![0; marks],
            },
            buffers: Vec::new(),
            found: Vec::new(),
            effort: Effort::default(),
            limit: u64::MAX,
            stopped: false,
        }
    }

    /// Learns what others found in the batches before.
    fn catch_up(&mut self, guard: &Guard) {
        self.guard.truncate(self.known);
        self.guard.extend_from(guard);
        self.known = self.guard.len();
    }

    fn begin(&mut self, start: Start, cells: u64) {
        self.effort = Effort::default();
        self.limit = cells;
        self.stopped = false;
        match start {
            Start::Nothing => {
                let all: Vec<u32> = (0..self.field.weights.len() as u32).collect();
                self.lack(&all, 0, self.power.absent);
            }
            Start::Present(node) if self.guard.is_blocked(self.field, node) => {}
            Start::Present(node) => {
                self.choose(node, true);
                self.grow(self.field.holders.get(node), 0);
                self.release(true);
            }
        }
    }

    fn choose(&mut self, node: u32, is_present: bool) {
        self.guard.choose(self.field, node);
        if is_present { self.present.push(node) } else { self.absent.push(node) }
    }

    fn release(&mut self, is_present: bool) {
        let list = if is_present { &mut self.present } else { &mut self.absent };
        if let Some(node) = list.pop() {
            self.guard.release(self.field, node);
        }
    }

    /// Looks for threats among the itemsets that have all chosen nodes and more; `rows` are those that fit.
    fn grow(&mut self, rows: &[u32], depth: usize) {
        if self.is_safe(rows) || self.is_over() {
            return;
        }
        if self.power.absent > 0 && self.lack(rows, 0, self.power.absent) == Choice::Covered {
            return;
        }
        if self.present.len() as u64 >= self.power.present {
            return;
        }
        // Itemsets with something new begin with it, and all else may follow; the others go down in order.
        let last = match self.present[..] {
            [] | [_] if self.is_new.is_some() => self.field.nodes.len() as u32,
            [.., last] => last,
            [] => self.field.nodes.len() as u32,
        };
        let is_last = self.present.len() as u64 + 1 == self.power.present && self.power.absent == 0;
        if is_last && self.marks.marks == 0 && self.is_capping_cheaper(rows, last) {
            self.extend_capped(rows, last, depth);
            return;
        }
        let mut buffer = self.take_buffer(depth);
        let choice = self.extend(rows, last, &mut buffer);
        if choice == Choice::Open && !is_last && !buffer.growing.is_empty() {
            self.deal(rows, last, &mut buffer);
            let before = self.guard.len();
            let mut begin = 0;
            for (node, end) in buffer.growing.iter().zip(&buffer.ends) {
                if !self.guard.is_blocked(self.field, *node) {
                    self.choose(*node, true);
                    self.grow(&buffer.rows[begin..*end], depth + 1);
                    self.release(true);
                    if self.stopped || self.guard.covers_choice(before) {
                        break;
                    }
                }
                begin = *end;
            }
        }
        self.buffers[depth] = buffer;
    }

    /// Whether itemsets with this node are looked at elsewhere: those with several new nodes begin with the last of them.
    fn comes_before(&self, node: u32) -> bool {
        let (Some(is_new), Some(first)) = (self.is_new, self.present.first()) else { return false };
        node >= *first && is_new[node as usize]
    }

    fn take_buffer(&mut self, depth: usize) -> Buffer {
        if self.buffers.len() <= depth {
            self.buffers.resize_with(depth + 1, Buffer::default);
        }
        std::mem::take(&mut self.buffers[depth])
    }

    fn is_safe(&self, rows: &[u32]) -> bool {
        rows.first().is_none_or(|first| *first >= self.field.unsafe_rows)
    }

    fn is_over(&mut self) -> bool {
        self.stopped |= self.effort.cells > self.limit || self.clock.is_over() || self.clock.check().is_err();
        self.stopped
    }

    /// The nodes before `last` that unsafe rows hold, ascending.
    fn candidates(&mut self, rows: &[u32], last: u32, into: &mut Vec<u32>) {
        self.pass += 1;
        into.clear();
        for row in rows.iter().take_while(|row| **row < self.field.unsafe_rows) {
            for node in self.field.rows.get(*row).iter().take_while(|node| **node < last) {
                self.effort.cells += 1;
                let slot = &mut self.slots[*node as usize];
                if slot.pass != self.pass {
                    slot.pass = self.pass;
                    into.push(*node);
                }
            }
        }
        into.sort_unstable();
    }

    /// Counts the nodes before `last` that unsafe rows hold in all rows; returns how many transactions those are.
    fn count(&mut self, rows: &[u32], last: u32, into: &mut Vec<u32>) -> u64 {
        self.pass += 1;
        into.clear();
        let field = self.field;
        let mut total = 0;
        let mut cells = 0;
        // Unsafe rows come first: what none of them holds is of no interest in the others.
        for row in rows {
            let weight = field.weights[*row as usize];
            let is_unsafe = *row < field.unsafe_rows;
            total += weight;
            for node in field.rows.get(*row).iter().take_while(|node| **node < last) {
                cells += 1;
                let slot = &mut self.slots[*node as usize];
                if slot.pass == self.pass {
                    slot.support += weight;
                    slot.rows += 1;
                } else if is_unsafe {
                    *slot = Slot { support: weight, rows: 1, pass: self.pass };
                    into.push(*node);
                }
            }
        }
        self.effort.cells += cells;
        into.sort_unstable();
        total
    }

    /// Counts each node before `last` beside what is chosen, reports threats, and lists the nodes worth choosing.
    fn extend(&mut self, rows: &[u32], last: u32, buffer: &mut Buffer) -> Choice {
        let Buffer { candidates, growing, .. } = buffer;
        let total = self.count(rows, last, candidates);
        growing.clear();
        let field = self.field;
        if self.marks.marks > 0 {
            let (slots, pass) = (&self.slots, self.pass);
            self.marks.count(field, rows, &|node| node < last && slots[node as usize].pass == pass);
        }
        let mut choice = Choice::Open;
        let mut skip = 0;
        for node in candidates.iter().copied() {
            if node < skip {
                continue;
            }
            // A node above a chosen one is implied by it.
            if field.end[node as usize] <= last {
                if field.is_flat && (self.comes_before(node) || self.guard.is_blocked(field, node)) {
                    continue;
                }
                self.effort.itemsets += 1;
                let support = self.slots[node as usize].support;
                if self.is_threat(node, support) {
                    match self.report(node, true, support) {
                        Choice::Covered => {
                            choice = Choice::Covered;
                            break;
                        }
                        Choice::Open => skip = field.end[field.parent[node as usize] as usize],
                    }
                    continue;
                }
                // Prunings III and III′: what a node adds nothing to is tested without it, and what fits a node just
                // like its parent is tested with the parent.
                let above = field.parent[node as usize];
                let like_parent = above != NONE && {
                    let above = &self.slots[above as usize];
                    above.pass == self.pass && above.support == support
                };
                if support != total && !like_parent {
                    growing.push(node);
                }
            }
            if self.guard.blocks_below(node) {
                skip = field.end[node as usize];
            }
        }
        self.marks.clear();
        choice
    }

    fn is_threat(&self, node: u32, support: u64) -> bool {
        self.privacy.is_threat(support, self.marks.of(node))
    }

    /// Lists the rows of each growing node.
    fn deal(&mut self, rows: &[u32], last: u32, buffer: &mut Buffer) {
        let Buffer { candidates, growing, ends, rows: dealt } = buffer;
        ends.clear();
        let mut total = 0;
        let mut growing = growing.iter().peekable();
        for node in candidates.iter() {
            let slot = &mut self.slots[*node as usize];
            if growing.next_if_eq(&node).is_some() {
                let first = total;
                total += slot.rows;
                slot.rows = first;
                ends.push(total as usize);
            } else {
                slot.rows = UNWANTED;
            }
        }
        dealt.clear();
        dealt.resize(total as usize, 0);
        for row in rows {
            for node in self.field.rows.get(*row).iter().take_while(|node| **node < last) {
                let slot = &mut self.slots[*node as usize];
                if slot.pass == self.pass && slot.rows != UNWANTED {
                    dealt[slot.rows as usize] = *row;
                    slot.rows += 1;
                }
            }
        }
    }

    /// Takes a threat down: what is chosen, and one more node. Where rows show one cut only, a more general threat is
    /// sought first.
    fn report(&mut self, node: u32, is_present: bool, support: u64) -> Choice {
        self.effort.threats += 1;
        let mut itemset = Itemset { present: self.present.clone(), absent: self.absent.clone(), support };
        if is_present {
            itemset.present.push(node)
        } else {
            itemset.absent.push(node)
        }
        if self.field.is_flat {
            itemset.generalise(self.field, self.privacy.k);
        }
        let named = |numbers: &[u32]| -> Vec<Node> {
            let mut nodes: Vec<Node> =
                numbers.iter().map(|number| self.field.nodes[*number as usize]).collect();
            nodes.sort_unstable();
            nodes
        };
        let threat = Threat {
            present: named(&itemset.present),
            absent: named(&itemset.absent),
            support: itemset.support,
        };
        let members = between(self.tree, threat.present.iter().chain(&threat.absent).copied());
        let numbers: Vec<u32> = members
            .iter()
            .filter_map(|member| self.field.nodes.binary_search(member).ok())
            .map(|at| at as u32)
            .collect();
        let before = self.guard.len();
        if numbers.is_empty() {
            self.stopped = true;
        } else {
            self.guard.add(numbers.clone());
        }
        self.found.push(Found { members, numbers, threat });
        if self.stopped || self.guard.covers_choice(before) { Choice::Covered } else { Choice::Open }
    }
}

/// The last item, where only "none, fewer than k, or enough" matters.
impl Worker<'_> {
    /// Whether it takes less to look for k transactions per node than to count all nodes of all rows.
    fn is_capping_cheaper(&self, rows: &[u32], last: u32) -> bool {
        let unsafe_rows = rows.partition_point(|row| *row < self.field.unsafe_rows);
        let mean = self.field.mean_length * u64::from(last) / self.field.nodes.len().max(1) as u64 + 1;
        let counting = rows.len() as u64 * mean;
        // Each candidate takes a few dozen looks for small k; there are at most as many as cells of unsafe rows.
        let candidates = (unsafe_rows as u64 * mean).min(u64::from(last));
        counting > candidates * (8 + 4 * self.privacy.k) + rows.len() as u64
    }

    fn extend_capped(&mut self, rows: &[u32], last: u32, depth: usize) {
        let mut buffer = self.take_buffer(depth);
        self.candidates(rows, last, &mut buffer.candidates);
        let field = self.field;
        for row in rows {
            self.among[*row as usize] = self.pass;
        }
        self.effort.cells += rows.len() as u64;
        let mut skip = 0;
        for node in &buffer.candidates {
            let node = *node;
            if node < skip {
                continue;
            }
            if field.end[node as usize] <= last {
                if field.is_flat && (self.comes_before(node) || self.guard.is_blocked(field, node)) {
                    continue;
                }
                self.effort.itemsets += 1;
                let support = self.capped_support(rows, node);
                if support < self.privacy.k {
                    match self.report(node, true, support) {
                        Choice::Covered => break,
                        Choice::Open => skip = field.end[field.parent[node as usize] as usize],
                    }
                    continue;
                }
            }
            if self.guard.blocks_below(node) {
                skip = field.end[node as usize];
            }
        }
        self.buffers[depth] = buffer;
    }

    /// How many transactions of `rows` hold the node, or k or more. Heavy rows come last, so they are looked at first.
    fn capped_support(&mut self, rows: &[u32], node: u32) -> u64 {
        let field = self.field;
        let holders = field.holders.get(node);
        let mut support = 0;
        let by_rows = field.bitmap(node).filter(|_| rows.len() < 4 * holders.len());
        if let Some(bitmap) = by_rows {
            for row in rows.iter().rev() {
                self.effort.cells += 1;
                if is_set(bitmap, *row) {
                    support += field.weights[*row as usize];
                    if support >= self.privacy.k {
                        break;
                    }
                }
            }
        } else {
            for row in holders.iter().rev() {
                self.effort.cells += 1;
                if self.among[*row as usize] == self.pass {
                    support += field.weights[*row as usize];
                    if support >= self.privacy.k {
                        break;
                    }
                }
            }
        }
        support
    }
}

/// Absences.
impl Worker<'_> {
    /// Looks for threats among the itemsets with what is chosen and absent nodes from `from` on, of at most `budget`
    /// leaves; `rows` are those that fit so far.
    fn lack(&mut self, rows: &[u32], from: u32, budget: u64) -> Choice {
        if self.is_safe(rows) || self.is_over() {
            return Choice::Open;
        }
        let field = self.field;
        let (total, mut candidates) = self.count_absences(rows, from, budget);
        if !self.can_lack(total, &candidates, budget) {
            self.marks.clear();
            return Choice::Open;
        }
        candidates.sort_unstable();
        let sums = self.marks.sums.clone();
        let smallest =
            candidates.iter().map(|node| u64::from(field.leaves[*node as usize])).min().unwrap_or(0);
        let mut growing = Vec::new();
        let mut skip = 0;
        for node in candidates {
            let leaves = u64::from(field.leaves[node as usize]);
            let held = self.slots[node as usize].support;
            // A node that a chosen one implies cannot be absent; one that nothing or everything holds tells nothing.
            let implied =
                self.present.iter().any(|present| (node..field.end[node as usize]).contains(present));
            if node < skip || implied || held == total || self.guard.is_blocked(field, node) {
                continue;
            }
            self.effort.itemsets += 1;
            let support = total - held;
            let counts = self.marks.of(node).map(|(mark, count)| (mark, sums[mark as usize] - count));
            if self.privacy.is_threat(support, counts) {
                match self.report(node, false, support) {
                    Choice::Covered => {
                        self.marks.clear();
                        return Choice::Covered;
                    }
                    Choice::Open => skip = field.end[field.parent[node as usize] as usize],
                }
            } else if leaves + smallest <= budget {
                growing.push(node);
            }
        }
        self.marks.clear();
        let before = self.guard.len();
        for node in growing {
            if self.guard.is_blocked(field, node) {
                continue;
            }
            let without: Vec<u32> = rows
                .iter()
                .copied()
                .filter(|row| field.rows.get(*row).binary_search(&node).is_err())
                .collect();
            self.effort.cells += rows.len() as u64;
            self.choose(node, false);
            let left = budget - u64::from(field.leaves[node as usize]);
            self.lack(&without, field.end[node as usize], left);
            self.release(false);
            if self.stopped || self.guard.covers_choice(before) {
                return Choice::Covered;
            }
        }
        Choice::Open
    }

    /// Counts the nodes from `from` on that absences can be about; returns all transactions of the rows, and the nodes.
    fn count_absences(&mut self, rows: &[u32], from: u32, budget: u64) -> (u64, Vec<u32>) {
        self.pass += 1;
        let field = self.field;
        let mut candidates = Vec::new();
        let mut total = 0;
        for row in rows {
            let weight = field.weights[*row as usize];
            total += weight;
            let nodes = field.rows.get(*row);
            let first = nodes.partition_point(|node| *node < from);
            for node in &nodes[first..] {
                self.effort.cells += 1;
                let at = *node as usize;
                if u64::from(field.leaves[at]) > budget {
                    continue;
                }
                let slot = &mut self.slots[at];
                if slot.pass == self.pass {
                    slot.support += weight;
                } else {
                    *slot = Slot { support: weight, rows: 0, pass: self.pass };
                    candidates.push(*node);
                }
            }
        }
        if self.marks.marks > 0 {
            let (slots, pass) = (&self.slots, self.pass);
            self.marks.count(field, rows, &|node| node >= from && slots[node as usize].pass == pass);
        }
        (total, candidates)
    }

    /// Whether absences of `budget` leaves could leave too few rows, or a sensitive item too frequent in what is left: the
    /// most that they can take away is a fractional knapsack over the lowest nodes, and a sensitive item's count does not
    /// grow.
    fn can_lack(&self, total: u64, candidates: &[u32], budget: u64) -> bool {
        let field = self.field;
        let is_lowest = |node: &&u32| field.end[**node as usize] == **node + 1;
        let mut items: Vec<(u64, u64)> = (candidates.iter().filter(is_lowest))
            .map(|node| (self.slots[*node as usize].support, u64::from(field.leaves[*node as usize])))
            .collect();
        items.sort_unstable_by(|(one, its), (other, their)| {
            (u128::from(*other) * u128::from(*its)).cmp(&(u128::from(*one) * u128::from(*their)))
        });
        let (mut removed, mut left) = (0u64, budget);
        for (support, leaves) in items {
            if leaves > left {
                removed += (u128::from(support) * u128::from(left)).div_ceil(u128::from(leaves)) as u64;
                break;
            }
            removed += support;
            left -= leaves;
        }
        let kept = total.saturating_sub(removed);
        kept < self.privacy.k
            || (0..).zip(&self.marks.sums).any(|(mark, count)| self.privacy.exceeds(mark, *count, kept))
    }
}

impl MarkCounts {
    fn count(&mut self, field: &Field, rows: &[u32], counts: &dyn Fn(u32) -> bool) {
        for row in rows {
            let marks = field.marks.get(*row);
            if marks.is_empty() {
                continue;
            }
            for (mark, count) in marks {
                self.sums[*mark as usize] += count;
            }
            for node in field.rows.get(*row).iter().filter(|node| counts(**node)) {
                let base = *node as usize * self.marks;
                for (mark, count) in marks {
                    let place = &mut self.counts[base + *mark as usize];
                    if *place == 0 {
                        self.touched.push((base + *mark as usize) as u32);
                    }
                    *place += count;
                }
            }
        }
    }

    fn of(&self, node: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let base = node as usize * self.marks;
        (0..).zip(self.counts[base..base + self.marks].iter().copied())
    }

    fn clear(&mut self) {
        self.touched.drain(..).for_each(|at| self.counts[at as usize] = 0);
        self.sums.fill(0);
    }
}
