//! Accounts for a release of projected tables: gathers the figures that its reports show.

use std::collections::BTreeMap;

use super::super::model::{Loss, Method, Records, Requirement};
use super::super::notion::Notion;
use super::{CurvePoint, KIND, PlanLimits, ProjectionReport, TableRow};
use crate::Result;
use crate::attack::Finding;
use crate::audit::Audit;
use crate::engine::microdata::Microdata;
use crate::method::codip::{Decision, file_name, path};
use crate::policy::{CheckedPolicy, Clause};
use crate::privacy::projection::Projection;
use crate::release::account as shared;
use crate::release::manifest::Price;

/// All that is known about a release of projected tables.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    /// The policy.
    pub policy: &'a CheckedPolicy,
    /// The seed in use.
    pub seed: u64,
    /// The original.
    pub microdata: &'a Microdata,
    /// What the method decided.
    pub decision: &'a Decision,
    /// What is lost.
    pub losses: &'a [Price],
    /// Records in every table.
    pub released: u64,
    /// What the audit found.
    pub audit: &'a Audit,
    /// What attacks found.
    pub attacks: &'a [Finding],
    /// What the steward should know.
    pub warnings: &'a [String],
    /// The released files with their hashes.
    pub files: &'a [(String, String)],
}

/// All figures of a release.
pub(crate) fn account(facts: &Facts<'_>) -> Result<ProjectionReport> {
    let Facts { policy, decision, microdata, .. } = *facts;
    let data_name = policy.source.path().file_name().map(|name| name.to_string_lossy().into_owned());
    let data_name = data_name.unwrap_or_default();
    let hierarchies = policy.columns.iter().filter_map(|column| column.hierarchy_path.as_deref());
    let inputs = std::iter::once(policy.source.path()).chain(hierarchies);
    let limits = &decision.asked.limits;
    let own = || policy.requirements.iter().filter(|clause| !Projection::is(clause));
    let notions = own().map(|clause| shared::requirement(clause, None, &policy.columns).notion);
    let projection = policy.requirements.iter().find(|clause| Projection::is(clause));
    let attributes = decision.attributes.len();
    let pairs = (0..attributes).flat_map(|a| (0..attributes).map(move |b| (a, b)));
    Ok(ProjectionReport {
        title: shared::title(&data_name),
        data_name,
        privet: env!("CARGO_PKG_VERSION").to_string(),
        kind: KIND.to_string(),
        method: Method {
            name: policy.method.name().to_string(),
            summary: policy.method.declaration.summary.to_string(),
            settings: shared::settings(&policy.method, &policy.columns),
        },
        requirements: together(policy, own()),
        notions: notions.collect(),
        limits: PlanLimits {
            alpha: limits.alpha.to_f64(),
            beta: limits.beta.to_f64(),
            description: projection.map(|clause| clause.describe(&policy.columns)).unwrap_or_default(),
        },
        policy: policy.written.text().to_string(),
        seed: Some(facts.seed),
        warnings: facts.warnings.to_vec(),
        records: Records {
            read: microdata.summary.read,
            dropped: microdata.summary.dropped,
            suppressed: 0,
            released: facts.released,
            starred: 0,
        },
        quasi: microdata.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        attributes: decision.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        information: pairs.map(|(a, b)| decision.ratios.information(a, b)).collect(),
        tables: tables(facts),
        gamma_alpha: decision.gamma_alpha,
        gamma_beta: decision.gamma_beta,
        closeness_one_table: decision.improvement.one_table,
        closeness_plan: decision.improvement.plan,
        curve: curve(decision),
        losses: facts.losses.iter().map(loss).collect(),
        search: Some(shared::search(&decision.search, decision.gamma_alpha)),
        attacks: facts.attacks.to_vec(),
        audit: shared::audit(facts.audit),
        reproduce: shared::reproduce(&policy.written, facts.seed, shared::hashes(inputs)?, facts.files),
    })
}

/// Requirements that differ in nothing but their column become one.
fn together<'a>(policy: &CheckedPolicy, clauses: impl Iterator<Item = &'a Clause>) -> Vec<Requirement> {
    let mut alike: Vec<(String, Vec<&Clause>)> = Vec::new();
    for clause in clauses {
        let settings = clause.settings.iter().filter(|(key, _)| *key != "column");
        let settings: BTreeMap<&str, String> =
            settings.map(|(key, setting)| (key, setting.show(&policy.columns))).collect();
        let look = format!("{} {settings:?}", clause.name());
        match alike.iter_mut().find(|(known, _)| *known == look) {
            Some((_, clauses)) => clauses.push(clause),
            None => alike.push((look, vec![clause])),
        }
    }
    let put_together = |(_, clauses): (String, Vec<&Clause>)| {
        let requirement = |clause: &Clause| shared::requirement(clause, None, &policy.columns);
        let names: Vec<String> = (clauses.iter())
            .filter_map(|clause| requirement(clause).notion.column().map(str::to_string))
            .collect();
        let all = format!("each of {}", names.join(", "));
        let mut first = clauses.first().map(|clause| requirement(clause))?;
        if let (
            [one, _, ..],
            Notion::TCloseness { column, .. }
            | Notion::LDiversity { column, .. }
            | Notion::Other { column: Some(column), .. },
        ) = (names.as_slice(), &mut first.notion)
        {
            first.description = first.description.replacen(one.as_str(), &all, 1);
            *column = all;
        }
        Some(first)
    };
    alike.into_iter().filter_map(put_together).collect()
}

fn tables(facts: &Facts<'_>) -> Vec<TableRow> {
    let quasi = &facts.microdata.quasi;
    let row = |(table, number): (&crate::method::codip::Projected, usize)| TableRow {
        file: file_name(number),
        attributes: table.attributes.clone(),
        levels: (table.levels.iter().zip(quasi))
            .map(|(level, quasi)| (u64::from(*level), quasi.taxonomy.levels() as u64 - 1))
            .collect(),
        classes: table.classes,
        closeness: table.closeness,
        dm: table.dm as f64,
    };
    facts.decision.projections.iter().zip(1..).map(row).collect()
}

fn curve(decision: &Decision) -> Vec<CurvePoint> {
    let point = |plan: Vec<Vec<usize>>| CurvePoint {
        tables: plan.len() as u64,
        alpha: decision.ratios.association_loss(&plan),
        beta: decision.ratios.information_exposure(&plan),
    };
    path(&decision.ratios).into_iter().map(point).collect()
}

fn loss(price: &Price) -> Loss {
    let (formula, range) = match price.name {
        "association-loss" => (
            "Γα = Σ of the mutual information of pairs of attributes in different tables / Σ over all pairs",
            "0 (one table) to 1 (a table per attribute)",
        ),
        "information-exposure" => (
            "Γβ = Σ over tables of the exposable information of their pairs / that of all pairs · the share of attributes \
             that the table has",
            "0 (a table per attribute) to 1 (one table)",
        ),
        name => {
            let info = crate::loss::INFOS.iter().find(|info| info.name == name);
            info.map_or(("", ""), |info| (info.formula, info.range))
        }
    };
    let mean = if ["DM", "LM"].contains(&price.name) { "mean over the tables of " } else { "" };
    Loss {
        name: price.name.to_string(),
        value: price.value,
        normalised: Some(price.normalised),
        formula: format!("{mean}{formula}"),
        range: range.to_string(),
        direction: "lower is better".to_string(),
    }
}
