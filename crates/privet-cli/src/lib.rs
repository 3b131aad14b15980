//! The `privet` command: arguments, progress and messages; the science is in the library.
//!
//! It is a library so that other programs can be the command too: the binary of this crate, and `python -m privet`.

mod arguments;
mod command;
mod output;
mod progress;
mod signals;
mod supervise;

use std::ffi::OsString;
use std::iter;
use std::panic;
use std::sync::atomic::Ordering;

use clap::Parser;
use privet::place;

use arguments::Arguments;
use output::Output;
use signals::Signals;

/// Runs the command and returns its exit status. `program` starts the process once more, where that is needed.
///
/// It listens for the signals that end a process, so it can be called once.
pub fn run(program: &[OsString], arguments: Vec<OsString>) -> u8 {
    #[cfg(feature = "databases")]
    privet_databases::register();
    // Before anything that takes time: a signal that nobody listens for ends the process in the system's way.
    let signals = Signals::default();
    let listening = ctrlc::set_handler(signals.handler());
    let command = iter::once(OsString::from("privet")).chain(arguments.iter().cloned());
    let again = supervise::Again { program, arguments: &arguments };
    let arguments = match Arguments::try_parse_from(command) {
        Ok(arguments) => arguments,
        Err(wrong) => return usage(&wrong),
    };
    let output = Output::of(&arguments.common);
    signals.speak(arguments.common.json);
    if let Err(error) = listening {
        output.warn(&format!("cannot listen for Ctrl-C: {error}"));
    }
    if let Some(ended) = supervise::supervised(&again, arguments.command.target(), &signals, &output) {
        return ended;
    }
    supervise::obey(signals.handler());
    let interrupted = signals.interrupted.clone();
    // A panic is a bug of ours: it must not look like a result, nor show data to readers of the log.
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(|| command::run(&arguments, &output, interrupted));
    let status = match result.unwrap_or_else(|_| Err(defect())) {
        // A command that has put nothing into its place can still be stopped: anyone who asked it to is obeyed.
        Ok(_) if signals.interrupted.load(Ordering::SeqCst) && place::in_place().is_empty() => {
            let error = signals::reported(privet::Error::interrupted());
            output.error(&error);
            error.kind().exit_status()
        }
        Ok(status) => status,
        Err(error) => {
            // What went wrong because the ground was taken away is not worth a word.
            place::unless_abandoned();
            let error = signals::reported(error);
            output.error(&error);
            error.kind().exit_status()
        }
    };
    ended(status, &output)
}

/// The exit status: that of the command, unless it went well and what it printed is lost.
fn ended(status: u8, output: &Output) -> u8 {
    let Some(error) = output.lost() else { return status };
    output.error(&error);
    if status == 0 { error.kind().exit_status() } else { status }
}

/// Prints help, the version, or what is wrong with the arguments.
fn usage(wrong: &clap::Error) -> u8 {
    let output = Output::default();
    if wrong.use_stderr() {
        output.usage(&wrong.render().to_string());
    } else if let Err(error) = wrong.print()
        && !wrong.use_stderr()
    {
        output.note(&error);
    }
    ended(u8::try_from(wrong.exit_code()).unwrap_or(2), &output)
}

/// The error for what should never happen.
fn defect() -> privet::Error {
    privet::Error::internal("internal error: this is a defect of Privet, nothing was written")
        .help("please report it with the policy and the command, without the data")
}
