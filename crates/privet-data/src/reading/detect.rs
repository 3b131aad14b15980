//! What a column's values show about how its dates or numbers are written.
//!
//! Up to one cell in a hundred may be something else and does not change what the column is: such strays are listed, and are
//! often spellings of a missing value. Words for what is not known (`NA`, `unknown`, `?`) do not count at all. Where several
//! formats read equally many cells and disagree about them, all are given: nothing is guessed.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::dates::DateFormat;
use super::numbers::{NumberFormat, UNITS, is_zero_padded};
use super::unknown::{is_code_for_unknown, is_unknown};
use crate::summary::parse_number;

/// One cell in this many may be a stray.
const STRAY: u64 = 100;

/// Days in all usual forms; day before month comes first.
const DAYS: [&str; 23] = [
    "%Y-%m-%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d. %b %Y",
    "%d/%b/%Y",
    "%d%b%Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%Y-%b-%d",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d.%m.%y",
    "%d-%m-%y",
    "%m-%d-%y",
    "%d-%b-%y",
    "%d %b %y",
];

/// A day without any sign between its parts: only years that people live in, for other numbers look the same.
const COMPACT: &str = "%Y%m%d";
const COMPACT_YEARS: std::ops::RangeInclusive<i16> = 1850..=2099;

/// Values with how often each occurs, the commonest first; of equally common ones, the least.
pub type Counted = Vec<(String, u64)>;

/// A column of dates.
///
/// ```
/// use privet_data::DateColumn;
///
/// let seen = |cells: &[&'static str]| DateColumn::detect(cells.iter().map(|cell| (*cell, 1)));
/// let decided = seen(&["31/01/1942", "01/02/1950"]).expect("dates");
/// assert_eq!(decided.readings.len(), 1);
/// assert_eq!(decided.readings[0].pattern(), "%d/%m/%Y");
///
/// let open = seen(&["03/01/1942", "01/02/1950"]).expect("dates");
/// let patterns: Vec<&str> = open.readings.iter().map(|format| format.pattern()).collect();
/// assert_eq!(patterns, ["%d/%m/%Y", "%m/%d/%Y"]);
///
/// assert!(seen(&["34", "61"]).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateColumn {
    /// The formats that read the most cells. Where there are several, nothing in the column decides between them.
    pub readings: Vec<DateFormat>,
    /// Words and signs for what is not known.
    pub unknown: Counted,
    /// What none of the readings understands: at most one cell in a hundred.
    pub strays: Counted,
}

/// A column of numbers.
///
/// ```
/// use privet_data::NumberColumn;
///
/// let seen = |cells: &[&'static str]| NumberColumn::detect(cells.iter().map(|cell| (*cell, 1)));
/// let prices = seen(&["1.234,50 €", "17,25 €", "n/a"]).expect("numbers");
/// assert_eq!((prices.readings[0].decimal(), prices.readings[0].unit()), (',', Some("€")));
/// assert!(!prices.is_plain);
/// assert!(seen(&["01234", "94103"]).is_none(), "zeros in front: codes");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberColumn {
    /// The formats that read the most cells. Where there are several, nothing in the column decides between them: `1.234` may
    /// be about one, or more than a thousand.
    pub readings: Vec<NumberFormat>,
    /// Whether all cells but strays are plain decimal numbers, so that nothing need be said about their format.
    pub is_plain: bool,
    /// Words and signs for what is not known.
    pub unknown: Counted,
    /// What none of the readings understands: at most one cell in a hundred.
    pub strays: Counted,
    /// Numbers that probably stand for a missing value, such as -9 among ages, or 9999 far above all others.
    pub codes_for_unknown: Counted,
}

impl DateColumn {
    /// Looks at the distinct values of a column, each with how often it occurs; `None` where they are not dates.
    pub fn detect<'a>(values: impl IntoIterator<Item = (&'a str, u64)>) -> Option<DateColumn> {
        let Tried { formats, reads, known, unknown } = Tried::on(values);
        let all: u64 = known.iter().map(|(_, count, _)| count).sum();
        let best = reads.iter().copied().max().filter(|best| *best > 0 && (all - best) * STRAY <= all)?;
        let chosen: Vec<usize> = (0..formats.len()).filter(|at| reads[*at] == best).collect();
        let strays = known.into_iter().filter(|(_, _, read)| !chosen.iter().any(|at| read.contains(at)));
        Some(DateColumn {
            unknown: counted(unknown),
            strays: counted(strays.map(|(value, count, _)| (value, count))),
            readings: chosen.iter().map(|at| formats[*at].clone()).collect(),
        })
    }

    /// Of values that are not dates of one form: the format that reads the most cells, if any does, and the commonest value that
    /// it does not read.
    pub fn unfit<'a>(values: impl IntoIterator<Item = (&'a str, u64)>) -> (Option<DateFormat>, &'a str) {
        let Tried { formats, reads, known, unknown } = Tried::on(values);
        let best = (0..formats.len()).filter(|at| reads[*at] > 0).max_by_key(|at| (reads[*at], Reverse(*at)));
        let unread = known.iter().filter(|(_, _, read)| best.is_none_or(|best| !read.contains(&best)));
        let unread = unread.map(|(value, count, _)| (*value, *count)).chain(unknown);
        let stray = unread.max_by_key(|(value, count)| (*count, Reverse(*value)));
        (best.map(|best| formats[best].clone()), stray.map_or("", |(value, _)| value))
    }

    /// The format, where the column decides on it by itself. Years of two digits never do.
    pub fn decided(&self) -> Option<&DateFormat> {
        match self.readings.as_slice() {
            [format] if !format.has_short_year() => Some(format),
            _ => None,
        }
    }
}

/// What each format reads of a column.
struct Tried<'a> {
    formats: Vec<DateFormat>,
    /// How many cells each of them reads.
    reads: Vec<u64>,
    /// The values with how often they occur and which formats read them.
    known: Vec<(&'a str, u64, Vec<usize>)>,
    unknown: Vec<(&'a str, u64)>,
}

impl<'a> Tried<'a> {
    fn on(values: impl IntoIterator<Item = (&'a str, u64)>) -> Tried<'a> {
        let formats = candidates();
        let mut reads = vec![0; formats.len()];
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        // The formats that fit a form, by the form: most columns have very few.
        let mut fitting: HashMap<String, Vec<usize>> = HashMap::new();
        for (value, count) in values {
            if is_unknown(value.trim()) {
                unknown.push((value, count));
                continue;
            }
            let fits = fitting
                .entry(form(value))
                .or_insert_with_key(|_| (0..formats.len()).filter(|at| formats[*at].fits(value)).collect());
            let read: Vec<usize> =
                fits.iter().copied().filter(|at| reads_day(&formats[*at], value)).collect();
            read.iter().for_each(|at| reads[*at] += count);
            known.push((value, count, read));
        }
        Tried { formats, reads, known, unknown }
    }
}

/// All formats that are tried.
fn candidates() -> Vec<DateFormat> {
    let mut patterns: Vec<String> = DAYS.iter().map(|day| day.to_string()).collect();
    patterns.push(COMPACT.to_string());
    patterns.push("%+".to_string());
    // An ISO time has been seen to already.
    patterns.extend(DAYS[1..].iter().flat_map(|day| [format!("{day} %X"), format!("{day}T%X")]));
    patterns.extend([format!("{COMPACT} %X"), format!("{COMPACT}T%X"), "%d%b%Y:%X".to_string()]);
    patterns.iter().filter_map(|pattern| DateFormat::parse(pattern).ok()).collect()
}

fn reads_day(format: &DateFormat, value: &str) -> bool {
    let read = format.read(value);
    read.is_some_and(|date| {
        !format.pattern().starts_with(COMPACT) || COMPACT_YEARS.contains(&date.day.year())
    })
}

/// A value with every digit as 9 and every letter as a: values of one form fit the same formats.
fn form(value: &str) -> String {
    let class = |sign: char| match sign {
        sign if sign.is_ascii_digit() => '9',
        // T and Z mean something where they stand alone.
        'T' | 't' | 'Z' | 'z' => sign,
        sign if sign.is_alphabetic() => 'a',
        sign => sign,
    };
    value.chars().map(class).collect()
}

impl NumberColumn {
    /// Looks at the distinct values of a column, each with how often it occurs; `None` where they are not numbers. Codes with
    /// zeros in front are not.
    pub fn detect<'a>(values: impl IntoIterator<Item = (&'a str, u64)>) -> Option<NumberColumn> {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        let (mut all, mut plain) = (0, 0);
        let mut units: HashMap<&str, u64> = HashMap::new();
        for (value, count) in values {
            if is_unknown(value.trim()) {
                unknown.push((value, count));
                continue;
            }
            all += count;
            if parse_number(value).is_some() && !is_zero_padded(value) {
                plain += count;
            } else if let Some(unit) = unit_of(value) {
                *units.entry(unit).or_default() += count;
            }
            known.push((value, count));
        }
        let is_plain = all > 0 && (all - plain) * STRAY <= all;
        let unit =
            units.into_iter().filter(|_| !is_plain).max_by_key(|(unit, count)| (*count, Reverse(*unit)));
        let formats = ['.', ','].map(|decimal| {
            let format = NumberFormat::new(decimal);
            unit.and_then(|(unit, _)| format.clone().with_unit(unit).ok()).unwrap_or(format)
        });
        let read = |format: &NumberFormat, value: &str| match is_plain {
            // A comma between three digits each would be read, but is not plain: it is a stray of such a column.
            true => parse_number(value).map(|_| value.trim().to_string()).filter(|_| format.decimal() == '.'),
            false => format.read(value),
        };
        let read =
            |format: &NumberFormat, value: &str| read(format, value).filter(|_| !is_zero_padded(value));
        let mut reads = [0; 2];
        let (mut differ, mut strays, mut numbers) = (false, Vec::new(), Vec::new());
        for (value, count) in &known {
            let found = [read(&formats[0], value), read(&formats[1], value)];
            for (at, found) in found.iter().enumerate() {
                reads[at] += if found.is_some() { *count } else { 0 };
            }
            differ |= found[0].is_some() && found[1].is_some() && found[0] != found[1];
        }
        let best = reads[0].max(reads[1]);
        if best == 0 || (all - best) * STRAY > all {
            return None;
        }
        let chosen = match reads {
            [point, comma] if point == comma && differ => vec![0, 1],
            [point, comma] => vec![usize::from(comma > point)],
        };
        for (value, count) in known {
            match read(&formats[chosen[0]], value) {
                Some(number) => numbers.push((value, number, count)),
                None => strays.push((value, count)),
            }
        }
        Some(NumberColumn {
            readings: chosen.into_iter().map(|at| formats[at].clone()).collect(),
            is_plain,
            unknown: counted(unknown),
            strays: counted(strays),
            codes_for_unknown: counted(codes_for_unknown(&numbers)),
        })
    }
}

/// The unit before or after a number.
fn unit_of(value: &str) -> Option<&'static str> {
    let value = value.trim().trim_matches(['(', ')', '-', '+']).trim();
    UNITS.into_iter().find(|unit| value.starts_with(unit) || value.ends_with(unit))
}

/// Numbers that stand for a missing value: negative codes among numbers that are not negative, and a number of nines that is
/// ten times the next one.
fn codes_for_unknown<'a>(numbers: &[(&'a str, String, u64)]) -> Vec<(&'a str, u64)> {
    let mut sorted: Vec<(f64, &str, u64)> = numbers
        .iter()
        .filter_map(|(value, number, count)| Some((number.parse::<f64>().ok()?, *value, *count)))
        .collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(other.1)));
    let negative = sorted.iter().take_while(|(number, ..)| *number < 0.0).count();
    let mut codes = Vec::new();
    if negative < sorted.len() && sorted[..negative].iter().all(|(_, value, _)| is_code_for_unknown(value)) {
        codes.extend(sorted[..negative].iter().map(|(_, value, count)| (*value, *count)));
    }
    if let [.., (next, ..), (last, value, count)] = sorted[..]
        && value.len() >= 3
        && value.bytes().all(|digit| digit == b'9')
        && last >= 10.0 * next.max(1.0)
    {
        codes.push((value, count));
    }
    codes
}

fn counted<'a>(values: impl IntoIterator<Item = (&'a str, u64)>) -> Counted {
    let mut counted: Counted = values.into_iter().map(|(value, count)| (value.to_string(), count)).collect();
    counted.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dates(cells: &[&str]) -> Option<DateColumn> {
        DateColumn::detect(cells.iter().map(|cell| (*cell, 1)))
    }

    fn patterns(cells: &[&str]) -> Vec<String> {
        let readings = dates(cells).map(|column| column.readings).unwrap_or_default();
        readings.iter().map(|format| format.pattern().to_string()).collect()
    }

    fn numbers(cells: &[&str]) -> Option<NumberColumn> {
        NumberColumn::detect(cells.iter().map(|cell| (*cell, 1)))
    }

    #[test]
    fn the_values_decide_on_a_date_format() {
        for (cells, expected) in [
            (&["1942-01-31"][..], &["%Y-%m-%d"][..]),
            (&["31/01/1942"], &["%d/%m/%Y"]),
            (&["01/31/1942"], &["%m/%d/%Y"]),
            (&["01/02/1942"], &["%d/%m/%Y", "%m/%d/%Y"]),
            (&["01/02/1942", "3/13/1950"], &["%m/%d/%Y"]),
            (&["01-02-1942", "31-1-1950"], &["%d-%m-%Y"]),
            (&["1.2.1942"], &["%d.%m.%Y"]),
            (&["31-Jan-1942", "01-Feb-1942"], &["%d-%b-%Y"]),
            (&["31JAN1942"], &["%d%b%Y"]),
            (&["January 31, 1942"], &["%b %d, %Y"]),
            (&["31. Januar 1942"], &["%d. %b %Y"]),
            (&["19420131", "20240229"], &["%Y%m%d"]),
            (&["31/01/42"], &["%d/%m/%y"]),
            (&["01/02/42"], &["%d/%m/%y", "%m/%d/%y"]),
            (&["2024-02-29T23:59:59Z", "2024-05-01 10:00"], &["%+"]),
            (&["31/01/1942 10:30", "01/02/1942 11:30"], &["%d/%m/%Y %X"]),
            (&["1/2/1942 10:30 PM", "1/13/1942 11:30 AM"], &["%m/%d/%Y %X"]),
            (&["31JAN1942:10:30:00"], &["%d%b%Y:%X"]),
            (&["19420131", "20240230", "99999999"], &[]),
            (&["34", "61"], &[]),
            (&["anna", "b"], &[]),
            (&["NA", ""], &[]),
            (&["10:30"], &[]),
        ] {
            assert_eq!(patterns(cells), expected, "{cells:?}");
        }
        let column = dates(&["31/01/42"]).expect("dates");
        assert!(column.decided().is_none() && column.readings[0].has_short_year());
    }

    #[test]
    fn strays_are_listed_and_do_not_change_a_column() {
        let mut cells: Vec<(&str, u64)> =
            vec![("31/01/1942", 990), ("unknown", 400), ("soon", 4), ("later", 5)];
        let column = DateColumn::detect(cells.iter().copied()).expect("dates");
        assert_eq!(column.unknown, [("unknown".to_string(), 400)]);
        assert_eq!(column.strays, [("later".to_string(), 5), ("soon".to_string(), 4)]);
        cells.push(("never", 5));
        assert_eq!(DateColumn::detect(cells), None);

        let cells = [("34", 500), ("61", 490), ("?", 30), ("elderly", 9), ("-9", 3)];
        let column = NumberColumn::detect(cells).expect("numbers");
        assert!(column.is_plain);
        assert_eq!(column.strays, [("elderly".to_string(), 9)]);
        assert_eq!(column.unknown, [("?".to_string(), 30)]);
        assert_eq!(column.codes_for_unknown, [("-9".to_string(), 3)]);
    }

    #[test]
    fn the_values_decide_on_a_number_format() {
        for (cells, decimals, unit, plain) in [
            (&["34", "61.5"][..], ".", None, true),
            (&["-1.5e3", "2"], ".", None, true),
            (&["1,5", "2,75"], ",", None, false),
            (&["1.234,5", "17"], ",", None, false),
            (&["1,234", "17"], ".,", None, false),
            (&["1,234", "0,5"], ",", None, false),
            (&["1,234,567", "17"], ".", None, false),
            (&["1 234", "17"], ".", None, false),
            (&["12 %", "7.5%"], ".", Some("%"), false),
            (&["$1,234.50", "$7"], ".", Some("$"), false),
            (&["€ 7,50", "1.000,00 €", "8"], ",", Some("€"), false),
        ] {
            let column = numbers(cells).unwrap_or_else(|| panic!("{cells:?}"));
            let found: String = column.readings.iter().map(NumberFormat::decimal).collect();
            assert_eq!(
                (found.as_str(), column.readings[0].unit(), column.is_plain),
                (decimals, unit, plain),
                "{cells:?}"
            );
        }
        for cells in [&["01234", "94103"][..], &["a", "b"], &["12%", "0.5"], &["1942-01-31"], &["NA"], &[]] {
            assert_eq!(numbers(cells), None, "{cells:?}");
        }
    }

    #[test]
    fn codes_for_missing_numbers_are_noticed() {
        let codes = |cells: &[&str]| {
            let column = numbers(cells).expect("numbers");
            column.codes_for_unknown.into_iter().map(|(value, _)| value).collect::<Vec<_>>()
        };
        assert_eq!(codes(&["34", "-1", "-99", "61"]), ["-1", "-99"]);
        assert!(codes(&["34", "-25", "61"]).is_empty(), "temperatures");
        assert_eq!(codes(&["34", "999", "61"]), ["999"]);
        assert!(codes(&["34", "99", "61"]).is_empty(), "ages");
        assert!(codes(&["-9"]).is_empty());
    }

    proptest! {
        /// What is found does not depend on the order of the values, and every value is read, unknown or a stray.
        #[test]
        fn values_are_a_set(cells in prop::collection::vec("[0-3]?[0-9][/.][01]?[0-9][/.](19|20)?[0-9]{2}|[0-9]{1,3}[.,][0-9]{1,3}|NA", 1..20)) {
            let forward = || cells.iter().map(|cell| (cell.as_str(), 1));
            let backward = || cells.iter().rev().map(|cell| (cell.as_str(), 1));
            prop_assert_eq!(DateColumn::detect(forward()), DateColumn::detect(backward()));
            prop_assert_eq!(NumberColumn::detect(forward()), NumberColumn::detect(backward()));
            if let Some(column) = DateColumn::detect(forward()) {
                for cell in &cells {
                    let read = column.readings.iter().any(|format| format.read(cell).is_some());
                    let listed = column.strays.iter().chain(&column.unknown).any(|(value, _)| value == cell);
                    prop_assert!(read != listed, "{}", cell);
                }
            }
        }
    }
}
