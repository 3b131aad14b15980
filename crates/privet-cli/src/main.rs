//! The `privet` command: arguments, progress and messages; the science is in the library.

mod arguments;
mod command;
mod output;
mod progress;

use std::panic;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;

use arguments::Arguments;
use output::Output;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let output = Output::new(arguments.common.quiet, arguments.common.json);
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    // The first signal asks the run to stop and clean up; a second one does not wait for that.
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
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
            let error =
                privet::Error::internal("internal error: this is a defect of Privet, nothing was written")
                    .help("please report it with the policy and the command, without the data");
            output.error(&error);
            ExitCode::from(error.kind().exit_status())
        }
    }
}
