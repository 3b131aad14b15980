//! Sample uniqueness: the share of released records that are alone in their class is at most max.

use super::Facts;
use super::release_wide::sizes;
use crate::Check;
use privet_core::Result;
use privet_policy::requirement;

pub(super) fn check(asked: &requirement::SampleUniqueness, name: String, facts: &Facts<'_>) -> Result<Check> {
    let sizes = sizes(facts);
    let (unique, records) =
        (sizes.iter().filter(|size| **size == 1).count() as u64, sizes.iter().sum::<u64>());
    let (a, d) = (asked.max.numerator(), asked.max.denominator());
    let holds = u128::from(unique) * u128::from(d) <= u128::from(records) * u128::from(a);
    let sign = if holds { "≤" } else { ">" };
    let detail =
        format!("{unique} of {records} released records are unique: {unique}/{records} {sign} {}", asked.max);
    let mut check = Check::new(name, holds, detail);
    check.concerned = if holds { 0 } else { unique };
    check.classes_failing = check.concerned;
    Ok(check)
}
