//! The live rows by their terms, one index for every class of sizes.
//!
//! A search looks at thousands of rows for every cluster, so what it needs of a row stands where the row is found: a list
//! of rows that hold a term has all their terms beside them. Lists of terms that are near each other lie side by side, so
//! that a stretch of terms is looked up at once.

use std::ops::Range;

use rayon::prelude::*;

use super::live::Live;
use super::rows::{Row, Rows};
use super::stretch::Stretches;

/// Rows of about one size, by their terms.
#[derive(Debug)]
pub(super) struct Class {
    /// The least size in it.
    pub(super) size: usize,
    rows: Range<Row>,
    /// Where the list of the term at each place begins, in entries, and where the last list ends.
    begins: Vec<u32>,
    /// Entry after entry, each as many halves of numbers: a row in two, the place of the term by which it is listed and
    /// those of its other terms in one each; or else ([`ELSEWHERE`]) where its terms are.
    entries: Vec<u16>,
    width: usize,
    /// Whether all rows are of one small size and terms have small numbers, so that entries have all terms.
    beside: bool,
    /// How many of its rows were live when it was indexed, and how many of them were taken since.
    indexed: usize,
    taken: usize,
}

#[derive(Debug)]
pub(super) struct Index {
    classes: Vec<Class>,
    /// Where the terms of all rows stand, one row after the other.
    places: Vec<u32>,
}

/// A class has at least so many rows, so that looking a term up is worth it. Sizes with fewer share one.
const LEAST_ROWS: usize = 512;

/// For so many terms there is a row in a class at least, so that the indexes stay in proportion to the data.
const TERMS_PER_ROW: usize = 10;

/// The share of a class's rows, one in so many, that may be gone before they are dropped from its lists.
const GOOD_PART: usize = 4;

/// Larger rows are not copied into lists.
const MOST_BESIDE: usize = 12;

/// How wide entries are that only tell where the terms of a row are: the row, the place of the term by which it is listed,
/// and where its terms begin and end.
pub(super) const ELSEWHERE: usize = 8;

/// A number as two halves. Places of terms mostly fit into one, and the less an index takes the more of it stays in the caches.
fn halves(number: u32) -> [u16; 2] {
    [(number >> 16) as u16, number as u16]
}

/// The number of two halves.
#[inline]
pub(super) fn whole(high: u16, low: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

impl Index {
    pub(super) fn new(rows: &Rows, live: &Live, stretches: &Stretches) -> Index {
        let least = LEAST_ROWS.max(stretches.len() / TERMS_PER_ROW);
        let mut classes = Vec::new();
        let (mut begin, total) = (0, rows.len());
        while begin < total {
            let mut end = (begin + least).min(total);
            while end < total && rows.size(end as Row) == rows.size(end as Row - 1) {
                end += 1;
            }
            if total - end < least {
                end = total;
            }
            let (size, most) = (rows.size(begin as Row), rows.size(end as Row - 1));
            let beside = size == most && size <= MOST_BESIDE && stretches.len() <= 1 << 16;
            classes.push(Class {
                size,
                rows: begin as Row..end as Row,
                begins: Vec::new(),
                entries: Vec::new(),
                width: if beside { 2 + size } else { ELSEWHERE },
                beside,
                indexed: 0,
                taken: 0,
            });
            begin = end;
        }
        classes.par_iter_mut().for_each(|class| class.rebuild(rows, live, stretches));
        let places = rows.held().iter().map(|term| stretches.place(*term) as u32).collect();
        Index { classes, places }
    }

    pub(super) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Where the terms of all rows stand, one row after the other.
    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Notes that a row is not live any more.
    pub(super) fn take(&mut self, row: Row) {
        let class = self.classes.partition_point(|class| class.rows.end <= row);
        self.classes[class].taken += 1;
    }

    /// Drops what is not live any more where that is a good part, so that all drops together take linear time.
    pub(super) fn tidy(&mut self, rows: &Rows, live: &Live, stretches: &Stretches) {
        let due = self.classes.iter_mut().filter(|class| GOOD_PART * class.taken > class.indexed);
        due.for_each(|class| class.rebuild(rows, live, stretches));
    }
}

impl Class {
    /// No entry of a class that has terms is wider.
    pub(super) const WIDEST: usize = 2 + MOST_BESIDE;

    fn rebuild(&mut self, rows: &Rows, live: &Live, stretches: &Stretches) {
        let kept: Vec<Row> = self.rows.clone().filter(|row| live.has(*row)).collect();
        (self.indexed, self.taken) = (kept.len(), 0);
        self.begins.clear();
        self.begins.resize(stretches.len() + 1, 0);
        for row in &kept {
            for run in rows.bag(*row).chunk_by(|one, other| one == other) {
                self.begins[stretches.place(run[0])] += 1;
            }
        }
        // Each list is filled from its end.
        let mut sum = 0;
        for begin in &mut self.begins {
            sum += *begin;
            *begin = sum;
        }
        self.entries.clear();
        self.entries.resize(sum as usize * self.width, 0);
        for row in kept.iter().rev() {
            let bag = rows.bag(*row);
            let mut at = 0;
            for run in bag.chunk_by(|one, other| one == other) {
                let place = stretches.place(run[0]);
                let begin = &mut self.begins[place];
                *begin -= 1;
                let entry = &mut self.entries[*begin as usize * self.width..][..self.width];
                if self.beside {
                    let others = bag[..at].iter().chain(&bag[at + 1..]);
                    let terms =
                        std::iter::once(&run[0]).chain(others).map(|term| stretches.place(*term) as u16);
                    let halves = halves(*row).into_iter().chain(terms);
                    entry.iter_mut().zip(halves).for_each(|(place, half)| *place = half);
                } else {
                    let Range { start, end } = rows.span(*row);
                    let numbers = [*row, place as u32, start, end];
                    entry.copy_from_slice(numbers.map(halves).as_flattened());
                }
                at += run.len();
            }
        }
    }

    /// How many rows hold the terms of a stretch, counted once for each term.
    pub(super) fn count(&self, stretch: Range<usize>) -> usize {
        (self.begins[stretch.end] - self.begins[stretch.start]) as usize
    }

    /// Where the entries of a stretch of terms are.
    #[inline]
    pub(super) fn within(&self, stretch: Range<usize>) -> Range<usize> {
        let (begin, end) = (self.begins[stretch.start] as usize, self.begins[stretch.end] as usize);
        begin * self.width..end * self.width
    }

    /// The entries there; some of their rows may not be live any more. Each has as many halves of numbers as
    /// [`Class::width`] says: the row, the place of the term by which it is listed and, where the class has them, those of
    /// the other terms, else where all of them are held.
    #[inline]
    pub(super) fn entries(&self, there: Range<usize>) -> &[u16] {
        &self.entries[there]
    }

    /// Whether none of its rows is live: that of all classes before a seed's.
    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.indexed
    }

    /// How many halves of numbers an entry has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether entries have all terms of their rows: all rows are of the class's size then.
    pub(super) fn has_terms(&self) -> bool {
        self.beside
    }
}
