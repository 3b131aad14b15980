//! What the user reads: results on standard output, all else on standard error.
//!
//! Everything that the command prints goes through here. Names and values come from files that others made, so no character
//! that acts on a terminal is printed as it is.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use privet::{Error, ErrorKind, counted, visible};
use serde_json::{Value as Json, json};

use crate::arguments::Common;

/// Where messages go, and whether they are wanted.
#[derive(Debug, Default)]
pub struct Output {
    quiet: bool,
    verbose: bool,
    json: bool,
    /// Why something that was to be printed is lost.
    lost: OnceLock<String>,
}

impl Output {
    /// As the user asked for it.
    pub fn of(common: &Common) -> Output {
        let Common { quiet, verbose, json, .. } = *common;
        Output { quiet, verbose, json, lost: OnceLock::new() }
    }

    /// For the last message of a process.
    pub fn for_errors(json: bool) -> Output {
        Output { json, ..Output::default() }
    }

    /// Whether everything is to be printed, not only what most people want to read.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// The error for results that could not be printed, if there are any: scripts that rely on them must know.
    pub fn lost(&self) -> Option<Error> {
        self.lost.get().map(|why| {
            Error::input(format!("standard output cannot be written: {why}")).help(
                "what the command wrote to files is in its place; only what it printed is lost. print to a disk that has space",
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
    pub fn remark(&self, text: &str) {
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

    /// Warnings within this many lines; the last line counts those that do not fit. Scripts get all of them.
    pub fn warn_within(&self, lines: usize, messages: &[String], more: &str) {
        let all = self.verbose || self.json || messages.len() <= lines;
        let shown = if all { messages.len() } else { lines.saturating_sub(1) };
        messages[..shown].iter().for_each(|message| self.warn(message));
        if shown < messages.len() {
            let left = counted((messages.len() - shown) as u64, "more warning", "more warnings");
            self.warn(&format!("{left}: {more}"));
        }
    }

    pub fn warn(&self, message: &str) {
        if !self.quiet {
            complain(&format!("warning: {}\n", visible::line(message)));
        }
    }

    /// The last message of a process that is ended from outside: a progress bar may still be on the line.
    pub fn last_word(&self, error: &Error) {
        if io::stderr().is_terminal() {
            complain("\r\x1b[2K");
        }
        self.error(error);
    }

    pub fn error(&self, error: &Error) {
        complain(&format!("error: {}\n", in_lines(error)));
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

    /// Notes that something was not printed. A reader that went away (`privet … | head`) is not an error.
    pub fn note(&self, error: &io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let text = error.to_string();
            let why = text.split(" (os error").next().unwrap_or_default();
            self.lost.get_or_init(|| why.to_string());
        }
    }
}

/// An error as it is printed: place, message and remedy each on one line, whatever the values in them contain. A bug of ours may
/// take several.
fn in_lines(error: &Error) -> String {
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
