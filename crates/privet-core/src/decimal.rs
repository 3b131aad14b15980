//! Decimal numbers with all their digits: what is written is what is rounded and compared.

use std::cmp::Ordering;
use std::fmt;

/// The most digits that a number may have, so that rounding cannot overflow.
const MOST_DIGITS: usize = 30;

/// A decimal number, exact.
///
/// ```
/// use privet_core::Decimal;
///
/// let number = |text| Decimal::parse(text).expect("a number");
/// assert_eq!(number("1250").rounded_to(number("1000")).to_string(), "1000");
/// assert_eq!(number("1.5e3").rounded_to(number("1000")).to_string(), "2000");
/// assert_eq!(number("-0.25").rounded_to(number("0.1")).to_string(), "-0.3");
/// assert!(number("0.1") < number("0.11") && number("1.0") == number("1"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Decimal {
    /// The number without its point.
    units: i128,
    /// How many digits stand after the point.
    places: u32,
}

impl Decimal {
    /// The number zero.
    pub const ZERO: Decimal = Decimal { units: 0, places: 0 };

    /// Reads a plain decimal number such as `-12.50` or `1e3`; `None` for anything else, and for numbers of more than thirty
    /// digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let text = text.trim();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let mut digits = digits.trim_start_matches('0').to_string();
        let mut places = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        while places < 0 && digits.len() <= MOST_DIGITS {
            if !digits.is_empty() {
                digits.push('0');
            }
            places += 1;
        }
        let places = u32::try_from(places).ok().filter(|places| *places as usize <= MOST_DIGITS)?;
        if digits.len() > MOST_DIGITS {
            return None;
        }
        let units = if digits.is_empty() { 0 } else { digits.parse::<i128>().ok()? };
        Some(Decimal { units: if mantissa.starts_with('-') { -units } else { units }, places })
    }

    /// How many digits stand after the point.
    pub fn places(self) -> u32 {
        self.places
    }

    /// How many units of the last of this many digits after the point it is; `None` where that is not a whole number of 64 bits.
    ///
    /// ```
    /// use privet_core::Decimal;
    ///
    /// assert_eq!(Decimal::parse("12.5").and_then(|number| number.in_units(2)), Some(1250));
    /// assert_eq!(Decimal::parse("12.5").and_then(|number| number.in_units(0)), None);
    /// ```
    pub fn in_units(self, places: u32) -> Option<u64> {
        if self.places <= places {
            let units = 10i128.checked_pow(places - self.places)?.checked_mul(self.units)?;
            return u64::try_from(units).ok();
        }
        let divisor = 10i128.checked_pow(self.places - places)?;
        if self.units % divisor != 0 {
            return None;
        }
        u64::try_from(self.units / divisor).ok()
    }

    /// One unit of the last of this many digits after the point: 0.01 for two.
    pub fn unit_of(places: u32) -> Decimal {
        Decimal { units: 1, places }
    }

    /// The nearest multiple of a positive step, the one farther from zero of two; it is written with the digits of the step.
    ///
    /// # Panics
    /// If the step is not positive.
    #[must_use]
    pub fn rounded_to(self, step: Decimal) -> Decimal {
        assert!(step.units > 0, "a step is positive");
        let places = self.places.max(step.places);
        // Thirty digits on either side of the point do not fit 128 bits together.
        let (own, other) = (self.scaled(places), step.scaled(places));
        let (Some(own), Some(other)) = (own, other) else { return self.rounded_widely(step) };
        let times = (own.abs() / other) + i128::from(own.abs() % other >= other - own.abs() % other);
        Decimal { units: times * step.units * own.signum(), places: step.places }
    }

    /// The same where the step has many more digits after the point than the number, or the other way round.
    fn rounded_widely(self, step: Decimal) -> Decimal {
        use num_bigint::BigInt;
        let places = self.places.max(step.places);
        let wide =
            |number: Decimal| BigInt::from(number.units) * BigInt::from(10u8).pow(places - number.places);
        let (own, other) = (wide(self), wide(step));
        let magnitude = BigInt::from(own.magnitude().clone());
        let times: BigInt = (&magnitude * 2 + &other) / (&other * 2);
        let units = i128::try_from(times * step.units).unwrap_or(i128::MAX);
        Decimal { units: units * self.units.signum(), places: step.places }
    }

    /// The mean of numbers, each with how often it is there, rounded to a multiple of a step as [`Decimal::rounded_to`] does;
    /// `None` if there are none.
    ///
    /// ```
    /// use privet_core::Decimal;
    ///
    /// let number = |text| Decimal::parse(text).expect("a number");
    /// let mean = Decimal::mean([(number("1"), 2), (number("2.5"), 1)], Decimal::unit_of(1));
    /// assert_eq!(mean.expect("three numbers").to_string(), "1.5");
    /// ```
    pub fn mean(numbers: impl IntoIterator<Item = (Decimal, u64)>, step: Decimal) -> Option<Decimal> {
        use num_bigint::BigInt;
        let numbers: Vec<(Decimal, u64)> = numbers.into_iter().collect();
        let places = numbers.iter().map(|(number, _)| number.places).chain([step.places]).max()?;
        let power = |own: u32| BigInt::from(10u8).pow(places - own);
        let count: u64 = numbers.iter().map(|(_, count)| count).sum();
        let sum: BigInt = numbers
            .iter()
            .map(|(number, count)| BigInt::from(number.units) * power(number.places) * *count)
            .sum();
        if count == 0 {
            return None;
        }
        // The nearest multiple: half a step more, and down.
        let whole_step = BigInt::from(step.units) * power(step.places) * count;
        let magnitude = BigInt::from(sum.magnitude().clone());
        let times = (magnitude * 2 + &whole_step) / (whole_step * 2);
        let units = i128::try_from(times * step.units).ok()?;
        let negative = sum.sign() == num_bigint::Sign::Minus;
        Some(Decimal { units: if negative { -units } else { units }, places: step.places })
    }

    fn scaled(self, places: u32) -> Option<i128> {
        self.units
            .checked_mul(10i128.checked_pow(places - self.places)?)
            .filter(|units| units.abs() < i128::MAX / 4)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = self.places.max(other.places);
        match (self.scaled(places), other.scaled(places)) {
            (Some(own), Some(other)) => own.cmp(&other),
            _ => {
                use num_bigint::BigInt;
                let wide = |number: &Decimal| {
                    BigInt::from(number.units) * BigInt::from(10u8).pow(places - number.places)
                };
                wide(self).cmp(&wide(other))
            }
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, places) = (if self.units < 0 { "-" } else { "" }, self.places as usize);
        let digits = format!("{:0>1$}", self.units.unsigned_abs(), places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        match fraction {
            "" => write!(f, "{sign}{whole}"),
            _ => write!(f, "{sign}{whole}.{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use num_rational::Ratio;
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn numbers_are_read_with_all_their_digits() {
        for (text, shown) in [
            ("12.50", "12.50"),
            ("-0.5", "-0.5"),
            ("+7", "7"),
            (".5", "0.5"),
            ("1e3", "1000"),
            ("1.25e1", "12.5"),
            ("25e-3", "0.025"),
            ("-0", "0"),
            ("007", "7"),
            ("0e5", "0"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(number(text).to_string(), shown, "{text}");
        }
        for text in ["", "-", ".", "1,5", "nan", "1e", "0x1", "1e40", "1 2", "1e-99", "1.2.3"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    proptest! {
        /// Rounding by its definition, in fractions.
        #[test]
        fn a_rounded_number_is_the_nearest_multiple(units in -1_000_000i64..1_000_000, places in 0u32..9,
                                                    step in 1i64..5000, of in 0u32..9) {
            let fraction = |units: i128, places: u32| Ratio::new(units, 10i128.pow(places));
            let number = Decimal { units: units.into(), places };
            let by = Decimal { units: step.into(), places: of };
            let rounded = number.rounded_to(by);
            // `round` of fractions goes away from zero at halves.
            let nearest = (fraction(units.into(), places) / fraction(step.into(), of)).round() * fraction(step.into(), of);
            prop_assert_eq!(fraction(rounded.units, rounded.places), nearest);
            prop_assert_eq!(number.rounded_widely(by), rounded);
            prop_assert_eq!(Decimal::parse(&rounded.to_string()), Some(rounded));
            prop_assert_eq!(Decimal::mean([(number, 3)], by), Some(rounded));
        }
    }
}
