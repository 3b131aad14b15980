//! Times as logs write them.

use jiff::civil::Date;

/// The seconds of a time since 1970: `2006-03-01 16:01:20`, without the seconds, with a fraction of them (which is dropped),
/// with `T` between date and time and `Z` behind; or the seconds themselves.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    if !text.contains('-') || text.starts_with('-') {
        return text.parse().ok();
    }
    let (date, time) = text.split_once(['T', ' '])?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let date = Date::new(year, month as i8, day as i8).ok()?;
    let time = time.trim_start();
    let time = time.strip_suffix('Z').unwrap_or(time);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let [hour, minute, second] = match time.matches(':').count() {
        1 => numbers(time, ':', [2, 2]).map(|[hour, minute]| [hour, minute, 0])?,
        _ => numbers(time, ':', [2, 2, 2])?,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = i64::from((date - EPOCH).get_days());
    Some(((days * 24 + i64::from(hour)) * 60 + i64::from(minute)) * 60 + i64::from(second))
}

const EPOCH: Date = Date::constant(1970, 1, 1);

/// Numbers between separators have at most this many digits.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i16; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, most) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.is_empty() || part.len() > most || !part.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_moment_has_many_spellings() {
        for text in [
            "2006-03-01 16:01:20",
            "2006-03-01T16:01:20Z",
            " 2006-3-1 16:01:20.750 ",
            "1141228880",
            "2006-03-01  16:01:20",
        ] {
            assert_eq!(seconds(text), Some(1_141_228_880), "{text}");
        }
        assert_eq!(seconds("2006-03-01 16:01"), Some(1_141_228_860));
        assert_eq!(
            (seconds("-5"), seconds("1969-12-31 23:59:59"), seconds("0")),
            (Some(-5), Some(-1), Some(0))
        );
        assert_eq!(seconds("2000-02-29 00:00"), Some(951_782_400));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "now",
            "2006-03-01",
            "2006-02-29 10:00",
            "2006-13-01 10:00",
            "2006-03-01 24:00",
            "2006-03-01 10:60",
            "2006-03-01 10",
            "2006-03-01 10:00:00+02:00",
            "2006-03-01 10:00:00.",
            "12.5",
            "20060-03-01 10:00",
            "2006-03-01 10:00:00:00",
            "99999999999999999999",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
