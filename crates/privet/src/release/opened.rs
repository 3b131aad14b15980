//! Published releases, opened again to be looked at.

use std::fs;
use std::path::{Path, PathBuf};

use super::run::{broken, kept_policy, open_written, read_manifest};
use super::{buckets, holdout, projections};
use crate::attack::{PolicyRef, Released};
use crate::data::{
    ReadOptions, Source, TransactionOptions, TransactionSource, VocabularyColumns, VocabularyFile,
};
use crate::engine::clock::Clock;
use crate::policy::{AnyPolicy, CheckedPolicy, Subject, TransactionPolicy};
use crate::{Error, Result, method};

/// A published release with the policy it was made under.
#[derive(Debug)]
pub struct OpenRelease {
    /// The policy; its data is the original.
    pub policy: AnyPolicy,
    /// The released data.
    pub released: Released,
    /// All files of the public room.
    pub files: Vec<PathBuf>,
    /// What the run's random choices derive from.
    pub seed: u64,
    /// The people who were kept out of it, where there are any; the policy's data is without them.
    pub holdout: Option<Source>,
}

/// Opens a published release. `original` stands in for the data's place when it was made.
pub fn open_release(folder: &Path, original: Option<&Path>, clock: &Clock) -> Result<OpenRelease> {
    let manifest = read_manifest(folder)?;
    let name = manifest["files"][0]["path"].as_str().ok_or_else(|| broken(folder))?;
    let seed = manifest["seed"].as_u64().ok_or_else(|| broken(folder))?;
    let mut policy = method::check(&kept_policy(folder, &manifest)?, original)?;
    let holdout = match &mut policy {
        AnyPolicy::Table(policy) => holdout::again(policy, (folder, &manifest), seed, clock)?,
        AnyPolicy::Transactions(_) | AnyPolicy::Vocabularies(_) => None,
    };
    let public = folder.join("public");
    let released = match &policy {
        AnyPolicy::Table(policy) => match policy.subject() {
            Subject::Groups => Released::Groups(buckets::open_written(policy, &public)?),
            Subject::Projections => Released::Projections(projections::open_all(&public)?),
            _ => Released::Table(open_written(policy, &public.join(name))?),
        },
        AnyPolicy::Transactions(policy) => Released::Transactions(transactions(policy, &public.join(name))?),
        AnyPolicy::Vocabularies(_) => Released::Vocabularies(vocabularies(&public.join(name), Some(','))?),
    };
    let entries = fs::read_dir(&public).map_err(|error| Error::io("read the folder", &public, &error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(OpenRelease { policy, released, files, seed, holdout })
}

/// Opens released data that may have been made by anybody: a file, or a folder where the policy's method publishes several.
pub fn open_released(policy: PolicyRef<'_>, path: &Path) -> Result<Released> {
    let table = |policy: &CheckedPolicy| {
        Ok(match policy.subject() {
            Subject::Groups => Released::Groups(buckets::open_any(path)?),
            Subject::Projections if path.is_dir() => Released::Projections(projections::open_all(path)?),
            _ => Released::Table(Source::open(path, &ReadOptions::default())?),
        })
    };
    match policy {
        PolicyRef::Table(policy) => table(policy),
        PolicyRef::Transactions(policy) => transactions(policy, path).map(Released::Transactions),
        PolicyRef::Vocabularies(_) => vocabularies(path, None).map(Released::Vocabularies),
    }
}

/// A released file of transactions: one per line, whatever form the data has.
pub(super) fn transactions(policy: &TransactionPolicy, path: &Path) -> Result<TransactionSource> {
    let separator = Some(policy.source.separator());
    TransactionSource::open(path, &TransactionOptions::Lines { separator })
}

/// A released file of vocabularies.
pub(super) fn vocabularies(path: &Path, delimiter: Option<char>) -> Result<VocabularyFile> {
    VocabularyFile::open(
        path,
        VocabularyColumns { keep_empty: true, delimiter, ..VocabularyColumns::default() },
    )
}
