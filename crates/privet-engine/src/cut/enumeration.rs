//! The thesis' search for the best cut: depth first through the *cut enumeration tree* (sections 3.2.3, 3.4 and 4.4.1).
//!
//! A node of the tree is a cut whose values are open or locked; its child i specialises the i-th open value and locks
//! those before it, so every cut is reached once, whatever the order of the open values. The interval
//! [`search`](fn@super::search) is better at the same; this one is what it is compared with.

use std::cmp::Reverse;

use super::search::{CutOutcome, Incumbents, Limits, note};
use super::{Amount, Cut, FORBIDDEN};
use privet_core::Result;
use privet_core::clock::Clock;

/// In which order the open values of a cut are specialised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Those of the highest rank first.
    Descending,
    /// Those of the lowest rank first.
    Ascending,
    /// As they are numbered.
    Numbered,
}

/// Which of the thesis' techniques are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Techniques {
    /// Subtrees are given up that cannot beat the best cut so far.
    pub by_cost: bool,
    /// Which values come first.
    pub order: Order,
    /// A cut is bounded anew when one of its values is locked.
    pub tighten: bool,
}

/// A cut with open and locked values that can be changed step by step, and back.
///
/// What an implementor promises: the bound is not above the cost of any valid cut that is reached by specialising open
/// values, and specialising an invalid cut never makes it valid.
pub trait Enumerable {
    /// A value of the cut.
    type Value: Copy + Ord;

    /// The open values of the first cut.
    fn first(&self) -> Vec<Self::Value>;

    /// Adds the children of a value that can be specialised in their turn.
    fn open_children(&self, value: Self::Value, open: &mut Vec<Self::Value>);

    /// What the order of values goes by.
    fn rank(&self, value: Self::Value) -> u128;

    /// The specialisation step: replaces an open value by its children.
    fn specialise(&mut self, value: Self::Value);

    /// Undoes the last specialisation that was not undone yet.
    fn generalise(&mut self);

    /// Locks an open value, for a better bound at once if it is to `tighten`.
    fn lock(&mut self, value: Self::Value, tighten: bool);

    /// How much locking has changed: to come back to.
    fn changes(&self) -> usize;

    /// Opens values again that were locked since so much was changed.
    fn unlock(&mut self, values: &[Self::Value], changes: usize);

    /// Whether the current cut is a solution.
    fn is_valid(&self) -> bool;

    /// The cost of the current cut.
    fn cost(&self) -> Amount;

    /// What no cut of the current subtree can beat.
    fn bound(&self) -> Amount;

    /// The current cut.
    fn cut(&self) -> Cut;

    /// A cost in the unit of the method's own measure, for those who watch the search.
    fn shown(&self, _cost: Amount) -> Option<f64> {
        None
    }
}

/// A cut on the way down to the current one.
struct Visit<V> {
    /// Its open values, in the order in which they are specialised.
    open: Vec<V>,
    /// How many of them have been: their children are searched, or the last one's are being searched.
    taken: usize,
    /// What no cut can beat that is reached from the rest.
    bound: Amount,
    /// The changes before any of the values was locked.
    changes: usize,
}

/// Finds the best cut; none if the first one is not a solution, because then no other is. Counts the valid cuts as examined. Ends
/// early, with what it has, when the clock's time is over.
pub fn enumerate<C: Enumerable>(
    current: &mut C,
    techniques: Techniques,
    limits: &Limits,
    clock: &Clock,
) -> Result<CutOutcome> {
    let mut incumbents = Incumbents::new(limits);
    let mut found = CutOutcome {
        best: Vec::new(),
        bound: 0,
        complete: true,
        examined: 0,
        intervals: 1,
        trace: Vec::new(),
    };
    if !current.is_valid() {
        found.bound = FORBIDDEN;
        return Ok(found);
    }
    found.examined = 1;
    incumbents.offer(current.cost(), &current.cut());
    let mut discarded = FORBIDDEN;
    let mut open = current.first();
    sort(current, techniques.order, &mut open);
    let mut visits = vec![Visit { open, taken: 0, bound: current.bound(), changes: 0 }];
    while let Some(visit) = visits.last_mut() {
        clock.check()?;
        visit.bound = current.bound();
        if techniques.by_cost && visit.bound >= incumbents.cutoff && visit.taken < visit.open.len() {
            discarded = discarded.min(visit.bound);
            visit.open.truncate(visit.taken);
        }
        let next = visit.open.get(visit.taken).copied();
        found.bound = found.bound.max(proven(&visits, discarded, &incumbents));
        note(&mut found, &incumbents, clock, |cost| current.shown(cost));
        if clock.is_over() {
            break;
        }
        let Some(value) = next else {
            if let Some(done) = visits.pop() {
                current.unlock(&done.open[..done.taken], done.changes);
            }
            // The value whose specialisation led here.
            if let Some(value) = visits.last().and_then(|visit| visit.open.get(visit.taken - 1)) {
                current.generalise();
                current.lock(*value, techniques.tighten);
            }
            continue;
        };
        let Some(visit) = visits.last_mut() else { break };
        visit.taken += 1;
        current.specialise(value);
        found.intervals += 1;
        let is_valid = current.is_valid();
        if is_valid {
            found.examined += 1;
            let cost = current.cost();
            if incumbents.best.first().is_none_or(|(best, _)| cost <= *best) {
                incumbents.offer(cost, &current.cut());
            }
        }
        let bound = current.bound();
        let is_costly = techniques.by_cost && bound >= incumbents.cutoff;
        if is_valid && is_costly {
            discarded = discarded.min(bound);
        }
        if !is_valid || is_costly {
            current.generalise();
            current.lock(value, techniques.tighten);
            continue;
        }
        let mut open = Vec::new();
        current.open_children(value, &mut open);
        open.extend_from_slice(&visit.open[visit.taken..]);
        sort(current, techniques.order, &mut open);
        visits.push(Visit { open, taken: 0, bound, changes: current.changes() });
    }
    found.complete = visits.is_empty();
    found.bound = found.bound.max(proven(&visits, discarded, &incumbents));
    note(&mut found, &incumbents, clock, |cost| current.shown(cost));
    found.best = incumbents.best;
    Ok(found)
}

/// What no cut can beat: the least bound of what is still to be visited or was given up, and the best cost.
fn proven<V>(visits: &[Visit<V>], discarded: Amount, incumbents: &Incumbents) -> Amount {
    let waiting = visits.iter().filter(|visit| visit.taken < visit.open.len());
    let best = incumbents.best.first().map_or(FORBIDDEN, |(cost, _)| *cost);
    waiting.map(|visit| visit.bound).fold(discarded.min(best), Amount::min)
}

fn sort<C: Enumerable>(current: &C, order: Order, open: &mut [C::Value]) {
    match order {
        Order::Descending => open.sort_unstable_by_key(|value| (Reverse(current.rank(*value)), *value)),
        Order::Ascending => open.sort_unstable_by_key(|value| (current.rank(*value), *value)),
        Order::Numbered => open.sort_unstable(),
    }
}
