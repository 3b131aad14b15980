//! How numbers are written, and the plain decimal numbers that they mean.

use privet_core::{Error, Result};

/// Signs between groups of three digits, next to the point or comma that is not the decimal sign.
const GROUPING: [char; 6] = ['\'', '\u{2019}', ' ', '\u{a0}', '\u{202f}', '\u{2009}'];

/// Units that are recognised in a column.
pub(super) const UNITS: [&str; 16] =
    ["%", "€", "R$", "US$", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "Fr.", "kr", "zł", "₹", "Kč"];

/// How the numbers of a column are written.
///
/// ```
/// use privet_data::NumberFormat;
/// let prices = NumberFormat::new(',').with_unit("€")?;
/// assert_eq!(prices.read("€ 1.234,50").as_deref(), Some("1234.50"));
/// assert_eq!(prices.read("12 345,5 €").as_deref(), Some("12345.5"));
/// assert_eq!(prices.read("1,234.50"), None);
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberFormat {
    decimal: char,
    unit: Option<String>,
}

impl NumberFormat {
    /// Numbers with this decimal sign, `.` or `,`. The other one, apostrophes and blanks may stand between groups of three
    /// digits.
    pub fn new(decimal: char) -> NumberFormat {
        NumberFormat { decimal, unit: None }
    }

    /// With a unit before or after the number, which is not part of it. A percent sign must be on every number: without it, a
    /// number could be a share of 1 or of 100.
    pub fn with_unit(self, unit: &str) -> Result<NumberFormat> {
        let unit = unit.trim();
        if unit.is_empty()
            || unit.contains(|sign: char| sign.is_ascii_digit() || "+-.,()".contains(sign) && unit.len() == 1)
        {
            return Err(Error::input(format!("'{unit}' cannot be the unit of a number"))
                .help("name the sign as the cells have it: \"%\", \"€\" or \"kg\""));
        }
        Ok(NumberFormat { unit: Some(unit.to_string()), ..self })
    }

    /// The decimal sign.
    pub fn decimal(&self) -> char {
        self.decimal
    }

    /// The unit.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// The number that a cell means, as a plain decimal number; `None` for a cell of another form.
    pub fn read(&self, cell: &str) -> Option<String> {
        let mut rest = cell.trim();
        let mut negative = false;
        if let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            // Accountants write losses in brackets.
            (rest, negative) = (inside.trim(), true);
        }
        let mut signed = take_sign(&mut rest, &mut negative);
        if let Some(unit) = &self.unit {
            let bare = rest
                .strip_prefix(unit.as_str())
                .map(str::trim_start)
                .or_else(|| rest.strip_suffix(unit.as_str()).map(str::trim_end));
            match bare {
                Some(bare) => rest = bare,
                None if unit == "%" => return None,
                None => {}
            }
        }
        if !signed {
            signed = take_sign(&mut rest, &mut negative);
        }
        if let Some(before) = rest.strip_suffix('-').filter(|_| !signed && !negative) {
            (rest, negative) = (before, true);
        }
        let mut number = self.digits(rest)?;
        if negative {
            number.insert(0, '-');
        }
        Some(number)
    }

    /// The digits of a number without a sign, groups joined, with a point.
    fn digits(&self, text: &str) -> Option<String> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let (whole, fraction) = match mantissa.split_once(self.decimal) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let is_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        let mut number = match is_digits(whole) {
            true => whole.to_string(),
            false => self.joined(whole).filter(|_| exponent.is_none())?,
        };
        let fraction = fraction.unwrap_or("");
        if !is_digits(fraction) || number.len() + fraction.len() == 0 {
            return None;
        }
        if number.is_empty() {
            number.push('0');
        }
        if !fraction.is_empty() {
            number = format!("{number}.{fraction}");
        }
        if let Some(exponent) = exponent {
            let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if power.is_empty() || !is_digits(power) {
                return None;
            }
            number = format!("{number}e{exponent}");
        }
        Some(number)
    }

    /// Groups of three digits, joined. The first has one to three digits and does not begin with 0, and one sign is between
    /// all of them.
    fn joined(&self, whole: &str) -> Option<String> {
        let other = if self.decimal == ',' { '.' } else { ',' };
        let sign = whole.chars().find(|sign| !sign.is_ascii_digit())?;
        if sign != other && !GROUPING.contains(&sign) {
            return None;
        }
        let mut groups = whole.split(sign);
        let first = groups.next()?;
        if !(1..=3).contains(&first.len()) || first.starts_with('0') {
            return None;
        }
        let mut joined = first.to_string();
        for group in groups {
            if group.len() != 3 {
                return None;
            }
            joined += group;
        }
        joined.bytes().all(|digit| digit.is_ascii_digit()).then_some(joined)
    }
}

/// Goes past a sign, and says whether there was one.
fn take_sign(rest: &mut &str, negative: &mut bool) -> bool {
    let Some(after) = rest.strip_prefix(['+', '-', '\u{2212}']) else { return false };
    *negative ^= !rest.starts_with('+');
    *rest = after.trim_start();
    true
}

/// Whether a cell is a whole number with zeros before it: a code, whose zeros mean something.
pub fn is_zero_padded(cell: &str) -> bool {
    let digits = cell.trim().as_bytes();
    digits.len() > 1 && digits[0] == b'0' && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::summary::parse_number;

    #[test]
    fn numbers_of_all_forms_are_read() {
        let (point, comma) = (NumberFormat::new('.'), NumberFormat::new(','));
        for (format, cell, plain) in [
            (&point, "1,234.56", Some("1234.56")),
            (&point, "1234.56", Some("1234.56")),
            (&point, "1,234", Some("1234")),
            (&point, "-1e3", Some("-1e3")),
            (&point, ".5", Some("0.5")),
            (&point, "(1,234)", Some("-1234")),
            (&point, "12-", Some("-12")),
            (&point, "\u{2212}12", Some("-12")),
            (&comma, "1.234,56", Some("1234.56")),
            (&comma, "1 234,5", Some("1234.5")),
            (&comma, "1\u{202f}234\u{202f}567", Some("1234567")),
            (&comma, "1'234,5", Some("1234.5")),
            (&comma, "0,5", Some("0.5")),
            (&comma, "+7", Some("7")),
            (&point, "1,23", None),
            (&point, "0,123", None),
            (&point, "1,234,56", None),
            (&point, "1'234,567", None),
            (&comma, "1.5", None),
            (&comma, "1.234.56,7", None),
            (&point, "1.2.3", None),
            (&point, "--1", None),
            (&point, "", None),
            (&point, "-", None),
            (&point, "1e", None),
            (&point, "nan", None),
        ] {
            assert_eq!(format.read(cell).as_deref(), plain, "{cell}");
        }
    }

    #[test]
    fn units_are_taken_off() {
        let of = |unit: &str| NumberFormat::new(',').with_unit(unit).expect(unit);
        assert_eq!(of("%").read("12,5 %").as_deref(), Some("12.5"));
        assert_eq!(of("%").read("0,125"), None, "a share of 1 or of 100?");
        assert_eq!(of("€").read("-€5").as_deref(), Some("-5"));
        assert_eq!(of("€").read("€ -5").as_deref(), Some("-5"));
        assert_eq!(of("€").read("1.234").as_deref(), Some("1234"));
        assert_eq!(of("€").read("$ 5"), None);
        assert_eq!(of("kg").read("70 kg").as_deref(), Some("70"));
        for wrong in ["", " ", "5", "-", "."] {
            assert!(NumberFormat::new('.').with_unit(wrong).is_err(), "{wrong}");
        }
        assert!(
            is_zero_padded("007") && !is_zero_padded("0") && !is_zero_padded("0.5") && !is_zero_padded("70")
        );
    }

    proptest! {
        /// Whatever is read is the number that was written.
        #[test]
        fn what_is_written_is_read(number in -99_999_999i64..=99_999_999, cents in 0u8..100, decimal in "[.,]") {
            let decimal = decimal.chars().next().unwrap_or('.');
            let group = if decimal == '.' { "," } else { "." };
            let digits = number.unsigned_abs().to_string();
            let mut groups: Vec<&str> = Vec::new();
            let mut end = digits.len();
            while end > 0 {
                groups.insert(0, &digits[end.saturating_sub(3)..end]);
                end = end.saturating_sub(3);
            }
            let sign = if number < 0 { "-" } else { "" };
            let meant = format!("{sign}{digits}.{cents:02}");
            let format = NumberFormat::new(decimal);
            for separator in ["", group, " ", "'"] {
                let cell = format!("{sign}{}{decimal}{cents:02}", groups.join(separator));
                let read = format.read(&cell);
                prop_assert_eq!(read.as_deref(), Some(meant.as_str()), "{}", cell);
            }
        }

        /// What is a plain number stays the same number, and nothing that is read is not one.
        #[test]
        fn plain_numbers_stay(cell in "[-+]?[0-9.,e' €%-]{0,12}") {
            let read = NumberFormat::new('.').read(&cell);
            if let Some(number) = &read {
                prop_assert!(number.parse::<f64>().is_ok(), "{} {}", cell, number);
            }
            if let Some(number) = parse_number(&cell) {
                let read = read.and_then(|read| read.parse::<f64>().ok());
                prop_assert_eq!(read, Some(number), "{}", cell);
            }
            let _ = NumberFormat::new(',').read(&cell);
        }
    }
}
