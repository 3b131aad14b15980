//! What several tables together may reveal: the plan of projections.

use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::Exact;

clause! {
    /// What several tables together may lose and expose.
    #[derive(Copy)]
    pub struct Projection {
        /// The largest association loss Γα.
        pub alpha: Exact,
        /// The largest information exposure Γβ.
        pub beta: Exact,
        /// The largest discernibility of a table.
        pub max_discernibility: Option<Exact>,
    }
}

/// How a policy asks for it.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Projections,
    role: None,
    accepts: &[],
    name: "projection",
    source: "Y. Fang, M. Z. Ashrafi, S. K. Ng: Privacy beyond Single Sensitive Attribute. DEXA 2011",
    summary: "several tables, each with some of the sensitive columns: what may be lost and what exposed",
    help: "An attacker who knows one sensitive value of a person and finds the person's row reads the others in it. Tables that \
           share no sensitive column stop that, at the price of associations that can no longer be studied. alpha bounds \
           the share of association that is lost, beta the share of information that is exposed: 0 and 1 for one table, \
           1 and 0 for one table per column.",
    keys: &[
        Key::required(
            "alpha",
            KeyKind::Exact("0", "1"),
            "the largest share of association that may be lost, as in alpha = 0.3",
        ),
        Key::required(
            "beta",
            KeyKind::Exact("0", "1"),
            "the largest share of information that may be exposed, as in beta = 0.3",
        ),
        Key::optional(
            "max_discernibility",
            KeyKind::Exact("0", ""),
            "the largest DM of a table: the sum of its classes' sizes squared, as in 3.5e9",
        ),
    ],
};
