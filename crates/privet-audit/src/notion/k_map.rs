//! k-map (Sweeney 2001; El Emam and Dankar 2008): behind every released class there are at least k people of the population.
//!
//! People are counted by what released cells contain, weights are added; by Poisson's law the least number of records is asked
//! that a class of k people falls short of often enough (Pannekoek 1999).

use super::Facts;
use super::release_wide::{Judged, each_class, sizes};
use super::weights::Weights;
use crate::Check;
use crate::population::{self, Register};
use num_bigint::BigUint;
use privet_core::{Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::CountedBy;

pub(super) fn check(asked: &requirement::KMap, name: String, facts: &Facts<'_>) -> Result<Check> {
    let k = asked.k;
    let smallest = sizes(facts).first().copied().unwrap_or(0);
    let mut check = match asked.by {
        None | Some(CountedBy::Population) => {
            let register = Register::count(facts)?;
            each_class(name, facts, |class, n| {
                let people = register.behind[class as usize];
                let holds = people >= k;
                let sign = if holds { "≥" } else { "<" };
                let explained = format!("N = {people} {sign} k = {k} (n = {n})");
                Ok(Judged { holds, strain: -(people as f64), explained })
            })?
        }
        Some(CountedBy::Weights) => {
            let weights = Weights::of(facts)?;
            each_class(name, facts, |class, n| {
                let (sum, unit) = weights.sum(class);
                let holds = *sum >= BigUint::from(k) * unit;
                let people = weights.people(class);
                let sign = if holds { "≥" } else { "<" };
                let explained = format!("weights add up to {people} {sign} k = {k} (n = {n})");
                Ok(Judged { holds, strain: -people, explained })
            })?
        }
        Some(by @ (CountedBy::Poisson | CountedBy::ZeroTruncatedPoisson)) => {
            let records = facts.tables.original.rows;
            let share = asked.significance.unwrap_or(Exact::ZERO);
            let law = Law { k, sample: (records, population::size(facts)?) };
            let least = law.least(share, by == CountedBy::ZeroTruncatedPoisson);
            each_class(name, facts, |_, n| {
                let holds = n >= least;
                let sign = if holds { "≥" } else { "<" };
                let explained = format!("n = {n} {sign} {least}, which the test asks for k = {k}");
                Ok(Judged { holds, strain: -(n as f64), explained })
            })?
        }
    };
    if check.holds && facts.classes.len() > 0 {
        check.detail = format!("{}; the smallest class has n = {smallest}", check.detail);
    }
    Ok(check)
}

/// Poisson's law of the records that k people leave in a sample.
struct Law {
    k: u64,
    sample: (u64, u64),
}

impl Law {
    /// One more than the least x with P(X ≤ x) ≥ 1 − share, at most k. Without zero where `truncated`.
    fn least(&self, share: Exact, truncated: bool) -> u64 {
        let mean = self.k as f64 * self.sample.0 as f64 / self.sample.1.max(1) as f64;
        let wanted = 1.0 - share.to_f64();
        // Logarithms, so that nothing is too small to be added.
        let (mut log, mut sum) = (-mean, 0.0);
        let whole = if truncated { -(-mean).exp_m1() } else { 1.0 };
        let mut x = 0u64;
        loop {
            if x > 0 || !truncated {
                sum += log.exp();
            }
            if sum / whole >= wanted - 1e-12 || x >= self.k {
                return (x + 1).min(self.k.max(1));
            }
            x += 1;
            log += mean.ln() - (x as f64).ln();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_asks_for_what_is_published() {
        let least = |k, truncated| {
            let law = Law { k, sample: (30_162, 317_238_626) };
            law.least(Exact::parse("0.01").expect("a number"), truncated)
        };
        assert_eq!([least(3, true), least(1000, true), least(3, false), least(1000, false)], [2, 3, 1, 2]);
    }
}
