//! OG, the optimal method for KL(m,n)-privacy, and mOG, its version in rounds (chapter 4 of the thesis, on conflicts).
//!
//! There are two phases: find what an adversary of the given power could do (threats, stored as
//! [conflicts](privet_engine::conflict)), and find the cheapest cut in which none of it is possible. As the power
//! grows, most threats are those of cuts that would never be chosen, so OG finds threats *eagerly* only while that is
//! cheap. From there on it is *lazy*: it takes the best cut for the conflicts known so far, searches for threats in
//! that cut alone, and adds their conflicts. The first cut without a threat is the optimum, because it is the best even
//! for a subset of the conflicts.

mod checker;
mod rounds;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::enumeration::{self, Switches};
use super::suppression::{self, Manner, PROOF};
use super::{ItemSolution, ItemTask, OUT_OF_TIME, feasible};
use crate::kl::recoding::{ItemRecoding, cost_of_everything};
use crate::plan::ItemCutPlan;
use crate::{SearchFacts, TracePoint};
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::conflict::Prices;
use privet_engine::itemset::rows::Rows;
use privet_engine::itemset::{Effort, Threat};
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::method::{ItemLimits, ItemSearch, Og};
use privet_taxonomy::{ItemTree, Node};

/// Finds the cheapest valid cut.
pub(super) fn run(task: &ItemTask<'_>, own: &Og, clock: &Clock) -> Result<ItemSolution> {
    let clock = clock.with_limit(own.time_limit);
    let limits = task.method.limits();
    if task.is_measured() {
        // The search by conflicts counts nodes, the one with suppression whatever can be added up.
        let proof = Some(if own.time_limit.is_some() { u64::MAX } else { PROOF });
        return suppression::run(task, Manner { limits, proof, alpha: own.alpha }, Vec::new(), &clock);
    }
    if limits != ItemLimits::NONE {
        let whole = || {
            let problem = OgProblem::new(task.baskets, task.requirements, task.measure());
            let quick = clock.with_share(1, 3);
            search::run(&problem, &search::SearchManner::of(task, own), &quick).map(|reached| reached.cut)
        };
        let cuts = unsuppressed(task, whole)?;
        let proof = Some(if own.time_limit.is_some() { u64::MAX } else { PROOF });
        return suppression::run(task, Manner { limits, proof, alpha: own.alpha }, cuts, &clock);
    }
    feasible::check(task)?;
    let problem = OgProblem::new(task.baskets, task.requirements, task.measure());
    if own.search == ItemSearch::Enumeration {
        return problem.enumerate(&clock);
    }
    let reached = search::run(&problem, &search::SearchManner::of(task, own), &clock)?;
    let mut solution = problem.solution(reached, &clock);
    if clock.is_over() && !solution.search.optimal {
        solution.warnings.push(OUT_OF_TIME.to_string());
    }
    Ok(solution)
}

/// Finds a valid cut in rounds.
pub(super) fn run_multi_round(task: &ItemTask<'_>, clock: &Clock) -> Result<ItemSolution> {
    let clock = clock.without_limit();
    let problem = OgProblem::new(task.baskets, task.requirements, task.measure());
    let mut reached = SearchState::default();
    let mut in_rounds = || {
        let cut = rounds::run(&problem, &mut reached, &clock)?;
        cut.ok_or_else(|| Error::internal("rounds without a limit ended early"))
    };
    let limits = task.method.limits();
    if task.is_measured() {
        let manner = Manner { limits, proof: None, alpha: Exact::ZERO };
        return suppression::run(task, manner, Vec::new(), &clock);
    }
    if limits != ItemLimits::NONE {
        let cuts = unsuppressed(task, in_rounds)?;
        return suppression::run(task, Manner { limits, proof: None, alpha: Exact::ZERO }, cuts, &clock);
    }
    feasible::check(task)?;
    let cut = in_rounds()?;
    reached.improve(&problem, cut, &clock);
    Ok(problem.solution(reached, &clock))
}

/// The cut of a search without suppression, if there is a valid one.
fn unsuppressed(task: &ItemTask<'_>, search: impl FnOnce() -> Result<Vec<Node>>) -> Result<Vec<Vec<Node>>> {
    match feasible::check(task).and_then(|()| search()) {
        Ok(cut) => Ok(vec![cut]),
        Err(error) if error.kind() == ErrorKind::Infeasible => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The problem, prepared once.
struct OgProblem<'a> {
    baskets: &'a Baskets,
    tree: &'a ItemTree,
    requirements: &'a [KlPrivacy],
    measure: ItemMeasure,
    prices: Prices,
    /// The transactions with their original items.
    rows: Arc<Rows>,
}

impl<'a> OgProblem<'a> {
    fn new(baskets: &'a Baskets, requirements: &'a [KlPrivacy], measure: ItemMeasure) -> OgProblem<'a> {
        let tree: &ItemTree = &baskets.tree;
        let occurrences = baskets.occurrences();
        let cost = tree
            .nodes()
            .map(|node| u128::from(occurrences[node as usize]) * u128::from(measure.weight(tree, node)));
        let prices = Prices::new(tree, cost.collect());
        let rows = Arc::new(Rows::of(baskets, &tree.nodes().collect::<Vec<_>>()));
        OgProblem { baskets, tree, requirements, measure, prices, rows }
    }

    /// A cost as a mean per occurrence, from 0 to 1.
    fn share(&self, cost: u128) -> f64 {
        let all = cost_of_everything(self.measure, self.baskets);
        if all == 0 { 0.0 } else { cost as f64 / all as f64 }
    }

    fn solution(&self, reached: SearchState, clock: &Clock) -> ItemSolution {
        let counters = vec![
            ("itemsets", reached.effort.itemsets),
            ("threats", reached.effort.threats),
            ("conflicts", reached.conflicts),
            ("locked", reached.locked),
            ("solves", reached.solves),
        ];
        let SearchState { cut, cost, bound, cuts, trace, .. } = reached;
        self.decision(DecidedCut { cut: &cut, cost, bound, cuts, trace, counters }, clock)
    }

    /// The result of the search described in the thesis.
    fn enumerate(&self, clock: &Clock) -> Result<ItemSolution> {
        let found = enumeration::solve(self.baskets, self.requirements, self.measure, Switches::ALL, clock)?;
        let facts = found.facts;
        let trace = found.trace.iter().map(|step| TracePoint {
            seconds: facts.threat_seconds + step.seconds,
            best: step.best.and_then(|best| u128::try_from(best).ok()).map(|best| self.share(best)),
            bound: u128::try_from(step.bound).ok().map(|bound| self.share(bound)),
        });
        let decided = DecidedCut {
            cut: &found.cut,
            cost: found.cost,
            bound: Some(found.bound),
            cuts: facts.cuts,
            trace: trace.collect(),
            counters: vec![("nodes", facts.nodes), ("threats", facts.threats), ("kept threats", facts.kept)],
        };
        Ok(self.decision(decided, clock))
    }

    fn decision(&self, decided: DecidedCut<'_>, clock: &Clock) -> ItemSolution {
        let DecidedCut { cut, cost, bound, cuts, trace, counters } = decided;
        ItemSolution {
            recoding: ItemRecoding::of_cut(self.tree, cut),
            plan: ItemCutPlan::of(self.tree, cut),
            search: SearchFacts {
                space: Some(self.tree.cuts().to_string()),
                examined: cuts,
                seconds: clock.elapsed().as_secs_f64(),
                optimal: bound == Some(cost),
                bound: bound.map(|bound| self.share(bound)),
                trace,
            },
            counters,
            warnings: Vec::new(),
        }
    }

    /// The error for a threat that every cut has.
    fn impossible(&self, threat: &Threat) -> Error {
        let named =
            |nodes: &[Node]| nodes.iter().map(|node| self.tree.label(*node)).collect::<Vec<_>>().join("', '");
        let known = match (&threat.present[..], &threat.absent[..]) {
            ([], []) => "without any knowledge".to_string(),
            (present, []) => format!("knowing that a transaction holds '{}'", named(present)),
            ([], absent) => format!("knowing that a transaction lacks '{}'", named(absent)),
            (present, absent) => {
                format!("knowing that a transaction holds '{}' and lacks '{}'", named(present), named(absent))
            }
        };
        let fit = match (self.baskets.people().is_some(), threat.support) {
            (false, 1) => "1 transaction fits".to_string(),
            (false, support) => format!("{support} transactions fit"),
            (true, 1) => "1 person fits".to_string(),
            (true, support) => format!("{support} people fit"),
        };
        Error::infeasible(format!(
            "no release can meet the policy: {known}, {fit} even if every item is published as its root"
        ))
        .help(format!("lower k, l, m or n, or provide more {}", self.baskets.counted()))
    }
}

/// A cut, with how it was found.
struct DecidedCut<'c> {
    cut: &'c [Node],
    cost: u128,
    bound: Option<u128>,
    cuts: u64,
    trace: Vec<TracePoint>,
    counters: Vec<(&'static str, u64)>,
}

/// The state of a search.
#[derive(Debug, Default)]
struct SearchState {
    /// The best valid cut.
    cut: Vec<Node>,
    cost: u128,
    /// A lower bound on the cost of any valid cut, if proven.
    bound: Option<u128>,
    effort: Effort,
    /// Cuts and partial cuts examined.
    cuts: u64,
    /// How often the best cut for the known conflicts was computed.
    solves: u64,
    conflicts: u64,
    locked: u64,
    trace: Vec<TracePoint>,
    is_found: bool,
}

impl SearchState {
    /// Records a valid cut if it is better than the best known.
    fn improve(&mut self, problem: &OgProblem<'_>, cut: Vec<Node>, clock: &Clock) {
        let cost = problem.prices.of_cut(&cut);
        if !self.is_found || cost < self.cost {
            (self.cut, self.cost, self.is_found) = (cut, cost, true);
            self.note(problem, clock);
        }
    }

    /// Records a bound if it is better than the best known.
    fn raise(&mut self, problem: &OgProblem<'_>, bound: u128, clock: &Clock) {
        if self.bound.is_none_or(|known| known < bound) {
            self.bound = Some(bound);
            self.note(problem, clock);
        }
    }

    fn note(&mut self, problem: &OgProblem<'_>, clock: &Clock) {
        let best = self.is_found.then(|| problem.share(self.cost));
        let bound = self.bound.map(|bound| problem.share(bound));
        self.trace.push(TracePoint { seconds: clock.elapsed().as_secs_f64(), best, bound });
        clock.progress().closing_in(best, bound);
    }
}
