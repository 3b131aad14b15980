//! From a policy to projected tables.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::attributes::{self, SensitiveAttribute};
use super::exhaustive::{self, MOST_STEPS};
use super::ratios::{PairInformation, ProjectionPlan};
use super::star;
use super::suppression;
use super::tables::ProjectedTables;
use crate::SearchFacts;
use crate::plan::{self, Plan, PlannedGain, PlannedTable, TablesPlan};
use crate::recoding::Recoding;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::projection::Projection;
use privet_engine::rollup::Levels;
use privet_policy::{CheckedPolicy, Requirement};
use privet_policy::{Method, layout};

/// What a policy asks of the projections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectionSettings {
    /// The limits on plans.
    pub limits: Projection,
    /// Whether to search for the best of all plans.
    pub exhaustive: bool,
    /// Whether to try further merges after one was refused.
    pub persist: bool,
}

impl ProjectionSettings {
    /// Reads a policy whose method publishes projections.
    pub fn of(policy: &CheckedPolicy) -> Result<ProjectionSettings> {
        let limits = policy.requirements.iter().find_map(|asked| match asked {
            Requirement::Projection(limits) => Some(limits),
            _ => None,
        });
        let limits = limits.ok_or_else(|| Error::internal("a plan without limits"))?;
        let (exhaustive, persist) = match &policy.method {
            Method::Codip(_) => (true, false),
            Method::CodipStar(own) => (false, own.persist),
            other => return Err(Error::internal(format!("{} publishes no projections", other.name()))),
        };
        Ok(ProjectionSettings { limits: Projection::of(limits), exhaustive, persist })
    }
}

/// A projected table.
#[derive(Debug)]
pub struct ProjectedTable {
    /// Its attributes, by position.
    pub attributes: Vec<usize>,
    /// The level of each quasi-identifier.
    pub levels: Vec<u8>,
    /// Where every record's quasi-identifiers go.
    pub recoding: Recoding,
    /// The largest distance of a class from the whole table, over all attributes.
    pub closeness: f64,
    /// The number of classes.
    pub classes: u64,
    /// Its discernibility.
    pub dm: u128,
}

/// The gain of a plan over one table with all sensitive attributes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Improvement {
    /// The least t that one table can meet together with the other requirements; `None` if there is no such table.
    pub one_table: Option<f64>,
    /// The least t that all tables of the plan can meet.
    pub plan: Option<f64>,
}

impl Improvement {
    /// 1 − t′/t; 0 if one table leaves nothing to improve, `None` if there is no such table.
    pub fn closeness(&self) -> Option<f64> {
        let (one, plan) = (self.one_table?, self.plan?);
        Some(if one > 0.0 { 1.0 - plan / one } else { 0.0 })
    }
}

/// A plan with its tables and every figure computed along the way.
#[derive(Debug)]
pub struct ProjectionDecision {
    /// What the policy asks for.
    pub asked: ProjectionSettings,
    /// The sensitive attributes, in the order of their names.
    pub attributes: Vec<SensitiveAttribute>,
    /// The information that they carry about each other.
    pub ratios: PairInformation,
    /// The tables, in the order of their first attributes.
    pub projections: Vec<ProjectedTable>,
    /// Γα.
    pub gamma_alpha: f64,
    /// Γβ.
    pub gamma_beta: f64,
    /// The gain over one table.
    pub improvement: Improvement,
    /// The decision.
    pub plan: Plan,
    /// How the search went.
    pub search: SearchFacts,
    /// Warnings to read before publishing the release.
    pub warnings: Vec<String>,
}

/// Finds the plan that a policy asks for, and anonymises its tables.
pub fn decide(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<ProjectionDecision> {
    let asked = ProjectionSettings::of(policy)?;
    let attributes = attributes::attributes(policy, microdata)?;
    let time_limit = match &policy.method {
        Method::Codip(own) => own.time_limit,
        _ => None,
    };
    let clock = clock.with_limit(time_limit);
    let (ratios, tables) = all_tables(policy, microdata, &attributes, &asked, &clock)?;
    clock.progress().stage("searching", None);
    let budget = if time_limit.is_some() { u64::MAX } else { MOST_STEPS };
    let (plan, search) = solve(&asked, &ratios, &tables, &attributes, budget, &clock)?;
    let gamma_alpha = ratios.association_loss(&plan);
    if !asked.limits.allows_loss(gamma_alpha) {
        return Err(too_much_lost(&asked, gamma_alpha, &search));
    }
    let project = |(number, subset): (usize, &Vec<usize>)| -> Result<(ProjectedTable, Option<usize>)> {
        let (levels, drawn_from) = match policy.method.drawn_from() {
            None => (tables.best(subset, &clock)?, None),
            Some(top) => drawn(policy, microdata, &tables, (number, subset), top, &clock)?,
        };
        let levels = levels.ok_or_else(|| tables.why_not(subset, &attributes))?;
        Ok((tables.project(subset, &levels), drawn_from))
    };
    // Report the first failure in the order of tables, not the one that a thread happens to reach first.
    let projections: Vec<Result<_>> = plan.par_iter().enumerate().map(project).collect();
    let (projections, drawn_from): (Vec<ProjectedTable>, Vec<Option<usize>>) =
        projections.into_iter().collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let drawn_from = drawn_from.into_iter().flatten().min();
    let improvement = improvement(&tables, &plan, attributes.len(), &clock)?;
    let warnings = attributes::warnings(policy, microdata, &attributes);
    let plan = tables_plan(&tables, &projections, &attributes, (&ratios, &plan), &improvement);
    Ok(ProjectionDecision {
        asked,
        gamma_alpha: plan.gamma_alpha,
        gamma_beta: plan.gamma_beta,
        plan: Plan::Projections(TablesPlan { drawn_from, columns: plan::columns(microdata), ..plan }),
        attributes,
        ratios,
        projections,
        improvement,
        search,
        warnings,
    })
}

/// The levels of a table, drawn from the best ones, and how many there were. Each table has a draw of its own.
fn drawn(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    tables: &ProjectedTables<'_>,
    (number, subset): (usize, &[usize]),
    top: u64,
    clock: &Clock,
) -> Result<(Option<Levels>, Option<usize>)> {
    let top = usize::try_from(top).unwrap_or(usize::MAX);
    let (best, complete) = tables.several(subset, top, clock)?;
    let purpose = format!("privet: one of the best tables, {number}");
    let drawn = crate::drawn(policy, microdata, (best.len(), complete), &purpose)?;
    Ok((best.get(drawn.unwrap_or(0)).cloned(), drawn.map(|_| best.len())))
}

/// Applies a plan to other data. People whose class falls below the requirements in one of the tables are suppressed in all of
/// them. Whether the limits on the plan hold, and (n, t)-closeness, is for the audit to say.
pub fn apply_plan(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    plan: &Plan,
    clock: &Clock,
) -> Result<ProjectionDecision> {
    let Plan::Projections(planned) = plan else { return Err(crate::other_method(policy.method.name())) };
    plan::check_columns(policy, microdata, &planned.columns, |_| false)?;
    let asked = ProjectionSettings::of(policy)?;
    let attributes = attributes::attributes(policy, microdata)?;
    let (ratios, tables) = all_tables(policy, microdata, &attributes, &asked, clock)?;
    let plan = same_attributes(policy, planned, &attributes)?;
    let project = |(subset, table): (&Vec<usize>, &PlannedTable)| {
        Ok(tables.project(subset, &tables.levelling.levels_of(&table.levels, &table.cells)?))
    };
    let mut projections = plan.iter().zip(&planned.projections).map(project).collect::<Result<Vec<_>>>()?;
    suppression::suppress(&mut projections, &tables, &[], clock)?;
    let improvement = improvement(&tables, &plan, attributes.len(), clock)?;
    let warnings = attributes::warnings(policy, microdata, &attributes);
    let figures = tables_plan(&tables, &projections, &attributes, (&ratios, &plan), &improvement);
    // What it shows for values that these data lack is known to the earlier plan only.
    let cells = planned.projections.iter().map(|table| table.cells.clone());
    let tables = figures.projections.into_iter().zip(cells);
    let tables = tables.map(|(table, cells)| PlannedTable { cells, ..table }).collect();
    Ok(ProjectionDecision {
        asked,
        gamma_alpha: figures.gamma_alpha,
        gamma_beta: figures.gamma_beta,
        plan: Plan::Projections(TablesPlan {
            projections: tables,
            drawn_from: planned.drawn_from,
            columns: planned.columns.clone(),
            ..figures
        }),
        attributes,
        ratios,
        projections,
        improvement,
        search: SearchFacts::unproven(0, clock),
        warnings,
    })
}

/// Suppresses the people of some classes, table by table, in all tables of an applied plan, and those whose class falls below
/// the requirements without them.
pub fn suppress(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    decision: &mut ProjectionDecision,
    classes: &[BTreeSet<u32>],
    clock: &Clock,
) -> Result<()> {
    let (_, tables) = all_tables(policy, microdata, &decision.attributes, &decision.asked, clock)?;
    suppression::suppress(&mut decision.projections, &tables, classes, clock)
}

/// What plans are made of: the information that attributes carry about each other, and their tables.
fn all_tables<'m>(
    policy: &CheckedPolicy,
    microdata: &'m Microdata,
    attributes: &[SensitiveAttribute],
    asked: &ProjectionSettings,
    clock: &Clock,
) -> Result<(PairInformation, ProjectedTables<'m>)> {
    clock.progress().stage("associations", None);
    let cost = policy.method.cost();
    let (ratios, tables) = rayon::join(
        || PairInformation::of(microdata, attributes),
        || ProjectedTables::new(policy, microdata, attributes, asked.limits, cost),
    );
    Ok((ratios, tables?))
}

/// The positions of the attributes of each planned table; an error unless the data has the same attributes.
fn same_attributes(
    policy: &CheckedPolicy,
    planned: &TablesPlan,
    attributes: &[SensitiveAttribute],
) -> Result<ProjectionPlan> {
    let help = "make a release of the new data with `privet anonymize`";
    let wrong = |message: String| Error::input(message).in_file(policy.source.origin()).help(help);
    let listed = || planned.projections.iter().flat_map(|table| &table.sensitive);
    if let Some(new) = attributes.iter().find(|attribute| listed().all(|name| *name != attribute.name)) {
        return Err(wrong(format!("the plan has no table for the sensitive attribute '{}'", new.name)));
    }
    let position = |name: &String| {
        attributes
            .iter()
            .position(|attribute| attribute.name == *name)
            .ok_or_else(|| wrong(format!("the plan publishes '{name}', which these data do not have")))
    };
    planned.projections.iter().map(|table| table.sensitive.iter().map(position).collect()).collect()
}

/// The figures of a plan, without its columns.
fn tables_plan(
    tables: &ProjectedTables<'_>,
    projections: &[ProjectedTable],
    attributes: &[SensitiveAttribute],
    (ratios, plan): (&PairInformation, &ProjectionPlan),
    improvement: &Improvement,
) -> TablesPlan {
    let (gamma_alpha, gamma_beta) = (ratios.association_loss(plan), ratios.information_exposure(plan));
    let table = |(table, number): (&ProjectedTable, usize)| PlannedTable {
        file: layout::projection(number),
        sensitive: names(attributes, &table.attributes),
        levels: tables.levelling.named(&table.levels),
        closeness: table.closeness,
        classes: table.classes,
        dm: table.dm as f64,
        cells: plan::cells_at(tables.levelling.microdata, &table.levels),
    };
    TablesPlan {
        projections: projections.iter().zip(1..).map(table).collect(),
        gamma_alpha,
        gamma_beta,
        improvement: PlannedGain {
            closeness: improvement.closeness(),
            closeness_one_table: improvement.one_table,
            closeness_plan: improvement.plan,
            join_threat: 1.0 - gamma_beta,
            association_loss: gamma_alpha,
        },
        drawn_from: None,
        columns: Vec::new(),
    }
}

fn names(attributes: &[SensitiveAttribute], subset: &[usize]) -> Vec<String> {
    subset.iter().map(|at| attributes[*at].name.clone()).collect()
}

/// The plan that the policy's method finds, whatever its loss; `budget` limits the steps of an exhaustive search.
pub fn solve(
    asked: &ProjectionSettings,
    ratios: &PairInformation,
    tables: &ProjectedTables<'_>,
    attributes: &[SensitiveAttribute],
    budget: u64,
    clock: &Clock,
) -> Result<(ProjectionPlan, SearchFacts)> {
    for subset in ratios.singletons() {
        if !tables.is_feasible(&subset, clock)? {
            return Err(tables.why_not(&subset, attributes));
        }
    }
    let persist = asked.persist || asked.exhaustive;
    let merged = star::merge(ratios, persist, &mut |plan, union| {
        clock.check()?;
        Ok(asked.limits.allows_exposure(ratios.information_exposure(plan))
            && tables.is_feasible(union, clock)?)
    })?;
    if !asked.exhaustive {
        return Ok((merged.plan, SearchFacts::unproven(merged.tried, clock)));
    }
    let mut feasible = |subset: &[usize]| tables.is_feasible(subset, clock);
    let found = exhaustive::search(ratios, &asked.limits, merged.plan, &mut feasible, budget, clock)?;
    let search = SearchFacts {
        space: Some(partitions(ratios.attributes()).to_string()),
        optimal: found.complete,
        bound: Some(found.bound),
        ..SearchFacts::unproven(merged.tried + found.steps, clock)
    };
    Ok((found.plan, search))
}

/// The number of partitions of a set of attributes (Bell numbers, by their triangle).
fn partitions(attributes: usize) -> BigUint {
    let mut row = vec![BigUint::from(1u32)];
    for _ in 1..attributes {
        let mut next = vec![row[row.len() - 1].clone()];
        for above in &row {
            let sum = &next[next.len() - 1] + above;
            next.push(sum);
        }
        row = next;
    }
    row.pop().unwrap_or_default()
}

fn improvement(
    tables: &ProjectedTables<'_>,
    plan: &ProjectionPlan,
    attributes: usize,
    clock: &Clock,
) -> Result<Improvement> {
    let all: Vec<usize> = (0..attributes).collect();
    let one_table = tables.best_closeness(&all, clock)?;
    let mut worst = Some(0f64);
    for subset in plan {
        let closest = tables.best_closeness(subset, clock)?;
        worst = worst.zip(closest).map(|(worst, closest)| worst.max(closest));
    }
    Ok(Improvement { one_table, plan: worst })
}

fn too_much_lost(asked: &ProjectionSettings, gamma_alpha: f64, search: &SearchFacts) -> Error {
    let alpha = asked.limits.alpha;
    let message = format!("the association loss is Γα = {gamma_alpha:.6}, more than alpha = {alpha} allows");
    let help = match (asked.exhaustive, asked.persist) {
        (true, _) if search.optimal => "no plan within beta has a lower loss: raise alpha or beta",
        (true, _) => "raise alpha, beta or time_limit",
        (false, false) => "raise alpha or beta, set persist = true, or name = \"codip\" in [method]",
        (false, true) => "raise alpha or beta, or set name = \"codip\" in [method]",
    };
    Error::infeasible(message).help(help)
}
