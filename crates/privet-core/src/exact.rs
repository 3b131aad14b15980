//! Exact non-negative rationals for thresholds: `0.3`, `"3/10"` and `"30%"` are the same number.
//!
//! Floating point decides nothing about privacy (1.12 × 25 < 28 must not become true), so a threshold keeps
//! the digits the user wrote as numerator and denominator, and every notion compares in integers.

use std::cmp::Ordering;
use std::fmt;

use num_integer::Integer;

/// Denominators stay below this, so that the products the notions compare fit 128 bits for tables of up to 2³² records.
const MOST_DENOMINATOR: u64 = 1_000_000_000_000_000_000;

/// A non-negative rational number in lowest terms.
///
/// ```
/// use privet_core::Exact;
/// assert_eq!(Exact::parse("30%"), Exact::parse("0.3"));
/// assert!(Exact::parse("1/3").unwrap() > Exact::parse("0.3333333333333333").unwrap());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exact {
    numerator: u64,
    denominator: u64,
}

impl Exact {
    /// The number zero.
    pub const ZERO: Exact = Exact { numerator: 0, denominator: 1 };

    /// The number one.
    pub const ONE: Exact = Exact { numerator: 1, denominator: 1 };

    /// A whole number.
    pub const fn whole(number: u64) -> Exact {
        Exact { numerator: number, denominator: 1 }
    }

    /// `numerator / denominator` in lowest terms; `None` for a zero denominator.
    pub fn new(numerator: u64, denominator: u64) -> Option<Exact> {
        if denominator == 0 {
            return None;
        }
        let divisor = numerator.gcd(&denominator);
        let exact = Exact { numerator: numerator / divisor, denominator: denominator / divisor };
        (exact.denominator <= MOST_DENOMINATOR).then_some(exact)
    }

    /// Reads `5`, `0.3`, `1e-3`, `3/10` or `30%`; `None` for anything else, also for negative or too long numbers.
    pub fn parse(text: &str) -> Option<Exact> {
        let text = text.trim();
        if let Some(percent) = text.strip_suffix('%') {
            let exact = decimal(percent.trim_end())?;
            return Exact::new(exact.numerator, exact.denominator.checked_mul(100)?);
        }
        if let Some((over, under)) = text.split_once('/') {
            let (over, under) = (decimal(over.trim())?, decimal(under.trim())?);
            let numerator = over.numerator.checked_mul(under.denominator)?;
            return Exact::new(numerator, over.denominator.checked_mul(under.numerator)?);
        }
        decimal(text)
    }

    /// Why a text is not read, for a number of at least `least`.
    pub fn fault(text: &str, least: &str) -> String {
        let plain = text.trim().trim_end_matches('%').trim_end().replace('_', "");
        let is_number = plain.contains(|c: char| c.is_ascii_digit())
            && plain.parse::<f64>().is_ok_and(|number| number >= 0.0);
        match is_number {
            true => "which has more than the 18 digits that are kept".to_string(),
            false => format!("which is not a number from {least} up"),
        }
    }

    /// The numerator.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// The denominator, at least 1.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// The nearest double; for display only.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// ⌊self × count⌋.
    ///
    /// ```
    /// assert_eq!(privet_core::Exact::parse("0.29").unwrap().floor_of(100), 29);
    /// ```
    pub fn floor_of(self, count: u64) -> u64 {
        // Divisions of 128 bits are slow, and searches make millions of these.
        if let Some(product) = self.numerator.checked_mul(count) {
            return product / self.denominator;
        }
        let product = u128::from(self.numerator) * u128::from(count) / u128::from(self.denominator);
        u64::try_from(product).unwrap_or(u64::MAX)
    }
}

/// Reads a decimal number digit by digit, so that nothing is rounded.
fn decimal(text: &str) -> Option<Exact> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut numerator: u64 = 0;
    for digit in whole.chars().chain(fraction.chars()).filter(|c| *c != '_') {
        numerator = numerator.checked_mul(10)?.checked_add(u64::from(digit.to_digit(10)?))?;
    }
    let places = exponent.checked_sub(i32::try_from(fraction.chars().filter(|c| *c != '_').count()).ok()?)?;
    let power = 10u64.checked_pow(places.unsigned_abs())?;
    if places < 0 { Exact::new(numerator, power) } else { Exact::new(numerator.checked_mul(power)?, 1) }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.numerator) * u128::from(other.denominator);
        left.cmp(&(u128::from(other.numerator) * u128::from(self.denominator)))
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            return write!(f, "{}", self.numerator);
        }
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl fmt::Debug for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Exact {
        Exact::parse(text).expect("a number")
    }

    #[test]
    fn spellings_of_one_number_agree() {
        for text in ["0.3", "30%", "3/10", ".3", "3e-1", "0.30", "6/20", "30 %"] {
            assert_eq!(exact(text), exact("3/10"), "{text}");
        }
        assert_eq!(exact("1.5/3"), exact("1/2"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["", "-1", "1/0", "x", "1/2/3", ".", "nan", "1e400", "0.12345678901234567890123", "--", "%"]
        {
            assert_eq!(Exact::parse(text), None, "{text}");
        }
        for text in ["1e30", "1e-30", "1e400", "1_000_000_000_000_000_000_000", "0.1234567890123456789 %"] {
            assert_eq!(Exact::parse(text), None, "{text}");
            assert!(Exact::fault(text, "0").contains("18 digits"), "{text}");
        }
        for text in ["", "-1", "-1e30", "1/0", "x", "nan", "inf", "%"] {
            assert_eq!(Exact::fault(text, "0"), "which is not a number from 0 up", "{text}");
        }
    }
}
