//! What follows from one sensitive column about another, in the rows of a class.
//!
//! Of two columns the pairs of values that occur in a class are counted once, and what follows from either about the other is
//! read off these counts, for all shares that are asked about. Nothing is hashed, and memory follows records and values.

use std::cmp::Ordering;

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

    /// Takes over the marks of others on the same records.
    pub fn add(&mut self, other: &Marks) {
        self.pairs += other.pairs;
        self.hit.iter_mut().zip(&other.hit).for_each(|(own, other)| *own |= other);
        self.surprised.iter_mut().zip(&other.surprised).for_each(|(own, other)| *own |= other);
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
        let mut apart = Counter::new(self.counts, read);
        let mut together = Counter::new(self.counts, read);
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

    /// The records by class and in it by known value.
    fn order(&self, known: &Column) -> Vec<u32> {
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
pub(crate) fn surest(table: Classed<'_>, columns: &[&Column]) -> Option<Surest> {
    let from = |known: usize| {
        let order = table.order(columns[known]);
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

/// Tries every pair of columns of one table; `shares` are how sure he has to be. They are more than half, so that only the
/// most frequent value of some rows can reach them.
pub(crate) fn follow<const N: usize>(
    table: Classed<'_>,
    columns: &[&Column],
    shares: [(u64, u64); N],
) -> [Marks; N] {
    let records = table.classes.len();
    let none = || std::array::from_fn::<Marks, N, _>(|_| Marks::new(records));
    let class = |record: &u32| table.classes[*record as usize];
    let order = sorted((0..records as u32).collect(), table.classes);
    let classes: Vec<&[u32]> = order.chunk_by(|a, b| class(a) == class(b)).collect();
    let pairs = (0..columns.len()).flat_map(|a| (a + 1..columns.len()).map(move |b| (a, b)));
    let tried = pairs.collect::<Vec<_>>().into_par_iter().fold(none, |mut marks, (a, b)| {
        let pair = Pair { counts: table.counts, columns: [columns[a], columns[b]] };
        pair.follow(&classes, &shares, &mut marks);
        marks
    });
    tried.reduce(none, |mut one, other| {
        one.iter_mut().zip(&other).for_each(|(one, other)| one.add(other));
        one
    })
}

/// Two columns of one table.
struct Pair<'a> {
    counts: &'a [u64],
    columns: [&'a Column; 2],
}

/// Values of both columns, and how many people have them.
type Both = (u32, u32, u64);

impl Pair<'_> {
    /// Marks everybody of whom one of the columns follows from the other.
    fn follow<const N: usize>(&self, classes: &[&[u32]], shares: &[(u64, u64); N], marks: &mut [Marks; N]) {
        let [first, second] = self.columns;
        let sizes = (first.sensitive.len(), second.sensitive.len());
        let mut counting = Counting::default();
        let (mut cells, mut ends) = (Vec::new(), Vec::with_capacity(classes.len()));
        for class in classes {
            let both = class.iter().map(|record| {
                let at = *record as usize;
                (first.codes[at], second.codes[at], self.counts[at])
            });
            counting.count(both, class.len(), sizes, &mut cells);
            ends.push(cells.len());
        }
        let mut all = Vec::new();
        counting.count(cells.iter().copied(), cells.len(), sizes, &mut all);
        // The same for everybody: what most of those have who have a value.
        let mut everywhere = [Modes::new(sizes.0), Modes::new(sizes.1)];
        Modes::add_all(&mut everywhere, &all);
        let mut here = [Modes::new(sizes.0), Modes::new(sizes.1)];
        let mut start = 0;
        for (class, end) in classes.iter().zip(ends) {
            let own = &cells[start..end];
            start = end;
            Modes::add_all(&mut here, own);
            for (known, read) in [(0, 1), (1, 0)] {
                let found = Followed {
                    codes: &self.columns[known].codes,
                    known: &here[known],
                    everywhere: &everywhere[known],
                    read: &here[read],
                    sensitive: &self.columns[read].sensitive,
                    size: own.iter().map(|(_, _, people)| people).sum(),
                };
                for (share, marks) in shares.iter().zip(&mut *marks) {
                    found.mark(*share, class, marks);
                }
            }
            here.iter_mut().for_each(Modes::forget);
        }
    }
}

/// What follows in a class from one column about another.
struct Followed<'a> {
    codes: &'a [u32],
    /// What stands beside each known value: in the class, and everywhere.
    known: &'a Modes,
    everywhere: &'a Modes,
    /// Of the column that is read: how many of the class have each value, and which values are sensitive.
    read: &'a Modes,
    sensitive: &'a [bool],
    /// How many people the class has.
    size: u64,
}

impl Followed<'_> {
    fn mark(&self, share: (u64, u64), class: &[u32], marks: &mut Marks) {
        let follows = |value: &&u32| {
            let mode = self.known.of[**value as usize];
            let alone = self.read.of[mode.value as usize].all;
            self.sensitive[mode.value as usize]
                && reaches(mode.most, mode.all, share)
                && !reaches(alone, self.size, share)
        };
        // Per value from which something follows, whether that is a surprise.
        let mut found: Vec<Option<bool>> = Vec::new();
        for value in self.known.seen.iter().filter(follows) {
            found.resize(self.known.of.len(), None);
            let (mode, everybody) = (self.known.of[*value as usize], self.everywhere.of[*value as usize]);
            let is_known = everybody.value == mode.value && reaches(everybody.most, everybody.all, share);
            found[*value as usize] = Some(!is_known);
            marks.pairs += mode.all;
        }
        if found.is_empty() {
            return;
        }
        for record in class.iter().map(|record| *record as usize) {
            if let Some(surprises) = found[self.codes[record] as usize] {
                marks.hit[record] = true;
                marks.surprised[record] |= surprises;
            }
        }
    }
}

/// Counts pairs of values.
#[derive(Default)]
struct Counting {
    matrix: Vec<u64>,
    sparse: Vec<Both>,
}

impl Counting {
    /// Adds the pairs that occur to `cells`, each once and in their order. `number` pairs are counted, of so many values.
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
            cells.extend(
                same.map(|same| (same[0].0, same[0].1, same.iter().map(|(_, _, people)| people).sum())),
            );
            return;
        }
        if self.matrix.len() < size {
            self.matrix.resize(size, 0);
        }
        both.for_each(|(one, other, people)| self.matrix[one as usize * width + other as usize] += people);
        for (at, people) in self.matrix[..size].iter_mut().enumerate().filter(|(_, people)| **people > 0) {
            cells.push(((at / width) as u32, (at % width) as u32, std::mem::take(people)));
        }
    }
}

/// Per value of one column, the most frequent value of the other.
struct Modes {
    of: Vec<Mode>,
    /// The values that occur.
    seen: Vec<u32>,
}

impl Modes {
    fn new(values: usize) -> Modes {
        Modes { of: vec![Mode { value: 0, most: 0, all: 0 }; values], seen: Vec::new() }
    }

    /// Takes in the pairs of values that occur, into the modes of the first column and of the second.
    fn add_all([first, second]: &mut [Modes; 2], cells: &[Both]) {
        for (one, other, people) in cells {
            first.add(*one, *other, *people);
            second.add(*other, *one, *people);
        }
    }

    fn add(&mut self, value: u32, beside: u32, people: u64) {
        let mode = &mut self.of[value as usize];
        if mode.all == 0 {
            self.seen.push(value);
        }
        mode.all += people;
        if people > mode.most {
            (mode.value, mode.most) = (beside, people);
        }
    }

    fn forget(&mut self) {
        for value in self.seen.drain(..) {
            self.of[value as usize] = Mode { value: 0, most: 0, all: 0 };
        }
    }
}

/// Counts of a column's values in some records, one set of records after the other.
struct Counter<'a> {
    people: &'a [u64],
    codes: &'a [u32],
    counts: Vec<u64>,
}

impl<'a> Counter<'a> {
    fn new(people: &'a [u64], column: &'a Column) -> Counter<'a> {
        Counter { people, codes: &column.codes, counts: vec![0; column.sensitive.len()] }
    }

    fn count(&mut self, records: &[u32]) -> Mode {
        let mut mode = Mode { value: 0, most: 0, all: 0 };
        for record in records {
            let (value, people) = (self.codes[*record as usize], self.people[*record as usize]);
            let count = &mut self.counts[value as usize];
            *count += people;
            mode.all += people;
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
