//! Cells that a spreadsheet would run instead of showing them.
//!
//! A value such as `=HYPERLINK("http://…")` is text to Privet and a command to the program that a reader opens the release
//! with (CWE-1236; OWASP ASVS 1.2.10). Quotes do not help. In delimited text such a cell is therefore refused, or written
//! with an apostrophe before it, which spreadsheets take for "this is text". The reader takes that apostrophe off again, so that
//! what is written reads back as it was.

use std::borrow::Cow;
use std::fmt::Display;

use super::summary::parse_number;
use privet_core::Error;

/// What makes a spreadsheet calculate; the wide forms count as well in some of them, and blanks may be skipped.
const TRIGGERS: [char; 12] = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠'];

/// The mark of text.
const APOSTROPHE: char = '\'';

/// Whether a spreadsheet may take a cell for a formula.
///
/// A number is what it seems, and a sign alone is text everywhere. All else that begins so may be calculated: `-1+2` is shown
/// as 1, and a telephone number as a sum.
///
/// ```
/// use privet_data::is_formula;
/// assert!(is_formula("=1+1") && is_formula("@sum(a1)") && is_formula("-1+2") && is_formula("+49 (228) 12-34"));
/// assert!(!is_formula("-1.5e-3") && !is_formula("+5") && !is_formula("-") && !is_formula("a=b"));
/// ```
pub fn is_formula(cell: &str) -> bool {
    let mut characters = cell.chars();
    let Some(first) = characters.next().filter(|first| TRIGGERS.contains(first)) else { return false };
    let is_number = || matches!(first, '+' | '-') && parse_number(cell).is_some();
    !characters.as_str().is_empty() && !is_number()
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
    pub fn check(self, place: &dyn Display, cell: &str) -> Result<(), Error> {
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
///
/// ```
/// assert_eq!(privet_data::marked("=1+1.toml"), "'=1+1.toml");
/// ```
pub fn marked(cell: &str) -> Cow<'_, str> {
    if is_formula(cell) || is_marked(cell) {
        Cow::Owned(format!("{APOSTROPHE}{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// The cell for intermediate files: formulas stay, and a leading apostrophe that is already there is escaped.
pub fn kept_apart(cell: &str) -> Cow<'_, str> {
    if is_marked(cell) { marked(cell) } else { Cow::Borrowed(cell) }
}

/// Takes the mark of text off a cell that has one.
pub fn unmarked(cell: &str) -> &str {
    if is_marked(cell) { &cell[APOSTROPHE.len_utf8()..] } else { cell }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_runs_is_told_from_what_is_only_written_so() {
        for cell in [
            "=a",
            "+a",
            "-a",
            "@a",
            "\ta",
            "\ra",
            "\na",
            "\0a",
            "＝a",
            "=1",
            "-1+cmd|'x'!a",
            "+1a",
            "@1",
            "-1+2",
            "-5 - 5",
            "+49 30 1",
            "-10--5",
            "\t5",
            "-1/2",
            "+1+cmd|'x'!a",
            "@SUM(1)",
            "-inf",
            "-.",
            "－5",
        ] {
            assert!(is_formula(cell), "{cell}");
        }
        for cell in
            ["", "=", "-", "+", "a", "'", "-5", "+5", "-0.5", "-1e9", "+1.5E+3", "'=a", "<=50K", "*", "1-2"]
        {
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
