//! δ-presence (Nergiz, Atzori and Clifton 2007): of the people behind every class of the population, those in the data are a
//! share between min and max. Classes of the population without a record have the share 0.
//!
//! Closed under union: the share of a union lies between those of its parts. Supersets need not meet it.

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness};
use privet_core::Exact;
use privet_policy::requirement;

#[derive(Debug)]
struct DeltaPresence {
    min: Exact,
    max: Exact,
}

pub(super) fn build(asked: &requirement::DeltaPresence) -> Box<dyn ClassTest> {
    Box::new(DeltaPresence { min: asked.min, max: asked.max })
}

/// Whether over/under ≤ bound.
fn at_most((over, under): (u64, u64), bound: Exact) -> bool {
    u128::from(over) * u128::from(bound.denominator()) <= u128::from(bound.numerator()) * u128::from(under)
}

/// Whether over/under ≥ bound.
fn at_least((over, under): (u64, u64), bound: Exact) -> bool {
    u128::from(over) * u128::from(bound.denominator()) >= u128::from(bound.numerator()) * u128::from(under)
}

impl ClassTest for DeltaPresence {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let share = (class.size, class.standing.people);
        at_least(share, self.min) && at_most(share, self.max)
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        // What is kept of a class stands for no more people than the class.
        let (a, d) = (u128::from(self.max.numerator()), u128::from(self.max.denominator()));
        let most = a * u128::from(class.standing.people) / d.max(1);
        class.size.min(u64::try_from(most).unwrap_or(u64::MAX))
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let value = class.size as f64 / class.standing.people.max(1) as f64;
        let above = Tightness { value, threshold: self.max.to_f64(), at_most: true };
        let below = Tightness { value, threshold: self.min.to_f64(), at_most: false };
        if self.min > Exact::ZERO && below.room() < above.room() { below } else { above }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, _: Counted) -> String {
        let (n, people) = (table.size, table.standing.people);
        let share = (n, people);
        match at_most(share, self.max) {
            false => format!(
                "{n} of the {people} people of the population are in the data, more than max = {}",
                self.max
            ),
            true => format!(
                "{n} of the {people} people of the population are in the data, fewer than min = {}",
                self.min
            ),
        }
    }
}
