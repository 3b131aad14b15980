//! Vocabulary k-anonymity.

use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::settings::{Clause, Setting, Settings};
use crate::typed::{Stated, read};
use privet_core::{Error, Result};

/// Every published vocabulary is identical to at least `k` - 1 others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VocabularyKAnonymity {
    /// How many identical vocabularies there must be.
    pub k: u32,
    /// Whether they must be of different users; left out: where users are known.
    pub distinct_users: Option<bool>,
    /// By how many people a printed term was used at least; left out: `k` where users are known, else 1.
    pub min_term_users: Option<u32>,
}

impl VocabularyKAnonymity {
    pub(crate) fn read(clause: &Clause) -> Result<VocabularyKAnonymity> {
        let count = |key: &str, count: u64| {
            u32::try_from(count).map_err(|_| {
                Error::input(format!("'{key}' is {count}, more than any data holds")).help("as in 5")
            })
        };
        let least: Option<u64> = read(clause, "min_term_users")?;
        Ok(VocabularyKAnonymity {
            k: count("k", read(clause, "k")?)?,
            distinct_users: read(clause, "distinct_users")?,
            min_term_users: least.map(|least| count("min_term_users", least)).transpose()?,
        })
    }
}

impl Stated for VocabularyKAnonymity {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn settings(&self) -> Settings {
        let own = [
            ("k", Some(Setting::Count(self.k.into()))),
            ("distinct_users", self.distinct_users.map(Setting::Flag)),
            ("min_term_users", self.min_term_users.map(|least| Setting::Count(least.into()))),
        ];
        own.into_iter().filter_map(|(key, setting)| Some((key, setting?))).collect()
    }
}

/// The requirements for vocabularies that this build knows.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Vocabularies,
    role: None,
    accepts: &[],
    name: "vocabulary-k-anonymity",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "every published vocabulary is identical to at least k - 1 others",
    help: "Every published bag of terms occurs at least k times, so that an attacker who knows how often a person used any \
           combination of terms cannot tell which of k bags is that person's. Where users are known, the k bags come from k \
           different users, and no term is printed that fewer than min_term_users people used.",
    keys: &[
        Key::required("k", KeyKind::Count(1), "how many identical vocabularies there must be, as in k = 5"),
        Key::optional(
            "distinct_users",
            KeyKind::Flag,
            "whether the k vocabularies must be of k different users; true where users are known",
        ),
        Key::optional(
            "min_term_users",
            KeyKind::Count(1),
            "how many people used a printed term at least; k where users are known, else 1",
        ),
    ],
};
