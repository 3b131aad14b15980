//! Individual risk (Benedetti and Franconi 1998) and the risk of households.
//!
//! A class of f records that stand for F̂ people: with p = f/F̂, the people in it beyond the f are taken to be negative
//! binomial, and the risk is E[1/F]. Where f records stand for no more than f people it is 1/f.

use super::Estimate;

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
