//! t-closeness.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Error, Exact, Result};

choices! {
    /// What moving a value costs.
    pub enum Distance {
        /// All values are equally far apart.
        Equal = "equal",
        /// By rank: numbers, or the order of a hierarchy's leaves.
        Ordered = "ordered",
        /// By the column's hierarchy.
        Hierarchical = "hierarchical",
        /// For cells that hold several values: the largest difference that any value's share has.
        PerValue = "per-value",
    }
}

impl Distance {
    /// Refuses to measure along a hierarchy that a column does not have. Whether values are ordered without one is for the data
    /// to say: numbers are.
    pub(crate) fn check(self, notion: &str, column: Option<&PolicyColumn>) -> Result<()> {
        if let Some(column) = column.filter(|column| self == Distance::PerValue && column.separator.is_none())
        {
            return Err(Error::input(format!(
                "{notion} with distance = \"{self}\" is about cells that hold several values, and those of '{}' hold one",
                column.name
            ))
            .help("use distance = \"equal\", or say what separates the values: separator = \"|\""));
        }
        match column.filter(|column| column.hierarchy.is_none()) {
            // A cell with several values is measured value by value, each there or not.
            Some(column) if self == Distance::Hierarchical && column.separator.is_none() => {
                let name = &column.name;
                Err(Error::input(format!(
                    "{notion} with distance = \"{self}\" cannot tell how far apart the values of '{name}' are"
                ))
                .help(format!(
                    "give [columns.{name}] a hierarchy to measure along, or use distance = \"equal\""
                )))
            }
            _ => Ok(()),
        }
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
    "what moving a value costs: equal, ordered or hierarchical; per-value where cells hold several values",
);

/// The key for columns with another distance.
pub(crate) const COLUMNS: Key = Key::optional(
    "columns",
    KeyKind::Choices(Role::Sensitive, Distance::WORDS),
    "where no column is named, the distance of those that have another, as in columns = { age_at_onset = \"ordered\" }",
);

/// `[privacy.t-closeness]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "t-closeness",
    source: "N. Li, T. Li, S. Venkatasubramanian: t-Closeness: Privacy Beyond k-Anonymity and l-Diversity. ICDE 2007",
    summary: "in every class a sensitive column is distributed much as in the whole table",
    help: "Learning a person's class changes the odds of each sensitive value little: the earth mover's distance to the \
           whole table's distribution is at most t. distance = \"equal\": all values equally far apart; \"ordered\": by \
           rank (numbers, or a hierarchy's leaf order); \"hierarchical\": by the column's hierarchy. Where cells hold \
           several values, distance = \"per-value\": the share of records that hold a value differs by at most t, for every \
           value.",
    keys: &[COLUMN, T, DISTANCE, COLUMNS],
};
