//! Signals that ask the process to end: obeyed within a second, whatever the process is doing.
//!
//! The first signal asks the work to stop, which it does at its next check and clears up itself. A loop may lack a check, a disk
//! may be slow, a reader may not read. So the thread that took the signal waits a moment, then clears away what is hidden and ends the
//! process. What is being moved into its place at that time is moved first: releases are whole or not there.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use privet::{Error, ErrorKind, place};

use crate::output::Output;
use crate::supervise::Line;

/// How long the work has to stop by itself.
const GRACE: Duration = Duration::from_millis(600);

/// How long the last message may take: its reader may not be reading.
const LAST_WORD: Duration = Duration::from_millis(100);

/// What becomes of the signals that ask the process to end.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Raised by the first one.
    pub interrupted: Arc<AtomicBool>,
    /// The worker to notify, where another process does the work.
    pub worker: Arc<OnceLock<Line>>,
    /// Whether messages are wanted as JSON too; known once the arguments are read.
    json: Arc<OnceLock<bool>>,
}

impl Signals {
    /// Says how messages are wanted.
    pub fn speak(&self, json: bool) {
        let _ = self.json.set(json);
    }

    /// What is done at a signal. Wrappers such as `timeout` send the same signal to a process and to its group, and people press
    /// Ctrl-C twice: what follows the first signal changes nothing.
    pub fn handler(&self) -> impl FnMut() + Send + 'static {
        let signals = self.clone();
        move || {
            signals.interrupted.store(true, Ordering::SeqCst);
            place::stop();
            match signals.worker.get() {
                // It has a patience of its own.
                Some(worker) => worker.interrupt(),
                None => signals.end(),
            }
        }
    }

    /// Ends the process if it does not end by itself.
    fn end(&self) {
        thread::sleep(GRACE);
        let error = interrupted(place::abandon());
        let status = error.kind().exit_status();
        let json = self.json.get().copied().unwrap_or(false);
        let began = Instant::now();
        let speaking = thread::Builder::new().spawn(move || Output::for_errors(json).last_word(&error));
        while speaking.as_ref().is_ok_and(|speaking| !speaking.is_finished()) && began.elapsed() < LAST_WORD {
            thread::sleep(Duration::from_millis(2));
        }
        std::process::exit(status.into());
    }
}

/// An error as it is reported: an interrupted run says what is in its place by then.
pub fn reported(error: Error) -> Error {
    if error.kind() == ErrorKind::Interrupted { interrupted(place::in_place()) } else { error }
}

fn interrupted(in_place: Vec<PathBuf>) -> Error {
    match in_place.as_slice() {
        [] => Error::interrupted(),
        [path] => {
            Error::new(ErrorKind::Interrupted, "interrupted; this was in its place already").in_file(path)
        }
        [.., last] => {
            let message = format!(
                "interrupted; {} files and directories were in their places already, this one last",
                in_place.len()
            );
            Error::new(ErrorKind::Interrupted, message).in_file(last)
        }
    }
}
