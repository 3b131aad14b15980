//! t-closeness.

use crate::check::Role;
use crate::declare::{Declaration, Key, KeyKind, Subject};
use crate::typed::{choices, clause};
use privet_core::Exact;

choices! {
    /// What moving a value costs.
    pub enum Distance {
        /// All values are equally far apart.
        Equal = "equal",
        /// By rank: numbers, or the order of a hierarchy's leaves.
        Ordered = "ordered",
        /// By the column's hierarchy.
        Hierarchical = "hierarchical",
    }
}

clause! {
    /// In every class the column is distributed much as in the whole table.
    pub struct TCloseness {
        /// The sensitive column's position in the data.
        pub column: usize,
        /// The largest distance.
        pub t: Exact,
        /// What moving a value costs.
        pub distance: Distance,
    }
}

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
    KeyKind::Choice(Distance::WORDS),
    "equal",
    "what moving a value costs: equal, ordered or hierarchical",
);

/// The key for columns with another distance.
pub(crate) const COLUMNS: Key = Key::optional(
    "columns",
    KeyKind::Choices(Role::Sensitive, Distance::WORDS),
    "where no column is named, the distance of those that have another, as in columns = { age_at_onset = \"ordered\" }",
);

/// `[privacy.t-closeness]`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[],
    name: "t-closeness",
    source: "N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. ICDE 2007",
    summary: "in every class a sensitive column is distributed much as in the whole table",
    help: "Learning a person's class changes the odds of each sensitive value little: the earth mover's distance to the \
           whole table's distribution is at most t. distance = \"equal\": all values equally far apart; \"ordered\": by \
           rank (numbers, or a hierarchy's leaf order); \"hierarchical\": by the column's hierarchy.",
    keys: &[COLUMN, T, DISTANCE, COLUMNS],
};
