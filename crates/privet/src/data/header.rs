//! Column names: what a table needs of them, whatever file they come from.

use std::path::Path;

use hashbrown::HashMap;
use unicode_normalization::UnicodeNormalization;

use crate::{Error, Result};

/// The columns of a table at most.
pub(super) const MOST_COLUMNS: usize = 65_535;

/// The bytes of a column's name at most: what is longer is data without line ends.
const LONGEST_NAME: usize = 10_000;

/// What helps where the first line is not one of names. It is not shown: its cells are somebody's.
pub(super) const NO_HEADER: &str = "the first line looks like a record: the file may have no header. Put a line before it that \
                                    names the columns";

/// The error for a table with too many columns.
pub(super) fn too_many_columns(path: &Path) -> Error {
    Error::input(format!("the table has more than {MOST_COLUMNS} columns")).in_file(path).help(
        "a table has one column per attribute; is the delimiter right, or the table turned on its side?",
    )
}

/// Whether a name looks like a value, as a number, a date or an address do: the first line may be a record.
pub(super) fn looks_like_a_value(name: &str) -> bool {
    let name = name.trim();
    let numeric = |sign: char| sign.is_ascii_digit() || "+-.,/:% ".contains(sign);
    (name.contains(|sign: char| sign.is_ascii_digit()) && name.chars().all(numeric)) || name.contains('@')
}

/// Refuses names that are blank, or that a reader could not tell apart.
pub(super) fn check_names<'a>(
    path: &Path,
    line: Option<u64>,
    names: impl ExactSizeIterator<Item = &'a str>,
) -> Result<()> {
    let at = |message: String| {
        let error = Error::input(message).in_file(path);
        line.into_iter().fold(error, Error::at_line)
    };
    if names.len() > MOST_COLUMNS {
        return Err(too_many_columns(path));
    }
    let mut seen: HashMap<String, (usize, &str)> = HashMap::with_capacity(names.len());
    for (index, name) in names.enumerate() {
        let number = index + 1;
        if name.len() > LONGEST_NAME {
            return Err(at(format!("the name of column {number} is longer than {LONGEST_NAME} bytes"))
                .help("is the first line the header, and are there line ends and delimiters?"));
        }
        let key: String = name.trim().nfc().collect();
        if key.is_empty() {
            return Err(
                at(format!("column {number} has no name")).help("give every column a name in the first line")
            );
        }
        if let Some((earlier, other)) = seen.insert(key, (number, name)) {
            let message = if looks_like_a_value(name) {
                format!("columns {earlier} and {number} have the same name")
            } else if other == name {
                format!("columns {earlier} and {number} have the same name '{name}'")
            } else {
                format!(
                    "columns {earlier} and {number} have names that look the same: '{other}' and '{name}'"
                )
            };
            let help = match looks_like_a_value(name) {
                true => NO_HEADER,
                false => "give every column a name of its own",
            };
            return Err(at(message).help(help));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(names: &[&str]) -> String {
        check_names("d.csv".as_ref(), Some(1), names.iter().copied()).unwrap_err().to_string()
    }

    #[test]
    fn names_must_be_there_and_differ() {
        assert!(check_names("d.csv".as_ref(), None, ["a", "A", "b c"].into_iter()).is_ok());
        assert!(message(&["a", " "]).starts_with("d.csv:1: column 2 has no name"));
        assert!(message(&["a", "b", "a"]).contains("columns 1 and 3 have the same name 'a'"));
        assert!(message(&["a", &"b".repeat(LONGEST_NAME + 1)]).contains("column 2 is longer than"));
        assert!(message(&["a", "a "]).contains("look the same"));
        assert!(message(&["caf\u{e9}", "cafe\u{301}"]).contains("look the same"));
    }

    #[test]
    fn values_are_not_shown_as_names() {
        for value in
            ["34", "-1.5", "2024-03-17", "17/03/2024 10:30", "+49 30 1234567", "30%", "anna@example.org"]
        {
            assert!(looks_like_a_value(value), "{value}");
            let told = message(&["a", value, value]);
            assert!(!told.contains(value) && told.contains("no header"), "{told}");
        }
        for name in ["age", "age at 5", "q1", "1st visit", "-", "BMI (kg/m2)", "é"] {
            assert!(!looks_like_a_value(name), "{name}");
        }
    }

    #[test]
    fn there_is_a_limit_to_columns() {
        let names: Vec<String> = (0..=MOST_COLUMNS).map(|number| number.to_string()).collect();
        let check = |names: &[String]| check_names("d.csv".as_ref(), None, names.iter().map(String::as_str));
        assert!(check(&names[1..]).is_ok());
        assert!(check(&names).unwrap_err().to_string().contains("65535"));
    }
}
