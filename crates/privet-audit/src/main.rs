//! `privet-audit`: the judge alone. It reads a release and the original and says whether the policy is kept, with no code that
//! makes releases in it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use privet_audit::{Audit, audit_files, audit_release, render};
use privet_core::clock::Clock;
use privet_core::{ErrorKind, Result, visible};
use privet_policy::{Policy, Purpose};

/// Check a release against its policy and the original, with none of the code that makes releases.
#[derive(Debug, Parser)]
#[command(name = "privet-audit", version)]
struct Arguments {
    /// The release directory that `privet anonymize -o` made
    #[arg(conflicts_with_all = ["policy", "release"], required_unless_present_all = ["policy", "release"])]
    folder: Option<PathBuf>,
    /// Where the original data is now
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// The policy to judge any released files by
    #[arg(long, value_name = "FILE", requires = "release")]
    policy: Option<PathBuf>,
    /// The released file, or the directory with several
    #[arg(long, value_name = "PATH", requires = "policy")]
    release: Option<PathBuf>,
    /// Vocabularies are in the order of the original
    #[arg(long, requires = "release")]
    aligned: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(wrong) if wrong.use_stderr() => {
            // What somebody typed does not reach the terminal as it is.
            eprint!("{}", visible::lines(&wrong.render().to_string()));
            return ExitCode::from(ErrorKind::Input.exit_status());
        }
        Err(asked) => asked.exit(),
    };
    match judged(&arguments) {
        Ok(audit) => {
            let text = match arguments.json {
                true => visible::json(&json(&audit)).into_owned(),
                false => visible::lines(&render(&audit)).into_owned(),
            };
            let verdict = if audit.passed { 0 } else { ErrorKind::Violation.exit_status() };
            match writeln!(io::stdout(), "{}", text.trim_end()) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    eprintln!("error: cannot print the verdict: {error}");
                    ExitCode::from(ErrorKind::Input.exit_status())
                }
                // A reader that has seen enough changes nothing about the verdict.
                _ => ExitCode::from(verdict),
            }
        }
        Err(error) => {
            eprintln!("error: {}", visible::lines(&error.to_string()));
            ExitCode::from(error.kind().exit_status())
        }
    }
}

fn judged(arguments: &Arguments) -> Result<Audit> {
    let clock = Clock::unlimited();
    let original = arguments.original.as_deref();
    match (&arguments.folder, &arguments.policy, &arguments.release) {
        (None, Some(policy), Some(release)) => {
            let policy = Policy::read(policy)?.check_any_for(original, Purpose::Audit)?;
            audit_files(&policy, release, arguments.aligned, &clock)
        }
        (folder, ..) => audit_release(folder.as_deref().unwrap_or_else(|| ".".as_ref()), original, &clock),
    }
}

fn json(audit: &Audit) -> String {
    serde_json::to_string_pretty(audit).unwrap_or_default()
}
