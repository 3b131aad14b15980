//! The run for transactions: read, decide, write, audit, publish.

mod apply;
mod caution;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::SystemTime;

use serde_json::json;

use super::book::{self, Book, Kept};
use super::holdout;
use super::manifest::{Claims, Price, sha256_of};
use super::opened;
use super::people;
use super::report::transactions::{Facts, account, dearest};
use super::report::{self, Edition};
use super::rooms::{Documents, pretty};
use super::run::{Published, RunOptions, Trial, approve, attacked, begin, state_of};
use super::target::Target;
use super::veil::Veil;
use crate::attack::{PolicyRef, Released};
use crate::audit::{self, Audit, AuditOptions, ExpectedCounts, StatedCost};
use crate::engine::baskets::Baskets;
use crate::engine::clock::Clock;
use crate::loss::items::ItemMeasure;
use crate::method::kl::utility::ItemUtility;
use crate::method::kl::{self, ItemSolution, Task};
use crate::policy::{DataKind, TransactionPolicy};
use crate::privacy::kl::{KlPrivacy, requirements};
use crate::{Error, Exact, Result};

/// The released file's name.
const RELEASE: &str = "release.txt";

/// What share of all transactions makes a pattern frequent, as the thesis has it.
const PATTERN: (u64, u64) = (1, 100);

/// Makes, audits and publishes a release of transactions.
pub fn anonymize_transactions(
    mut policy: TransactionPolicy,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    if options.format.is_some() {
        return Err(Error::input(format!(
            "--format has no meaning for transactions: their release is always {RELEASE}, one transaction per line"
        ))
        .help("leave out --format"));
    }
    holdout::refuse(options.holdout, DataKind::Transactions)?;
    let (target, seed) = begin(options, &mut policy.method, &mut policy.seed)?;
    let state = state_of(policy.source.path());
    clock.progress().stage("reading", Some(policy.source.bytes()));
    let baskets = Baskets::read(&policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    let limits = requirements(&policy, u64::from(baskets.tree.total_leaves()))?;
    clock.progress().stage("searching", None);
    let task = Task { baskets: &baskets, requirements: &limits, method: &policy.method };
    let solution = kl::run(&task, clock)?;
    clock.check()?;
    publish(Decided { policy, seed, state, baskets, limits, solution }, target, options, clock)
}

/// So many of the items that lose most are listed in the steward's manifest.
const MOST_ITEMS: usize = 1000;

/// A decision with all that it was made from.
struct Decided {
    policy: TransactionPolicy,
    seed: u64,
    /// The data's state before it was read.
    state: Option<(u64, SystemTime)>,
    baskets: Baskets,
    /// The policy's requirements as understood.
    limits: Vec<KlPrivacy>,
    solution: ItemSolution,
}

/// Writes, audits and publishes what was decided.
fn publish(decided: Decided, target: Target, options: &RunOptions, clock: &Clock) -> Result<Published> {
    let Decided { policy, seed, state, baskets, limits, solution } = decided;
    let key = baskets.key(seed);
    let price = |measure: ItemMeasure| {
        let loss = solution.recoding.loss(measure, &baskets);
        let value = loss.value();
        Price { name: measure.name(), value, exact: Some(loss.to_string()), normalised: value }
    };
    let task = Task { baskets: &baskets, requirements: &limits, method: &policy.method };
    let cost = price(task.measure());
    let losses = ItemMeasure::ALL.map(price).into();
    let released = baskets.total();
    let mut warnings = caution::warnings(&policy, &baskets, &limits);
    warnings.extend(solution.warnings.iter().cloned());
    warnings.extend(super::caution::about_seed(seed, policy.source.path()));
    let data = (policy.source.path(), DataKind::Transactions);
    let mut ledger = Book::open(&policy.written, data, &options.target, clock)?;
    book::compose(&mut ledger, &mut warnings, |book| {
        people::of_transactions(book, &policy, &baskets, &solution.recoding, key, clock)
    })?;
    clock.check()?;

    target.open()?;
    let path = target.public().join(RELEASE);
    let formulas = policy.written.formulas();
    let destination = apply::Destination { path: &path, spill: &target.spill(), key, formulas };
    apply::apply(&policy.source, &baskets, &solution.recoding, &destination, clock)?;

    clock.progress().stage("auditing", None);
    let expected = ExpectedCounts { released, suppressed: 0, dropped: 0 };
    let stated = cost.exact.as_deref().and_then(|exact| StatedCost::parse(cost.name, exact));
    let audit = audit_file(&policy, &path, expected, stated, &mut || clock.check())?;
    clock.check()?;
    approve(&audit, policy.source.path(), state)?;
    let released_file = Released::Transactions(opened::transactions(&policy, &path)?);
    let trial = Trial::new(seed, &options.attacks);
    let mut attacks = attacked(PolicyRef::Transactions(&policy), released_file, trial, clock)?;
    book::tell(ledger.as_ref(), &mut attacks);
    clock.progress().stage("writing reports", None);
    warnings.extend(attacks.warnings());

    let files = vec![(RELEASE.to_string(), sha256_of(&path)?)];
    let claims = Claims {
        kind: DataKind::Transactions,
        policy: &policy.written,
        data: policy.source.path(),
        method: &policy.method,
        asked: policy.requirements.iter().map(|clause| clause.describe(&[])).collect(),
        veil: Veil::of(&policy.requirements, |_, item| {
            baskets
                .sensitive
                .iter()
                .zip(baskets.mark_counts())
                .any(|(known, count)| known == item && count > 0)
        }),
        seed,
        read: baskets.total(),
        dropped: 0,
        suppressed: 0,
        released,
        exactly: solution.recoding.exactly(&baskets),
        cost,
        losses,
        search: &solution.search,
        counters: &solution.counters,
        plan: &solution.plan,
        warnings: &warnings,
        attacks: &attacks,
        ledger: ledger.as_ref().map(Book::account),
        audit: &audit,
        files: &files,
        held: None,
    };
    let threshold = Exact::new(PATTERN.0, PATTERN.1).unwrap_or(Exact::ONE);
    let utility = ItemUtility::measure(&baskets, &solution.recoding, threshold, clock)?;
    let inputs: Vec<&Path> = policy.hierarchy_path.as_deref().into_iter().collect();
    let facts = Facts {
        requirements: &policy.requirements,
        limits: &limits,
        baskets: &baskets,
        solution: &solution,
        utility: (&utility, threshold),
        inputs: &inputs,
    };
    let figures = account(&claims, &facts)?;
    let documents = Documents {
        public_report: report::render_transactions(&figures, Edition::Public)?,
        // How many people there are does not follow from the released transactions.
        public_manifest: match baskets.people() {
            Some(_) => claims.public(&[], &[], &[("counted", json!("people"))]),
            None => claims.public(&[], &[], &[]),
        },
        steward_report: report::render_transactions(&figures, Edition::Steward)?,
        figures: pretty(&figures)?,
        plan: &solution.plan,
        policy: &policy.written,
    };
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Claims { files, ..claims }.steward();
        if let Some(people) = baskets.people() {
            manifest["people"] = json!({ "read": people.total(), "released": people.total() });
        }
        manifest["utility"] = json!(figures.utility);
        manifest["items"] = json!(dearest(&baskets, &solution.recoding, MOST_ITEMS));
        manifest
    })?;
    clock.check()?;
    book::publish(ledger, target, &Kept::of(&policy.written, &policy.method, seed, &files))?;
    Ok(Published {
        path: options.target.clone(),
        manifest,
        audit,
        attacks,
        left_out: Vec::new(),
        empty: released == 0,
        warnings,
    })
}

/// Audits a released file, which has one transaction per line whatever form the data has.
pub(super) fn audit_file(
    policy: &TransactionPolicy,
    release: &Path,
    expected: ExpectedCounts,
    cost: Option<StatedCost>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let source = opened::transactions(policy, release)?;
    let options = AuditOptions { expected: Some(expected), cost, ..AuditOptions::default() };
    audit::audit_transactions(policy, &source, &options, tick)
}
