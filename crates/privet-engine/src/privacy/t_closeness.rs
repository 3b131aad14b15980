//! t-closeness (Li, Li and Venkatasubramanian, 2007): in every class the sensitive values are distributed much as in the
//! whole table; the earth mover's distance between the two is at most t.

use super::earth_mover::{EarthMover, Whole};
use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable, largest};
use privet_core::{Exact, Result};
use privet_policy::requirement;

#[derive(Debug)]
struct TCloseness {
    t: Exact,
    name: String,
    totals: Vec<u64>,
    records: u64,
    mover: EarthMover,
}

pub(super) fn build(asked: &requirement::TCloseness, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let column = table.column(asked.column)?;
    Ok(Box::new(TCloseness {
        t: asked.t,
        name: column.name.clone(),
        totals: column.totals.clone(),
        records: table.records,
        mover: EarthMover::of("t-closeness", asked.distance, column)?,
    }))
}

impl TCloseness {
    fn whole(&self) -> Whole<'_> {
        Whole { totals: &self.totals, records: self.records }
    }
}

impl ClassTest for TCloseness {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        self.mover.is_within(self.t, class, self.whole())
    }

    fn closure(&self) -> Closure {
        // The distance to a fixed distribution is convex: a mixture of close classes is close.
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        // Moving between unequal values costs less under the other two distances: no useful bound is known.
        if !self.mover.is_equal() {
            return class.size;
        }
        let mut counts = Vec::new();
        class
            .counts
            .for_each(&self.mover.slots, |code, count| counts.push((count, self.totals[code as usize])));
        // Of K kept records, value i can take its fair share K·N_i/N for free; all above the fair shares is surplus, and
        // the distance is surplus/K at the least. So K is possible only if Σ min(n_i, K·N_i/N) ≥ (1 − t)·K, and since
        // the left side over K never grows with K, the largest such K is found by halving.
        let fair = |kept: u64| {
            let share = |(count, total): &(u64, u64)| {
                (u128::from(*count) * u128::from(self.records)).min(u128::from(kept) * u128::from(*total))
            };
            let (num, den) = (u128::from(self.t.numerator()), u128::from(self.t.denominator()));
            let free = counts.iter().map(share).sum::<u128>().checked_mul(den);
            let wanted = (u128::from(kept) * u128::from(self.records)).checked_mul(den - num);
            match (free, wanted) {
                (Some(free), Some(wanted)) => free >= wanted,
                _ => true,
            }
        };
        largest(class.size, fair)
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        Tightness { value: self.mover.to_f64(class, self.whole()), threshold: self.t.to_f64(), at_most: true }
    }

    fn why_impossible(&self, _: &EquivalenceClass<'_>, _: Counted) -> String {
        format!("'{}' cannot be within {} of its own distribution", self.name, self.t)
    }
}
