//! DM, the discernibility metric (Bayardo and Agrawal, 2005): how many records each record looks like.

use super::Info;
use crate::privacy::EquivalenceClass;

/// What DM says about itself.
pub static INFO: Info = Info {
    name: "DM",
    formula: "Σ over classes of size²; a suppressed record counts the number of records",
    range: "records to records²",
    smaller_is_better: true,
};

pub(super) fn class(class: &EquivalenceClass<'_>) -> u128 {
    u128::from(class.size) * u128::from(class.size)
}
