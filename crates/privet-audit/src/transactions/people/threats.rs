//! The search for knowledge that too few people fit, or that makes a sensitive item too sure.

use std::collections::BTreeMap;
use std::ops::ControlFlow::{self, Break, Continue};

use hashbrown::{HashMap, HashSet};

use super::super::demand::Demand;
use super::super::released::{Knowledge, Sum};
use super::super::search::Exposed;
use super::Crowd;
use privet_core::Result;
use privet_taxonomy::Node;

/// The first threat to people, without what it does not need; `None` if there is none.
pub fn first_threat(
    crowd: &Crowd<'_>,
    demand: &Demand,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Option<Knowledge>> {
    for few in [true, false] {
        let mut search = ThreatSearch::new(crowd, demand, few, true);
        let mut stopped = Ok(());
        let _ = search.run(&mut || {
            stopped = tick();
            stopped.is_ok()
        });
        stopped?;
        if let Some(known) = search.found.take() {
            return Ok(Some(shortened(crowd, demand, known)));
        }
    }
    Ok(None)
}

/// Counts the people who fit some threat, in about `steps` looks at a node of a transaction.
pub fn exposed(crowd: &Crowd<'_>, demand: &Demand, steps: u64) -> Exposed {
    let mut people: HashSet<u32> = HashSet::new();
    let (mut complete, mut left) = (true, steps);
    for few in [true, false] {
        let mut search = ThreatSearch::new(crowd, demand, few, false);
        search.steps = left;
        complete &= search.run(&mut || true).is_continue();
        left = search.steps;
        let rows = crowd.rows.iter().zip(&search.exposed).filter(|(_, exposed)| **exposed);
        people.extend(rows.map(|(row, _)| row.person));
    }
    Exposed { transactions: people.len() as u64, complete }
}

fn shortened(crowd: &Crowd<'_>, demand: &Demand, mut known: Knowledge) -> Knowledge {
    let still = |known: &Knowledge| demand.is_threat(&crowd.fit(known).0);
    for absent in [true, false] {
        let list = |known: &Knowledge| if absent { known.absent.clone() } else { known.present.clone() };
        for node in list(&known) {
            let mut shorter = known.clone();
            if absent { &mut shorter.absent } else { &mut shorter.present }.retain(|other| *other != node);
            if still(&shorter) {
                known = shorter;
            }
        }
    }
    known
}

/// A search for threats: that fewer than k people fit, or else that a sensitive item is too sure.
struct ThreatSearch<'a> {
    crowd: &'a Crowd<'a>,
    demand: &'a Demand,
    few: bool,
    /// As many people fit whatever fits anybody.
    at_least: u64,
    /// Per transaction, whether a threat may be one because of it.
    hot: Vec<bool>,
    known: Knowledge,
    /// Whether the first threat is enough.
    first: bool,
    found: Option<Knowledge>,
    exposed: Vec<bool>,
    steps: u64,
    visits: u64,
}

/// The clock is checked once in this many visits.
const VISITS: u64 = 256;

impl<'a> ThreatSearch<'a> {
    fn new(crowd: &'a Crowd<'a>, demand: &'a Demand, few: bool, first: bool) -> ThreatSearch<'a> {
        let mut search = ThreatSearch {
            crowd,
            demand,
            few,
            // A search for the first threat gets here only where nothing fits fewer than k.
            at_least: if first { demand.k } else { 1 },
            hot: Vec::new(),
            known: Knowledge::default(),
            first,
            found: None,
            exposed: vec![false; crowd.rows.len()],
            steps: u64::MAX,
            visits: 0,
        };
        search.hot = search.hot_rows();
        search
    }

    /// The transactions in cells that are not safe by themselves (1 and 2).
    fn hot_rows(&self) -> Vec<bool> {
        let mut cells: HashMap<&[Node], Vec<u32>> = HashMap::new();
        for (number, row) in (0u32..).zip(&self.crowd.rows) {
            cells.entry(&row.shown).or_default().push(number);
        }
        let person = |row: &u32| self.crowd.rows[*row as usize].person;
        let mut kinds: HashMap<u32, u64> = HashMap::new();
        for cell in cells.values() {
            cell.chunk_by(|one, other| person(one) == person(other))
                .for_each(|own| *kinds.entry(person(&own[0])).or_default() += 1);
        }
        let mut hot = vec![false; self.crowd.rows.len()];
        for cell in cells.values() {
            let sum = self.crowd.count(cell);
            let single: Vec<u32> =
                cell.iter().copied().filter(|row| kinds.get(&person(row)) == Some(&1)).collect();
            let single = self.crowd.count(&single).weight;
            let tells = |(mark, count): (u32, &u64)| {
                self.demand.exceeds(mark, *count, *count) && self.demand.exceeds(mark, *count, single)
            };
            let is_hot = match self.few {
                true => sum.weight < self.demand.k,
                false => (0..).zip(&sum.marks).any(tells),
            };
            if is_hot {
                cell.iter().for_each(|row| hot[*row as usize] = true);
            }
        }
        hot
    }

    fn run(&mut self, go_on: &mut dyn FnMut() -> bool) -> ControlFlow<()> {
        let all = self.crowd.all();
        if self.few && self.hot.contains(&true) {
            self.cool_down(go_on)?;
        }
        self.visit(&all, go_on)
    }

    /// Finds hot transactions that others vouch for (3), and those that nobody does and that can be known as a whole.
    fn cool_down(&mut self, go_on: &mut dyn FnMut() -> bool) -> ControlFlow<()> {
        let crowd = self.crowd;
        let mut holding: Vec<Vec<u32>> = vec![Vec::new(); crowd.tree.len()];
        for (number, row) in (0u32..).zip(&crowd.rows) {
            row.shown.iter().for_each(|node| holding[*node as usize].push(number));
        }
        let all = crowd.all();
        for number in crowd.all().into_iter().filter(|row| self.hot[*row as usize]).collect::<Vec<_>>() {
            let own = &crowd.rows[number as usize];
            let rarest = own.shown.iter().map(|node| &holding[*node as usize]).min_by_key(|rows| rows.len());
            let candidates = rarest.unwrap_or(&all);
            self.spend(candidates.len(), go_on)?;
            let holds_all = |row: &&u32| own.shown.iter().all(|node| crowd.holds(**row, *node));
            let above: Vec<u32> = candidates.iter().filter(holds_all).copied().collect();
            let denied = |row: &u32| {
                crowd.rows[*row as usize]
                    .shown
                    .iter()
                    .filter(|node| self.is_deniable(**node))
                    .collect::<Vec<_>>()
            };
            let like: Vec<u32> = above.iter().copied().filter(|row| denied(row) == denied(&number)).collect();
            if crowd.count(&like).weight >= self.demand.k {
                self.hot[number as usize] = false;
            } else if own.shown.len() as u64 <= self.demand.m && crowd.count(&above).weight < self.demand.k {
                self.known.present.clone_from(&own.shown);
                let flow = self.report(&above);
                self.known = Knowledge::default();
                flow?;
            }
        }
        Continue(())
    }

    fn is_deniable(&self, node: Node) -> bool {
        self.crowd.published[node as usize] && u64::from(self.crowd.tree.leaves(node)) <= self.demand.n
    }

    fn spend(&mut self, steps: usize, go_on: &mut dyn FnMut() -> bool) -> ControlFlow<()> {
        self.visits += 1;
        let stop = self.visits.is_multiple_of(VISITS) && !go_on();
        match self.steps.checked_sub(steps as u64) {
            Some(left) if !stop => {
                self.steps = left;
                Continue(())
            }
            _ => {
                self.steps = 0;
                Break(())
            }
        }
    }

    fn report(&mut self, rows: &[u32]) -> ControlFlow<()> {
        rows.iter().for_each(|row| self.exposed[*row as usize] = true);
        if self.first {
            self.found = Some(self.known.clone());
            return Break(());
        }
        Continue(())
    }

    fn is_threat(&self, sum: &Sum) -> bool {
        match self.few {
            true => sum.weight > 0 && sum.weight < self.demand.k,
            false => sum.weight > 0 && self.demand.revealed(&sum.marks, sum.weight).is_some(),
        }
    }

    /// Whether these people without at most `gone` of them may be a threat (5).
    fn may_threaten(&self, sum: &Sum, gone: u64) -> bool {
        let left = sum.weight.saturating_sub(gone);
        match self.few {
            true => left < self.demand.k,
            false => self.demand.revealed(&sum.marks, left.max(self.at_least)).is_some(),
        }
    }

    /// Whether something within these transactions may be a threat that tells something new. Those that fit with fewer than k
    /// people are all hot.
    fn is_open(&self, rows: &[u32], sum: &Sum) -> bool {
        let at_worst = Sum { weight: 0, marks: sum.marks.clone() };
        let is_new = |row: &u32| !self.exposed[*row as usize];
        let may = |row: &u32| self.hot[*row as usize] && (!self.few || is_new(row));
        self.may_threaten(&at_worst, 0) && rows.iter().any(may) && rows.iter().any(is_new)
    }

    /// All threats that add presences behind the last one, or absences, to what is known; `rows` fit it.
    fn visit(&mut self, rows: &[u32], go_on: &mut dyn FnMut() -> bool) -> ControlFlow<()> {
        self.spend(rows.len(), go_on)?;
        let sum = self.crowd.count(rows);
        if self.is_threat(&sum) {
            return self.report(rows);
        }
        if !self.is_open(rows, &sum) {
            return Continue(());
        }
        self.absences(rows, &sum, 0, self.demand.n, go_on)?;
        if self.known.present.len() as u64 >= self.demand.m {
            return Continue(());
        }
        let crowd = self.crowd;
        let from = self.known.present.last().map_or(0, |last| crowd.tree.end(*last));
        // Per node the transactions that hold it, and whether a hot one does.
        let mut holding: BTreeMap<Node, (Vec<u32>, bool)> = BTreeMap::new();
        for row in rows {
            let held = &crowd.rows[*row as usize].held;
            let held = &held[held.partition_point(|node| *node < from)..];
            for node in held.iter().filter(|node| !self.few || crowd.published[**node as usize]) {
                let (list, is_hot) = holding.entry(*node).or_default();
                list.push(*row);
                *is_hot |= self.hot[*row as usize];
            }
        }
        self.spend(holding.values().map(|(list, _)| list.len()).sum(), go_on)?;
        for (node, (with, _)) in holding.iter().filter(|(_, (_, is_hot))| *is_hot) {
            // What all hold tells nothing; what fits like its parent is tested with the parent.
            let above = crowd.tree.parent(*node).and_then(|above| holding.get(&above));
            if with.len() == rows.len() || above.is_some_and(|(above, _)| above.len() == with.len()) {
                continue;
            }
            self.known.present.push(*node);
            let flow = self.visit(with, go_on);
            self.known.present.pop();
            flow?;
        }
        Continue(())
    }

    /// All threats that add absences of published nodes from one on, of at most `budget` leaves, to what is known.
    fn absences(
        &mut self,
        rows: &[u32],
        sum: &Sum,
        from: Node,
        budget: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> ControlFlow<()> {
        if budget == 0 {
            return Continue(());
        }
        let crowd = self.crowd;
        let leaves = |node: Node| u64::from(crowd.tree.leaves(node));
        let mut held: HashMap<Node, u64> = HashMap::new();
        for row in rows {
            let shown = crowd.rows[*row as usize].shown.iter();
            for node in
                shown.filter(|node| **node >= from && leaves(**node) <= budget && self.is_deniable(**node))
            {
                *held.entry(*node).or_default() += 1;
            }
        }
        self.spend(rows.len(), go_on)?;
        let mut candidates: Vec<(Node, u64)> = held.into_iter().collect();
        // By falling transactions per leaf, cross-multiplied.
        candidates.sort_unstable_by(|(one, its), (other, theirs)| {
            (u128::from(*theirs) * u128::from(leaves(*one)))
                .cmp(&(u128::from(*its) * u128::from(leaves(*other))))
        });
        let (mut gone, mut left) = (0, budget);
        for (node, held) in &candidates {
            // Rounded up: more than can go is safe.
            gone += held;
            if leaves(*node) >= left {
                break;
            }
            left -= leaves(*node);
        }
        if !self.may_threaten(sum, gone) {
            return Continue(());
        }
        candidates.sort_unstable();
        for (node, held) in candidates {
            if held == rows.len() as u64 {
                continue;
            }
            let without: Vec<u32> = rows.iter().copied().filter(|row| !crowd.holds(*row, node)).collect();
            self.spend(rows.len(), go_on)?;
            let sum = crowd.count(&without);
            self.known.absent.push(node);
            let flow = if self.is_threat(&sum) {
                self.report(&without)
            } else if self.is_open(&without, &sum) {
                self.absences(&without, &sum, crowd.tree.end(node), budget - leaves(node), go_on)
            } else {
                Continue(())
            };
            self.known.absent.pop();
            flow?;
        }
        Continue(())
    }
}
