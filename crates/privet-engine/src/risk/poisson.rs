//! How many records of a class make it unlikely that fewer than k people are behind it (Pannekoek 1999).
//!
//! Of k people, a sample of n of N has about Poisson(λ) with λ = k·n/N. The answer is one more than the least x with
//! P(X ≤ x) ≥ 1 − significance; where zero is never seen, sums and their whole begin at one.

use std::cmp::Ordering;

use num_bigint::BigUint;
use privet_core::Exact;

/// The least number of records that a class of fewer than `k` people has with a chance below `significance`. The sample are n
/// of N people.
///
/// ```
/// use privet_core::Exact;
/// use privet_engine::risk::poisson::least_count;
/// // Adult against all Americans, 1 %: k = 3 asks for two records, k = 1000 for three.
/// let percent = Exact::new(1, 100).unwrap();
/// assert_eq!(least_count(3, (30_162, 317_238_626), percent, true), 2);
/// assert_eq!(least_count(1000, (30_162, 317_238_626), percent, true), 3);
/// assert_eq!(least_count(3, (30_162, 317_238_626), percent, false), 1);
/// ```
pub fn least_count(k: u64, sample: (u64, u64), significance: Exact, truncated: bool) -> u64 {
    let law = Law { k, sample, truncated };
    let (mut too_small, mut enough) = (0u64, k.max(1));
    // x counts up from −1: `too_small` is one more than an x that is not enough.
    if law.reaches(0, significance) {
        return 1;
    }
    if !law.reaches(enough, significance) {
        return k;
    }
    while enough - too_small > 1 {
        let middle = too_small + (enough - too_small) / 2;
        if law.reaches(middle, significance) { enough = middle } else { too_small = middle }
    }
    (enough + 1).min(k.max(1))
}

struct Law {
    k: u64,
    sample: (u64, u64),
    truncated: bool,
}

impl Law {
    /// Whether P(X ≤ x) ≥ 1 − significance.
    fn reaches(&self, x: u64, significance: Exact) -> bool {
        if self.truncated && x == 0 {
            return false;
        }
        let wanted = 1.0 - significance.to_f64();
        let found = self.share_up_to(x);
        if (found - wanted).abs() > 1e-9 {
            return found > wanted;
        }
        self.reaches_exactly(x, significance)
    }

    /// P(X ≤ x) in floating point, from weights relative to the most likely count.
    fn share_up_to(&self, x: u64) -> f64 {
        let mean = self.k as f64 * self.sample.0 as f64 / self.sample.1.max(1) as f64;
        let first = u64::from(self.truncated);
        let top = (mean as u64).max(first);
        let (mut below, mut all) = (0.0, 0.0);
        let mut note = |count: u64, weight: f64| {
            all += weight;
            if count <= x {
                below += weight;
            }
        };
        let (mut weight, mut count) = (1.0, top);
        while weight > 1e-30 {
            note(count, weight);
            count += 1;
            weight *= mean / count as f64;
        }
        let (mut weight, mut count) = (1.0, top);
        while count > first && weight > 1e-30 && mean > 0.0 {
            weight *= count as f64 / mean;
            count -= 1;
            note(count, weight);
        }
        below / all
    }

    /// The same by intervals in fixed point, with more and more digits: with S the sum of λⁱ/i! up to x, whether S ≥ (1 − s)·e^λ,
    /// or the same less one on both sides. e^λ is irrational, so it always ends.
    fn reaches_exactly(&self, x: u64, significance: Exact) -> bool {
        let (a, d) = (significance.numerator(), significance.denominator());
        let (over, under) = (BigUint::from(self.k) * self.sample.0, BigUint::from(self.sample.1));
        if over == BigUint::ZERO {
            return true;
        }
        let mut bits = 128u64;
        loop {
            let one = BigUint::from(1u32) << bits;
            let (mut low, mut high) = (one.clone(), one.clone());
            let (mut sum_low, mut sum_high) = (one.clone(), one.clone());
            let (mut part_low, mut part_high) = (one.clone(), one.clone());
            let mut count = 0u64;
            // Until the terms halve and are nothing any more: what is left is then less than twice the next.
            while count <= x || BigUint::from(count) * &under < &over * 2u32 || high > BigUint::from(1u32) {
                count += 1;
                let divisor = &under * count;
                low = low * &over / &divisor;
                high = (high * &over + &divisor - 1u32) / &divisor;
                sum_low += &low;
                sum_high += &high;
                if count == x {
                    (part_low, part_high) = (sum_low.clone(), sum_high.clone());
                }
            }
            sum_high += high * 2u32;
            if self.truncated {
                [&mut sum_low, &mut sum_high, &mut part_low, &mut part_high]
                    .into_iter()
                    .for_each(|sum| *sum -= &one);
            }
            if part_low * d >= sum_high * (d - a) {
                return true;
            }
            if (part_high * d).cmp(&(sum_low * (d - a))) == Ordering::Less {
                return false;
            }
            bits *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree() {
        for (k, sample) in [(3, (1, 2)), (10, (1, 5)), (40, (9, 10)), (7, (1, 1000)), (100, (1, 3))] {
            for truncated in [false, true] {
                for significance in ["0.01", "0.05", "1/3", "0.5"] {
                    let significance = Exact::parse(significance).expect("a number");
                    let law = Law { k, sample, truncated };
                    let least = least_count(k, sample, significance, truncated);
                    let found = (u64::from(truncated)..).find(|x| law.reaches_exactly(*x, significance));
                    assert_eq!(least, (found.expect("some x") + 1).min(k), "{k} {sample:?} {truncated}");
                }
            }
        }
    }
}
