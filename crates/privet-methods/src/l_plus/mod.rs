//! l+-Optimize: the cut of least cost under which a table is l+-diverse, with suppression as part of the solution
//! (chapter 3 of Liu's thesis, 2010).
//!
//! Every class of a cut either satisfies all thresholds or pays for what the suppression scheme does to it. There are
//! far too many combinations of cuts to visit; the search works on intervals of them (`engine::cut`), with the bounds
//! of `bound` and `guillotine`.

pub(super) mod annealing;
mod ascent;
mod bound;
mod codes;
mod descent;
mod enumeration;
mod extra;
mod guillotine;
mod marginals;
mod pairs;
mod partition;
mod problem;
mod recode;
mod rules;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod walk;

use num_bigint::BigUint;
use num_integer::Integer;

use self::bound::LPlusProblem;
use self::extra::ExtraGeneralisation;
use self::problem::LPlusTask;
pub(super) use self::problem::SuppressionSettings;
use self::rules::{CostRules, Metric, Scheme};
use super::cut_recoding::{self, Absent};
use super::plan::{self, CutPlan, Plan, PricedCut};
use super::{SearchFacts, ShownCost, Solution, TracePoint};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::cut::{Amount, Cut, CutOutcome, FORBIDDEN, Limits, search};
use privet_engine::loss;
use privet_engine::loss::Info;
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_policy::CheckedPolicy;
use privet_policy::method::LPlusOptimize;

static LM: Info = Info {
    name: "LM",
    formula: "Σ over records and quasi-identifiers of (leaves covered − 1)/(leaves − 1); a suppressed sensitive cell adds \
              cost_value, a suppressed record costs cost_record instead",
    range: "0 to the cost of suppressing as much as the scheme permits",
    smaller_is_better: true,
};

static WEIGHTED: Info = Info {
    name: "weighted LM",
    formula: "Σ over records and quasi-identifiers of weight of the column × (leaves covered − 1)/(leaves − 1), or × the weight \
              of the level; a suppressed sensitive cell adds cost_value, a suppressed record costs cost_record instead",
    range: "0 to the cost of suppressing as much as the scheme permits",
    smaller_is_better: true,
};

pub(super) fn run(
    policy: &CheckedPolicy,
    own: &LPlusOptimize,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<Solution> {
    let asked = problem::asked(policy, own.into(), microdata)?;
    let techniques = enumeration::asked(own);
    let clock = clock.with_limit(own.time_limit);
    let problem = problem::problem(microdata, &asked)?;
    let limits = Limits {
        top: usize::try_from(own.drawn_from().unwrap_or(own.top)).unwrap_or(usize::MAX),
        approximation: Some(own.approximation).filter(|alpha| alpha.numerator() > 0),
    };
    check_possible(policy, microdata, &problem)?;
    let found = match techniques {
        Some(techniques) => enumeration::enumerate(&problem, techniques, &limits, &clock)?,
        None => search(&problem, descent::descend(&problem, &clock)?, &limits, &clock)?,
    };
    let drawn = super::drawn(policy, microdata, (found.best.len(), found.complete), super::ONE_OF_THE_BEST)?;
    solution(policy, &problem, microdata, &asked, &found, drawn, &clock)
}

/// An error if not even the coarsest cut satisfies the thresholds and suppression is not allowed.
fn check_possible(policy: &CheckedPolicy, microdata: &Microdata, problem: &LPlusProblem) -> Result<()> {
    let (rules, forest) = (&problem.rules, &problem.forest);
    if problem.fine.cost_of(rules, forest, &forest.coarsest()) < FORBIDDEN {
        return Ok(());
    }
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let totals: Vec<u64> =
        microdata.table.tracked.iter().flat_map(|column| column.totals.iter().copied()).collect();
    let whole = privacy::EquivalenceClass {
        size: microdata.table.records,
        counts: privacy::Counts::Dense(&totals),
        standing: Default::default(),
    };
    let error = super::impossible(&requirements, &whole);
    if rules.k > whole.size {
        // Suppression would leave nothing: no class can be that large.
        return Err(error.help(format!("lower k to at most {}, or provide more records", whole.size)));
    }
    Err(error.help("raise the threshold, or allow suppression with suppression = \"all-rec\""))
}

fn solution(
    policy: &CheckedPolicy,
    problem: &LPlusProblem,
    microdata: &Microdata,
    asked: &LPlusTask,
    found: &CutOutcome,
    drawn: Option<usize>,
    clock: &Clock,
) -> Result<Solution> {
    let (cost, cut) = found
        .best
        .get(drawn.unwrap_or(0))
        .ok_or_else(|| Error::internal("the search lost its first answer"))?;
    let rules = &problem.rules;
    let mut extra = ExtraGeneralisation::of(policy, microdata);
    let recoding = recode::recode(rules, &problem.forest, microdata, asked, cut, extra.as_mut());
    let (steps, more) = extra.map_or((0, 0), |extra| extra.taken());
    // Under DM and CM what more generalisation costs depends on which classes became one.
    let cost = Some(*cost).filter(|_| steps == 0 || rules.metric == Metric::Lm).map(|cost| cost + more);
    let space: BigUint = microdata.quasi.iter().map(|quasi| quasi.taxonomy.cuts()).product();
    let moment = |step: &privet_engine::cut::Step| TracePoint {
        seconds: step.seconds,
        best: step.best.map(|best| value(rules, best)),
        bound: Some(value(rules, step.bound)),
    };
    let search = SearchFacts {
        space: Some(space.to_string()),
        examined: found.examined,
        seconds: clock.elapsed().as_secs_f64(),
        optimal: steps == 0 && cost.is_some_and(|cost| cost <= found.bound),
        bound: Some(value(rules, cost.map_or(found.bound, |cost| found.bound.min(cost)))),
        trace: found.trace.iter().map(moment).collect(),
    };
    let cuts_of = |cut: &Cut| cut_recoding::labels(&problem.forest, microdata, cut, Absent::Together);
    let next = |(cost, cut): &(Amount, Cut)| PricedCut { cost: value(rules, *cost), cuts: cuts_of(cut) };
    // A list of the candidates would reveal which one was drawn.
    let shows_others = found.best.len() > 1 && drawn.is_none();
    let plan = Plan::Cuts(CutPlan {
        cuts: cuts_of(cut),
        suppression: Some(asked.scheme.name().to_string()),
        top: found.best.iter().filter(|_| shows_others).map(next).collect(),
        drawn_from: drawn.map(|_| found.best.len()),
        columns: plan::columns(microdata),
    });
    let cost = cost.map(|cost| show(rules, microdata, cost));
    Ok(Solution { recoding, plan, search, cost, warnings: Vec::new(), sets: None })
}

/// Applies a plan, with the scheme of the policy's method.
pub(super) fn apply_plan(
    policy: &CheckedPolicy,
    settings: SuppressionSettings,
    microdata: &Microdata,
    plan: &CutPlan,
    clock: &Clock,
) -> Result<Solution> {
    plan::check_columns(policy, microdata, &plan.columns, |_| false)?;
    let asked = problem::asked(policy, settings, microdata)?;
    if plan.suppression.as_deref() != Some(asked.scheme.name()) {
        let wrong = "the plan was made with another kind of suppression than the policy asks for";
        return Err(Error::input(wrong).help("use the policy that the plan was made with"));
    }
    let (forest, cut) = cut_recoding::planned(microdata, &plan.cuts)?;
    let problem = problem::problem_in(microdata, &asked, forest)?;
    let LPlusProblem { rules, forest, fine, .. } = &problem;
    let mut extra = ExtraGeneralisation::of(policy, microdata);
    let recoding = recode::recode(rules, forest, microdata, &asked, &cut, extra.as_mut());
    let (steps, more) = extra.map_or((0, 0), |extra| extra.taken());
    // Without suppression in the policy, classes that violate it have no price of their own: then plain LM has one.
    let cost = Some(fine.cost_of(rules, forest, &cut)).filter(|cost| *cost < FORBIDDEN);
    // Under DM and CM what more generalisation costs depends on which classes became one.
    let cost = cost.filter(|_| steps == 0 || rules.metric == Metric::Lm);
    let cost = cost.map(|cost| show(rules, microdata, cost + more));
    let (plan, search) = (Plan::Cuts(plan.clone()), SearchFacts::unproven(0, clock));
    Ok(Solution { recoding, plan, search, cost, warnings: Vec::new(), sets: None })
}

fn value(rules: &CostRules, amount: Amount) -> f64 {
    amount as f64 / rules.units as f64
}

/// The cost as defined in the thesis, in which suppression has its own prices.
fn show(rules: &CostRules, microdata: &Microdata, amount: Amount) -> ShownCost {
    let records = microdata.table.records as f64;
    let columns = match rules.weighted {
        false => microdata.quasi.len() as f64,
        true => rules.losses.iter().filter_map(|losses| losses.first()).map(|root| value(rules, *root)).sum(),
    };
    let (info, worst): (&'static Info, f64) = match rules.metric {
        // Everything at the roots, or suppressed as far as the scheme permits.
        Metric::Lm => {
            let most = match rules.scheme {
                Scheme::None => columns,
                Scheme::AllRec | Scheme::VioRec => value(rules, rules.per_record),
                Scheme::AllSa | Scheme::VioSa if rules.k > 1 => {
                    (columns + value(rules, rules.per_cell)).max(value(rules, rules.per_record))
                }
                Scheme::AllSa | Scheme::VioSa => columns + value(rules, rules.per_cell),
            };
            (if rules.weighted { &WEIGHTED } else { &LM }, records * most)
        }
        Metric::Dm => (&loss::DM, records * records),
        Metric::Cm => (&loss::CM, records),
    };
    let divisor = amount.gcd(&(rules.units as Amount));
    let (num, den) = (amount / divisor.max(1), rules.units as Amount / divisor.max(1));
    let exact = if den == 1 { num.to_string() } else { format!("{num}/{den}") };
    let value = value(rules, amount);
    ShownCost { name: info.name, value, exact: rules.exact.then_some(exact), normalised: value / worst, info }
}
