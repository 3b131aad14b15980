//! Dates that are moved by some days, or of which a part is left.

use privet_core::{Error, Result, echoed};
use privet_policy::DatePart;

/// A day, and what follows it in the cell: a time of day, which stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dated<'c> {
    year: i64,
    month: i64,
    day: i64,
    time: &'c str,
}

impl<'c> Dated<'c> {
    /// The date in a cell, as ISO 8601 writes it; dates of other forms are read as such before.
    pub fn read(cell: &'c str) -> Option<Dated<'c>> {
        let text = cell.trim();
        let (date, time) = (text.get(..10)?, text.get(10..)?);
        let bytes = date.as_bytes();
        let is_iso = bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        if !is_iso || !(time.is_empty() || time.starts_with(['T', ' '])) {
            return None;
        }
        let number = |from: usize, to: usize| date.get(from..to)?.parse::<i64>().ok();
        let read = Dated { year: number(0, 4)?, month: number(5, 7)?, day: number(8, 10)?, time };
        // There is such a day if counting to it and back leads to it.
        (read.year > 0 && Dated::of(read.number(), time) == Some(read)).then_some(read)
    }

    /// The same some days later; `None` beyond the years 1 to 9999.
    pub fn moved(self, days: i64) -> Option<Dated<'c>> {
        Dated::of(self.number() + days, self.time)
    }

    /// What is left of it.
    pub fn part(self, part: DatePart) -> String {
        match part {
            DatePart::Month => format!("{:04}-{:02}", self.year, self.month),
            DatePart::Quarter => format!("{:04}-Q{}", self.year, (self.month + 2) / 3),
            DatePart::Year => format!("{:04}", self.year),
        }
    }

    /// The days since 1 March of the year 0: leap days are then the last of their years.
    fn number(self) -> i64 {
        let (year, month) =
            if self.month > 2 { (self.year, self.month - 3) } else { (self.year - 1, self.month + 9) };
        365 * year + year.div_euclid(4) - year.div_euclid(100)
            + year.div_euclid(400)
            + (153 * month + 2) / 5
            + self.day
            - 1
    }

    /// The day of a number, with a time.
    fn of(number: i64, time: &str) -> Option<Dated<'_>> {
        const ERA: i64 = 146_097;
        let (era, day) = (number.div_euclid(ERA), number.rem_euclid(ERA));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
        let year = year + 400 * era;
        (1..=9999).contains(&year).then_some(Dated { year, month, day, time })
    }
}

impl std::fmt::Display for Dated<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}{}", self.year, self.month, self.day, self.time)
    }
}

/// The date in a cell of a column.
pub(super) fn date_in<'c>(cell: &'c str, column: &str) -> Result<Dated<'c>> {
    Dated::read(cell).ok_or_else(|| {
        Error::input(format!("'{}' in column '{column}' is not a date", echoed(cell))).help(
            "say how dates are written, as in date = { format = \"%d/%m/%Y\", … }; correct it, or list it under 'missing' in \
             [data] if it means that the date is not known",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(date: &str, days: i64) -> Option<String> {
        Dated::read(date).and_then(|date| date.moved(days)).map(|date| date.to_string())
    }

    #[test]
    fn days_are_counted_across_leap_years() {
        assert_eq!(moved("2024-03-01", -21).as_deref(), Some("2024-02-09"));
        assert_eq!(moved("2024-03-15", -21).as_deref(), Some("2024-02-23"));
        assert_eq!(moved("2024-02-28", 1).as_deref(), Some("2024-02-29"));
        assert_eq!(moved("1900-02-28", 1).as_deref(), Some("1900-03-01"));
        assert_eq!(moved("2000-02-29", 366).as_deref(), Some("2001-03-01"));
        assert_eq!(moved("2023-12-31T23:30+02:00", 1).as_deref(), Some("2024-01-01T23:30+02:00"));
        assert_eq!(moved("0001-01-02", -2), None);
        assert_eq!(moved("9999-12-31", 1), None);
        assert_eq!(moved("0001-01-01", 3_652_058).as_deref(), Some("9999-12-31"));
    }

    #[test]
    fn what_is_no_day_is_not_read() {
        for cell in [
            "2023-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "0000-01-01",
            "2024-1-1",
            "1/2/2024",
            "2024-01-01x",
            "",
        ] {
            assert_eq!(Dated::read(cell), None, "{cell}");
        }
    }

    #[test]
    fn a_part_is_left() {
        let date = Dated::read("2024-11-05 10:00").expect("a date");
        let parts: Vec<String> = DatePart::ALL.iter().map(|part| date.part(*part)).collect();
        assert_eq!(parts, ["2024-11", "2024-Q4", "2024"]);
    }
}
