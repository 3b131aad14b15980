//! Labels that stand for numbers: `15-19`, `[15,20)`, `>=90`, `90+`.

use std::fmt;

/// A range of numbers.
///
/// ```
/// use privet_taxonomy::Range;
/// let range = Range::parse("[15,20)").unwrap();
/// assert!(range.holds(15.0) && !range.holds(20.0));
/// assert!(Range::parse("≥90").unwrap().holds(1e9));
/// assert_eq!(Range::parse("Norway"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end; minus infinity where there is none.
    pub low: f64,
    /// Whether the lower end belongs to the range.
    pub low_closed: bool,
    /// The upper end; infinity where there is none.
    pub high: f64,
    /// Whether the upper end belongs to the range.
    pub high_closed: bool,
}

impl Range {
    /// Reads `15-19` (both ends included), `[15,20)` or `[15, 20[` and their kin, `>=90`, `>90`, `<=5`, `<5`, `≥90`, `≤5`, `90+`.
    ///
    /// `None` for anything else, a plain number and an empty range such as `20-15` or `(5,5]` included.
    pub fn parse(label: &str) -> Option<Range> {
        let label = label.trim();
        let range = one_sided(label).or_else(|| bracketed(label)).or_else(|| dashed(label))?;
        let some =
            range.low < range.high || (range.low == range.high && range.low_closed && range.high_closed);
        some.then_some(range)
    }

    /// Whether the number lies in the range.
    pub fn holds(&self, number: f64) -> bool {
        let above = if self.low_closed { number >= self.low } else { number > self.low };
        let below = if self.high_closed { number <= self.high } else { number < self.high };
        above && below
    }
}

/// Written with brackets, or as a comparison where an end is open to infinity.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, false) => write!(f, "{}{}", if self.low_closed { ">=" } else { ">" }, self.low),
            (false, true) => write!(f, "{}{}", if self.high_closed { "<=" } else { "<" }, self.high),
            _ => {
                let open = if self.low_closed { '[' } else { '(' };
                let close = if self.high_closed { ']' } else { ')' };
                write!(f, "{open}{},{}{close}", self.low, self.high)
            }
        }
    }
}

fn one_sided(label: &str) -> Option<Range> {
    let above = |low, low_closed| Range { low, low_closed, high: f64::INFINITY, high_closed: false };
    let below = |high, high_closed| Range { low: f64::NEG_INFINITY, low_closed: false, high, high_closed };
    for (sign, closed) in [(">=", true), ("≥", true), (">", false)] {
        if let Some(rest) = label.strip_prefix(sign) {
            return Some(above(number(rest.trim_start())?, closed));
        }
    }
    for (sign, closed) in [("<=", true), ("≤", true), ("<", false)] {
        if let Some(rest) = label.strip_prefix(sign) {
            return Some(below(number(rest.trim_start())?, closed));
        }
    }
    Some(above(number(label.strip_suffix('+')?.trim_end())?, true))
}

/// An end that does not belong to the range has a round bracket, or a square one that is turned outwards.
fn bracketed(label: &str) -> Option<Range> {
    let (low_closed, rest) = match label.strip_prefix('[') {
        Some(rest) => (true, rest),
        None => (false, label.strip_prefix(['(', ']'])?),
    };
    let (high_closed, rest) = match rest.strip_suffix(']') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_suffix([')', '['])?),
    };
    let (low, high) = rest.split_once(',')?;
    Some(Range { low: number(low.trim())?, low_closed, high: number(high.trim())?, high_closed })
}

/// `15-19`, `-5--1`, `0.5 – 1.5`: the first dash with a number on either side divides them.
fn dashed(label: &str) -> Option<Range> {
    label.match_indices(['-', '–']).find_map(|(at, dash)| {
        let low = number(label[..at].trim_end())?;
        let high = number(label[at + dash.len()..].trim_start())?;
        Some(Range { low, low_closed: true, high, high_closed: true })
    })
}

/// Reads a finite decimal number; words such as `inf` and `nan` are not numbers here.
pub fn number(text: &str) -> Option<f64> {
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
        return None;
    }
    // `+ 0.0` turns minus zero into zero.
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number + 0.0)
}

/// Whether two spellings mean the same number, digit for digit: doubles would take 2⁵³ + 1 for 2⁵³.
pub(super) fn same_decimal(one: &str, two: &str) -> bool {
    matches!((decimal(one), decimal(two)), (Some(one), Some(two)) if one == two)
}

/// Sign, significant digits without zeros at either end, and the power of ten of the last one.
pub(super) fn decimal(text: &str) -> Option<(bool, String, i64)> {
    number(text)?;
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let unsigned = mantissa.trim_start_matches(['+', '-']);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let last = exponent
        .checked_sub(fraction.len() as i64)?
        .checked_add((digits.len() - significant.len()) as i64)?;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    Some((mantissa.starts_with('-'), significant.to_string(), last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, low_closed: bool, high: f64, high_closed: bool) -> Option<Range> {
        Some(Range { low, low_closed, high, high_closed })
    }

    #[test]
    fn every_spelling_is_read() {
        let infinity = f64::INFINITY;
        for (label, expected) in [
            ("15-19", range(15.0, true, 19.0, true)),
            ("15 - 19", range(15.0, true, 19.0, true)),
            ("15–19", range(15.0, true, 19.0, true)),
            ("-5--1", range(-5.0, true, -1.0, true)),
            ("-5-1", range(-5.0, true, 1.0, true)),
            ("0.5-1.25", range(0.5, true, 1.25, true)),
            ("1e-3-2e-3", range(0.001, true, 0.002, true)),
            ("7-7", range(7.0, true, 7.0, true)),
            ("[15,20)", range(15.0, true, 20.0, false)),
            ("[15, 20]", range(15.0, true, 20.0, true)),
            ("(15,20]", range(15.0, false, 20.0, true)),
            ("[15, 20[", range(15.0, true, 20.0, false)),
            ("]15, 20]", range(15.0, false, 20.0, true)),
            ("(-15,-1)", range(-15.0, false, -1.0, false)),
            (">=90", range(90.0, true, infinity, false)),
            ("≥ 90", range(90.0, true, infinity, false)),
            (">90", range(90.0, false, infinity, false)),
            ("90+", range(90.0, true, infinity, false)),
            ("<=5", range(-infinity, false, 5.0, true)),
            ("≤5", range(-infinity, false, 5.0, true)),
            ("< 5", range(-infinity, false, 5.0, false)),
        ] {
            assert_eq!(Range::parse(label), expected, "{label}");
        }
    }

    #[test]
    fn what_is_no_range_is_none() {
        for label in [
            "", "15", "-5", "5e-3", "20-15", "2024-03", "(5,5]", "[5,5)", "[1,2", "1,2)", "[1;2)", "[a,b)",
            "-", "--", "+", ">", ">50K", "<=50K", "nan-inf", "inf+", "1-2-3", "[1,2,3)", "1st-4th", "5+5",
            "１-２",
        ] {
            assert_eq!(Range::parse(label), None, "{label}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for label in ["[15,20)", "(0.5,1]", ">=90", "<-5", "<=5", ">0.25"] {
            let range = Range::parse(label).expect("a range");
            assert_eq!(range.to_string(), label);
        }
    }

    #[test]
    fn decimals_are_compared_by_their_digits() {
        for (one, two) in
            [("5", "5.0"), ("05", "5"), ("1e2", "100"), ("-0", "0.00"), ("+.5", "0.50"), ("1200", "1.2e3")]
        {
            assert!(same_decimal(one, two), "{one} {two}");
        }
        for (one, two) in [("9007199254740993", "9007199254740992"), ("5", "-5"), ("5", "50"), ("x", "x")] {
            assert!(!same_decimal(one, two), "{one} {two}");
        }
    }
}
