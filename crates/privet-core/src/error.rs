//! Errors are values that say what is wrong, where, and what would be accepted instead.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::words::{echoed, shortened_to};

/// What helps against too little memory.
pub const MORE_MEMORY: &str = "allow it more memory (ulimit -v, or the limit of the container); --threads 1 takes less, and \
                               `anonymize --attacks none` leaves attacks, which hold tables in memory, to `privet attack` \
                               on a larger machine";

/// What kind of trouble ended the work; each has an exit status that scripts can rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A defect of Privet itself.
    Internal,
    /// The data, a hierarchy, the policy or the surroundings (a missing file, a full disk) are at fault.
    Input,
    /// A row has more or fewer cells than there are columns: the data may be of another kind.
    UnevenRows,
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
            ErrorKind::Input | ErrorKind::UnevenRows => 2,
            ErrorKind::Infeasible => 3,
            ErrorKind::Violation => 4,
            ErrorKind::Busy => 75,
            ErrorKind::Interrupted => 130,
        }
    }

    /// Whether what the user gave is at fault.
    pub fn is_input(self) -> bool {
        matches!(self, ErrorKind::Input | ErrorKind::UnevenRows)
    }
}

/// What went wrong, where, and how to fix it.
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
}

/// The result of anything that can fail because of its input.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        // An audit that fails inside a run is printed in full: it is our bug.
        let message = if kind == ErrorKind::Internal { message } else { clipped(with_echoes(&message)) };
        Error { kind, message, file: None, line: None, help: None }
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
    pub fn io(action: &str, path: impl Into<PathBuf>, error: &io::Error) -> Self {
        // The system's own interruptions are retried: this one is the user's.
        if error.kind() == io::ErrorKind::Interrupted {
            return Error::interrupted();
        }
        let help = match error.kind() {
            io::ErrorKind::NotFound => {
                Some("check the path; paths in a policy are relative to the policy file")
            }
            io::ErrorKind::PermissionDenied => {
                Some("check the permissions of the file and of the directories above it")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("free some space or choose a target on another disk")
            }
            io::ErrorKind::OutOfMemory => Some(MORE_MEMORY),
            io::ErrorKind::IsADirectory => Some("name a file, not a directory"),
            io::ErrorKind::ReadOnlyFilesystem => Some("choose a target that can be written to"),
            _ => None,
        };
        let error = Error::input(format!("cannot {action}: {}", plain_io_message(error))).in_file(path);
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// A failed operation that makes or writes something: what is missing then is a directory to put it in.
    pub fn writing(action: &str, path: &Path, error: &io::Error) -> Self {
        let wrong = Error::io(action, path, error);
        match error.kind() {
            io::ErrorKind::NotFound => wrong.help("make its directory first, or name another place"),
            _ => wrong,
        }
    }

    /// The same error as one of another kind.
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
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
    // The library and the system have different words for it.
    if error.kind() == io::ErrorKind::OutOfMemory {
        return "memory ran out".to_string();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_missing_directory_is_not_a_fault_of_the_policy() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let help = |error: Error| error.remedy().unwrap_or_default().to_string();
        assert!(help(Error::io("read the data", "d.csv", &missing)).contains("policy"));
        assert!(
            help(Error::writing("write the table", "x/y.csv".as_ref(), &missing))
                .contains("make its directory")
        );
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(help(Error::writing("write the table", "y.csv".as_ref(), &full)).contains("free some space"));
    }

    #[test]
    fn a_file_that_does_not_fit_in_memory_is_named_with_what_helps() {
        let memory = io::Error::from(io::ErrorKind::OutOfMemory);
        let error = Error::io("read the data", "d.csv", &memory);
        assert_eq!(error.message(), "cannot read the data: memory ran out");
        assert_eq!(error.remedy(), Some(MORE_MEMORY));
    }

    #[test]
    fn only_what_is_quoted_is_shortened() {
        let digits = "1".repeat(5000);
        let shown = format!("{} […] {}", &digits[..45], &digits[..15]);
        for (message, expected) in [
            (
                format!("'t' is '{digits}', which is not a number"),
                format!("'t' is '{shown}', which is not a number"),
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
}
