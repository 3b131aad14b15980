//! How dates are written, and the days that they mean.

use std::fmt;
use std::str::Chars;

use jiff::civil::Date;

use super::months::month_of;
use privet_core::{Error, Result};

/// The first of the hundred years that two digits stand for, as POSIX has it: 69 is 1969, 68 is 2068.
pub const FIRST_YEAR: i16 = 1969;

/// How the dates of a column are written, in the letters of `strftime`.
///
/// | | |
/// |---|---|
/// | `%Y` `%y` | year, with four digits or two |
/// | `%m` `%b` `%B` | month, as a number or by its name |
/// | `%d` | day |
/// | `%H` `%M` `%S` | hour, minute, second with or without a fraction |
/// | `%I` `%p` | hour up to 12, AM or PM |
/// | `%z` | zone: `Z`, `UTC`, `+02:00`, `-0500` |
/// | `%X` | a time of day in any usual form, with a zone or without |
/// | `%F` `%T` `%R` | `%Y-%m-%d`, `%H:%M:%S`, `%H:%M` |
/// | `%+` | `%F`, then `T` or a blank, then `%X` |
///
/// ```
/// use privet_data::DateFormat;
/// let format = DateFormat::parse("%d/%m/%Y")?;
/// assert_eq!(format.read("31/01/1942").map(|date| date.to_string()).as_deref(), Some("1942-01-31"));
/// assert!(format.read("01/31/1942").is_none());
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    pattern: String,
    parts: Vec<Part>,
    first_year: i16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Literal(char),
    Blank,
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    Hour,
    Hour12,
    Minute,
    Second,
    Half,
    Zone,
    /// A whole time of day.
    Time,
    /// What separates an ISO time from its day.
    TimeMark,
}

/// A date as it was read: a day, and the time of day as the file has it. It is never moved to another zone, and so never to
/// another day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadDate {
    /// The day.
    pub day: Date,
    /// `T10:30:00+02:00`; empty where the date has no time.
    time: String,
}

impl ReadDate {
    /// Whether it has a time of day.
    pub fn has_time(&self) -> bool {
        !self.time.is_empty()
    }
}

/// As ISO 8601 writes it: `1942-01-31`, `1942-01-31T10:30:00+02:00`.
impl fmt::Display for ReadDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.day, self.time)
    }
}

/// What a cell says, before anybody asked whether there is such a day.
#[derive(Debug, Default)]
struct DateParts {
    year: i16,
    month: i8,
    day: i8,
    hour: Option<u8>,
    minute: Option<u8>,
    second: Option<u8>,
    fraction: String,
    afternoon: Option<bool>,
    zone: String,
}

impl DateFormat {
    /// Reads a format as policies write it.
    pub fn parse(pattern: &str) -> Result<DateFormat> {
        let mut parts = Vec::new();
        let wrong = |message: String| {
            Error::input(message).help(
                "use %d, %m, %Y and what is between them, as in \"%d/%m/%Y\", \"%d-%b-%Y\" or \"%Y-%m-%d %H:%M\"; \
                 %b is a month's name, %y a year of two digits, %X a time of day, %z a zone",
            )
        };
        let mut signs = pattern.chars();
        while let Some(sign) = signs.next() {
            match sign {
                '%' => {
                    let letter = signs.next();
                    let meant: &[Part] = match letter {
                        Some('Y') => &[Part::Year],
                        Some('y') => &[Part::ShortYear],
                        Some('m') => &[Part::Month],
                        Some('b' | 'B' | 'h') => &[Part::MonthName],
                        Some('d' | 'e') => &[Part::Day],
                        Some('H') => &[Part::Hour],
                        Some('I') => &[Part::Hour12],
                        Some('M') => &[Part::Minute],
                        Some('S') => &[Part::Second],
                        Some('p' | 'P') => &[Part::Half],
                        Some('z') => &[Part::Zone],
                        Some('X') => &[Part::Time],
                        Some('F') => {
                            &[Part::Year, Part::Literal('-'), Part::Month, Part::Literal('-'), Part::Day]
                        }
                        Some('T') => {
                            &[Part::Hour, Part::Literal(':'), Part::Minute, Part::Literal(':'), Part::Second]
                        }
                        Some('R') => &[Part::Hour, Part::Literal(':'), Part::Minute],
                        Some('+') => &[
                            Part::Year,
                            Part::Literal('-'),
                            Part::Month,
                            Part::Literal('-'),
                            Part::Day,
                            Part::TimeMark,
                            Part::Time,
                        ],
                        Some('%') => &[Part::Literal('%')],
                        Some(letter) => {
                            return Err(wrong(format!("'%{letter}' is not a part of a date")));
                        }
                        None => return Err(wrong("the format ends in a single '%'".to_string())),
                    };
                    parts.extend_from_slice(meant);
                }
                blank if blank.is_whitespace() => parts.push(Part::Blank),
                literal => parts.push(Part::Literal(literal)),
            }
        }
        for (what, of) in [
            ("day", &[Part::Day][..]),
            ("month", &[Part::Month, Part::MonthName]),
            ("year", &[Part::Year, Part::ShortYear]),
        ] {
            match parts.iter().filter(|part| of.contains(part)).count() {
                1 => {}
                0 => return Err(wrong(format!("'{pattern}' does not say where the {what} is"))),
                _ => return Err(wrong(format!("'{pattern}' has the {what} twice"))),
            }
        }
        Ok(DateFormat { pattern: pattern.to_string(), parts, first_year: FIRST_YEAR })
    }

    /// The same, where two digits stand for one of the hundred years from this one on.
    pub fn from_year(self, first_year: i16) -> DateFormat {
        DateFormat { first_year, ..self }
    }

    /// As policies write it.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether its years have two digits, so that somebody must say which century they are in.
    pub fn has_short_year(&self) -> bool {
        self.parts.contains(&Part::ShortYear)
    }

    /// The date that a cell means; `None` for a cell of another form, and for a day that there is not.
    pub fn read(&self, cell: &str) -> Option<ReadDate> {
        let found = self.find(cell)?;
        let hour = match (found.hour, found.afternoon) {
            (Some(hour), Some(afternoon)) => {
                Some(hour % 12 + if afternoon { 12 } else { 0 }).filter(|_| (1..=12).contains(&hour))?.into()
            }
            (hour, None) => hour,
            (None, Some(_)) => return None,
        };
        let bounded = |number: Option<u8>, most: u8| number.is_none_or(|number| number <= most);
        if !bounded(hour, 23) || !bounded(found.minute, 59) || !bounded(found.second, 59) {
            return None;
        }
        let day = Date::new(found.year, found.month, found.day).ok()?;
        let mut time = String::new();
        if let Some(hour) = hour {
            time = format!("T{hour:02}:{:02}", found.minute.unwrap_or(0));
            if let Some(second) = found.second {
                time += &format!(":{second:02}{}", found.fraction);
            }
            time += &found.zone;
        }
        Some(ReadDate { day, time })
    }

    /// Whether a cell has this form, even if there is not such a day, nor such a month.
    pub(super) fn fits(&self, cell: &str) -> bool {
        self.scan(cell, false).is_some()
    }

    fn find(&self, cell: &str) -> Option<DateParts> {
        self.scan(cell, true)
    }

    fn scan(&self, cell: &str, named: bool) -> Option<DateParts> {
        let mut found = DateParts::default();
        let mut rest = Rest(cell.trim().chars());
        let worded = self.parts.contains(&Part::MonthName) && self.parts.contains(&Part::Blank);
        for (at, part) in self.parts.iter().enumerate() {
            let next_to_digits =
                [at.checked_sub(1), Some(at + 1)].into_iter().flatten().any(|next| self.is_digits(next));
            let least = if next_to_digits { 2 } else { 1 };
            match part {
                Part::Literal(sign) => rest.take(*sign).then_some(())?,
                Part::Blank => {
                    (rest.blanks() > 0).then_some(())?;
                    // `31 de enero de 1942`, `31st of January 1942`
                    if worded && ["de ", "del ", "of "].into_iter().any(|word| rest.word(word)) {
                        rest.blanks();
                    }
                }
                Part::TimeMark => (rest.take('T') || rest.take('t') || rest.blanks() > 0).then_some(())?,
                Part::Year => found.year = rest.digits(4, 4)?,
                Part::ShortYear => {
                    let year: i16 = rest.digits(2, 2)?;
                    let past = (year - self.first_year).rem_euclid(100);
                    found.year = self.first_year.checked_add(past)?;
                }
                Part::Month => found.month = rest.digits(least, 2)?,
                Part::MonthName => {
                    let name = rest.letters();
                    rest.take('.');
                    found.month = if named { month_of(&name)? } else { (!name.is_empty()).then_some(1)? };
                }
                Part::Day => {
                    found.day = rest.digits(least, 2)?;
                    // `1er mars 1942`, `January 31st, 1942`
                    let _ =
                        worded && ["er", "st", "nd", "rd", "th", "º"].into_iter().any(|word| rest.word(word));
                }
                Part::Hour | Part::Hour12 => found.hour = Some(rest.digits(least, 2)?),
                Part::Minute => found.minute = Some(rest.digits(2, 2)?),
                Part::Second => {
                    found.second = Some(rest.digits(2, 2)?);
                    found.fraction = rest.fraction();
                }
                Part::Half => found.afternoon = Some(rest.half()?),
                Part::Zone => found.zone = rest.zone()?,
                Part::Time => {
                    found.hour = Some(rest.digits(1, 2)?);
                    rest.take(':').then_some(())?;
                    found.minute = Some(rest.digits(2, 2)?);
                    if rest.take(':') {
                        found.second = Some(rest.digits(2, 2)?);
                        found.fraction = rest.fraction();
                    }
                    rest.blanks();
                    found.afternoon = rest.half();
                    rest.blanks();
                    if !rest.is_empty() {
                        found.zone = rest.zone()?;
                    }
                }
            }
        }
        rest.is_empty().then_some(found)
    }

    /// Whether the part at a place begins and ends in digits.
    fn is_digits(&self, at: usize) -> bool {
        let digits =
            [Part::Year, Part::ShortYear, Part::Month, Part::Day, Part::Hour, Part::Minute, Part::Second];
        self.parts.get(at).is_some_and(|part| digits.contains(part))
    }
}

/// What is left of a cell.
struct Rest<'a>(Chars<'a>);

impl Rest<'_> {
    fn is_empty(&self) -> bool {
        self.0.as_str().is_empty()
    }

    /// Goes past a sign, if it comes next.
    fn take(&mut self, sign: char) -> bool {
        let mut after = self.0.clone();
        let is_next = after.next() == Some(sign);
        if is_next {
            self.0 = after;
        }
        is_next
    }

    /// Goes past a word, if it comes next.
    fn word(&mut self, word: &str) -> bool {
        let after = self.0.as_str().strip_prefix(word).map(str::chars);
        let is_next = after.is_some();
        self.0 = after.unwrap_or_else(|| self.0.clone());
        is_next
    }

    /// Goes past blanks, and counts them.
    fn blanks(&mut self) -> usize {
        let trimmed = self.0.as_str().trim_start();
        let count = self.0.as_str().len() - trimmed.len();
        self.0 = trimmed.chars();
        count
    }

    /// The number of the next digits, as many as there are, `least` to `most`.
    fn digits<N: TryFrom<i16>>(&mut self, least: usize, most: usize) -> Option<N> {
        let text = self.0.as_str();
        let length = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if length < least {
            return None;
        }
        self.0 = text[length..].chars();
        text[..length].parse::<i16>().ok().and_then(|number| N::try_from(number).ok())
    }

    fn letters(&mut self) -> String {
        let text = self.0.as_str();
        let length = text.find(|sign: char| !sign.is_alphabetic()).unwrap_or(text.len());
        self.0 = text[length..].chars();
        text[..length].to_string()
    }

    /// A fraction of a second, with its point.
    fn fraction(&mut self) -> String {
        let text = self.0.as_str();
        let Some(after) = text.strip_prefix(['.', ',']) else { return String::new() };
        let length = after.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return String::new();
        }
        self.0 = after[length..].chars();
        format!(".{}", &after[..length])
    }

    /// AM or PM: whether it is afternoon.
    fn half(&mut self) -> Option<bool> {
        let text = self.0.as_str();
        let (afternoon, length) = [("p.m.", true), ("a.m.", false), ("pm", true), ("am", false)]
            .into_iter()
            .find(|(word, _)| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
            .map(|(word, afternoon)| (afternoon, word.len()))?;
        self.0 = text[length..].chars();
        Some(afternoon)
    }

    /// A zone, as ISO 8601 writes it.
    fn zone(&mut self) -> Option<String> {
        let text = self.0.as_str();
        if let Some(word) = ["UTC", "GMT", "Z", "z"].into_iter().find(|word| text.starts_with(word)) {
            self.0 = text[word.len()..].chars();
            return Some("Z".to_string());
        }
        let sign = text.chars().next().filter(|sign| "+-\u{2212}".contains(*sign))?;
        self.0.next();
        let hours: u8 = self.digits(2, 2)?;
        self.take(':');
        let minutes: u8 = self.digits(2, 2).unwrap_or(0);
        let sign = if sign == '+' { '+' } else { '-' };
        (hours < 24 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pattern: &str, cell: &str) -> Option<String> {
        DateFormat::parse(pattern).expect(pattern).read(cell).map(|date| date.to_string())
    }

    #[test]
    fn dates_of_all_forms_are_read() {
        for (pattern, cell, iso) in [
            ("%Y-%m-%d", "1942-01-31", "1942-01-31"),
            ("%F", " 1942-1-31 ", "1942-01-31"),
            ("%d/%m/%Y", "31/01/1942", "1942-01-31"),
            ("%d/%m/%Y", "1/2/1942", "1942-02-01"),
            ("%m/%d/%Y", "1/31/1942", "1942-01-31"),
            ("%d.%m.%Y", "31.1.1942", "1942-01-31"),
            ("%d-%b-%Y", "31-Jan-1942", "1942-01-31"),
            ("%d%b%Y", "31JAN1942", "1942-01-31"),
            ("%d. %B %Y", "31. März 1942", "1942-03-31"),
            ("%b %d, %Y", "Jan. 31, 1942", "1942-01-31"),
            ("%b %d, %Y", "January 1st, 1942", "1942-01-01"),
            ("%d %b %Y", "1er mars 1942", "1942-03-01"),
            ("%d %b %Y", "31 de enero de 1942", "1942-01-31"),
            ("%d %b %Y", "2nd of May 1942", "1942-05-02"),
            ("%Y%m%d", "19420131", "1942-01-31"),
            ("%d/%m/%y", "31/01/42", "2042-01-31"),
            ("%d/%m/%y", "31/01/69", "1969-01-31"),
            ("%+", "2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"),
            ("%+", "2024-02-29 23:59", "2024-02-29T23:59"),
            // One hour before midnight stays that, whatever day it is elsewhere.
            ("%+", "2024-12-31T23:00:00.25-05:00", "2024-12-31T23:00:00.25-05:00"),
            ("%m/%d/%Y %X", "1/31/1942 11:05 PM", "1942-01-31T23:05"),
            ("%m/%d/%Y %I:%M %p", "1/31/1942 12:05 am", "1942-01-31T00:05"),
            ("%d%b%Y:%H:%M:%S", "31JAN1942:10:30:00", "1942-01-31T10:30:00"),
            ("%Y-%m-%d %H:%M:%S %z", "1942-01-31 10:30:00 +0200", "1942-01-31T10:30:00+02:00"),
        ] {
            assert_eq!(read(pattern, cell).as_deref(), Some(iso), "{pattern} {cell}");
        }
        let births = DateFormat::parse("%d/%m/%y").expect("a format").from_year(1920);
        let years = ["1/1/42", "1/1/19", "1/1/20"].map(|cell| births.read(cell).map(|date| date.day.year()));
        assert_eq!(years, [Some(1942), Some(2019), Some(1920)]);
    }

    #[test]
    fn what_is_not_such_a_date_is_not_read() {
        for (pattern, cell) in [
            ("%d/%m/%Y", "01/31/1942"),
            ("%d/%m/%Y", "31/01/42"),
            ("%d/%m/%Y", "31/01/1942x"),
            ("%d/%m/%Y", "29/02/2023"),
            ("%Y%m%d", "1942131"),
            ("%d-%b-%Y", "31-Foo-1942"),
            ("%+", "2024-03-17"),
            ("%+", "2024-03-17T25:00"),
            ("%+", "2024-03-17T10:60"),
            ("%+", "2024-03-17T13:00 PM"),
            ("%F", ""),
            ("%F", "äöüäöü"),
        ] {
            assert_eq!(read(pattern, cell), None, "{pattern} {cell}");
        }
        for pattern in ["", "%d/%m", "%q", "%d/%m/%Y%", "%d/%d/%m/%Y", "%Y-%m-%d %y"] {
            let error = DateFormat::parse(pattern).expect_err(pattern);
            assert!(error.remedy().is_some(), "{error}");
        }
    }

    proptest! {
        /// Every day that is written in a form is read as that day: the definition of a form.
        #[test]
        fn what_is_written_is_read(year in 1i16..=9999, month in 1i8..=12, day in 1i8..=31) {
            let date = Date::new(year, month, day).ok();
            let short = year.rem_euclid(100);
            for (pattern, cell) in [
                ("%F", format!("{year:04}-{month:02}-{day:02}")),
                ("%d/%m/%Y", format!("{day:02}/{month:02}/{year:04}")),
                ("%m/%d/%Y", format!("{month}/{day}/{year:04}")),
                ("%d.%m.%Y", format!("{day}.{month:02}.{year:04}")),
                ("%Y%m%d", format!("{year:04}{month:02}{day:02}")),
            ] {
                let format = DateFormat::parse(pattern).expect("a format");
                prop_assert_eq!(format.read(&cell).map(|read| read.day), date);
                prop_assert!(format.fits(&cell));
            }
            let first = (year - 30).clamp(0, 9900);
            let format = DateFormat::parse("%y%m%d").expect("a format").from_year(first);
            let meant = format.read(&format!("{short:02}{month:02}{day:02}")).map(|read| read.day.year());
            if let Some(meant) = meant {
                prop_assert!(meant >= first && meant < first + 100 && meant.rem_euclid(100) == short);
            }
        }

        #[test]
        fn nothing_breaks_the_reader(cell in "\\PC{0,30}", pattern in "(%[YymbdHIMSpzXFTR+]|[ /.T-]){0,8}") {
            if let Ok(format) = DateFormat::parse(&pattern) {
                let _ = format.read(&cell);
                let _ = format.fits(&cell);
            }
        }
    }
}
