//! Average class size: records per class of the release.
//!
//! The suppressed records together count as one class: they look alike, there is nothing left of them. (Without that, a
//! release could improve by suppressing large classes.)

use super::{Cost, Info, Tally};

pub static INFO: Info = Info {
    name: "average-class-size",
    formula: "records/classes; all suppressed records together count as one class",
    range: "1 to records",
    smaller_is_better: true,
};

/// Binary digits after the point: enough to tell n/a from n/b for any tables of up to 2³² records.
const DIGITS: u32 = 64;

pub(super) fn total(records: u64, tally: &Tally) -> Cost {
    let classes = tally.classes + u64::from(tally.suppressed > 0);
    Cost((u128::from(records) << DIGITS) / u128::from(classes.max(1)))
}

pub(super) fn value(cost: Cost) -> f64 {
    cost.0 as f64 / (1u128 << DIGITS) as f64
}
