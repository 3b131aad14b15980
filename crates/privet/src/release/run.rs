//! What starts a run, and what comes of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value as Json;

use super::buckets::Grouped;
use super::pipeline;
use super::projections::Projections;
use super::recoded::Recoded;
use super::report::{Edition, Report};
use super::rooms::pretty;
use super::target::Target;
use super::transactions::Transactions;
use super::vocabularies::Vocabularies;
use privet_attack::{Attacks, Choice};
use privet_audit::{Audit, ReleaseFolder, is_own_file};
use privet_core::clock::Clock;
use privet_core::hash::{sha256_of, sha256_of_text};
use privet_core::{Error, ErrorKind, Exact, Result};
use privet_data::{FileKind, Origin};
use privet_policy::{AnyPolicy, CheckedPolicy, Policy, ReleaseKind, TransactionPolicy, VocabularyPolicy};

/// What the user says about a run, apart from the policy.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The folder to make.
    pub target: PathBuf,
    /// Whether an older release there may be replaced.
    pub force: bool,
    /// The release's format; the data's own when `None`.
    pub format: Option<FileKind>,
    /// Stands in for the policy's seed.
    pub seed: Option<u64>,
    /// Stands in for the method's time limit.
    pub time_limit: Option<Duration>,
    /// Which attacks are tried on the release before it is published.
    pub attacks: Choice,
    /// The share of people who are kept out of the release, for attacks to be tried on as well.
    pub holdout: Option<Exact>,
}

impl RunOptions {
    /// A run with nothing said but where its release goes.
    pub fn to(target: impl Into<PathBuf>) -> RunOptions {
        let attacks = Choice::default();
        RunOptions {
            target: target.into(),
            force: false,
            format: None,
            seed: None,
            time_limit: None,
            attacks,
            holdout: None,
        }
    }
}

/// A release that is in its place.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its folder.
    pub path: PathBuf,
    /// The steward's manifest.
    pub manifest: Json,
    /// What the audit found.
    pub audit: Audit,
    /// What attacks on it found.
    pub attacks: Attacks,
    /// Columns that the policy does not mention and that are therefore not published.
    pub left_out: Vec<String>,
    /// Whether no record is released; the first warning says why.
    pub empty: bool,
    /// What the user should know before the release is published.
    pub warnings: Vec<String>,
}

/// Makes, audits and publishes a release.
pub fn anonymize(policy: CheckedPolicy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    match policy.publishes() {
        ReleaseKind::Groups => pipeline::run::<Grouped>(policy, options, clock),
        ReleaseKind::Projections => pipeline::run::<Projections>(policy, options, clock),
        _ => pipeline::run::<Recoded>(policy, options, clock),
    }
}

/// Makes, audits and publishes a release of transactions.
pub fn anonymize_transactions(
    policy: TransactionPolicy,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    pipeline::run::<Transactions>(policy, options, clock)
}

/// Makes, audits and publishes a release of a query log or of vocabularies.
pub fn anonymize_vocabularies(
    policy: VocabularyPolicy,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    pipeline::run::<Vocabularies>(policy, options, clock)
}

/// Makes, audits and publishes a release of whatever the policy is about.
pub fn anonymize_any(policy: AnyPolicy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    match policy {
        AnyPolicy::Table(policy) => anonymize(policy, options, clock),
        AnyPolicy::Transactions(policy) => anonymize_transactions(policy, options, clock),
        AnyPolicy::Vocabularies(policy) => anonymize_vocabularies(policy, options, clock),
    }
}

/// The error for data that are no longer what they were when they were first read.
pub(super) fn changed(data: &Origin) -> Error {
    Error::input("the data changed while it was being read")
        .in_file(data)
        .help("run again when nobody writes to it")
}

/// Writes a release's two reports again, from what the steward's room holds. Returns the files written.
pub fn rewrite_report(folder: &Path) -> Result<Vec<PathBuf>> {
    let path = folder.join("steward").join("report.json");
    let text = fs::read_to_string(&path).map_err(|error| {
        Error::io("read the report's figures", &path, &error)
            .help("name a release folder, as `privet anonymize -o` made it")
    })?;
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        Error::input(format!("not a report's figures: {error}")).in_file(&path).help("make the release again")
    })?;
    let opened = ReleaseFolder::open(folder)?;
    let mut manifest = opened.stated().clone();
    let release = manifest["files"][0].clone();
    let name = release["path"].as_str().ok_or_else(|| opened.broken())?;
    let released = folder.join("public").join(name);
    if let Err(fault) = is_own_file(folder, name) {
        return Err(Error::new(ErrorKind::Violation, format!("the release {fault}"))
            .in_file(released)
            .help("make the release again, or put the file itself in its place"));
    }
    if release["sha256"].as_str() != Some(&sha256_of(&released)?) {
        return Err(Error::new(ErrorKind::Violation, "the release is not the one that the report is about")
            .in_file(released)
            .help("run `privet audit` on the folder, or make the release again"));
    }
    // The reports and the manifest that names their hashes change together, in one step.
    let place = fs::canonicalize(folder).map_err(|error| Error::io("find the release", folder, &error))?;
    let target = Target::claim(&place, true)?;
    target.open()?;
    target.take_over()?;
    let mut written = Vec::new();
    for (name, room, edition) in
        [("public", target.public(), Edition::Public), ("steward", target.steward(), Edition::Steward)]
    {
        let text = report.render(edition)?;
        target.rewrite(&room.join("report.html"), text.as_bytes(), edition == Edition::Steward)?;
        written.push(folder.join(name).join("report.html"));
        if edition == Edition::Public {
            for file in manifest["files"].as_array_mut().into_iter().flatten() {
                if file["path"] == "report.html" {
                    file["sha256"] = sha256_of_text(&text).into();
                }
            }
        }
    }
    target.rewrite(&target.steward().join("manifest.json"), pretty(&manifest)?.as_bytes(), true)?;
    target.publish()?;
    Ok(written)
}

/// The hash by which a report names a policy.
pub(super) fn policy_hash(policy: &Policy) -> String {
    sha256_of_text(policy.text())
}
