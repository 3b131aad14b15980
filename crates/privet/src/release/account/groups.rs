//! Accounts for a release of records in groups: gathers the figures that its reports show.

use std::collections::BTreeSet;

use crate::release::buckets::input_files;
use crate::release::manifest::Claims;
use crate::release::report::groups::{GroupLimit, Groups, Left, QUERY_ERROR, RuleRow};
use crate::release::report::{ColumnAccount, GroupReport, Loss, Original, Side, Sourced, Tightness};
use crate::release::{account as shared, crowd, scan};
use privet_core::Result;
use privet_core::{counted, described};
use privet_engine::microdata::Microdata;
use privet_engine::negative_rules::Origin;
use privet_methods::injector::utility::Accuracy;
use privet_methods::injector::{
    GroupExposure, GroupingDecision, GroupingStrategy, Publication, RecordGroups,
};
use privet_policy::{CheckedPolicy, PolicyColumn, Role};

/// All that is known about a release of records in groups, in addition to what its manifest claims.
#[derive(Clone, Copy)]
pub(crate) struct GroupFacts<'a> {
    /// The policy.
    pub policy: &'a CheckedPolicy,
    /// The original.
    pub microdata: &'a Microdata,
    /// What the method decided.
    pub decision: &'a GroupingDecision,
    /// How far answers to queries are off, where there were any.
    pub errors: Option<Accuracy>,
}

/// All figures of a release.
pub(in crate::release) fn account(
    claims: &Claims<'_>,
    facts: &GroupFacts<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<GroupReport> {
    let GroupFacts { policy, decision, microdata, .. } = *facts;
    let asked = &decision.asked;
    let sizes = &decision.exposure.sizes;
    let particulars = shared::Particulars {
        columns: &policy.columns,
        starred: 0,
        losses: losses(facts),
        inputs: input_files(policy).collect(),
    };
    let mut common = shared::common(claims, particulars)?;
    let exposed = left(&decision.exposure);
    let groups = Groups {
        count: decision.exposure.groups,
        smallest: sizes.keys().next().map_or(0, |size| *size as u64),
        largest: sizes.keys().last().map_or(0, |size| *size as u64),
        left: exposed.clone().into(),
    };
    let requirement = GroupLimit {
        description: claims.policy.asked().join("; "),
        column: policy.columns.get(asked.demand.column).map(|column| column.name.clone()).unwrap_or_default(),
        l: asked.demand.l as u64,
        k: asked.k,
        // The strictest is what is promised.
        t: decision.farthest.iter().map(|(_, t)| *t).min().map(|t| t.to_string()),
        max_posterior: asked.demand.max_posterior.map(|bound| bound.to_string()),
        knowledge: asked.strategy != GroupingStrategy::Anatomy,
    };
    let present = present(&decision.grouping, microdata);
    common.columns = columns(policy, microdata, &present);
    common.whose = crowd::whose(microdata, None);
    common.scan = Some(scan::table(policy, tick)?.into());
    common.tightness = tightness(&requirement, (&groups, &exposed), decision);
    // Quasi-identifiers are published as they are, so anyone who knows them finds the same records as before.
    common.risk_before = Some(shared::risk(shared::sizes_before(microdata).into_iter()).into());
    common.risk_after = Some(shared::risk(shared::sizes(microdata, &present).into_iter()));
    common.fidelity =
        Some(shared::of_groups(microdata, &decision.grouping, microdata.key(claims.seed)).into());
    common.subgroups = shared::subgroups(microdata, &|record| present[record], &|_, _| true);
    Ok(GroupReport {
        common,
        requirement,
        quasi: microdata.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        permuted: asked.publication == Publication::Permuted,
        groups,
        baseline: decision
            .baseline
            .as_ref()
            .filter(|_| asked.strategy != GroupingStrategy::Anatomy)
            .map(|baseline| left(baseline).into()),
        rules: rules(decision).into(),
        mined: decision.mined.into(),
    })
}

/// How many of each distinct record's records are in a group.
fn present(grouping: &RecordGroups, microdata: &Microdata) -> Vec<u64> {
    let mut present = vec![0; microdata.summary.len()];
    for record in grouping.groups.iter().flatten() {
        present[*record as usize] += 1;
    }
    present
}

fn columns(policy: &CheckedPolicy, microdata: &Microdata, present: &[u64]) -> Vec<ColumnAccount> {
    let account = |column: &PolicyColumn| {
        let quasi = microdata.quasi.iter().position(|quasi| quasi.index == column.index);
        let tracked = microdata.table.tracked.iter().position(|tracked| tracked.index == column.index);
        let code = |record: usize| {
            let of_quasi = quasi.map(|at| microdata.quasi_codes(record)[at]);
            of_quasi.or(tracked.map(|at| microdata.tracked_code(record, at)))
        };
        let distinct = |in_release: bool| {
            let records = (0..present.len()).filter(|record| !in_release || present[*record] > 0);
            let codes: Option<BTreeSet<u32>> = records.map(code).collect();
            codes.map(|codes| codes.len() as u64).filter(|_| quasi.or(tracked).is_some())
        };
        let transformation = match column.role {
            Some(Role::QuasiIdentifier) => "unchanged",
            Some(Role::Sensitive) => "published by group, not by record",
            _ => "removed",
        };
        ColumnAccount {
            distinct_before: distinct(false).map(Original::from),
            distinct_after: distinct(true).filter(|_| transformation != "removed"),
            generalised: Some(0.0.into()).filter(|_| quasi.is_some()),
            loss: Some(0.0.into()).filter(|_| quasi.is_some()),
            ..ColumnAccount::new(column, transformation)
        }
    };
    policy.columns.iter().map(account).collect()
}

/// How near the worst record comes to each limit.
fn tightness(
    limit: &GroupLimit,
    (groups, left): (&Groups, &Left),
    decision: &GroupingDecision,
) -> Vec<Tightness> {
    let (most, size) = decision.exposure.frequency;
    let column = &limit.column;
    let mut all = vec![Tightness {
        requirement: format!("values of {column} that stay possible"),
        column: None,
        inequality: format!("valid({column}) ≥ {}", limit.l),
        worst: format!("the record with the fewest: {}", left.least_valid).into(),
        exact: left.least_valid.to_string().into(),
        // What is possible depends on rules, and those were mined from the original.
        value: match limit.knowledge {
            true => Sourced::Original((left.least_valid as f64).into()),
            false => Sourced::Released(left.least_valid as f64),
        },
        threshold: limit.l as f64,
        side: Side::AtLeast,
        counted: true,
        from_data: false,
        holds: left.least_valid >= limit.l || decision.exposure.groups == 0,
    }];
    if limit.k > 1 {
        all.push(Tightness {
            requirement: "records of a group".to_string(),
            column: None,
            inequality: format!("n(group) ≥ {}", limit.k),
            worst: format!("the smallest group: {}", counted(groups.smallest, "record", "records")).into(),
            exact: groups.smallest.to_string().into(),
            value: Sourced::Released(groups.smallest as f64),
            threshold: limit.k as f64,
            side: Side::AtLeast,
            counted: true,
            from_data: false,
            holds: groups.smallest >= limit.k || groups.count == 0,
        });
    }
    if !limit.knowledge {
        all.push(Tightness {
            requirement: format!("share of one value of {column} in a group"),
            column: None,
            inequality: format!("n(value) · {} ≤ n(group)", limit.l),
            worst: format!("{most} of {}", described(size, "records of a group")).into(),
            exact: format!("{most}/{size}").into(),
            value: Sourced::Released(most as f64 / size.max(1) as f64),
            threshold: 1.0 / limit.l.max(1) as f64,
            side: Side::AtMost,
            counted: false,
            from_data: false,
            holds: left.above_one_in_l == 0,
        });
    }
    for (farthest, t) in &decision.farthest {
        all.push(Tightness {
            requirement: format!("distance of a group from the table in {column}"),
            column: None,
            inequality: format!("EMD(group, table) ≤ {t}"),
            worst: format!("the farthest group: {farthest:.4}").into(),
            exact: farthest.to_string().into(),
            // Suppressed records count in the table.
            value: Sourced::Original((*farthest).into()),
            threshold: t.to_f64(),
            side: Side::AtMost,
            counted: false,
            from_data: false,
            holds: true,
        });
    }
    if let (Some(bound), Some(posterior)) =
        (decision.asked.demand.max_posterior, decision.exposure.posterior.as_ref())
    {
        all.push(Tightness {
            requirement: format!("how sure one can be of a value of {column}"),
            column: None,
            inequality: format!("assignments with the value / all assignments ≤ {bound}"),
            worst: format!("{posterior} of all assignments that the rules allow").into(),
            exact: posterior.to_string().into(),
            value: Sourced::Original(posterior.to_f64().into()),
            threshold: bound.to_f64(),
            side: Side::AtMost,
            counted: false,
            from_data: false,
            holds: true,
        });
    }
    all
}

fn left(exposure: &GroupExposure) -> Left {
    let (most, size) = exposure.frequency;
    Left {
        least_valid: if exposure.groups == 0 { 0 } else { exposure.least_valid as u64 },
        vulnerable: exposure.vulnerable,
        posterior: exposure.posterior.as_ref().map(ToString::to_string),
        not_worked_out: exposure.not_worked_out,
        frequency: privet_core::Exact::new(most, size).map(|share| share.to_string()).unwrap_or_default(),
        above_one_in_l: exposure.above_one_in_l,
    }
}

fn rules(decision: &GroupingDecision) -> Vec<RuleRow> {
    let row = |known: &privet_engine::negative_rules::KnownRule| RuleRow {
        name: known.text.name(),
        rule: known.text.to_string(),
        origin: match known.origin {
            Origin::Mined => "mined",
            Origin::Muted => "muted",
            Origin::Stated(_) => "stated",
        }
        .to_string(),
        support: known.rule.support,
        expectation: known.rule.expectation(&decision.observations),
        confidence: known.rule.confidence(),
    };
    decision.rules.iter().map(row).collect()
}

/// What the measure is, in words.
const QUERY_ERROR_FORMULA: &str = "mean of |answer − truth| / truth over 200 random COUNT queries about two quasi-identifiers \
                           and the sensitive column, answered as if every record of a group were equally likely to \
                           have each of its values";

fn losses(facts: &GroupFacts<'_>) -> Vec<Loss> {
    let loss = |errors: Accuracy| Loss {
        name: QUERY_ERROR.to_string(),
        value: errors.here.into(),
        normalised: Some(errors.normalised().into()),
        formula: QUERY_ERROR_FORMULA.to_string(),
        range: "0 to that of all records in one group".to_string(),
        direction: "lower is better".to_string(),
    };
    facts.errors.map(loss).into_iter().collect()
}
