//! Accounts for a release of projected tables: gathers the figures that its reports show.

use std::collections::{BTreeMap, BTreeSet};

use crate::release::manifest::{Claims, Price};
use crate::release::report::projections::{CurvePoint, PlanLimits, ProjectedTable};
use crate::release::report::{
    ColumnAccount, Loss, Notion, Original, ProjectionReport, Requirement, Risk, Side, Sourced, Tightness,
};
use crate::release::{account as shared, crowd, scan};
use privet_core::Result;
use privet_engine::microdata::Microdata;
use privet_methods::codip::{ProjectionDecision, path};
use privet_methods::recoding::{ClassTable, Recoding};
use privet_policy::layout;
use privet_policy::{CheckedPolicy, PolicyColumn, Requirement as Asked, Role, Stated};

/// All that is known about a release of projected tables, in addition to what its manifest claims.
#[derive(Clone, Copy)]
pub(crate) struct ProjectionFacts<'a> {
    /// The policy.
    pub policy: &'a CheckedPolicy,
    /// The original.
    pub microdata: &'a Microdata,
    /// What the method decided.
    pub decision: &'a ProjectionDecision,
    /// The classes of each table, without what is in them.
    pub classes: &'a [ClassTable],
}

/// All figures of a release.
pub(in crate::release) fn account(
    claims: &Claims<'_>,
    facts: &ProjectionFacts<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<ProjectionReport> {
    let ProjectionFacts { policy, decision, microdata, .. } = *facts;
    let particulars = shared::Particulars {
        columns: &policy.columns,
        starred: 0,
        losses: claims.stated.losses.iter().map(loss).collect(),
        inputs: policy.columns.iter().filter_map(|column| column.hierarchy_path.as_deref()).collect(),
    };
    let mut common = shared::common(claims, particulars)?;
    common.columns = columns(facts);
    common.whose = crowd::whose(microdata, None);
    common.scan = Some(scan::table(policy, tick)?.into());
    common.tightness = tightness(facts);
    common.risk_before = Some(shared::risk(shared::sizes_before(microdata).into_iter()).into());
    common.risk_after = riskiest(facts);
    let tables: Vec<(&Recoding, Vec<usize>)> = (decision.projections.iter())
        .map(|table| (&table.recoding, tracked(facts, &table.attributes)))
        .collect();
    common.fidelity = Some(shared::of_tables(microdata, &tables, microdata.key(claims.seed)).into());
    let limits = &decision.asked.limits;
    let is_plan = |asked: &&Asked| matches!(asked, Asked::Projection(_));
    let own = || policy.requirements.iter().filter(|asked| !is_plan(asked));
    let mut about_tables: Vec<Requirement> =
        own().map(|clause| shared::requirement(clause, None, &policy.columns)).collect();
    if claims.stated.plan.drawn_from().is_some() {
        shared::requirement::drawn(&mut about_tables);
    }
    let projection = policy.requirements.iter().find(is_plan);
    let attributes = decision.attributes.len();
    let pairs = (0..attributes).flat_map(|a| (0..attributes).map(move |b| (a, b)));
    Ok(ProjectionReport {
        common,
        requirements: together(policy, own()),
        notions: about_tables.into_iter().map(|requirement| requirement.notion).collect(),
        limits: PlanLimits {
            alpha: limits.alpha.to_f64(),
            beta: limits.beta.to_f64(),
            description: projection.map(|clause| clause.describe(&policy.columns)).unwrap_or_default(),
        },
        quasi: microdata.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        attributes: decision.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
        information: pairs.map(|(a, b)| decision.ratios.information(a, b)).collect::<Vec<_>>().into(),
        tables: tables_of(facts),
        gamma_alpha: decision.gamma_alpha.into(),
        gamma_beta: decision.gamma_beta.into(),
        closeness_one_table: decision.improvement.one_table.into(),
        closeness_plan: decision.improvement.plan.into(),
        curve: curve(decision).into(),
    })
}

/// The places of attributes among the tracked columns.
fn tracked(facts: &ProjectionFacts<'_>, attributes: &[usize]) -> Vec<usize> {
    attributes.iter().filter_map(|at| Some(facts.decision.attributes.get(*at)?.tracked)).collect()
}

fn columns(facts: &ProjectionFacts<'_>) -> Vec<ColumnAccount> {
    let ProjectionFacts { policy, decision, microdata, classes } = *facts;
    // Quasi-identifiers are in every table, at levels of its own: what is lost is the mean over the tables.
    let in_tables = |column: &PolicyColumn| -> Vec<ColumnAccount> {
        let tables = decision.projections.iter().zip(classes);
        tables
            .map(|(table, classes)| shared::account_column(column, microdata, &table.recoding, classes))
            .collect()
    };
    let mean = |figures: Vec<Original<f64>>| {
        let tables = figures.len() as f64;
        let sum = figures.into_iter().reduce(|sum, figure| sum.with(figure, |a, b| a + b))?;
        Some(sum.map(|sum| sum / tables))
    };
    let account = |column: &PolicyColumn| {
        let quasi = microdata.quasi.iter().position(|quasi| quasi.index == column.index);
        let transformation = match (quasi, column.role) {
            (Some(at), _) => {
                let highest = microdata.quasi[at].taxonomy.levels() - 1;
                let levels: BTreeSet<u8> =
                    decision.projections.iter().filter_map(|table| table.levels.get(at).copied()).collect();
                let levels: Vec<String> = levels.iter().map(u8::to_string).collect();
                format!("level {} of {highest}, by table", levels.join(" or "))
            }
            (None, Some(Role::Sensitive)) if column.separator.is_some() => "one column per value".to_string(),
            (None, Some(Role::Sensitive)) => "unchanged, in one of the tables".to_string(),
            (None, _) => "removed".to_string(),
        };
        let tracked = microdata.table.tracked.iter().find(|tracked| tracked.index == column.index);
        let distinct = tracked.map(|tracked| tracked.values.len() as u64);
        let tables = if quasi.is_some() { in_tables(column) } else { Vec::new() };
        ColumnAccount {
            distinct_before: (quasi.map(|at| microdata.quasi[at].counts.len() as u64).or(distinct))
                .map(Original::from),
            // The table that tells most.
            distinct_after: tables.iter().filter_map(|table| table.distinct_after).max().or(distinct),
            loss: mean(tables.iter().filter_map(|table| table.loss).collect()),
            generalised: mean(tables.iter().filter_map(|table| table.generalised).collect()),
            ..ColumnAccount::new(column, &transformation)
        }
    };
    policy.columns.iter().map(account).collect()
}

/// How near the worst class of each table comes to its requirements.
fn tightness(facts: &ProjectionFacts<'_>) -> Vec<Tightness> {
    let ProjectionFacts { policy, decision, classes, .. } = *facts;
    let k = policy.requirements.iter().find_map(Asked::k);
    // The worst class is filed over all attributes of a table; where they differ in t, the strictest is shown.
    let distances = policy.requirements.iter().filter_map(|asked| match asked {
        Asked::TCloseness(asked) => Some(asked.t),
        _ => None,
    });
    let t = distances.min();
    let mut all = Vec::new();
    for ((table, classes), number) in decision.projections.iter().zip(classes).zip(1..) {
        let entry = Tightness {
            requirement: String::new(),
            column: None,
            inequality: String::new(),
            exact: String::new().into(),
            worst: String::new().into(),
            value: Sourced::Released(0.0),
            threshold: 0.0,
            side: Side::AtLeast,
            counted: true,
            from_data: false,
            holds: true,
        };
        if let Some(k) = k {
            let smallest = classes.sizes.iter().copied().min().unwrap_or(0);
            all.push(Tightness {
                requirement: format!("k-anonymity of {}", layout::projection(number)),
                inequality: format!("n(class) ≥ {k}"),
                exact: smallest.to_string().into(),
                value: Sourced::Released(smallest as f64),
                threshold: k as f64,
                holds: smallest >= k,
                ..entry.clone()
            });
        }
        if let Some(t) = t {
            all.push(Tightness {
                requirement: format!("t-closeness in {}", layout::projection(number)),
                inequality: format!("EMD(class, table) ≤ {t}"),
                value: Sourced::Original(table.closeness.into()),
                threshold: t.to_f64(),
                side: Side::AtMost,
                counted: false,
                // Decided exactly by the method and again by the audit: a release that fails is not published.
                holds: table.closeness <= t.to_f64(),
                ..entry
            });
        }
    }
    all
}

/// The risk in the table whose smallest class is smallest.
fn riskiest(facts: &ProjectionFacts<'_>) -> Option<Risk> {
    let risks = facts.classes.iter().map(|table| shared::risk(table.sizes.iter().copied()));
    risks.min_by_key(|risk| (risk.figures.smallest, std::cmp::Reverse(risk.figures.classes)))
}

/// Requirements that differ in nothing but their column become one.
fn together<'a>(policy: &CheckedPolicy, clauses: impl Iterator<Item = &'a Asked>) -> Vec<Requirement> {
    let mut alike: Vec<(String, Vec<&Asked>)> = Vec::new();
    for clause in clauses {
        let settings = clause.settings();
        let settings = settings.iter().filter(|(key, _)| *key != "column");
        let settings: BTreeMap<&str, String> =
            settings.map(|(key, setting)| (key, setting.show(&policy.columns))).collect();
        let look = format!("{} {settings:?}", clause.name());
        match alike.iter_mut().find(|(known, _)| *known == look) {
            Some((_, clauses)) => clauses.push(clause),
            None => alike.push((look, vec![clause])),
        }
    }
    let put_together = |(_, clauses): (String, Vec<&Asked>)| {
        let requirement = |clause: &Asked| shared::requirement(clause, None, &policy.columns);
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

fn tables_of(facts: &ProjectionFacts<'_>) -> Vec<ProjectedTable> {
    let quasi = &facts.microdata.quasi;
    let row = |(table, number): (&privet_methods::codip::ProjectedTable, usize)| ProjectedTable {
        file: layout::projection(number),
        attributes: table.attributes.clone(),
        levels: (table.levels.iter().zip(quasi))
            .map(|(level, quasi)| (u64::from(*level), quasi.taxonomy.levels() as u64 - 1))
            .collect(),
        classes: table.classes,
        closeness: table.closeness.into(),
        dm: (table.dm as f64).into(),
    };
    facts.decision.projections.iter().zip(1..).map(row).collect()
}

fn curve(decision: &ProjectionDecision) -> Vec<CurvePoint> {
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
            let info = privet_engine::loss::INFOS.iter().find(|info| info.name == name);
            info.map_or(("", ""), |info| (info.formula, info.range))
        }
    };
    let mean = if ["DM", "LM"].contains(&price.name) { "mean over the tables of " } else { "" };
    Loss {
        name: price.name.to_string(),
        value: price.value.into(),
        normalised: Some(price.normalised.into()),
        formula: format!("{mean}{formula}"),
        range: range.to_string(),
        direction: "lower is better".to_string(),
    }
}
