//! What the user reads: results on standard output, all else on standard error.

use std::io::{self, IsTerminal, Write};

use serde_json::{Value as Json, json};

/// Where messages go, and whether they are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    quiet: bool,
    json: bool,
}

impl Output {
    pub fn new(quiet: bool, json: bool) -> Output {
        Output { quiet, json }
    }

    /// Whether a progress bar may be drawn.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && !self.json && io::stderr().is_terminal()
    }

    /// A result: text for people, or a JSON object for scripts.
    pub fn result(&self, text: &str, json: impl FnOnce() -> Json) {
        if self.json {
            print(&format!("{}\n", json()));
        } else if !self.quiet {
            print(text);
        }
    }

    /// A remark on the way to a result, for people only.
    pub fn tell(&self, text: &str) {
        if !self.quiet && !self.json {
            print(text);
        }
    }

    /// A warning that nobody should overlook.
    pub fn alarm(&self, message: &str) {
        if !self.quiet {
            complain(&format!("WARNING: {message}\n"));
        }
    }

    pub fn warn(&self, message: &str) {
        if !self.quiet {
            complain(&format!("warning: {message}\n"));
        }
    }

    pub fn error(&self, error: &privet::Error) {
        complain(&format!("error: {error}\n"));
        if self.json {
            let json = json!({
                "error": error.message(),
                "file": error.file().map(|file| file.display().to_string()),
                "line": error.line(),
                "help": error.remedy(),
                "exit": error.kind().exit_status(),
            });
            print(&format!("{json}\n"));
        }
    }
}

/// A reader that went away (`privet … | head`) is no error of ours.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
