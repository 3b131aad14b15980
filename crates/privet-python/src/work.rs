//! Long work: in a thread of its own, without the interpreter's lock, until it ends or the user stops it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use privet::clock::{Clock, Progress};
use privet::{Error, Result};
use pyo3::prelude::*;

use crate::errors::{About, defect, raised};

/// How often signals are looked for, and progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// How long interrupted work has to stop by itself.
const GRACE: Duration = Duration::from_millis(700);

/// How far the work is.
#[derive(Debug, Clone, Default)]
struct Seen {
    stage: String,
    total: Option<u64>,
    done: u64,
    note: String,
}

/// Hears how far the work is; the thread that waits shows it.
#[derive(Debug, Default)]
struct Watch(Mutex<Seen>);

impl Watch {
    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn seen(&self) -> Seen {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Progress for Watch {
    fn stage(&self, name: &str, total: Option<u64>) {
        let stage = name.to_string();
        self.change(|seen| *seen = Seen { stage, total, ..Seen::default() });
    }

    fn at(&self, done: u64) {
        self.change(|seen| seen.done = done);
    }

    fn note(&self, note: &str) {
        self.change(|seen| seen.note = note.to_string());
    }
}

/// Whether interrupted work may be left to itself, if it does not stop in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// It writes nothing, so nobody minds.
    MayGoOn,
    /// It puts files into place: whether it did has to be known.
    HasToEnd,
}

/// Runs work in a thread of its own. `progress` is called from this thread with the stage, what is done of it, the total and a
/// note. A signal that raises an exception, such as Ctrl-C, interrupts the work.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    about: &About,
    progress: Option<&Bound<'_, PyAny>>,
    interrupted: Interrupted,
    work: impl FnOnce(&Clock) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let (flag, watch) = (Arc::new(AtomicBool::new(false)), Arc::new(Watch::default()));
    let clock = Clock::new(Arc::clone(&flag), Arc::clone(&watch) as Arc<dyn Progress>);
    let (send, receive) = sync_channel(1);
    let worker = move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&clock)));
        // Nobody listens any more where the work was left to itself.
        let _ = send.send(result.unwrap_or_else(|_| Err(defect())));
    };
    thread::Builder::new()
        .name("privet".to_string())
        .spawn(worker)
        .map_err(|error| raised(&Error::input(format!("cannot start a thread: {error}")), about))?;
    let mut asked: Option<(PyErr, Instant)> = None;
    // Another thread than the one that runs Python may own the channel's end while the lock is released.
    let receive = Mutex::new(receive);
    loop {
        let next = py.detach(|| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match (next, asked.take()) {
            (Ok(Ok(made)), None) => return Ok(made),
            (Ok(Err(error)), None) => return Err(raised(&error, about)),
            (Ok(_), Some((error, _))) => return Err(error),
            (Err(RecvTimeoutError::Disconnected), _) => return Err(raised(&defect(), about)),
            (Err(RecvTimeoutError::Timeout), Some((error, since))) => {
                if interrupted == Interrupted::MayGoOn && since.elapsed() > GRACE {
                    return Err(error);
                }
                asked = Some((error, since));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                let shown = progress.map_or(Ok(()), |show| {
                    let Seen { stage, total, done, note } = watch.seen();
                    show.call1((stage, done, total, note)).map(drop)
                });
                if let Err(error) = py.check_signals().and(shown) {
                    flag.store(true, Ordering::Relaxed);
                    asked = Some((error, Instant::now()));
                }
            }
        }
    }
}
