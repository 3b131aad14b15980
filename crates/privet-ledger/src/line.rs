//! What a line of the ledger says.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::signature::{Salt, Signatures};

/// A line of the ledger.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, from 1.
    pub entry: u64,
    /// When it was written.
    pub date: String,
    /// The SHA-256 of the line before; empty for the first.
    pub previous: String,
    /// Whether the line before is what an interrupted run left of one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_torn: bool,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Event {
    /// The ledger was begun. People and values are known by hashes that this salt goes into.
    Opened {
        /// The version of Privet that began it.
        privet: String,
        /// The salt.
        salt: Salt,
    },
    /// A release is about to be published. Written before it is, so that none is missing here.
    Release(Box<ReleaseLine>),
    /// A release is in its place.
    Published {
        /// The line that announced it.
        of: u64,
    },
    /// A release was announced and then could not be published.
    Withdrawn {
        /// The line that announced it.
        of: u64,
    },
}

/// All that is kept of a release.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReleaseLine {
    /// The version of Privet that made it.
    pub privet: String,
    /// What it was made from.
    pub source: SourceLine,
    /// How people are distinguished.
    pub people_by: PeopleBy,
    /// How many records have a place in the release.
    pub people: u64,
    /// How it was made.
    pub method: String,
    /// The SHA-256 of the policy.
    pub policy_sha256: String,
    /// The name of the key that random choices derive from: a hash of the seed.
    pub key: String,
    /// The hash of the released files together, see [`release_hash`].
    pub release_sha256: String,
    /// The released files.
    pub files: Vec<ReleasedFile>,
    /// The directory it was published to.
    pub folder: String,
    /// Its recipient.
    #[serde(default)]
    pub recipient: Option<String>,
    /// In which class each person is, and with which values.
    pub signatures: Signatures,
}

/// What a release was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// Where it lay.
    pub path: String,
    /// The kind of data.
    pub kind: String,
    /// What it held.
    pub sha256: String,
}

/// How people are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleBy {
    /// By a column that names them.
    Column,
    /// By all that the source holds about them: a person whose record changed is not found again.
    Record,
}

/// A released file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedFile {
    /// Its path below `public/`.
    pub path: String,
    /// What it holds.
    pub sha256: String,
}

/// One hash for all files of a release.
pub fn release_hash(files: &[ReleasedFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(format!("{} {}\n", file.sha256, file.path));
    }
    hex(&hash.finalize())
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a line.
pub(super) fn line_hash(line: &[u8]) -> String {
    hex(&Sha256::digest(line))
}
