//! Top-down partitioning: split a set of records again and again until no split is allowed.

use rayon::prelude::*;

use super::clock::Clock;
use crate::Result;

/// A way to split a set of records.
pub trait Splitter: Sync {
    /// A set of records.
    type Part: Send;

    /// The parts that a set falls into, at least two; the set itself where no split is allowed.
    fn split(&self, part: Self::Part) -> std::result::Result<Vec<Self::Part>, Self::Part>;

    /// How many records a part has, for progress.
    fn size(&self, part: &Self::Part) -> u64;
}

/// Splits until nothing can be split any more. The parts come in a fixed order, whatever the number of threads.
pub fn partition<S: Splitter>(splitter: &S, whole: S::Part, clock: &Clock) -> Result<Vec<S::Part>> {
    let mut open = vec![whole];
    let mut closed = Vec::new();
    let mut done = 0;
    while !open.is_empty() {
        clock.check()?;
        let split: Vec<_> = open.into_par_iter().map(|part| splitter.split(part)).collect();
        open = Vec::new();
        for result in split {
            match result {
                Ok(parts) => open.extend(parts),
                Err(part) => {
                    done += splitter.size(&part);
                    closed.push(part);
                }
            }
        }
        clock.progress().at(done);
    }
    Ok(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges of numbers, split in the middle down to a size.
    struct Halves(u64);

    impl Splitter for Halves {
        type Part = std::ops::Range<u64>;

        fn split(&self, part: Self::Part) -> std::result::Result<Vec<Self::Part>, Self::Part> {
            let middle = part.start + (part.end - part.start) / 2;
            if part.end - part.start < 2 * self.0 {
                Err(part)
            } else {
                Ok(vec![part.start..middle, middle..part.end])
            }
        }

        fn size(&self, part: &Self::Part) -> u64 {
            part.end - part.start
        }
    }

    #[test]
    fn parts_cover_everything_in_one_order_whatever_the_number_of_threads() {
        let on_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| partition(&Halves(3), 0..1000, &Clock::unlimited())).expect("parts")
        };
        let parts = on_threads(1);
        assert_eq!(parts, on_threads(4));
        assert!(parts.iter().all(|part| (3..6).contains(&(part.end - part.start))));
        let mut covered: Vec<u64> = parts.into_iter().flatten().collect();
        covered.sort_unstable();
        assert!(covered.into_iter().eq(0..1000));
    }

    #[test]
    fn an_interrupted_partitioning_ends_with_an_error() {
        let clock = Clock::unlimited();
        clock.interrupt();
        assert!(partition(&Halves(1), 0..10, &clock).is_err());
    }
}
