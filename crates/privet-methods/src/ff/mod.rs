//! FF-anonymity by full-subtree recoding: `ff` finds a minimal solution from the top down (Problem II of Wang, Xu, Fu and
//! Wong, ICDE 2009), `ff-optimal` the one of least LM (Problem I, NP-hard, which the paper leaves open).
//!
//! Both start from the table that shows nothing but roots, which is always a solution, and specialise values as long as
//! that adds no breach. Breaches are monotone, so a specialisation that was refused once is refused for good: `ff`
//! tries every node once, and `ff-optimal` prunes a branch of cuts at the first refusal.
//!
//! k-anonymity may be required in addition: at least k records look alike in all mixed columns, observable or not.
//! FF-anonymity has no quasi-identifiers, and a record that can be singled out by its published values can be singled
//! out by more than the policy calls observable. Specialising splits classes and never merges them, so this is monotone
//! too.

mod optimal;
mod problem;
mod specialise;
#[cfg(test)]
mod tests;

use num_bigint::BigUint;

use self::problem::FfProblem;
use self::specialise::{GainMeasure, Specialisation};
use super::cut_recoding::{self, Absent, CutRecoding};
use super::plan::{self, CutPlan, Plan};
use super::recoding::Recoding;
use super::{SearchFacts, ShownCost, Solution, TracePoint};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::cut::{Amount, Cut, CutOutcome, Forest, Limits, Step, search};
use privet_engine::loss::{Cost, Info};
use privet_engine::microdata::Microdata;
use privet_policy::CheckedPolicy;
use privet_policy::method::FfOptimal;

/// LM with the weights of the policy.
static WEIGHTED: Info = Info {
    name: "weighted LM",
    formula: "Σ over records and mixed columns of weight of the column × weight of the value × (leaves covered − 1)/(leaves − 1)",
    range: "0 to what it costs to publish nothing but roots",
    smaller_is_better: true,
};

/// Specialises from the top down.
pub(super) fn run(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Solution> {
    let clock = clock.without_limit();
    let problem = FfProblem::new(policy, microdata)?;
    let score = if microdata.label().is_some() { GainMeasure::Information } else { GainMeasure::Loss };
    let mut descent = Specialisation::new(&problem);
    descent.run(&problem, &problem.scores(microdata, score), &|_, _| true, &clock)?;
    let search = SearchFacts::unproven(descent.tried, &clock);
    let search = SearchFacts { space: Some(space(microdata).to_string()), ..search };
    Ok(solution(&problem, microdata, &descent.cut(&problem), search))
}

/// Searches all cuts.
pub(super) fn run_optimal(
    policy: &CheckedPolicy,
    own: &FfOptimal,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<Solution> {
    let clock = clock.with_limit(own.time_limit);
    let problem = FfProblem::new(policy, microdata)?;
    let (cut, cost, found) = optimum(&problem, microdata, &clock)?;
    let moment = |step: &Step| TracePoint {
        seconds: step.seconds,
        best: step.best.map(|best| problem.value(best)),
        bound: Some(problem.value(step.bound)),
    };
    let search = SearchFacts {
        space: Some(space(microdata).to_string()),
        examined: found.examined,
        seconds: clock.elapsed().as_secs_f64(),
        optimal: cost <= found.bound,
        bound: Some(problem.value(found.bound.min(cost))),
        trace: found.trace.iter().map(moment).collect(),
    };
    Ok(solution(&problem, microdata, &cut, search))
}

/// The best cut with its cost; among equals, one that cannot be specialised.
fn optimum(problem: &FfProblem, microdata: &Microdata, clock: &Clock) -> Result<(Cut, Amount, CutOutcome)> {
    let scores = problem.scores(microdata, GainMeasure::Loss);
    let mut first = Specialisation::new(problem);
    // The first solution is computed however little time there is.
    first.run(problem, &scores, &|_, _| true, &clock.without_limit())?;
    let known = [problem.forest.coarsest(), first.cut(problem)].map(|cut| {
        let cost = problem.cost(&cut);
        (cut, cost)
    });
    let found = search(&problem.searched(scores.clone()), known.to_vec(), &Limits::default(), clock)?;
    let (_, cut) = found.best.first().ok_or_else(|| Error::internal("the search lost its first answer"))?;
    let mut best = Specialisation::reaching(problem, cut);
    best.run(problem, &scores, &|_, _| true, &clock.without_limit())?;
    let cut = best.cut(problem);
    let cost = problem.cost(&cut);
    Ok((cut, cost, found))
}

/// The number of cuts.
fn space(microdata: &Microdata) -> BigUint {
    microdata.quasi.iter().map(|quasi| quasi.taxonomy.cuts()).product()
}

fn solution(problem: &FfProblem, microdata: &Microdata, cut: &Cut, search: SearchFacts) -> Solution {
    let plan = Plan::Cuts(CutPlan {
        cuts: cut_recoding::labels(&problem.forest, microdata, cut, Absent::Apart),
        suppression: None,
        top: Vec::new(),
        drawn_from: None,
        columns: plan::columns(microdata),
    });
    let recoding = recoding(&problem.forest, microdata, cut, 1);
    let cost = problem.weighted.map(|_| {
        let (value, worst) = (problem.cost(cut), problem.cost(&problem.forest.coarsest()));
        ShownCost {
            name: WEIGHTED.name,
            value: problem.value(value),
            exact: None,
            normalised: if worst == 0 { 0.0 } else { value as f64 / worst as f64 },
            info: &WEIGHTED,
        }
    });
    Solution { recoding, plan, search, cost, warnings: Vec::new(), sets: None }
}

/// Applies a plan. Classes of fewer than k records are suppressed.
pub(super) fn apply_plan(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    plan: &CutPlan,
    clock: &Clock,
) -> Result<Solution> {
    plan::check_columns(policy, microdata, &plan.columns, |_| false)?;
    let (forest, cut) = cut_recoding::planned(microdata, &plan.cuts)?;
    let recoding = recoding(&forest, microdata, &cut, policy.k());
    let (plan, search) = (Plan::Cuts(plan.clone()), SearchFacts::unproven(0, clock));
    Ok(Solution { recoding, plan, search, cost: None, warnings: Vec::new(), sets: None })
}

/// The recoding by a cut, without classes of fewer than `least` records.
fn recoding(forest: &Forest, microdata: &Microdata, cut: &Cut, least: u64) -> Recoding {
    let mut shown = CutRecoding::new(forest, microdata, cut);
    let mut recoding = Recoding::new(std::mem::take(&mut shown.columns), microdata.summary.len());
    let (members, begins) = shown.classes(microdata);
    for range in begins.windows(2) {
        let members = &members[range[0] as usize..range[1] as usize];
        let Some(first) = members.first() else { continue };
        if members.iter().map(|member| microdata.summary.count(*member as usize)).sum::<u64>() < least {
            continue;
        }
        let class = recoding.add_class(shown.cells(microdata, *first as usize));
        for record in members.iter().map(|member| *member as usize) {
            let count = microdata.summary.count(record);
            recoding.assign(record, class, count, count);
        }
    }
    recoding
}

impl FfProblem {
    /// A cost in the usual units.
    fn value(&self, amount: Amount) -> f64 {
        self.measure.value(Cost(amount.max(0) as u128)) / self.weighted.unwrap_or(1) as f64
    }
}
