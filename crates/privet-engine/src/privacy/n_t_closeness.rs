//! (n, t)-closeness (Li, Li and Venkatasubramanian, *Closeness: A New Privacy Measure for Data Publishing*, 2010): what a
//! class tells about its people is much what is known of some large group that they naturally belong to.
//!
//! A class E has it if a *natural superset* of E has at least n records, and the earth mover's distance between the
//! distributions of the sensitive column in E and in that superset is at most t. Natural supersets widen the boundaries of
//! E: the records that share E's quasi-identifiers generalised to the same or to higher levels. E is one of its own, so a
//! class of n records has it whatever its values.
//!
//! It is not a matter of one class alone, and the union of two classes that have it may lack it (each may be close to another
//! superset). So no search may prune by it; methods that generalise to levels ask about it where they judge a vector.

use super::earth_mover::{EarthMover, Whole};
use super::{EquivalenceClass, TrackedTable};
use privet_core::{Error, Exact, Result};
use privet_policy::requirement;

const NAME: &str = "n-t-closeness";

/// The notion with its parameters, on one column.
#[derive(Debug)]
pub struct NtCloseness {
    n: u64,
    t: Exact,
    mover: EarthMover,
}

impl NtCloseness {
    /// What is asked of a table's column.
    pub fn of(asked: &requirement::NtCloseness, table: &TrackedTable) -> Result<NtCloseness> {
        let column = table.column(asked.column)?;
        let n = asked.n;
        if n > table.records {
            let records = table.records;
            return Err(Error::infeasible(format!(
                "no group has n = {n} records: the whole table has {records}"
            ))
            .help(format!("lower n in [privacy.{NAME}]")));
        }
        Ok(NtCloseness { n, t: asked.t, mover: EarthMover::of(NAME, asked.distance, column)? })
    }

    /// Whether a class is large enough to be its own superset.
    pub fn holds_alone(&self, class: &EquivalenceClass<'_>) -> bool {
        class.size == 0 || class.size >= self.n
    }

    /// Whether a set of records is large enough.
    pub fn is_large(&self, superset: &Records) -> bool {
        superset.records >= self.n
    }

    /// Whether a class is close to one of its natural supersets, and that is large enough.
    pub fn holds_within(&self, class: &EquivalenceClass<'_>, superset: &Records) -> bool {
        self.is_large(superset) && self.mover.is_within(self.t, class, superset.whole())
    }

    /// How far a class is from a set of records, to choose what is looked at first.
    pub fn distance(&self, class: &EquivalenceClass<'_>, superset: &Records) -> f64 {
        self.mover.to_f64(class, superset.whole())
    }

    /// Whether no large enough set that has all of some records, and none but some others, is near enough to the class. Decided
    /// in floating point, and only where that is clear.
    pub fn is_out_of_reach(&self, class: &EquivalenceClass<'_>, inside: &Records, highest: &Records) -> bool {
        /// Far more than rounding amounts to.
        const CLEAR: f64 = 1e-6;
        self.mover.at_least(class, inside.whole(), highest.whole(), self.n) > self.t.to_f64() + CLEAR
    }

    /// How often a class has which values of the column, by code.
    pub fn pairs(&self, class: &EquivalenceClass<'_>) -> Vec<(u32, u64)> {
        let mut pairs = Vec::new();
        class.counts.for_each(&self.mover.slots, |code, count| pairs.push((code, count)));
        pairs
    }
}

/// A set of records as a notion sees it: how often each value of its column occurs, by code.
#[derive(Debug, Clone)]
pub struct Records {
    totals: Vec<u64>,
    records: u64,
}

impl Records {
    /// No records.
    pub fn none(notion: &NtCloseness) -> Records {
        Records { totals: vec![0; notion.mover.slots.len()], records: 0 }
    }

    /// Adds records with their values.
    pub fn add(&mut self, pairs: &[(u32, u64)], records: u64) {
        pairs.iter().for_each(|(code, count)| self.totals[*code as usize] += count);
        self.records += records;
    }

    /// Takes records with their values away.
    pub fn remove(&mut self, pairs: &[(u32, u64)], records: u64) {
        pairs.iter().for_each(|(code, count)| self.totals[*code as usize] -= count);
        self.records -= records;
    }

    fn whole(&self) -> Whole<'_> {
        Whole { totals: &self.totals, records: self.records }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Counts, TrackedColumn};
    use privet_policy::Role;

    fn notion(n: u64, t: &str) -> NtCloseness {
        let (t, distance) = (Exact::parse(t).expect("a number"), requirement::Distance::Equal);
        let asked = requirement::NtCloseness { column: 0, n, t, distance };
        let column = TrackedColumn {
            index: 0,
            name: "disease".to_string(),
            role: Role::Sensitive,
            values: vec!["a".to_string(), "b".to_string()],
            numeric: false,
            taxonomy: None,
            separator: None,
            items: None,
            links: None,
            slots: 0..2,
            totals: vec![50, 50],
            people: None,
        };
        NtCloseness::of(
            &asked,
            &TrackedTable { records: 100, tracked: vec![column], population: None, weight_unit: None },
        )
        .expect("a notion")
    }

    fn class(counts: &[u64]) -> EquivalenceClass<'_> {
        EquivalenceClass {
            size: counts.iter().sum(),
            counts: Counts::Dense(counts),
            standing: Default::default(),
        }
    }

    #[test]
    fn a_class_needs_one_large_group_that_it_is_like() {
        let notion = notion(10, "1/4");
        assert!(notion.holds_alone(&class(&[10, 0])));
        assert!(!notion.holds_alone(&class(&[3, 1])));
        // 3/4 against 1/2 is a quarter exactly; against 9/10 less; a group of eight is too small.
        let records = |counts: &[u64]| Records { totals: counts.to_vec(), records: counts.iter().sum() };
        assert!(notion.holds_within(&class(&[3, 1]), &records(&[5, 5])));
        assert!(notion.holds_within(&class(&[3, 1]), &records(&[9, 1])));
        assert!(!notion.holds_within(&class(&[3, 1]), &records(&[4, 6])));
        assert!(!notion.holds_within(&class(&[3, 1]), &records(&[6, 2])));
    }
}
