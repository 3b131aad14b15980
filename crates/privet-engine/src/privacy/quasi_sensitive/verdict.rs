//! The two notions in whole numbers of any size: slow and beyond doubt. Searches ask only where quick sums cannot tell.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::Zero;

use super::links::ones;
use super::{Prior, QsCloseness, QsDiversity};

/// What the records of a group link to, as exact shares with one denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posterior {
    /// Per label: d·β(L) times `unit`.
    sums: Vec<BigUint>,
    /// What stands for 1.
    unit: BigUint,
    /// The number of records.
    records: u64,
}

impl Posterior {
    /// Of records that link to the given labels, each with how many labels these are.
    pub fn of<'a>(labels: usize, records: impl Iterator<Item = (&'a [u64], u32)> + Clone) -> Posterior {
        let linking = records.clone().filter(|(_, size)| *size > 0);
        let unit = linking.clone().fold(BigUint::from(1u8), |unit, (_, size)| unit.lcm(&BigUint::from(size)));
        let mut sums = vec![BigUint::zero(); labels];
        for (bits, size) in linking {
            let share = &unit / size;
            ones(bits).for_each(|label| sums[label] += &share);
        }
        Posterior { sums, unit, records: records.count() as u64 }
    }

    /// Whether the group is diverse.
    pub fn is_diverse(&self, demand: &QsDiversity) -> bool {
        let mut sorted: Vec<&BigUint> = self.sums.iter().filter(|sum| !sum.is_zero()).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let Some(first) = sorted.first() else { return true };
        if sorted.len() < demand.l {
            return false;
        }
        let tail: BigUint = sorted.iter().skip(demand.l.saturating_sub(1)).copied().sum();
        *first * demand.c.denominator() <= tail * demand.c.numerator()
    }

    /// Whether the group is close to the prior.
    pub fn is_close(&self, demand: &QsCloseness, prior: &Prior) -> bool {
        // α − β = (α's numerator · d·unit − sum · α's denominator) / (α's denominator · d·unit).
        let whole = &self.unit * self.records;
        let squares: BigUint = (prior.numerators.iter().zip(&self.sums))
            .map(|(numerator, sum)| {
                let difference = BigInt::from(numerator * &whole) - BigInt::from(sum * &prior.denominator);
                let size = difference.magnitude();
                size * size
            })
            .sum();
        let denominator = &prior.denominator * &whole;
        let (over, under) = (BigUint::from(demand.t.numerator()), BigUint::from(demand.t.denominator()));
        squares * &under * &under <= &denominator * &denominator * &over * &over
    }
}

/// The distance of a posterior from a prior, both per label: for display only.
pub fn distance(prior: &[f64], posterior: &[f64]) -> f64 {
    prior.iter().zip(posterior).map(|(before, after)| (before - after).powi(2)).sum::<f64>().sqrt()
}
