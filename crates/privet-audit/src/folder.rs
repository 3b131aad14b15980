//! Release folders: what a steward keeps, judged from disk. A run audits its own release by the same call before it is
//! published, and anybody who has the folder and the original can repeat it later.

mod files;
mod holdout;
mod shapes;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::buckets::BucketTables;
use crate::released::{Released, open_projections, open_table, open_transactions, open_vocabularies};
use crate::{Audit, AuditRecords};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{Origin, ReadOptions, Source};
use privet_policy::layout::{APPLIED, CLAIMS, MANIFEST, PERMUTED, POLICY, PUBLIC, QIT, ST, STEWARD};
use privet_policy::{AnyPolicy, OriginalData, Policy, PolicyRef, ReleaseKind};

pub use files::is_own_file;
pub use shapes::{audit_data, audit_files};

/// A folder with a release, and what its run states about it.
#[derive(Debug)]
pub struct ReleaseFolder {
    path: PathBuf,
    /// What the run states: its manifest, or its claims while it is not published yet.
    stated: Json,
    /// Whether the release is published, so that the manifest states all there is.
    published: bool,
}

impl ReleaseFolder {
    /// Opens a folder as `privet anonymize -o` makes it.
    pub fn open(path: &Path) -> Result<ReleaseFolder> {
        let steward = path.join(STEWARD);
        let claims = steward.join(CLAIMS);
        let published = !claims.exists();
        let file = if published { steward.join(MANIFEST) } else { claims };
        let text = fs::read_to_string(&file).map_err(|error| {
            Error::io("read the manifest", &file, &error)
                .help("name a release directory, as `privet anonymize -o` made it")
        })?;
        let path = path.to_path_buf();
        let stated = serde_json::from_str(&text).map_err(|_| broken(&path))?;
        Ok(ReleaseFolder { path, stated, published })
    }

    /// What the run states about the release.
    pub fn stated(&self) -> &Json {
        &self.stated
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error for a manifest that lacks what every manifest has.
    pub fn broken(&self) -> Error {
        broken(&self.path)
    }

    /// What the random choices of the run derive from.
    pub fn seed(&self) -> Result<u64> {
        self.stated["seed"].as_u64().ok_or_else(|| self.broken())
    }

    /// The names of the files in `public/` that were published, the one that names the release first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stated["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str())
    }

    /// Where a published file is.
    pub fn public(&self, name: &str) -> PathBuf {
        self.path.join(PUBLIC).join(name)
    }

    /// The policy as it was when the release was made; its relative paths still start where it was then.
    pub fn policy(&self) -> Result<Policy> {
        let path = self.path.join(STEWARD).join(POLICY);
        let text = fs::read_to_string(&path).map_err(|error| Error::io("read the policy", &path, &error))?;
        let origin = self.stated["origin"]["policy"].as_str().ok_or_else(|| self.broken())?;
        Policy::parse(Path::new(origin), text)
    }

    /// The data that the release was made from: `original`, or else where the run says that they were.
    pub fn original(&self, original: impl Into<OriginalData>) -> Result<OriginalData> {
        let original = original.into();
        if !original.is_named() {
            return Ok(original);
        }
        let data = &self.stated["origin"]["data"];
        if let Some(path) = data.as_str() {
            return Ok(OriginalData::File(path.into()));
        }
        let origin: Origin = serde_json::from_value(data.clone()).map_err(|_| self.broken())?;
        match origin {
            Origin::Files(paths) => return Ok(OriginalData::Files(paths)),
            // The policy that is kept with the release says how to reach it.
            Origin::Database(_) => return Ok(OriginalData::Named),
            Origin::File(_) | Origin::Memory(_) | Origin::Other(_) => {}
        }
        Err(Error::input(format!(
            "the release was made from {origin}, which is not a file, so the original must be given"
        ))
        .in_file(&self.path)
        .help("save the original as a file and name it: --original FILE"))
    }

    /// The policy as understood; its data is the original without the people who were held out. `original` stands in for
    /// the data's place when the release was made.
    pub fn checked(&self, original: impl Into<OriginalData>, clock: &Clock) -> Result<AnyPolicy> {
        let written = self.policy()?;
        let checked = written.check_any(self.original(original)?);
        let mut policy = checked.map_err(|error| written.moved(error))?;
        if let AnyPolicy::Table(policy) = &mut policy {
            holdout::subtract(self, policy, clock)?;
        }
        Ok(policy)
    }

    /// Whether the manifest names an earlier plan that was applied, with its SHA-256.
    pub fn follows_earlier_plan(&self) -> Result<bool> {
        let Some(applied) = self.stated.get(APPLIED) else { return Ok(false) };
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match applied["plan"].is_string() && applied["sha256"].as_str().is_some_and(is_hash) {
            true => Ok(true),
            false => Err(self.broken()),
        }
    }

    /// The records of the people who were held out, where there are any.
    pub fn holdout(&self) -> Result<Option<Source>> {
        holdout::open(self)
    }

    /// The released data. What was written is known and must not be guessed.
    pub fn released(&self, policy: PolicyRef<'_>) -> Result<Released> {
        let name = self.names().next().ok_or_else(|| self.broken())?;
        let path = self.public(name);
        Ok(match policy {
            PolicyRef::Table(policy) => match policy.publishes() {
                ReleaseKind::Groups => Released::Groups(self.groups()?),
                ReleaseKind::Projections => Released::Projections(open_projections(&self.path.join(PUBLIC))?),
                _ => Released::Table(open_table(policy, &path)?),
            },
            PolicyRef::Transactions(policy) => Released::Transactions(open_transactions(policy, &path)?),
            PolicyRef::Vocabularies(_) => Released::Vocabularies(open_vocabularies(&path, Some(','))?),
        })
    }

    fn groups(&self) -> Result<BucketTables> {
        let open = |name: &str| Source::open(&self.public(name), &ReadOptions::with_names(Some(',')));
        Ok(if self.names().any(|name| name == QIT) {
            BucketTables::Two { qit: open(QIT)?, st: open(ST)? }
        } else {
            BucketTables::Permuted(open(PERMUTED)?)
        })
    }
}

fn broken(folder: &Path) -> Error {
    Error::input("the manifest is not one that Privet wrote")
        .in_file(folder.join(STEWARD).join(MANIFEST))
        .help("use --policy, --original and --release to audit any release")
}

/// Audits a release from the original, the files on disk and the policy kept with them.
///
/// `original` stands in for the data's place when the release was made.
pub fn audit_release(folder: &Path, original: impl Into<OriginalData>, clock: &Clock) -> Result<Audit> {
    let folder = ReleaseFolder::open(folder)?;
    let files = folder.check_files()?;
    if folder.is_unreadable() || holdout::fault(&folder)?.is_some() {
        // There is nothing to rely on, so there is nothing else to judge.
        let records = AuditRecords { original: 0, dropped: 0, released: 0, suppressed: 0 };
        let kind = folder.policy()?.kind()?;
        return Ok(Audit { passed: false, kind, records, classes: 0, checks: vec![files] });
    }
    let policy = folder.checked(original, clock)?;
    let mut audit = shapes::audit(&folder, &policy, clock)?;
    audit.passed &= files.holds;
    audit.checks.insert(0, files);
    let published = folder.names().map(|name| folder.public(name)).filter(|path| path.is_file());
    audit.with_containers(published.collect::<Vec<_>>().iter().map(PathBuf::as_path))
}
