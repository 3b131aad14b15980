//! Individual risk (Benedetti and Franconi 1998) and the risk of households.
//!
//! A class of f records that stand for F̂ people: with p = f/F̂, the people in it beyond the f are taken to be negative
//! binomial, and the risk is E[1/F]. Where f records stand for no more than f people it is 1/f.

use num_bigint::{BigInt, BigUint};

use super::Estimate;
use crate::powers::enclosed_logarithm;
use privet_core::Exact;

/// From this many records on the series converges in few terms for every p.
const LONG: u64 = 16;

/// The risk of each record of a class of `records` records whose weights add up to `people`.
///
/// Closed form for one record; for more, at p ≤ 1/2, the recurrence r_f = p/(1 − p) · (1/(f − 1) − r_{f−1}). That loses digits
/// for larger p and for many records. There it is the series E[1/F] = (p/f) Σ_k k! f!/(f + k)! (1 − p)^k, in which all terms are
/// positive (Euler's transformation of Σ_h C(h−1, f−1) p^f (1−p)^(h−f)/h).
///
/// ```
/// use privet_engine::risk::individual::individual_risk;
/// assert!((individual_risk(2, 20.0).value - 0.082684).abs() < 1e-6);
/// assert_eq!(individual_risk(4, 4.0).value, 0.25);
/// ```
pub fn individual_risk(records: u64, people: f64) -> Estimate {
    let f = records.max(1);
    let count = f as f64;
    // Also where weights are not numbers.
    if people.is_nan() || people <= count {
        return Estimate::within(1.0 / count, 4.0 * f64::EPSILON);
    }
    let p = count / people;
    if f == 1 {
        let value = (people.ln() / (people - count)).min(1.0);
        return Estimate::within(value, 64.0 * f64::EPSILON * (1.0 + people / (people - count)));
    }
    if p <= 0.5 && f < LONG {
        let odds = count / (people - count);
        let mut risk = odds * (people / count).ln();
        for size in 2..=f {
            risk = odds * (1.0 / (size - 1) as f64 - risk);
        }
        // Each step adds a rounding of a number below 1 and shrinks what came before; r_f is at least p/f.
        let doubt = 32.0 * count * f64::EPSILON * odds / risk.max(f64::MIN_POSITIVE);
        return Estimate::within(risk, doubt.min(1.0));
    }
    let rest = (people - count) / people;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    loop {
        term *= (k + 1.0) / (count + 1.0 + k) * rest;
        sum += term;
        k += 1.0;
        // What is left is at most a geometric series of ratio `rest`, or of the inverse binomials, which fall like k^−f.
        let tail = (term * (rest / (1.0 - rest))).min(term * (k + 1.0) / (count - 1.0));
        if tail <= sum * f64::EPSILON {
            return Estimate::within(p / count * sum, (8.0 + 4.0 * k) * f64::EPSILON);
        }
    }
}

/// The risk that somebody of a household is found, if its members have these risks: 1 − Π(1 − r).
pub fn household_risk(members: impl IntoIterator<Item = Estimate>) -> Estimate {
    let (mut safe, mut least_safe, mut most_safe) = (1.0, 1.0, 1.0);
    let mut count = 1.0;
    for risk in members {
        safe *= 1.0 - risk.value;
        least_safe *= 1.0 - risk.upper.min(1.0);
        most_safe *= 1.0 - risk.lower.max(0.0);
        count += 1.0;
    }
    let doubt = count * f64::EPSILON;
    Estimate {
        value: 1.0 - safe,
        lower: (1.0 - most_safe - doubt).max(0.0),
        upper: (1.0 - least_safe + doubt).min(1.0),
    }
}

/// A class as exactly as it is known: its records, and the people that they stand for in units of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precise {
    /// The records.
    pub records: u64,
    /// The sum of their weights, in units.
    pub people: u64,
    /// How many units one person is.
    pub unit: u64,
}

/// Digits beyond which a comparison is given up, and decided against the class.
const MOST_BITS: u64 = 1 << 15;

/// Whether the risk of each of `records` records that stand for people/unit people is at most max. Decided by floating point
/// where its bounds are clear, else by intervals of more and more digits: the risk is irrational unless it is 1/records.
///
/// ```
/// use privet_core::Exact;
/// use privet_engine::risk::individual::is_at_most;
/// assert!(is_at_most(2, (20, 1), Exact::parse("0.082685").unwrap()));
/// assert!(!is_at_most(2, (20, 1), Exact::parse("0.082684").unwrap()));
/// assert!(is_at_most(4, (3, 1), Exact::parse("1/4").unwrap()));
/// ```
pub fn is_at_most(records: u64, (people, unit): (u64, u64), max: Exact) -> bool {
    let class = Precise { records, people, unit };
    let (a, d) = (u128::from(max.numerator()), u128::from(max.denominator()));
    if class.is_whole() {
        return d <= a * u128::from(records.max(1));
    }
    let found = individual_risk(records, people as f64 / unit as f64);
    let max = max.to_f64();
    if found.upper < max * (1.0 - 1e-14) {
        return true;
    }
    if found.lower > max * (1.0 + 1e-14) {
        return false;
    }
    let mut bits = 128;
    while bits <= MOST_BITS {
        let (low, high) = class.enclosed(bits);
        let bound = BigInt::from(a) << bits;
        if high * d <= bound {
            return true;
        }
        if low * d > bound {
            return false;
        }
        bits *= 2;
    }
    false
}

/// Whether the risk of a household of these classes, each with how many members are in it, is at most max.
pub fn household_is_at_most(members: Vec<(Precise, u64)>, max: Exact) -> bool {
    let (a, d) = (max.numerator(), max.denominator());
    if members.iter().all(|(class, _)| class.is_whole()) {
        // Π (f − 1)/f ≥ 1 − max, in whole numbers.
        let (mut over, mut under) = (BigUint::from(1u32), BigUint::from(1u32));
        for (class, count) in &members {
            for _ in 0..*count {
                over *= class.records.max(1) - 1;
                under *= class.records.max(1);
            }
        }
        return over * d >= under * (d - a);
    }
    let mut bits = 128u64;
    while bits <= MOST_BITS {
        let one = BigInt::from(1) << bits;
        let (mut low, mut high) = (one.clone(), one.clone());
        for (class, count) in &members {
            let (least, most) = class.enclosed(bits);
            for _ in 0..*count {
                low = (low * (&one - &most).max(BigInt::ZERO)) >> bits;
                high = ((high * (&one - &least)) >> bits) + 1;
            }
        }
        let bound = BigInt::from(d - a) << bits;
        if low * d >= bound {
            return true;
        }
        if high * d < bound {
            return false;
        }
        bits *= 2;
    }
    false
}

impl Precise {
    /// Whether the records stand for no more people than they are, so that the risk is 1/records.
    fn is_whole(&self) -> bool {
        u128::from(self.people) <= u128::from(self.records) * u128::from(self.unit)
    }

    /// The risk in units of 2^−bits, between two whole numbers.
    fn enclosed(&self, bits: u64) -> (BigInt, BigInt) {
        let one = BigInt::from(1) << bits;
        let f = self.records.max(1);
        if self.is_whole() {
            return (&one / f, &one / f + 1);
        }
        // p = a/b, and b fits 64 bits.
        let (a, b) = (f * self.unit, self.people);
        let down = |number: BigInt, over: u64, under: u64| floor(number * over, under);
        let up = |number: BigInt, over: u64, under: u64| floor(number * over, under) + 1;
        if f < LONG && a <= b / 2 {
            let (whole, whole_doubt) = enclosed_logarithm(b, bits);
            let (part, part_doubt) = enclosed_logarithm(a, bits);
            let (whole, part) = (BigInt::from(whole), BigInt::from(part));
            let mut low = down(&whole - &part - part_doubt, a, b - a);
            let mut high = up(whole + whole_doubt - part, a, b - a);
            for size in 2..=f {
                let step = &one / (size - 1);
                (low, high) = (down(&step - high, a, b - a), up(step + 1 - low, a, b - a));
            }
            return (low, high);
        }
        let (mut low, mut high) = (one.clone(), one.clone());
        let (mut sum_low, mut sum_high) = (one.clone(), one);
        let mut k = 0u64;
        loop {
            let under = BigInt::from(b) * (f + 1 + k);
            low = (low * (b - a) * (k + 1)) / &under;
            let next: BigInt = (&high * (b - a) * (k + 1)) / &under + 1;
            // Where the factor is above one half, rounding up keeps a term above 2 for ever: then it no longer falls.
            let is_least = next >= high;
            high = next;
            sum_low += &low;
            sum_high += &high;
            k += 1;
            // What is left is at most a geometric series of ratio 1 − p, or of the inverse binomials, which fall like k^−f.
            if is_least || high <= BigInt::from(2) {
                let geometric: BigInt = (&high * (b - a)) / a + 1;
                let binomial = if f > 1 { (&high * (k + 1)) / (f - 1) + 1 } else { geometric.clone() };
                sum_high += geometric.min(binomial);
                break;
            }
        }
        let over = BigInt::from(a);
        let under = BigInt::from(b) * f;
        ((sum_low * &over) / &under, (sum_high * over) / under + 1)
    }
}

/// number/under, rounded down also below zero.
fn floor(number: BigInt, under: u64) -> BigInt {
    let quotient = &number / under;
    if number < BigInt::ZERO { quotient - 1 } else { quotient }
}
