//! The commands, one file each.

mod anonymize;
mod apply;
mod attack;
mod audit;
mod compare;
mod example;
mod explain;
mod hierarchy;
mod init;
mod key;
mod ledger;
mod manual;
mod mine;
mod policy;
mod report;
mod risk;
mod studio;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use privet::Result;
use privet::clock::{Clock, Progress, Silent};

use crate::arguments::{Arguments, Command};
use crate::output::Output;
use crate::progress::Bar;
use crate::supervise::is_worker;

/// Runs a command and returns its exit status.
pub fn run(arguments: &Arguments, output: &Output, interrupted: Arc<AtomicBool>) -> Result<u8> {
    // Where memory is limited, threads are started now: later it could not be reported that there are none.
    if arguments.common.threads.is_some() || is_worker() {
        let threads = arguments.common.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|error| {
            privet::Error::input(format!("cannot start threads to work with: {error}"))
                .help("use fewer threads (--threads 1), or allow more memory and processes (ulimit)")
        })?;
    }
    // A bar would draw over the questions, and over what the studio says.
    let asks = match &arguments.command {
        Command::Init(arguments) => arguments.ask,
        Command::Studio(_) => true,
        _ => false,
    };
    let progress: Arc<dyn Progress> =
        if output.shows_progress() && !asks { Arc::new(Bar::new()) } else { Arc::new(Silent) };
    let clock = Clock::new(interrupted, progress);
    match &arguments.command {
        Command::Example(arguments) => example::run(arguments, output, &clock),
        Command::Init(arguments) => init::run(arguments, output, &clock),
        Command::Anonymize(arguments) => anonymize::run(arguments, output, &clock),
        Command::Apply(arguments) => apply::run(arguments, output, &clock),
        Command::Audit(arguments) => audit::run(arguments, output, &clock),
        Command::Attack(arguments) => attack::run(arguments, output, &clock),
        Command::Mine(arguments) => mine::run(arguments, output, &clock),
        Command::Risk(arguments) => risk::run(arguments, output, &clock),
        Command::Compare(arguments) => compare::run(arguments, output, &clock),
        Command::Hierarchy(arguments) => hierarchy::run(arguments, output, &clock),
        Command::Ledger(arguments) => ledger::run(arguments, output),
        Command::Report(arguments) => report::run(arguments, output),
        Command::Explain(arguments) => explain::run(arguments, output),
        Command::Policy(arguments) => policy::run(arguments, output),
        Command::Key(arguments) => key::run(arguments, output),
        Command::Studio(arguments) => studio::run(arguments),
        Command::Completions(arguments) => manual::completions(arguments, output),
        Command::Man(arguments) => manual::page(arguments, output),
    }
}
