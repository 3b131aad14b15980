//! The live rows by their terms, one index for every class of sizes.

use super::live::Live;
use super::rows::{Row, Rows};
use crate::data::Term;

/// Rows of about one size, by their terms.
#[derive(Debug)]
pub(super) struct Class {
    /// The least size in it.
    pub(super) size: usize,
    rows: std::ops::Range<Row>,
    begins: Vec<u32>,
    posted: Vec<Row>,
    /// How many of its rows were live when it was indexed, and how many of them were taken since.
    indexed: usize,
    taken: usize,
}

#[derive(Debug)]
pub(super) struct Index {
    classes: Vec<Class>,
    terms: usize,
}

/// A class has at least so many rows, so that looking a term up is worth it. Sizes with fewer share one.
const LEAST_ROWS: usize = 512;

/// The rows that a class has at least for each term there is, so that the indexes stay in proportion to the data.
const ROWS_PER_TERM: f64 = 0.1;

impl Index {
    /// `whole` puts all sizes into one class, for searches that look at all of them anyway.
    pub(super) fn new(rows: &Rows, live: &Live, terms: usize, whole: bool) -> Index {
        let least = if whole { rows.len() } else { LEAST_ROWS.max((terms as f64 * ROWS_PER_TERM) as usize) };
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
            classes.push(Class {
                size: rows.size(begin as Row),
                rows: begin as Row..end as Row,
                begins: Vec::new(),
                posted: Vec::new(),
                indexed: 0,
                taken: 0,
            });
            begin = end;
        }
        for class in &mut classes {
            class.rebuild(rows, live, terms);
        }
        Index { classes, terms }
    }

    pub(super) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Notes that a row is not live any more.
    pub(super) fn take(&mut self, row: Row) {
        let class = self.classes.partition_point(|class| class.rows.end <= row);
        self.classes[class].taken += 1;
    }

    /// Drops what is not live any more where that is the larger part, so that all drops together take linear time.
    pub(super) fn tidy(&mut self, rows: &Rows, live: &Live) {
        for class in &mut self.classes {
            if 2 * class.taken > class.indexed {
                class.rebuild(rows, live, self.terms);
            }
        }
    }
}

impl Class {
    fn rebuild(&mut self, rows: &Rows, live: &Live, terms: usize) {
        let kept: Vec<Row> = self.rows.clone().filter(|row| live.has(*row)).collect();
        self.begins.clear();
        self.posted.clear();
        (self.indexed, self.taken) = (kept.len(), 0);
        if kept.is_empty() {
            return;
        }
        self.begins.resize(terms + 1, 0);
        // Counts one place behind, so that after the sum each term's begin can move on to its end as rows are posted.
        let each = |row: &Row, each: &mut dyn FnMut(Term)| {
            for run in rows.bag(*row).chunk_by(|one, other| one == other) {
                each(run[0]);
            }
        };
        for row in &kept {
            each(row, &mut |term| self.begins[term as usize] += 1);
        }
        let mut sum = 0;
        for begin in &mut self.begins {
            sum += std::mem::replace(begin, sum);
        }
        self.posted.resize(sum as usize, 0);
        for row in &kept {
            each(row, &mut |term| {
                let at = &mut self.begins[term as usize];
                self.posted[*at as usize] = *row;
                *at += 1;
            });
        }
        // Every begin is now the next one's.
        self.begins.rotate_right(1);
        self.begins[0] = 0;
    }

    /// The rows that hold a term; some of them may not be live any more.
    #[inline]
    pub(super) fn with(&self, term: Term) -> &[Row] {
        match self.begins.get(term as usize..term as usize + 2) {
            Some([begin, end]) => &self.posted[*begin as usize..*end as usize],
            _ => &[],
        }
    }
}
