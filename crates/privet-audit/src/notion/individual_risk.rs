//! Individual risk (Benedetti and Franconi 1998): for f records whose weights add up to F̂ the risk of each is E[1/F], F − f
//! negative binomial with p = f/F̂; 1/f where p ≥ 1. In every released class it is at most max.
//!
//! With the generating function of F, E[1/F] = ∫ s^(f−1)·p/(p + (1−p)s) ds from 0 to 1, which is added up numerically here.

use super::Facts;
use super::release_wide::{Judged, each_class};
use super::weights::Weights;
use crate::Check;
use num_bigint::BigUint;
use privet_core::Result;
use privet_policy::requirement;

/// What the numerical sum may be wrong by, relative to the risk.
pub(super) const DOUBT: f64 = 1e-10;

pub(super) fn check(asked: &requirement::IndividualRisk, name: String, facts: &Facts<'_>) -> Result<Check> {
    let weights = Weights::of(facts)?;
    let max = asked.max;
    each_class(name, facts, |class, n| {
        let (sum, unit) = weights.sum(class);
        let people = weights.people(class);
        let whole = *sum <= unit * n;
        let risk = if whole { 1.0 / n as f64 } else { risk(n, people) };
        let holds = match whole {
            true => BigUint::from(max.denominator()) <= BigUint::from(max.numerator()) * n,
            false => risk <= max.to_f64() * (1.0 + DOUBT),
        };
        let sign = if holds { "≤" } else { ">" };
        let explained = format!("risk {risk:.6} {sign} {max} ({n} records stand for {people} people)");
        Ok(Judged { holds, strain: risk, explained })
    })
}

/// E[1/F] for f records that stand for more people than they are. The points lie doubly exponentially near both ends, where the
/// function may be steep.
pub(super) fn risk(f: u64, people: f64) -> f64 {
    const STEP: f64 = 1.0 / 64.0;
    let p = f as f64 / people;
    let mut sum = 0.0;
    for at in -320..=320 {
        let t = f64::from(at) * STEP;
        let reach = std::f64::consts::PI * t.sinh();
        // s = 1/(1 + e^−reach), and s(1 − s) is its slope.
        let log = -(-reach).exp().ln_1p();
        let (s, rest) = (log.exp(), 1.0 / (1.0 + reach.exp()));
        let slope = std::f64::consts::PI * t.cosh() * s * rest;
        if slope.is_finite() && slope > 0.0 {
            sum += slope * ((f - 1) as f64 * log).exp() * p / (p + (1.0 - p) * s);
        }
    }
    sum * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_is_the_risk() {
        for (f, people, wanted) in [(2, 20.0, 0.0826842), (1, 5.0, 0.4023595), (2, 22.0, 0.0760209)] {
            assert!((risk(f, people) - wanted).abs() < 1e-6, "{f} {people}: {}", risk(f, people));
        }
        // The series that defines it.
        for (f, people) in [(1u64, 1.5), (3, 4.0), (7, 100.0), (40, 45.0), (1, 3000.0)] {
            let p = f as f64 / people;
            let (mut term, mut sum, mut h) = (p.powi(f as i32), 0.0, f);
            while h < 300_000 {
                sum += term / h as f64;
                term *= h as f64 / (h + 1 - f) as f64 * (1.0 - p);
                h += 1;
            }
            assert!((risk(f, people) / sum - 1.0).abs() < 1e-11, "{f} {people}");
        }
    }
}
