//! k-anonymity.

use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::clause;

clause! {
    /// Every class has at least `k` records.
    pub struct KAnonymity {
        /// The least size of a class.
        pub k: u64,
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
    keys: &[Key::required("k", KeyKind::Count(1), "the least size of a class, as in k = 5")],
};
