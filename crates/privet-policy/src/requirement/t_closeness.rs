//! t-closeness.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind, Subject};

/// What moving a value may cost.
pub const DISTANCES: &[&str] = &["equal", "ordered", "hierarchical"];

/// The key that names the column.
pub(crate) const COLUMN: Key = Key::optional(
    "column",
    KeyKind::Column(Role::Sensitive),
    "the sensitive column, as in column = \"disease\"; left out: every sensitive column",
);

/// The key for the largest distance.
pub(crate) const T: Key = Key::required("t", KeyKind::Exact("0", "1"), "the largest distance, as in t = 0.2");

/// The key for what moving a value costs.
pub(crate) const DISTANCE: Key = Key::with_default(
    "distance",
    KeyKind::Choice(DISTANCES),
    "equal",
    "what moving a value costs: equal, ordered or hierarchical",
);

/// The key for columns with another distance.
pub(crate) const COLUMNS: Key = Key::optional(
    "columns",
    KeyKind::Choices(Role::Sensitive, DISTANCES),
    "where no column is named, the distance of those that have another, as in columns = { age_at_onset = \"ordered\" }",
);

/// `[privacy.t-closeness]`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "t-closeness",
    summary: "in every class a sensitive column is distributed much as in the whole table",
    help: "Learning a person's class changes the odds of each sensitive value little: the earth mover's distance to the \
           whole table's distribution is at most t. distance = \"equal\": all values equally far apart; \"ordered\": by \
           rank (numbers, or a hierarchy's leaf order); \"hierarchical\": by the column's hierarchy.",
    keys: &[COLUMN, T, DISTANCE, COLUMNS],
};
