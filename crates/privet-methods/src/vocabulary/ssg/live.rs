//! The rows that are not in a cluster yet.

use std::collections::BTreeSet;

use super::rows::{BagRow, BagRows};

#[derive(Debug)]
pub(super) struct LiveRows {
    bits: Vec<u64>,
    /// No row before this one is live.
    first: BagRow,
    rows: usize,
    /// The number of live rows of each person; empty if every row is a different person.
    of_user: Vec<u32>,
    users: usize,
    firsts: FirstRows,
}

/// The first live row of each person: if one person has most of the rows, those of others are found without visiting
/// all of theirs. Empty if every row is a different person.
#[derive(Debug, Default)]
struct FirstRows {
    all: BTreeSet<BagRow>,
    of_user: Vec<Option<BagRow>>,
    /// The next row of the same person, live or not.
    next: Vec<Option<BagRow>>,
}

impl FirstRows {
    fn of(rows: &BagRows) -> FirstRows {
        if !rows.has_users() {
            return FirstRows::default();
        }
        let mut of_user = vec![None; rows.people()];
        let mut next = vec![None; rows.len()];
        for row in (0..rows.len() as BagRow).rev() {
            next[row as usize] = of_user[rows.user(row) as usize].replace(row);
        }
        FirstRows { all: of_user.iter().flatten().copied().collect(), of_user, next }
    }

    /// Marks a row of a person as no longer live.
    fn remove(&mut self, row: BagRow, user: u32, is_live: impl Fn(BagRow) -> bool) {
        if self.of_user[user as usize] != Some(row) {
            return;
        }
        self.all.remove(&row);
        let later = std::iter::successors(self.next[row as usize], |row| self.next[*row as usize]);
        let first = later.into_iter().find(|row| is_live(*row));
        self.of_user[user as usize] = first;
        self.all.extend(first);
    }
}

impl LiveRows {
    pub(super) fn new(rows: &BagRows) -> LiveRows {
        let mut bits = vec![u64::MAX; rows.len().div_ceil(64)];
        if let Some(last) = bits.last_mut()
            && !rows.len().is_multiple_of(64)
        {
            *last = (1 << (rows.len() % 64)) - 1;
        }
        let mut of_user = Vec::new();
        if rows.has_users() {
            of_user.resize(rows.people(), 0);
            for row in 0..rows.len() as BagRow {
                of_user[rows.user(row) as usize] += 1;
            }
        }
        let users = of_user.iter().filter(|count| **count > 0).count();
        LiveRows { bits, first: 0, rows: rows.len(), of_user, users, firsts: FirstRows::of(rows) }
    }

    #[inline]
    pub(super) fn has(&self, row: BagRow) -> bool {
        is_set(&self.bits, row)
    }

    /// The number of live rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// The number of people with a live row.
    pub(super) fn people(&self) -> usize {
        if self.of_user.is_empty() { self.rows } else { self.users }
    }

    /// Removes a live row.
    pub(super) fn remove(&mut self, row: BagRow, rows: &BagRows) {
        self.bits[row as usize / 64] &= !(1 << (row % 64));
        self.rows -= 1;
        if rows.has_users() {
            let user = rows.user(row);
            let count = &mut self.of_user[user as usize];
            *count -= 1;
            self.users -= usize::from(*count == 0);
            self.firsts.remove(row, user, |row| is_set(&self.bits, row));
        }
        if row == self.first {
            let next = self.iter().next();
            self.first = next.unwrap_or(row + 1);
        }
    }

    /// The first live row of a person who may join.
    pub(super) fn first_of(&self, may_join: impl Fn(u32) -> bool, rows: &BagRows) -> Option<BagRow> {
        let fits = |row: &BagRow| may_join(rows.user(*row));
        if rows.has_users() { self.firsts.all.iter().copied().find(fits) } else { self.iter().find(fits) }
    }

    /// All live rows, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = BagRow> + '_ {
        let from = self.first as usize / 64;
        (from..self.bits.len()).flat_map(|word| {
            let mut rest = self.bits[word];
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(word as BagRow * 64 + bit)
            })
        })
    }
}

#[inline]
fn is_set(bits: &[u64], row: BagRow) -> bool {
    bits[row as usize / 64] >> (row % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::cases;

    #[test]
    fn the_first_row_of_others_is_found_no_matter_who_has_most() {
        // Two rows in three belong to one person, and are removed in an order of their own.
        let users: Vec<String> =
            (0..90).map(|at| if at % 3 == 0 { at % 7 + 1 } else { 0 }.to_string()).collect();
        let bags = cases::bags(&vec![vec!["Wine".to_string()]; users.len()], Some(&users));
        for by_user in [true, false] {
            let rows = BagRows::new(&bags, by_user);
            let mut live = LiveRows::new(&rows);
            for at in 0..rows.len() as BagRow {
                let joined = [rows.user(0), rows.user(3), rows.user(at * 37 % 90)];
                let may_join = |user: u32| !joined.contains(&user);
                let plain = live.iter().find(|row| may_join(rows.user(*row)));
                assert_eq!(live.first_of(may_join, &rows), plain);
                live.remove(at * 37 % 90, &rows);
            }
            assert_eq!((live.len(), live.people(), live.first_of(|_| true, &rows)), (0, 0, None));
        }
    }
}
