//! The rows that are in no cluster yet.

use super::rows::{Row, Rows};

#[derive(Debug)]
pub(super) struct Live {
    bits: Vec<u64>,
    /// No row before this one is live.
    first: Row,
    rows: usize,
    /// How many live rows each person has; empty where every row is another person's.
    of_user: Vec<u32>,
    users: usize,
}

impl Live {
    pub(super) fn new(rows: &Rows) -> Live {
        let mut bits = vec![u64::MAX; rows.len().div_ceil(64)];
        if let Some(last) = bits.last_mut()
            && !rows.len().is_multiple_of(64)
        {
            *last = (1 << (rows.len() % 64)) - 1;
        }
        let mut of_user = Vec::new();
        if rows.has_users() {
            of_user.resize(rows.people(), 0);
            for row in 0..rows.len() as Row {
                of_user[rows.user(row) as usize] += 1;
            }
        }
        let users = of_user.iter().filter(|count| **count > 0).count();
        Live { bits, first: 0, rows: rows.len(), of_user, users }
    }

    #[inline]
    pub(super) fn has(&self, row: Row) -> bool {
        self.bits[row as usize / 64] >> (row % 64) & 1 == 1
    }

    /// How many rows are live.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// How many people have a live row.
    pub(super) fn people(&self) -> usize {
        if self.of_user.is_empty() { self.rows } else { self.users }
    }

    /// Takes a live row out.
    pub(super) fn remove(&mut self, row: Row, rows: &Rows) {
        self.bits[row as usize / 64] &= !(1 << (row % 64));
        self.rows -= 1;
        if let Some(count) = self.of_user.get_mut(rows.user(row) as usize).filter(|_| rows.has_users()) {
            *count -= 1;
            self.users -= usize::from(*count == 0);
        }
        if row == self.first {
            let next = self.iter().next();
            self.first = next.unwrap_or(row + 1);
        }
    }

    /// All live rows, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        let from = self.first as usize / 64;
        (from..self.bits.len()).flat_map(|word| {
            let mut rest = self.bits[word];
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(word as Row * 64 + bit)
            })
        })
    }
}
