//! Values that look the same and are not, and characters that nobody sees: each splits a class, or hides a command.
//!
//! Nothing is merged: a value is its characters. The publisher gets a warning, by column and by code point; the values themselves stay
//! out of the message, which may end up in a log.

use std::collections::BTreeSet;

use hashbrown::HashSet;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

use privet_attack::Released;
use privet_audit::buckets::BucketTables;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_data::Source;
use privet_engine::microdata::Microdata;

/// So many code points are listed.
const MOST_LISTED: usize = 6;

/// Warnings about the values of every column of a table that matters, and about its columns' names.
pub(super) fn of_table(microdata: &Microdata) -> Vec<String> {
    let tracked = &microdata.table.tracked;
    let names =
        microdata.quasi.iter().map(|quasi| &quasi.name).chain(tracked.iter().map(|column| &column.name));
    let mut warnings = about("the names of columns", names.map(String::as_str));
    for (quasi, column) in microdata.quasi.iter().zip(microdata.summary.columns()) {
        let values = column.dictionary.values().iter().map(String::as_str);
        warnings.extend(about(&format!("column '{}'", quasi.name), values));
    }
    for column in tracked {
        let values = column.values.iter().map(String::as_str);
        warnings.extend(about(&format!("column '{}'", column.name), values));
    }
    warnings
}

/// The same warnings about what is in released files: there, too, each spelling counts as a value of its own.
pub fn about_released(released: &Released, clock: &Clock) -> Result<Vec<String>> {
    let tables: Vec<&Source> = match released {
        Released::Table(table) | Released::Groups(BucketTables::Permuted(table)) => vec![table],
        Released::Groups(BucketTables::Two { qit, st }) => vec![qit, st],
        Released::Projections(tables) => tables.iter().collect(),
        Released::Vocabularies(vocabularies) => vec![vocabularies.table()],
        Released::Transactions(source) => {
            let mut items = HashSet::new();
            source.read(&mut |transaction, _| {
                for item in transaction.items.iter().filter(|item| has_letters(item)) {
                    keep(&mut items, item);
                }
                clock.check()
            })?;
            return Ok(about("the items", items.iter().map(String::as_str)));
        }
    };
    let mut warnings = Vec::new();
    for table in tables {
        let columns = table.columns();
        warnings.extend(about("the names of columns", columns.iter().map(|column| column.name.as_str())));
        let mut values: Vec<HashSet<String>> = columns.iter().map(|_| HashSet::new()).collect();
        table.read(&mut |batch, _| {
            for row in 0..batch.rows() {
                for (cell, values) in batch.cells(row).zip(&mut values).filter(|(cell, _)| has_letters(cell))
                {
                    keep(values, cell);
                }
            }
            clock.check()
        })?;
        for (column, values) in columns.iter().zip(&values) {
            let place = format!("column '{}'", column.name);
            let told = about(&place, values.iter().map(String::as_str));
            // Two tables about the same people share columns.
            warnings.extend(told.into_iter().filter(|told| !warnings.contains(told)).collect::<Vec<_>>());
        }
    }
    Ok(warnings)
}

fn keep(values: &mut HashSet<String>, value: &str) {
    if !values.contains(value) {
        values.insert(value.to_string());
    }
}

/// Warnings about the values at one place: hidden characters, and values that look or read alike.
pub(super) fn about<'a>(place: &str, values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut values: Vec<&str> = values.filter(|value| has_letters(value)).collect();
    values.sort_unstable();
    values.dedup();
    let mut warnings = Vec::new();
    let (mut hidden, mut holders) = (BTreeSet::new(), 0u64);
    for value in values.iter().filter(|value| !value.bytes().all(|byte| matches!(byte, b' '..=b'~'))) {
        let found: Vec<char> = value.chars().filter(|character| is_hidden(*character)).collect();
        holders += u64::from(!found.is_empty());
        hidden.extend(found);
    }
    if !hidden.is_empty() {
        let holders = if holders == 1 { "1 value".to_string() } else { format!("{holders} values") };
        warnings.push(format!(
            "{place}: characters that nobody sees in {holders}: {}; two values that look the same may be different ones",
            listed(&hidden)
        ));
    }
    // Scripts can only be mixed where there is more than ASCII; a 1 that looks like an l is nobody's trap in a column of codes.
    let mixed = values.iter().any(|value| !value.is_ascii());
    let seen = |value: &str| -> String {
        let bare = spaced(value);
        if mixed { skeleton(&bare).collect() } else { bare }
    };
    let alike = groups(&values, seen);
    let cased = groups(&values, |value| spaced(value).to_lowercase()).saturating_sub(alike);
    if alike > 0 {
        warnings.push(format!(
            "{place}: {} look the same and are written with different characters, so they count as different values: letters \
             of two scripts, accents encoded in two ways, or spaces; clean the data if they are meant to be one",
            pairs(alike)
        ));
    }
    if cased > 0 {
        warnings.push(format!(
            "{place}: {} differ only in case, so they count as different values; clean the data if they are meant to be one",
            pairs(cased)
        ));
    }
    warnings
}

/// Numbers are never alike, and data may have a million of them.
fn has_letters(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
}

/// How many values share what `key` makes of them with an earlier one.
fn groups(values: &[&str], key: impl Fn(&str) -> String) -> usize {
    let distinct: HashSet<String> = values.iter().map(|value| key(value)).collect();
    values.len() - distinct.len()
}

fn pairs(count: usize) -> String {
    if count == 1 { "two values".to_string() } else { format!("{count} pairs of values") }
}

/// The value as it is read: composed, without hidden characters, spaces one by one and none at the ends.
fn spaced(value: &str) -> String {
    if value.bytes().all(|byte| matches!(byte, b'!'..=b'~')) {
        return value.to_string();
    }
    let composed: String =
        value.nfc().filter(|character| character.is_whitespace() || !is_hidden(*character)).collect();
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character leaves no trace on paper, or only that of another one: controls, marks of direction, joiners, and
/// blanks other than the common one.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
        || character.is_control()
        || (character.is_whitespace() && character != ' ')
}

fn listed(characters: &BTreeSet<char>) -> String {
    let shown: Vec<String> = characters
        .iter()
        .take(MOST_LISTED)
        .map(|character| format!("U+{:04X}", u32::from(*character)))
        .collect();
    let more = if characters.len() > MOST_LISTED { ", …" } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> String {
        about("column 'x'", values.iter().copied()).join("\n")
    }

    #[test]
    fn what_nobody_sees_is_named_by_its_code_point() {
        let text = of(&["Oslo", "Os\u{200b}lo", "Rome\u{a0}"]);
        assert!(text.contains("in 2 values: U+00A0, U+200B"), "{text}");
        assert!(text.contains("two values look the same"), "{text}");
        assert!(!text.contains("Oslo") && !text.contains("Rome"), "{text}");
        assert!(of(&["\u{202e}txt.exe"]).contains("U+202E"));
        assert!(of(&["flu", "flu\u{2800}"]).contains("U+2800"));
    }

    #[test]
    fn letters_of_two_scripts_are_told() {
        assert!(of(&["Paris", "P\u{430}ris"]).contains("look the same"));
        assert!(of(&["caf\u{e9}", "cafe\u{301}"]).contains("look the same"));
        assert!(of(&["New  York", "New York"]).contains("look the same"));
        assert_eq!(of(&["Paris", "Москва", "東京", "Zürich", "x y", "10", "lO"]), "");
    }

    #[test]
    fn case_is_told_apart() {
        let text = of(&["flu", "Flu", "FLU", "cold"]);
        assert!(text.contains("2 pairs of values differ only in case"), "{text}");
        assert_eq!(text.lines().count(), 1);
    }
}
