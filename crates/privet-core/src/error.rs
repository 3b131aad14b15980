//! Errors are values that say what is wrong, where, and what would be accepted instead.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What kind of trouble ended the work; each has an exit status that scripts can rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A defect of Privet itself.
    Internal,
    /// The data, a hierarchy, the policy or the surroundings (a missing file, a full disk) are at fault.
    Input,
    /// No release can meet the requirement.
    Infeasible,
    /// An audit found a violation.
    Violation,
    /// Another run is writing to the same target.
    Busy,
    /// The user interrupted the run.
    Interrupted,
}

impl ErrorKind {
    /// The exit status of the command for this kind of error.
    ///
    /// ```
    /// assert_eq!(privet_core::ErrorKind::Infeasible.exit_status(), 3);
    /// ```
    pub fn exit_status(self) -> u8 {
        match self {
            ErrorKind::Internal => 1,
            ErrorKind::Input => 2,
            ErrorKind::Infeasible => 3,
            ErrorKind::Violation => 4,
            ErrorKind::Busy => 75,
            ErrorKind::Interrupted => 130,
        }
    }
}

/// What went wrong, where, and how to mend it.
///
/// ```
/// use privet_core::Error;
/// let error = Error::input("the value 'x' is not a whole number")
///     .in_file("policy.toml").at_line(4).help("write k = 5");
/// assert_eq!(error.to_string(), "policy.toml:4: the value 'x' is not a whole number\n  help: write k = 5");
/// ```
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    file: Option<PathBuf>,
    line: Option<u64>,
    help: Option<String>,
    uneven: bool,
}

/// The result of anything that can fail because of its input.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        // An audit that fails inside a run is told in full: it is ours to mend.
        let message = if kind == ErrorKind::Internal { message } else { clipped(with_echoes(&message)) };
        Error { kind, message, file: None, line: None, help: None, uneven: false }
    }

    /// Bad input or policy (exit status 2).
    pub fn input(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Input, message)
    }

    /// A requirement that no release can meet (exit status 3).
    pub fn infeasible(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Infeasible, message)
    }

    /// A defect of ours (exit status 1).
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Internal, message)
    }

    /// The user asked to stop (exit status 130).
    pub fn interrupted() -> Self {
        Error::new(ErrorKind::Interrupted, "interrupted; nothing was written")
    }

    /// A failed operation on a file, with the remedy that usually helps.
    pub fn io(action: &str, path: &Path, error: &io::Error) -> Self {
        // The system's own interruptions are retried: this one is the user's.
        if error.kind() == io::ErrorKind::Interrupted {
            return Error::interrupted();
        }
        let help = match error.kind() {
            io::ErrorKind::NotFound => {
                Some("check the path; paths in a policy are relative to the policy file")
            }
            io::ErrorKind::PermissionDenied => {
                Some("check the permissions of the file and of the folders above it")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("free some space or choose a target on another disk")
            }
            io::ErrorKind::IsADirectory => Some("name a file, not a folder"),
            io::ErrorKind::ReadOnlyFilesystem => Some("choose a target that can be written to"),
            _ => None,
        };
        let error = Error::input(format!("cannot {action}: {}", plain_io_message(error))).in_file(path);
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// The same where something is to be made or written: what is missing then is a folder to put it in.
    pub fn writing(action: &str, path: &Path, error: &io::Error) -> Self {
        let told = Error::io(action, path, error);
        match error.kind() {
            io::ErrorKind::NotFound => {
                told.help("make the folder that it is to be in first, or name another place")
            }
            _ => told,
        }
    }

    /// Names the file at fault.
    pub fn in_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Names the line at fault, counted from 1.
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Says what would be accepted.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(clipped(help.into()));
        self
    }

    /// Marks that a row has more or fewer cells than there are columns: the data may be of another kind.
    pub fn of_uneven_rows(mut self) -> Self {
        self.uneven = true;
        self
    }

    /// Whether a row has more or fewer cells than there are columns.
    pub fn is_of_uneven_rows(&self) -> bool {
        self.uneven
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong, without place and remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file at fault, where one is known.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The line at fault, where one is known.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// The remedy, where one is known.
    pub fn remedy(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

/// A message that fits on a screen: a cell of the data can be as long as the file.
fn clipped(message: String) -> String {
    shortened_to(&message, 600, 150).unwrap_or(message)
}

/// A value as messages show it: enough of it to be found, however long it is.
pub fn echoed(value: &str) -> String {
    shortened_to(value, 60, 15).unwrap_or_else(|| value.to_string())
}

/// The start and the end of what is longer than `most`.
fn shortened_to(text: &str, most: usize, end: usize) -> Option<String> {
    let length = text.chars().count();
    if length <= most {
        return None;
    }
    let start: String = text.chars().take(most - end).collect();
    let end: String = text.chars().skip(length - end).collect();
    Some(format!("{start} […] {end}"))
}

/// A message with every value that it quotes echoed. A quote is opened behind a blank or a bracket, and closed before anything
/// that may follow a value; that of "the policy's" does neither.
fn with_echoes(message: &str) -> String {
    let mut told = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find(['\'', '"']) {
        let (before, quoted) = rest.split_at(open);
        told.push_str(before);
        let opens = told.chars().next_back().is_none_or(|sign| sign.is_whitespace() || "([{=".contains(sign));
        let end = if opens { closing(quoted).unwrap_or(1) } else { 1 };
        match (quoted[..end].chars().next(), quoted.get(1..end.saturating_sub(1))) {
            (Some(mark), Some(value)) if end > 1 => {
                told.extend([mark.to_string(), echoed(value), mark.to_string()])
            }
            _ => told.push_str(&quoted[..end]),
        }
        rest = &quoted[end..];
    }
    told + rest
}

/// Where a text that begins with a quote is closed: behind the same quote, where no letter or digit follows.
fn closing(quoted: &str) -> Option<usize> {
    let mark = quoted.chars().next()?;
    let mut closing = quoted.match_indices(mark).skip(1).map(|(at, _)| at + mark.len_utf8());
    closing.find(|end| quoted[*end..].chars().next().is_none_or(|sign| !sign.is_alphanumeric()))
}

/// The system's message without the "(os error 2)" that means nothing to a data steward.
fn plain_io_message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Longer names are never suggested: nobody mistypes a paragraph.
const LONGEST_NAME: usize = 200;

/// The candidate that `wanted` most likely was meant to be, if any is near enough.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    // What is far longer is not meant, and comparing it letter by letter takes room for every pair of letters.
    let length = wanted.chars().count();
    let near = |candidate: &&str| {
        candidate.len() <= 4 * (LONGEST_NAME + 1) && {
            let other = candidate.chars().count();
            other.max(length) <= LONGEST_NAME && other.abs_diff(length) <= 1 + other.max(length) / 4
        }
    };
    candidates
        .into_iter()
        .filter(near)
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            // Something has to agree: F is not meant by Z.
            let longer = candidate.chars().count().max(length);
            *distance <= 1 + longer / 4 && *distance < longer.max(1)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// "did you mean 'age'?", or the list of what there is.
pub fn suggestion(wanted: &str, candidates: &[&str], what: &str) -> String {
    match nearest(wanted, candidates.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None if candidates.is_empty() => format!("there are no {what}"),
        None => format!("{what}: {}", shortened(candidates)),
    }
}

/// The word for so many things: `record` for 1, else `records`.
pub fn noun<'w>(count: u64, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

/// A number of things in words: `1 record`, `2 records`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", noun(count, one, many))
}

/// A number of things whose description begins with their noun in the plural: `2 records of a group`, `1 record of a group`.
pub fn described(count: u64, what: &str) -> String {
    const NOUNS: [(&str, &str); 12] = [
        ("records", "record"),
        ("people", "person"),
        ("transactions", "transaction"),
        ("rows", "row"),
        ("classes", "class"),
        ("columns", "column"),
        ("values", "value"),
        ("items", "item"),
        ("groups", "group"),
        ("terms", "term"),
        ("vocabularies", "vocabulary"),
        ("cells", "cell"),
    ];
    let (first, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    match NOUNS.iter().find(|(many, _)| count == 1 && *many == first) {
        Some((_, one)) => format!("{count} {one}{rest}"),
        None => format!("{count} {what}"),
    }
}

/// A number as a place in a row: `1st`, `2nd`, `3rd`, `11th`.
pub fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A value in quotes, so that an empty one and one with blanks can be seen.
pub fn quoted(value: &str) -> String {
    format!("'{}'", echoed(value))
}

/// The first dozen values in quotes.
pub fn shortened_values(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    shortened(&quoted.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The first dozen names, so that a table of a thousand columns does not flood the terminal.
pub fn shortened(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_use_3_places_and_counts_are_english() {
        let expected = [
            "1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd", "101st",
            "111th",
        ];
        let numbers = [1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111];
        assert_eq!(numbers.map(ordinal), expected);
        assert_eq!(counted(1, "record", "records"), "1 record");
        assert_eq!(counted(0, "record", "records"), "0 records");
    }

    #[test]
    fn a_message_stays_readable_whatever_it_quotes() {
        let error = Error::input(format!("the value '{}' has no leaf", "ä".repeat(1 << 20)));
        assert!(
            error.message().chars().count() < 100 && error.message().ends_with("ä' has no leaf"),
            "{error}"
        );
        let many = "ä ".repeat(1 << 20);
        assert!(Error::input(&many).message().chars().count() < 700);
        assert!(Error::internal(&many).message() == many);
    }

    #[test]
    fn a_missing_folder_is_no_matter_of_the_policy() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let help = |error: Error| error.remedy().unwrap_or_default().to_string();
        assert!(help(Error::io("read the data", "d.csv".as_ref(), &missing)).contains("policy"));
        assert!(
            help(Error::writing("write the table", "x/y.csv".as_ref(), &missing)).contains("make the folder")
        );
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(help(Error::writing("write the table", "y.csv".as_ref(), &full)).contains("free some space"));
    }

    #[test]
    fn only_what_is_quoted_is_shortened() {
        let digits = "1".repeat(5000);
        let shown = format!("{} […] {}", &digits[..45], &digits[..15]);
        for (message, expected) in [
            (
                format!("'t' is '{digits}', which is no number"),
                format!("'t' is '{shown}', which is no number"),
            ),
            (format!("'t' cannot be \"{digits}\""), format!("'t' cannot be \"{shown}\"")),
            (format!("the policy's ('{digits}') end"), format!("the policy's ('{shown}') end")),
            (format!("[data] lacks '{digits}'\nand more"), format!("[data] lacks '{shown}'\nand more")),
        ] {
            assert_eq!(Error::input(message).message(), expected);
        }
        for message in [
            "the value '' of column 'it's' (/a/path/that/is/rather/long/and/must/be/read/in/full/to/be/of/any/use.csv, line 3)",
            "what the policy's author wrote, in which there is a second author's word at some distance, is kept",
            "a quote in 'x is not closed",
            "\"",
            "it's \"fine\"",
            "",
        ] {
            assert_eq!(Error::input(message).message(), message);
        }
    }

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("ocupation", ["age", "occupation"]), Some("occupation"));
        assert_eq!(nearest("zip", ["age", "occupation"]), None);
        assert_eq!((nearest("Z", ["F", "M"]), nearest("f", ["F", "M"])), (None, Some("F")));
        assert_eq!(suggestion("zip", &["age", "sex"], "columns"), "columns: age, sex");
    }
}
