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
    let arguments = Arguments::parse();
    let output = Output::new(arguments.common.quiet, arguments.common.json);
    if let Some(ended) = supervise::supervised(arguments.command.target(), &output) {
        return ended;
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    // The first signal asks the run to stop and clean up; a second one does not wait for that. Wrappers such as
    // `timeout` send the same signal to a process and to its group: what follows at once is no second wish.
    let first = Arc::new(OnceLock::new());
    let handler = move || {
        flag.store(true, Ordering::Relaxed);
        if first.get_or_init(Instant::now).elapsed() > PATIENCE {
            std::process::exit(130);
        }
    };
    supervise::obey(handler.clone());
    if let Err(error) = ctrlc::set_handler(handler) {
        output.warn(&format!("cannot listen for Ctrl-C: {error}"));
    }
    // A panic is a defect of ours: it must not look like a result, nor show data to whoever reads the log.
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(|| command::run(&arguments, &output, interrupted));
    match result {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(error)) => {
            output.error(&error);
            ExitCode::from(error.kind().exit_status())
        }
        Err(_) => {
            let error = defect();
            output.error(&error);
            ExitCode::from(error.kind().exit_status())
        }
    }
}

/// The error for what should never happen.
fn defect() -> privet::Error {
    privet::Error::internal("internal error: this is a defect of Privet, nothing was written")
        .help("please report it with the policy and the command, without the data")
}
