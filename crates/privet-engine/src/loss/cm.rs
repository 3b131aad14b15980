//! CM, the classification metric (Iyengar, 2002): how many records differ from their class's majority label.

use std::ops::Range;

use super::{Frame, Info};
use crate::privacy::EquivalenceClass;
use privet_core::Result;

/// What CM says about itself.
pub static INFO: Info = Info {
    name: "CM",
    formula: "records outside their class's majority label; a suppressed record counts 1",
    range: "0 to records",
    smaller_is_better: true,
};

pub(super) fn labels(frame: &Frame) -> Result<Range<u32>> {
    frame.labels.clone().ok_or_else(no_label)
}

pub use privet_policy::method::no_label;

pub(super) fn class(class: &EquivalenceClass<'_>, labels: &Range<u32>) -> u128 {
    u128::from(class.size - class.counts.most(labels))
}
