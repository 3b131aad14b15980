//! Sample uniqueness: the share of released records that are alone in their class is at most max.

use super::average_risk::is_within;
use super::release::{ReleaseTest, Sizes};
use privet_core::Exact;
use privet_policy::requirement;

#[derive(Debug)]
struct SampleUniqueness {
    max: Exact,
}

pub(super) fn build(asked: &requirement::SampleUniqueness) -> Box<dyn ReleaseTest> {
    Box::new(SampleUniqueness { max: asked.max })
}

impl ReleaseTest for SampleUniqueness {
    fn holds(&self, sizes: &Sizes<'_>) -> bool {
        is_within(sizes.below(2), sizes.records(), self.max)
    }

    fn improves(&self) -> bool {
        true
    }

    /// A kept unique at a coarser vector was a kept unique before, and no fewer records are kept there.
    fn least_gone(&self, sizes: &Sizes<'_>) -> u64 {
        sizes.fewest_gone(|sizes| self.holds(sizes))
    }

    fn why_impossible(&self, _: u64) -> String {
        format!("its only record is unique, and max is {}", self.max)
    }
}
