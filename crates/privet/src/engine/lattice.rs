//! Search for the best vector of generalisation levels, with a proof.
//!
//! The lattice of level vectors is searched by branch and bound over *boxes*: all vectors between a low and a high
//! corner. A box whose bound cannot beat the best vector found so far is dropped whole; any other is cut in two along one
//! column. What bounds a box is the problem's business ([`Levelled::bound`]); that is where monotonicity is used, and
//! where a prune can be unsound. Nothing here needs the lattice in memory, so it may have any size.
//!
//! Boxes are taken in rounds of fixed size in order of their bound and expanded in parallel. What a round does depends
//! only on the rounds before, so the answer and the number of vectors examined do not depend on the number of threads.
//! Ties go to the lexicographically first vector.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::clock::Clock;
use super::rollup::Levels;
use crate::Result;
use crate::loss::Cost;

/// How many boxes are expanded side by side.
const ROUND: usize = 8;

/// A problem whose solutions are vectors of levels.
pub trait Levelled: Sync {
    /// The highest level of each column.
    fn tops(&self) -> &[u8];

    /// The exact cost of a vector; `None` when it does not meet the requirements.
    fn judge(&self, levels: &[u8]) -> Option<Cost>;

    /// A floor on the cost of every valid vector in the box; `None` when there is none.
    fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost>;

    /// How much a column's two levels differ, to choose where to cut: larger is better to tell apart.
    fn contrast(&self, column: usize, low: u8, high: u8) -> f64;
}

/// What a search found and proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The best vector and its cost; `None` when no vector meets the requirements (or none was found in time).
    pub best: Option<(Cost, Levels)>,
    /// No vector costs less than this; equal to the best cost when the search ran to its end.
    pub bound: Option<Cost>,
    /// Whether the search ran to its end.
    pub complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    bound: Cost,
    low: Levels,
    high: Levels,
}

/// Finds the cheapest valid vector.
pub fn search(problem: &dyn Levelled, clock: &Clock) -> Result<Outcome> {
    let tops = problem.tops();
    let bottom: Levels = vec![0; tops.len()].into();
    let Some(bound) = problem.bound(&bottom, tops) else {
        return Ok(Outcome { best: None, bound: None, complete: true });
    };
    let mut best = descend(problem, clock)?;
    let mut open = BTreeSet::from([Span { bound, low: bottom, high: tops.into() }]);
    while let Some(first) = open.first() {
        clock.check()?;
        let floor = first.bound;
        if clock.is_over() && best.is_some() {
            let bound = best.as_ref().map_or(floor, |(cost, _)| floor.min(*cost));
            return Ok(Outcome { best, bound: Some(bound), complete: false });
        }
        let mut round = Vec::with_capacity(ROUND);
        while round.len() < ROUND
            && let Some(span) = open.pop_first()
        {
            if !improves(span.bound, &span.low, &best) {
                open.clear();
                break;
            }
            round.push(span);
        }
        clock.progress().note(&format!("{} boxes open", open.len() + round.len()));
        let expanded: Vec<Expanded> = round.par_iter().map(|span| expand(problem, span)).collect();
        for Expanded { candidates, parts } in expanded {
            for (cost, levels) in candidates {
                if improves(cost, &levels, &best) {
                    best = Some((cost, levels));
                }
            }
            open.extend(parts.into_iter().filter(|span| improves(span.bound, &span.low, &best)));
        }
    }
    let bound = best.as_ref().map(|(cost, _)| *cost);
    Ok(Outcome { best, bound, complete: true })
}

/// Whether something with this cost, or a box with this bound and low corner, may still beat the best. Every vector of a
/// box is lexicographically at or after its low corner.
fn improves(cost: Cost, levels: &Levels, best: &Option<(Cost, Levels)>) -> bool {
    best.as_ref().is_none_or(|(best, at)| (cost, levels) < (*best, at))
}

/// A first answer: from the top, one level down in the column that gains most, as long as the requirements hold.
fn descend(problem: &dyn Levelled, clock: &Clock) -> Result<Option<(Cost, Levels)>> {
    let mut levels: Levels = problem.tops().into();
    let Some(mut cost) = problem.judge(&levels) else { return Ok(None) };
    loop {
        clock.check()?;
        let below: Vec<Levels> = (0..levels.len())
            .filter(|column| levels[*column] > 0)
            .map(|column| {
                let mut below = levels.clone();
                below[column] -= 1;
                below
            })
            .collect();
        let judged: Vec<Option<Cost>> = below.par_iter().map(|levels| problem.judge(levels)).collect();
        let next = judged.into_iter().zip(below).filter_map(|(cost, levels)| Some((cost?, levels))).min();
        match next {
            Some((lower, next)) if lower <= cost => (cost, levels) = (lower, next),
            _ => return Ok(Some((cost, levels))),
        }
        if clock.is_over() {
            return Ok(Some((cost, levels)));
        }
    }
}

struct Expanded {
    candidates: Vec<(Cost, Levels)>,
    parts: Vec<Span>,
}

fn expand(problem: &dyn Levelled, span: &Span) -> Expanded {
    let mut candidates = Vec::new();
    let mut judge = |levels: &Levels| {
        if let Some(cost) = problem.judge(levels) {
            candidates.push((cost, levels.clone()));
        }
    };
    judge(&span.low);
    let Some((column, level)) = cut(problem, span) else {
        return Expanded { candidates, parts: Vec::new() };
    };
    let (mut high, mut low) = (span.high.clone(), span.low.clone());
    high[column] = level;
    low[column] = level + 1;
    judge(&high);
    let halves = [(span.low.clone(), high), (low, span.high.clone())];
    let parts = halves
        .into_iter()
        .filter_map(|(low, high)| {
            let bound = problem.bound(&low, &high)?.max(span.bound);
            Some(Span { bound, low, high })
        })
        .collect();
    Expanded { candidates, parts }
}

/// The column to cut and the highest level of its lower half; `None` for a box of one vector.
fn cut(problem: &dyn Levelled, span: &Span) -> Option<(usize, u8)> {
    let mut choice = None;
    for column in 0..span.low.len() {
        let (low, high) = (span.low[column], span.high[column]);
        if low == high {
            continue;
        }
        let middle = low + (high - low) / 2;
        let contrast = problem.contrast(column, low, middle + 1);
        if choice.is_none_or(|(best, _)| contrast > best) {
            choice = Some((contrast, (column, middle)));
        }
    }
    choice.map(|(_, cut)| cut)
}
