//! k-map (Sweeney 2001; El Emam and Dankar 2008): behind every class there are at least k people of the population.
//!
//! People are counted in the population's table, or weights are added, exactly. Where only the size N of the population is
//! known, n of N records make a sample at rate f = n/N: of k people Poisson(k·f) would be in it. A class of fewer records than
//! the least count that is unlikely enough fails (Pannekoek 1999). That is a test, not a proof.

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedTable};
use crate::risk::poisson::least_count;
use privet_core::{Error, Result, counted};
use privet_policy::requirement;
use privet_policy::requirement::CountedBy;

#[derive(Debug)]
enum KMap {
    /// People of the population, as counted.
    People { k: u64 },
    /// Weights, in units.
    Weights { k: u64, unit: u64 },
    /// Records, by a test.
    Records { k: u64, least: u64 },
}

pub(super) fn build(asked: &requirement::KMap, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let k = asked.k;
    let tested = |truncated: bool| {
        let (Some(significance), Some(population)) = (asked.significance, table.population) else {
            return Err(Error::internal("a test without its significance or its population"));
        };
        let least = least_count(k, (table.records, population), significance, truncated);
        Ok(KMap::Records { k, least: least.min(k) })
    };
    Ok(Box::new(match asked.by {
        None | Some(CountedBy::Population) => KMap::People { k },
        Some(CountedBy::Weights) => {
            let unit = table.weight_unit.ok_or_else(|| Error::internal("weights that were not read"))?;
            KMap::Weights { k, unit }
        }
        Some(CountedBy::Poisson) => tested(false)?,
        Some(CountedBy::ZeroTruncatedPoisson) => tested(true)?,
    }))
}

impl ClassTest for KMap {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        class.size == 0
            || match self {
                KMap::People { k } => class.standing.people >= *k,
                KMap::Weights { k, unit } => {
                    u128::from(class.standing.weight) >= u128::from(*k) * u128::from(*unit)
                }
                KMap::Records { least, .. } => class.size >= *least,
            }
    }

    fn closure(&self) -> Closure {
        Closure::Superset
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        if self.holds(class) { class.size } else { 0 }
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let (value, threshold) = match self {
            KMap::People { k } => (class.standing.people as f64, *k),
            KMap::Weights { k, unit } => (class.standing.weight as f64 / *unit as f64, *k),
            KMap::Records { least, .. } => (class.size as f64, *least),
        };
        Tightness { value, threshold: threshold as f64, at_most: false }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, of: Counted) -> String {
        match self {
            KMap::People { k } => {
                let people = counted(table.standing.people, "person", "people");
                format!("k is {k}, but the population has only {people}")
            }
            KMap::Weights { k, unit } => {
                let sum = table.standing.weight as f64 / *unit as f64;
                format!("k is {k}, but all weights together are only {sum}")
            }
            KMap::Records { k, least } => {
                let records = of.counted(table.size);
                format!("k = {k} asks for {least} records in every class, but the table has only {records}")
            }
        }
    }
}
