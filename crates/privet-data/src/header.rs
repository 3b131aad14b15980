//! Column names: what a table needs of them, whatever file they come from.

use std::path::Path;

use hashbrown::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

use privet_core::{Error, Result};

/// The columns of a table at most.
pub(super) const MOST_COLUMNS: usize = 65_535;

/// The bytes of a column's name at most: what is longer is data without line ends.
const LONGEST_NAME: usize = 10_000;

/// What helps where the first line is not one of names. It is not shown: its cells are somebody's.
pub(super) const NO_HEADER: &str = "the first line looks like a record: the file may have no header. Set header = false in [data] \
                                    (or --header false), which names the columns column1, column2, …, or give their names: \
                                    header = [\"age\", \"sex\"]";

/// What a column is called that has no name.
const NAMELESS: &str = "column";

/// Whether delimited text begins with the names of its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Header {
    /// It should; a file whose first line looks like a record is refused.
    #[default]
    Expected,
    /// It does, whatever the names look like.
    First,
    /// It does not: the columns are called `column1`, `column2`, …
    Absent,
    /// It does not, and these are the names.
    Names(Vec<String>),
}

impl Header {
    /// Reads what users write after `--header`: `true`, `false`, or names with commas between them.
    ///
    /// ```
    /// use privet_data::Header;
    /// assert_eq!(Header::parse("false"), Header::Absent);
    /// assert_eq!(Header::parse("age,sex"), Header::Names(vec!["age".into(), "sex".into()]));
    /// ```
    pub fn parse(text: &str) -> Header {
        match text.trim() {
            "true" => Header::First,
            "false" => Header::Absent,
            names => Header::Names(names.split(',').map(|name| name.trim().to_string()).collect()),
        }
    }

    /// The names that are given to the columns of a file without any; `None` for a file that has them.
    pub(super) fn names(&self, path: &Path, width: usize) -> Result<Option<Vec<String>>> {
        match self {
            Header::Expected | Header::First => Ok(None),
            Header::Absent => Ok(Some(named(&vec![""; width]))),
            Header::Names(names) if names.len() != width => {
                let count = |number: usize, noun: &str| match number {
                    1 => format!("1 {noun}"),
                    number => format!("{number} {noun}s"),
                };
                let (given, found) = (count(names.len(), "name"), count(width, "cell"));
                Err(Error::input(format!("'header' lists {given}, but the first line has {found}"))
                    .in_file(path)
                    .help("give one name for each column, in the order of the file; is the delimiter right?"))
            }
            Header::Names(names) => {
                if let Some(at) = names.iter().position(|name| name.trim().is_empty()) {
                    return Err(Error::input(format!("'header' has no name for column {}", at + 1))
                        .in_file(path)
                        .help("give every column a name"));
                }
                check_names(path, None, names.iter().map(String::as_str))?;
                Ok(Some(names.clone()))
            }
        }
    }
}

/// The names of columns, where those that have none are called by their place: the index that pandas writes has no name.
pub(super) fn named(names: &[&str]) -> Vec<String> {
    let taken: HashSet<&str> = names.iter().map(|name| name.trim()).collect();
    let name = |(at, name): (usize, &&str)| match name.trim() {
        "" => {
            let mut name = format!("{NAMELESS}{}", at + 1);
            while taken.contains(name.as_str()) {
                name.push('_');
            }
            name
        }
        _ => name.to_string(),
    };
    names.iter().enumerate().map(name).collect()
}

/// The positions of names that are blank.
pub(super) fn nameless(names: &[&str]) -> Vec<usize> {
    (0..names.len()).filter(|at| names[*at].trim().is_empty()).collect()
}

/// The error for a first line that is somebody's record.
pub(super) fn no_names(path: &Path, line: u64) -> Error {
    Error::input("the first line looks like a record, not like names of columns")
        .in_file(path)
        .at_line(line)
        .help(
            "if it is a record, set header = false in [data] (or --header false), which names the columns column1, column2, …, \
             or give their names: header = [\"age\", \"sex\"]; if it does hold names, set header = true; if each line is a set of items, the data is of kind \"transactions\"",
        )
}

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

/// Refuses names that a reader could not tell apart; none is blank. `line` is where they are, if they are in the text itself.
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
            let help = match line {
                Some(_) => "is the first line the header, and are there line ends and delimiters?",
                None => "give the column a shorter name",
            };
            return Err(
                at(format!("the name of column {number} is longer than {LONGEST_NAME} bytes")).help(help)
            );
        }
        let key: String = name.trim().nfc().collect();
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
                // Names that are not in a first line are not a record.
                _ if line.is_none() => "give every column a name of its own",
                true => NO_HEADER,
                false => {
                    "give every column a name of its own; if the first line is a record, set header = false in [data]"
                }
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
    fn names_must_differ() {
        assert!(check_names("d.csv".as_ref(), None, ["a", "A", "b c"].into_iter()).is_ok());
        assert_eq!(named(&["", "a", " "]), ["column1", "a", "column3"]);
        assert_eq!(named(&["column2", ""]), ["column2", "column2_"]);
        assert!(message(&["a", "b", "a"]).contains("columns 1 and 3 have the same name 'a'"));
        assert!(message(&["a", &"b".repeat(LONGEST_NAME + 1)]).contains("column 2 is longer than"));
        assert!(message(&["a", "a "]).contains("look the same"));
        assert!(message(&["caf\u{e9}", "cafe\u{301}"]).contains("look the same"));
    }

    #[test]
    fn hard_use_3_names_outside_of_text_are_not_taken_for_a_record() {
        for names in [["a", "a"], ["34", "34"]] {
            let error = check_names("d.parquet".as_ref(), None, names.into_iter()).unwrap_err().to_string();
            assert!(error.contains("a name of its own") && !error.contains("header"), "{error}");
        }
    }

    #[test]
    fn values_are_not_shown_as_names() {
        for value in
            ["34", "-1.5", "2024-03-17", "17/03/2024 10:30", "+49 30 1234567", "30%", "anna@example.org"]
        {
            assert!(looks_like_a_value(value), "{value}");
            let shown = message(&["a", value, value]);
            assert!(!shown.contains(value) && shown.contains("no header"), "{shown}");
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
