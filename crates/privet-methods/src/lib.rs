//! The methods, one module per published system.

mod boxes;
pub mod codip;
mod cut_recoding;
pub mod ff;
mod full_domain;
pub mod injector;
mod item_column;
pub mod kl;
mod l_plus;
mod levels;
mod lkc;
mod mondrian;
mod natural;
mod patterns;
pub mod plan;
pub mod quasi_sensitive;
pub mod recoding;
pub mod released_sets;
#[cfg(test)]
pub(crate) mod tests;
pub mod vocabulary;
pub mod why;

use serde::{Deserialize, Serialize};

use plan::Plan;
use privet_core::clock::Clock;
use privet_core::{Error, Result, random};
use privet_engine::loss;
use privet_engine::loss::{Cost, Measure};
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_policy::{CheckedPolicy, Method};
use recoding::Recoding;
use released_sets::ReleasedSets;

/// The outcome of a method.
#[derive(Debug)]
pub struct Solution {
    /// Where every record goes.
    pub recoding: Recoding,
    /// The decision.
    pub plan: Plan,
    /// How the search went.
    pub search: SearchFacts,
    /// The method's own cost, if it differs from the plain measure of the same name: l⁺-optimize charges more for a
    /// suppressed record than LM does.
    pub cost: Option<ShownCost>,
    /// Warnings to read before publishing the release.
    pub warnings: Vec<String>,
    /// The published cells of a quasi-sensitive column, if the method treats it.
    pub sets: Option<ReleasedSets>,
}

/// How a search went and what it proved.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchFacts {
    /// The size of the search space, if known.
    pub space: Option<String>,
    /// How many solutions were examined.
    pub examined: u64,
    /// How long it took.
    pub seconds: f64,
    /// Whether the result is proven to be the best.
    pub optimal: bool,
    /// A proven lower bound on the cost of any solution of this method.
    pub bound: Option<f64>,
    /// How the best cost and the bound changed over time.
    pub trace: Vec<TracePoint>,
}

impl SearchFacts {
    /// The facts of a search that proves nothing about its result.
    pub(crate) fn unproven(examined: u64, clock: &Clock) -> SearchFacts {
        SearchFacts {
            space: None,
            examined,
            seconds: clock.elapsed().as_secs_f64(),
            optimal: false,
            bound: None,
            trace: Vec::new(),
        }
    }
}

/// The state of a search at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Time since the search began.
    pub seconds: f64,
    /// The cost of the best solution so far, if there was one.
    pub best: Option<f64>,
    /// The proven lower bound, if there was one.
    pub bound: Option<f64>,
}

/// Runs the method of the policy.
pub fn run(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Solution> {
    let solution = classes(policy, microdata, clock)?;
    match item_column::ItemColumnTask::of(policy, microdata)? {
        Some(task) => task.complete(solution),
        None => Ok(solution),
    }
}

/// The classes of the policy's method.
fn classes(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Solution> {
    match &policy.method {
        Method::FullDomain(own) => full_domain::run(policy, own, microdata, clock),
        Method::Mondrian(own) => mondrian::run(policy, own, microdata, clock),
        Method::LPlusOptimize(own) => l_plus::run(policy, own, microdata, clock),
        Method::SimulatedAnnealing(own) => l_plus::annealing::run(policy, own, microdata, clock),
        Method::Ff(_) => ff::run(policy, microdata, clock),
        Method::FfOptimal(own) => ff::run_optimal(policy, own, microdata, clock),
        Method::QuasiSensitive(own) => quasi_sensitive::run(policy, own, microdata, clock),
        Method::Injector(_) | Method::Anatomy(_) => {
            let wrong =
                format!("method \"{}\" publishes groups, not one generalised table", policy.method.name());
            Err(policy.at_method(
                "name",
                Error::input(wrong)
                    .help("use a method that publishes one table, such as full-domain or mondrian"),
            ))
        }
        Method::CodipStar(_) | Method::Codip(_) => {
            let wrong = format!("method \"{}\" publishes several tables, not one", policy.method.name());
            Err(policy.at_method(
                "name",
                Error::input(wrong)
                    .help("use a method that publishes one table, such as full-domain or mondrian"),
            ))
        }
    }
}

/// Applies a plan to other data, or again to the same. Classes that fall below the requirements are suppressed; with
/// FF-anonymity, classes below k are, and the audit judges the rest.
///
/// A value that the plan's hierarchies have no leaf for is an error. So is a plan that another kind of method made, and
/// one whose effect on a record depends on other records: see [`Plan::check_reusable`].
pub fn apply_plan(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    plan: &Plan,
    clock: &Clock,
) -> Result<Solution> {
    plan.check_reusable()?;
    if microdata.items().is_some() {
        let wrong = "this plan cannot be applied to other data: how a column of sets is published depends on all records of a class";
        return Err(Error::input(wrong).help("make a release of the new data with `privet anonymize`"));
    }
    match (plan, &policy.method) {
        (Plan::Levels(plan), Method::FullDomain(own)) => {
            full_domain::apply_plan(policy, own, microdata, plan, clock)
        }
        (Plan::Cuts(plan), Method::LPlusOptimize(own)) => {
            l_plus::apply_plan(policy, own.into(), microdata, plan, clock)
        }
        (Plan::Cuts(plan), Method::SimulatedAnnealing(own)) => {
            l_plus::apply_plan(policy, own.into(), microdata, plan, clock)
        }
        (Plan::Cuts(plan), Method::Ff(_) | Method::FfOptimal(_)) => {
            ff::apply_plan(policy, microdata, plan, clock)
        }
        (Plan::Boxes(plan), Method::Mondrian(own)) => boxes::apply_plan(policy, own, microdata, plan, clock),
        _ => Err(other_method(policy.method.name())),
    }
}

/// The error for a plan that the policy's method does not make.
fn other_method(method: &str) -> Error {
    Error::input(format!("method \"{method}\" of the policy does not make plans of this kind"))
        .help("use the policy that the plan was made with")
}

/// The purpose of a draw where one plan is drawn.
const ONE_OF_THE_BEST: &str = "privet: one of the best cuts";

/// Draws the plan to publish, by the seed, if `break_minimality` asks for it. A draw from a single plan would protect
/// nobody and mislead the reader of the report, so it is an error.
fn drawn(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    (plans, complete): (usize, bool),
    purpose: &str,
) -> Result<Option<usize>> {
    if policy.method.drawn_from().is_none() || plans == 0 {
        return Ok(None);
    }
    if plans == 1 {
        let wrong = if complete {
            "break_minimality draws one of several plans, but only one meets the requirements"
        } else {
            "break_minimality draws one of several plans, but only one was found in the time allowed"
        };
        let help = "remove break_minimality, which lets attackers reason from the best plan; or weaken the requirements, allow \
                    suppression, use finer hierarchies, or give the search more time";
        return Err(policy.at_method("break_minimality", Error::infeasible(wrong).help(help)));
    }
    let mut random = random::keyed(microdata.key(policy.seed.unwrap_or(0)), purpose);
    Ok(Some(random::below(&mut random, plans as u64) as usize))
}

/// The error for requirements that even the most general release does not meet.
fn impossible(requirements: &[Box<dyn privacy::ClassTest>], whole: &privacy::EquivalenceClass<'_>) -> Error {
    let whole = privacy::Members { records: *whole, people: None, add_up: true };
    let reasons = failures(requirements, &whole);
    Error::infeasible(format!("no release can meet the policy: {}", reasons.join("; ")))
        .help("lower the requirement, or provide more records")
}

/// Explains why the whole table as one class fails, one reason per requirement.
fn failures(requirements: &[Box<dyn privacy::ClassTest>], whole: &privacy::Members<'_>) -> Vec<String> {
    let failing = requirements.iter().map(AsRef::as_ref).filter(|requirement| !whole.meet(*requirement));
    let reason = |requirement: &dyn privacy::ClassTest| {
        let counted = match whole.people.filter(|_| requirement.counts_people()) {
            Some(_) => privacy::Counted::People,
            None => privacy::Counted::Records,
        };
        requirement.why_impossible(&whole.seen_by(requirement), counted)
    };
    failing.map(reason).collect()
}

/// The error for requirements that the whole table as one class fails, when people are counted. Parts of the table may
/// still meet them, because the people of several parts do not add up.
fn impossible_as_whole(reasons: &[String], whole: &privacy::Members<'_>, method_starts_there: bool) -> Error {
    let reasons = reasons.join("; ");
    let counted = if whole.people.is_some() { "people" } else { "records" };
    let help = format!("lower the requirement, or provide more {counted}");
    if whole.add_up || !method_starts_there {
        return Error::infeasible(format!("no release can meet the policy: {reasons}")).help(help);
    }
    Error::infeasible(format!(
        "the whole table as one class, where this method starts, does not meet the policy: {reasons}"
    ))
    .help(format!("{help}; full-domain also tries finer classes on their own"))
}

/// A cost as manifests and reports show it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownCost {
    /// The measure's name.
    pub name: &'static str,
    /// The value.
    pub value: f64,
    /// The value as an exact fraction, where it is one.
    pub exact: Option<String>,
    /// The cost as a share of the worst possible cost.
    pub normalised: f64,
    /// What the measure is and how to read it.
    pub info: &'static loss::Info,
}

/// Formats a cost for manifests and reports.
pub fn show(measure: &Measure, cost: Cost) -> ShownCost {
    ShownCost {
        name: measure.info().name,
        value: measure.value(cost),
        exact: measure.exact(cost),
        normalised: measure.normalised(cost),
        info: measure.info(),
    }
}
