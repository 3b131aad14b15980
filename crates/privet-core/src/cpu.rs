//! How much processor time this process has used, and a stop once a part of it is spent.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub use crate::platform::cpu_time;

/// Asking the system takes longer than looking at a clock; it is asked no more often than this.
const EVERY: Duration = Duration::from_millis(2);

/// Processor time after which work has to stop. The one who hands out the time moves the end on for each piece of work.
#[derive(Debug)]
pub struct CpuStop {
    start: Instant,
    /// The processor time of the process at which to stop, in nanoseconds.
    end: AtomicU64,
    /// When the system was asked last, in nanoseconds since the start.
    asked: AtomicU64,
    over: AtomicBool,
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl CpuStop {
    /// Stops once the process has used as much from now on.
    pub fn after(time: Duration) -> CpuStop {
        let stop = CpuStop {
            start: Instant::now(),
            end: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            over: AtomicBool::new(false),
        };
        stop.until(cpu_time() + time);
        stop
    }

    /// Moves the end to when the process will have used this much in all.
    pub fn until(&self, time: Duration) {
        self.end.store(nanoseconds(time), Ordering::Relaxed);
        self.asked.store(0, Ordering::Relaxed);
        self.over.store(false, Ordering::Relaxed);
    }

    /// What the process will have used in all when the time is used up.
    pub fn end(&self) -> Duration {
        Duration::from_nanos(self.end.load(Ordering::Relaxed))
    }

    /// Whether the time is used up.
    pub fn is_over(&self) -> bool {
        if self.over.load(Ordering::Relaxed) {
            return true;
        }
        // 0 stands for never.
        let (now, asked) = (nanoseconds(self.start.elapsed()).max(1), self.asked.load(Ordering::Relaxed));
        if asked > 0 && now.saturating_sub(asked) < nanoseconds(EVERY) {
            return false;
        }
        self.asked.store(now, Ordering::Relaxed);
        let over = nanoseconds(cpu_time()) >= self.end.load(Ordering::Relaxed);
        if over {
            self.over.store(true, Ordering::Relaxed);
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_over_once_its_processor_time_is_spent() {
        let stop = CpuStop::after(Duration::from_secs(3600));
        assert!(!stop.is_over());
        let start = cpu_time();
        stop.until(start + Duration::from_millis(20));
        let mut steps = 0u64;
        while !stop.is_over() {
            steps = std::hint::black_box(steps + 1);
        }
        assert!(cpu_time() - start >= Duration::from_millis(20) && steps > 0);
        stop.until(cpu_time() + Duration::from_secs(3600));
        assert!(!stop.is_over(), "more time was handed out");
    }
}
