//! Cells that a spreadsheet would run instead of showing them.
//!
//! A value such as `=HYPERLINK("http://…")` is text to Privet and a command to the program that a reader opens the release
//! with (CWE-1236; OWASP ASVS 1.2.10). Quotes do not help. In delimited text such a cell is therefore refused, or written
//! with an apostrophe before it, which spreadsheets take for "this is text". The reader takes that apostrophe off again, so that
//! what is written reads back as it was.

use std::borrow::Cow;
use std::fmt::Display;

use super::summary::parse_number;
use crate::Error;

/// What makes a spreadsheet calculate; the wide forms count as well in some of them.
const TRIGGERS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// The mark of text.
const APOSTROPHE: char = '\'';

/// Whether a spreadsheet may take a cell for a formula.
///
/// Numbers are what they seem, a sign alone is text everywhere, and what follows a plus or minus can do no harm while it
/// is made of digits: telephone numbers, ranges and negative numbers are left in peace.
///
/// ```
/// use privet::data::is_formula;
/// assert!(is_formula("=1+1") && is_formula("@sum(a1)") && is_formula("-cmd|' /c calc'!a0"));
/// assert!(!is_formula("-1.5e-3") && !is_formula("+49 (228) 12-34") && !is_formula("-") && !is_formula("a=b"));
/// ```
pub fn is_formula(cell: &str) -> bool {
    let mut characters = cell.chars();
    let Some(first) = characters.next().filter(|first| TRIGGERS.contains(first)) else { return false };
    let rest = characters.as_str();
    if rest.is_empty() || (matches!(first, '+' | '-') && parse_number(cell).is_some()) {
        return false;
    }
    let harmless = |character: char| character.is_ascii_digit() || " .,:/%()+-–".contains(character);
    !(matches!(first, '+' | '-') && rest.chars().all(harmless))
}

/// What is done with cells that a spreadsheet would run, where the format is delimited text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Formulas {
    /// They are an error.
    #[default]
    Refuse,
    /// They get an apostrophe before them.
    Mark,
}

impl Formulas {
    /// Refuses a cell at a place that a spreadsheet would run, unless such cells are marked.
    pub(crate) fn check(self, place: &dyn Display, cell: &str) -> Result<(), Error> {
        if self == Formulas::Mark || !is_formula(cell) {
            return Ok(());
        }
        // The value may be one that the release hides; how it begins says what is wrong with it.
        let first = cell.chars().next().map_or_else(String::new, |first| first.escape_debug().to_string());
        let message = format!(
            "{place} holds a text that begins with '{first}', which a spreadsheet would run as a formula"
        );
        Err(Error::input(message).help(
            "clean the values; or let --csv-safe write an apostrophe before such cells; tables may also be published as \
             Parquet: --format parquet",
        ))
    }
}

/// Whether a cell is a formula behind any number of apostrophes; one of these is not part of the value.
fn is_marked(cell: &str) -> bool {
    cell.starts_with(APOSTROPHE) && is_formula(cell.trim_start_matches(APOSTROPHE))
}

/// The cell with an apostrophe where a reader would take one off, or a spreadsheet would run it.
pub(crate) fn marked(cell: &str) -> Cow<'_, str> {
    if is_formula(cell) || is_marked(cell) {
        Cow::Owned(format!("{APOSTROPHE}{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// The cell as it reads, for a file that is nobody's release: formulas stay, apostrophes before them are kept apart.
pub(crate) fn kept_apart(cell: &str) -> Cow<'_, str> {
    if is_marked(cell) { marked(cell) } else { Cow::Borrowed(cell) }
}

/// Takes the mark of text off a cell that has one.
pub(crate) fn unmarked(cell: &str) -> &str {
    if is_marked(cell) { &cell[APOSTROPHE.len_utf8()..] } else { cell }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_runs_is_told_from_what_is_only_written_so() {
        for cell in ["=a", "+a", "-a", "@a", "\ta", "\ra", "＝a", "=1", "-1+cmd|'x'!a", "+1a", "@1"] {
            assert!(is_formula(cell), "{cell}");
        }
        for cell in [
            "", "=", "-", "+", "a", "'", "-5", "+5", "-0.5", "-1e9", "+49 30 1", "-5 - 5", "'=a", "<=50K",
            "*",
        ] {
            assert!(!is_formula(cell), "{cell}");
        }
    }

    proptest! {
        #[test]
        fn a_mark_is_taken_off_as_it_was_put_on(cell in "['=+@a1-]{0,6}") {
            let written = marked(&cell);
            prop_assert!(!is_formula(&written));
            prop_assert_eq!(unmarked(&written), &cell);
            if !is_formula(&cell) {
                prop_assert_eq!(kept_apart(&cell), written);
            }
        }
    }
}
