//! (n, t)-closeness.

use super::t_closeness::{COLUMN, COLUMNS, DISTANCE, Distance, T};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::Exact;

clause! {
    /// Every class is distributed much as a larger group of like records.
    pub struct NtCloseness {
        /// The sensitive column's position in the data.
        pub column: usize,
        /// How many records the larger group has at least.
        pub n: u64,
        /// The largest distance.
        pub t: Exact,
        /// What moving a value costs.
        pub distance: Distance,
    }
}

/// How a policy asks for it.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "n-t-closeness",
    source: "N. Li, T. Li, S. Venkatasubramanian: Closeness: A New Privacy Measure for Data Publishing. TKDE 2010",
    summary: "in every class a sensitive column is distributed much as in a larger group of at least n like records",
    help: "As t-closeness, but a class need not look like the whole table: it is enough that it looks like some group of at \
           least n records that it becomes part of when quasi-identifiers are generalised further. A class of n records is \
           such a group itself.",
    keys: &[
        COLUMN,
        Key::required(
            "n",
            KeyKind::Count(1),
            "how many records the larger group has at least, as in n = 1000",
        ),
        T,
        DISTANCE,
        COLUMNS,
    ],
};
