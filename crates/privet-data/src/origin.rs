//! Where data come from, and what tells one state of them from another.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Batch;
use super::database::{DatabaseTable, Relation};
use super::sink::push_row;
use super::source::SourceColumn;
use privet_core::Result;
use privet_core::hash::{hex, sha256_of};

/// Where data come from.
///
/// ```
/// use privet_data::Origin;
///
/// assert_eq!(Origin::Memory("people".into()).to_string(), "people (in memory)");
/// assert_eq!(Origin::File("data/people.csv".into()).name(), "people.csv");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Several files that are one table.
    Files(Vec<PathBuf>),
    /// Rows in memory, under the name that their owner gave them.
    Memory(String),
    /// A table or a query of a database.
    Database(DatabaseTable),
    /// Something else, in words: standard input, a table of a cluster.
    Other(String),
}

impl Origin {
    /// The file, where the data are one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::File(path) => Some(path),
            Origin::Files(_) | Origin::Memory(_) | Origin::Database(_) | Origin::Other(_) => None,
        }
    }

    /// A short name for reports: that of the file, or the one that was given.
    pub fn name(&self) -> String {
        match self {
            Origin::File(path) => {
                path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            }
            Origin::Files(paths) => {
                let first = paths.first().map(|path| Origin::File(path.clone()).name()).unwrap_or_default();
                match paths.len().saturating_sub(1) {
                    1 => format!("{first} and 1 more file"),
                    more => format!("{first} and {more} more files"),
                }
            }
            Origin::Memory(name) | Origin::Other(name) => name.clone(),
            Origin::Database(table) => match &table.relation {
                Relation::Table(name) => name.clone(),
                Relation::Query(_) => "query".to_string(),
            },
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => path.display().fmt(f),
            Origin::Files(_) => f.write_str(&self.name()),
            Origin::Memory(name) => write!(f, "{name} (in memory)"),
            Origin::Database(table) => table.fmt(f),
            Origin::Other(words) => f.write_str(words),
        }
    }
}

/// For errors, which name the file at fault, or whatever else the data are.
impl From<&Origin> for PathBuf {
    fn from(origin: &Origin) -> PathBuf {
        match origin {
            Origin::File(path) => path.clone(),
            other => PathBuf::from(other.to_string()),
        }
    }
}

/// What data hold: a SHA-256 in hexadecimal. Of a file, it is that of its bytes; of other tables, that of the CSV file that Privet
/// would write of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// That of a file.
    pub fn of_file(path: &Path) -> Result<Fingerprint> {
        sha256_of(path).map(Fingerprint)
    }

    /// One that was computed elsewhere: a SHA-256 in hexadecimal.
    pub(super) fn named(sha256: String) -> Fingerprint {
        Fingerprint(sha256)
    }

    /// The SHA-256 in hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for Fingerprint {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

/// A fingerprint in the making: rows are hashed as the lines of a CSV file.
pub(super) struct Hashing {
    hash: Sha256,
    line: Vec<u8>,
}

impl Hashing {
    /// Begins with the header.
    pub(super) fn table(columns: &[SourceColumn]) -> Hashing {
        let mut hashing = Hashing::lines();
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        hashing.row(&names);
        hashing
    }

    /// Without a header.
    pub(super) fn lines() -> Hashing {
        Hashing { hash: Sha256::new(), line: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: &[&str]) {
        self.line.clear();
        push_row(&mut self.line, cells, ',');
        self.hash.update(&self.line);
    }

    pub(super) fn batch(&mut self, batch: &Batch) {
        for row in 0..batch.rows() {
            let cells: Vec<&str> = batch.cells(row).collect();
            self.row(&cells);
        }
    }

    pub(super) fn finish(self) -> Fingerprint {
        Fingerprint(hex(&self.hash.finalize()))
    }
}

/// A state of data, known without reading them: two readings under the same version find the same rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// A version by a name of its own, such as that of a snapshot.
    pub fn named(name: impl Into<String>) -> Version {
        Version(name.into())
    }

    /// The size of a file and when it was written last; `None` for a file that is not there.
    pub fn of_file(path: &Path) -> Option<Version> {
        let metadata = fs::metadata(path).ok()?;
        Some(Version(format!("{} {:?}", metadata.len(), metadata.modified().ok()?)))
    }
}
