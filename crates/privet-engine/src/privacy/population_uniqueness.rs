//! Population uniqueness: the share of the population that is unique, estimated from the sizes of classes, is at most max.
//!
//! No estimator is monotone, so it is asked of every solution and no bound rests on it.

use std::cmp::Ordering;

use num_bigint::BigUint;

use super::TrackedTable;
use super::release::{ReleaseTest, Sizes};
use crate::risk::ClassSizes;
use crate::risk::Estimate;
use crate::risk::uniqueness::{Uniqueness, zayatz_fraction};
use privet_core::{Error, Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::Estimator;

#[derive(Debug)]
struct PopulationUniqueness {
    max: Exact,
    estimator: Estimator,
    population: u64,
}

pub(super) fn build(
    asked: &requirement::PopulationUniqueness,
    table: &TrackedTable,
) -> Result<Box<dyn ReleaseTest>> {
    let population = table.population.ok_or_else(|| Error::internal("a population of unknown size"))?;
    Ok(Box::new(PopulationUniqueness { max: asked.max, estimator: asked.estimator, population }))
}

impl PopulationUniqueness {
    /// Whether Zayatz's estimate is at most max: decided by the numbers where they are clear, else by the fraction.
    fn zayatz_holds(&self, sizes: &ClassSizes, found: Option<Estimate>) -> bool {
        // Where the model has no answer and nobody of the sample is unique, nothing speaks for uniques.
        let Some(found) = found else { return sizes.of_size(1) == 0 };
        let max = self.max.to_f64();
        if found.upper < max * (1.0 - 1e-12) {
            return true;
        }
        if found.lower > max * (1.0 + 1e-12) {
            return false;
        }
        match zayatz_fraction(sizes, self.population) {
            Some((above, below)) => {
                let (a, d) = (BigUint::from(self.max.numerator()), BigUint::from(self.max.denominator()));
                (above * d).cmp(&(below * a)) != Ordering::Greater
            }
            None => found.upper <= max,
        }
    }
}

impl ReleaseTest for PopulationUniqueness {
    fn holds(&self, sizes: &Sizes<'_>) -> bool {
        let sizes = sizes.counted();
        let upper = |found: Option<Estimate>| match found {
            Some(found) => found.upper <= self.max.to_f64(),
            None => sizes.of_size(1) == 0,
        };
        if sizes.classes() == 0 {
            return true;
        }
        match self.estimator {
            Estimator::Zayatz => self.zayatz_holds(&sizes, Uniqueness::zayatz_of(&sizes, self.population)),
            Estimator::Pitman => upper(Uniqueness::pitman_of(&sizes, self.population)),
            Estimator::Snb => upper(Uniqueness::snb_of(&sizes, self.population)),
            Estimator::Dankar => match Uniqueness::dankar_of(&sizes, self.population) {
                (chosen, true) => self.zayatz_holds(&sizes, chosen),
                (chosen, false) => upper(chosen),
            },
        }
    }

    fn improves(&self) -> bool {
        false
    }

    fn least_gone(&self, _: &Sizes<'_>) -> u64 {
        0
    }

    fn why_impossible(&self, _: u64) -> String {
        format!(
            "the estimate ({}) of its only class is above max = {} or not available",
            self.estimator, self.max
        )
    }
}
