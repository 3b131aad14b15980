//! How long the runs of the experiment may take: each by itself, and those of a part together.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::super::page::significant;
use super::data::{Dataset, POS};
use privet::clock::{Clock, Silent};
use privet::{ErrorKind, Result};

/// On the largest data set a run may take this many times as long as on others.
const LARGEST: u32 = 3;

/// How long runs may take.
#[derive(Debug)]
pub(super) struct Limits {
    /// Each of them; as long as it needs where there is no limit.
    run: Option<Duration>,
    /// When the time of those that belong together is over.
    end: Cell<Option<Instant>>,
}

impl Limits {
    pub(super) fn new(run: Option<Duration>) -> Limits {
        Limits { run, end: Cell::new(None) }
    }

    /// How long one run on a data set may take.
    pub(super) fn of(&self, dataset: &Dataset) -> Option<Duration> {
        self.run.map(|run| if dataset == &POS { run * LARGEST } else { run })
    }

    /// The runs from here on may together take about as long as this many runs that use up their limit.
    pub(super) fn allow(&self, runs: u32) {
        self.end.set(self.run.and_then(|run| Instant::now().checked_add(run * runs)));
    }

    /// Whether the time of the runs that belong together is over: no further one is begun then.
    pub(super) fn are_over(&self) -> bool {
        self.end.get().is_some_and(|end| Instant::now() >= end)
    }

    /// What the page says about limits.
    pub(super) fn words(&self) -> String {
        match self.run {
            None => "Every run was given the time it needs.".to_string(),
            Some(run) => format!(
                "A run may take {} s ({} s on POS), and the runs of a table have a common allowance. \"not done in\" stands where a \
                 run was given up, \"not tried\" where a smaller setting had been, \"no time left\" where the allowance was used \
                 up. OG always has an answer: where it is not proven, what no release can beat is next to it.",
                in_seconds(run),
                in_seconds(run * LARGEST)
            ),
        }
    }
}

/// A length of time without a unit.
pub(super) fn in_seconds(time: Duration) -> String {
    significant(time.as_secs_f64(), 3)
}

/// Runs something that knows no time limit of its own, and stops it when the time is over: `None` then.
pub(super) fn within<T>(
    limit: Option<Duration>,
    clock: &Clock,
    work: impl FnOnce(&Clock) -> Result<T>,
) -> Result<Option<Result<T>>> {
    /// How often the time is looked at.
    const LOOK: Duration = Duration::from_millis(20);
    let stop = Arc::new(AtomicBool::new(false));
    let (done, is_done) = channel::<()>();
    let flag = stop.clone();
    let watch = move || {
        let start = Instant::now();
        while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let is_over = limit.is_some_and(|limit| start.elapsed() >= limit);
            if is_over || clock.check().is_err() {
                flag.store(true, Ordering::Relaxed);
            }
        }
    };
    let outcome = std::thread::scope(|scope| {
        scope.spawn(watch);
        let outcome = work(&Clock::new(stop, Arc::new(Silent)));
        drop(done);
        outcome
    });
    clock.check()?;
    match outcome {
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
        outcome => Ok(Some(outcome)),
    }
}
