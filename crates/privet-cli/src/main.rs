//! The `privet` command: arguments, progress and messages; the science is in the library.

mod arguments;
mod command;
mod output;
mod progress;
mod supervise;

use std::panic;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use clap::Parser;

use arguments::Arguments;
use output::Output;

/// How soon after a signal another one counts as the same.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    // Before anything that takes time: a signal that nobody listens for ends the process in the system's way.
    let signals = Signals::default();
    let listening = ctrlc::set_handler(signals.handler());
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return usage(&told),
    };
    let output = Output::new(arguments.common.quiet, arguments.common.json);
    if let Err(error) = listening {
        output.warn(&format!("cannot listen for Ctrl-C: {error}"));
    }
    if let Some(ended) = supervise::supervised(arguments.command.target(), &signals, &output) {
        return ended;
    }
    supervise::obey(signals.handler());
    let interrupted = signals.interrupted.clone();
    // A panic is a defect of ours: it must not look like a result, nor show data to whoever reads the log.
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(|| command::run(&arguments, &output, interrupted));
    let status = match result.unwrap_or_else(|_| Err(defect())) {
        Ok(status) => status,
        Err(error) => {
            output.error(&error);
            error.kind().exit_status()
        }
    };
    ended(status, &output)
}

/// The exit status: that of the command, unless it went well and nobody can read what it printed.
fn ended(status: u8, output: &Output) -> ExitCode {
    let Some(error) = output.lost() else { return ExitCode::from(status) };
    output.error(&error);
    ExitCode::from(if status == 0 { error.kind().exit_status() } else { status })
}

/// Prints help, the version, or what is wrong with the arguments.
fn usage(told: &clap::Error) -> ExitCode {
    let output = Output::new(false, false);
    if told.use_stderr() {
        output.usage(&told.render().to_string());
    } else if let Err(error) = told.print()
        && !told.use_stderr()
    {
        output.note(&error);
    }
    ended(u8::try_from(told.exit_code()).unwrap_or(2), &output)
}

/// What becomes of the signals that ask the process to end.
#[derive(Debug, Clone, Default)]
struct Signals {
    interrupted: Arc<AtomicBool>,
    /// When the first one came.
    first: Arc<OnceLock<Instant>>,
    /// The worker to be told, where another process does the work.
    worker: Arc<OnceLock<supervise::Line>>,
}

impl Signals {
    /// What is done at a signal. The first one asks the run to stop and clean up; a second one does not wait for that.
    /// Wrappers such as `timeout` send the same signal to a process and to its group: what follows at once is no second
    /// wish.
    fn handler(&self) -> impl FnMut() + Send + 'static {
        let signals = self.clone();
        move || {
            signals.interrupted.store(true, Ordering::SeqCst);
            if let Some(worker) = signals.worker.get() {
                // It has a patience of its own.
                worker.interrupt();
            } else if signals.first.get_or_init(Instant::now).elapsed() > PATIENCE {
                std::process::exit(130);
            }
        }
    }
}

/// The error for what should never happen.
fn defect() -> privet::Error {
    privet::Error::internal("internal error: this is a defect of Privet, nothing was written")
        .help("please report it with the policy and the command, without the data")
}
