//! The depth-first walk through what an adversary may know: presences in ascending order, and at each of them the
//! absences that may matter. The numbered shortcuts are those of [`super::search`].

use std::cmp::Reverse;
use std::ops::ControlFlow::{self, Break, Continue};

use super::released::{Knowledge, Sum};
use super::search::{Aim, CellSearch};
use privet_taxonomy::Node;

const NONE: u32 = u32::MAX;

/// A walk: for the first threat, or for all that fits any.
pub(super) struct CellWalk<'s> {
    search: &'s CellSearch<'s>,
    /// Where the walk is.
    pub known: Knowledge,
    /// The first threat and the cells that fit it, unless all are wanted.
    pub found: Option<(Knowledge, Vec<u32>)>,
    /// Where all are wanted: per cell whether it fits a threat found so far.
    pub exposed: Option<Vec<bool>>,
    /// Where all are wanted: per cell, whether it is known to be safe (shortcut 5).
    pub settled: Vec<bool>,
    /// How many more looks at a node of a cell are allowed.
    pub steps: u64,
    /// Per node its place in the list at hand; empty between two calls.
    slots: Vec<u32>,
    /// Per node the transactions that hold it; empty between two calls.
    tally: Vec<u64>,
}

/// What may be known next, with the cells that fit then.
pub(super) struct Branches {
    /// Ascending.
    pub nodes: Vec<Node>,
    lists: Lists,
}

impl<'s> CellWalk<'s> {
    pub fn new(search: &'s CellSearch<'s>, steps: u64) -> CellWalk<'s> {
        let nodes = search.released.tree.len();
        CellWalk {
            search,
            known: Knowledge::default(),
            found: None,
            exposed: None,
            settled: Vec::new(),
            steps,
            slots: vec![NONE; nodes],
            tally: vec![0; nodes],
        }
    }

    /// The threat that was found, if any.
    pub fn taken(&mut self) -> Option<Knowledge> {
        self.found.take().map(|(known, _)| known)
    }

    /// What is known is a threat to these cells.
    pub fn report(&mut self, rows: &[u32]) -> ControlFlow<()> {
        match &mut self.exposed {
            Some(exposed) => {
                rows.iter().for_each(|row| exposed[*row as usize] = true);
                Continue(())
            }
            None => {
                self.found = Some((self.known.clone(), rows.to_vec()));
                Break(())
            }
        }
    }

    pub fn is_exposed(&self, cell: u32) -> bool {
        self.exposed.as_ref().is_some_and(|exposed| exposed[cell as usize])
    }

    /// Whether something within these cells may be a threat that tells something new.
    fn is_open(&self, rows: &[u32], sum: &Sum) -> bool {
        rows.iter().any(|row| self.is_hot(*row, sum))
            && (self.exposed.is_none() || !rows.iter().all(|row| self.is_exposed(*row)))
    }

    /// Cells that fit (a) are all hot themselves, so of those only the ones not yet exposed matter.
    fn is_hot(&self, cell: u32, sum: &Sum) -> bool {
        let known = self.search.aim == Aim::Few && self.is_exposed(cell);
        let settled = self.settled.get(cell as usize) == Some(&true);
        !known && !settled && self.search.is_hot(cell, sum)
    }

    pub fn spend(&mut self, steps: usize) -> ControlFlow<()> {
        match self.steps.checked_sub(steps as u64) {
            Some(left) => {
                self.steps = left;
                Continue(())
            }
            None => {
                self.steps = 0;
                Break(())
            }
        }
    }

    /// The first threat that begins with one of the branches of the empty knowledge.
    pub fn first_below(&mut self, branches: &Branches, at: usize, rows: usize) -> Option<Knowledge> {
        let _ = self.follow(branches, at, rows);
        self.taken()
    }

    /// All threats that add presences behind the last one, or absences, to what is known; `rows` are the cells that fit it.
    pub fn visit(&mut self, rows: &[u32]) -> ControlFlow<()> {
        self.spend(rows.len())?;
        let sum = self.search.sum(rows);
        if self.search.is_threat(&sum) {
            return self.report(rows);
        }
        if !self.is_open(rows, &sum) {
            return Continue(());
        }
        self.absences(rows, &sum)?;
        let demand = self.search.demand;
        let left = demand.m.saturating_sub(self.known.present.len() as u64);
        if left == 0 {
            return Continue(());
        }
        if left == 1 && demand.n == 0 && self.search.aim == Aim::Few {
            return self.last_presence(rows, &sum);
        }
        let branches = self.branches(rows, &sum);
        self.spend(branches.lists.rows.len())?;
        (0..branches.nodes.len()).try_for_each(|at| self.follow(&branches, at, rows.len()))
    }

    fn follow(&mut self, branches: &Branches, at: usize, rows: usize) -> ControlFlow<()> {
        let node = branches.nodes[at];
        let list = branches.lists.get(at);
        if list.len() == rows || branches.is_as_its_parent(self.search, at) {
            return Continue(()); // Shortcut 6.
        }
        self.known.present.push(node);
        let flow = self.visit(list);
        self.known.present.pop();
        flow
    }

    /// The nodes of hot cells behind the last one known (shortcuts 2 and 7), ascending; `slots` says where each is.
    fn candidates(&mut self, rows: &[u32], sum: &Sum) -> Vec<Node> {
        let from = self.from();
        let mut nodes = Vec::new();
        for row in rows.iter().filter(|row| self.is_hot(**row, sum)).copied().collect::<Vec<_>>() {
            for node in self.search.held_from(row, from) {
                if self.slots[*node as usize] == NONE {
                    self.slots[*node as usize] = 0;
                    nodes.push(*node);
                }
            }
        }
        nodes.sort_unstable();
        (0u32..).zip(&nodes).for_each(|(at, node)| self.slots[*node as usize] = at);
        nodes
    }

    /// Presences come in ascending order and never below one another.
    fn from(&self) -> Node {
        self.known.present.last().map_or(0, |last| self.search.released.tree.end(*last))
    }

    /// What may be known to be present next.
    pub fn branches(&mut self, rows: &[u32], sum: &Sum) -> Branches {
        let from = self.from();
        let nodes = self.candidates(rows, sum);
        let held = |row: &u32| self.search.held_from(*row, from).iter();
        let lists = Lists::collect(nodes.len(), rows, |row| {
            held(row).map(|node| self.slots[*node as usize]).filter(|slot| *slot != NONE)
        });
        nodes.iter().for_each(|node| self.slots[*node as usize] = NONE);
        Branches { nodes, lists }
    }

    /// The last presence for (a) without absences: only the number of transactions matters.
    fn last_presence(&mut self, rows: &[u32], sum: &Sum) -> ControlFlow<()> {
        let from = self.from();
        let nodes = self.candidates(rows, sum);
        let mut looks = 0;
        for row in rows {
            let weight = self.search.cell(*row).weight;
            for node in self.search.held_from(*row, from) {
                looks += 1;
                if self.slots[*node as usize] != NONE {
                    self.tally[*node as usize] += weight;
                }
            }
        }
        let mut few = Vec::new();
        for node in nodes {
            self.slots[node as usize] = NONE;
            if std::mem::take(&mut self.tally[node as usize]) < self.search.demand.k {
                few.push(node);
            }
        }
        self.spend(looks)?;
        for node in few {
            let fitting: Vec<u32> = rows
                .iter()
                .copied()
                .filter(|row| self.search.held(*row).binary_search(&node).is_ok())
                .collect();
            self.known.present.push(node);
            let flow = self.report(&fitting);
            self.known.present.pop();
            flow?;
        }
        Continue(())
    }

    /// All threats that add absences to what is known; `rows` are the cells that fit it.
    pub fn absences(&mut self, rows: &[u32], sum: &Sum) -> ControlFlow<()> {
        if self.search.demand.n == 0 {
            return Continue(());
        }
        let mut touched = Vec::new();
        let mut looks = 0;
        for row in rows {
            let weight = self.search.cell(*row).weight;
            for node in self.search.held(*row) {
                looks += 1;
                if self.search.deniable[*node as usize] {
                    if self.tally[*node as usize] == 0 {
                        touched.push(*node);
                    }
                    self.tally[*node as usize] += weight;
                }
            }
        }
        let tallied = touched.into_iter().map(|node| (node, std::mem::take(&mut self.tally[node as usize])));
        let candidates = tallied.collect();
        self.spend(looks)?;
        self.without(rows, sum, candidates, self.search.demand.n)
    }

    /// All threats that add absences of these candidates to what is known, at most `budget` leaves of them. A candidate
    /// comes with the transactions that hold it.
    fn without(
        &mut self,
        rows: &[u32],
        sum: &Sum,
        mut candidates: Vec<(Node, u64)>,
        budget: u64,
    ) -> ControlFlow<()> {
        let search = self.search;
        let leaves = |node: Node| u64::from(search.released.tree.leaves(node));
        // What none of the cells holds changes nothing, what all hold leaves none.
        candidates.retain(|(node, held)| *held > 0 && *held < sum.weight && leaves(*node) <= budget);
        // The most telling first, so that the bound ends the loop early. Cross-multiplied: held per leaf.
        candidates.sort_unstable_by(|(one, held), (other, also)| {
            let per_leaf = (u128::from(*held) * u128::from(leaves(*other)), Reverse(*one));
            let others = (u128::from(*also) * u128::from(leaves(*one)), Reverse(*other));
            others.cmp(&per_leaf)
        });
        // Shortcut 8: the first of the absences in this order must leave enough for the others to do.
        let enough = |at: &usize| search.may_threaten(sum, self.removable(&candidates[*at..], budget));
        let firsts = (0..candidates.len()).take_while(enough).count();
        if firsts == 0 {
            return Continue(());
        }
        let lists = self.holding(rows, &candidates[..firsts]);
        self.spend(lists.rows.len() + rows.len())?;
        for (at, (node, _)) in candidates[..firsts].iter().enumerate() {
            let mut left_sum = search.sum(lists.get(at));
            left_sum.weight = sum.weight - left_sum.weight;
            left_sum.marks.iter_mut().zip(&sum.marks).for_each(|(gone, all)| *gone = all - *gone);
            let (rest, budget) = (&candidates[at + 1..], budget - leaves(*node));
            let threat = search.is_threat(&left_sum);
            if !threat && (budget == 0 || !search.may_threaten(&left_sum, self.removable(rest, budget))) {
                continue;
            }
            let left = difference(rows, lists.get(at));
            self.spend(rows.len())?;
            self.known.absent.push(*node);
            let flow = if threat {
                self.report(&left)
            } else if self.is_open(&left, &left_sum) {
                let rest = self.tallied(&left, rest);
                self.without(&left, &left_sum, rest, budget)
            } else {
                Continue(())
            };
            self.known.absent.pop();
            flow?;
        }
        Continue(())
    }

    /// No more transactions than this hold one of some candidates of at most `budget` leaves: the fractional knapsack, for
    /// candidates by falling transactions per leaf.
    fn removable(&self, candidates: &[(Node, u64)], mut budget: u64) -> u64 {
        let mut most = 0;
        for (node, held) in candidates {
            let leaves = u64::from(self.search.released.tree.leaves(*node));
            if leaves > budget {
                let part = u128::from(*held) * u128::from(budget) / u128::from(leaves);
                // A part of `held` is no more than `held`.
                return most + part as u64;
            }
            budget -= leaves;
            most += held;
        }
        most
    }

    /// Per candidate the cells that hold it.
    fn holding(&mut self, rows: &[u32], candidates: &[(Node, u64)]) -> Lists {
        (0u32..).zip(candidates).for_each(|(at, (node, _))| self.slots[*node as usize] = at);
        let held = |row: &u32| self.search.held(*row).iter();
        let lists = Lists::collect(candidates.len(), rows, |row| {
            held(row).map(|node| self.slots[*node as usize]).filter(|slot| *slot != NONE)
        });
        candidates.iter().for_each(|(node, _)| self.slots[*node as usize] = NONE);
        lists
    }

    /// The candidates with the transactions among these cells that hold them.
    fn tallied(&mut self, rows: &[u32], candidates: &[(Node, u64)]) -> Vec<(Node, u64)> {
        for row in rows {
            let weight = self.search.cell(*row).weight;
            self.search.held(*row).iter().for_each(|node| self.tally[*node as usize] += weight);
        }
        let tallied = candidates.iter().map(|(node, _)| (*node, self.tally[*node as usize])).collect();
        for row in rows {
            self.search.held(*row).iter().for_each(|node| self.tally[*node as usize] = 0);
        }
        tallied
    }
}

impl Branches {
    /// Whether the parent of a node fits the same cells; then it stands for the node (shortcut 6).
    fn is_as_its_parent(&self, search: &CellSearch<'_>, at: usize) -> bool {
        let parent = search.released.tree.parent(self.nodes[at]);
        let place = parent.and_then(|parent| self.nodes.binary_search(&parent).ok());
        place.is_some_and(|place| self.lists.get(place).len() == self.lists.get(at).len())
    }
}

/// Lists of cells, one after the other.
pub(super) struct Lists {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Lists {
    /// Writes every row into its lists.
    pub fn collect<'r, I: Iterator<Item = u32>>(
        lists: usize,
        rows: &'r [u32],
        places: impl Fn(&'r u32) -> I,
    ) -> Lists {
        let mut starts = vec![0; lists + 1];
        for row in rows {
            places(row).for_each(|list| starts[list as usize + 1] += 1);
        }
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut cells = vec![0; starts[lists]];
        for row in rows {
            for list in places(row) {
                cells[next[list as usize]] = *row;
                next[list as usize] += 1;
            }
        }
        Lists { starts, rows: cells }
    }

    /// One of the lists.
    pub fn get(&self, list: usize) -> &[u32] {
        &self.rows[self.starts[list]..self.starts[list + 1]]
    }
}

/// The rows that are not in the list; both ascending, the list among the rows.
fn difference(rows: &[u32], list: &[u32]) -> Vec<u32> {
    let mut gone = list.iter().peekable();
    rows.iter().copied().filter(|row| gone.next_if_eq(&row).is_none()).collect()
}
