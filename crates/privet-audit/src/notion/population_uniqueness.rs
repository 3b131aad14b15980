//! Population uniqueness: the estimated share of the population that is unique is at most max. Estimated again from the sizes of
//! the released classes: Zayatz (1991) as a fraction, Pitman's sampling formula and the shifted negative binomial by sums that
//! follow their equations.

use super::Facts;
use super::release_wide::sizes;
use crate::Check;
use crate::population;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use privet_core::Result;
use privet_policy::requirement;
use privet_policy::requirement::Estimator;

/// What the sums may be wrong by, relative to the estimate.
const DOUBT: f64 = 1e-7;

pub(super) fn check(
    asked: &requirement::PopulationUniqueness,
    name: String,
    facts: &Facts<'_>,
) -> Result<Check> {
    let sizes = sizes(facts);
    let sample = Sample::of(&sizes, population::size(facts)?);
    let (a, d) = (BigUint::from(asked.max.numerator()), BigUint::from(asked.max.denominator()));
    let max = asked.max;
    let by_fraction = |name: &str| {
        let (over, under) = sample.zayatz();
        let holds = &over * &d <= &under * &a;
        let value = ratio(&over, &under);
        (holds, format!("{value:.6} by {name}"))
    };
    let by_number = |name: &str, found: Option<f64>| match found {
        Some(value) => (value <= max.to_f64() * (1.0 + DOUBT), format!("{value:.6} by {name}")),
        None => (sample.of_size(1) == 0, format!("not available by {name}")),
    };
    let (holds, words) = match asked.estimator {
        _ if sizes.is_empty() => (true, "0, for the release has no records".to_string()),
        Estimator::Zayatz => by_fraction("Zayatz's estimator"),
        Estimator::Pitman => by_number("Pitman's formula", sample.pitman()),
        Estimator::Snb => by_number("the shifted negative binomial", sample.snb()),
        Estimator::Dankar if u128::from(sample.n) * 10 <= u128::from(sample.population) => {
            match sample.pitman() {
                Some(value) => by_number("Pitman's formula, as Dankar's rule chooses", Some(value)),
                None => by_fraction("Zayatz's estimator, as Dankar's rule chooses"),
            }
        }
        Estimator::Dankar => {
            let (over, under) = sample.zayatz();
            match sample.snb().filter(|value| *value < ratio(&over, &under)) {
                Some(value) => {
                    by_number("the shifted negative binomial, as Dankar's rule chooses", Some(value))
                }
                None => by_fraction("Zayatz's estimator, as Dankar's rule chooses"),
            }
        }
    };
    let sign = if holds { "≤" } else { ">" };
    let detail = format!(
        "the share of {} people that is unique is estimated as {words} {sign} {max}",
        sample.population
    );
    let mut check = Check::new(name, holds, detail);
    check.concerned = if holds { 0 } else { sample.of_size(1) };
    Ok(check)
}

fn ratio(over: &BigUint, under: &BigUint) -> f64 {
    let shift = under.bits().saturating_sub(600);
    let (over, under) = (over >> shift, under >> shift);
    over.to_f64().zip(under.to_f64()).map_or(0.0, |(over, under)| over / under)
}

/// How many classes there are of each size, and of how many people they are a sample.
struct Sample {
    /// Sizes, ascending, with how many classes have them.
    classes: Vec<(u64, u64)>,
    n: u64,
    population: u64,
}

impl Sample {
    fn of(sizes: &[u64], population: u64) -> Sample {
        let classes: Vec<(u64, u64)> =
            sizes.chunk_by(|a, b| a == b).map(|own| (own[0], own.len() as u64)).collect();
        Sample { classes, n: sizes.iter().sum(), population }
    }

    fn of_size(&self, size: u64) -> u64 {
        self.classes.iter().find(|(own, _)| *own == size).map_or(0, |(_, count)| *count)
    }

    /// c₁²·H₁/(n·Σ cᵢ·Hᵢ), H_i = i·(n/N)·Π (N−n−j+1)/(N−j) for j < i. Everything is divided by n/N.
    fn zayatz(&self) -> (BigUint, BigUint) {
        let (n, whole) = (self.n, self.population);
        let (mut over, mut under) = (BigUint::from(1u32), BigUint::from(1u32));
        let (mut sum_over, mut sum_under) = (BigUint::ZERO, BigUint::from(1u32));
        let mut j = 1u64;
        for (size, count) in &self.classes {
            while j < *size && over != BigUint::ZERO {
                over *= (whole + 1).saturating_sub(n + j);
                under *= whole - j;
                j += 1;
            }
            if over == BigUint::ZERO {
                break;
            }
            sum_over = sum_over * &under + &over * &sum_under * (u128::from(*size) * u128::from(*count));
            sum_under *= &under;
            // Common factors grow quickly otherwise.
            let common = num_integer::Integer::gcd(&sum_over, &sum_under);
            (sum_over, sum_under) = (sum_over / &common, sum_under / common);
        }
        let uniques = self.of_size(1);
        (sum_under * uniques * uniques, sum_over * n)
    }

    /// The maximum of the likelihood of Pitman's formula, by sums over classes and records.
    fn pitman(&self) -> Option<f64> {
        let classes: u64 = self.classes.iter().map(|(_, count)| count).sum();
        if classes < 2 || classes >= self.n || self.n > self.population {
            return None;
        }
        let first = |theta: f64, alpha: f64| -> f64 {
            let left: f64 = (1..classes).map(|i| 1.0 / (theta + i as f64 * alpha)).sum();
            let right: f64 = (1..self.n).map(|i| 1.0 / (theta + i as f64)).sum();
            left - right
        };
        let theta_of = |alpha: f64| {
            let (mut low, mut high) = (-alpha + alpha * 1e-9, 1.0);
            while first(high, alpha) > 0.0 {
                high *= 4.0;
                if high > 1e12 {
                    return None;
                }
            }
            for _ in 0..70 {
                let middle = 0.5 * (low + high);
                if first(middle, alpha) > 0.0 { low = middle } else { high = middle }
            }
            Some(0.5 * (low + high))
        };
        let second = |alpha: f64| {
            let theta = theta_of(alpha)?;
            let left: f64 = (1..classes).map(|i| i as f64 / (theta + i as f64 * alpha)).sum();
            let mut right = 0.0;
            let (mut inner, mut j) = (0.0, 1u64);
            for (size, count) in &self.classes {
                while j < *size {
                    inner += 1.0 / (j as f64 - alpha);
                    j += 1;
                }
                right += *count as f64 * inner;
            }
            Some(left - right)
        };
        let (mut low, mut high) = (1e-6, 1.0 - 1e-9);
        if second(low)? <= 0.0 || second(high)? > 0.0 {
            return None;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if second(middle)? > 0.0 { low = middle } else { high = middle }
        }
        let alpha = 0.5 * (low + high);
        let theta = theta_of(alpha)?;
        let whole = self.population as f64;
        // Γ(θ+1)/Γ(θ+α), by shifting both far up, where Stirling's series is right.
        let (mut shift, mut x) = (0.0, theta);
        while x < 30.0 {
            shift += (x + alpha).ln() - (x + 1.0).ln();
            x += 1.0;
        }
        let stirling = |z: f64| {
            (z - 0.5) * z.ln() - z + 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5))
        };
        Some(((alpha - 1.0) * whole.ln() + shift + stirling(x + 1.0) - stirling(x + alpha)).exp())
    }

    /// The shifted negative binomial: its two equations, by bisection inside of bisection.
    fn snb(&self) -> Option<f64> {
        let (ones, twos) = (self.of_size(1) as f64, self.of_size(2) as f64);
        if self.n >= self.population || ones == 0.0 || twos == 0.0 {
            return None;
        }
        let f = self.n as f64 / self.population as f64;
        let sum = |own: &dyn Fn(f64) -> f64| -> f64 {
            self.classes.iter().map(|(size, count)| own(*size as f64) * *count as f64).sum()
        };
        let a = sum(&|i| i * f * f * (1.0 - f * f).powf(i - 1.0));
        let b = sum(&|i| (1.0 - f).powf(i) * ((1.0 + f).powf(i) - 1.0));
        let d = sum(&|i| (1.0 - f).powf(i));
        let e = sum(&|i| i * f * (1.0 - f).powf(i - 1.0));
        let kinds = sum(&|_| 1.0) + ones * (a / b) * (d / e).powi(2);
        // Logarithms of what the equations expect over what is there.
        let first = |a: f64, b: f64| {
            let d = (1.0 - f) * (1.0 - b);
            (kinds * f / ones).ln() + a * (b / (1.0 - d)).ln() + (1.0 + a * d / (1.0 - d)).ln()
        };
        let second = |a: f64, b: f64| {
            let d = (1.0 - f) * (1.0 - b);
            let head =
                kinds * f * f * a * (1.0 - b) * (2.0 - (1.0 - a) * d) / (2.0 * (1.0 - d).powi(2) * twos);
            head.ln() + a * (b / (1.0 - d)).ln()
        };
        let halved = |mut low: f64, mut high: f64, up: bool, sign: &dyn Fn(f64) -> Option<f64>| {
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if (sign(middle)? > 0.0) == up { high = middle } else { low = middle }
            }
            Some(0.5 * (low + high))
        };
        let a_of = |b: f64, later: bool| {
            let d = (1.0 - f) * (1.0 - b);
            let top = (-1.0 / (b / (1.0 - d)).ln() - (1.0 - d) / d).max(0.0);
            if first(top, b) < 0.0 {
                return None;
            }
            if !later {
                return if first(0.0, b) > 0.0 {
                    None
                } else {
                    halved(0.0, top, true, &|a| Some(first(a, b)))
                };
            }
            let mut far = 1.0 + 2.0 * top;
            while first(far, b) > 0.0 {
                far *= 2.0;
                if far > 1e300 {
                    return None;
                }
            }
            halved(top, far, false, &|a| Some(first(a, b)))
        };
        for later in [true, false] {
            let gap = |b: f64| Some(second(a_of(b, later)?, b));
            let mut before: Option<(f64, f64)> = None;
            for step in -240..=160 {
                let b = 1.0 / (1.0 + (-f64::from(step) / 8.0).exp());
                let here = gap(b).filter(|gap| gap.is_finite());
                if let (Some((low, was)), Some(now)) = (before, here)
                    && (was > 0.0) != (now > 0.0)
                    && let Some(b) = halved(low, b, now > 0.0, &gap)
                    && let Some(a) = a_of(b, later)
                {
                    let share = kinds * (a * b.ln()).exp() / self.population as f64;
                    return Some(share).filter(|share| *share > 0.0 && *share <= 1.0);
                }
                before = here.map(|gap| (b, gap));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toy_has_its_fraction_and_no_solution() {
        let sample = Sample::of(&[1, 1, 2, 2], 12);
        let (over, under) = sample.zayatz();
        assert_eq!(over * 69u32, under * 11u32);
        assert_eq!(sample.pitman(), None);
    }
}
