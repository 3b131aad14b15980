//! Entropies near their bound: nⁿ · bⁿ against aⁿ · Π nᵢ^nᵢ, decided by logarithms to the base 2 with as many digits as it takes.
//!
//! This is the audit's own code: what is judged decides the same in another way. A logarithm's digits come one by one, by
//! squaring: of m in [1, 2), the next digit is whether m² is 2 or more. Numbers are cut to a fixed length, which makes each
//! square too small by a part of 2^(2 − length) at most; the digit at hand and all that follow lose no more than that part of
//! their own weight, so that the whole loses less than 2^(4 − length).

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Pow, Signed, Zero};

/// Products of up to this many bits are multiplied out.
const SHORT: u64 = 1 << 14;

/// Whether nⁿ · bⁿ ≥ aⁿ · Π nᵢ^nᵢ for positive counts nᵢ with the sum n and for a/b in lowest terms.
pub(super) fn is_at_least(counts: &[u64], (a, b): (u64, u64)) -> bool {
    let n: u64 = counts.iter().sum();
    if n.saturating_mul(u64::from(n.max(a).max(b).max(2).ilog2() + 1)) <= SHORT {
        let power = |base: u64, exponent: u64| Pow::pow(BigUint::from(base), exponent);
        let right: BigUint = counts.iter().map(|count| power(*count, *count)).product();
        return power(n, n) * power(b, n) >= power(a, n) * right;
    }
    let mut exponents: BTreeMap<u64, i128> = BTreeMap::new();
    *exponents.entry(n).or_default() += i128::from(n);
    *exponents.entry(b).or_default() += i128::from(n);
    *exponents.entry(a).or_default() -= i128::from(n);
    counts.iter().for_each(|count| *exponents.entry(*count).or_default() -= i128::from(*count));
    exponents.retain(|base, exponent| *base > 1 && *exponent != 0);
    if let Some(positive) = sign(&exponents, 64).or_else(|| sign(&exponents, 160)) {
        return positive;
    }
    if is_one(&exponents, &primes_of(counts, n)) {
        return true;
    }
    // It is not one, so that some number of digits shows which way it goes.
    let mut digits = 320;
    loop {
        if let Some(positive) = sign(&exponents, digits) {
            return positive;
        }
        digits *= 2;
    }
}

/// Whether the sum of exponents times logarithms is positive, where this many digits decide.
fn sign(exponents: &BTreeMap<u64, i128>, digits: u64) -> Option<bool> {
    let (mut sum, mut doubt) = (BigInt::zero(), BigInt::zero());
    for (base, exponent) in exponents {
        sum += BigInt::from(logarithm(*base, digits)) * *exponent;
        // What the digits leave out is less than one unit, and what cutting loses is less than another.
        doubt += BigInt::from(2 * exponent.unsigned_abs());
    }
    (sum.abs() > doubt).then(|| sum.is_positive())
}

/// log₂ of a number of at least 2 in units of 2^−digits, too small by less than two units.
fn logarithm(number: u64, digits: u64) -> BigUint {
    let whole = u64::from(number.ilog2());
    let length = digits + 8;
    let two = BigUint::one() << (length + 1);
    let mut rest = (BigUint::from(number) << length) >> whole;
    let mut found = BigUint::from(whole);
    for _ in 0..digits {
        rest = (&rest * &rest) >> length;
        found <<= 1u32;
        if rest >= two {
            rest >>= 1u32;
            found += 1u32;
        }
    }
    found
}

/// The primes that divide counts, or their sum.
fn primes_of(counts: &[u64], n: u64) -> BTreeSet<u64> {
    let mut primes = BTreeSet::new();
    let distinct: BTreeSet<u64> = counts.iter().copied().chain([n]).collect();
    for mut rest in distinct {
        for known in &primes {
            while rest % known == 0 {
                rest /= known;
            }
        }
        let mut divisor = 2;
        while divisor * divisor <= rest {
            while rest % divisor == 0 {
                primes.insert(divisor);
                rest /= divisor;
            }
            divisor += 1;
        }
        if rest > 1 {
            primes.insert(rest);
        }
    }
    primes
}

/// Whether the product of all powers is one: every prime cancels out. A prime of a/b that no count has cannot.
fn is_one(exponents: &BTreeMap<u64, i128>, primes: &BTreeSet<u64>) -> bool {
    let mut sums: BTreeMap<u64, i128> = BTreeMap::new();
    for (base, exponent) in exponents {
        let mut rest = *base;
        for prime in primes {
            while rest % prime == 0 {
                rest /= prime;
                *sums.entry(*prime).or_default() += exponent;
            }
        }
        if rest > 1 {
            return false;
        }
    }
    sums.values().all(|sum| *sum == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_enclosed() {
        for number in [2u64, 3, 7, 1000, 1_000_003, u64::MAX] {
            let coarse = logarithm(number, 40);
            let fine = logarithm(number, 200) >> 160u32;
            assert!(coarse <= fine && fine <= &coarse + 2u32, "{number}");
            let float = (number as f64).log2() * (1u64 << 40) as f64;
            assert!((float - coarse.to_string().parse::<f64>().expect("a number")).abs() < 4.0, "{number}");
        }
    }

    #[test]
    fn ties_hold_and_neighbours_are_told_apart() {
        // 2, 2, 4, 8 of 16 have the entropy of 2^(7/4) values; 1, 1, 2 of 4 that of 2^(3/2).
        for times in [1u64, 1000, 1_000_003] {
            let even = vec![times; 12];
            assert!(is_at_least(&even, (12, 1)), "{times}");
            assert!(!is_at_least(&even, (12_000_000_001, 1_000_000_000)), "{times}");
        }
        let uneven = [400_001u64, 200_000, 200_000];
        assert!(is_at_least(&uneven, (2_828_425, 1_000_000)));
        assert!(!is_at_least(&uneven, (2_828_428, 1_000_000)));
    }
}
