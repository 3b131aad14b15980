//! The run for query logs and vocabularies: read, decide, write, audit, publish.

mod caution;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;

use serde_json::{Value as Json, json};

use super::account::vocabularies::{VocabularyFacts, account};
use super::book::Book;
use super::manifest::{Claims, Price, Statement};
use super::people;
use super::pipeline::{self, Outlet, Shape, Written};
use super::report::Veil;
use super::report::{ForSteward, VocabularyReport};
use super::run::RunOptions;
use super::side_by_side::{BeforeAfter, Wanted};
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_ledger::Signatures;
use privet_methods::vocabulary;
use privet_methods::vocabulary::loss::BagLoss;
use privet_methods::vocabulary::utility::PatternUtility;
use privet_methods::vocabulary::{COST, VocabularyDecision};
use privet_policy::VocabularyPolicy;
use privet_policy::layout::{DISTINCT_TERMS, GENERAL_LOSS, VOCABULARY_ASSIGNMENT, VOCABULARY_SIZE};

/// The released file's name.
const RELEASE: &str = "release.csv";

/// So many frequent patterns are compared, as the thesis has it.
const PATTERNS: usize = 1000;

/// Bags of terms, in clusters that are published alike.
pub(super) struct Vocabularies {
    policy: VocabularyPolicy,
    decided: VocabularyDecision,
    loss: BagLoss,
    cost: Price,
    losses: Vec<Price>,
    veil: Veil,
    key: RunKey,
}

impl Vocabularies {
    fn withheld(&self) -> u64 {
        self.decided.solution.withheld.len() as u64
    }
}

impl Shape for Vocabularies {
    type Policy = VocabularyPolicy;
    type Report = VocabularyReport;

    fn refuse(policy: &VocabularyPolicy, options: &RunOptions) -> Result<()> {
        pipeline::refuse_format(options, policy.kind.name(), &format!("the release is always {RELEASE}"))
    }

    fn decide(policy: VocabularyPolicy, seed: u64, clock: &Clock) -> Result<Vocabularies> {
        let decided = vocabulary::decide(&policy, clock)?;
        let loss = BagLoss::of(&decided.bags, &decided.solution, &decided.distances);
        let share = |name: &'static str, value: f64| Price { name, value, exact: None, normalised: value };
        let blm = loss.blm.value();
        let mut losses = vec![share(COST, blm)];
        losses.extend(loss.glm.map(|glm| share(GENERAL_LOSS, glm.value())));
        losses.push(share(DISTINCT_TERMS, loss.distinct_terms.value()));
        losses.push(share(VOCABULARY_SIZE, loss.average_size.value()));
        let cost = Price { name: COST, value: blm, exact: Some(loss.blm.to_string()), normalised: blm };
        let (key, veil) = (decided.bags.key(seed), Veil::default());
        Ok(Vocabularies { policy, decided, loss, cost, losses, veil, key })
    }

    fn policy(&self) -> &VocabularyPolicy {
        &self.policy
    }

    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>> {
        let VocabularyDecision { bags, extraction, demand, solution, .. } = &self.decided;
        let mut warnings = caution::warnings(&self.policy, extraction, demand, bags, solution);
        warnings.extend(solution.warnings.iter().cloned());
        warnings.extend(run);
        Ok(warnings)
    }

    fn signatures(&self, book: &Book, _: &Clock) -> Result<Signatures> {
        Ok(people::of_vocabularies(book, &self.decided.bags, &self.decided.solution))
    }

    fn write(&self, outlet: &Outlet<'_>, clock: &Clock) -> Result<Written> {
        let VocabularyDecision { bags, distances, solution, .. } = &self.decided;
        let to = (outlet.to, self.policy.written.formulas());
        let assignment = write::release(to, bags, distances, solution, self.key, clock)?;
        Ok(Written {
            names: vec![RELEASE.to_string()],
            assignment: Some((VOCABULARY_ASSIGNMENT, assignment)),
        })
    }

    fn before_after(&self, wanted: &Wanted<'_>) -> BeforeAfter {
        wanted.of_vocabularies(&self.decided)
    }

    fn stated(&self) -> Result<Statement<'_>> {
        let read = self.decided.bags.len() as u64;
        Ok(Statement {
            read,
            dropped: 0,
            suppressed: self.withheld(),
            released: read - self.withheld(),
            empty: self.loss.suppressed == self.loss.occurrences,
            exactly: self.loss.exactly.value(),
            cost: &self.cost,
            losses: &self.losses,
            search: &self.decided.solution.search,
            counters: self.decided.solution.counters.to_vec(),
            plan: &self.decided.solution.plan,
            veil: &self.veil,
            inputs: Vec::new(),
        })
    }

    fn account(&self, claims: &Claims<'_>, _: &Path, clock: &Clock) -> Result<VocabularyReport> {
        let VocabularyDecision { bags, extraction, distances, demand, solution } = &self.decided;
        let patterns = PatternUtility::measure(bags, solution, distances, PATTERNS, None, clock)?;
        let inputs: Vec<&Path> = self.policy.inputs.iter().map(|path| path.as_path()).collect();
        let facts = VocabularyFacts {
            policy: &self.policy,
            demand: *demand,
            bags,
            extraction,
            distances,
            solution,
            loss: &self.loss,
            patterns: &patterns,
            inputs: &inputs,
        };
        account(claims, &facts)
    }

    fn public_manifest(&self, claims: &Claims<'_>) -> Json {
        claims.public(&[], &[("withheld", self.withheld().into())], &[])
    }

    fn complete(&self, report: &VocabularyReport, manifest: &mut Json) {
        manifest["utility"] = json!(ForSteward(&report.utility));
        manifest["extraction"] = json!(self.decided.extraction);
        manifest["classes"] = json!(ForSteward(&report.classes));
    }
}
