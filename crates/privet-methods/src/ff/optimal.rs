//! Bounds on an interval of cuts, for the shared cut search.
//!
//! - *Validity.* Breaches are monotone. So if the coarsest cut of an interval has a breach, all its cuts have one; and a
//!   node whose opening breaches the coarsest cut is opened in none of them.
//! - *Cost.* LM adds up over the nodes of a cut and decreases with every specialisation. So no cut costs less than the
//!   finest one that is not ruled out, and locking a node costs what its subtree could have saved.
//! - *Conflicts.* Some pairs of nodes can be opened alone but not together: one of them is locked in every valid cut.
//!   Nodes waiting to be opened have disjoint subtrees, so the costs of locking them add up. A packing of conflicts, each
//!   charged to the remaining cost of its two nodes, is paid by every cut (the dual of a weighted vertex cover).

use std::sync::Arc;

use rayon::prelude::*;

use super::problem::FfProblem;
use super::specialise::{NodeGains, Specialisation, above};
use privet_core::clock::Clock;
use privet_engine::cut::{
    Amount, Bounds, CutProblem, Effort, FORBIDDEN, Forest, Interval, Place, Programme, WarmPart, plus,
};

/// Pairs are tested as long as this needs at most this many visits to distinct records in total.
const MOST_PAIRED: usize = 20_000_000;

/// The problem as the cut search sees it.
pub(super) struct FfCutProblem<'a> {
    problem: &'a FfProblem,
    scores: Arc<NodeGains>,
}

impl FfProblem {
    /// This problem for the cut search, with scores for the candidates that it proposes.
    pub fn searched(&self, scores: Arc<NodeGains>) -> FfCutProblem<'_> {
        FfCutProblem { problem: self, scores }
    }
}

impl FfCutProblem<'_> {
    /// The table at the coarsest cut of an interval, derived from that of a wider one; `None` if it has a breach.
    fn descend(&self, interval: &Interval, from: Option<&Specialisation>) -> Option<Specialisation> {
        let mut descent = from.cloned().unwrap_or_else(|| Specialisation::new(self.problem));
        for (tree, node) in above(self.problem, &interval.top(&self.problem.forest)) {
            if !descent.opened[tree][node as usize] && !descent.open(self.problem, tree, node) {
                return None;
            }
        }
        Some(descent)
    }

    /// An interval without valid cuts.
    fn nothing(&self, warmth: Specialisation) -> Bounds<Specialisation> {
        let forbidden = || self.problem.prices.iter().map(|prices| vec![FORBIDDEN; prices.len()]).collect();
        Bounds { least: FORBIDDEN, open: forbidden(), lock: forbidden(), candidates: Vec::new(), warmth }
    }

    /// The pairs of waiting nodes that cannot both be opened.
    fn conflicts(&self, descent: &Specialisation, waiting: &[(usize, u32)]) -> Vec<(usize, usize)> {
        let of_one = |one: usize| {
            let (tree, node) = waiting[one];
            let mut opened = descent.clone();
            if !opened.open(self.problem, tree, node) {
                return Vec::new();
            }
            let others = (one + 1..waiting.len()).filter(|other| waiting[*other].0 != tree);
            let others = others.filter(|other| {
                let (tree, node) = waiting[*other];
                !opened.can_open(self.problem, tree, node)
            });
            others.map(|other| (one, other)).collect()
        };
        (0..waiting.len()).into_par_iter().flat_map_iter(of_one).collect()
    }
}

/// A lower bound on the cost of choosing one node of each conflict.
fn packed(conflicts: &[(usize, usize)], penalties: &[Amount]) -> Amount {
    let mut left = penalties.to_vec();
    let mut paid = 0;
    for (one, other) in conflicts {
        let pays = left[*one].min(left[*other]);
        left[*one] -= pays;
        left[*other] -= pays;
        paid += pays;
    }
    paid
}

impl CutProblem for FfCutProblem<'_> {
    type Warmth = Specialisation;

    fn forest(&self) -> &Forest {
        &self.problem.forest
    }

    fn bounds(
        &self,
        interval: &Interval,
        warmth: Option<&Specialisation>,
        effort: Effort,
        cutoff: Amount,
    ) -> Bounds<Specialisation> {
        let (problem, forest) = (self.problem, &self.problem.forest);
        let Some(descent) = self.descend(interval, warmth) else {
            return self.nothing(Specialisation::new(problem));
        };
        let frontier = interval.frontier(forest);
        let openable: Vec<bool> =
            frontier.par_iter().map(|(tree, node)| descent.can_open(problem, *tree, *node)).collect();
        let mut narrowed = interval.clone();
        for ((tree, node), _) in frontier.iter().zip(&openable).filter(|(_, openable)| !**openable) {
            narrowed.lock(*tree, *node);
        }
        let places: Vec<Vec<Place>> = (0..forest.trees.len()).map(|at| narrowed.places(forest, at)).collect();
        let price = |at: usize, node: u32| problem.prices[at][node as usize];
        let solved: Vec<Programme> = (0..forest.trees.len())
            .map(|at| Programme::solve(&forest.trees[at], &places[at], |node| price(at, node)))
            .collect();
        let mut least: Amount = solved.iter().map(Programme::least).sum();
        let (mut open, mut lock): (Vec<Vec<Amount>>, Vec<Vec<Amount>>) = (Vec::new(), Vec::new());
        for (at, programme) in solved.iter().enumerate() {
            let forced = programme.forced(&forest.trees[at], &places[at], |node| price(at, node));
            let rest = least - programme.least();
            let total = |amounts: Vec<Amount>| amounts.into_iter().map(|amount| plus(rest, amount)).collect();
            open.push(total(forced.open));
            lock.push(total(forced.lock));
        }
        // Nothing below a node that cannot be opened can be opened either; this does not change the cost.
        for ((tree, node), _) in frontier.iter().zip(&openable).filter(|(_, openable)| !**openable) {
            let below = *node as usize..forest.trees[*tree].end(*node) as usize;
            let locked = lock[*tree][*node as usize];
            open[*tree][below.clone()].fill(FORBIDDEN);
            lock[*tree][below].fill(locked);
        }
        let waiting: Vec<(usize, u32)> =
            frontier.iter().zip(&openable).filter(|(_, openable)| **openable).map(|(at, _)| *at).collect();
        let work = waiting.len() * waiting.len() * problem.records.counts.len();
        if effort == Effort::Thorough && least < cutoff && work <= MOST_PAIRED {
            let conflicts = self.conflicts(&descent, &waiting);
            let penalty = |(tree, node): &(usize, u32)| lock[*tree][*node as usize] - least;
            let penalties: Vec<Amount> = waiting.iter().map(penalty).collect();
            let mut opening = vec![0; waiting.len()];
            for (one, other) in &conflicts {
                opening[*one] += penalties[*other];
                opening[*other] += penalties[*one];
            }
            for ((tree, node), more) in waiting.iter().zip(opening) {
                let bound = &mut open[*tree][*node as usize];
                *bound = (*bound).max(plus(least, more));
            }
            least += packed(&conflicts, &penalties);
        }
        // The coarsest cut, and everything reachable from it by opening nodes that are not locked.
        let top = interval.top(forest);
        let mut candidates = vec![(top.clone(), problem.cost(&top))];
        let mut dive = descent.clone();
        let may_open =
            |tree: usize, node: u32| matches!(places[tree][node as usize], Place::Between | Place::Above);
        if least < cutoff && dive.run(problem, &self.scores, &may_open, &Clock::unlimited()).is_ok() {
            let cut = dive.cut(problem);
            candidates.push((cut.clone(), problem.cost(&cut)));
        }
        Bounds { least, open, lock, candidates, warmth: descent }
    }

    fn has_thorough(&self) -> bool {
        true
    }

    fn parts(&self, warmth: &Specialisation) -> Vec<WarmPart> {
        vec![WarmPart { id: std::ptr::from_ref(warmth).addr(), bytes: warmth.classes.bytes() }]
    }

    fn shown(&self, cost: Amount) -> Option<f64> {
        Some(self.problem.value(cost))
    }
}
