//! Which share of the population is unique, estimated from a sample.
//!
//! Zayatz (1991) is an exact fraction. Pitman's sampling formula (Hoshino 2001) and the shifted negative binomial (Chen and
//! Keller-McNulty 1998) solve equations; where these have no solution the estimate is absent.

use std::cell::Cell;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::special::{digamma, ln_gamma_ratio};
use super::{ClassSizes, Estimate};

/// All estimates of the share of the population that is unique.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniqueness {
    /// Zayatz's estimator.
    pub zayatz: Option<Estimate>,
    /// Pitman's sampling formula.
    pub pitman: Option<Estimate>,
    /// The shifted negative binomial.
    pub snb: Option<Estimate>,
    /// What the rule of Dankar and others (2012) chooses of them.
    pub dankar: Option<Estimate>,
}

impl Uniqueness {
    /// Estimates for a sample of classes of these sizes from a population of `population` people. All are absent where the
    /// sample is empty or larger than the population.
    pub fn of(sizes: &ClassSizes, population: u64) -> Uniqueness {
        let (zayatz, pitman, snb) =
            (zayatz(sizes, population), pitman(sizes, population), snb(sizes, population));
        let dankar = match is_small_sample(sizes, population) {
            true => pitman.or(zayatz),
            false => smaller(snb, zayatz),
        };
        Uniqueness { zayatz, pitman, snb, dankar }
    }

    /// What the rule of Dankar and others chooses, and whether that is Zayatz's estimate. No more models are solved than the rule
    /// looks at.
    pub fn dankar_of(sizes: &ClassSizes, population: u64) -> (Option<Estimate>, bool) {
        let zayatz = zayatz(sizes, population);
        let chosen = match is_small_sample(sizes, population) {
            true => pitman(sizes, population).or(zayatz),
            false => smaller(snb(sizes, population), zayatz),
        };
        (chosen, chosen == zayatz)
    }

    /// Zayatz's estimate alone.
    pub fn zayatz_of(sizes: &ClassSizes, population: u64) -> Option<Estimate> {
        zayatz(sizes, population)
    }

    /// The estimate by Pitman's sampling formula alone.
    pub fn pitman_of(sizes: &ClassSizes, population: u64) -> Option<Estimate> {
        pitman(sizes, population)
    }

    /// The estimate by the shifted negative binomial alone.
    pub fn snb_of(sizes: &ClassSizes, population: u64) -> Option<Estimate> {
        snb(sizes, population)
    }
}

/// Whether at most a tenth of the population is in the sample.
fn is_small_sample(sizes: &ClassSizes, population: u64) -> bool {
    u128::from(sizes.records()) * 10 <= u128::from(population)
}

/// The smaller of two estimates, or the one there is.
fn smaller(one: Option<Estimate>, other: Option<Estimate>) -> Option<Estimate> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one.value < other.value { one } else { other }),
        (one, other) => one.or(other),
    }
}

/// Classes of more records than this would make the exact fraction very long.
const LARGEST_EXACT: u64 = 4096;

/// Zayatz's estimate as a fraction: c₁²·H₁ / (n·Σ c_i·H_i), where H_i is the chance that a simple random sample of n of N takes
/// exactly one of i given people. Absent where the sample is empty or larger than the population, and where a class is so
/// large that the fraction would have many thousands of digits.
///
/// ```
/// use privet_engine::risk::{ClassSizes, uniqueness::zayatz_fraction};
/// let (above, below) = zayatz_fraction(&ClassSizes::of([2, 1, 2, 1]), 12).unwrap();
/// assert_eq!(above * 69u32, below * 11u32);
/// ```
pub fn zayatz_fraction(sizes: &ClassSizes, population: u64) -> Option<(BigUint, BigUint)> {
    let n = sizes.records();
    let (largest, _) = sizes.counts().next_back()?;
    if n > population || largest > LARGEST_EXACT {
        return None;
    }
    // Both sides have the factor n/N of H. The sum is Σ i·c_i Π_{j<i} (N−n−j+1)/(N−j), by Horner's rule from the largest class.
    let (mut above, mut below) = (BigUint::ZERO, BigUint::from(1u32));
    for size in (1..=largest).rev() {
        // Here above/below is the sum of the terms beyond this size, divided by Π_{j ≤ size}.
        above *= (population - n + 1).saturating_sub(size);
        let next = population - size;
        if next > 0 {
            below *= next;
        }
        above += &below * (u128::from(size) * u128::from(sizes.of_size(size)));
    }
    let uniques = sizes.of_size(1);
    Some((below * uniques * uniques, above * n))
}

/// Zayatz's estimate.
fn zayatz(sizes: &ClassSizes, population: u64) -> Option<Estimate> {
    let n = sizes.records();
    if n == 0 || n > population {
        return None;
    }
    let (uniques, whole) = (sizes.of_size(1) as f64, population as f64);
    let (mut sum, mut chance, mut size) = (0.0, 1.0, 1u64);
    for (next, classes) in sizes.counts() {
        while size < next && chance > 0.0 {
            chance *= (population - n + 1).saturating_sub(size) as f64 / (whole - size as f64);
            size += 1;
        }
        size = next;
        sum += next as f64 * classes as f64 * chance;
    }
    (sum > 0.0).then(|| Estimate::within(uniques * uniques / (n as f64 * sum), 1e-10))
}

/// Steps after which a sign change between any two numbers is found to the last digits.
const MOST_STEPS: usize = 200;

/// Where `value` changes from positive to not positive between two points, as close as its own digits let it be known. Steps
/// interpolate, truncate towards the middle and are never worse than halving by more than one step (ITP; Oliveira and Takahashi,
/// ACM TOMS 47(1), 2021), so that both ends move. `None` where `value` has none.
fn close_in(mut low: f64, mut high: f64, value: impl Fn(f64) -> Option<f64>) -> Option<(f64, f64)> {
    let (mut above, mut below) = (value(low)?, value(high)?);
    let width = high - low;
    let least = f64::EPSILON * low.abs().max(high.abs());
    let halvings = (width / (2.0 * least).max(f64::MIN_POSITIVE)).log2().ceil().max(0.0);
    let mut reach = least * (halvings + 1.0).exp2();
    for _ in 0..MOST_STEPS {
        let middle = 0.5 * (low + high);
        if high - low <= 2.0 * least || middle <= low || middle >= high {
            break;
        }
        let line = (high * above - low * below) / (above - below);
        let line = if line.is_finite() { line.clamp(low, high) } else { middle };
        let towards = (middle - line).signum();
        let truncated = (0.2 / width * (high - low) * (high - low)).max(least);
        let near = if truncated <= (middle - line).abs() { line + towards * truncated } else { middle };
        let spare = (reach - 0.5 * (high - low)).max(0.0);
        let next = if (near - middle).abs() <= spare { near } else { middle - towards * spare };
        let next = if next > low && next < high { next } else { middle };
        let found = value(next)?;
        if found > 0.0 {
            (low, above) = (next, found)
        } else {
            (high, below) = (next, found)
        }
        reach *= 0.5;
    }
    Some((low, high))
}

/// Pitman's sampling formula: the maximum likelihood of (θ, α), 0 < α < 1, θ > −α.
fn pitman(sizes: &ClassSizes, population: u64) -> Option<Estimate> {
    let (n, classes) = (sizes.records(), sizes.classes());
    if n > population || classes < 2 || classes >= n {
        return None;
    }
    let (count, kinds) = (n as f64, classes as f64);
    // Σ_{i<C} 1/(θ+iα), and what θ must satisfy for a given α.
    let first =
        |theta: f64, alpha: f64| (digamma(theta / alpha + kinds) - digamma(theta / alpha + 1.0)) / alpha;
    let over = |theta: f64, alpha: f64| first(theta, alpha) - (digamma(theta + count) - digamma(theta + 1.0));
    // In terms of θ + α > 0, from −α, where the sum has a pole, to where it is below. Solutions for neighbouring α are near.
    let last = Cell::new(1.0);
    let theta_of = |alpha: f64| {
        let start = last.get();
        let is_before = |x: f64| over(x - alpha, alpha) > 0.0;
        let (mut low, mut high) = (start, start);
        while is_before(high) {
            low = high;
            high *= 4.0;
            if high > 1e15 {
                return None;
            }
        }
        while low == high || !is_before(low) {
            high = low;
            low *= 0.25;
            if low < 1e-300 {
                return None;
            }
        }
        let (low, high) = close_in(low, high, |x| Some(over(x - alpha, alpha)))?;
        last.set(0.5 * (low + high));
        Some(last.get() - alpha)
    };
    let slope = |alpha: f64| {
        let theta = theta_of(alpha)?;
        let left = (kinds - 1.0 - theta * first(theta, alpha)) / alpha;
        let one = digamma(1.0 - alpha);
        let right: f64 = sizes
            .counts()
            .filter(|(size, _)| *size > 1)
            .map(|(size, classes)| classes as f64 * (digamma(size as f64 - alpha) - one))
            .sum();
        Some(left - right)
    };
    let (least, most) = (1e-6, 1.0 - 1e-9);
    if slope(least)? <= 0.0 || slope(most)? > 0.0 {
        // The likelihood is largest at an end: there is no such population.
        return None;
    }
    let (low, high) = close_in(least, most, slope)?;
    let share = |alpha: f64| {
        let theta = theta_of(alpha)?;
        Some(((alpha - 1.0) * (population as f64).ln() + ln_gamma_ratio(theta + alpha, 1.0 - alpha)).exp())
    };
    enclosed(share(low)?, share(high)?)
}

/// The estimate between the values at the two ends of a solution; absent where these are too far apart to be one.
fn enclosed(one: f64, other: f64) -> Option<Estimate> {
    let (lower, upper) = (one.min(other), one.max(other));
    let value = 0.5 * (lower + upper);
    let solved = value.is_finite() && value > 0.0 && value <= 1.0 && upper - lower <= 1e-9 * value;
    solved.then_some(Estimate { value, lower: lower - 1e-9 * value, upper: upper + 1e-9 * value })
}

/// The shifted negative binomial: the population has K classes, and what a class has beyond one person is negative binomial
/// with (a, b).
fn snb(sizes: &ClassSizes, population: u64) -> Option<Estimate> {
    let n = sizes.records();
    let (ones, twos) = (sizes.of_size(1) as f64, sizes.of_size(2) as f64);
    if n >= population || ones == 0.0 || twos == 0.0 {
        return None;
    }
    let f = n as f64 / population as f64;
    let (mut a, mut b, mut d, mut e) = (0.0, 0.0, 0.0, 0.0);
    for (size, classes) in sizes.counts() {
        let (i, c) = (size as f64, classes as f64);
        a += i * f * f * (1.0 - f * f).powf(i - 1.0) * c;
        b += ((1.0 - f * f).powf(i) - (1.0 - f).powf(i)) * c;
        d += (1.0 - f).powf(i) * c;
        e += i * f * (1.0 - f).powf(i - 1.0) * c;
    }
    let kinds = sizes.classes() as f64 + ones * (a / b) * (d / e).powi(2);
    if !kinds.is_finite() || kinds <= 0.0 {
        return None;
    }
    let parts = |b: f64| {
        let d = (1.0 - f) * (1.0 - b);
        (d, b + f - f * b)
    };
    // The logarithm of what the first equation expects, less that of c₁: concave in a.
    let first = |a: f64, b: f64| {
        let (d, rest) = parts(b);
        (kinds * f / ones).ln() + a * (b / rest).ln() + (a * d / rest).ln_1p()
    };
    let second = |a: f64, b: f64| {
        let (d, rest) = parts(b);
        let head = (kinds * f * f / (2.0 * twos)).ln() + a.ln() + (1.0 - b).ln();
        head + a * (b / rest).ln() + (2.0 - (1.0 - a) * d).ln() - 2.0 * rest.ln()
    };
    // At most two a solve the first equation for a given b: one before and one after its largest value.
    let solution = |b: f64, later: bool| {
        let (d, rest) = parts(b);
        let fall = -(b / rest).ln();
        let top = (1.0 / fall - rest / d).max(0.0);
        if first(top, b) < 0.0 {
            return None;
        }
        if later {
            let mut high = 1.0 + 2.0 * top;
            while first(high, b) > 0.0 {
                high *= 2.0;
                if high > 1e300 {
                    return None;
                }
            }
            close_in(top, high, |a| Some(first(a, b))).map(|(low, high)| 0.5 * (low + high))
        } else {
            if first(0.0, b) > 0.0 {
                return None;
            }
            close_in(0.0, top, |a| Some(-first(a, b))).map(|(low, high)| 0.5 * (low + high))
        }
    };
    // b from nearly 0 to nearly 1, evenly by its log-odds.
    let odds = |step: i32| 1.0 / (1.0 + (-f64::from(step) / 8.0).exp());
    for later in [true, false] {
        let residual = |b: f64| Some(second(solution(b, later)?, b));
        let steps: Vec<(f64, Option<f64>)> =
            (-240..=160).map(|step| (odds(step), residual(odds(step)))).collect();
        for pair in steps.windows(2) {
            let [(low, Some(before)), (high, Some(after))] = pair else { continue };
            if (*before > 0.0) == (*after > 0.0) {
                continue;
            }
            let turn = if *before > 0.0 { 1.0 } else { -1.0 };
            let Some((low, high)) = close_in(*low, *high, |b| Some(turn * residual(b)?)) else { continue };
            let share = |b: f64| Some(kinds * (solution(b, later)? * b.ln()).exp() / population as f64);
            if let (Some(one), Some(other)) = (share(low), share(high))
                && let Some(found) = enclosed(one, other)
            {
                return Some(found);
            }
        }
    }
    None
}

/// The value of a fraction of large numbers.
pub fn fraction(above: &BigUint, below: &BigUint) -> Option<f64> {
    let shift = below.bits().saturating_sub(64);
    let scaled = (above << 64u32 >> shift).to_f64()?;
    let value = scaled / (below >> shift).to_f64()? / 2f64.powi(64);
    value.is_finite().then_some(value)
}
