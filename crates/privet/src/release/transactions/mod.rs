//! The run for transactions: read, decide, write, audit, publish.

mod apply;
mod caution;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::account::transactions::{ItemFacts, account, costliest, suppressed_part};
use super::book::Book;
use super::manifest::{Claims, Price, Statement};
use super::people;
use super::pipeline::{self, Outlet, Shape, Written};
use super::report::Veil;
use super::report::{ForSteward, Original, TransactionReport};
use super::run::RunOptions;
use super::side_by_side::{BeforeAfter, Wanted};
use super::veil;
use super::why::WHY;
use privet_core::clock::Clock;
use privet_core::{Exact, Result, RunKey};
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::{KlPrivacy, requirements};
use privet_ledger::Signatures;
use privet_methods::kl;
use privet_methods::kl::utility::ItemUtility;
use privet_methods::kl::{ItemSolution, ItemTask};
use privet_methods::plan::Plan;
use privet_policy::TransactionPolicy;

/// The released file's name.
const RELEASE: &str = "release.txt";

/// What share of all transactions makes a pattern frequent, as the thesis has it.
const PATTERN: (u64, u64) = (1, 100);

/// So many of the items that lose most are listed in the steward's manifest.
const MOST_ITEMS: usize = 1000;

/// Sets of items, with items that are not sensitive generalised.
pub(super) struct Transactions {
    policy: TransactionPolicy,
    baskets: Baskets,
    /// The policy's requirements as understood.
    limits: Vec<KlPrivacy>,
    solution: ItemSolution,
    cost: Price,
    losses: Vec<Price>,
    veil: Veil,
    key: RunKey,
}

impl Transactions {
    /// What all random choices of the run derive from.
    pub(super) fn key(&self) -> RunKey {
        self.key
    }

    /// Transactions as a method decided.
    fn of(
        policy: TransactionPolicy,
        baskets: Baskets,
        limits: Vec<KlPrivacy>,
        solution: ItemSolution,
        seed: u64,
    ) -> Transactions {
        let price = |measure: ItemMeasure| {
            let loss = solution.recoding.loss(measure, &baskets);
            let value = loss.value();
            Price { name: measure.name(), value, exact: Some(loss.to_string()), normalised: value }
        };
        let task = ItemTask { baskets: &baskets, requirements: &limits, method: &policy.method };
        let (cost, losses) = (price(task.measure()), ItemMeasure::ALL.map(price).into());
        let released = solution.recoding.released_marks(&baskets);
        let occurs = |item: &str| {
            let mut known = baskets.sensitive.iter().zip(&released);
            known.any(|(known, count)| known == item && *count > 0)
        };
        let veil = veil::of(&policy.requirements, |_, item| occurs(item));
        let key = baskets.key(seed);
        Transactions { policy, baskets, limits, solution, cost, losses, veil, key }
    }
}

impl Shape for Transactions {
    type Policy = TransactionPolicy;
    type Report = TransactionReport;

    fn refuse(_: &TransactionPolicy, options: &RunOptions) -> Result<()> {
        let always = format!("their release is always {RELEASE}, one transaction per line");
        pipeline::refuse_format(options, "transactions", &always)
    }

    fn decide(policy: TransactionPolicy, seed: u64, clock: &Clock) -> Result<Transactions> {
        let baskets = read(&policy, clock)?;
        let limits = requirements(&policy, &baskets.tree)?;
        clock.progress().stage("searching", None);
        let task = ItemTask { baskets: &baskets, requirements: &limits, method: &policy.method };
        let solution = kl::run(&task, clock)?;
        Ok(Transactions::of(policy, baskets, limits, solution, seed))
    }

    fn compile(policy: TransactionPolicy, plan: &Plan, seed: u64, clock: &Clock) -> Result<Transactions> {
        let baskets = read(&policy, clock)?;
        let limits = requirements(&policy, &baskets.tree)?;
        let solution = kl::apply_plan(&policy, &baskets, plan, clock)?;
        Ok(Transactions::of(policy, baskets, limits, solution, seed))
    }

    fn policy(&self) -> &TransactionPolicy {
        &self.policy
    }

    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>> {
        let mut warnings = caution::warnings(&self.policy, &self.baskets, &self.limits);
        warnings.extend(self.solution.warnings.iter().cloned());
        warnings.extend(run);
        Ok(warnings)
    }

    fn signatures(&self, book: &Book, clock: &Clock) -> Result<Signatures> {
        people::of_transactions(book, &self.policy, &self.baskets, &self.solution.recoding, self.key, clock)
    }

    fn write(&self, outlet: &Outlet<'_>, clock: &Clock) -> Result<Written> {
        let source = (&self.policy.source, self.policy.written.formulas());
        apply::apply(source, &self.baskets, &self.solution.recoding, self.key, outlet, clock)?;
        Ok(Written { names: vec![RELEASE.to_string()], assignment: None })
    }

    fn before_after(&self, wanted: &Wanted<'_>) -> BeforeAfter {
        wanted.of_transactions(&self.baskets, &self.solution)
    }

    fn stated(&self) -> Result<Statement<'_>> {
        let total = self.baskets.total();
        let removed = self.solution.recoding.removed(&self.baskets);
        Ok(Statement {
            read: total,
            dropped: 0,
            suppressed: removed,
            released: total - removed,
            empty: total == removed,
            exactly: self.solution.recoding.exactly(&self.baskets),
            cost: &self.cost,
            losses: &self.losses,
            search: &self.solution.search,
            counters: self.solution.counters.to_vec(),
            plan: &self.solution.plan,
            veil: &self.veil,
            inputs: Vec::new(),
        })
    }

    fn account(&self, claims: &Claims<'_>, _: &Path, clock: &Clock) -> Result<TransactionReport> {
        let Transactions { policy, baskets, limits, solution, .. } = self;
        let threshold = Exact::new(PATTERN.0, PATTERN.1).unwrap_or(Exact::ONE);
        let utility = ItemUtility::measure(baskets, &solution.recoding, threshold, clock)?;
        let inputs: Vec<&Path> = policy.hierarchy_path.as_deref().into_iter().collect();
        let facts = ItemFacts {
            requirements: &policy.requirements,
            method: &policy.method,
            limits,
            baskets,
            solution,
            utility: (&utility, threshold),
            inputs: &inputs,
        };
        account(claims, &facts, clock)
    }

    fn public_manifest(&self, claims: &Claims<'_>) -> Json {
        // The number of people does not follow from the released transactions, so it stays with the steward.
        let mut also: Vec<(&str, Json)> = Vec::new();
        if self.baskets.people().is_some() {
            also.push(("counted", json!("people")));
        }
        let mut left_out: Vec<(&str, Original<u64>)> = Vec::new();
        if let Some(part) = suppressed_part(&self.policy.method, &self.baskets, &self.solution) {
            also.push(("suppressed_items", part.items.public_names().json()));
            if part.removes {
                left_out.push(("suppressed", self.solution.recoding.removed(&self.baskets).into()));
            }
        }
        claims.public(&[], &left_out, &also)
    }

    fn complete(&self, report: &TransactionReport, manifest: &mut Json) {
        if let Some(people) = self.baskets.people() {
            let left = || (0..self.baskets.len()).filter(|at| !self.solution.recoding.is_removed(*at));
            let several: BTreeSet<u32> = left().flat_map(|at| people.named(at).iter().copied()).collect();
            let released = left().map(|at| people.single(at)).sum::<u64>() + several.len() as u64;
            manifest["people"] = json!({ "read": people.total(), "released": released });
        }
        if let Some(part) = &report.suppression {
            manifest["suppression"] = json!(ForSteward(part));
        }
        manifest[WHY] = json!(ForSteward(&report.reasons));
        manifest["utility"] = json!(ForSteward(&report.utility));
        manifest["items"] = json!(costliest(&self.baskets, &self.solution.recoding, MOST_ITEMS));
    }
}

/// Reads the distinct transactions.
fn read(policy: &TransactionPolicy, clock: &Clock) -> Result<Baskets> {
    clock.progress().stage("reading", Some(policy.source.bytes()));
    Baskets::read(policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })
}
