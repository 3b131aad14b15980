//! Pseudonyms and shifted dates, literally: what the key makes of each value, by code of its own.

use unicode_normalization::UnicodeNormalization as _;

use privet_core::Secret;
use privet_core::hash::sha256;
use privet_policy::{DatePart, DateShift, Normalise, PseudonymPolicy};

/// What the audit knows of the key.
#[derive(Debug, Clone)]
pub(super) struct Deriving {
    key: Secret,
    length: usize,
    normalise: Normalise,
}

impl Deriving {
    /// Reads the key; else why it is not known.
    pub fn read(policy: &PseudonymPolicy) -> Result<Deriving, String> {
        match Secret::read(&policy.key) {
            Ok(key) => Ok(Deriving { key, length: policy.length, normalise: policy.normalise }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// HMAC-SHA-256: the hash of the key, each byte with 5c, and the hash of the key, each byte with 36, and the message.
    fn hash(&self, message: &[u8]) -> Vec<u8> {
        let mut key = self.key.bytes().to_vec();
        if key.len() > 64 {
            key = sha256(&[&key]).to_vec();
        }
        key.resize(64, 0);
        let mixed = |with: u8| key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
        let inner = [mixed(0x36), message.to_vec()].concat();
        sha256(&[&[mixed(0x5c), sha256(&[&inner]).to_vec()].concat()]).to_vec()
    }

    pub fn pseudonym(&self, domain: &str, value: &str) -> String {
        let spelt = respelt(self.normalise, value);
        let digest = self.hash(format!("privet pseudonym\0{domain}\0{spelt}").as_bytes());
        // Five bits at a time, as digits of base 32.
        let bits: String = digest.iter().map(|byte| format!("{byte:08b}")).collect();
        let five = (0..self.length).map(|at| bits.get(5 * at..5 * at + 5).unwrap_or("0"));
        let digits = five.map(|bits| u8::from_str_radix(bits, 2).unwrap_or(0));
        digits
            .map(|digit| if digit < 26 { char::from(b'a' + digit) } else { char::from(b'2' + digit - 26) })
            .collect()
    }

    /// By how many days a person's dates should be moved.
    pub fn days(&self, shift: &DateShift, person: &str) -> i64 {
        let all = permitted(shift);
        let mut digest = self.hash(format!("privet date{}", respelt(self.normalise, person)).as_bytes());
        // Whole rounds of the permitted numbers that fit into 64 bits.
        let rounds = u128::from(u64::MAX) / all.len() as u128;
        loop {
            let drawn = digest[..8].iter().fold(0u128, |number, byte| number * 256 + u128::from(*byte));
            if drawn < rounds * all.len() as u128 {
                return all[(drawn % all.len() as u128) as usize];
            }
            digest = self.hash(&digest);
        }
    }
}

/// All numbers of days by which dates may be moved, in order.
pub(super) fn permitted(shift: &DateShift) -> Vec<i64> {
    let most = i64::from(shift.days);
    (-most..=most).filter(|days| *days != 0 && (!shift.keeps_weekdays || days % 7 == 0)).collect()
}

/// The spelling of a value that is hashed.
pub(super) fn respelt(normalise: Normalise, value: &str) -> String {
    match normalise {
        Normalise::Nothing => value.to_string(),
        Normalise::Trim => value.trim().to_string(),
        Normalise::Folded => value.chars().nfc().collect::<String>().trim().to_lowercase(),
    }
}

/// The last day of the year 9999.
pub(super) const LAST_DAY: i64 = 3_652_058;

/// A day, counted from the first of the year 1, and what follows it in a cell.
pub(super) fn day_in(cell: &str) -> Option<(i64, &str)> {
    let text = cell.trim();
    let (day, rest) = (text.get(..10)?, text.get(10..)?);
    let mut parts = day.split('-');
    let mut part = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<i64>().ok())?
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let is_known = year >= 1 && (1..=12).contains(&month) && day >= 1 && day <= length(year, month);
    let before: i64 = (1..month).map(|month| length(year, month)).sum();
    let is_time = rest.is_empty() || rest.starts_with('T') || rest.starts_with(' ');
    (is_known && is_time).then_some((begin(year) + before + day - 1, rest))
}

/// The days of a month.
fn length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The days before a year, from the year 1 on.
fn begin(year: i64) -> i64 {
    let before = year - 1;
    before * 365 + before / 4 - before / 100 + before / 400
}

/// A day that was counted so, as ISO 8601 writes it.
pub(super) fn written(day: i64) -> String {
    let mut year = day.div_euclid(366) + 1;
    while begin(year + 1) <= day {
        year += 1;
    }
    let (mut month, mut rest) = (1, day - begin(year));
    while rest >= length(year, month) {
        rest -= length(year, month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", rest + 1)
}

/// What should be left of a date.
pub(super) fn coarse(day: i64, part: DatePart) -> String {
    let text = written(day);
    let (year, month) = (&text[..4], &text[5..7]);
    match part {
        DatePart::Year => year.to_string(),
        DatePart::Month => format!("{year}-{month}"),
        DatePart::Quarter => {
            let quarter = match month {
                "01" | "02" | "03" => 1,
                "04" | "05" | "06" => 2,
                "07" | "08" | "09" => 3,
                _ => 4,
            };
            format!("{year}-Q{quarter}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_and_written_again() {
        assert_eq!(day_in("0001-01-01"), Some((0, "")));
        assert_eq!(day_in("2024-03-01T10:00"), Some((738_945, "T10:00")));
        for cell in
            ["2023-02-29", "2024-1-01", "2024-13-01", "24-01-01", "2024-01-01x", "0000-01-01", "+024-01-01"]
        {
            assert_eq!(day_in(cell), None, "{cell}");
        }
        for day in (0..3_652_059).step_by(97).chain([3_652_058]) {
            assert_eq!(day_in(&written(day)).map(|(day, _)| day), Some(day));
        }
    }
}
