//! The live rows by their terms, one index for every class of sizes.
//!
//! A search examines thousands of rows for every cluster, so a row's data is stored where the row is found: a list of
//! rows that hold a term includes all their terms. Lists of neighbouring terms are contiguous, so that a stretch of
//! terms is looked up at once.

use std::ops::Range;

use rayon::prelude::*;

use super::live::LiveRows;
use super::rows::{BagRow, BagRows};
use super::stretch::Stretches;

/// Rows of about one size, by their terms.
#[derive(Debug)]
pub(super) struct SizeClass {
    /// The least size in it.
    pub(super) size: usize,
    rows: Range<BagRow>,
    /// The start of the list of the term at each position, in entries, and the end of the last list.
    begins: Vec<u32>,
    /// Entry after entry, each as 16-bit halves: a row in two halves, then the position of the term by which it is
    /// listed and those of its other terms in one half each; or instead ([`ELSEWHERE`]) where its terms are stored.
    entries: Vec<u16>,
    width: usize,
    /// Whether all rows have the same small size and terms have small numbers, so that entries include all terms.
    inline: bool,
    /// The number of its rows that were live when it was indexed, and how many of them were taken since.
    indexed: usize,
    taken: usize,
}

#[derive(Debug)]
pub(super) struct RowIndex {
    classes: Vec<SizeClass>,
    /// The positions of the terms of all rows, one row after the other.
    places: Vec<u32>,
}

/// A class has at least this many rows, so that looking a term up is worth it. Sizes with fewer rows share a class.
const LEAST_ROWS: usize = 512;

/// A class has at least one row for this many terms, so that the indexes stay in proportion to the data.
const TERMS_PER_ROW: usize = 10;

/// One in this many of a class's rows may be gone before they are removed from its lists.
const GOOD_PART: usize = 4;

/// Larger rows are not copied into lists.
const MOST_INLINE: usize = 12;

/// The width of entries that only point to the terms of a row: the row, the position of the term by which it is listed,
/// and the start and end of its terms.
pub(super) const ELSEWHERE: usize = 8;

/// A number as two halves. Positions of terms mostly fit into one, and a smaller index fits better into the caches.
fn halves(number: u32) -> [u16; 2] {
    [(number >> 16) as u16, number as u16]
}

/// The number with two halves.
#[inline]
pub(super) fn whole(high: u16, low: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

impl RowIndex {
    pub(super) fn new(rows: &BagRows, live: &LiveRows, stretches: &Stretches) -> RowIndex {
        let least = LEAST_ROWS.max(stretches.len() / TERMS_PER_ROW);
        let mut classes = Vec::new();
        let (mut begin, total) = (0, rows.len());
        while begin < total {
            let mut end = (begin + least).min(total);
            while end < total && rows.size(end as BagRow) == rows.size(end as BagRow - 1) {
                end += 1;
            }
            if total - end < least {
                end = total;
            }
            let (size, most) = (rows.size(begin as BagRow), rows.size(end as BagRow - 1));
            let inline = size == most && size <= MOST_INLINE && stretches.len() <= 1 << 16;
            classes.push(SizeClass {
                size,
                rows: begin as BagRow..end as BagRow,
                begins: Vec::new(),
                entries: Vec::new(),
                width: if inline { 2 + size } else { ELSEWHERE },
                inline,
                indexed: 0,
                taken: 0,
            });
            begin = end;
        }
        classes.par_iter_mut().for_each(|class| class.rebuild(rows, live, stretches));
        let places = rows.held().iter().map(|term| stretches.place(*term) as u32).collect();
        RowIndex { classes, places }
    }

    pub(super) fn classes(&self) -> &[SizeClass] {
        &self.classes
    }

    /// The positions of the terms of all rows, one row after the other.
    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Marks a row as no longer live.
    pub(super) fn take(&mut self, row: BagRow) {
        let class = self.classes.partition_point(|class| class.rows.end <= row);
        self.classes[class].taken += 1;
    }

    /// Removes rows that are no longer live once they are a good part of a class, so that all removals together take
    /// linear time.
    pub(super) fn tidy(&mut self, rows: &BagRows, live: &LiveRows, stretches: &Stretches) {
        let due = self.classes.iter_mut().filter(|class| GOOD_PART * class.taken > class.indexed);
        due.for_each(|class| class.rebuild(rows, live, stretches));
    }
}

impl SizeClass {
    /// No entry that includes terms is wider.
    pub(super) const WIDEST: usize = 2 + MOST_INLINE;

    fn rebuild(&mut self, rows: &BagRows, live: &LiveRows, stretches: &Stretches) {
        let kept: Vec<BagRow> = self.rows.clone().filter(|row| live.has(*row)).collect();
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
                if self.inline {
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

    /// The number of rows that hold the terms of a stretch, counted once for each term.
    pub(super) fn count(&self, stretch: Range<usize>) -> usize {
        (self.begins[stretch.end] - self.begins[stretch.start]) as usize
    }

    /// The range of the entries of a stretch of terms.
    #[inline]
    pub(super) fn within(&self, stretch: Range<usize>) -> Range<usize> {
        let (begin, end) = (self.begins[stretch.start] as usize, self.begins[stretch.end] as usize);
        begin * self.width..end * self.width
    }

    /// The entries of a range; some of their rows may no longer be live. Each has [`SizeClass::width`] halves: the row, the
    /// position of the term by which it is listed and, if the class includes them, those of the other terms; otherwise
    /// the location of all of them.
    #[inline]
    pub(super) fn entries(&self, there: Range<usize>) -> &[u16] {
        &self.entries[there]
    }

    /// True if the class has no live rows, as for every class before the seed's.
    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.indexed
    }

    /// The number of halves in an entry.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether entries include all terms of their rows; then all rows have the size of the class.
    pub(super) fn has_terms(&self) -> bool {
        self.inline
    }
}
