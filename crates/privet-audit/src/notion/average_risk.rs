//! Average risk (El Emam 2013): released classes over released records ≤ max; and at most the share `at_risk` of the released
//! records is in classes of n records with 1/n > highest.

use super::Facts;
use super::release_wide::sizes;
use crate::Check;
use privet_core::{Exact, Result};
use privet_policy::requirement;

fn within(part: u64, whole: u64, share: Exact) -> bool {
    u128::from(part) * u128::from(share.denominator()) <= u128::from(whole) * u128::from(share.numerator())
}

pub(super) fn check(asked: &requirement::AverageRisk, name: String, facts: &Facts<'_>) -> Result<Check> {
    let sizes = sizes(facts);
    let (classes, records) = (sizes.len() as u64, sizes.iter().sum::<u64>());
    let mut check = Check::new(name, true, "the release has no records");
    if records == 0 {
        return Ok(check);
    }
    let average = within(classes, records, asked.max);
    let sign = if average { "≤" } else { ">" };
    check.detail =
        format!("{classes} classes of {records} records: average {classes}/{records} {sign} {}", asked.max);
    check.holds = average;
    if let Some(highest) = asked.highest {
        let is_risky = |size: &&u64| {
            u128::from(highest.denominator()) > u128::from(highest.numerator()) * u128::from(**size)
        };
        let risky: u64 = sizes.iter().filter(is_risky).sum();
        let most = asked.at_risk.unwrap_or(Exact::ZERO);
        let few = within(risky, records, most);
        let sign = if few { "≤" } else { ">" };
        check.detail = format!("{}; at risk {risky}/{records} {sign} {most}", check.detail);
        check.holds = average && few;
    }
    if !check.holds {
        check.concerned = records;
    }
    Ok(check)
}
