//! Dates: day, month, quarter, year, decade.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::super::ROOT_LABEL;
use privet_core::{Error, Result};

/// The paths of ISO dates, in the order of time.
pub(super) fn paths(values: &[(String, u64)]) -> Result<Vec<Vec<String>>> {
    let mut dated = Vec::with_capacity(values.len());
    for (value, _) in values {
        let Some(date) = date(value) else {
            return Err(Error::input(format!("'{value}' is not a date"))
                .help("write dates as 2024-03-17, or with a time as 2024-03-17T14:30:00"));
        };
        dated.push((date, value.as_str()));
    }
    dated.sort_unstable();
    let timed = dated.iter().find(|(_, value)| value.len() > DAY_LENGTH);
    let plain = dated.iter().find(|(_, value)| value.len() == DAY_LENGTH);
    if let (Some((_, timed)), Some((_, plain))) = (timed, plain) {
        return Err(Error::input(format!("'{plain}' is a day but '{timed}' has a time"))
            .help("write all dates with a time or all without"));
    }
    Ok(dated.into_iter().map(|(date, value)| path(date, value)).collect())
}

/// The length of `2024-03-17`.
const DAY_LENGTH: usize = 10;

/// The day of an ISO date or date-time, as written there.
fn date(value: &str) -> Option<Date> {
    let day = value.get(..DAY_LENGTH)?;
    let digits = |c: char| c.is_ascii_digit();
    let shape = day.char_indices().all(|(at, c)| if at == 4 || at == 7 { c == '-' } else { digits(c) });
    let date = day.parse::<Date>().ok().filter(|_| shape)?;
    let rest = &value[DAY_LENGTH..];
    let time = rest.strip_prefix(['T', 't', ' ']).is_some_and(|time| time.starts_with(digits))
        && (value.parse::<DateTime>().is_ok() || value.parse::<Timestamp>().is_ok());
    (rest.is_empty() || time).then_some(date)
}

fn path(date: Date, value: &str) -> Vec<String> {
    let (year, month) = (date.year(), date.month());
    let mut path = vec![value.to_string()];
    if value.len() > DAY_LENGTH {
        path.push(date.to_string());
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
    fn what_is_no_date_is_named() {
        for value in [
            "2023-02-29",
            "17.03.2024",
            "03/17/2024",
            "2024-03",
            "20240317",
            "2024-03-17x",
            "2024-03-17T25:00",
            "",
            "äöüäöü",
        ] {
            let error = build(&["2024-03-17", value]).expect_err(value);
            assert!(error.message().contains(value) && error.remedy().is_some(), "{error}");
        }
        assert!(
            build(&["2024-03-17", "2024-03-17T10:00"]).expect_err("mixed").message().contains("has a time")
        );
    }
}
