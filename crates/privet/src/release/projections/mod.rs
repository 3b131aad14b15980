//! The run for several tables with disjoint sensitive attributes: read, decide, write, audit, publish.

#[cfg(test)]
mod tests;
mod write;

use std::path::Path;

use rayon::prelude::*;
use serde_json::Value as Json;

use super::book::{self, Book, Kept};
use super::holdout::{self, HeldOut};
use super::manifest::{Claims, Price, sha256_of};
use super::report::projections::{Facts, account};
use super::report::{self, Edition, ForSteward};
use super::rooms::{Documents, pretty};
use super::run::{Published, RunOptions, Trial, approve, attacked, begin, state_of};
use super::veil::{Veil, is_shown};
use super::{caution, crowd, lettering, people};
use privet_attack::{PolicyRef, Released};
use privet_audit::projections::{StatedPlan, audit_projections};
use privet_audit::released::{open_numbered_projections, open_present_projections};
use privet_audit::{Audit, ExpectedCounts};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::microdata::Microdata;
use privet_methods::codip;
use privet_methods::codip::Decision;
use privet_methods::recoding::ClassTable;
use privet_policy::layout;
use privet_policy::{CheckedPolicy, DataKind};

/// What plans lose, as manifests call it.
const COST: &str = "association-loss";

/// Makes, audits and publishes a release of projected tables.
pub(super) fn anonymize(mut policy: CheckedPolicy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    if options.format.is_some() {
        return Err(Error::input(format!(
            "--format has no meaning for method \"{}\": its release is always CSV",
            policy.method.name()
        ))
        .help("leave out --format"));
    }
    codip::Asked::of(&policy)?;
    let (target, seed) = begin(options, &mut policy.method, &mut policy.seed)?;
    let state = state_of(policy.source.path());
    let held = holdout::hold_out(&mut policy, options.holdout, seed, clock)?;
    clock.progress().stage("reading", Some(policy.source.bytes()));
    let microdata = Microdata::read(&policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    let key = microdata.key(seed);
    let decision = codip::decide(&policy, &microdata, clock)?;
    let released = microdata.summary.total();
    let mut warnings = decision.warnings.clone();
    warnings.extend(caution::about_seed(seed, policy.source.path()));
    warnings.extend(held.as_ref().and_then(HeldOut::caution));
    warnings.extend(caution::about_roles(&policy, "sensitive columns"));
    warnings.extend(lettering::of_table(&microdata));
    warnings.extend(crowd::cautions(&policy, &microdata));
    let mut ledger =
        Book::open(&policy.written, (policy.source.path(), policy.kind), &options.target, clock)?;
    book::compose(&mut ledger, &mut warnings, |book| {
        people::of_projections(book, &policy, &microdata, &decision, key, clock)
    })?;
    clock.check()?;

    target.open()?;
    let others = held.as_ref().map(|held| held.write(&policy, &target, clock)).transpose()?;
    clock.progress().stage("writing", None);
    let destination = write::Destination {
        folder: &target.public(),
        spill: &target.spill(),
        key,
        bytes: policy.source.bytes(),
        formulas: policy.written.formulas(),
    };
    write::tables(&microdata, &decision, &destination, clock)?;

    clock.progress().stage("auditing", None);
    let stated = StatedPlan { gamma_alpha: decision.gamma_alpha, gamma_beta: decision.gamma_beta };
    let expected = ExpectedCounts { released, suppressed: 0, dropped: microdata.summary.dropped };
    let tables = open_numbered_projections(&target.public(), 1..=decision.projections.len())?;
    let audit = audit_projections(&policy, &tables, Some(stated), Some(expected), &|| clock.check())?;
    clock.check()?;
    approve(&audit, policy.source.path(), state)?;
    let tables = Released::Projections(tables.into_iter().map(|(_, table)| table).collect());
    let trial = Trial { holdout: others, ..Trial::new(seed, &options.attacks) };
    let mut attacks = attacked(PolicyRef::Table(&policy), tables, trial, clock)?;
    book::tell(ledger.as_ref(), &mut attacks);
    clock.progress().stage("writing reports", None);
    warnings.extend(attacks.warnings());

    let files: Vec<(String, String)> = (1..=decision.projections.len())
        .into_par_iter()
        .map(|number| {
            Ok((layout::projection(number), sha256_of(&target.public().join(layout::projection(number)))?))
        })
        .collect::<Result<_>>()?;
    let classes: Vec<ClassTable> =
        decision.projections.par_iter().map(|table| table.recoding.outline(&microdata)).collect();
    let totals: Vec<Vec<u64>> = microdata.table.tracked.iter().map(|column| column.totals.clone()).collect();
    let claims = Claims {
        kind: DataKind::Table,
        policy: &policy.written,
        data: policy.source.path(),
        method: &policy.method,
        asked: policy.requirements.iter().map(|clause| clause.describe(&policy.columns)).collect(),
        // Every record is in every table.
        veil: Veil::of(&policy.requirements, |clause, value| {
            is_shown(&microdata.table, &totals, clause, value)
        }),
        seed,
        read: microdata.summary.read,
        dropped: microdata.summary.dropped,
        suppressed: 0,
        released,
        exactly: exactly(&decision, &microdata, &classes),
        cost: association_loss(&decision),
        losses: losses(&decision, &microdata, &classes),
        search: &decision.search,
        counters: &[("tables", decision.projections.len() as u64)],
        plan: &decision.plan,
        warnings: &warnings,
        attacks: &attacks,
        ledger: ledger.as_ref().map(Book::account),
        audit: &audit,
        files: &files,
        held: held.as_ref(),
    };
    let facts = Facts { policy: &policy, microdata: &microdata, decision: &decision, classes: &classes };
    let figures = account(&claims, &facts, &mut || clock.check())?;
    let tables = ("tables", public_tables(&decision));
    let documents = Documents {
        public_report: report::render_projections(&figures, Edition::Public)?,
        public_manifest: claims.public(&[], &[("dropped", microdata.summary.dropped.into())], &[tables]),
        steward_report: report::render_projections(&figures, Edition::Steward)?,
        figures: pretty(&ForSteward(&figures))?,
        plan: &decision.plan,
        policy: &policy.written,
    };
    let told = held.as_ref().map(|held| held.told(&target.steward())).transpose()?;
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Claims { files, ..claims }.steward();
        holdout::state(&mut manifest, told);
        manifest
    })?;
    clock.check()?;
    book::publish(ledger, target, &Kept::of(&policy.written, &policy.method, seed, &files))?;
    Ok(Published::of_table(options, &policy, (manifest, audit, attacks), released, warnings))
}

/// The share of quasi-identifier cells that are published as they are: the mean over the tables.
fn exactly(decision: &Decision, microdata: &Microdata, classes: &[ClassTable]) -> f64 {
    let tables = decision.projections.iter().zip(classes);
    let sum: f64 = tables.map(|(table, classes)| table.recoding.exactly(microdata, classes)).sum();
    sum / decision.projections.len().max(1) as f64
}

fn association_loss(decision: &Decision) -> Price {
    let value = decision.gamma_alpha;
    Price { name: COST, value, exact: None, normalised: value }
}

/// What the plan loses, what it exposes, and how coarse its tables are: the mean over them.
fn losses(decision: &Decision, microdata: &Microdata, classes: &[ClassTable]) -> Vec<Price> {
    let tables = decision.projections.len().max(1) as f64;
    let mut losses = vec![association_loss(decision)];
    let value = decision.gamma_beta;
    losses.push(Price { name: "information-exposure", value, exact: None, normalised: value });
    for name in ["DM", "LM"] {
        // Neither looks at what is in the classes.
        let costs: Vec<_> = (decision.projections.iter().zip(classes))
            .filter_map(|(table, classes)| {
                let measure = table.recoding.measure(name, microdata).ok()?;
                let cost = table.recoding.cost(&measure, classes);
                Some((measure.value(cost), measure.normalised(cost)))
            })
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| costs.iter().map(of).sum::<f64>() / tables;
        losses.push(Price {
            name: if name == "DM" { "DM" } else { "LM" },
            value: mean(|cost| cost.0),
            exact: None,
            normalised: mean(|cost| cost.1),
        });
    }
    losses
}

/// Which attributes are in which file: what everybody can see in the files themselves.
fn public_tables(decision: &Decision) -> Json {
    let plan = decision.plan["projections"].as_array().into_iter().flatten();
    plan.map(|table| serde_json::json!({ "file": table["file"], "sensitive": table["sensitive"], "levels": table["levels"] }))
        .collect()
}

/// Audits a published folder again.
pub(super) fn audit_folder(
    policy: &CheckedPolicy,
    folder: &Path,
    manifest: &Json,
    expected: ExpectedCounts,
    clock: &Clock,
) -> Result<Option<Audit>> {
    let plan = &manifest["plan"];
    let (Some(gamma_alpha), Some(gamma_beta), Some(stated)) =
        (plan["gamma_alpha"].as_f64(), plan["gamma_beta"].as_f64(), plan["projections"].as_array())
    else {
        return Ok(None);
    };
    let public = folder.join("public");
    // What is missing is found out by the audit.
    let there = (1..=stated.len()).filter(|number| public.join(layout::projection(*number)).is_file());
    let tables = open_numbered_projections(&public, there)?;
    let stated = StatedPlan { gamma_alpha, gamma_beta };
    audit_projections(policy, &tables, Some(stated), Some(expected), &|| clock.check()).map(Some)
}

/// Audits any projected tables against a policy: a folder with projection-1.csv, projection-2.csv and so on.
pub fn audit_projection_files(policy: &CheckedPolicy, release: &Path, clock: &Clock) -> Result<Audit> {
    if release.is_file() {
        return Err(Error::input("this is one file, and the tables of a plan are audited together")
            .in_file(release)
            .help("name the folder that holds projection-1.csv, projection-2.csv and so on"));
    }
    audit_projections(policy, &open_present_projections(release)?, None, None, &|| clock.check())
}
