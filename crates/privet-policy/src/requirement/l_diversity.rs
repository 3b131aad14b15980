//! l-diversity.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind, Subject};

/// `[privacy.l-diversity]`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "l-diversity",
    summary: "every class has at least l well-represented values of a sensitive column",
    help: "Whoever knows which class a person is in still cannot tell the sensitive value. kind = \"distinct\": at \
           least l different values; \"frequency\": no value above 1/l; \"entropy\": entropy at least log l; \
           \"recursive\": the most frequent count strictly below c times the sum of the counts from the l-th on.",
    keys: &[
        Key::optional(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"; left out: every sensitive column",
        ),
        Key::required("l", KeyKind::Exact("1", ""), "how diverse, as in l = 3"),
        Key::with_default(
            "kind",
            KeyKind::Choice(&["distinct", "frequency", "entropy", "recursive"]),
            "distinct",
            "what well represented means: distinct, frequency, entropy or recursive",
        ),
        Key::optional("c", KeyKind::Exact("0", ""), "the factor of recursive (c,l)-diversity, as in c = 4"),
    ],
};
