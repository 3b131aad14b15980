//! The live rows by their terms, one index for every class of sizes.
//!
//! A search looks at thousands of rows for every cluster, so what it needs of a row stands where the row is found: a list
//! of rows that hold a term has their other terms beside them. Lists of terms that are near each other lie side by side.

use rayon::prelude::*;

use super::live::Live;
use super::rows::{Row, Rows};
use crate::data::Term;

/// Rows of about one size, by their terms.
#[derive(Debug)]
pub(super) struct Class {
    /// The least size in it.
    pub(super) size: usize,
    rows: std::ops::Range<Row>,
    /// Where the list of each term begins and ends, in entries.
    spans: Vec<(u32, u32)>,
    /// Every entry is a row and, if all rows are of one small size, its other terms.
    entries: Vec<u32>,
    width: usize,
    /// Whether all rows are of one small size.
    uniform: bool,
    /// How many of its rows were live when it was indexed, and how many of them were taken since.
    indexed: usize,
    taken: usize,
}

/// The rows that hold a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held<'a> {
    entries: &'a [u32],
    width: usize,
}

#[derive(Debug)]
pub(super) struct Index {
    classes: Vec<Class>,
    /// The terms in the order of their lists.
    order: Vec<Term>,
}

/// A class has at least so many rows, so that looking a term up is worth it. Sizes with fewer share one.
const LEAST_ROWS: usize = 512;

/// For so many terms there is a row in a class at least, so that the indexes stay in proportion to the data.
const TERMS_PER_ROW: usize = 10;

/// The share of a class's rows, one in so many, that may be gone before they are dropped from its lists.
const GOOD_PART: usize = 4;

/// Larger rows are not copied into lists.
const MOST_BESIDE: usize = 8;

impl Index {
    /// `order` has all terms, those that are near each other side by side where possible.
    pub(super) fn new(rows: &Rows, live: &Live, order: Vec<Term>) -> Index {
        let least = LEAST_ROWS.max(order.len() / TERMS_PER_ROW);
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
            let uniform = size == most && size <= MOST_BESIDE;
            classes.push(Class {
                size,
                rows: begin as Row..end as Row,
                spans: Vec::new(),
                entries: Vec::new(),
                width: if uniform { size.max(1) } else { 1 },
                uniform,
                indexed: 0,
                taken: 0,
            });
            begin = end;
        }
        classes.par_iter_mut().for_each(|class| class.rebuild(rows, live, &order));
        Index { classes, order }
    }

    pub(super) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Notes that a row is not live any more.
    pub(super) fn take(&mut self, row: Row) {
        let class = self.classes.partition_point(|class| class.rows.end <= row);
        self.classes[class].taken += 1;
    }

    /// Drops what is not live any more where that is a good part, so that all drops together take linear time.
    pub(super) fn tidy(&mut self, rows: &Rows, live: &Live) {
        for class in &mut self.classes {
            if GOOD_PART * class.taken > class.indexed {
                class.rebuild(rows, live, &self.order);
            }
        }
    }
}

impl Class {
    fn rebuild(&mut self, rows: &Rows, live: &Live, order: &[Term]) {
        let kept: Vec<Row> = self.rows.clone().filter(|row| live.has(*row)).collect();
        (self.indexed, self.taken) = (kept.len(), 0);
        self.spans.clear();
        self.entries.clear();
        if kept.is_empty() {
            return;
        }
        self.spans.resize(order.len(), (0, 0));
        for row in &kept {
            for run in rows.bag(*row).chunk_by(|one, other| one == other) {
                self.spans[run[0] as usize].1 += 1;
            }
        }
        let mut sum = 0;
        for term in order {
            let (begin, end) = &mut self.spans[*term as usize];
            let count = *end;
            (*begin, *end) = (sum, sum);
            sum += count;
        }
        self.entries.resize(sum as usize * self.width, 0);
        for row in &kept {
            let bag = rows.bag(*row);
            let mut at = 0;
            for run in bag.chunk_by(|one, other| one == other) {
                let end = &mut self.spans[run[0] as usize].1;
                let entry = &mut self.entries[*end as usize * self.width..][..self.width];
                *end += 1;
                entry[0] = *row;
                if self.width > 1 {
                    let others = bag[..at].iter().chain(&bag[at + 1..]);
                    for (place, term) in entry[1..].iter_mut().zip(others) {
                        *place = *term;
                    }
                }
                at += run.len();
            }
        }
    }

    /// The rows that hold a term; some of them may not be live any more.
    #[inline]
    pub(super) fn with(&self, term: Term) -> Held<'_> {
        let (begin, end) = self.spans.get(term as usize).copied().unwrap_or((0, 0));
        Held {
            entries: &self.entries[begin as usize * self.width..end as usize * self.width],
            width: self.width,
        }
    }

    /// Whether lists have the other terms of their rows: all rows are of the class's size then.
    pub(super) fn has_terms(&self) -> bool {
        self.uniform
    }
}

impl<'a> Held<'a> {
    pub(super) fn len(self) -> usize {
        self.entries.len() / self.width
    }

    /// Each row with its other terms, where the class has them.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = (Row, &'a [Term])> {
        self.entries.chunks_exact(self.width).filter_map(|entry| Some((*entry.first()?, &entry[1..])))
    }
}
