//! Individual risk (Benedetti and Franconi 1998): with the weights of a class adding up to F̂ people for its f records, the
//! risk of each of them is E[1/F], F − f negative binomial with p = f/F̂. It is at most max.
//!
//! Closed under union: r falls with f at fixed p and grows with p at fixed f; a union has a larger f than the part with the
//! larger p, and no larger p.

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable};
use crate::risk::individual::{individual_risk, is_at_most};
use privet_core::{Error, Exact, Result};
use privet_policy::requirement;

#[derive(Debug)]
struct IndividualRisk {
    max: Exact,
    unit: u64,
}

pub(super) fn build(asked: &requirement::IndividualRisk, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let unit = table.weight_unit.ok_or_else(|| Error::internal("weights that were not read"))?;
    Ok(Box::new(IndividualRisk { max: asked.max, unit }))
}

impl ClassTest for IndividualRisk {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        class.size == 0 || is_at_most(class.size, (class.standing.weight, self.unit), self.max)
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let people = class.standing.weight as f64 / self.unit as f64;
        let value = individual_risk(class.size, people).value;
        Tightness { value, threshold: self.max.to_f64(), at_most: true }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, _: Counted) -> String {
        let people = table.standing.weight as f64 / self.unit as f64;
        let risk = individual_risk(table.size, people).value;
        format!(
            "its {} records stand for {people} people, so each has a risk of {risk:.6}, more than max = {}",
            table.size, self.max
        )
    }
}
