//! Some of the rows of a table, by their number: those that are read, where others are passed over.

use std::sync::Arc;

/// A set of row numbers, from 0 in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowSet(Vec<u64>);

impl RowSet {
    /// Adds a row.
    pub fn insert(&mut self, row: usize) {
        let word = row / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (row % 64);
    }

    /// Whether it has a row.
    pub fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word & (1 << (row % 64)) != 0)
    }

    /// How many rows it has.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which rows of a source are read.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    rows: Arc<RowSet>,
    /// Whether those rows are read, or all others.
    within: bool,
}

impl Selection {
    pub(super) fn new(rows: Arc<RowSet>, within: bool) -> Selection {
        Selection { rows, within }
    }

    pub(super) fn takes(&self, row: usize) -> bool {
        self.rows.contains(row) == self.within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_or_out() {
        let mut rows = RowSet::default();
        assert!(rows.is_empty());
        [3, 64, 3, 200].into_iter().for_each(|row| rows.insert(row));
        let found: Vec<usize> = (0..400).filter(|row| rows.contains(*row)).collect();
        assert_eq!((found, rows.len()), (vec![3, 64, 200], 3));
        let rows = Arc::new(rows);
        let (within, without) = (Selection::new(rows.clone(), true), Selection::new(rows, false));
        assert!((0..400).all(|row| within.takes(row) != without.takes(row)));
    }
}
