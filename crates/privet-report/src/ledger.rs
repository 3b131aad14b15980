//! Earlier releases of the same people, as the steward's ledger knows them.

use serde::{Deserialize, Serialize};

use privet_ledger::{Composition, Relation};

/// What the ledger says about a release. Steward only: the public learns no more than that there is a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerAccount {
    /// The number of the line that announces this release.
    pub entry: u64,
    /// The column by which people are found again; `None` where it is all that their records hold.
    pub person: Option<String>,
    /// Whether a release that adds to what the earlier ones tell is refused.
    pub refuses: bool,
    /// The earlier releases, the first one first.
    pub earlier: Vec<EarlierRelease>,
    /// What this release and the earlier ones tell together, where somebody is in several.
    pub together: Option<Composition>,
}

/// A release that the ledger knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRelease {
    /// The number of its line.
    pub entry: u64,
    /// When it was announced.
    pub date: String,
    /// Whether it is known to be in its place: `published` or `unconfirmed`.
    pub state: String,
    /// How it was made.
    pub method: String,
    /// To whom it went.
    pub recipient: Option<String>,
    /// The folder it was published to.
    pub folder: String,
    /// Whether it was made from the same file, or from one that held the same.
    pub same_source: bool,
    /// How many people have a place in it.
    pub people: u64,
    /// How the classes of this release lie to its classes.
    pub relation: Relation,
    /// The SHA-256 of its policy.
    pub policy_sha256: String,
    /// The hash of its files.
    pub release_sha256: String,
}
