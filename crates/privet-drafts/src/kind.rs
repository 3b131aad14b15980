//! What the values of a column look like: numbers, dates, codes or words.

use std::fmt;

/// What all values of a column have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// No value at all, only missing ones.
    Empty,
    /// Two values that say yes and no.
    Boolean,
    /// Whole numbers.
    Whole,
    /// Numbers, some with a fraction.
    Number,
    /// Calendar dates.
    Date,
    /// Short signs without spaces that hold digits, such as postcodes and diagnosis codes.
    Code,
    /// Anything else.
    Text,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueKind::Empty => "empty",
            ValueKind::Boolean => "yes or no",
            ValueKind::Whole => "whole numbers",
            ValueKind::Number => "numbers",
            ValueKind::Date => "dates",
            ValueKind::Code => "codes",
            ValueKind::Text => "text",
        })
    }
}

/// Words that come in pairs of yes and no.
const YES_OR_NO: [&str; 10] = ["true", "false", "yes", "no", "y", "n", "t", "f", "0", "1"];

/// The longest text that can still be a code.
const LONGEST_CODE: usize = 20;

/// What the values seen so far have in common.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    boolean: bool,
    whole: bool,
    number: bool,
    date: bool,
    code: bool,
    values: u64,
    /// The number of characters of the shortest and of the longest value.
    pub lengths: (usize, usize),
    /// The least and the greatest number, where all values are numbers.
    pub bounds: (f64, f64),
}

impl Shape {
    pub fn new() -> Shape {
        Shape {
            boolean: true,
            whole: true,
            number: true,
            date: true,
            code: true,
            values: 0,
            lengths: (usize::MAX, 0),
            bounds: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    /// Takes one more distinct value into account.
    pub fn observe(&mut self, value: &str) {
        self.values += 1;
        let length = value.chars().count();
        self.lengths = (self.lengths.0.min(length), self.lengths.1.max(length));
        self.boolean &= YES_OR_NO.iter().any(|word| value.eq_ignore_ascii_case(word));
        self.whole = self.whole && is_whole(value);
        self.number = self.number && is_number(value);
        self.date = self.date && date(value).is_some();
        self.code = self.code && is_code(value);
        if self.number {
            let number = value.parse::<f64>().unwrap_or(f64::NAN);
            self.bounds = (self.bounds.0.min(number), self.bounds.1.max(number));
        }
    }

    /// Whether all values so far are numbers.
    pub fn is_number(&self) -> bool {
        self.number
    }

    pub fn kind(&self) -> ValueKind {
        match () {
            _ if self.values == 0 => ValueKind::Empty,
            _ if self.boolean && self.values <= 2 => ValueKind::Boolean,
            _ if self.whole => ValueKind::Whole,
            _ if self.number => ValueKind::Number,
            _ if self.date => ValueKind::Date,
            _ if self.code => ValueKind::Code,
            _ => ValueKind::Text,
        }
    }
}

/// A whole number without leading zeros: `007` is a code, for its zeros carry meaning.
fn is_whole(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let all_digits = !digits.is_empty() && digits.len() <= 15 && digits.bytes().all(|b| b.is_ascii_digit());
    all_digits && (digits == "0" || !digits.starts_with('0'))
}

fn is_number(value: &str) -> bool {
    let looks = value.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    // A double does not hold more digits: such numbers are codes.
    let long = value.len() > 15 && value.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = matches!(value.as_bytes(), [b'0', digit, ..] if digit.is_ascii_digit());
    looks && !leading_zero && !long && value.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_code(value: &str) -> bool {
    value.len() <= LONGEST_CODE
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.chars().all(|c| c.is_alphanumeric() || "-./".contains(c))
}

/// Year, month and day of `1990-12-31`, `1990/12/31`, `31.12.1990` or `12/31/1990`; a time of day may follow.
fn date(value: &str) -> Option<(u16, u8, u8)> {
    let day = value.split(['T', ' ']).next()?;
    let separator = day.chars().find(|c| !c.is_ascii_digit()).filter(|c| "-/.".contains(*c))?;
    let mut parts = day.split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (year, month, day) = match (first.len(), separator) {
        (4, _) => (first, second, third),
        (_, '/') => (third, first, second),
        _ => (third, second, first),
    };
    if year.len() != 4 {
        return None;
    }
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}

/// The day as `1990-12-31`, however it is spelt.
pub(super) fn iso_date(value: &str) -> Option<String> {
    date(value).map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: &[&str]) -> ValueKind {
        let mut shape = Shape::new();
        values.iter().for_each(|value| shape.observe(value));
        shape.kind()
    }

    #[test]
    fn the_narrowest_kind_that_holds_all_values_is_found() {
        assert_eq!(kind(&[]), ValueKind::Empty);
        assert_eq!(kind(&["Yes", "no"]), ValueKind::Boolean);
        assert_eq!(kind(&["0", "1"]), ValueKind::Boolean);
        assert_eq!(kind(&["0", "1", "2"]), ValueKind::Whole);
        assert_eq!(kind(&["-3", "12"]), ValueKind::Whole);
        assert_eq!(kind(&["0.5", "1e3", "2"]), ValueKind::Number);
        assert_eq!(kind(&["1990-12-31", "2001-01-01T10:00:00"]), ValueKind::Date);
        assert_eq!(kind(&["31.12.1990", "01.01.2001"]), ValueKind::Date);
        assert_eq!(kind(&["01067", "99999"]), ValueKind::Code);
        assert_eq!(kind(&["4111111111111111"]), ValueKind::Code);
        assert_eq!(kind(&["E11.9", "I10"]), ValueKind::Code);
        assert_eq!(kind(&["red", "blue"]), ValueKind::Text);
        assert_eq!(kind(&["inf", "nan"]), ValueKind::Text);
    }

    #[test]
    fn dates_are_read_in_the_usual_orders() {
        assert_eq!(date("12/31/1990"), Some((1990, 12, 31)));
        assert_eq!(date("31.12.1990"), Some((1990, 12, 31)));
        assert_eq!(date("1990/12/31 10:00"), Some((1990, 12, 31)));
        assert_eq!(date("1990-13-01"), None);
        assert_eq!(date("90-12-01"), None);
        assert_eq!(date("1990-12-01-5"), None);
        assert_eq!(date(""), None);
    }
}
