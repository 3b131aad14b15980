//! Household risk.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;
use privet_core::{Error, Exact, Result};

clause! {
    /// Somebody of a household is found with a chance of at most `max`.
    pub struct HouseholdRisk {
        /// The largest chance.
        pub max: Exact,
    }
}

impl HouseholdRisk {
    /// Refuses data without households.
    pub(crate) fn settle(&self, columns: &[PolicyColumn]) -> Result<()> {
        match columns.iter().any(|column| column.role == Some(Role::Household)) {
            true => Ok(()),
            false => Err(Error::input(
                "[privacy.household-risk] needs households, and no column has role 'household'",
            )
            .help("give the column that says who lives together role = \"household\"")),
        }
    }
}

/// `[privacy.household-risk]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "household-risk",
    source: "L. Franconi, S. Polettini: Individual Risk Estimation in µ-Argus. PSD 2004",
    summary: "somebody of a household is found with a chance of at most max",
    help: "Anybody who finds one member of a household knows all of them. With the risk r of each member, taken from survey weights \
           or else one over the size of the class, the risk of the household is 1 − Π(1 − r). It is at most max for every \
           household. Leaving out records would change what households are, so nothing may be suppressed.",
    keys: &[Key::required("max", KeyKind::Above("1"), "the largest chance, as in max = 0.05")],
};
