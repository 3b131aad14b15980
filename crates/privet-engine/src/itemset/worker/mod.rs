//! One task of mining: all itemsets that begin with a given node.

mod absence;
mod last;

use super::field::{Field, NONE};
use super::general::General;
use super::guard::Guard;
use super::marks::{MarkCounts, Once};
use super::mine::{Effort, Mining, Power, Threat};
use crate::conflict::between;
use crate::privacy::kl::KlPrivacy;
use privet_core::clock::Clock;
use privet_taxonomy::{ItemTree, Node};

/// Where a worker begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    /// With nothing known to be present.
    Nothing,
    /// With this node known to be present.
    Present(u32),
}

/// A threat and its conflict, in the numbers of the tree and of the field.
pub(super) struct FoundThreat {
    pub members: Vec<Node>,
    pub numbers: Vec<u32>,
    pub threat: Threat,
}

/// What one task works with; the vectors are kept from task to task.
pub(super) struct Worker<'a> {
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
    pub found: Vec<FoundThreat>,
    pub effort: Effort,
    limit: u64,
    pub stopped: bool,
}

/// What was counted about a node.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// How many transactions or people of the rows at hand hold it.
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

/// Whether a conflict was found that needs nothing but what is chosen already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Open,
    Covered,
}

impl<'a> Worker<'a> {
    pub(super) fn new(mining: &Mining<'a>) -> Worker<'a> {
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
            marks: MarkCounts::new(marks, nodes),
            buffers: Vec::new(),
            found: Vec::new(),
            effort: Effort::default(),
            limit: u64::MAX,
            stopped: false,
        }
    }

    /// Learns what others found in the batches before.
    pub(super) fn catch_up(&mut self, guard: &Guard) {
        self.guard.truncate(self.known);
        self.guard.extend_from(guard);
        self.known = self.guard.len();
    }

    /// Tests every node by itself, and lists those that larger itemsets may begin with.
    pub(super) fn test_single_nodes(&mut self) -> Vec<u32> {
        let all: Vec<u32> = (0..self.field.weights.len() as u32).collect();
        let mut buffer = Buffer::default();
        self.extend(&all, self.field.nodes.len() as u32, &mut buffer);
        buffer.growing
    }

    /// Looks at all itemsets that begin with a node.
    pub(super) fn begin(&mut self, start: Start, cells: u64) {
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
                self.grow(self.field.holders.get(node));
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
    fn grow(&mut self, rows: &[u32]) {
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
        let last = match self.present.last() {
            Some(last) if self.is_new.is_none() || self.present.len() > 1 => *last,
            _ => self.field.nodes.len() as u32,
        };
        let is_last = self.present.len() as u64 + 1 == self.power.present && self.power.absent == 0;
        if is_last && self.marks.marks == 0 && self.is_capping_cheaper(rows, last) {
            self.extend_capped(rows, last);
            return;
        }
        let mut buffer = self.take_buffer();
        let choice = self.extend(rows, last, &mut buffer);
        if choice == Choice::Open && !is_last && !buffer.growing.is_empty() {
            self.deal(rows, last, &mut buffer);
            let before = self.guard.len();
            let mut begin = 0;
            for (node, end) in buffer.growing.iter().zip(&buffer.ends) {
                if !self.guard.is_blocked(self.field, *node) {
                    self.choose(*node, true);
                    self.grow(&buffer.rows[begin..*end]);
                    self.release(true);
                    if self.stopped || self.guard.covers_choice(before) {
                        break;
                    }
                }
                begin = *end;
            }
        }
        self.give_back(buffer);
    }

    /// Whether a node by itself was looked at before.
    fn is_known(&self, node: u32) -> bool {
        self.present.is_empty() && self.is_new.is_some_and(|is_new| !is_new[node as usize])
    }

    /// Whether itemsets with this node are looked at elsewhere: those with several new nodes begin with the last of them.
    fn comes_before(&self, node: u32) -> bool {
        let (Some(is_new), Some(first)) = (self.is_new, self.present.first()) else { return false };
        node >= *first && is_new[node as usize]
    }

    /// The space for what this step of the recursion keeps: there is one per chosen node.
    fn take_buffer(&mut self) -> Buffer {
        let depth = self.present.len();
        if self.buffers.len() <= depth {
            self.buffers.resize_with(depth + 1, Buffer::default);
        }
        std::mem::take(&mut self.buffers[depth])
    }

    fn give_back(&mut self, buffer: Buffer) {
        self.buffers[self.present.len()] = buffer;
    }

    /// Begins to count anew.
    fn begin_pass(&mut self) {
        if self.pass == u32::MAX {
            self.slots.fill(Slot::default());
            self.among.fill(0);
            self.pass = 0;
        }
        self.pass += 1;
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
        self.begin_pass();
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

    /// Counts the nodes before `last` that unsafe rows hold in all rows.
    fn count(&mut self, rows: &[u32], last: u32, into: &mut Vec<u32>) {
        self.begin_pass();
        into.clear();
        let field = self.field;
        let mut cells = 0;
        // Unsafe rows come first: what none of them holds is of no interest in the others.
        for row in rows {
            let weight = field.weights[*row as usize];
            let is_unsafe = *row < field.unsafe_rows;
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
    }

    /// Puts right what was counted in this pass where an owner has several of the rows.
    fn count_owners_once(&mut self, rows: &[u32], once: Once) {
        let (field, pass) = (self.field, self.pass);
        let mut held: Vec<u32> = Vec::new();
        for run in field.runs(rows) {
            let weight = field.weights[run[0] as usize];
            held.clear();
            for row in run {
                let nodes = field.rows.get(*row);
                held.extend(nodes.iter().filter(|node| self.slots[**node as usize].pass == pass));
            }
            self.effort.cells += held.len() as u64;
            held.sort_unstable();
            for same in held.chunk_by(|one, other| one == other) {
                let support = &mut self.slots[same[0] as usize].support;
                *support = *support - weight * same.len() as u64 + weight * once.count(same.len(), run.len());
            }
            if self.marks.marks > 0 {
                let slots = &self.slots;
                self.marks.count_once(field, run, once, &|node| slots[node as usize].pass == pass);
            }
        }
    }

    /// Counts each node before `last` together with what is chosen, reports threats, and lists the nodes worth choosing.
    fn extend(&mut self, rows: &[u32], last: u32, buffer: &mut Buffer) -> Choice {
        let Buffer { candidates, growing, .. } = buffer;
        self.count(rows, last, candidates);
        // What is new may be in all rows at hand, but not in those that are left out.
        let is_part = self.field.is_partial && self.present.is_empty();
        let all = if is_part { u32::MAX } else { rows.len() as u32 };
        growing.clear();
        let field = self.field;
        if self.marks.marks > 0 {
            let (slots, pass) = (&self.slots, self.pass);
            self.marks.count(field, rows, &|node| node < last && slots[node as usize].pass == pass);
        }
        self.count_owners_once(rows, Once::IfAny);
        let choice = self.sift(candidates, last, |worker, node| {
            let Slot { support, rows, .. } = worker.slots[node as usize];
            if worker.is_threat(node, support) {
                return Some(support);
            }
            // Prunings III and III′: what a node adds nothing to is tested without it, and what fits a node just like its
            // parent is tested with the parent. The rows have to be the same: as many people may have fewer rows.
            let above = field.parent[node as usize];
            let like_parent = above != NONE && {
                let above = &worker.slots[above as usize];
                above.pass == worker.pass && above.rows == rows
            };
            if rows != all && !like_parent {
                growing.push(node);
            }
            None
        });
        self.marks.clear();
        choice
    }

    /// Goes through ascending candidates for the next node, and reports those that make a threat: `test` tells how many
    /// transactions fit it then.
    fn sift(
        &mut self,
        candidates: &[u32],
        last: u32,
        mut test: impl FnMut(&mut Self, u32) -> Option<u64>,
    ) -> Choice {
        let field = self.field;
        let mut skip = 0;
        for node in candidates.iter().copied() {
            if node < skip || self.is_known(node) {
                continue;
            }
            // A node above a chosen one is implied by it.
            if field.end[node as usize] <= last {
                if field.is_flat && (self.comes_before(node) || self.guard.is_blocked(field, node)) {
                    continue;
                }
                self.effort.itemsets += 1;
                if let Some(support) = test(self, node) {
                    if self.report(node, true, support) == Choice::Covered {
                        return Choice::Covered;
                    }
                    skip = field.end[field.parent[node as usize] as usize];
                    continue;
                }
            }
            if self.guard.blocks_below(node) {
                skip = field.end[node as usize];
            }
        }
        Choice::Open
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
        let named = |numbers: &[u32]| -> Vec<Node> {
            numbers.iter().map(|number| self.field.nodes[*number as usize]).collect()
        };
        let (present, absent) = (named(&self.present), named(&self.absent));
        let mut threat = Threat { present, absent, support };
        let more = self.field.nodes[node as usize];
        if is_present {
            threat.present.push(more)
        } else {
            threat.absent.push(more)
        }
        if self.field.is_flat {
            let Field { lookup, reach, .. } = self.field;
            General { tree: self.tree, lookup, k: self.privacy.k, reach: *reach }.generalise(&mut threat);
        }
        threat.present.sort_unstable();
        threat.absent.sort_unstable();
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
        self.found.push(FoundThreat { members, numbers, threat });
        if self.stopped || self.guard.covers_choice(before) { Choice::Covered } else { Choice::Open }
    }
}
