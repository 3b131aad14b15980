//! What follows from one sensitive column about another, in the rows of a class.
//!
//! Rows are sorted by class and in it by what is known, so that those which an adversary cannot tell apart stand together, and
//! what is beside it is counted in an array by value: nothing is hashed, and memory follows the number of values.

use std::ops::Range;

use rayon::prelude::*;

/// Records in classes: distinct ones with counts, or one by one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classed<'a> {
    /// The class of every record.
    pub classes: &'a [u32],
    /// How many people each record is.
    pub counts: &'a [u64],
}

/// A sensitive column: the value of every record, and which values are worth keeping secret.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// The value of every record.
    pub codes: Vec<u32>,
    /// Per value, whether it is sensitive.
    pub sensitive: Vec<bool>,
}

/// How often it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Success {
    /// Triples of a person, what is known and what follows.
    pub pairs: u64,
    /// People of whom something follows.
    pub people: u64,
    /// People of whom something follows that does not follow from the same value for everybody.
    pub surprised: u64,
}

/// The people of whom something follows, by record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Something follows.
    pub hit: Vec<bool>,
    /// Something follows that does not follow for everybody.
    pub surprised: Vec<bool>,
    /// Triples of a person, what is known and what follows.
    pub pairs: u64,
}

/// Whether `part` of `whole` is at least this share.
pub(crate) fn reaches(part: u64, whole: u64, share: (u64, u64)) -> bool {
    u128::from(part) * u128::from(share.1) >= u128::from(whole) * u128::from(share.0)
}

impl Marks {
    /// No marks yet on so many records.
    pub fn new(records: usize) -> Marks {
        Marks { hit: vec![false; records], surprised: vec![false; records], pairs: 0 }
    }

    /// Tries every pair of columns of one table; `share` is how sure he has to be. It is more than half, so that only the
    /// most frequent value of some rows can reach it.
    pub fn add(&mut self, table: Classed<'_>, columns: &[&Column], share: (u64, u64)) {
        let records = table.classes.len();
        let found = (0..columns.len())
            .into_par_iter()
            .map(|known| Following { table, columns, share }.from(known))
            .reduce(|| Marks::new(records), Marks::with);
        *self = std::mem::take(self).with(found);
    }

    fn with(mut self, other: Marks) -> Marks {
        self.pairs += other.pairs;
        self.hit.iter_mut().zip(other.hit).for_each(|(own, other)| *own |= other);
        self.surprised.iter_mut().zip(other.surprised).for_each(|(own, other)| *own |= other);
        self
    }

    /// Counts people.
    pub fn success(&self, counts: &[u64]) -> Success {
        let people =
            |of: &[bool]| of.iter().zip(counts).filter(|(hit, _)| **hit).map(|(_, count)| count).sum();
        Success { pairs: self.pairs, people: people(&self.hit), surprised: people(&self.surprised) }
    }
}

/// The most frequent value of some records, how many have it, and of how many.
#[derive(Clone, Copy)]
struct Mode {
    value: u32,
    most: u64,
    all: u64,
}

/// The columns of one table.
struct Following<'a> {
    table: Classed<'a>,
    columns: &'a [&'a Column],
    share: (u64, u64),
}

impl Following<'_> {
    /// What follows from one column about all others.
    fn from(&self, known: usize) -> Marks {
        let records = self.table.classes.len();
        let mut marks = Marks::new(records);
        let codes = &self.columns[known].codes;
        let by_known = sorted((0..records as u32).collect(), codes);
        let by_class = sorted(by_known.clone(), self.table.classes);
        let value = |record: u32| u64::from(codes[record as usize]);
        let class = |record: u32| u64::from(self.table.classes[record as usize]);
        let everybody = Runs::of(by_known, self.table.counts, value);
        let apart = Runs::of(by_class, self.table.counts, |record| class(record) << 32 | value(record));
        for read in (0..self.columns.len()).filter(|read| *read != known) {
            self.about(self.columns[known], self.columns[read], &everybody, &apart, &mut marks);
        }
        marks
    }

    /// What follows from one column about another: `everybody` has the records with the same known value together,
    /// `apart` those that are in the same class as well.
    fn about(&self, known: &Column, read: &Column, everybody: &Runs, apart: &Runs, marks: &mut Marks) {
        let mut counts = vec![0; read.sensitive.len()];
        let value = |run: &Range<usize>, runs: &Runs| known.codes[runs.records[run.start] as usize] as usize;
        // What most of those have who have a value.
        let codes = everybody.codes(read);
        let mut everywhere: Vec<Option<Mode>> = vec![None; known.sensitive.len()];
        for run in &everybody.runs {
            everywhere[value(run, everybody)] = Some(everybody.count(run, &codes, &mut counts));
            forget(&codes[run.clone()], &mut counts);
        }
        let codes = apart.codes(read);
        let class = |run: &Range<usize>| self.table.classes[apart.records[run.start] as usize];
        let mut together = counts.clone();
        for runs in apart.runs.chunk_by(|a, b| class(a) == class(b)) {
            let whole = runs[0].start..runs[runs.len() - 1].end;
            let size = apart.count(&whole, &codes, &mut together).all;
            for run in runs {
                let mode = apart.count(run, &codes, &mut counts);
                forget(&codes[run.clone()], &mut counts);
                let follows = read.sensitive[mode.value as usize]
                    && reaches(mode.most, mode.all, self.share)
                    && !reaches(together[mode.value as usize], size, self.share);
                if !follows {
                    continue;
                }
                let all = everywhere[value(run, apart)].filter(|all| all.value == mode.value);
                let surprises = !all.is_some_and(|all| reaches(all.most, all.all, self.share));
                marks.pairs += mode.all;
                for record in &apart.records[run.clone()] {
                    marks.hit[*record as usize] = true;
                    marks.surprised[*record as usize] |= surprises;
                }
            }
            forget(&codes[whole], &mut together);
        }
    }
}

/// Records in an order in which those with the same key stand together.
struct Runs {
    records: Vec<u32>,
    /// How many people each of them is.
    people: Vec<u64>,
    /// Where each key's records are.
    runs: Vec<Range<usize>>,
}

impl Runs {
    fn of(records: Vec<u32>, counts: &[u64], key: impl Fn(u32) -> u64) -> Runs {
        let mut start = 0;
        let runs = (records.chunk_by(|a, b| key(*a) == key(*b)))
            .map(|run| {
                start += run.len();
                start - run.len()..start
            })
            .collect();
        let people = records.iter().map(|record| counts[*record as usize]).collect();
        Runs { records, people, runs }
    }

    /// A column's values in this order.
    fn codes(&self, column: &Column) -> Vec<u32> {
        self.records.iter().map(|record| column.codes[*record as usize]).collect()
    }

    /// Adds the values of some records to the counts.
    fn count(&self, run: &Range<usize>, codes: &[u32], counts: &mut [u64]) -> Mode {
        let mut mode = Mode { value: 0, most: 0, all: 0 };
        for (value, people) in codes[run.clone()].iter().zip(&self.people[run.clone()]) {
            let count = &mut counts[*value as usize];
            *count += people;
            mode.all += people;
            if *count > mode.most {
                (mode.value, mode.most) = (*value, *count);
            }
        }
        mode
    }
}

/// Makes the counts of some values zero again.
fn forget(values: &[u32], counts: &mut [u64]) {
    values.iter().for_each(|value| counts[*value as usize] = 0);
}

/// Records in the order of their keys, those with the same key in the order in which they were.
fn sorted(mut records: Vec<u32>, keys: &[u32]) -> Vec<u32> {
    records.sort_by_key(|record| keys[*record as usize]);
    records
}
