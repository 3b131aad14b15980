//! The walk through the tree of removals.

use std::cmp::Ordering;
use std::time::Instant;

use hashbrown::{HashMap, HashSet};

use super::Problem;
use super::starts;
use super::state::{Standing, State};
use privet_core::clock::Clock;

/// Above this many candidates held for later, those further up in the tree are dropped: the dive goes on, but the search is
/// no longer complete, and says so.
const MOST_HELD: usize = 4_000_000;

/// A dive that has tried so much and no longer gains anything is given up where nothing may save the group: it is better
/// joined with another.
const MOST_IN_VAIN: u64 = 2_000_000;

/// Looking at the clock costs more than trying a removal.
const TRIES_BETWEEN_LOOKS: u64 = 256;

/// In which order the removals of a tail are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By gain per cost, found out anew at every node.
    Adaptive,
    /// As they stand: the baseline.
    Plain,
}

/// How long a search may go on.
#[derive(Debug, Clone, Copy)]
pub struct Budget<'c> {
    /// After the first dive: until this many removals have been tried in all …
    pub tries: u64,
    /// … or until this moment.
    pub until: Option<Instant>,
    /// The first dive: until this moment. It can be taken up again.
    pub dive: Option<Instant>,
    /// Or until the user wants it to stop.
    pub clock: &'c Clock,
}

/// What a search knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The best removals, if any were found that meet the goal.
    pub found: Option<Removals>,
    /// What the first dive found.
    pub first: Option<u128>,
    /// Whether the whole tree was looked at: the answer is the best, or there is none.
    pub complete: bool,
    /// What no answer costs less than.
    pub bound: u128,
    /// How many removals were tried.
    pub tries: u64,
    /// Whether a first dive came to its end.
    pub dived: bool,
}

impl Answer {
    /// What two searches of the same group know together.
    pub fn and(self, other: Answer) -> Answer {
        let found = match (self.found, other.found) {
            (Some(one), Some(two)) => Some(if two.cost < one.cost { two } else { one }),
            (one, two) => one.or(two),
        };
        Answer {
            found,
            first: self.first.or(other.first),
            complete: self.complete || other.complete,
            bound: self.bound.max(other.bound),
            tries: self.tries + other.tries,
            dived: self.dived || other.dived,
        }
    }
}

/// Removals that meet the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removals {
    /// What they cost.
    pub cost: u128,
    /// The occurrences: record and place among its terms, rising.
    pub removed: Vec<(u32, u32)>,
}

/// A search that can be stopped and taken up again.
#[derive(Debug)]
pub struct TermRemovalSearch<'a> {
    state: State<'a>,
    order: Order,
    stack: Vec<Node>,
    best: Option<(u128, Vec<u32>)>,
    first: Option<u128>,
    /// Whether the first dive is over.
    dived: bool,
    started: bool,
    /// What was left out for want of memory costs at least this.
    left_out: Option<u128>,
    held: usize,
    tries: u64,
    /// No removal costs less than this.
    cheapest: u128,
    /// Whether the group passes when nothing is left of it, so that every dive ends with an answer.
    savable: bool,
    /// Per record, the first record with the same terms, where others have them too.
    alike: Option<Vec<u32>>,
    /// When the run that is under way must stop.
    stop: Option<Instant>,
}

/// A node whose children are being looked at.
#[derive(Debug)]
struct Node {
    cost: u128,
    tail: Vec<Candidate>,
    next: usize,
    /// The removal that leads to the child that was looked at last.
    entered: Option<u32>,
}

/// An occurrence that may be removed.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    occurrence: u32,
    /// How many terms its record has left.
    left: u32,
    /// Whether removing it alone is known not to be enough.
    tried: bool,
    /// Whether an earlier candidate leads to the same, but for the names of records.
    twin: bool,
}

impl<'a> TermRemovalSearch<'a> {
    /// A search that has not begun.
    pub fn new(problem: &'a Problem<'a>, order: Order) -> TermRemovalSearch<'a> {
        let longest = problem.members.iter().map(|member| member.weight).max().unwrap_or(0);
        TermRemovalSearch {
            state: State::new(problem),
            order,
            stack: Vec::new(),
            best: None,
            first: None,
            dived: false,
            started: false,
            left_out: None,
            held: 0,
            tries: 0,
            cheapest: problem.prices.step(longest),
            savable: problem.goal.allows_empty_sets(problem.links),
            alike: alike(problem),
            stop: None,
        }
    }

    /// Looks for first answers (`starts`) until a moment, unless the group passes as it is. They are the first dive; what follows
    /// improves on the better one.
    pub fn start(&mut self, until: Option<Instant>, clock: &Clock) {
        self.state.rank();
        if self.started || self.state.standing().holds {
            return;
        }
        let late = || until.is_some_and(|until| Instant::now() >= until) || clock.check().is_err();
        for first in [starts::fewest_labels_first, starts::best_subsets] {
            if first(&mut self.state, &late) {
                starts::put_back(&mut self.state, &late);
                let cost = self.state.cost();
                if self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
                    self.best = Some((cost, self.state.removed()));
                }
                self.dived = true;
            }
            self.state.restore_all();
        }
        self.first = self.first.or(self.best.as_ref().map(|(cost, _)| *cost));
    }

    /// Takes removals that came from elsewhere as the best so far, if they meet the goal at less cost.
    pub fn start_from(&mut self, found: Removals) {
        if self.best.as_ref().is_some_and(|(best, _)| *best <= found.cost) {
            return;
        }
        let occurrence = |(record, place): &(u32, u32)| self.state.occurrences_of(*record).start + place;
        let removed: Vec<u32> = found.removed.iter().map(occurrence).collect();
        removed.iter().for_each(|occurrence| self.state.remove(*occurrence));
        self.state.rank();
        let holds = self.state.standing().holds;
        removed.iter().rev().for_each(|occurrence| self.state.restore(*occurrence));
        if holds {
            self.best = Some((found.cost, removed));
        }
    }

    /// Whether there is nothing left to look at.
    pub fn is_over(&self) -> bool {
        self.started && self.stack.is_empty()
    }

    /// Goes on until the tree is done or the budget is spent. Whether the group passes as it is, is always found out.
    pub fn run(&mut self, budget: Budget<'_>) {
        self.stop = if self.dived { budget.until } else { budget.dive };
        if !self.started {
            self.state.rank();
            if self.state.standing().holds {
                self.started = true;
                self.record(self.state.cost(), None);
                return;
            }
            if self.is_late() {
                return;
            }
            self.started = true;
            let all = (0..self.state.occurrences() as u32).map(|occurrence| self.candidate(occurrence));
            let all = all.collect();
            self.expand(all);
        }
        while !self.stack.is_empty() {
            self.stop = if self.dived { budget.until } else { budget.dive };
            if self.is_late() || self.dived && self.tries >= budget.tries || budget.clock.check().is_err() {
                return;
            }
            self.step();
        }
    }

    fn is_late(&self) -> bool {
        self.stop.is_some_and(|stop| Instant::now() >= stop)
    }

    /// Enters the next child of the last node, or leaves that node.
    fn step(&mut self) {
        let Some(node) = self.stack.last_mut() else { return };
        if let Some(occurrence) = node.entered.take() {
            self.state.restore(occurrence);
        }
        let limit = self.best.as_ref().map(|(cost, _)| *cost);
        let prices = self.state.problem.prices;
        while let Some(candidate) = node.tail.get(node.next) {
            node.next += 1;
            let cost = node.cost + prices.step(candidate.left);
            // What is known not to be enough needs one more removal at least.
            let least = if candidate.tried { cost + self.cheapest } else { cost };
            if candidate.twin || limit.is_some_and(|limit| least >= limit) {
                continue;
            }
            let (occurrence, tried) = (candidate.occurrence, candidate.tried);
            node.entered = Some(occurrence);
            let tail = node.tail[node.next..].to_vec();
            self.state.remove(occurrence);
            self.enter(tail, tried);
            return;
        }
        self.dived = true;
        self.held -= node.tail.len();
        self.stack.pop();
    }

    fn enter(&mut self, tail: Vec<Candidate>, tried: bool) {
        if !tried {
            self.tries += 1;
            self.state.rank();
            if self.state.standing().holds {
                self.record(self.state.cost(), None);
                return;
            }
        }
        let tail = tail.into_iter().map(|candidate| self.candidate(candidate.occurrence)).collect();
        self.expand(tail);
    }

    fn candidate(&self, occurrence: u32) -> Candidate {
        Candidate { occurrence, left: self.state.left_of(occurrence), tried: false, twin: false }
    }

    /// Makes the current state a node with the given tail.
    fn expand(&mut self, mut tail: Vec<Candidate>) {
        let cost = self.state.cost();
        self.retain_affordable(&mut tail, cost);
        let twins = self.mark_twins(&mut tail);
        if self.order == Order::Adaptive {
            let mut rest = Vec::new();
            let gains = self.try_all(&mut tail, &mut rest, cost, &twins);
            self.retain_affordable(&mut tail, cost);
            let in_vain = !gains && !self.savable && self.tries > MOST_IN_VAIN;
            if in_vain && !self.dived && self.best.is_none() {
                self.give_up(cost);
                return;
            }
            tail.extend(rest);
        }
        if self.held + tail.len() > MOST_HELD {
            self.forget();
        }
        self.held += tail.len();
        self.stack.push(Node { cost, tail, next: 0, entered: None });
    }

    /// Drops whatever is held for later.
    fn forget(&mut self) {
        self.left_out = self.left_out.into_iter().chain(self.least_open()).min();
        for node in &mut self.stack {
            (node.tail, node.next) = (Vec::new(), 0);
        }
        self.held = 0;
    }

    /// Leaves the tree for good.
    fn give_up(&mut self, cost: u128) {
        self.forget();
        self.left_out = self.left_out.into_iter().chain([cost + self.cheapest]).min();
        self.stack.clear();
        self.dived = true;
    }

    /// Drops what can no longer beat the best: it does not get cheaper further down.
    fn retain_affordable(&self, tail: &mut Vec<Candidate>, cost: u128) {
        if let Some((best, _)) = &self.best {
            let prices = self.state.problem.prices;
            tail.retain(|candidate| cost + prices.step(candidate.left) < *best);
        }
    }

    /// Tries every removal of the tail once and puts the best in front. Those that are enough become answers and leave the
    /// tail, for whatever holds them and more costs more. What there is no time for goes to `rest`. Returns whether any brings the
    /// goal nearer.
    fn try_all(
        &mut self,
        tail: &mut Vec<Candidate>,
        rest: &mut Vec<Candidate>,
        cost: u128,
        twins: &HashMap<u32, u32>,
    ) -> bool {
        self.state.rank();
        let current = self.state.standing();
        let mut scored: Vec<(Score, Candidate)> = Vec::with_capacity(tail.len());
        // By occurrence, how those stand that are not enough by themselves and stand for others.
        let mut known: HashMap<u32, Score> = HashMap::new();
        for candidate in tail.iter().filter(|candidate| !candidate.twin) {
            self.tries += 1;
            if self.tries.is_multiple_of(TRIES_BETWEEN_LOOKS) && self.is_late() {
                let tried =
                    scored.iter().map(|(_, candidate)| candidate.occurrence).collect::<HashSet<u32>>();
                // A twin must come behind the candidate that stands for it, which is not known of those that are not tried.
                let open = tail.iter().filter(|candidate| !tried.contains(&candidate.occurrence));
                rest.extend(open.map(|candidate| Candidate { twin: false, ..*candidate }));
                break;
            }
            let occurrence = candidate.occurrence;
            let standing = self.state.try_removing(occurrence, &current);
            if standing.holds {
                let price = cost + self.state.problem.prices.step(candidate.left);
                if self.best.as_ref().is_none_or(|(best, _)| price < *best) {
                    self.record(price, Some(occurrence));
                }
                continue;
            }
            let score = Score::of(&current, &standing, candidate.left);
            scored.push((score, Candidate { tried: true, ..*candidate }));
            if !twins.is_empty() {
                known.insert(occurrence, score);
            }
        }
        if rest.is_empty() && !scored.iter().any(|(score, _)| score.gains()) {
            self.look_ahead(&mut scored);
            scored.iter().filter(|_| !twins.is_empty()).for_each(|(score, candidate)| {
                known.insert(candidate.occurrence, *score);
            });
        }
        for candidate in tail.iter().filter(|candidate| candidate.twin && rest.is_empty()) {
            let record = self.state.record_of(candidate.occurrence);
            let Some(earlier) = twins.get(&record) else { continue };
            let place = self.state.place_of(candidate.occurrence) as u32;
            if let Some(score) = known.get(&(self.state.occurrences_of(*earlier).start + place)) {
                scored.push((*score, Candidate { tried: true, ..*candidate }));
            }
        }
        scored.sort_by(|a, b| a.0.compare(&b.0).then(a.1.occurrence.cmp(&b.1.occurrence)));
        let gains = scored.first().is_some_and(|(score, _)| score.gains());
        *tail = scored.into_iter().map(|(_, candidate)| candidate).collect();
        gains
    }

    /// Where no single removal gains anything, the way to go is towards the labels that lack the fewest terms of a record:
    /// notes what it costs to have them join.
    fn look_ahead(&self, scored: &mut [(Score, Candidate)]) {
        let prices = self.state.problem.prices;
        let mut nearest: HashMap<u32, (u32, Vec<bool>)> = HashMap::new();
        for (score, candidate) in scored {
            let record = self.state.record_of(candidate.occurrence);
            let (lacks, lacked) = nearest.entry(record).or_insert_with(|| self.state.nearest(record));
            if lacked[self.state.place_of(candidate.occurrence)] {
                let way = 0..(*lacks).min(candidate.left);
                score.way = way.map(|gone| prices.step(candidate.left - gone)).sum();
            }
        }
    }

    fn record(&mut self, cost: u128, last: Option<u32>) {
        let entered = self.stack.iter().filter_map(|node| node.entered);
        self.best = Some((cost, entered.chain(last).collect()));
        if self.first.is_none() && !self.dived {
            self.first = Some(cost);
        }
        self.dived = true;
    }

    /// Marks candidates of records that had the same terms, lost the same and may lose the same as an earlier record:
    /// swapping the two turns every answer below such a candidate into one below the earlier record's, at the same cost.
    /// Returns which earlier record stands for each.
    fn mark_twins(&self, tail: &mut [Candidate]) -> HashMap<u32, u32> {
        const LOST: u8 = 0;
        const KEPT: u8 = 1;
        const OPEN: u8 = 2;
        let mut standing_for = HashMap::new();
        let Some(alike) = &self.alike else { return standing_for };
        let fate = |occurrence| if self.state.is_gone(occurrence) { LOST } else { KEPT };
        let mut fates: Vec<u8> = (0..self.state.occurrences() as u32).map(fate).collect();
        tail.iter().for_each(|candidate| fates[candidate.occurrence as usize] = OPEN);
        let mut first: HashMap<(u32, &[u8]), u32> = HashMap::new();
        for (record, alike) in (0u32..).zip(alike) {
            let occurrences = self.state.occurrences_of(record);
            let key = (*alike, &fates[occurrences.start as usize..occurrences.end as usize]);
            let earlier = *first.entry(key).or_insert(record);
            if earlier != record {
                standing_for.insert(record, earlier);
            }
        }
        for candidate in tail {
            candidate.twin = standing_for.contains_key(&self.state.record_of(candidate.occurrence));
        }
        standing_for
    }

    /// What no answer costs less than that is still to be looked for.
    fn least_open(&self) -> Option<u128> {
        let prices = self.state.problem.prices;
        let open = self.stack.iter().flat_map(|node| {
            let rest = node.tail[node.next..].iter().filter(|candidate| !candidate.twin);
            rest.map(move |candidate| {
                let more = if candidate.tried { self.cheapest } else { 0 };
                node.cost + prices.step(candidate.left) + more
            })
        });
        open.min()
    }

    /// What no answer costs less than.
    fn bound(&self) -> u128 {
        let open = self.least_open().into_iter();
        let best = self.best.as_ref().map(|(cost, _)| *cost);
        let unknown = if self.started { None } else { Some(0) };
        open.chain(best).chain(self.left_out).chain(unknown).min().unwrap_or(0)
    }

    /// What the search knows so far.
    pub fn answer(&self) -> Answer {
        let found = self.best.as_ref().map(|(cost, removed)| {
            let place = |occurrence: &u32| {
                (self.state.record_of(*occurrence), self.state.place_of(*occurrence) as u32)
            };
            let mut removed: Vec<(u32, u32)> = removed.iter().map(place).collect();
            removed.sort_unstable();
            Removals { cost: *cost, removed }
        });
        let bound = self.bound();
        // Whatever is still open may turn out to cost too much to matter.
        let proven = found.as_ref().is_some_and(|found| found.cost == bound);
        let complete = proven || self.is_over() && self.left_out.is_none();
        Answer { found, first: self.first, complete, bound, tries: self.tries, dived: self.dived }
    }
}

/// What a removal brings per cost.
#[derive(Debug, Clone, Copy)]
struct Score {
    /// The rise of l′, times the terms left.
    rise: i64,
    /// The fall of what is too much, times the terms left.
    fall: f64,
    /// Where nothing gains: what it costs to have another label join by this removal and more.
    way: u128,
}

impl Score {
    fn of(before: &Standing, after: &Standing, left: u32) -> Score {
        let rise = (i64::from(after.level) - i64::from(before.level)) * i64::from(left);
        Score { rise, fall: (before.excess - after.excess) * f64::from(left), way: u128::MAX }
    }

    fn gains(&self) -> bool {
        self.rise > 0 || self.fall > 0.0
    }

    /// The better one first.
    fn compare(&self, other: &Score) -> Ordering {
        other.rise.cmp(&self.rise).then(other.fall.total_cmp(&self.fall)).then(self.way.cmp(&other.way))
    }
}

/// Per record, the first one with the same terms and weight; `None` where no two have them.
fn alike(problem: &Problem<'_>) -> Option<Vec<u32>> {
    let mut first: HashMap<(&[u32], u32), u32> = HashMap::new();
    let alike: Vec<u32> = (0u32..)
        .zip(&problem.members)
        .map(|(at, member)| *first.entry((&member.terms, member.weight)).or_insert(at))
        .collect();
    (first.len() < alike.len()).then_some(alike)
}
