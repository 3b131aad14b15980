//! Branch and bound on intervals of cuts.
//!
//! Best first: the interval with the least bound is looked at next, so the least bound of what is still open is proven
//! at any moment. Intervals are taken in batches whose size depends on nothing but the search itself, every one of a
//! batch is judged against the same best cost, and the results are put together in order. So the answer does not
//! depend on the number of threads or on their timing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rayon::prelude::*;

use super::forest::{Cut, Forest};
use super::interval::{Interval, Place};
use super::{Amount, FORBIDDEN};
use privet_core::clock::Clock;
use privet_core::{Exact, Result};

/// How much work a bound may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// What every interval gets.
    Quick,
    /// What an interval gets that the quick bound does not decide.
    Thorough,
}

/// What a problem knows about the cuts of an interval.
#[derive(Debug)]
pub struct Bounds<W> {
    /// No cut of the interval costs less.
    pub least: Amount,
    /// Per tree and node between the interval's ends: no cut in which the node is opened costs less.
    pub open: Vec<Vec<Amount>>,
    /// Per tree and node between the interval's ends: no cut in which it is not opened costs less.
    pub lock: Vec<Vec<Amount>>,
    /// Cuts of the interval with their exact costs.
    pub candidates: Vec<(Cut, Amount)>,
    /// What bounding a part of this interval can build on.
    pub warmth: W,
}

/// A problem whose solutions are cuts.
pub trait CutProblem: Sync {
    /// What bounding a part of an interval can build on.
    type Warmth: Send + Sync;

    /// The trees.
    fn forest(&self) -> &Forest;

    /// Bounds the cuts of an interval. `warmth` is that of an interval that contains this one, where it is still kept.
    /// Bounds from `cutoff` on need not be any sharper.
    fn bounds(
        &self,
        interval: &Interval,
        warmth: Option<&Self::Warmth>,
        effort: Effort,
        cutoff: Amount,
    ) -> Bounds<Self::Warmth>;

    /// Whether a thorough bound can be better than a quick one.
    fn has_thorough(&self) -> bool;

    /// What keeping the warmth takes: its parts, which others may share.
    fn parts(&self, warmth: &Self::Warmth) -> Vec<WarmPart>;

    /// A cost in the unit of the method's own measure, for those who watch the search.
    fn shown(&self, _cost: Amount) -> Option<f64> {
        None
    }
}

/// A part of what is kept for open intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmPart {
    /// Equal for the same part, as its address is, and for no other part that lives.
    pub id: usize,
    /// How many bytes it takes.
    pub bytes: usize,
}

/// What a search is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many of the best cuts are wanted, at least 1.
    pub top: usize,
    /// The best may cost up to 1 + this times the optimum.
    pub approximation: Option<Exact>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { top: 1, approximation: None }
    }
}

/// How the search stood at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Seconds since the search began.
    pub seconds: f64,
    /// The best cost so far.
    pub best: Option<Amount>,
    /// What no cut can beat.
    pub bound: Amount,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct CutOutcome {
    /// The best cuts so far with their costs, best first; fewer than asked for if there are not that many.
    pub best: Vec<(Amount, Cut)>,
    /// What no cut can beat.
    pub bound: Amount,
    /// Whether the search came to its end, within its approximation.
    pub complete: bool,
    /// How many cuts' costs were computed.
    pub examined: u64,
    /// How many intervals were bounded.
    pub intervals: u64,
    /// How best and bound moved.
    pub trace: Vec<Step>,
}

/// Intervals of one batch at most.
const BATCH: usize = 16;
/// Warmth of open intervals is kept as long as it fits in this many bytes, or in this many times what the first takes:
/// the larger the table, the more it costs to start again.
const WARMTH: usize = 96 << 20;
const WARMTHS: usize = 8;
/// The trace keeps at most this many steps.
const STEPS: usize = 1000;

/// The best cuts so far.
#[derive(Debug, Clone)]
pub struct Incumbents {
    top: usize,
    /// They with their costs, the best first.
    pub best: Vec<(Amount, Cut)>,
    approximation: Option<Exact>,
    /// Bounds from here on cannot lead to anything wanted.
    pub cutoff: Amount,
}

impl Incumbents {
    /// None yet.
    pub fn new(limits: &Limits) -> Incumbents {
        Incumbents {
            top: limits.top.max(1),
            best: Vec::new(),
            approximation: limits.approximation,
            cutoff: FORBIDDEN,
        }
    }

    /// The cost of the best cut so far.
    fn least(&self) -> Amount {
        self.best.first().map_or(FORBIDDEN, |(cost, _)| *cost)
    }

    /// Takes a cut in if it is among the best. Of equal costs, the more specific cut comes first.
    pub fn offer(&mut self, cost: Amount, cut: &Cut) {
        let full = self.best.len() >= self.top;
        if cost >= FORBIDDEN || (full && self.best.last().is_some_and(|(worst, _)| cost > *worst)) {
            return;
        }
        if self.best.iter().any(|(_, known)| known == cut) {
            return;
        }
        let place =
            self.best.partition_point(|(other, known)| (*other, Reverse(known)) < (cost, Reverse(cut)));
        self.best.insert(place, (cost, cut.clone()));
        self.best.truncate(self.top);
        if self.best.len() == self.top {
            let worst = self.best[self.top - 1].0;
            self.cutoff = match self.approximation {
                None => worst,
                Some(alpha) => least_within(worst, alpha),
            };
        }
    }
}

/// The least b with (1 + alpha) · b ≥ cost.
fn least_within(cost: Amount, alpha: Exact) -> Amount {
    let (num, den) = (BigInt::from(alpha.numerator()), BigInt::from(alpha.denominator()));
    let whole = &num + &den;
    let least: BigInt = (BigInt::from(cost) * den + &whole - 1) / whole;
    least.to_i128().unwrap_or(cost)
}

struct Open<W> {
    interval: Interval,
    bound: Amount,
    depth: u32,
    warmth: Option<Arc<W>>,
    /// The parts of its warmth.
    parts: Vec<WarmPart>,
}

/// The parts of all warmth that is kept, each counted once.
#[derive(Debug, Default)]
struct KeptWarmth {
    /// Per part, how many intervals hold it, and its bytes when the first of them came.
    parts: HashMap<usize, (usize, usize), RandomState>,
    bytes: usize,
    /// As many bytes may be kept; known from the first warmth on.
    most: Option<usize>,
}

impl KeptWarmth {
    /// Keeps the parts of an interval's warmth, if there is space; returns whether it is.
    fn keep(&mut self, parts: &[WarmPart]) -> bool {
        let all: usize = parts.iter().map(|part| part.bytes).sum();
        let most = *self.most.get_or_insert(WARMTH.max(WARMTHS * all));
        let new = parts.iter().filter(|part| !self.parts.contains_key(&part.id));
        if self.bytes + new.map(|part| part.bytes).sum::<usize>() > most {
            return false;
        }
        for part in parts {
            let (holders, bytes) = self.parts.entry(part.id).or_insert((0, part.bytes));
            if *holders == 0 {
                self.bytes += *bytes;
            }
            *holders += 1;
        }
        true
    }

    /// Lets go of what an interval held.
    fn release(&mut self, parts: &[WarmPart]) {
        for part in parts {
            let Some((holders, bytes)) = self.parts.get_mut(&part.id) else { continue };
            *holders -= 1;
            if *holders == 0 {
                self.bytes -= *bytes;
                self.parts.remove(&part.id);
            }
        }
    }
}

/// What came of looking at one interval.
struct Looked<W> {
    candidates: Vec<(Cut, Amount)>,
    /// The least bound of what was given up.
    discarded: Amount,
    children: Vec<Open<W>>,
    intervals: u64,
}

/// Finds the best cuts, from known ones on. Ends early, with what it has, when the clock's time is over.
pub fn search<P: CutProblem>(
    problem: &P,
    known: Vec<(Cut, Amount)>,
    limits: &Limits,
    clock: &Clock,
) -> Result<CutOutcome> {
    let mut incumbents = Incumbents::new(limits);
    let mut found = CutOutcome {
        best: Vec::new(),
        bound: 0,
        complete: false,
        examined: known.len() as u64,
        intervals: 0,
        trace: Vec::new(),
    };
    for (cut, cost) in &known {
        incumbents.offer(*cost, cut);
    }
    let mut open: Vec<Option<Open<P::Warmth>>> = vec![Some(Open {
        interval: Interval::everything(problem.forest()),
        bound: 0,
        depth: 0,
        warmth: None,
        parts: Vec::new(),
    })];
    // Least bound first; of equals the deeper one, which is nearer to an answer.
    let mut queue = BinaryHeap::from([Reverse((0, Reverse(0u32), 0usize))]);
    let mut discarded = FORBIDDEN;
    let mut kept = KeptWarmth::default();
    while let Some(Reverse((least, ..))) = queue.peek() {
        clock.check()?;
        found.bound = found.bound.max((*least).min(discarded).min(incumbents.least()));
        note(&mut found, &incumbents, clock, |cost| problem.shown(cost));
        if *least >= incumbents.cutoff || clock.is_over() {
            break;
        }
        let size = (queue.len() / 2).clamp(1, BATCH);
        let mut batch: Vec<Open<P::Warmth>> = Vec::with_capacity(size);
        while batch.len() < size {
            let Some(Reverse((bound, _, id))) = queue.pop() else { break };
            if bound >= incumbents.cutoff {
                discarded = discarded.min(bound);
                continue;
            }
            batch.extend(open[id].take());
        }
        batch.iter().for_each(|one| kept.release(&one.parts));
        let looked: Vec<Looked<P::Warmth>> =
            batch.into_par_iter().map(|one| look(problem, one, &incumbents, clock)).collect();
        for one in looked {
            found.intervals += one.intervals;
            found.examined += one.candidates.len() as u64;
            discarded = discarded.min(one.discarded);
            for (cut, cost) in &one.candidates {
                incumbents.offer(*cost, cut);
            }
            for mut child in one.children {
                child.parts = child.warmth.as_ref().map_or_else(Vec::new, |warmth| problem.parts(warmth));
                if !child.parts.is_empty() && !kept.keep(&child.parts) {
                    (child.warmth, child.parts) = (None, Vec::new());
                }
                queue.push(Reverse((child.bound, Reverse(child.depth), open.len())));
                open.push(Some(child));
            }
        }
    }
    let least = queue.peek().map_or(FORBIDDEN, |Reverse((least, ..))| *least);
    found.complete = least >= incumbents.cutoff;
    found.bound = found.bound.max(least.min(discarded).min(incumbents.least()));
    found.best = incumbents.best.clone();
    note(&mut found, &incumbents, clock, |cost| problem.shown(cost));
    Ok(found)
}

/// Adds to the trace, if anything has moved, and says so to those who watch; `shown` is a cost in their unit.
pub fn note(
    found: &mut CutOutcome,
    incumbents: &Incumbents,
    clock: &Clock,
    shown: impl Fn(Amount) -> Option<f64>,
) {
    let best = incumbents.best.first().map(|(cost, _)| *cost);
    let step = Step { seconds: clock.elapsed().as_secs_f64(), best, bound: found.bound };
    match found.trace.last() {
        Some(last) if (last.best, last.bound) == (step.best, step.bound) => return,
        _ if found.trace.len() < STEPS => found.trace.push(step),
        Some(_) | None => {
            // Too many to keep: the last one stands for all later ones.
            found.trace.pop();
            found.trace.push(step);
        }
    }
    let bound = Some(step.bound).filter(|bound| *bound < FORBIDDEN);
    clock.progress().closing_in(best.and_then(&shown), bound.and_then(&shown));
}

/// Bounds an interval, fixes what can be fixed, and branches.
fn look<P: CutProblem>(
    problem: &P,
    mut open: Open<P::Warmth>,
    incumbents: &Incumbents,
    clock: &Clock,
) -> Looked<P::Warmth> {
    let mut local = incumbents.clone();
    let mut looked =
        Looked { candidates: Vec::new(), discarded: FORBIDDEN, children: Vec::new(), intervals: 0 };
    // Parts of an interval that a thorough bound did not decide are rarely decided by a quick one.
    let mut effort = if open.depth > 0 { Effort::Thorough } else { Effort::Quick };
    let forest = problem.forest();
    let bounds = loop {
        if clock.is_over() {
            looked.children.push(open);
            return looked;
        }
        let bounds = problem.bounds(&open.interval, open.warmth.as_deref(), effort, local.cutoff);
        looked.intervals += 1;
        open.bound = open.bound.max(bounds.least);
        for (cut, cost) in bounds.candidates.iter().filter(|(_, cost)| *cost < FORBIDDEN) {
            local.offer(*cost, cut);
            if !looked.candidates.iter().any(|(known, _)| known == cut) {
                looked.candidates.push((cut.clone(), *cost));
            }
        }
        if open.bound >= local.cutoff {
            looked.discarded = looked.discarded.min(open.bound);
            return looked;
        }
        let fixed = fix(forest, &mut open.interval, &bounds, local.cutoff, &mut looked.discarded);
        if fixed == Fixed::Nothing && (effort == Effort::Thorough || !problem.has_thorough()) {
            break bounds;
        }
        if fixed == Fixed::Contradiction {
            return looked;
        }
        if fixed == Fixed::Nothing {
            effort = Effort::Thorough;
        }
        open.warmth = Some(Arc::new(bounds.warmth));
    };
    if open.interval.is_single(forest) {
        // Its only cut was a candidate.
        return looked;
    }
    let warmth = Arc::new(bounds.warmth);
    let side = |tree: usize, node: u32| {
        let (open, lock) = (bounds.open[tree][node as usize], bounds.lock[tree][node as usize]);
        (open.min(lock), open.max(lock))
    };
    // Where the smaller of the two bounds is largest, both sides gain most.
    let frontier = open.interval.frontier(forest);
    let chosen =
        frontier.iter().copied().max_by_key(|(tree, node)| (side(*tree, *node), Reverse((*tree, *node))));
    if let Some((tree, node)) = chosen {
        let mut opened = open.interval.clone();
        opened.open(forest, tree, node);
        open.interval.lock(tree, node);
        let sides =
            [(opened, bounds.open[tree][node as usize]), (open.interval, bounds.lock[tree][node as usize])];
        for (interval, bound) in sides {
            let (bound, depth) = (bound.max(open.bound), open.depth + 1);
            let (warmth, parts) = (Some(warmth.clone()), Vec::new());
            looked.children.push(Open { interval, bound, depth, warmth, parts });
        }
    }
    looked
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fixed {
    Nothing,
    Something,
    /// Neither side of a node can lead to anything wanted.
    Contradiction,
}

/// Decides every free node for which one side is out of the question.
fn fix<W>(
    forest: &Forest,
    interval: &mut Interval,
    bounds: &Bounds<W>,
    cutoff: Amount,
    discarded: &mut Amount,
) -> Fixed {
    let mut fixed = Fixed::Nothing;
    for tree in 0..forest.trees.len() {
        let places = interval.places(forest, tree);
        for node in (0..places.len()).filter(|node| places[*node] == Place::Between) {
            let (open, lock) = (bounds.open[tree][node], bounds.lock[tree][node]);
            if open < cutoff && lock < cutoff {
                continue;
            }
            // The bounds stand on the same interval, so all fixings hold at once.
            match (open >= cutoff, lock >= cutoff) {
                (true, true) => {
                    *discarded = (*discarded).min(open.min(lock));
                    return Fixed::Contradiction;
                }
                (true, false) => {
                    *discarded = (*discarded).min(open);
                    interval.lock(tree, node as u32);
                }
                _ => {
                    *discarded = (*discarded).min(lock);
                    interval.open(forest, tree, node as u32);
                }
            }
            fixed = Fixed::Something;
        }
    }
    fixed
}
