//! k-anonymity (Samarati and Sweeney, 1998): every class has at least k records.
//!
//! An attacker who knows a person's quasi-identifiers finds at least k records that could be theirs. Says nothing about what
//! those records have in common: see l-diversity.

use super::{ClassTest, Closure, Counted, EquivalenceClass, Tightness};
use privet_policy::requirement;

/// Every class has at least `k` records.
#[derive(Debug)]
struct KAnonymity {
    k: u64,
}

pub(super) fn build(asked: &requirement::KAnonymity) -> Box<dyn ClassTest> {
    Box::new(KAnonymity { k: asked.k })
}

impl ClassTest for KAnonymity {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        class.size == 0 || class.size >= self.k
    }

    fn counts_people(&self) -> bool {
        true
    }

    fn closure(&self) -> Closure {
        Closure::Superset
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        if class.size >= self.k { class.size } else { 0 }
    }

    fn least_size(&self) -> u64 {
        self.k
    }

    fn looks_inside(&self) -> bool {
        false
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        Tightness { value: class.size as f64, threshold: self.k as f64, at_most: false }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, of: Counted) -> String {
        format!("k is {}, but the table has only {}", self.k, of.counted(table.size))
    }
}
