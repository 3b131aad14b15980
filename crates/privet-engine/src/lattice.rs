//! Search for the best vector of generalisation levels, with a proof.
//!
//! The lattice of level vectors is searched by branch and bound over *boxes*: all vectors between a low and a high
//! corner. A box whose bound cannot beat the best vector found so far is dropped whole; any other is cut in two along one
//! column. What bounds a box is the problem's business ([`Levelled::bound`]); that is where monotonicity is used, and
//! where a prune can be unsound. Nothing here needs the lattice in memory, so it may have any size.
//!
//! Boxes are taken in rounds of fixed size in order of their bound and expanded in parallel. What a round does depends
//! only on the rounds before, so the answer and the number of vectors examined do not depend on the number of threads.
//! Ties go to the lexicographically first vector. Where several of the best vectors are wanted, a box is dropped when it cannot
//! beat the last of them.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::rollup::Levels;
use crate::loss::Cost;
use privet_core::Result;
use privet_core::clock::Clock;

/// How many boxes are expanded side by side.
const ROUND: usize = 8;

/// A problem whose solutions are vectors of levels.
pub trait Levelled: Sync {
    /// The highest level of each column.
    fn tops(&self) -> &[u8];

    /// The lowest level of each column that a solution may have.
    fn bottoms(&self) -> Levels {
        vec![0; self.tops().len()].into()
    }

    /// The exact cost of a vector; `None` when it does not meet the requirements.
    fn judge(&self, levels: &[u8]) -> Option<Cost>;

    /// A floor on the cost of every valid vector in the box; `None` when there is none.
    fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost>;

    /// Makes what [`Levelled::glance`] needs. Called once, when there is a first answer.
    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    /// A floor that takes next to no time, to pass over what cannot be among the best without a closer look.
    fn glance(&self, _low: &[u8], _high: &[u8]) -> Option<Cost> {
        Some(Cost(0))
    }

    /// A floor on the cost of vectors that were not judged for want of time; `None` when all were that had to be.
    fn unjudged(&self) -> Option<Cost> {
        None
    }

    /// How much a column's two levels differ, to choose where to cut: larger is better to tell apart.
    fn contrast(&self, column: usize, low: u8, high: u8) -> f64;

    /// A cost in the unit of the method's own measure, for those who watch the search.
    fn shown(&self, _cost: Cost) -> Option<f64> {
        None
    }
}

/// What a search found and proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatticeOutcome {
    /// The best vectors with their costs, best first; none when no vector meets the requirements.
    pub best: Vec<(Cost, Levels)>,
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

/// The best vectors so far.
struct Best {
    /// How many are wanted.
    top: usize,
    found: BTreeSet<(Cost, Levels)>,
}

impl Best {
    /// Whether something with this cost, or a box with this bound and low corner, may still be among the best. Every vector of a
    /// box is lexicographically at or after its low corner.
    fn may_have(&self, cost: Cost, levels: &Levels) -> bool {
        self.found.len() < self.top
            || self.found.last().is_none_or(|(worst, at)| (cost, levels) < (*worst, at))
    }

    fn offer(&mut self, cost: Cost, levels: Levels) {
        self.found.insert((cost, levels));
        if self.found.len() > self.top {
            self.found.pop_last();
        }
    }

    fn least(&self) -> Option<Cost> {
        self.found.first().map(|(cost, _)| *cost)
    }
}

/// Finds the cheapest valid vectors, up to `top` of them.
pub fn search(problem: &dyn Levelled, top: usize, clock: &Clock) -> Result<LatticeOutcome> {
    let tops = problem.tops();
    let bottom = problem.bottoms();
    let Some(bound) = problem.bound(&bottom, tops) else {
        return Ok(LatticeOutcome { best: Vec::new(), bound: None, complete: true });
    };
    let mut best = Best { top: top.max(1), found: descend(problem, clock)?.into_iter().collect() };
    problem.prepare()?;
    let Some(floor) = problem.glance(&bottom, tops) else {
        let bound = best.least();
        return Ok(LatticeOutcome { best: best.found.into_iter().collect(), bound, complete: true });
    };
    let bound = bound.max(floor);
    let mut open = BTreeSet::from([Span { bound, low: bottom, high: tops.into() }]);
    let mut known = (None, None);
    let mut say = |best: &Best, bound: Option<Cost>| {
        let now = (best.least(), bound);
        if known != now {
            known = now;
            let shown = |cost: Cost| problem.shown(cost);
            clock.progress().closing_in(now.0.and_then(shown), now.1.and_then(shown));
        }
    };
    while let Some(first) = open.first() {
        clock.check()?;
        let floor = first.bound;
        say(&best, best.least().into_iter().chain([floor]).min());
        if clock.is_over()
            && let Some(least) = best.least()
        {
            let bound = problem.unjudged().into_iter().chain([floor, least]).min();
            return Ok(LatticeOutcome { best: best.found.into_iter().collect(), bound, complete: false });
        }
        let mut round = Vec::with_capacity(ROUND);
        while round.len() < ROUND
            && let Some(span) = open.pop_first()
        {
            if !best.may_have(span.bound, &span.low) {
                open.clear();
                break;
            }
            round.push(span);
        }
        clock.progress().note(&format!("{} boxes open", open.len() + round.len()));
        let expanded: Vec<Expanded> = round.par_iter().map(|span| expand(problem, span, &best)).collect();
        for Expanded { candidates, parts } in expanded {
            for (cost, levels) in candidates {
                best.offer(cost, levels);
            }
            open.extend(parts.into_iter().filter(|span| best.may_have(span.bound, &span.low)));
        }
    }
    let unjudged = problem.unjudged();
    let bound = best.least().into_iter().chain(unjudged).min();
    say(&best, bound);
    Ok(LatticeOutcome { best: best.found.into_iter().collect(), bound, complete: unjudged.is_none() })
}

/// A first answer: from the top, one level down in the column that gains most, as long as the requirements hold.
fn descend(problem: &dyn Levelled, clock: &Clock) -> Result<Option<(Cost, Levels)>> {
    let mut levels: Levels = problem.tops().into();
    let bottoms = problem.bottoms();
    let Some(mut cost) = problem.judge(&levels) else { return Ok(None) };
    loop {
        clock.check()?;
        let below: Vec<Levels> = (0..levels.len())
            .filter(|column| levels[*column] > bottoms[*column])
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

fn expand(problem: &dyn Levelled, span: &Span, best: &Best) -> Expanded {
    let mut candidates = Vec::new();
    let may_have = |floor: Cost, low: &Levels| best.may_have(floor.max(span.bound), low);
    let mut judge = |levels: &Levels| {
        let floor = problem.glance(levels, levels);
        if floor.is_some_and(|floor| may_have(floor, levels))
            && let Some(cost) = problem.judge(levels)
        {
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
            let floor = problem.glance(&low, &high).filter(|floor| may_have(*floor, &low))?;
            let bound = problem.bound(&low, &high)?.max(span.bound).max(floor);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    /// A cost for every vector, none for those that are not valid; boxes are bounded by what is in them, some slack off.
    #[derive(Debug)]
    struct Costs {
        tops: Vec<u8>,
        costs: Vec<Option<u128>>,
        slack: u128,
    }

    impl Costs {
        fn at(&self, levels: &[u8]) -> usize {
            levels
                .iter()
                .zip(&self.tops)
                .fold(0, |at, (level, top)| at * (usize::from(*top) + 1) + usize::from(*level))
        }

        /// All vectors between two corners, in lexicographic order.
        fn between(&self, low: &[u8], high: &[u8]) -> Vec<Levels> {
            let mut all = vec![Vec::new()];
            for (low, high) in low.iter().zip(high) {
                let longer =
                    |vector: Vec<u8>| (*low..=*high).map(move |level| [vector.as_slice(), &[level]].concat());
                all = all.into_iter().flat_map(longer).collect();
            }
            all.into_iter().map(Levels::from).collect()
        }
    }

    impl Levelled for Costs {
        fn tops(&self) -> &[u8] {
            &self.tops
        }

        fn judge(&self, levels: &[u8]) -> Option<Cost> {
            self.costs[self.at(levels)].map(Cost)
        }

        fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
            let least = self.between(low, high).iter().filter_map(|levels| self.judge(levels)).min();
            least.map(|Cost(least)| Cost(least.saturating_sub(self.slack)))
        }

        fn contrast(&self, column: usize, low: u8, high: u8) -> f64 {
            f64::from(high - low) * (column + 1) as f64
        }
    }

    fn costs() -> impl Strategy<Value = Costs> {
        prop::collection::vec(0u8..4, 1..5).prop_flat_map(|tops| {
            let size = tops.iter().map(|top| usize::from(*top) + 1).product::<usize>();
            let cost = prop::option::weighted(0.6, 0u128..12);
            (prop::collection::vec(cost, size), 0u128..4).prop_map(move |(costs, slack)| Costs {
                tops: tops.clone(),
                costs,
                slack,
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_first_of_the_cheapest_are_found(problem in costs(), top in 1usize..5) {
            let bottom = vec![0; problem.tops.len()];
            let all = problem.between(&bottom, &problem.tops);
            let valid = all.into_iter().filter_map(|levels| Some((problem.judge(&levels)?, levels)));
            let mut best: Vec<(Cost, Levels)> = valid.collect();
            best.sort();
            best.truncate(top);
            let outcome = search(&problem, top, &Clock::unlimited()).expect("an outcome");
            prop_assert!(outcome.complete);
            prop_assert_eq!(outcome.bound, best.first().map(|(cost, _)| *cost));
            prop_assert_eq!(&outcome.best, &best);

            let hurried =
                search(&problem, top, &Clock::unlimited().with_limit(Some(Duration::ZERO))).expect("an outcome");
            prop_assert_eq!(hurried.best.is_empty(), best.is_empty());
            if let (Some((found, _)), Some(bound), Some((least, _))) =
                (hurried.best.first(), hurried.bound, best.first())
            {
                prop_assert!(bound <= *least && least <= found);
            }
        }
    }

    #[test]
    fn an_interrupted_search_ends_with_an_error() {
        let clock = Clock::unlimited();
        clock.interrupt();
        let problem = Costs { tops: vec![1], costs: vec![Some(1), Some(2)], slack: 0 };
        assert_eq!(
            search(&problem, 1, &clock).map_err(|error| error.kind()),
            Err(privet_core::ErrorKind::Interrupted)
        );
    }
}
