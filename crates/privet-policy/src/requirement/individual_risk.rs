//! Individual risk.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::{Error, Exact, Result};

clause! {
    /// With survey weights, every record is found with a chance of at most `max`.
    pub struct IndividualRisk {
        /// The largest chance.
        pub max: Exact,
    }
}

impl IndividualRisk {
    /// Refuses data without weights.
    pub(crate) fn settle(&self, columns: &[PolicyColumn]) -> Result<()> {
        match columns.iter().any(|column| column.role == Some(Role::Weight)) {
            true => Ok(()),
            false => Err(Error::input(
                "[privacy.individual-risk] needs survey weights, and no column has role 'weight'",
            )
            .help("give the column that says how many people a record stands for role = \"weight\"")),
        }
    }
}

/// `[privacy.individual-risk]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "individual-risk",
    source: "R. Benedetti, L. Franconi: Statistical and Technological Solutions for Controlled Data Dissemination. NTTS 1998",
    summary: "with survey weights, a record of every class is found with a chance of at most max",
    help: "The weights of a class say how many people of the population look like it. How many they really are is taken to be \
           negative binomial, and the risk of a record is the mean of one over that number. In every released class it is at \
           most max.",
    keys: &[Key::required("max", KeyKind::Above("1"), "the largest chance, as in max = 0.01")],
};
