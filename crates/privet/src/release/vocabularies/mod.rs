//! The run for query logs and vocabularies: read, decide, write, audit, publish.

mod caution;
#[cfg(test)]
mod tests;
mod write;

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::{Value as Json, json};

use super::book::{self, Book, Kept};
use super::holdout;
use super::manifest::{Claims, Price, sha256_of};
use super::people;
use super::report::vocabularies::{Facts, account};
use super::report::{self, Edition};
use super::rooms::{Documents, pretty};
use super::run::{Published, RunOptions, Trial, approve, attacked, begin, state_of};
use super::target::Target;
use super::veil::Veil;
use privet_attack::{PolicyRef, Released};
use privet_audit::released::open_vocabularies;
use privet_audit::vocabularies::{
    Demand, Filed, Manner, StatedShares, VocabularyRelease, audit_vocabularies,
};
use privet_audit::{Audit, ExpectedCounts};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::Bags;
use privet_methods::vocabulary;
use privet_methods::vocabulary::loss::BagLoss;
use privet_methods::vocabulary::utility::PatternUtility;
use privet_methods::vocabulary::{COST, Decided};
use privet_policy::layout::VOCABULARY_ASSIGNMENT;
use privet_policy::{Stated, VocabularyMethod, VocabularyPolicy};

/// The released file's name.
const RELEASE: &str = "release.csv";

/// The loss in which general words stand for all that is below them, as manifests call it.
const GENERAL_LOSS: &str = "gLM";

/// The share of distinct terms, and of occurrences, that are kept, as manifests call it.
const DISTINCT_TERMS: &str = "distinct-terms";
const VOCABULARY_SIZE: &str = "vocabulary-size";

/// So many frequent patterns are compared, as the thesis has it.
const PATTERNS: usize = 1000;

/// Makes, audits and publishes a release of a query log or of vocabularies.
pub fn anonymize_vocabularies(
    mut policy: VocabularyPolicy,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    if options.format.is_some() {
        return Err(Error::input(format!(
            "--format has no meaning for {}: the release is always {RELEASE}",
            policy.kind.name()
        ))
        .help("leave out --format"));
    }
    holdout::refuse(options.holdout, policy.kind)?;
    let (target, seed) = begin(options, &mut policy.method, &mut policy.seed)?;
    let state = state_of(policy.source.path());
    let decided = vocabulary::decide(&policy, clock)?;
    publish(Made { policy, seed, state, decided }, target, options, clock)
}

/// A decision, and under which policy it was made.
struct Made {
    policy: VocabularyPolicy,
    seed: u64,
    /// The data's state before it was read.
    state: Option<(u64, SystemTime)>,
    decided: Decided,
}

/// Writes, audits and publishes what was decided.
fn publish(made: Made, target: Target, options: &RunOptions, clock: &Clock) -> Result<Published> {
    let Made { policy, seed, state, decided } = made;
    let Decided { bags, extraction, distances, demand, solution } = decided;
    let loss = BagLoss::of(&bags, &solution, &distances);
    let withheld = solution.withheld.len() as u64;
    let read = bags.len() as u64;
    let released = read - withheld;
    let mut warnings = caution::warnings(&policy, &extraction, &demand, &bags, &solution);
    warnings.extend(solution.warnings.iter().cloned());
    warnings.extend(super::caution::about_seed(seed, policy.source.path()));
    let data = (policy.source.path(), policy.kind);
    let mut ledger = Book::open(&policy.written, data, &options.target, clock)?;
    book::compose(&mut ledger, &mut warnings, |book| Ok(people::of_vocabularies(book, &bags, &solution)))?;

    target.open()?;
    let path = target.public().join(RELEASE);
    clock.progress().stage("writing", None);
    let assignment = write::release(
        (&path, policy.written.formulas()),
        &bags,
        &distances,
        &solution,
        bags.key(seed),
        clock,
    )?;
    target.write(&target.steward().join(VOCABULARY_ASSIGNMENT), assignment.as_bytes(), true)?;
    drop(assignment);

    clock.progress().stage("auditing", None);
    let claimed = Claimed {
        counts: ExpectedCounts { released, suppressed: withheld, dropped: 0 },
        shares: StatedShares {
            distinct_terms: loss.distinct_terms.value(),
            size: loss.average_size.value(),
            blm: loss.blm.value(),
            glm: loss.glm.map(|glm| glm.value()),
        },
        // What else it will state is counted when the release is found good.
        manifest: None,
    };
    let assigned = target.steward().join(VOCABULARY_ASSIGNMENT);
    let audit = audit_files(&policy, &path, Order::Listed(&assigned), Some(claimed), clock)?;
    clock.check()?;
    approve(&audit, policy.source.path(), state)?;
    let file = Released::Vocabularies(open_vocabularies(&path, Some(','))?);
    let trial = Trial { original: Some(&bags), ..Trial::new(seed, &options.attacks) };
    let mut attacks = attacked(PolicyRef::Vocabularies(&policy), file, trial, clock)?;
    book::tell(ledger.as_ref(), &mut attacks);
    clock.progress().stage("writing reports", None);
    warnings.extend(attacks.warnings());

    let patterns = PatternUtility::measure(&bags, &solution, &distances, PATTERNS, None, clock)?;
    let files = vec![(RELEASE.to_string(), sha256_of(&path)?)];
    let blm = loss.blm.value();
    let share = |name: &'static str, value: f64| Price { name, value, exact: None, normalised: value };
    let mut losses = vec![share(COST, blm)];
    losses.extend(loss.glm.map(|glm| share(GENERAL_LOSS, glm.value())));
    losses.push(share(DISTINCT_TERMS, loss.distinct_terms.value()));
    losses.push(share(VOCABULARY_SIZE, loss.average_size.value()));
    let claims = Claims {
        kind: policy.kind,
        policy: &policy.written,
        data: policy.source.path(),
        method: &policy.method,
        asked: vec![policy.requirement.describe(&[])],
        veil: Veil::default(),
        seed,
        read,
        dropped: 0,
        suppressed: withheld,
        released,
        exactly: loss.exactly.value(),
        cost: Price { name: COST, value: blm, exact: Some(loss.blm.to_string()), normalised: blm },
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
    let inputs: Vec<&Path> = policy.beside.iter().map(|path| path.as_path()).collect();
    let facts = Facts {
        policy: &policy,
        demand,
        bags: &bags,
        extraction: &extraction,
        distances: &distances,
        solution: &solution,
        loss: &loss,
        patterns: &patterns,
        inputs: &inputs,
    };
    let figures = account(&claims, &facts)?;
    let documents = Documents {
        public_report: report::render_vocabularies(&figures, Edition::Public)?,
        public_manifest: claims.public(&[], &[("withheld", withheld.into())], &[]),
        steward_report: report::render_vocabularies(&figures, Edition::Steward)?,
        figures: pretty(&figures)?,
        plan: &solution.plan,
        policy: &policy.written,
    };
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Claims { files, ..claims }.steward();
        manifest["utility"] = json!(figures.utility);
        manifest["extraction"] = json!(extraction);
        manifest["classes"] = json!(figures.classes);
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
        empty: loss.suppressed == loss.occurrences,
        warnings,
    })
}

/// Audits a published folder again.
pub(super) fn audit_folder(
    policy: &VocabularyPolicy,
    folder: &Path,
    claimed: Claimed<'_>,
    clock: &Clock,
) -> Result<Audit> {
    let assigned = folder.join("steward").join(VOCABULARY_ASSIGNMENT);
    audit_files(policy, &folder.join("public").join(RELEASE), Order::Listed(&assigned), Some(claimed), clock)
}

/// Audits any file of vocabularies against a policy.
///
/// Unless the file has them in the order of the original (`aligned`), it is not known which of them stands for which, and
/// only what the file itself shows can be checked.
pub fn audit_vocabulary_file(
    policy: &VocabularyPolicy,
    release: &Path,
    aligned: bool,
    clock: &Clock,
) -> Result<Audit> {
    let order = if aligned { Order::Original } else { Order::Unknown };
    audit_files(policy, release, order, None, clock)
}

/// What a manifest says about a release.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claimed<'a> {
    pub counts: ExpectedCounts,
    pub shares: StatedShares,
    /// All of it, where it is written.
    pub manifest: Option<&'a Json>,
}

impl<'a> Claimed<'a> {
    /// Reads a steward's manifest; `None` where it is not one of vocabularies.
    pub fn of(manifest: &'a Json, counts: ExpectedCounts) -> Option<Claimed<'a>> {
        let loss = |name: &str| manifest["loss"][name].as_f64();
        let shares = StatedShares {
            distinct_terms: loss(DISTINCT_TERMS)?,
            size: loss(VOCABULARY_SIZE)?,
            blm: loss(COST)?,
            glm: loss(GENERAL_LOSS),
        };
        Some(Claimed { counts, shares, manifest: Some(manifest) })
    }
}

/// What is known about which published vocabulary stands for which of the original.
#[derive(Debug, Clone, Copy)]
enum Order<'a> {
    /// This file says.
    Listed(&'a Path),
    /// They stand in the same order.
    Original,
    /// Nothing.
    Unknown,
}

fn audit_files(
    policy: &VocabularyPolicy,
    release: &Path,
    order: Order<'_>,
    claimed: Option<Claimed<'_>>,
    clock: &Clock,
) -> Result<Audit> {
    let (original, extraction) = policy.source.read(&mut |_| clock.check())?;
    // What was written is known and must not be guessed.
    let delimiter = matches!(order, Order::Listed(_)).then_some(',');
    let file = open_vocabularies(release, delimiter)?;
    let (released, _) = file.read(&mut |_| clock.check())?;
    let distances = policy.semantics.between(original.terms());
    let demand = Demand::of(&policy.requirement, original.users().is_some());
    let manner = Manner::of(&policy.method);
    let assignment = match order {
        Order::Listed(path) => Some(assigned(path, &original)?),
        Order::Original => Some((0..original.len() as u32).map(Some).collect()),
        Order::Unknown => None,
    };
    let requirement = policy.requirement.describe(&[]);
    let manifest = claimed.and_then(|claimed| claimed.manifest);
    let filed =
        manifest.map(|manifest| Filed { manifest, extraction: &extraction, requirement: &requirement });
    let facts = VocabularyRelease {
        original: &original,
        distances: &distances,
        release: &released,
        demand,
        manner,
        covers_groups: match policy.method {
            VocabularyMethod::Ssg(_) => false,
            VocabularyMethod::LgBag(_) | VocabularyMethod::Lg(_) => true,
        },
        epsilon: policy.epsilon,
        assignment: assignment.as_deref(),
        withheld: None,
        expected: claimed.map(|claimed| claimed.counts),
        stated: claimed.map(|claimed| claimed.shares),
        filed,
        file: Some(file.table()),
        aligned: matches!(order, Order::Original),
    };
    audit_vocabularies(&facts, &mut || clock.check())
}

/// Reads which published vocabulary stands for which of the original.
fn assigned(path: &Path, original: &Bags) -> Result<Vec<Option<u32>>> {
    let text = fs::read_to_string(path).map_err(|error| Error::io("read the assignment", path, &error))?;
    let broken = |line: u64| {
        Error::input("not a line of an assignment: original,vocabulary")
            .in_file(path)
            .at_line(line)
            .help("make the release again")
    };
    let mut all = Vec::with_capacity(original.len());
    for (line, row) in (1..).zip(text.lines()).skip(1) {
        let (_, number) = row.split_once(',').ok_or_else(|| broken(line))?;
        // Published vocabularies are numbered from 1 on, in the order of their file.
        all.push(match number {
            "" => None,
            number => {
                let number: u32 = number.parse().map_err(|_| broken(line))?;
                Some(number.checked_sub(1).ok_or_else(|| broken(line))?)
            }
        });
    }
    Ok(all)
}
