//! What a policy demands of released vocabularies, and in which manner they were made.

use privet_policy::method::Centre;
use privet_policy::{VocabularyKAnonymity, VocabularyMethod};

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
    /// Reads a requirement. `users` says whether the data tells whose vocabulary is whose.
    pub fn of(asked: &VocabularyKAnonymity, users: bool) -> Demand {
        let VocabularyKAnonymity { k, distinct_users, min_term_users } = *asked;
        Demand {
            k,
            distinct_users: distinct_users.unwrap_or(users),
            min_term_users: min_term_users.unwrap_or(if users { k } else { 1 }),
        }
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
    /// The manner of a method.
    pub fn of(method: &VocabularyMethod) -> Manner {
        match method {
            VocabularyMethod::Ssg(own) => match own.centre {
                Centre::Vote => Manner::Vote,
                Centre::Hyper => Manner::Hyper,
                Centre::Generalise => Manner::General,
            },
            VocabularyMethod::LgBag(_) | VocabularyMethod::Lg(_) => Manner::General,
        }
    }
}
