//! Looks for direct identifiers: by what columns are called, and by what their values look like.
//!
//! A pattern proves nothing, in either direction: ordinary numbers may look like telephone numbers, and names look like any
//! other word. The scan is a reminder to look, and says how much it saw.

use super::report::{Fate, IdentifierKind, Scan, Suspect};
use privet_core::{Error, Result};
use privet_data::interner::Interner;
use privet_data::naming::{among, words};
use privet_drafts::{has_telephone, stretches};
use privet_policy::{CheckedPolicy, PolicyColumn, ReleaseKind, Role};

/// More records than this are not read for it.
const MOST_RECORDS: u64 = 100_000;
/// The oldest age that need not be pooled with higher ones.
const OLDEST: u64 = 89;
/// Shorter texts fit no pattern.
const SHORTEST: usize = 7;
/// A text of this many characters and words is free text.
const FREE_TEXT: (usize, usize) = (40, 6);

/// Scans the original table.
pub(super) fn table(policy: &CheckedPolicy, tick: &mut dyn FnMut() -> Result<()>) -> Result<Scan> {
    let columns = &policy.columns;
    let is_age: Vec<bool> =
        columns.iter().map(|column| among("age alter", &words(&column.name)).is_some()).collect();
    let kinds = IdentifierKind::ALL.len();
    let mut hits = vec![0u64; columns.len() * kinds];
    let mut known: Vec<KnownValues> = columns.iter().map(|_| KnownValues::default()).collect();
    let (mut looked_at, mut enough) = (0, false);
    let read = policy.source.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            enough = looked_at == MOST_RECORDS;
            if enough {
                // Reading can only be left by an error; this one is taken back below.
                return Err(Error::internal("enough was read"));
            }
            looked_at += 1;
            for (at, column) in columns.iter().enumerate() {
                let value = batch.cell(row, column.index).trim();
                let found =
                    known[at].kinds(value, || found_in(value).chain(old(value).filter(|_| is_age[at])));
                for kind in IdentifierKind::ALL.into_iter().filter(|kind| found & mark(*kind) != 0) {
                    hits[at * kinds + kind as usize] += 1;
                }
            }
        }
        tick()
    });
    if !enough {
        read?;
    }
    let mut suspects = Vec::new();
    for kind in IdentifierKind::ALL {
        for (at, column) in columns.iter().enumerate() {
            let by_name = among(kind.words(), &words(&column.name)).is_some();
            let hits = hits[at * kinds + kind as usize];
            if by_name || hits > 0 {
                suspects.push(Suspect {
                    kind,
                    column: column.name.clone(),
                    by_name,
                    hits,
                    fate: fate(column, policy.publishes()),
                });
            }
        }
    }
    Ok(Scan { looked_at, noun: "records".to_string(), partial: enough, suspects })
}

/// What the values of a column look like, each looked at once: most columns have few of them.
#[derive(Default)]
struct KnownValues {
    values: Interner,
    found: Vec<u32>,
}

impl KnownValues {
    /// More values of a column than this are looked at whenever they occur.
    const MOST: usize = 1 << 16;

    /// The kinds of identifiers that are found in a value, as bits.
    fn kinds<I: Iterator<Item = IdentifierKind>>(&mut self, value: &str, look: impl FnOnce() -> I) -> u32 {
        if value.is_empty() {
            return 0;
        }
        if let Some(known) = self.values.find(value) {
            return self.found[known as usize];
        }
        let found = look().fold(0, |found, kind| found | mark(kind));
        if self.values.len() < Self::MOST {
            self.values.intern(value);
            self.found.push(found);
        }
        found
    }
}

/// The bit of a kind of identifier.
fn mark(kind: IdentifierKind) -> u32 {
    1 << kind as u32
}

/// Scans labels of items or terms, each with how often it occurs and whether it is published as it is.
pub(super) fn labels<'a>(noun: &str, labels: impl Iterator<Item = (&'a str, u64, bool)>) -> Scan {
    let mut found = [[0u64; 2]; IdentifierKind::ALL.len()];
    let mut looked_at = 0;
    for (label, count, published) in labels {
        looked_at += 1;
        for kind in found_in(label.trim()) {
            found[kind as usize][usize::from(published)] += count;
        }
    }
    let mut suspects = Vec::new();
    for kind in IdentifierKind::ALL {
        for (fate, hits) in [Fate::Changed, Fate::Published].into_iter().zip(found[kind as usize]) {
            if hits > 0 {
                suspects.push(Suspect { kind, column: String::new(), by_name: false, hits, fate });
            }
        }
    }
    Scan { looked_at, noun: noun.to_string(), partial: false, suspects }
}

fn fate(column: &PolicyColumn, publishes: ReleaseKind) -> Fate {
    match column.role {
        // Groups leave quasi-identifiers as they are.
        Some(Role::QuasiIdentifier) if publishes == ReleaseKind::Groups => Fate::Published,
        None | Some(Role::Identifier) => Fate::LeftOut,
        Some(Role::Weight | Role::Household) if !column.is_published() => Fate::LeftOut,
        Some(Role::QuasiIdentifier | Role::Mixed | Role::QuasiSensitive | Role::Pseudonym | Role::Set) => {
            Fate::Changed
        }
        Some(Role::Sensitive | Role::Class | Role::Weight | Role::Household | Role::Other) => Fate::Published,
    }
}

/// An age that has to be pooled.
fn old(value: &str) -> Option<IdentifierKind> {
    value.parse::<u64>().ok().filter(|age| (OLDEST + 1..=130).contains(age)).map(|_| IdentifierKind::Date)
}

/// The kinds of identifiers that a value looks like or holds among other words, each once.
fn found_in(value: &str) -> impl Iterator<Item = IdentifierKind> {
    let mut found = [false; IdentifierKind::ALL.len()];
    // Nearly all values are short words or numbers, which no pattern fits.
    if value.len() >= SHORTEST {
        let within = stretches(value).filter(|text| text.len() < value.len());
        for kind in std::iter::once(value).chain(within).filter_map(looks_like) {
            found[kind as usize] = true;
        }
        found[IdentifierKind::Telephone as usize] |= has_telephone(value);
    }
    IdentifierKind::ALL.into_iter().filter(move |kind| found[*kind as usize])
}

/// The kind of identifier that a text looks like, where it looks like one.
fn looks_like(value: &str) -> Option<IdentifierKind> {
    let bytes = value.as_bytes();
    if bytes.len() < SHORTEST {
        return None;
    }
    let has = |byte: u8| bytes.contains(&byte);
    if has(b'@') && is_mail(value) {
        return Some(IdentifierKind::Mail);
    }
    let lower = value.get(..8).unwrap_or(value).to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.") {
        return Some(IdentifierKind::Web);
    }
    if value.len() >= FREE_TEXT.0 && value.split_whitespace().count() >= FREE_TEXT.1 {
        return Some(IdentifierKind::FreeText);
    }
    if !bytes.iter().any(u8::is_ascii_digit) {
        return None;
    }
    match shape(value).as_str() {
        "9-9-9" => {
            let parts: Vec<usize> = value.split(['-', '/', '.']).map(str::len).collect();
            match (parts.as_slice(), has(b'-')) {
                ([3, 2, 4], true) => Some(IdentifierKind::SocialSecurity),
                ([3, 3, 4], _) => Some(IdentifierKind::Telephone),
                ([4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4], _) => Some(IdentifierKind::Date),
                _ => None,
            }
        }
        "9-9-9-9" if has(b'.') && value.split('.').all(|part| part.parse::<u8>().is_ok()) => {
            Some(IdentifierKind::Internet)
        }
        "9-9" if value.len() == 10 && value.as_bytes().get(5) == Some(&b'-') => Some(IdentifierKind::Place),
        _ if is_uuid(value) => Some(IdentifierKind::OtherCode),
        _ if is_mac(value) => Some(IdentifierKind::Device),
        _ if is_timestamp(value) => Some(IdentifierKind::Date),
        _ if is_iban(value) || is_card(value) => Some(IdentifierKind::Account),
        _ if is_telephone(value) => Some(IdentifierKind::Telephone),
        _ => None,
    }
}

/// Runs of digits as 9, separators as -, all else as a.
fn shape(value: &str) -> String {
    let mut shape = String::new();
    for character in value.chars() {
        let sign = match character {
            '0'..='9' => '9',
            '-' | '/' | '.' => '-',
            _ => 'a',
        };
        if sign == '-' || !shape.ends_with(sign) {
            shape.push(sign);
        }
    }
    shape
}

fn is_mail(value: &str) -> bool {
    value.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.contains('.') && !host.contains('@') && !value.contains(char::is_whitespace)
    })
}

fn is_uuid(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_mac(value: &str) -> bool {
    let parts: Vec<&str> = value.split([':', '-']).collect();
    parts.len() == 6
        && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A date in front of a time of the day.
fn is_timestamp(value: &str) -> bool {
    let day = value.get(..10).filter(|_| value.len() >= 16 && value.contains(':'));
    day.is_some_and(|day| shape(day) == "9-9-9")
}

fn is_iban(value: &str) -> bool {
    let code: Vec<u8> = value.bytes().filter(|byte| *byte != b' ').collect();
    (15..=34).contains(&code.len())
        && code.iter().take(2).all(u8::is_ascii_uppercase)
        && code.iter().skip(2).take(2).all(u8::is_ascii_digit)
        && code.iter().skip(4).all(u8::is_ascii_alphanumeric)
}

/// Thirteen to nineteen digits with the check digit of payment cards (Luhn).
fn is_card(value: &str) -> bool {
    let digits: Vec<u32> = value.chars().filter_map(|character| character.to_digit(10)).collect();
    let only = value.chars().all(|character| character.is_ascii_digit() || matches!(character, ' ' | '-'));
    let sum = digits.iter().rev().enumerate().map(|(at, digit)| match (at % 2, digit * 2) {
        (0, _) => *digit,
        (_, double) if double > 9 => double - 9,
        (_, double) => double,
    });
    only && (13..=19).contains(&digits.len()) && sum.sum::<u32>().is_multiple_of(10)
}

fn is_telephone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let allowed =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b' ' | b'(' | b')' | b'-' | b'/' | b'.');
    let marked = value.starts_with('+') || value.starts_with('(') || value.starts_with("00");
    (9..=15).contains(&digits) && marked && value.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_known_by_their_looks() {
        use IdentifierKind::*;
        let cases = [
            ("anna@example.org", Some(Mail)),
            ("https://example.org/~anna", Some(Web)),
            ("123-45-6789", Some(SocialSecurity)),
            ("212-555-0123", Some(Telephone)),
            ("+49 30 1234567", Some(Telephone)),
            ("2024-03-17", Some(Date)),
            ("17.03.2024", Some(Date)),
            ("2024-03-17T10:22:05", Some(Date)),
            ("192.168.10.4", Some(Internet)),
            ("90210-1234", Some(Place)),
            ("123e4567-e89b-12d3-a456-426614174000", Some(OtherCode)),
            ("00:1A:2B:3C:4D:5E", Some(Device)),
            ("DE89 3704 0044 0532 0130 00", Some(Account)),
            ("4539 1488 0343 6467", Some(Account)),
            ("the patient said that her brother in Leeds had it too", Some(FreeText)),
        ];
        for (value, kind) in cases {
            assert_eq!(looks_like(value), kind, "{value}");
            assert_eq!(found_in(value).collect::<Vec<_>>(), kind.into_iter().collect::<Vec<_>>(), "{value}");
        }
    }

    #[test]
    fn identifiers_are_found_among_other_words() {
        use IdentifierKind::*;
        for (value, kinds) in [
            ("call 202-555-0143", &[Telephone][..]),
            ("mail bob@x.org", &[Mail]),
            ("SSN:123-45-6789, seen 2024-03-17", &[Date, SocialSecurity]),
            ("she asked to be called at +49 30 1234567 or at anna@example.org", &[Telephone, Mail, FreeText]),
            ("Surgery, second floor", &[]),
        ] {
            assert_eq!(found_in(value).collect::<Vec<_>>(), kinds, "{value}");
        }
    }

    #[test]
    fn ordinary_values_are_left_alone() {
        for value in [
            "",
            "42",
            "90210",
            "married",
            "Bachelor of Science",
            "1234567",
            "-118.25",
            "20–29",
            "[20, 30)",
            "COPD",
        ] {
            assert_eq!(found_in(value).count(), 0, "{value}");
        }
        assert_eq!(old("90"), Some(IdentifierKind::Date));
        assert_eq!(old("89"), None);
    }

    #[test]
    fn labels_are_counted_by_what_becomes_of_them() {
        let items = [("milk", 10, true), ("anna@example.org", 3, true), ("bob@example.org", 2, false)];
        let scan = labels("items", items.into_iter());
        assert_eq!(scan.looked_at, 3);
        assert_eq!(scan.leaks().map(|suspect| suspect.hits).collect::<Vec<_>>(), [3]);
        assert_eq!(scan.suspects.len(), 2);
    }
}
