//! The run for several tables with disjoint sensitive attributes: read, decide, write, audit, publish.

#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::account::projections::{ProjectionFacts, account};
use super::book::Book;
use super::manifest::{Claims, Price, Statement};
use super::pipeline::{self, Outlet, Shape, Written};
use super::report::ProjectionReport;
use super::report::Veil;
use super::run::RunOptions;
use super::side_by_side::{BeforeAfter, Wanted};
use super::veil::{self, is_shown};
use super::{caution, crowd, lettering, people, recoded};
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_engine::microdata::Microdata;
use privet_ledger::Signatures;
use privet_methods::codip;
use privet_methods::codip::ProjectionDecision;
use privet_methods::plan::{Plan, PlannedTable};
use privet_methods::recoding::ClassTable;
use privet_policy::CheckedPolicy;
use privet_policy::layout;
use privet_policy::method::TableCost;

/// What plans lose, as manifests call it.
const COST: &str = "association-loss";

/// Several tables about the same people, each with some of the sensitive columns.
pub(super) struct Projections {
    policy: CheckedPolicy,
    microdata: Microdata,
    decision: ProjectionDecision,
    /// The classes of each table, without what is in them.
    classes: Vec<ClassTable>,
    losses: Vec<Price>,
    veil: Veil,
    key: RunKey,
}

impl Projections {
    /// Tables as decided.
    fn of(
        policy: CheckedPolicy,
        microdata: Microdata,
        decision: ProjectionDecision,
        seed: u64,
    ) -> Projections {
        let key = microdata.key(seed);
        Projections::with_key(policy, microdata, decision, key)
    }

    fn with_key(
        policy: CheckedPolicy,
        microdata: Microdata,
        decision: ProjectionDecision,
        key: RunKey,
    ) -> Projections {
        let classes: Vec<ClassTable> =
            decision.projections.par_iter().map(|table| table.recoding.outline(&microdata)).collect();
        let losses = losses(&decision, &microdata, &classes);
        let totals = released_totals(&decision, &microdata);
        let veil = veil::of(&policy.requirements, |clause, value| {
            is_shown(&microdata.table, &totals, clause, value)
        });
        Projections { policy, microdata, decision, classes, losses, veil, key }
    }
}

impl Projections {
    /// What all random choices of the run derive from.
    pub(super) fn key(&self) -> RunKey {
        self.key
    }

    /// How many records are suppressed, each in all tables.
    fn suppressed(&self) -> u64 {
        self.classes.first().map_or(0, |classes| classes.suppressed)
    }
}

impl Shape for Projections {
    type Policy = CheckedPolicy;
    type Report = ProjectionReport;

    fn refuse(policy: &CheckedPolicy, options: &RunOptions) -> Result<()> {
        let about = format!("method \"{}\"", policy.method.name());
        pipeline::refuse_format(options, &about, "its release is always CSV")?;
        codip::ProjectionSettings::of(policy).map(drop)
    }

    fn decide(policy: CheckedPolicy, seed: u64, clock: &Clock) -> Result<Projections> {
        let microdata = recoded::read(&policy, clock)?;
        let decision = codip::decide(&policy, &microdata, clock)?;
        Ok(Projections::of(policy, microdata, decision, seed))
    }

    fn compile(policy: CheckedPolicy, plan: &Plan, seed: u64, clock: &Clock) -> Result<Projections> {
        let microdata = recoded::read(&policy, clock)?;
        let decision = codip::apply_plan(&policy, &microdata, plan, clock)?;
        Ok(Projections::of(policy, microdata, decision, seed))
    }

    fn suppress(self, classes: &[BTreeSet<u32>], clock: &Clock) -> Result<Self> {
        let Projections { policy, microdata, mut decision, key, .. } = self;
        codip::suppress(&policy, &microdata, &mut decision, classes, clock)?;
        Ok(Projections::with_key(policy, microdata, decision, key))
    }

    fn policy(&self) -> &CheckedPolicy {
        &self.policy
    }

    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>> {
        let mut warnings = self.decision.warnings.clone();
        warnings.extend(run);
        warnings.extend(caution::about_roles(&self.policy, "sensitive columns"));
        warnings.extend(lettering::of_table(&self.microdata));
        warnings.extend(crowd::cautions(&self.policy, &self.microdata));
        Ok(warnings)
    }

    fn signatures(&self, book: &Book, clock: &Clock) -> Result<Signatures> {
        people::of_projections(book, &self.policy, &self.microdata, &self.decision, self.key, clock)
    }

    fn write(&self, outlet: &Outlet<'_>, clock: &Clock) -> Result<Written> {
        let manner = write::Manner {
            outlet,
            key: self.key,
            bytes: self.policy.source.bytes(),
            formulas: self.policy.written.formulas(),
        };
        write::tables(&self.microdata, &self.decision, &manner, clock)?;
        let names = (1..=self.decision.projections.len()).map(layout::projection).collect();
        Ok(Written { names, assignment: None })
    }

    fn before_after(&self, wanted: &Wanted<'_>) -> BeforeAfter {
        wanted.of_projections(&self.microdata, &self.decision)
    }

    fn stated(&self) -> Result<Statement<'_>> {
        let summary = &self.microdata.summary;
        let released = summary.total() - self.suppressed();
        Ok(Statement {
            read: summary.read,
            dropped: summary.dropped,
            suppressed: self.suppressed(),
            released,
            empty: released == 0,
            exactly: exactly(&self.decision, &self.microdata, &self.classes),
            cost: &self.losses[0],
            losses: &self.losses,
            search: &self.decision.search,
            counters: vec![("tables", self.decision.projections.len() as u64)],
            plan: &self.decision.plan,
            veil: &self.veil,
            inputs: Vec::new(),
        })
    }

    fn account(&self, claims: &Claims<'_>, _: &Path, clock: &Clock) -> Result<ProjectionReport> {
        let Projections { policy, microdata, decision, classes, .. } = self;
        account(claims, &ProjectionFacts { policy, microdata, decision, classes }, &mut || clock.check())
    }

    fn public_manifest(&self, claims: &Claims<'_>) -> Json {
        let mut left_out = vec![("dropped", self.microdata.summary.dropped.into())];
        if self.suppressed() > 0 {
            left_out.push(("suppressed", self.suppressed().into()));
        }
        claims.public(&[], &left_out, &[("tables", public_tables(&self.decision))])
    }

    fn left_out(&self) -> Vec<String> {
        recoded::not_published(&self.policy)
    }
}

/// How often each value of the tracked columns is published. Who is suppressed in one table is so in all.
fn released_totals(decision: &ProjectionDecision, microdata: &Microdata) -> Vec<Vec<u64>> {
    let tracked = &microdata.table.tracked;
    let mut totals: Vec<Vec<u64>> = tracked.iter().map(|column| column.totals.clone()).collect();
    let Some(table) = decision.projections.first() else { return totals };
    for record in 0..microdata.summary.len() {
        let count = microdata.summary.count(record);
        if table.recoding.destinations(record, count).next().is_some() {
            continue;
        }
        for (at, totals) in totals.iter_mut().enumerate() {
            let coding = microdata.coding(at);
            totals[coding.code(microdata.summary.record(record)[coding.column]) as usize] -= count;
        }
    }
    totals
}

/// The share of quasi-identifier cells that are published as they are: the mean over the tables.
fn exactly(decision: &ProjectionDecision, microdata: &Microdata, classes: &[ClassTable]) -> f64 {
    let tables = decision.projections.iter().zip(classes);
    let sum: f64 = tables.map(|(table, classes)| table.recoding.exactly(microdata, classes)).sum();
    sum / decision.projections.len().max(1) as f64
}

fn association_loss(decision: &ProjectionDecision) -> Price {
    let value = decision.gamma_alpha;
    Price { name: COST, value, exact: None, normalised: value }
}

/// What the plan loses, what it exposes, and how coarse its tables are: the mean over them.
fn losses(decision: &ProjectionDecision, microdata: &Microdata, classes: &[ClassTable]) -> Vec<Price> {
    let tables = decision.projections.len().max(1) as f64;
    let mut losses = vec![association_loss(decision)];
    let value = decision.gamma_beta;
    losses.push(Price { name: "information-exposure", value, exact: None, normalised: value });
    for cost in [TableCost::Dm, TableCost::Lm] {
        // Neither looks at what is in the classes.
        let costs: Vec<_> = (decision.projections.iter().zip(classes))
            .filter_map(|(table, classes)| {
                let measure = table.recoding.measure(cost, microdata).ok()?;
                let cost = table.recoding.cost(&measure, classes);
                Some((measure.value(cost), measure.normalised(cost)))
            })
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| costs.iter().map(of).sum::<f64>() / tables;
        losses.push(Price {
            name: cost.name(),
            value: mean(|cost| cost.0),
            exact: None,
            normalised: mean(|cost| cost.1),
        });
    }
    losses
}

/// Which attributes are in which file: what everybody can see in the files themselves.
fn public_tables(decision: &ProjectionDecision) -> Json {
    let Plan::Projections(plan) = &decision.plan else { return Json::Null };
    let shown = |table: &PlannedTable| json!({ "file": table.file, "sensitive": table.sensitive, "levels": table.levels });
    plan.projections.iter().map(shown).collect()
}
