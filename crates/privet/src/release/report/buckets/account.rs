//! Accounts for a release of records in groups: gathers the figures that its reports show.

use super::super::model::{Loss, Method, Records};
use super::{BucketLimit, BucketReport, Groups, KIND, Left, RuleRow};
use crate::Result;
use crate::attack::Finding;
use crate::audit::Audit;
use crate::engine::microdata::Microdata;
use crate::engine::negative_rules::Origin;
use crate::method::injector::utility::Accuracy;
use crate::method::injector::{Decision, Exposure, Publication, Strategy};
use crate::policy::CheckedPolicy;
use crate::release::account as shared;
use crate::release::buckets::input_files;

/// All that is known about a release of records in groups.
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
    /// How far answers to queries are off, where there were any.
    pub errors: Option<Accuracy>,
    /// Records left out.
    pub suppressed: u64,
    /// Records published.
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
pub(crate) fn account(facts: &Facts<'_>) -> Result<BucketReport> {
    let Facts { policy, decision, microdata, .. } = *facts;
    let asked = &decision.asked;
    let data_name = policy.source.path().file_name().map(|name| name.to_string_lossy().into_owned());
    let data_name = data_name.unwrap_or_default();
    let inputs = std::iter::once(policy.source.path()).chain(input_files(policy));
    let sizes = &decision.exposure.sizes;
    Ok(BucketReport {
        title: shared::title(&data_name),
        data_name,
        privet: env!("CARGO_PKG_VERSION").to_string(),
        kind: KIND.to_string(),
        method: Method {
            name: policy.method.name().to_string(),
            summary: policy.method.declaration.summary.to_string(),
            settings: shared::settings(&policy.method, &policy.columns),
        },
        requirement: BucketLimit {
            description: policy.requirements.iter().map(|clause| clause.describe(&policy.columns)).collect(),
            column: policy
                .columns
                .get(asked.demand.column)
                .map(|column| column.name.clone())
                .unwrap_or_default(),
            l: asked.demand.l as u64,
            max_posterior: asked.demand.max_posterior.map(|bound| bound.to_string()),
            knowledge: asked.strategy != Strategy::Anatomy,
        },
        policy: policy.written.text().to_string(),
        seed: Some(facts.seed),
        warnings: facts.warnings.to_vec(),
        records: Records {
            read: microdata.summary.read,
            dropped: microdata.summary.dropped,
            suppressed: facts.suppressed,
            released: facts.released,
            starred: 0,
        },
        quasi: microdata.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        permuted: asked.publication == Publication::Permuted,
        groups: Groups {
            count: decision.exposure.groups,
            smallest: sizes.keys().next().map_or(0, |size| *size as u64),
            largest: sizes.keys().last().map_or(0, |size| *size as u64),
            left: left(&decision.exposure),
        },
        baseline: decision.baseline.as_ref().filter(|_| asked.strategy != Strategy::Anatomy).map(left),
        rules: rules(decision),
        mined: decision.mined,
        losses: losses(facts),
        search: Some(shared::search(&decision.search, facts.errors.map_or(0.0, |errors| errors.here))),
        attacks: facts.attacks.to_vec(),
        audit: shared::audit(facts.audit),
        reproduce: shared::reproduce(&policy.written, facts.seed, shared::hashes(inputs)?, facts.files),
    })
}

fn left(exposure: &Exposure) -> Left {
    let (most, size) = exposure.frequency;
    Left {
        least_valid: if exposure.groups == 0 { 0 } else { exposure.least_valid as u64 },
        vulnerable: exposure.vulnerable,
        posterior: exposure.posterior.as_ref().map(ToString::to_string),
        not_worked_out: exposure.not_worked_out,
        frequency: crate::Exact::new(most, size).map(|share| share.to_string()).unwrap_or_default(),
        above_one_in_l: exposure.above_one_in_l,
    }
}

fn rules(decision: &Decision) -> Vec<RuleRow> {
    let row = |known: &crate::engine::negative_rules::KnownRule| RuleRow {
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
const QUERY_ERROR: &str = "mean of |answer − truth| / truth over 200 random COUNT queries about two quasi-identifiers \
                           and the sensitive column, answered as if every record of a group were equally likely to \
                           have each of its values";

fn losses(facts: &Facts<'_>) -> Vec<Loss> {
    let loss = |errors: Accuracy| Loss {
        name: "query-error".to_string(),
        value: errors.here,
        normalised: Some(errors.normalised()),
        formula: QUERY_ERROR.to_string(),
        range: "0 to that of all records in one group".to_string(),
        direction: "lower is better".to_string(),
    };
    facts.errors.map(loss).into_iter().collect()
}
