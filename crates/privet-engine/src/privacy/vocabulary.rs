//! Vocabulary k-anonymity (Liu, 2010, Definition 5.2): every published bag of terms is identical to at least k - 1 others.
//!
//! Sessions are not people, and a voted term may come from one person: two guards beyond the definition see to that.

use privet_core::{Error, Result};
use privet_policy::VocabularyKAnonymity;

/// What vocabulary k-anonymity asks for, as understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VocabularyAnonymity {
    /// How many identical vocabularies there must be.
    pub k: u32,
    /// Whether they must be of different users.
    pub distinct_users: bool,
    /// By how many people a printed term was used at least.
    pub min_term_users: u32,
}

impl VocabularyAnonymity {
    /// Reads a requirement; `users` says whether the data tells whose vocabulary is whose.
    pub fn of(asked: &VocabularyKAnonymity, users: bool) -> Result<VocabularyAnonymity> {
        let VocabularyKAnonymity { k, distinct_users, min_term_users } = *asked;
        let distinct_users = distinct_users.unwrap_or(users);
        if distinct_users && !users {
            return Err(Error::input(
                "'distinct_users' is true, but the data does not say whose vocabulary is whose",
            )
            .help("name the column of users in [data.columns], or set distinct_users = false"));
        }
        let min_term_users = min_term_users.unwrap_or(if users { k } else { 1 });
        Ok(VocabularyAnonymity { k, distinct_users, min_term_users })
    }
}
