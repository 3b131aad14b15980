//! Is there a threat? Every combination of what an adversary may know, by definition, without looking at those that
//! cannot be a threat.
//!
//! Let TS(X) be the transactions that fit the knowledge X. X is a threat if TS(X) is not empty and (a) has fewer than k
//! transactions or (b) has a sensitive item in more than its share θ of them. The two are looked for one after the other,
//! (b) only once there is no (a): then every TS(X) that is not empty has at least k transactions.
//!
//! What is passed over, and why that is right:
//!
//! 1. *Cells.* Transactions that hold the same nodes fit the same knowledge, so TS(X) is a union of cells.
//! 2. *Safe cells.* If (a) [or (b)] is false for each of some disjoint sets of transactions, it is false for their union:
//!    sizes add up to at least k, shares are a mean of shares. So every threat fits a cell that is itself too small [or has
//!    too large a share]: a *hot* cell. Where TS(X) has no hot cell, neither X nor anything added to it is a threat.
//! 3. *Absences of published nodes suffice.* "Not A" says "none of the topmost published nodes at or below A"; these are
//!    disjoint branches, so together they have no more leaves than A.
//! 4. *For (a), presences of published nodes suffice.* If transaction t fits a threat with A present, t publishes some x at
//!    or below A. With x in the place of A, t still fits and no other transaction begins to.
//! 5. *Safe transactions*, for (a). Let S be the transactions that hold all that t holds. If no affordable absences of nodes
//!    that t does not hold leave fewer than k of S, then t fits no threat whatever m is: X can only name nodes that t
//!    holds as present, so TS(X) contains S without those that hold what X says is absent. If some absences do and t
//!    holds at most m published nodes, they are a threat. Either way no more needs to be asked about t.
//! 6. *Nothing new.* If x is held by all of TS(P), P with x is P at a higher price. If x present leaves the same as its
//!    parent present, x may be replaced by its parent in every X that contains P and x.
//! 7. *Related presences.* With A above d, "A and d" is "d"; an itemset's presences are an antichain.
//! 8. *Bound for absences.* Absences of n leaves remove no more transactions from TS(P) than the best fractional choice of
//!    nodes by transactions per leaf. What is left must still be a threat.
//! 9. *Support*, for (b). As TS(X) has at least k transactions, more than θ·k of them must have the sensitive item.

use std::ops::ControlFlow::{self, Break, Continue};

use rayon::prelude::*;

use super::demand::Demand;
use super::released::{Cell, Knowledge, Sum, TransactionCells};
use super::walk::{CellWalk, Lists};
use privet_core::Result;
use privet_taxonomy::Node;

/// How many branches are searched between two looks at the clock.
const BRANCHES: usize = 64;

/// What makes knowledge a threat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// Fewer than k transactions fit.
    Few,
    /// A sensitive item is in more than its share, where at least this many transactions fit whatever fits any.
    Share { at_least: u64 },
}

/// The first threat in the order of the search, without what it does not need; `None` if there is none.
pub(crate) fn first_threat(
    released: &TransactionCells<'_>,
    demand: &Demand,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Option<Knowledge>> {
    for aim in [Aim::Few, Aim::Share { at_least: demand.k }] {
        if let Some(known) = CellSearch::new(released, demand, aim).first(tick)? {
            return Ok(Some(demand.shortened(released, known)));
        }
    }
    Ok(None)
}

/// How many transactions fit a threat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposed {
    /// How many transactions fit.
    pub transactions: u64,
    /// Whether the search came to its end; otherwise there may be more.
    pub complete: bool,
}

/// Counts the transactions that fit some threat, in at most `steps` looks at a node of a cell.
pub fn exposed(released: &TransactionCells<'_>, demand: &Demand, steps: u64) -> Exposed {
    let mut exposed = vec![false; released.cells.len()];
    let mut complete = true;
    let mut left = steps;
    for aim in [Aim::Few, Aim::Share { at_least: 1 }] {
        let search = CellSearch::new(released, demand, aim);
        let mut walk = CellWalk::new(&search, left);
        walk.exposed = Some(exposed);
        walk.settled = vec![false; released.cells.len()];
        complete &= search.every(&mut walk).is_continue();
        left = walk.steps;
        exposed = walk.exposed.unwrap_or_default();
    }
    let found = released.cells.iter().zip(&exposed).filter(|(_, exposed)| **exposed);
    Exposed { transactions: found.map(|(cell, _)| cell.weight).sum(), complete }
}

/// The data as one of the two searches sees it.
pub(super) struct CellSearch<'a> {
    pub released: &'a TransactionCells<'a>,
    pub demand: &'a Demand,
    pub aim: Aim,
    /// Per cell, where the nodes that it holds begin in `held`; one more for the end.
    starts: Vec<usize>,
    /// The nodes that each cell holds, ascending: for (a) those that are published somewhere (shortcut 4), for (b) all.
    held: Vec<Node>,
    /// Per cell a bit for each of the nodes that it holds, several nodes sharing one: a cell without the bits of another does
    /// not hold all that the other does.
    signatures: Vec<u64>,
    /// Per cell that is itself too large a share, the sensitive items concerned (shortcut 2); empty for (a).
    hot_marks: Vec<Vec<u32>>,
    /// Per cell, whether it is itself too small (shortcut 2) and not known to be safe (shortcut 5); for (b) whether it has
    /// hot marks.
    hot: Vec<bool>,
    /// Per node, whether it is published and its absence can be known (shortcut 3).
    pub deniable: Vec<bool>,
}

impl<'a> CellSearch<'a> {
    fn new(released: &'a TransactionCells<'a>, demand: &'a Demand, aim: Aim) -> CellSearch<'a> {
        let tree = released.tree;
        let exceeding = |cell: &Cell| -> Vec<u32> {
            let marks = cell.marks.iter().filter(|(mark, count)| demand.exceeds(*mark, *count, cell.weight));
            marks.map(|(mark, _)| *mark).collect()
        };
        let hot_marks: Vec<Vec<u32>> = match aim {
            Aim::Few => Vec::new(),
            Aim::Share { .. } => released.cells.iter().map(exceeding).collect(),
        };
        let hot: Vec<bool> = match aim {
            Aim::Few => released.cells.iter().map(|cell| cell.weight < demand.k).collect(),
            Aim::Share { .. } => hot_marks.iter().map(|marks| !marks.is_empty()).collect(),
        };
        let (mut starts, mut held, mut signatures) = (vec![0], Vec::new(), Vec::new());
        let mut own: Vec<Node> = Vec::new();
        // Without a hot cell, nothing is looked up.
        for cell in if hot.contains(&true) { &released.cells[..] } else { &[] } {
            own.clear();
            for node in &cell.nodes {
                let above = tree.ancestors(*node);
                own.extend(above.filter(|node| aim != Aim::Few || released.published[*node as usize]));
                own.push(*node);
            }
            own.sort_unstable();
            own.dedup();
            held.extend_from_slice(&own);
            starts.push(held.len());
            signatures.push(signature(&own));
        }
        let within = |node: Node| u64::from(tree.leaves(node)) <= demand.n;
        let deniable = tree.nodes().map(|node| released.published[node as usize] && within(node)).collect();
        CellSearch { released, demand, aim, starts, held, signatures, hot_marks, hot, deniable }
    }

    /// The nodes that a cell holds, ascending.
    pub fn held(&self, cell: u32) -> &[Node] {
        &self.held[self.starts[cell as usize]..self.starts[cell as usize + 1]]
    }

    /// The nodes that a cell holds from a node on, ascending.
    pub fn held_from(&self, cell: u32, from: Node) -> &[Node] {
        let held = self.held(cell);
        &held[held.partition_point(|node| *node < from)..]
    }

    pub fn cell(&self, cell: u32) -> &Cell {
        &self.released.cells[cell as usize]
    }

    pub fn sum(&self, rows: &[u32]) -> Sum {
        match self.aim {
            Aim::Few => {
                Sum { weight: rows.iter().map(|row| self.cell(*row).weight).sum(), marks: Vec::new() }
            }
            Aim::Share { .. } => self.released.sum(rows.iter().map(|row| self.cell(*row))),
        }
    }

    pub fn is_threat(&self, sum: &Sum) -> bool {
        match self.aim {
            Aim::Few => sum.weight > 0 && sum.weight < self.demand.k,
            Aim::Share { .. } => sum.weight > 0 && self.demand.revealed(&sum.marks, sum.weight).is_some(),
        }
    }

    /// Whether some of these transactions, all but at most `removable` of them, may be a threat (shortcuts 8 and 9).
    pub fn may_threaten(&self, sum: &Sum, removable: u64) -> bool {
        let left = sum.weight.saturating_sub(removable);
        match self.aim {
            Aim::Few => left < self.demand.k,
            Aim::Share { at_least } => self.demand.revealed(&sum.marks, left.max(at_least)).is_some(),
        }
    }

    /// Whether a threat among the transactions of `sum` may be one because of this cell (shortcuts 2 and 9).
    pub fn is_hot(&self, cell: u32, sum: &Sum) -> bool {
        let Aim::Share { at_least } = self.aim else { return self.hot[cell as usize] };
        let telling = |mark: &u32| self.demand.exceeds(*mark, sum.marks[*mark as usize], at_least);
        self.hot_marks[cell as usize].iter().any(telling)
    }

    /// Per node the cells that hold it.
    fn postings(&self) -> Lists {
        let all: Vec<u32> = (0..self.released.cells.len() as u32).collect();
        Lists::collect(self.released.tree.len(), &all, |cell| self.held(*cell).iter().copied())
    }

    /// The cells that hold everything that a cell holds; those that are found are enough once they have `enough` transactions.
    fn above(
        &self,
        cell: u32,
        enough: u64,
        postings: &Lists,
        walk: &mut CellWalk<'_>,
    ) -> ControlFlow<(), Vec<u32>> {
        let own = &self.cell(cell).nodes;
        let rarest = own.iter().min_by_key(|node| postings.get(**node as usize).len());
        let Some(rarest) = rarest else { return Continue((0..self.released.cells.len() as u32).collect()) };
        let bits = signature(own);
        let (mut found, mut weight, mut looks) = (Vec::new(), 0, 0);
        for row in postings.get(*rarest as usize) {
            looks += 1;
            if bits & !self.signatures[*row as usize] == 0 && is_subset(own, self.held(*row)) {
                found.push(*row);
                weight += self.cell(*row).weight;
                if weight >= enough {
                    break;
                }
            }
        }
        walk.spend(looks)?;
        Continue(found)
    }

    /// Whether it is worth asking if a cell is safe (shortcut 5): it must be asked where the answer decides, and pays where
    /// the cell has more combinations of m nodes than there are cells to be looked at.
    fn worth_asking(&self, cell: u32, postings: &Lists) -> bool {
        let own = &self.cell(cell).nodes;
        let (length, m) = (own.len() as u64, self.demand.m);
        let shortest = own.iter().map(|node| postings.get(*node as usize).len()).min().unwrap_or(0) as u64;
        let mut ways = 1u64;
        for taken in 0..m.min(length) {
            ways = ways.saturating_mul(length - taken) / (taken + 1);
            if ways > shortest {
                return true;
            }
        }
        length <= m
    }

    /// All that can be known about a cell within reach: what it holds, and absences that leave a threat.
    fn against(&self, cell: u32, postings: &Lists, walk: &mut CellWalk<'_>) -> ControlFlow<()> {
        // Without absences, only whether there are fewer than k is of interest.
        let enough = if self.demand.n == 0 { self.demand.k } else { u64::MAX };
        let rows = self.above(cell, enough, postings, walk)?;
        walk.known.present.clone_from(&self.cell(cell).nodes);
        let sum = self.sum(&rows);
        let flow = match self.is_threat(&sum) {
            true => walk.report(&rows),
            false => walk.absences(&rows, &sum),
        };
        walk.known = Knowledge::default();
        flow
    }

    /// A hot cell that can be told from all others is a threat: its nodes and the absence of all others. With m and n the
    /// number of items this decides alone, for (a) and (b).
    fn told_apart(&self) -> Option<Knowledge> {
        let tree = self.released.tree;
        let hot = self.released.cells.iter().zip(&self.hot).filter(|(_, hot)| **hot);
        for (cell, _) in hot.filter(|(cell, _)| cell.nodes.len() as u64 <= self.demand.m) {
            let mut absent: Vec<Node> = Vec::new();
            let mut leaves = 0;
            let others = tree.nodes().filter(|node| self.released.published[*node as usize]);
            for node in others.filter(|node| !self.released.holds(cell, *node)) {
                // What stands below an absent node is absent with it.
                if absent.last().is_none_or(|last| node >= tree.end(*last)) {
                    absent.push(node);
                    leaves += u64::from(tree.leaves(node));
                }
                if leaves > self.demand.n {
                    break;
                }
            }
            if leaves <= self.demand.n {
                return Some(Knowledge { present: cell.nodes.clone(), absent });
            }
        }
        None
    }

    /// The first threat.
    fn first(mut self, tick: &mut dyn FnMut() -> Result<()>) -> Result<Option<Knowledge>> {
        let all: Vec<u32> = (0..self.released.cells.len() as u32).collect();
        if self.is_threat(&self.sum(&all)) {
            return Ok(Some(Knowledge::default()));
        }
        if !self.hot.contains(&true) {
            return Ok(None);
        }
        if let Some(known) = self.told_apart() {
            return Ok(Some(known));
        }
        if self.aim == Aim::Few
            && let Some(known) = self.set_safe_aside(tick)?
        {
            return Ok(Some(known));
        }
        if !self.hot.contains(&true) {
            return Ok(None);
        }
        let search = &self;
        let mut walk = CellWalk::new(search, u64::MAX);
        let sum = search.sum(&all);
        if walk.absences(&all, &sum).is_break() {
            return Ok(walk.taken());
        }
        if search.demand.m == 0 {
            return Ok(None);
        }
        let branches = walk.branches(&all, &sum);
        let places: Vec<usize> = (0..branches.nodes.len()).collect();
        for chunk in places.chunks(BRANCHES) {
            tick()?;
            // The first in order, whichever thread finds one.
            let found = chunk
                .par_iter()
                .with_max_len(1)
                .map_init(
                    || CellWalk::new(search, u64::MAX),
                    |walk, at| walk.first_below(&branches, *at, all.len()),
                )
                .find_map_first(|found| found);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Asks for the cells whether they are safe (shortcut 5), and forgets about those that are; the first threat on the way.
    fn set_safe_aside(&mut self, tick: &mut dyn FnMut() -> Result<()>) -> Result<Option<Knowledge>> {
        let postings = self.postings();
        let search = &*self;
        let hot = (0u32..).zip(&search.hot).filter(|(_, hot)| **hot).map(|(cell, _)| cell);
        let asked: Vec<u32> = hot.filter(|cell| search.worth_asking(*cell, &postings)).collect();
        let mut safe = Vec::new();
        for chunk in asked.chunks(BRANCHES * BRANCHES) {
            tick()?;
            let answers: Vec<Option<Knowledge>> = chunk
                .par_iter()
                .map_init(
                    || CellWalk::new(search, u64::MAX),
                    |walk, cell| {
                        let _ = search.against(*cell, &postings, walk);
                        walk.taken()
                    },
                )
                .collect();
            for (cell, answer) in chunk.iter().zip(answers) {
                match answer {
                    None => safe.push(*cell),
                    Some(known) if known.present.len() as u64 <= search.demand.m => return Ok(Some(known)),
                    Some(_) => {}
                }
            }
        }
        safe.into_iter().for_each(|cell| self.hot[cell as usize] = false);
        Ok(None)
    }

    /// Finds every cell that fits a threat, as far as the steps allow.
    fn every(&self, walk: &mut CellWalk<'_>) -> ControlFlow<()> {
        if !self.hot.contains(&true) {
            return Continue(());
        }
        let all: Vec<u32> = (0..self.released.cells.len() as u32).collect();
        if self.aim == Aim::Few {
            let postings = self.postings();
            let mut own = CellWalk::new(self, 0);
            for cell in all.iter().copied().filter(|cell| self.hot[*cell as usize]) {
                if walk.is_exposed(cell) || !self.worth_asking(cell, &postings) {
                    continue;
                }
                own.steps = walk.steps;
                let flow = self.against(cell, &postings, &mut own);
                walk.steps = own.steps;
                match own.found.take() {
                    Some((known, rows)) if known.present.len() as u64 <= self.demand.m => {
                        walk.report(&rows)?
                    }
                    Some(_) => {}
                    // Neither found nor finished: the steps are used up.
                    None if flow.is_break() => return Break(()),
                    None => walk.settled[cell as usize] = true,
                }
            }
        }
        walk.visit(&all)
    }
}

/// A bit per node, several nodes sharing one.
fn signature(nodes: &[Node]) -> u64 {
    nodes.iter().fold(0, |bits, node| bits | 1 << (node % u64::BITS))
}

/// Whether all of some nodes are among others; both ascending.
fn is_subset(some: &[Node], others: &[Node]) -> bool {
    let mut rest = others.iter();
    some.iter().all(|node| rest.find(|other| *other >= node) == Some(node))
}
