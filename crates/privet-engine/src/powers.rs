//! Comparing products of powers, as entropies ask for, without multiplying them out.
//!
//! Whether Π aᵢ^eᵢ is more than Π bⱼ^fⱼ is the sign of Σ eᵢ ln aᵢ − Σ fⱼ ln bⱼ. Logarithms are enclosed in intervals that are known
//! for certain, first in floating point, then in fixed point with more and more digits, until the sum is clear of zero. Sums
//! that are zero would never be: these are found by factors, since logarithms of numbers without common factors add up to zero only
//! where all exponents are zero.
//!
//! The audit decides the same by code of its own.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

/// A base of at least 2 with its exponent, positive on the left and negative on the right.
type Power = (u64, i128);

/// How the product of some powers, each a base and an exponent, compares with the product of others. Bases are at least 1.
pub(crate) fn compare_powers(left: &[(u64, u64)], right: &[(u64, u64)]) -> Ordering {
    let mut exponents: BTreeMap<u64, i128> = BTreeMap::new();
    let signed = left.iter().map(|(base, exponent)| (*base, i128::from(*exponent)));
    let signed = signed.chain(right.iter().map(|(base, exponent)| (*base, -i128::from(*exponent))));
    for (base, exponent) in signed.filter(|(base, _)| *base > 1) {
        *exponents.entry(base).or_default() += exponent;
    }
    let powers: Vec<Power> = exponents.into_iter().filter(|(_, exponent)| *exponent != 0).collect();
    if let Some(clear) = in_floating_point(&powers).or_else(|| in_fixed_point(&powers, 128)) {
        return clear;
    }
    if is_balanced(&powers) {
        return Ordering::Equal;
    }
    // The sum is not zero, so that some number of digits shows it.
    let mut bits = 256;
    loop {
        if let Some(clear) = in_fixed_point(&powers, bits) {
            return clear;
        }
        bits *= 2;
    }
}

/// The answer where rounding cannot have changed it.
fn in_floating_point(powers: &[Power]) -> Option<Ordering> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (base, exponent) in powers {
        let term = *exponent as f64 * (*base as f64).ln();
        sum += term;
        weight += term.abs();
    }
    // Every term is right within a few units in the last place, and a sum of m terms loses at most m more.
    let doubt = 4.0 * (powers.len() as f64 + 8.0) * f64::EPSILON * weight;
    if sum.abs() > doubt { sum.partial_cmp(&0.0) } else { None }
}

/// The answer if this many binary digits of the logarithms are enough.
fn in_fixed_point(powers: &[Power], bits: u64) -> Option<Ordering> {
    let (mut sum, mut doubt) = (BigInt::ZERO, BigInt::ZERO);
    let (half, half_doubt) = logarithm_below_two(&BigUint::from(1u32), 1, bits);
    for (base, exponent) in powers {
        // ln x = e ln 2 + ln (x / 2^e). The series of 2 = 1 + 1 is that of the largest argument.
        let whole = base.ilog2();
        let (part, part_doubt) = logarithm_below_two(&BigUint::from(base - (1 << whole)), 1 << whole, bits);
        let logarithm = BigInt::from_biguint(Sign::Plus, &half * whole + part);
        sum += logarithm * *exponent;
        doubt += BigInt::from(half_doubt * u64::from(whole) + part_doubt) * exponent.unsigned_abs();
    }
    (BigInt::from_biguint(Sign::Plus, sum.magnitude().clone()) > doubt).then(|| sum.sign().cmp(&Sign::NoSign))
}

/// Whether over/under ≤ ln (whole/part), for 0 < part ≤ whole. A fraction above 0 never equals a logarithm of a fraction, so some
/// number of digits decides.
pub(crate) fn is_at_most_logarithm((over, under): (u128, u128), whole: u64, part: u64) -> bool {
    if over == 0 {
        return true;
    }
    if whole == part {
        return false;
    }
    let (ratio, logarithm) = (over as f64 / under as f64, (whole as f64).ln() - (part as f64).ln());
    // The logarithms are right within a few units in the last place, and so is the fraction.
    let doubt = 16.0 * f64::EPSILON * (ratio + (whole as f64).ln() + (part as f64).ln() + 1.0);
    if (ratio - logarithm).abs() > doubt {
        return ratio < logarithm;
    }
    let mut bits = 128;
    loop {
        let (least, most) = (enclosed_logarithm(whole, bits), enclosed_logarithm(part, bits));
        // ln whole − ln part lies between these.
        let low = BigInt::from(least.0.clone()) - BigInt::from(most.0.clone() + most.1);
        let high = BigInt::from(least.0 + least.1) - BigInt::from(most.0);
        let asked = BigInt::from(over) << bits;
        if asked <= low * under {
            return true;
        }
        if asked > high * under {
            return false;
        }
        bits *= 2;
    }
}

/// ln of a whole number above 0 in units of 2^−bits, rounded down, and by how many units it is too small at most.
pub(crate) fn enclosed_logarithm(number: u64, bits: u64) -> (BigUint, u64) {
    let whole = number.ilog2();
    let (half, half_doubt) = logarithm_below_two(&BigUint::from(1u32), 1, bits);
    let (part, part_doubt) = logarithm_below_two(&BigUint::from(number - (1 << whole)), 1 << whole, bits);
    (half * whole + part, half_doubt * u64::from(whole) + part_doubt)
}

/// ln (1 + over/under) for over ≤ under, in units of 2^−bits, rounded down, and by how many units it is too small at most.
///
/// It is 2 artanh y = 2 (y + y³/3 + y⁵/5 + …) with y = over/(2 under + over) ≤ 1/3. Every term is rounded down a few times, by less than a unit
/// each time, and what is left out after the first term of 0 is less than a unit.
fn logarithm_below_two(over: &BigUint, under: u64, bits: u64) -> (BigUint, u64) {
    let divisor = BigUint::from(under) * 2u32 + over;
    let (over_squared, divisor_squared) = (over * over, &divisor * &divisor);
    let mut power = (over << (bits + 1)) / &divisor;
    let (mut sum, mut odd, mut terms) = (BigUint::ZERO, 1u64, 0u64);
    while power != BigUint::ZERO {
        sum += &power / odd;
        power = power * &over_squared / &divisor_squared;
        odd += 2;
        terms += 1;
    }
    // A power is short by less than 9/8 units: its own rounding and a ninth of that of the power before.
    (sum, 3 * terms + 3)
}

/// Whether the product of all powers is one.
fn is_balanced(powers: &[Power]) -> bool {
    let mut waiting = powers.to_vec();
    // No two of these have a common factor.
    let mut coprime: Vec<Power> = Vec::new();
    while let Some((base, exponent)) = waiting.pop() {
        if base == 1 || exponent == 0 {
            continue;
        }
        let Some(at) = coprime.iter().position(|(other, _)| base.gcd(other) > 1) else {
            coprime.push((base, exponent));
            continue;
        };
        let (other, others) = coprime.swap_remove(at);
        let common = base.gcd(&other);
        waiting.extend([(common, exponent + others), (base / common, exponent), (other / common, others)]);
    }
    coprime.is_empty()
}

#[cfg(test)]
mod tests {
    use num_traits::Pow;
    use proptest::prelude::*;

    use super::*;

    fn multiplied(powers: &[(u64, u64)]) -> BigUint {
        powers.iter().map(|(base, exponent)| BigUint::from(*base).pow(*exponent)).product()
    }

    #[test]
    fn logarithms_are_enclosed() {
        for bits in [16, 53, 128, 400] {
            for (over, under) in [(1u64, 1u64), (0, 1), (1, 2), (1, 1_000_003), (999, 1000), (5, 7)] {
                let (low, doubt) = logarithm_below_two(&BigUint::from(over), under, bits);
                let (finer, more) = logarithm_below_two(&BigUint::from(over), under, bits + 80);
                assert!(low.clone() << 80u32 <= &finer + more, "{over}/{under}, {bits} bits");
                assert!(finer <= (low + doubt) << 80u32, "{over}/{under}, {bits} bits");
            }
        }
        let (half, _) = logarithm_below_two(&BigUint::from(1u32), 1, 40);
        assert!(
            (half.to_string().parse::<f64>().expect("a number") / 2f64.powi(40) - 2f64.ln()).abs() < 1e-9
        );
    }

    #[test]
    fn ties_are_ties_and_neighbours_are_not() {
        // 6^600000 = 2^600000 · 3^600000, and 12^n · 18^n = 6^3n.
        assert_eq!(compare_powers(&[(6, 600_000)], &[(2, 600_000), (3, 600_000)]), Ordering::Equal);
        assert_eq!(compare_powers(&[(12, 1_000_000), (18, 1_000_000)], &[(6, 3_000_000)]), Ordering::Equal);
        assert_eq!(compare_powers(&[], &[]), Ordering::Equal);
        assert_eq!(compare_powers(&[(1, 7)], &[]), Ordering::Equal);
        let n = 1_000_000_007;
        assert_eq!(compare_powers(&[(n - 1, n), (n + 1, n)], &[(n, 2 * n)]), Ordering::Less);
        assert_eq!(compare_powers(&[(n, 2 * n)], &[(n - 1, n), (n + 1, n)]), Ordering::Greater);
        let most = u64::MAX;
        assert_eq!(compare_powers(&[(most, most)], &[(most - 1, most)]), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn powers_compare_as_if_multiplied_out(
            left in proptest::collection::vec((1u64..40, 0u64..40), 0..6),
            right in proptest::collection::vec((1u64..40, 0u64..40), 0..6),
        ) {
            prop_assert_eq!(compare_powers(&left, &right), multiplied(&left).cmp(&multiplied(&right)));
        }

        /// Each way by itself, where it has an answer.
        #[test]
        fn no_way_contradicts_another(
            powers in proptest::collection::vec((2u64..2000, -50i128..50), 1..6),
        ) {
            let side = |sign: i128| -> Vec<(u64, u64)> {
                powers.iter().filter(|power| power.1 * sign > 0).map(|power| (power.0, power.1.unsigned_abs() as u64)).collect()
            };
            let exact = multiplied(&side(1)).cmp(&multiplied(&side(-1)));
            prop_assert_eq!(is_balanced(&powers), exact == Ordering::Equal);
            for clear in [in_floating_point(&powers), in_fixed_point(&powers, 16), in_fixed_point(&powers, 300)] {
                prop_assert!(clear.is_none_or(|clear| clear == exact), "{:?} but {:?}", clear, exact);
            }
        }
    }
}
