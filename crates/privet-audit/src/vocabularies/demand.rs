//! What a policy demands of released vocabularies, and in which manner they were made.

use privet_core::{Error, Result};
use privet_policy::Clause;

/// What must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// How many identical vocabularies there must be.
    pub k: u32,
    /// Whether they must be of different users.
    pub distinct_users: bool,
    /// By how many people a printed word was used at least.
    pub min_term_users: u32,
}

impl Demand {
    /// Reads a requirement; `None` for one that this audit does not know. `users` says whether the data tells whose
    /// vocabulary is whose.
    pub fn of(clause: &Clause, users: bool) -> Result<Option<Demand>> {
        if clause.name() != "vocabulary-k-anonymity" {
            return Ok(None);
        }
        let settings = &clause.settings;
        let count = |key: &str, default: u32| match settings.count(key) {
            None => Ok(default),
            Some(count) => u32::try_from(count)
                .map_err(|_| Error::input(format!("'{key}' is {count}, more than any data holds"))),
        };
        let k = count("k", 1)?;
        let stated = settings.get("distinct_users").is_some();
        Ok(Some(Demand {
            k,
            distinct_users: if stated { settings.flag("distinct_users") } else { users },
            min_term_users: count("min_term_users", if users { k } else { 1 })?,
        }))
    }
}

/// What the words of a release stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// A term within ε of an occurrence of every member; where no term would do, a more general word.
    Vote,
    /// The terms of all members, joined by [`BAG_SEPARATOR`](super::BAG_SEPARATOR).
    Hyper,
    /// A word above an occurrence of every member, or that occurrence itself.
    General,
}

impl Manner {
    /// The manner of a method: `ssg` with its `centre`, `lg-bag` or `lg`.
    pub fn of(method: &str, centre: Option<&str>) -> Option<Manner> {
        match (method, centre) {
            ("ssg", None | Some("vote")) => Some(Manner::Vote),
            ("ssg", Some("hyper")) => Some(Manner::Hyper),
            ("ssg", Some("generalise")) | ("lg-bag" | "lg", _) => Some(Manner::General),
            _ => None,
        }
    }
}
