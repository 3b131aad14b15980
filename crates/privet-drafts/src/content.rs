//! What a column holds, whatever it is called: recognised by the form of its values.

use std::net::IpAddr;

use super::kind::{ValueKind, iso_date};
use super::profile::ColumnProfile;
use privet_taxonomy::Ready;

/// At most this many values are looked at.
const LOOKED_AT: usize = 2_000;
/// With fewer values a form is chance.
const LEAST_VALUES: usize = 3;
/// This share of the values must have the form, in percent.
const MOST: usize = 90;
/// Of what leads to somebody directly, this share is too much,
const SOME: usize = 10;
/// among this many values at least: with fewer, one of them is a tenth.
const LEAST_SOME: usize = 20;
/// Characters of a hash at least: eight bytes.
const SHORTEST_HASH: usize = 16;
/// Words of a cell from which on it is a text, on average.
const WORDS_OF_TEXT: usize = 4;
/// Characters of a cell from which on it is a text, on average.
const CHARACTERS_OF_TEXT: usize = 40;
/// Dates of birth lie this many years apart at least.
const YEARS_OF_LIFE: i32 = 30;
/// Diagnoses come from at least this many letters of the classification, unless they have a point.
const LETTERS_OF_DIAGNOSES: usize = 3;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Mail,
    Telephone,
    Iban,
    Card,
    Web,
    Network,
    Uuid,
    Hash,
    Coordinates,
    FreeText,
    Birthdays,
    Dates,
    Postcodes,
    Diagnoses,
    Countries,
    Sexes,
}

/// Words and letters for the sexes.
const SEXES: &str = "f m w d x h v female male man woman men women diverse other frau mann maennlich männlich weiblich divers \
    homme femme masculin féminin feminin hombre mujer masculino femenino maschio femmina uomo donna homem mulher feminino \
    vrouw mannelijk vrouwelijk unknown";

/// The states of the United States, whose codes are also those of countries.
const STATES: &str = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK \
    OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC";

/// Forms of postcodes with letters or signs: 9 stands for a digit, A for a letter.
const POSTCODES: [&str; 14] = [
    "A9 9AA",
    "A99 9AA",
    "AA9 9AA",
    "AA99 9AA",
    "A9A 9AA",
    "AA9A 9AA",
    "9999 AA",
    "9999AA",
    "A9A 9A9",
    "99999-9999",
    "99-999",
    "9999-999",
    "99999-999",
    "999 99",
];

/// Whether a cell has a form.
type HasForm = fn(&str) -> bool;

/// The forms that values may have, the most certain first.
const FORMS: [(Content, HasForm); 10] = [
    (Content::Mail, is_mail),
    (Content::Uuid, is_uuid),
    (Content::Hash, is_hash),
    (Content::Iban, is_iban),
    (Content::Card, is_card),
    (Content::Network, is_network),
    (Content::Web, is_web),
    (Content::Telephone, is_telephone),
    (Content::Coordinates, are_coordinates),
    (Content::Postcodes, is_postcode),
];

/// What the values of a column are, as far as their form tells.
pub(super) fn content(column: &ColumnProfile) -> Option<Content> {
    let values = column.first_values();
    let values = &values[..values.len().min(LOOKED_AT)];
    if column.kind() == ValueKind::Date {
        return Some(if are_birthdays(values) { Content::Birthdays } else { Content::Dates });
    }
    if matches!(column.kind(), ValueKind::Empty | ValueKind::Boolean | ValueKind::Number) || values.is_empty()
    {
        return None;
    }
    let most = |count: usize| count * 100 >= values.len() * MOST;
    let fits = |looks: &dyn Fn(&str) -> bool| most(values.iter().filter(|value| looks(value.trim())).count());
    if column.kind() == ValueKind::Whole {
        let card = column.shape.lengths.0 >= 15 && values.len() >= LEAST_VALUES && fits(&is_card);
        return card.then_some(Content::Card);
    }
    let is_sex = |value: &str| SEXES.split_whitespace().any(|sex| value.to_lowercase() == sex);
    if (2..=5).contains(&values.len()) && values.iter().all(|value| is_sex(value.trim())) {
        return Some(Content::Sexes);
    }
    if values.len() < LEAST_VALUES {
        return None;
    }
    if let Some((content, _)) = FORMS.iter().find(|(_, looks)| fits(looks)) {
        return Some(*content);
    }
    let direct = [Content::Mail, Content::Iban, Content::Card, Content::Telephone];
    let some = |looks: &HasForm| {
        values.len() >= LEAST_SOME
            && values.iter().filter(|value| looks(value.trim())).count() * 100 >= values.len() * SOME
    };
    if let Some((content, _)) = FORMS.iter().find(|(form, looks)| direct.contains(form) && some(looks)) {
        return Some(*content);
    }
    if fits(&|value| Ready::find("icd-10").is_ok_and(|icd| icd.above(value).is_some())) {
        let mut letters: Vec<u8> = values.iter().filter_map(|value| value.bytes().next()).collect();
        letters.sort_unstable();
        letters.dedup();
        let points = values.iter().filter(|value| value.as_bytes().get(3) == Some(&b'.')).count();
        if letters.len() >= LETTERS_OF_DIAGNOSES || 4 * points >= values.len() {
            return Some(Content::Diagnoses);
        }
    }
    let is_state = |value: &str| STATES.split_whitespace().any(|state| state == value);
    let are_states = values.iter().all(|value| is_state(value.trim()));
    if !are_states && fits(&|value| Ready::find("countries").is_ok_and(|all| all.above(value).is_some())) {
        return Some(Content::Countries);
    }
    is_free_text(column, values).then_some(Content::FreeText)
}

/// Cells of several words, most of which differ.
fn is_free_text(column: &ColumnProfile, values: &[String]) -> bool {
    let words: usize = values.iter().map(|value| value.split_whitespace().count()).sum();
    let characters: usize = values.iter().map(|value| value.chars().count()).sum();
    let long = words >= WORDS_OF_TEXT * values.len() && characters >= CHARACTERS_OF_TEXT * values.len();
    column.kind() == ValueKind::Text && long && column.mostly_differ(30)
}

/// Dates that spread as births do and none of which is to come.
fn are_birthdays(values: &[String]) -> bool {
    let years: Vec<i32> =
        values.iter().filter_map(|value| iso_date(value)?.split('-').next()?.parse().ok()).collect();
    let (Some(first), Some(last)) = (years.iter().min(), years.iter().max()) else { return false };
    let now = i32::from(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year());
    last - first >= YEARS_OF_LIFE && *first >= 1880 && *last <= now
}

pub(super) fn is_mail(cell: &str) -> bool {
    cell.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && !user.contains(' ') && host.contains('.') && !host.contains([' ', '@'])
    })
}

/// Ten digits or more in groups, or with the sign of a country's code; plain numbers are anything.
pub(super) fn is_telephone(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let only = cell.chars().all(|c| c.is_ascii_digit() || " +-()./".contains(c));
    let grouped =
        cell.starts_with('+') || cell.starts_with('(') || cell.matches(['-', '.', ' ']).count() >= 2;
    only && grouped && (10..=15).contains(&digits)
}

/// Whether a text has the shape of another: digits where that has 9, letters where it has A, and the same signs.
pub(super) fn is_shaped(cell: &str, shape: &str) -> bool {
    cell.len() == shape.len()
        && cell.bytes().zip(shape.bytes()).all(|(c, s)| match s {
            b'9' => c.is_ascii_digit(),
            b'A' => c.is_ascii_uppercase(),
            _ => c == s,
        })
}

pub(super) fn is_web(cell: &str) -> bool {
    let lower = cell.to_ascii_lowercase();
    lower.contains("://") || lower.starts_with("www.")
}

/// Six pairs of hexadecimal digits: the address of a network card.
pub(super) fn is_device(cell: &str) -> bool {
    let separator = if cell.contains(':') { ':' } else { '-' };
    let pairs: Vec<&str> = cell.split(separator).collect();
    pairs.len() == 6
        && pairs.iter().all(|pair| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_network(cell: &str) -> bool {
    cell.parse::<IpAddr>().is_ok() || is_device(cell)
}

fn is_uuid(cell: &str) -> bool {
    let parts: Vec<usize> = cell.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && cell.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Hexadecimal digits of a length that no number has: what a hash function made of somebody's name or number.
fn is_hash(cell: &str) -> bool {
    cell.len() >= SHORTEST_HASH
        && cell.bytes().all(|byte| byte.is_ascii_hexdigit())
        && cell.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Two letters, two digits and up to thirty characters, with the check of ISO 7064 (mod 97 is 1).
fn is_iban(cell: &str) -> bool {
    let code: String = cell.chars().filter(|c| *c != ' ').collect();
    let formed = (15..=34).contains(&code.len())
        && code.is_ascii()
        && code.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && code[..2].bytes().all(|byte| byte.is_ascii_uppercase())
        && code[2..4].bytes().all(|byte| byte.is_ascii_digit());
    if !formed {
        return false;
    }
    let rest = code[4..].bytes().chain(code[..4].bytes()).fold(0u64, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u64::from(byte - b'0')) % 97,
        _ => (rest * 100 + u64::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}

/// Fifteen or sixteen digits, with the check digit of ISO 7812 (Luhn).
fn is_card(cell: &str) -> bool {
    let digits: Vec<u32> =
        cell.chars().filter(|c| !" -".contains(*c)).map_while(|c| c.to_digit(10)).collect();
    let only = cell.chars().all(|c| c.is_ascii_digit() || " -".contains(c));
    let double = |digit: u32| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(at, digit)| if at % 2 == 1 { double(*digit) } else { *digit })
        .sum();
    only && (15..=16).contains(&digits.len()) && sum.is_multiple_of(10)
}

/// Latitude and longitude in one cell, each with two decimals at least.
fn are_coordinates(cell: &str) -> bool {
    let cell = cell.trim_matches(|c: char| "()[]".contains(c)).trim_start_matches("POINT").trim();
    let parts: Vec<&str> =
        cell.split([',', ';', ' ']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let degrees = |part: &str| {
        let exact = part.split_once('.').is_some_and(|(_, decimals)| decimals.len() >= 2);
        part.parse::<f64>().ok().filter(|degrees| exact && degrees.abs() <= 180.0)
    };
    matches!(parts.as_slice(), [one, two] if degrees(one).is_some() && degrees(two).is_some())
}

/// A postcode with letters or signs, as in Britain, the Netherlands, Canada, Poland, Portugal and Brazil.
fn is_postcode(cell: &str) -> bool {
    POSTCODES.iter().any(|shape| is_shaped(cell, shape))
}

/// Codes of five digits some of which begin with zero, as postcodes in Germany, France, Italy, Spain and the United States do.
pub(super) fn may_be_postcodes(column: &ColumnProfile) -> bool {
    let all_digits = |value: &String| value.bytes().all(|byte| byte.is_ascii_digit());
    column.kind() == ValueKind::Code
        && column.shape.lengths == (5, 5)
        && column.distinct() >= 10
        && column.first_values().iter().all(all_digits)
}

impl Content {
    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            Content::Mail => "e-mail addresses",
            Content::Telephone => "telephone numbers",
            Content::Iban => "bank accounts (IBAN)",
            Content::Card => "card numbers",
            Content::Web => "web addresses",
            Content::Network => "addresses of devices",
            Content::Uuid => "unique identifiers (UUID)",
            Content::Hash => "hashes, which stand for somebody",
            Content::Coordinates => "coordinates of places",
            Content::FreeText => "free text",
            Content::Birthdays => "dates that spread as births do",
            Content::Dates => "dates",
            Content::Postcodes => "postcodes",
            Content::Diagnoses => "ICD-10 codes",
            Content::Countries => "countries",
            Content::Sexes => "sexes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_know_their_own_and_no_others() {
        type Looks = fn(&str) -> bool;
        let known: [(Looks, &[&str], &[&str]); 10] = [
            (is_mail, &["a.b@example.org"], &["a b@example.org", "@x.org", "a@b", "a@b.c@d"]),
            (
                is_telephone,
                &["+1 555 010 1234", "(555) 010-1234", "555-010-1234"],
                &["5550101234", "2020-01-01", "12-3"],
            ),
            (|cell| is_shaped(cell, "999-99-9999"), &["123-45-6789"], &["123456789", "12-345-6789"]),
            (is_device, &["00:1B:44:11:3A:B7", "00-1b-44-11-3a-b7"], &["00:1B:44:11:3A", "hello"]),
            (is_web, &["https://example.org/x", "www.example.org"], &["example", "a.b"]),
            (
                is_iban,
                &["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "FR1420041010050500013M02606"],
                &["DE88 3704 0044 0532 0130 00", "DE89", "123456789012345"],
            ),
            (is_card, &["4111 1111 1111 1111", "378282246310005"], &["4111 1111 1111 1112", "41111"]),
            (is_uuid, &["123e4567-e89b-12d3-a456-426614174000"], &["123e4567", "12345678-1234"]),
            (are_coordinates, &["52.5200, 13.4050", "(48.85,2.35)"], &["12, 13", "1.5", "200.55, 3.55"]),
            (
                is_postcode,
                &["SW1A 1AA", "1012 AB", "K1A 0B1", "00-950", "1000-001"],
                &["12345", "ABC", "a1 1aa"],
            ),
        ];
        for (looks, yes, no) in known {
            for cell in yes {
                assert!(looks(cell), "{cell}");
            }
            for cell in no {
                assert!(!looks(cell), "{cell}");
            }
        }
    }
}
