//! k-anonymity.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, clause};
use privet_core::{Error, Result};

choices! {
    /// What is counted in place of records.
    pub enum CountedUnit {
        /// People, where one may have several records.
        Person = "person",
        /// Households: who lives together counts once.
        Household = "household",
    }
}

clause! {
    /// Every class has at least `k` records.
    pub struct KAnonymity {
        /// The least size of a class.
        pub k: u64,
        /// What is counted in place of records.
        pub unit: Option<CountedUnit>,
    }
}

impl KAnonymity {
    /// Refuses to count households where no column tells them.
    pub(crate) fn settle(&self, columns: &[PolicyColumn]) -> Result<()> {
        let has_households = columns.iter().any(|column| column.role == Some(Role::Household));
        match self.unit {
            Some(CountedUnit::Household) if !has_households => Err(Error::input(
                "[privacy.k-anonymity] unit = \"household\", but no column has role 'household'",
            )
            .help("give the column that says who lives together role = \"household\"")),
            _ => Ok(()),
        }
    }
}

/// `[privacy.k-anonymity]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "k-anonymity",
    source: "L. Sweeney: k-Anonymity: A Model for Protecting Privacy. IJUFKS 2002",
    summary: "every released record looks like at least k - 1 others",
    help: "In every class of records with equal released quasi-identifiers there are at least k records. \
           Bounds the chance of finding a known person's record to 1/k; does not hide what a class has in common.",
    keys: &[
        Key::required("k", KeyKind::Count(1), "the least size of a class, as in k = 5"),
        Key::optional(
            "unit",
            KeyKind::Choice(CountedUnit::WORDS),
            "what is counted in place of records, by all requirements: people, as `person` in [data] tells them, or the \
             households of the column with that role; left out: people where something tells them, else records",
        ),
    ],
};
