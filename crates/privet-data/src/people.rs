//! Who has which records, where one person may have several.
//!
//! Distinct people do not add up over combinations of values: a person who has two of them is one person in their union. So a
//! summary keeps a plain count of the people who have one distinct record only, and names those who have several, by a
//! number that says nothing about them.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::interner::Interner;

/// The people behind the distinct records of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct People {
    total: u64,
    records: u64,
    /// Per distinct record, how many people have it and no other.
    single: Vec<u64>,
    /// The people who have several distinct records, record by record, each sorted.
    named: Vec<u32>,
    /// Where the people of each distinct record begin in `named`, and the end of the last.
    starts: Vec<usize>,
}

impl People {
    /// How many people there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether nobody has more than one record: people and records are then the same thing.
    pub fn have_one_record_each(&self) -> bool {
        self.total == self.records
    }

    /// How many people have this distinct record and no other.
    pub fn single(&self, record: usize) -> u64 {
        self.single[record]
    }

    /// The people who have this distinct record and others, by number, ascending.
    pub fn named(&self, record: usize) -> &[u32] {
        &self.named[self.starts[record]..self.starts[record + 1]]
    }
}

/// Gathers the people of a summary while its rows are read.
#[derive(Debug, Default)]
pub struct PeopleBuilder {
    names: Interner,
    /// Person and distinct record, both in the order in which they are first seen.
    pairs: Vec<(u32, u32)>,
    /// How many pairs there were when repeated ones were last removed.
    settled: usize,
}

impl PeopleBuilder {
    /// Takes the next row: who has it, and which distinct record it is.
    pub fn add(&mut self, name: &str, record: u32) {
        self.pairs.push((self.names.intern(name), record));
        if self.pairs.len() > 2 * self.settled.max(1 << 16) {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.settled = self.pairs.len();
    }

    /// The people of all rows; `place` says where a distinct record stands in the sorted summary.
    pub fn finish(mut self, place: &[u32], rows: u64) -> People {
        self.settle();
        let mut single = vec![0; place.len()];
        let mut named: Vec<(u32, u32)> = Vec::new();
        for own in self.pairs.chunk_by(|a, b| a.0 == b.0) {
            match own {
                [(_, record)] => single[place[*record as usize] as usize] += 1,
                several => {
                    named.extend(several.iter().map(|(person, record)| (place[*record as usize], *person)))
                }
            }
        }
        named.sort_unstable();
        let starts = (0..=place.len() as u32).map(|record| named.partition_point(|pair| pair.0 < record));
        People {
            total: self.names.len() as u64,
            records: rows,
            single,
            starts: starts.collect(),
            named: named.iter().map(|(_, person)| *person).collect(),
        }
    }
}

/// Up to this many values of an identifier are compared; beyond, a share of them that follows from the values.
const MOST_VALUES: usize = 4 << 20;

/// With fewer people than this, values that recur are rather those of groups.
const LEAST_PEOPLE: u64 = 10;
/// And with more records for each than this.
const MOST_RECORDS: u64 = 50;

/// Looks out for values of a column that occur more than once, without keeping the values.
#[derive(Debug, Default)]
pub struct Recurrence {
    hasher: RandomState,
    hashes: Vec<u64>,
    /// Only values whose hash has none of these bits are looked at.
    mask: u64,
    rows: u64,
    recurs: bool,
}

/// An identifier whose values occur more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedIdentifier {
    /// The column, by its position in the data.
    pub column: usize,
    /// In how many rows a value was seen.
    pub rows: u64,
    /// How many different values there are; `None` where there are too many to be counted.
    pub values: Option<u64>,
}

impl RepeatedIdentifier {
    /// Whether the values recur as people do: there are several, and each has some records, but not a whole group's.
    pub fn recurs_like_people(&self) -> bool {
        self.values.is_none_or(|values| {
            let rows = self.rows;
            values >= LEAST_PEOPLE && 10 * rows >= 11 * values && rows <= MOST_RECORDS * values
        })
    }
}

impl Recurrence {
    /// Takes the next value.
    pub fn add(&mut self, value: &str) {
        self.add_rows(value, 1);
    }

    /// Takes the next value, which that many rows have.
    pub fn add_rows(&mut self, value: &str, rows: u64) {
        self.rows += rows;
        let hash = self.hasher.hash_one(value);
        if hash & self.mask == 0 {
            self.recurs |= rows > 1;
            self.hashes.push(hash);
            if self.hashes.len() >= MOST_VALUES {
                self.settle();
            }
        }
    }

    /// Removes what was seen twice and, where too much is left, half of the values.
    fn settle(&mut self) {
        let before = self.hashes.len();
        self.hashes.sort_unstable();
        self.hashes.dedup();
        self.recurs |= self.hashes.len() < before;
        while self.hashes.len() > MOST_VALUES / 2 {
            self.mask = (self.mask << 1) | 1;
            let mask = self.mask;
            self.hashes.retain(|hash| hash & mask == 0);
        }
    }

    /// What was found about the column at a position.
    pub fn finish(mut self, column: usize) -> Option<RepeatedIdentifier> {
        let before = self.hashes.len();
        self.hashes.sort_unstable();
        self.hashes.dedup();
        let recurs = self.recurs || self.hashes.len() < before;
        let values = (self.mask == 0).then_some(self.hashes.len() as u64);
        recurs.then_some(RepeatedIdentifier { column, rows: self.rows, values })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn people_of_any_records_are_those_with_one_and_those_who_are_named(
            rows in prop::collection::vec((0u32..9, 0u32..6), 0..40),
            chosen in prop::collection::btree_set(0u32..6, 0..6),
        ) {
            let mut builder = PeopleBuilder::default();
            rows.iter().for_each(|(person, record)| builder.add(&format!("p{person}"), *record));
            // Records stand in reverse order.
            let place: Vec<u32> = (0..6).rev().collect();
            let people = builder.finish(&place, rows.len() as u64);
            let mut records: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            rows.iter().for_each(|(person, record)| { records.entry(*person).or_default().insert(5 - record); });
            prop_assert_eq!(people.total(), records.len() as u64);
            let counted: u64 = chosen.iter().map(|record| people.single(*record as usize)).sum();
            let named: BTreeSet<u32> =
                chosen.iter().flat_map(|record| people.named(*record as usize).to_vec()).collect();
            let literal = records.values().filter(|own| own.iter().any(|record| chosen.contains(record))).count();
            prop_assert_eq!(counted + named.len() as u64, literal as u64);
        }

        #[test]
        fn a_value_that_recurs_is_seen(values in prop::collection::vec(0u32..200, 0..60)) {
            let mut seen = Recurrence::default();
            values.iter().for_each(|value| seen.add(&value.to_string()));
            let distinct = values.iter().collect::<BTreeSet<_>>().len();
            let found = seen.finish(3);
            prop_assert_eq!(found.is_some(), distinct < values.len());
            if let Some(found) = found {
                prop_assert_eq!((found.column, found.rows), (3, values.len() as u64));
                prop_assert_eq!(found.values, Some(distinct as u64));
            }
        }
    }
}
