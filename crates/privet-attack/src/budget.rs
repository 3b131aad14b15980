//! What the attacks of a run may cost.
//!
//! By default all attacks together may take a quarter of what the run took before them, or a second of processor time where
//! that is more, and 100 MB of memory. How many people are attacked follows from the sizes of the tables alone (steps and
//! bytes are counted, not seconds), so that it is the same on every machine; the processor clock is the last stop.

use std::sync::Arc;
use std::time::Duration;

use super::{Limits, Scene};
use privet_core::clock::Clock;
use privet_core::cpu::{CpuStop, cpu_time};
use privet_core::{Error, ErrorKind};

/// The least that all attacks together may take.
const LEAST: Duration = Duration::from_secs(1);

/// The part of the run that they may take otherwise.
const PART: u32 = 4;

/// The clock is looked at now and then, and what an attack has built is torn down after it was stopped: so much in a hundred is
/// kept back for that.
const PLANNED: u32 = 90;

/// The most memory that attacks add to a run.
const MEMORY: u64 = 100_000_000;

/// Tables with more rows are not read: what tells rows apart while a sample is drawn would take too much memory.
const ROWS: usize = 1_200_000;

/// How many steps an attack may plan for, whatever the size of the tables. A step is a look at a number in memory.
const STEPS: u64 = 15_000_000;

/// Of an original with more cells than this, some people are read, and attacked …
const MOST_CELLS: usize = 1_000_000;
/// … at least this many …
const FEWEST_PEOPLE: usize = 10_000;
/// … and at most this many.
const MOST_PEOPLE: usize = 50_000;

/// What runs all attacks.
pub(super) const ALL: &str = "`--attacks all` runs it";

/// What the attacks of a run may cost.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Ends what all attacks together may take.
    stop: Arc<CpuStop>,
}

impl Budget {
    /// What a run may spend on attacks by default that has taken as much as the clock says.
    pub fn of_run(clock: &Clock) -> Budget {
        let time = LEAST.max(clock.cpu() / PART) * PLANNED / 100;
        Budget { stop: Arc::new(CpuStop::after(time)) }
    }

    /// The clock that attacks look at.
    pub fn clock(&self, clock: &Clock) -> Clock {
        clock.with_stop(self.stop.clone())
    }

    /// Limits of steps and memory for the attacks.
    pub fn limits(&self) -> Limits {
        Limits { rows: ROWS, memory: Some(MEMORY), steps: Some(STEPS), ..Limits::default() }
    }
}

/// Hands out shares of the processor time to attacks that run one after the other.
pub(super) struct TimeShares<'c> {
    stop: Option<&'c CpuStop>,
    /// The processor time of the process at which all have to be done.
    end: Duration,
}

/// How much of what is left a single attack may take: of what others leave over, more than an equal part.
const GENEROUS: u32 = 2;

/// How much of its share an attack keeps for a second try on fewer people.
const SECOND: u32 = 4;

impl<'c> TimeShares<'c> {
    /// All of what the clock of a scene has left.
    pub fn of(scene: &'c Scene<'_>) -> TimeShares<'c> {
        let stop = scene.clock.stop();
        let end = stop.map_or(Duration::MAX, CpuStop::end);
        TimeShares { stop, end }
    }

    /// Gives the reading of the tables its share: most of all, as nothing can be tried without.
    pub fn read(&self) {
        if let Some(stop) = self.stop {
            let now = cpu_time();
            stop.until(now + self.end.saturating_sub(now) * 8 / 10);
        }
    }

    /// Gives the next attack its share; `left` attacks are still to come, including this one. A part is kept for a second try.
    pub fn next(&self, left: usize) -> Duration {
        let Some(stop) = self.stop else { return Duration::MAX };
        let now = cpu_time();
        let rest = self.end.saturating_sub(now);
        let share = (rest * GENEROUS / u32::try_from(left.max(1)).unwrap_or(u32::MAX)).min(rest);
        stop.until(now + share * (SECOND - 1) / SECOND);
        share
    }

    /// Gives a second try the rest of the share.
    pub fn again(&self, share: Duration) {
        if let Some(stop) = self.stop {
            stop.until((cpu_time() + share / SECOND).min(self.end));
        }
    }
}

/// Why an attack is not run that needs this many bytes and may have at most `most`.
pub(super) fn needs(bytes: u64, most: u64) -> String {
    format!("needs about {} of memory, and its share is {}; {ALL}", size(bytes), size(most))
}

fn size(bytes: u64) -> String {
    let (amount, unit) = match bytes {
        0..1_000_000 => (1.0, "MB"),
        1_000_000..1_000_000_000 => (bytes as f64 / 1e6, "MB"),
        _ => (bytes as f64 / 1e9, "GB"),
    };
    if amount < 10.0 && unit == "GB" { format!("{amount:.1} {unit}") } else { format!("{amount:.0} {unit}") }
}

/// The error of an attack that would take more than its share; the message is the reason for not running it.
pub(super) fn too_costly(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Infeasible, reason)
}

/// Whether an error says that an attack would take more than its share.
pub(super) fn is_too_costly(error: &Error) -> bool {
    error.kind() == ErrorKind::Infeasible
}

/// The error of an attack that has to examine everybody, and would exceed its share.
pub(super) fn takes_long() -> Error {
    too_costly(format!("examines everyone at once, which takes longer than its share of the run; {ALL}"))
}

impl Limits {
    /// How many people of a table with this many columns and rows are held in memory, to be attacked.
    pub(super) fn people_in_memory(&self, columns: usize, rows: usize) -> usize {
        match self.steps {
            Some(_) if rows.saturating_mul(columns) > MOST_CELLS => {
                (MOST_CELLS / columns.max(1)).clamp(FEWEST_PEOPLE, MOST_PEOPLE)
            }
            _ => usize::MAX,
        }
    }

    /// How much of the memory the tables may take that all attacks look at.
    pub(super) fn view_bytes(&self) -> Option<u64> {
        self.memory.map(|memory| memory * 6 / 10)
    }

    /// Refuses an attack that takes so much memory of its own.
    pub(super) fn afford(&self, bytes: u64) -> privet_core::Result<()> {
        match self.memory.map(|memory| memory * 4 / 10) {
            Some(most) if bytes > most => Err(too_costly(needs(bytes, most))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_words() {
        assert_eq!(size(1_700_000_000), "1.7 GB");
        assert_eq!(size(45_000_000_000), "45 GB");
        assert_eq!(size(152_000_000), "152 MB");
        assert_eq!(
            needs(51_000_000, 40_000_000),
            "needs about 51 MB of memory, and its share is 40 MB; `--attacks all` runs it"
        );
        let limits = Limits { memory: Some(100), ..Limits::default() };
        assert!(limits.afford(41).is_err_and(|error| is_too_costly(&error)) && limits.afford(40).is_ok());
        assert!(Limits::default().afford(u64::MAX).is_ok(), "without a budget everything is run");
    }

    #[test]
    fn shares_leave_something_for_those_that_come_later() {
        let start = cpu_time();
        let budget = Budget::of_run(&Clock::unlimited());
        let time = budget.stop.end() - start;
        assert!(time >= LEAST * PLANNED / 100 && time < LEAST, "{time:?}");
        let shares = TimeShares { stop: Some(&budget.stop), end: cpu_time() + Duration::from_secs(100) };
        let share = shares.next(10);
        assert!(share <= Duration::from_secs(20) && share > Duration::from_secs(15), "{share:?}");
        assert!(!budget.stop.is_over());
        assert!(shares.next(1) <= Duration::from_secs(100));
    }
}
