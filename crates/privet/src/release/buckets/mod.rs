//! The run for records in groups: read, decide, write, audit, publish.

mod places;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;

use serde_json::{Value as Json, json};

pub(super) use self::places::Places;
use super::account::groups::{GroupFacts, account};
use super::book::Book;
use super::manifest::{Claims, Price, Statement};
use super::pipeline::{self, Outlet, Shape, Written};
use super::report::Veil;
use super::report::groups::QUERY_ERROR;
use super::report::{ForSteward, GroupReport, public_count};
use super::run::RunOptions;
use super::side_by_side::{BeforeAfter, Wanted};
use super::{caution, crowd, lettering, people, recoded};
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_engine::microdata::Microdata;
use privet_ledger::Signatures;
use privet_methods::injector;
use privet_methods::injector::utility::Accuracy;
use privet_methods::injector::{GroupingDecision, Publication};
use privet_policy::CheckedPolicy;
use privet_policy::layout::{GROUP_ASSIGNMENT, PERMUTED, QIT, ST};

/// Records in groups: exact quasi-identifiers, and the sensitive values of each group.
pub(super) struct Grouped {
    policy: CheckedPolicy,
    microdata: Microdata,
    decision: GroupingDecision,
    places: Places,
    /// How far answers to queries are off, where there are any.
    errors: Option<Accuracy>,
    price: Price,
    veil: Veil,
    key: RunKey,
}

impl Grouped {
    fn released(&self) -> u64 {
        self.decision.grouping.groups.iter().map(|group| group.len() as u64).sum()
    }

    /// What all random choices of the run derive from.
    pub(super) fn key(&self) -> RunKey {
        self.key
    }

    fn suppressed(&self) -> u64 {
        self.microdata.summary.total() - self.released()
    }
}

impl Shape for Grouped {
    type Policy = CheckedPolicy;
    type Report = GroupReport;

    fn refuse(policy: &CheckedPolicy, options: &RunOptions) -> Result<()> {
        let about = format!("method \"{}\"", policy.method.name());
        pipeline::refuse_format(options, &about, "its release is always CSV")
    }

    fn decide(policy: CheckedPolicy, seed: u64, clock: &Clock) -> Result<Grouped> {
        let microdata = recoded::read(&policy, clock)?;
        let key = microdata.key(seed);
        let decision = injector::decide(&policy, &microdata, seed, clock)?;
        let places = Places::of(&policy, &microdata, &decision.grouping, key, clock)?;
        let errors = Accuracy::of(&decision.observations, &decision.grouping, key);
        let (value, normalised) = errors.map_or((0.0, 0.0), |errors| (errors.here, errors.normalised()));
        let price = Price { name: QUERY_ERROR, value, exact: None, normalised };
        let veil = Veil::default();
        Ok(Grouped { policy, microdata, decision, places, errors, price, veil, key })
    }

    fn policy(&self) -> &CheckedPolicy {
        &self.policy
    }

    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>> {
        let mut warnings = self.decision.warnings.clone();
        warnings.extend(run);
        warnings.extend(caution::about_roles(&self.policy, "the sensitive column"));
        warnings.extend(lettering::of_table(&self.microdata));
        warnings.extend(crowd::cautions(&self.policy, &self.microdata));
        Ok(warnings)
    }

    fn signatures(&self, book: &Book, clock: &Clock) -> Result<Signatures> {
        people::of_groups(book, &self.policy, &self.microdata, &self.decision, &self.places, clock)
    }

    fn write(&self, outlet: &Outlet<'_>, clock: &Clock) -> Result<Written> {
        write::tables(&self.policy, &self.microdata, &self.decision, self.key, outlet.to)?;
        let assignment =
            write::assignment(&self.policy, &self.microdata, &self.decision.grouping, &self.places, clock)?;
        let names: &[&str] = match self.decision.asked.publication {
            Publication::TwoTables => &[QIT, ST],
            Publication::Permuted => &[PERMUTED],
        };
        let names = names.iter().map(|name| name.to_string()).collect();
        Ok(Written { names, assignment: Some((GROUP_ASSIGNMENT, assignment)) })
    }

    fn before_after(&self, wanted: &Wanted<'_>) -> BeforeAfter {
        let value = self.policy.columns.get(self.decision.asked.demand.column);
        wanted.of_groups(&self.microdata, &self.decision, value.map_or("", |column| column.name.as_str()))
    }

    fn stated(&self) -> Result<Statement<'_>> {
        let decision = &self.decision;
        Ok(Statement {
            read: self.microdata.summary.read,
            dropped: self.microdata.summary.dropped,
            suppressed: self.suppressed(),
            released: self.released(),
            empty: self.released() == 0,
            // Quasi-identifiers are published as they are.
            exactly: self.released() as f64 / self.microdata.summary.total().max(1) as f64,
            cost: &self.price,
            losses: std::slice::from_ref(&self.price),
            search: &decision.search,
            counters: vec![("rules", decision.mined), ("groups", decision.exposure.groups)],
            plan: &decision.plan,
            veil: &self.veil,
            inputs: input_files(&self.policy).collect(),
        })
    }

    fn account(&self, claims: &Claims<'_>, _: &Path, clock: &Clock) -> Result<GroupReport> {
        let Grouped { policy, microdata, decision, errors, .. } = self;
        let facts = GroupFacts { policy, microdata, decision, errors: *errors };
        account(claims, &facts, &mut || clock.check())
    }

    fn public_manifest(&self, claims: &Claims<'_>) -> Json {
        claims.public(
            &[],
            &[("suppressed", self.suppressed().into()), ("dropped", self.microdata.summary.dropped.into())],
            &[("parameters", parameters(&self.policy, &self.decision)), ("groups", sidecar(&self.decision))],
        )
    }

    fn complete(&self, report: &GroupReport, manifest: &mut Json) {
        manifest["rules"] = json!(ForSteward(&report.rules));
        manifest["groups"] = json!(ForSteward(&report.groups));
    }

    fn left_out(&self) -> Vec<String> {
        recoded::not_published(&self.policy)
    }
}

/// What the groups were formed under. An adversary is taken to know it anyway.
fn parameters(policy: &CheckedPolicy, decision: &GroupingDecision) -> Json {
    let asked = &decision.asked;
    let text = |exact: privet_core::Exact| exact.to_string();
    let mined = policy.knowledge.mined.as_ref().map(|mined| {
        json!({
            "min_expectation": text(mined.min_expectation),
            "min_confidence": text(mined.min_confidence),
            "max_length": mined.max_length,
            "significance": mined.significance.map(text),
        })
    });
    let mut parameters = json!({
        "l": asked.demand.l,
        "max_posterior": asked.demand.max_posterior.map(text),
        "strategy": asked.strategy.name(),
        "infeasible": if asked.suppress { "suppress" } else { "fail" },
        "mining": mined,
    });
    if asked.k > 1 {
        parameters["k"] = asked.k.into();
    }
    parameters
}

/// What everybody can count in the groups: sizes, and the largest share of a value. How many values stay possible and how sure
/// one can be depends on rules, which were mined from the original.
fn sidecar(decision: &GroupingDecision) -> Json {
    let exposure = &decision.exposure;
    let sizes: serde_json::Map<String, Json> =
        exposure.sizes.iter().map(|(size, groups)| (size.to_string(), public_count(*groups))).collect();
    let (most, size) = exposure.frequency;
    json!({
        "sizes": sizes,
        "max_frequency": privet_core::Exact::new(most, size).map(|share| share.to_string()),
    })
}

/// The files besides the data that say what an adversary knows.
pub(crate) fn input_files(policy: &CheckedPolicy) -> impl Iterator<Item = &Path> {
    let hierarchies = policy.columns.iter().filter_map(|column| column.hierarchy_path.as_deref());
    hierarchies.chain(policy.knowledge.path.as_deref())
}
