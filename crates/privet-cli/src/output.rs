//! What the user reads: results on standard output, all else on standard error.
//!
//! Everything that the command prints goes through here. Names and values come from files that others made, so no character
//! that acts on a terminal is printed as it is.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use privet::{Error, ErrorKind, visible};
use serde_json::{Value as Json, json};

/// Where messages go, and whether they are wanted.
#[derive(Debug)]
pub struct Output {
    quiet: bool,
    json: bool,
    /// Why something that was to be printed is lost.
    lost: OnceLock<String>,
}

impl Output {
    pub fn new(quiet: bool, json: bool) -> Output {
        Output { quiet, json, lost: OnceLock::new() }
    }

    /// The error for results that could not be printed, if there are any: who relies on them must know.
    pub fn lost(&self) -> Option<Error> {
        self.lost.get().map(|why| {
            Error::input(format!("standard output cannot be written: {why}")).help(
                "what the command wrote to files is in its place; only what it printed is lost. Print to a place that has room",
            )
        })
    }

    /// Whether a progress bar may be drawn.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && !self.json && io::stderr().is_terminal()
    }

    /// A result: text for people, or a JSON object for scripts.
    pub fn result(&self, text: &str, json: impl FnOnce() -> Json) {
        if self.json {
            self.print(&visible::json(&format!("{}\n", json())));
        } else if !self.quiet {
            self.print(&visible::lines(text));
        }
    }

    /// A remark on the way to a result, for people only.
    pub fn tell(&self, text: &str) {
        if !self.quiet && !self.json {
            self.print(&visible::lines(text));
        }
    }

    /// A warning that nobody should overlook.
    pub fn alarm(&self, message: &str) {
        if !self.quiet {
            complain(&format!("WARNING: {}\n", visible::line(message)));
        }
    }

    pub fn warn(&self, message: &str) {
        if !self.quiet {
            complain(&format!("warning: {}\n", visible::line(message)));
        }
    }

    /// The last message of a process that is ended from outside: a progress bar may still stand on the line.
    pub fn last_word(&self, error: &Error) {
        if io::stderr().is_terminal() {
            complain("\r\x1b[2K");
        }
        self.error(error);
    }

    pub fn error(&self, error: &Error) {
        complain(&format!("error: {}\n", told(error)));
        if self.json {
            let json = json!({
                "error": error.message(),
                "file": error.file().map(|file| file.display().to_string()),
                "line": error.line(),
                "help": error.remedy(),
                "exit": error.kind().exit_status(),
            });
            self.print(&visible::json(&format!("{json}\n")));
        }
    }

    /// What is wrong with the arguments, which may name files that others named.
    pub fn usage(&self, text: &str) {
        complain(&visible::lines(text));
    }

    fn print(&self, text: &str) {
        let mut out = io::stdout();
        // Flushed at once: what stays in a buffer until the end would be lost without a word.
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            self.note(&error);
        }
    }

    /// Takes down that something was not printed. A reader that went away (`privet … | head`) is no error of ours.
    pub fn note(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let text = error.to_string();
            let why = text.split(" (os error").next().unwrap_or_default();
            self.lost.get_or_init(|| why.to_string());
        }
    }
}

/// An error as it is printed: place, message and remedy each on one line, whatever the values in them hold. A defect of ours may
/// take several.
fn told(error: &Error) -> String {
    if error.kind() == ErrorKind::Internal {
        return visible::lines(&error.to_string()).into_owned();
    }
    let mut text = String::new();
    if let Some(file) = error.file() {
        text += &format!("{}:", file.display());
        text += &error.line().map_or_else(String::new, |line| format!("{line}:"));
        text += " ";
    }
    text = visible::line(&(text + error.message())).into_owned();
    if let Some(help) = error.remedy() {
        text += &format!("\n  help: {}", visible::line(help));
    }
    text
}

fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
