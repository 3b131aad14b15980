//! Average risk and records at risk (El Emam 2013): classes/records ≤ max, the mean of one over the size of a record's class;
//! and at most a share of the records is in classes of fewer than 1/highest.

use super::release::{ReleaseTest, Sizes};
use privet_core::Exact;
use privet_policy::requirement;

#[derive(Debug)]
struct AverageRisk {
    max: Exact,
    /// The least size of a class whose records are not at risk, and the largest share of records that are.
    at_risk: Option<(u64, Exact)>,
}

pub(super) fn build(asked: &requirement::AverageRisk) -> Box<dyn ReleaseTest> {
    Box::new(AverageRisk { max: asked.max, at_risk: asked.bounds() })
}

/// Whether part/whole ≤ share.
pub(super) fn is_within(part: u64, whole: u64, share: Exact) -> bool {
    u128::from(part) * u128::from(share.denominator()) <= u128::from(share.numerator()) * u128::from(whole)
}

impl AverageRisk {
    fn average_holds(&self, sizes: &Sizes<'_>) -> bool {
        is_within(sizes.classes(), sizes.records(), self.max)
    }
}

impl ReleaseTest for AverageRisk {
    fn holds(&self, sizes: &Sizes<'_>) -> bool {
        self.average_holds(sizes)
            && self.at_risk.is_none_or(|(least, share)| is_within(sizes.below(least), sizes.records(), share))
    }

    fn improves(&self) -> bool {
        true
    }

    /// The average: keep at a coarser vector every class that holds a kept one. Σ (max·size − 1) over kept classes was not
    /// negative; merging m classes turns −m into −1 and adds records. Records at risk of a coarse class are at risk in every part
    /// of it, but the records that a finer vector leaves out of it come back, so for these only a weaker bound holds: with R
    /// records at risk of n here, x of them kept at a finer vector, x ≤ share·(n − R + x).
    fn least_gone(&self, sizes: &Sizes<'_>) -> u64 {
        let average = sizes.fewest_gone(|sizes| self.average_holds(sizes));
        let Some((least, share)) = self.at_risk else { return average };
        let (risky, records) = (sizes.below(least), sizes.records());
        let (a, d) = (u128::from(share.numerator()), u128::from(share.denominator()));
        if a >= d {
            return average;
        }
        let most = a * u128::from(records - risky) / (d - a);
        average.max(risky - risky.min(u64::try_from(most).unwrap_or(u64::MAX)))
    }

    fn why_impossible(&self, records: u64) -> String {
        match self.at_risk {
            Some((least, _)) if is_within(1, records, self.max) => {
                format!(
                    "the table has {records} records, fewer than the {least} that no risk above 'highest' takes"
                )
            }
            _ => format!(
                "the table has {records} records, so the average is 1/{records}, more than max = {}",
                self.max
            ),
        }
    }
}
