//! What follows from one sensitive column about another, in the rows of a class.
//!
//! For two columns, the pairs of values that occur in a class are counted, and the conclusions are read off these
//! counts. Nothing is hashed, and memory grows with records and values only.

use std::cmp::Ordering;

use rayon::prelude::*;

use privet_core::Result;
use privet_core::clock::Clock;

/// Records in classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classed<'a> {
    /// The class of every record.
    pub classes: &'a [u32],
}

/// A sensitive column: the value of every record, and which values are worth keeping secret.
#[derive(Debug, Clone)]
pub(crate) struct SensitiveColumn {
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
    /// People for whom something follows.
    pub people: u64,
    /// People for whom something follows that does not follow from the same value for everybody.
    pub surprised: u64,
}

/// The people for whom something follows, by record.
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
    /// No marks yet on this many records.
    pub fn new(records: usize) -> Marks {
        Marks { hit: vec![false; records], surprised: vec![false; records], pairs: vec![0; records] }
    }

    /// What follows from each column of one table about the others, by the column that is known; `share` is how sure they have
    /// to be. It is more than half, so that only the most frequent value of some rows can reach it. All records of a class
    /// with the same known value have the same marks.
    pub fn by_known(
        table: Classed<'_>,
        columns: &[&SensitiveColumn],
        share: (u64, u64),
        clock: &Clock,
    ) -> Result<Vec<Marks>> {
        let order = sorted((0..table.classes.len() as u32).collect(), table.classes);
        let following = Following { classes: &table.runs(&order), columns, share, clock };
        (0..columns.len()).into_par_iter().map(|known| following.from(known, order.len())).collect()
    }

    /// The same from whatever column is known.
    pub fn of(
        table: Classed<'_>,
        columns: &[&SensitiveColumn],
        share: (u64, u64),
        clock: &Clock,
    ) -> Result<Marks> {
        let none = Marks::new(table.classes.len());
        Ok(Marks::by_known(table, columns, share, clock)?.into_iter().fold(none, Marks::with))
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
struct MostFrequent {
    value: u32,
    most: u64,
    all: u64,
}

/// What records of a class with the same known value have in the other column.
#[derive(Clone, Copy)]
struct OtherValues {
    /// The most frequent value among them.
    mode: MostFrequent,
    /// How many of the whole class have that value.
    alone: u64,
    /// How many the class has.
    size: u64,
}

impl Classed<'_> {
    /// Hands over the other values of each known value of each class. `order` is by class and in it by known value.
    fn walk(
        &self,
        known: &SensitiveColumn,
        read: &SensitiveColumn,
        order: &[u32],
        mut each: impl FnMut(OtherValues, &[u32]),
    ) {
        let value = |record: &u32| known.codes[*record as usize];
        let mut apart = PairCounter::new(read);
        let mut together = PairCounter::new(read);
        for class in self.runs(order) {
            let size = together.count(class).all;
            for run in class.chunk_by(|a, b| value(a) == value(b)) {
                let mode = apart.count(run);
                apart.forget(run);
                each(OtherValues { mode, alone: together.counts[mode.value as usize], size }, run);
            }
            together.forget(class);
        }
    }

    /// The records of each class, given all of them by class.
    fn runs<'o>(&self, order: &'o [u32]) -> Vec<&'o [u32]> {
        let class = |record: &u32| self.classes[*record as usize];
        order.chunk_by(|a, b| class(a) == class(b)).collect()
    }

    /// The records by class and in it by known value.
    fn order(&self, known: &SensitiveColumn) -> Vec<u32> {
        sorted(sorted((0..self.classes.len() as u32).collect(), &known.codes), self.classes)
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
pub(crate) fn surest(
    table: Classed<'_>,
    columns: &[&SensitiveColumn],
    clock: &Clock,
) -> Result<Option<Surest>> {
    let from = |known: usize| {
        let order = table.order(columns[known]);
        let mut best: Option<Surest> = None;
        for read in (0..columns.len()).filter(|read| *read != known) {
            clock.check()?;
            table.walk(columns[known], columns[read], &order, |OtherValues { mode, alone, size }, run| {
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
        Ok(best)
    };
    let best: Vec<Option<Surest>> = (0..columns.len()).into_par_iter().map(from).collect::<Result<_>>()?;
    Ok(best.into_iter().flatten().max_by(Surest::compare))
}

/// The columns of one table.
struct Following<'a> {
    /// The records of each class.
    classes: &'a [&'a [u32]],
    columns: &'a [&'a SensitiveColumn],
    share: (u64, u64),
    clock: &'a Clock,
}

/// A known value, one that is read, and how many records have both.
type Both = (u32, u32, u64);

impl Following<'_> {
    /// What follows from one column about all others; `records` is the number of records.
    fn from(&self, known: usize, records: usize) -> Result<Marks> {
        let mut marks = Marks::new(records);
        let mut counting = PairCounting::default();
        for read in (0..self.columns.len()).filter(|read| *read != known) {
            self.about(self.columns[known], self.columns[read], &mut counting, &mut marks)?;
        }
        Ok(marks)
    }

    /// What follows from one column about another.
    fn about(
        &self,
        known: &SensitiveColumn,
        read: &SensitiveColumn,
        counting: &mut PairCounting,
        marks: &mut Marks,
    ) -> Result<()> {
        let sizes = (known.sensitive.len(), read.sensitive.len());
        let (mut cells, mut ends) = (Vec::new(), Vec::with_capacity(self.classes.len()));
        for class in self.classes {
            self.clock.check()?;
            let both = class.iter().map(|record| {
                let at = *record as usize;
                (known.codes[at], read.codes[at], 1)
            });
            counting.count(both, class.len(), sizes, &mut cells);
            ends.push(cells.len());
        }
        // The same for everybody: what most of those have who have a value.
        let mut all = Vec::new();
        counting.count(cells.iter().copied(), cells.len(), sizes, &mut all);
        let mut everywhere = vec![MostFrequent { value: 0, most: 0, all: 0 }; sizes.0];
        for of_one in all.chunk_by(|one, other| one.0 == other.0) {
            everywhere[of_one[0].0 as usize] = mode(of_one);
        }
        // How many of the class at hand have each value.
        let mut alone = vec![0u64; sizes.1];
        let mut start = 0;
        for (class, end) in self.classes.iter().zip(ends) {
            let own = &cells[start..end];
            start = end;
            own.iter().for_each(|(_, value, records)| alone[*value as usize] += records);
            self.clock.check()?;
            // The known values from which something follows, ascending, and whether that is a surprise.
            let mut found: Vec<(u32, bool)> = Vec::new();
            for of_one in own.chunk_by(|one, other| one.0 == other.0) {
                let (value, likeliest) = (of_one[0].0 as usize, mode(of_one));
                let follows = read.sensitive[likeliest.value as usize]
                    && reaches(likeliest.most, likeliest.all, self.share)
                    && !reaches(alone[likeliest.value as usize], class.len() as u64, self.share);
                if follows {
                    let everybody = everywhere[value];
                    let is_known = everybody.value == likeliest.value
                        && reaches(everybody.most, everybody.all, self.share);
                    found.push((of_one[0].0, !is_known));
                }
            }
            own.iter().for_each(|(_, value, _)| alone[*value as usize] = 0);
            if found.is_empty() {
                continue;
            }
            for record in class.iter().map(|record| *record as usize) {
                if let Ok(place) = found.binary_search_by_key(&known.codes[record], |(value, _)| *value) {
                    marks.pairs[record] += 1;
                    marks.hit[record] = true;
                    marks.surprised[record] |= found[place].1;
                }
            }
        }
        Ok(())
    }
}

/// The most frequent value in the other column, for a known one.
fn mode(cells: &[Both]) -> MostFrequent {
    let mut mode = MostFrequent { value: 0, most: 0, all: 0 };
    for (_, value, records) in cells {
        mode.all += records;
        if *records > mode.most {
            (mode.value, mode.most) = (*value, *records);
        }
    }
    mode
}

/// Counts pairs of values.
#[derive(Default)]
struct PairCounting {
    matrix: Vec<u64>,
    sparse: Vec<Both>,
}

impl PairCounting {
    /// Adds the pairs that occur to `cells`, each once and in their order. `number` pairs are counted.
    fn count(
        &mut self,
        both: impl Iterator<Item = Both>,
        number: usize,
        sizes: (usize, usize),
        cells: &mut Vec<Both>,
    ) {
        let width = sizes.1;
        let size = sizes.0.saturating_mul(width);
        if size > 4 * number {
            self.sparse.clear();
            self.sparse.extend(both);
            self.sparse.sort_unstable();
            let same = self.sparse.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
            let count = |same: &[Both]| same.iter().map(|(_, _, records)| records).sum();
            cells.extend(same.map(|same| (same[0].0, same[0].1, count(same))));
            return;
        }
        if self.matrix.len() < size {
            self.matrix.resize(size, 0);
        }
        both.for_each(|(one, other, records)| self.matrix[one as usize * width + other as usize] += records);
        for (at, records) in self.matrix[..size].iter_mut().enumerate().filter(|(_, records)| **records > 0) {
            cells.push(((at / width) as u32, (at % width) as u32, std::mem::take(records)));
        }
    }
}

/// Counts of a column's values in some records, one set of records after the other.
struct PairCounter<'a> {
    codes: &'a [u32],
    counts: Vec<u64>,
}

impl<'a> PairCounter<'a> {
    fn new(column: &'a SensitiveColumn) -> PairCounter<'a> {
        PairCounter { codes: &column.codes, counts: vec![0; column.sensitive.len()] }
    }

    fn count(&mut self, records: &[u32]) -> MostFrequent {
        let mut mode = MostFrequent { value: 0, most: 0, all: 0 };
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
