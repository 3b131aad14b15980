//! Time limits, interruption and progress for everything that takes long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::cpu::{CpuStop, cpu_time};
use crate::{Error, Result};

/// Hears what long work is doing; the command shows it as a progress bar, the library's default says nothing.
pub trait Progress: Send + Sync {
    /// A new stage begins; `total` is how much there is to do, where that is known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// How much of the stage is done.
    fn at(&self, done: u64);
    /// A word on how it goes, such as how many boxes are open.
    fn note(&self, note: &str);
    /// What a search has found so far, where either of them moved: the cost of its best solution, and what no solution can cost
    /// less than. They are in the unit in which the method's own cost is reported. Who does not show them need not listen.
    fn closing_in(&self, _best: Option<f64>, _bound: Option<f64>) {}
}

/// Says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn at(&self, _: u64) {}
    fn note(&self, _: &str) {}
}

/// What a run may still use of its time, whether the user wants it to stop, and who hears of its progress.
///
/// ```
/// use privet_core::clock::Clock;
/// let clock = Clock::unlimited();
/// assert!(!clock.is_over());
/// clock.interrupt();
/// assert!(clock.check().is_err());
/// ```
#[derive(Clone)]
pub struct Clock {
    start: Instant,
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    /// Raised by a user who is content with the best so far.
    enough: Arc<AtomicBool>,
    progress: Arc<dyn Progress>,
    /// The processor time of the process when the run began.
    cpu: Duration,
    stop: Option<Arc<CpuStop>>,
}

impl Clock {
    /// No limit, no progress.
    pub fn unlimited() -> Clock {
        Clock::new(Arc::new(AtomicBool::new(false)), Arc::new(Silent))
    }

    /// No limit; stops when the flag is raised and reports to `progress`.
    pub fn new(interrupted: Arc<AtomicBool>, progress: Arc<dyn Progress>) -> Clock {
        let enough = Arc::new(AtomicBool::new(false));
        Clock {
            start: Instant::now(),
            deadline: None,
            interrupted,
            enough,
            progress,
            cpu: cpu_time(),
            stop: None,
        }
    }

    /// The same clock; its anytime searches end with the best they have once the flag is raised, as when their time is over.
    ///
    /// ```
    /// use privet_core::clock::Clock;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// let enough = Arc::new(AtomicBool::new(false));
    /// let clock = Clock::unlimited().with_enough(enough.clone());
    /// enough.store(true, Ordering::Relaxed);
    /// assert!(clock.is_over() && clock.check().is_ok());
    /// assert!(!clock.without_limit().is_over(), "what has to be done is done nevertheless");
    /// ```
    pub fn with_enough(&self, enough: Arc<AtomicBool>) -> Clock {
        Clock { enough, ..self.clone() }
    }

    /// The same clock for work that has a share of processor time: [`Clock::check`] fails once that is used up.
    pub fn with_stop(&self, stop: Arc<CpuStop>) -> Clock {
        Clock { stop: Some(stop), ..self.clone() }
    }

    /// The processor time that the process has used since the run began.
    pub fn cpu(&self) -> Duration {
        cpu_time().saturating_sub(self.cpu)
    }

    /// The same clock with the search's time limit starting now.
    pub fn with_limit(&self, limit: Option<Duration>) -> Clock {
        let now = Instant::now();
        let deadline = limit.and_then(|limit| now.checked_add(limit));
        Clock { start: now, deadline, ..self.clone() }
    }

    /// The same clock for work that has to be done however little time there is.
    pub fn without_limit(&self) -> Clock {
        let enough = Arc::new(AtomicBool::new(false));
        Clock { enough, ..self.with_limit(None) }
    }

    /// The same clock with only a part of its time limit, for a search that leaves the rest to another.
    pub fn with_share(&self, numerator: u32, denominator: u32) -> Clock {
        let share = |deadline: Instant| self.start + (deadline - self.start) * numerator / denominator;
        Clock { deadline: self.deadline.map(share), ..self.clone() }
    }

    /// How long it has been running.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the time limit has passed or somebody is content with what there is; an anytime search then returns the best it has.
    pub fn is_over(&self) -> bool {
        self.enough.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Asks the run to stop.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// An error once the user has asked the run to stop, or the share of processor time is used up.
    pub fn check(&self) -> Result<()> {
        if self.is_interrupted() || self.is_spent() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Whether the user has asked the run to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether the share of processor time is used up, where there is one.
    pub fn is_spent(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.is_over())
    }

    /// The share of processor time, where there is one.
    pub fn stop(&self) -> Option<&CpuStop> {
        self.stop.as_deref()
    }

    /// Who hears of the progress.
    pub fn progress(&self) -> &dyn Progress {
        self.progress.as_ref()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock").field("start", &self.start).field("deadline", &self.deadline).finish()
    }
}
