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
