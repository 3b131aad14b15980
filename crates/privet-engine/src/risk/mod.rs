//! What data are worth to an attacker: figures that need no decision about a release.
//!
//! Pure functions over class sizes and codes. Estimates say how sure they are of their own arithmetic ([`Estimate`]), and one
//! that has no solution is absent, never 0.

pub mod column_sets;
pub mod individual;
pub mod poisson;
mod special;
pub mod uniqueness;

use std::collections::BTreeMap;

pub use column_sets::{ColumnSet, ColumnSets, SpecialUniques};

/// A number with the bounds that its computation guarantees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// It is not less.
    pub lower: f64,
    /// It is not more. Thresholds are compared with this end.
    pub upper: f64,
}

impl Estimate {
    /// A number that is right up to a relative error.
    fn within(value: f64, error: f64) -> Estimate {
        let doubt = value.abs() * error;
        Estimate { value, lower: value - doubt, upper: value + doubt }
    }
}

/// How many classes there are of each size.
///
/// ```
/// use privet_engine::risk::ClassSizes;
/// let sizes = ClassSizes::of([2, 1, 2, 1]);
/// assert_eq!((sizes.records(), sizes.classes(), sizes.of_size(1)), (6, 4, 2));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassSizes {
    counts: BTreeMap<u64, u64>,
    records: u64,
    classes: u64,
}

impl ClassSizes {
    /// Counts classes by their sizes; empty classes do not count.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> ClassSizes {
        let mut all = ClassSizes::default();
        for size in sizes.into_iter().filter(|size| *size > 0) {
            *all.counts.entry(size).or_default() += 1;
            all.records += size;
            all.classes += 1;
        }
        all
    }

    /// Counts classes by their sizes, which ascend, run by run.
    pub fn of_ascending(mut sizes: &[u64]) -> ClassSizes {
        let mut all = ClassSizes::default();
        while let Some(size) = sizes.first() {
            let run = sizes.partition_point(|own| own <= size);
            if *size > 0 {
                all.counts.insert(*size, run as u64);
                all.records += size * run as u64;
                all.classes += run as u64;
            }
            sizes = &sizes[run..];
        }
        all
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many classes there are.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// How many classes have this size.
    pub fn of_size(&self, size: u64) -> u64 {
        self.counts.get(&size).copied().unwrap_or(0)
    }

    /// The size of the smallest class.
    pub fn smallest(&self) -> Option<u64> {
        self.counts.keys().next().copied()
    }

    /// The sizes with the number of classes that have them, ascending.
    pub fn counts(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(size, count)| (*size, *count))
    }

    /// The chance that a unique match of a sample taken at rate `fraction` is right (DIS; Skinner and Elliot, JRSS B 2002):
    /// c₁f / (c₁f + 2c₂(1 − f)). Absent where no class has one or two records.
    pub fn dis(&self, fraction: f64) -> Option<f64> {
        let right = self.of_size(1) as f64 * fraction;
        let all = right + 2.0 * self.of_size(2) as f64 * (1.0 - fraction);
        (all > 0.0).then(|| right / all)
    }
}

#[cfg(test)]
mod tests;
