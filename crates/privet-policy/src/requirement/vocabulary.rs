//! Vocabulary k-anonymity.

use crate::declare::{Declaration, Key, KeyKind, Subject};

/// The requirements for vocabularies that this build knows.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "vocabulary-k-anonymity",
    summary: "every published vocabulary is identical to at least k - 1 others",
    help: "Every published bag of terms occurs at least k times, so that whoever knows how often a person used any \
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
            "a printed term was used by at least so many people; k where users are known, else 1",
        ),
    ],
};
