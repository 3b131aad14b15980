//! Identifiers among other words of a cell, as in `call 202-555-0143 after five`.

use std::ops::Range;

/// Signs that stand around or between words and are no part of an address or a number.
const BETWEEN: &[char] = &[',', ';', '=', '(', ')', '<', '>', '[', ']', '{', '}', '"', '\'', '|'];

/// A telephone number is written in at most this many words, as `+49 30 12 34 567`.
const MOST_WORDS: usize = 5;

/// The words of a cell without the signs around them, and the parts that signs divide words into.
pub fn stretches(cell: &str) -> impl Iterator<Item = &str> {
    let words = cell.split_whitespace().flat_map(|word| divided(word, BETWEEN));
    // A colon may stand between words too, but the address of a network card has some within.
    words.flat_map(|word| divided(word, &[':'])).map(bare)
}

/// A word, and its parts between signs if it has any.
fn divided<'a>(word: &'a str, signs: &'static [char]) -> impl Iterator<Item = &'a str> {
    std::iter::once(word).chain(word.split(signs).filter(|part| part.len() < word.len()))
}

fn bare(word: &str) -> &str {
    word.trim_start_matches(|sign: char| !sign.is_alphanumeric() && sign != '+')
        .trim_end_matches(|sign: char| !sign.is_alphanumeric())
}

/// Whether a telephone number stands somewhere in a cell: one with the sign of a country's code, or in groups of three, three and
/// four digits. Looser patterns would take any list of numbers for one.
pub fn has_telephone(cell: &str) -> bool {
    let written = |sign: char| sign.is_ascii_digit() || " +-()./".contains(sign);
    let mut rest = cell;
    while let Some(start) = rest.find(written) {
        let before = rest[..start].chars().next_back();
        let after = &rest[start..];
        let run = &after[..after.find(|sign| !written(sign)).unwrap_or(after.len())];
        rest = &after[run.len()..];
        if any_telephone(run, before, rest.chars().next()) {
            return true;
        }
    }
    false
}

/// The same in a stretch of digits and signs. What a letter touches is part of a code.
fn any_telephone(run: &str, before: Option<char>, after: Option<char>) -> bool {
    let touches = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let mut end = 0;
    let place = |word: &str| {
        let start = end;
        end += word.len() + 1;
        start..start + word.len()
    };
    let words: Vec<Range<usize>> = run.split(' ').map(place).collect();
    let first = usize::from(touches(before));
    let last = words.len() - usize::from(touches(after));
    let words = words.get(first..last).unwrap_or_default();
    (0..words.len()).any(|from| {
        let start = words[from].start;
        words[from..].iter().take(MOST_WORDS).any(|last| is_telephone(&run[start..last.end]))
    })
}

fn is_telephone(text: &str) -> bool {
    let groups: Vec<usize> =
        text.split(|sign: char| !sign.is_ascii_digit()).map(str::len).filter(|digits| *digits > 0).collect();
    let digits: usize = groups.iter().sum();
    match groups.as_slice() {
        [3, 3, 4] | [1, 3, 3, 4] => true,
        _ => text.starts_with('+') && (10..=15).contains(&digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telephone_numbers_are_found_among_other_words() {
        for cell in [
            "202-555-0143",
            "call 202-555-0143",
            "call:202.555.0143, or write",
            "(202) 555-0143 after five",
            "room 12 202 555 0143",
            "1-202-555-0143",
            "tel. +49 30 1234567.",
            "202-555-0143 since 2020-01-01",
        ] {
            assert!(has_telephone(cell), "{cell}");
        }
        for cell in [
            "",
            "ward 3",
            "2020-01-01 12:30",
            "12.5-13.5 / 10.2-11.9",
            "AB202-555-0143",
            "202-555-0143x",
            "1 2 3 4 5 6 7 8 9 10",
            "ünü 7-7",
        ] {
            assert!(!has_telephone(cell), "{cell}");
        }
    }

    #[test]
    fn words_are_taken_with_and_without_what_stands_around_them() {
        let found: Vec<&str> =
            stretches("mail: <bob@x.org>, key=00:1B:44:11:3A:B7. SSN:123-45-6789").collect();
        for word in ["mail", "bob@x.org", "00:1B:44:11:3A:B7", "123-45-6789"] {
            assert!(found.contains(&word), "{word} in {found:?}");
        }
        assert!(stretches("+49301234567,").any(|word| word == "+49301234567"));
        assert_eq!(stretches(" , ").filter(|word| !word.is_empty()).count(), 0);
    }
}
