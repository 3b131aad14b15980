//! Published releases, opened again to be looked at.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use privet_audit::released::Released;
use privet_audit::{ReleaseFolder, as_published};
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Result};
use privet_data::Source;
use privet_policy::layout::PUBLIC;
use privet_policy::{AnyPolicy, PolicyRef};

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
    /// What makes it doubtful that the original is the one that the release was made from, as sentences.
    pub doubts: Vec<String>,
    /// Whether the plan of an earlier release was applied.
    pub by_earlier_plan: bool,
    /// The people who were kept out of it, where there are any; the policy's data is without them.
    pub holdout: Option<Source>,
}

/// Opens a published release. `original` stands in for the data's place when it was made.
///
/// A release whose files are not as they were published is an error, as it is a violation to an audit; so is data that has
/// changed where it lies. Naming another original is done on purpose, and gives a warning.
pub fn open_release(folder: &Path, original: Option<&Path>, clock: &Clock) -> Result<OpenRelease> {
    let opened = ReleaseFolder::open(folder)?;
    let seed = opened.seed()?;
    let files = opened.check_files()?;
    if !files.holds {
        return Err(altered(files.detail).in_file(folder));
    }
    let policy = opened.policy()?.check_any(opened.original(original)?)?;
    let mut doubts = Vec::new();
    if is_other_data(folder, policy.as_ref())? {
        let message = "this is not the data that the release was made from: its SHA-256 differs";
        match original {
            None => return Err(altered(message).in_file(policy.origin())),
            Some(path) => doubts.push(format!("{}: {message}", path.display())),
        }
    }
    let mut policy = opened.checked(original, clock)?;
    if let AnyPolicy::Table(policy) = &mut policy {
        *policy = as_published(policy, &mut || clock.check())?;
    }
    let released = opened.released(policy.as_ref())?;
    let public = folder.join(PUBLIC);
    let entries = fs::read_dir(&public).map_err(|error| Error::io("read the folder", &public, &error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let (by_earlier_plan, holdout) = (opened.follows_earlier_plan()?, opened.holdout()?);
    Ok(OpenRelease { policy, released, files, seed, doubts, by_earlier_plan, holdout })
}

fn altered(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Violation, message).help(
        "run `privet audit` on the folder; --policy, --original and --release take any files as they are",
    )
}

/// Whether a file differs from the data that a release was made from. The figures of its report begin with that data's hash.
fn is_other_data(folder: &Path, policy: PolicyRef<'_>) -> Result<bool> {
    let path = folder.join("steward").join("report.json");
    let text =
        fs::read_to_string(&path).map_err(|error| Error::io("read the report's figures", &path, &error))?;
    let figures: Json = serde_json::from_str(&text)
        .map_err(|error| Error::input(format!("not a report's figures: {error}")).in_file(&path))?;
    let hash = figures["reproduce"]["inputs"][0]["sha256"].as_str();
    Ok(match hash {
        Some(hash) if !hash.is_empty() => policy.fingerprint()? != *hash,
        _ => false,
    })
}
