//! What follows from one sensitive column about another, in the rows of a class.
//!
//! Rows are sorted by class and in it by what is known, so that those which an adversary cannot tell apart stand together, and
//! what is beside it is counted in an array by value: nothing is hashed, and memory follows the number of values.

use std::cmp::Ordering;

use rayon::prelude::*;

/// Records in classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classed<'a> {
    /// The class of every record.
    pub classes: &'a [u32],
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
    /// How often something follows: once for each column that is known and each that follows from it.
    pub pairs: Vec<u32>,
}

/// Whether `part` of `whole` is at least this share.
pub(crate) fn reaches(part: u64, whole: u64, share: (u64, u64)) -> bool {
    u128::from(part) * u128::from(share.1) >= u128::from(whole) * u128::from(share.0)
}

impl Marks {
    /// No marks yet on so many records.
    pub fn new(records: usize) -> Marks {
        Marks { hit: vec![false; records], surprised: vec![false; records], pairs: vec![0; records] }
    }

    /// What follows from each column of one table about the others, by the column that is known; `share` is how sure he has
    /// to be. It is more than half, so that only the most frequent value of some rows can reach it. All records of a class
    /// with the same known value have the same marks.
    pub fn by_known(table: Classed<'_>, columns: &[&Column], share: (u64, u64)) -> Vec<Marks> {
        let from = |known: usize| Following { table, columns, share }.from(known);
        (0..columns.len()).into_par_iter().map(from).collect()
    }

    /// The same from whatever column is known.
    pub fn of(table: Classed<'_>, columns: &[&Column], share: (u64, u64)) -> Marks {
        let from = |known: usize| Following { table, columns, share }.from(known);
        (0..columns.len()).into_par_iter().map(from).reduce(|| Marks::new(table.classes.len()), Marks::with)
    }

    /// The marks of either.
    pub fn with(mut self, other: Marks) -> Marks {
        self.hit.iter_mut().zip(other.hit).for_each(|(own, other)| *own |= other);
        self.surprised.iter_mut().zip(other.surprised).for_each(|(own, other)| *own |= other);
        self.pairs.iter_mut().zip(other.pairs).for_each(|(own, other)| *own += other);
        self
    }

    /// Takes over what is marked about a record of others.
    pub fn take(&mut self, record: usize, others: &Marks, other: usize) {
        self.hit[record] |= others.hit[other];
        self.surprised[record] |= others.surprised[other];
        self.pairs[record] += others.pairs[other];
    }

    /// Counts records.
    pub fn success(&self) -> Success {
        let people = |of: &[bool]| of.iter().filter(|hit| **hit).count() as u64;
        let pairs = self.pairs.iter().map(|pairs| u64::from(*pairs)).sum();
        Success { pairs, people: people(&self.hit), surprised: people(&self.surprised) }
    }
}

/// The most frequent value of some records, how many have it, and of how many.
#[derive(Clone, Copy)]
struct Mode {
    value: u32,
    most: u64,
    all: u64,
}

/// What records of a class that have the same known value have beside it.
#[derive(Clone, Copy)]
struct Beside {
    /// The most frequent value among them.
    mode: Mode,
    /// How many of the whole class have that value.
    alone: u64,
    /// How many the class has.
    size: u64,
}

impl Classed<'_> {
    /// Hands over what stands beside each known value of each class. `order` is by class and in it by known value.
    fn walk(&self, known: &Column, read: &Column, order: &[u32], mut each: impl FnMut(Beside, &[u32])) {
        let class = |record: &u32| self.classes[*record as usize];
        let value = |record: &u32| known.codes[*record as usize];
        let mut apart = Counter::new(read);
        let mut together = Counter::new(read);
        for class in order.chunk_by(|a, b| class(a) == class(b)) {
            let size = together.count(class).all;
            for run in class.chunk_by(|a, b| value(a) == value(b)) {
                let mode = apart.count(run);
                apart.forget(run);
                each(Beside { mode, alone: together.counts[mode.value as usize], size }, run);
            }
            together.forget(class);
        }
    }

    /// The records by known value, and by class and in it by known value.
    fn orders(&self, known: &Column) -> (Vec<u32>, Vec<u32>) {
        let by_known = sorted((0..self.classes.len() as u32).collect(), &known.codes);
        let order = sorted(by_known.clone(), self.classes);
        (by_known, order)
    }
}

/// The surest conclusion: known column, read column, both values, and the rows that agree of those that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Surest {
    /// The position of the column that is known, and its value.
    pub known: (usize, u32),
    /// The position of the column that is read, and its value.
    pub read: (usize, u32),
    /// How many rows of the class have both.
    pub rows: u64,
    /// How many rows of the class have what is known.
    pub of: u64,
}

impl Surest {
    /// By share, then by rows, then by what was tried first, so that nothing depends on the order of trying.
    fn compare(&self, other: &Surest) -> Ordering {
        let cross = |a: &Surest, b: &Surest| u128::from(a.rows) * u128::from(b.of);
        let place = |of: &Surest| (of.known, of.read);
        cross(self, other)
            .cmp(&cross(other, self))
            .then(self.rows.cmp(&other.rows))
            .then_with(|| place(other).cmp(&place(self)))
    }
}

/// The surest conclusion that the class does not give away already, of those the one with most rows.
pub(crate) fn surest(table: Classed<'_>, columns: &[&Column]) -> Option<Surest> {
    let from = |known: usize| {
        let (_, order) = table.orders(columns[known]);
        let mut best: Option<Surest> = None;
        for read in (0..columns.len()).filter(|read| *read != known) {
            table.walk(columns[known], columns[read], &order, |Beside { mode, alone, size }, run| {
                let value = columns[known].codes[run[0] as usize];
                let found =
                    Surest { known: (known, value), read: (read, mode.value), rows: mode.most, of: mode.all };
                let gains =
                    u128::from(mode.most) * u128::from(size) > u128::from(alone) * u128::from(mode.all);
                let counts = gains && columns[read].sensitive[mode.value as usize];
                if counts && best.is_none_or(|best| found.compare(&best).is_gt()) {
                    best = Some(found);
                }
            });
        }
        best
    };
    let best: Vec<Option<Surest>> = (0..columns.len()).into_par_iter().map(from).collect();
    best.into_iter().flatten().max_by(Surest::compare)
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
        let (by_known, order) = self.table.orders(self.columns[known]);
        for read in (0..self.columns.len()).filter(|read| *read != known) {
            self.about(known, read, &by_known, &order, &mut marks);
        }
        marks
    }

    /// What follows from one column about another.
    fn about(&self, known: usize, read: usize, by_known: &[u32], order: &[u32], marks: &mut Marks) {
        let (known, read) = (self.columns[known], self.columns[read]);
        let value = |record: &u32| known.codes[*record as usize];
        let mut apart = Counter::new(read);
        // The same for everybody: what most of those have who have a value.
        let mut everywhere: Vec<Option<Mode>> = vec![None; known.sensitive.len()];
        for run in by_known.chunk_by(|a, b| value(a) == value(b)) {
            everywhere[value(&run[0]) as usize] = Some(apart.count(run));
            apart.forget(run);
        }
        self.table.walk(known, read, order, |found, run| {
            let follows = read.sensitive[found.mode.value as usize]
                && reaches(found.mode.most, found.mode.all, self.share)
                && !reaches(found.alone, found.size, self.share);
            if !follows {
                return;
            }
            let everybody = everywhere[value(&run[0]) as usize].filter(|all| all.value == found.mode.value);
            let surprises = !everybody.is_some_and(|all| reaches(all.most, all.all, self.share));
            for record in run {
                marks.pairs[*record as usize] += 1;
                marks.hit[*record as usize] = true;
                marks.surprised[*record as usize] |= surprises;
            }
        });
    }
}

/// Counts of a column's values in some records, one set of records after the other.
struct Counter<'a> {
    codes: &'a [u32],
    counts: Vec<u64>,
}

impl<'a> Counter<'a> {
    fn new(column: &'a Column) -> Counter<'a> {
        Counter { codes: &column.codes, counts: vec![0; column.sensitive.len()] }
    }

    fn count(&mut self, records: &[u32]) -> Mode {
        let mut mode = Mode { value: 0, most: 0, all: 0 };
        for record in records {
            let value = self.codes[*record as usize];
            let count = &mut self.counts[value as usize];
            *count += 1;
            mode.all += 1;
            if *count > mode.most {
                (mode.value, mode.most) = (value, *count);
            }
        }
        mode
    }

    /// Makes the counts zero again that some records have made.
    fn forget(&mut self, records: &[u32]) {
        records.iter().for_each(|record| self.counts[self.codes[*record as usize] as usize] = 0);
    }
}

/// Records in the order of their keys, those with the same key in the order in which they were.
fn sorted(mut records: Vec<u32>, keys: &[u32]) -> Vec<u32> {
    records.sort_by_key(|record| keys[*record as usize]);
    records
}
