//! l+-diversity.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind, Subject};

/// `[privacy.l-plus-diversity]`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "l-plus-diversity",
    summary: "in every class no value of a sensitive column exceeds its own threshold",
    help: "Each value of the column has a threshold: the largest share of a class that may have it. l = 4 or \
           default = \"1/4\" is the threshold of all values; theta gives single values one of their own; theta_rule = \
           \"frequency\" raises it for values that are more frequent than the mean, in proportion. Rare and delicate \
           values can be guarded closely without asking the same of what everybody has.",
    keys: &[
        Key::required(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"",
        ),
        Key::optional("l", KeyKind::Exact("1", ""), "every value's threshold is 1/l, as in l = 4"),
        Key::optional(
            "default",
            KeyKind::Exact("0", "1"),
            "the threshold of values without one of their own, as in default = \"1/4\"",
        ),
        Key::optional(
            "theta_rule",
            KeyKind::Choice(&["frequency"]),
            "frequency: values more frequent than the mean get a threshold as much larger than the default",
        ),
        Key::optional(
            "theta",
            KeyKind::Thresholds("0", "1"),
            "thresholds of single values, as in theta = { Cancer = \"3/10\", Flu = 0.5 }",
        ),
    ],
};
