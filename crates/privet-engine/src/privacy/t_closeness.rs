//! t-closeness (Li, Li and Venkatasubramanian, 2007): in every class the sensitive values are distributed much as in the
//! whole table; the earth mover's distance between the two is at most t.

use super::earth_mover::{EarthMover, Whole};
use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable};
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
        self.mover.most_within(self.t, class, self.whole())
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        Tightness { value: self.mover.to_f64(class, self.whole()), threshold: self.t.to_f64(), at_most: true }
    }

    fn why_impossible(&self, _: &EquivalenceClass<'_>, _: Counted) -> String {
        format!("'{}' cannot be within {} of its own distribution", self.name, self.t)
    }
}
