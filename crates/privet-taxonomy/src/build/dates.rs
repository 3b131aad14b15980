//! Dates: day, month, quarter, year, decade.

use super::super::ROOT_LABEL;
use privet_core::{Error, Result};
use privet_data::{DateColumn, DateFormat, ReadDate};

/// The paths of dates, in the order of time. Their format is detected; where several are possible, nothing is guessed.
pub(super) fn paths(values: &[(String, u64)]) -> Result<Vec<Vec<String>>> {
    let format = format(values)?;
    let mut dated = Vec::with_capacity(values.len());
    for (value, _) in values {
        dated.push((format.read(value).ok_or_else(|| stray(value, &format))?, value.as_str()));
    }
    dated.sort_by(|one, other| (one.0.day, one.1).cmp(&(other.0.day, other.1)));
    Ok(dated.into_iter().map(|(date, value)| path(&date, value)).collect())
}

/// The format that all values have.
fn format(values: &[(String, u64)]) -> Result<DateFormat> {
    let counted = || values.iter().map(|(value, count)| (value.as_str(), *count));
    let Some(found) = DateColumn::detect(counted()) else {
        let (format, value) = DateColumn::unfit(counted());
        return Err(match format {
            Some(format) => stray(value, &format),
            None => Error::input(format!("'{value}' is not a date")).help(FORMS),
        });
    };
    if let Some(format) = found.decided() {
        return Ok(format.clone());
    }
    let patterns: Vec<String> =
        found.readings.iter().map(|format| format!("\"{}\"", format.pattern())).collect();
    let open = match found.readings.as_slice() {
        [_] => "the years have two digits, and nothing says which century they are in",
        _ => "the dates can be read in several ways, and no day above 12 decides",
    };
    let century = match found.readings.iter().any(DateFormat::has_short_year) {
        true => " --first-year 1925, the first of the hundred years that they are in",
        false => "",
    };
    Err(Error::input(format!("{open}: {}", patterns.join(" or ")))
        .help(format!("say how they are written: --date {}{century}", patterns[0])))
}

const FORMS: &str = "dates can be written as 2024-03-17, 17/03/2024, 3/17/2024, 17.03.2024, 17-Mar-2024 or 20240317, all with a \
                     time or all without; values that are missing go to --missing";

/// The error for a value that is not a date of the form that others have.
fn stray(value: &str, format: &DateFormat) -> Error {
    Error::input(format!("'{value}' is not a date of the form {}, as others are", format.pattern()))
        .help(FORMS)
}

fn path(date: &ReadDate, value: &str) -> Vec<String> {
    let (year, month) = (date.day.year(), date.day.month());
    let mut path = vec![value.to_string()];
    let day = date.day.to_string();
    if date.has_time() {
        path.push(day);
    }
    path.push(format!("{year:04}-{month:02}"));
    path.push(format!("{year:04}-Q{}", (month + 2) / 3));
    path.push(format!("{year:04}"));
    path.push(format!("{:03}0s", year / 10));
    path.push(ROOT_LABEL.to_string());
    path
}

#[cfg(test)]
mod tests {
    use super::super::Builder;

    fn build(list: &[&str]) -> privet_core::Result<String> {
        let values: Vec<(String, u64)> = list.iter().map(|value| (value.to_string(), 1)).collect();
        Builder::Dates.build(&values)?.to_text()
    }

    #[test]
    fn days_climb_to_decades() {
        assert_eq!(
            build(&["2024-03-17", "1999-12-31"]).expect("dates"),
            "1999-12-31;1999-12;1999-Q4;1999;1990s;*\n2024-03-17;2024-03;2024-Q1;2024;2020s;*\n"
        );
        assert_eq!(
            build(&["2024-02-29T23:59:59Z", "2024-05-01 10:00", "2024-05-01T10:00:00.5"]).expect("times"),
            "2024-02-29T23:59:59Z;2024-02-29;2024-02;2024-Q1;2024;2020s;*\n\
             2024-05-01 10:00;2024-05-01;2024-05;2024-Q2;2024;2020s;*\n\
             2024-05-01T10:00:00.5;2024-05-01;2024-05;2024-Q2;2024;2020s;*\n"
        );
    }

    #[test]
    fn dates_of_all_forms_climb() {
        for (values, expected) in [
            (["31/01/1942", "01/02/1942"], "31/01/1942;1942-01;"),
            (["1/31/1942", "2/1/1942"], "1/31/1942;1942-01;"),
            (["31.1.1942", "01.02.1942"], "31.1.1942;1942-01;"),
            (["31-Jan-1942", "01-Feb-1942"], "31-Jan-1942;1942-01;"),
            (["19420131", "19420201"], "19420131;1942-01;"),
            (
                ["1942-01-31T23:30:00-05:00", "1942-02-01T00:30:00+09:00"],
                "1942-01-31T23:30:00-05:00;1942-01-31;",
            ),
        ] {
            let text = build(&values).expect("dates");
            assert!(text.starts_with(expected) && text.contains("1942-02;1942-Q1;1942;1940s;*\n"), "{text}");
        }
    }

    #[test]
    fn what_can_be_read_in_several_ways_is_not_guessed() {
        let error = build(&["01/02/1942", "03/04/1950"]).expect_err("day or month");
        assert!(error.message().contains("\"%d/%m/%Y\" or \"%m/%d/%Y\""), "{error}");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("--date")), "{error}");
        let error = build(&["31/01/42"]).expect_err("which century");
        assert!(error.message().contains("two digits"), "{error}");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("--first-year")), "{error}");
    }

    #[test]
    fn what_is_no_date_is_named() {
        for value in [
            "2023-02-29",
            "17.03.2024",
            "03/17/2024",
            "2024-03",
            "20240317",
            "2024-03-17x",
            "2024-03-17T25:00",
            "2024-03-17T10:00",
            "",
            "äöüäöü",
        ] {
            let error = build(&["2024-03-17", value]).expect_err(value);
            assert!(error.message().contains(value) && error.remedy().is_some(), "{error}");
        }
        assert!(build(&["a", "b"]).expect_err("words").message().contains("'a' is not a date"));
    }
}
