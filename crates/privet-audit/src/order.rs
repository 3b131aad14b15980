//! Does the order of a released file say more than the file itself?
//!
//! An attacker who knows the order of the original, or holds a second file about the same people, looks for places where the
//! two run alike: from the start, backwards, shifted, in blocks, or within classes. The audit does the same. Both files are
//! sequences of *symbols*: rows that could be about the same person have the same symbol. Then there are three steps:
//!
//! 1. **What is shown** ([`Arrangement`]). A file may be sorted by some of its columns, or put equal rows together. That part of
//!    the order follows from the cells. What is left are *strata*: rows that an honest release puts into a random order.
//!    Strata are also made on other conditions: the rows of each class among themselves, wherever they stand.
//! 2. **Bets** ([`Strata`]). Gamblers read the rows one by one. Before each row they know how many rows of each symbol are still
//!    to come in its stratum, so they know the odds of a random order. One bets that the row is the one at this place of the
//!    original, one that it is the row that follows the previous ones there, one that it precedes them, and so on. Others
//!    sort the original by what the file hides ([`HiddenKey`]), and bet that the file is sorted in that way.
//! 3. **The verdict** ([`Evidence`]). Every gambler starts with the same share of one coin. In an honest release bets are fair:
//!    together they have one coin on average, whatever they do, so they have a million coins in at most one of a million
//!    honest audits ([`FALSE_ALARM`]). That holds for any strategy; nothing is approximated, and no tests are counted.
//!
//! What this cannot see: the order of a handful of rows (ten different rows have too few orders), of rows that hardly differ,
//! and agreement so slight that chance could have made it.

mod bets;
mod fits;
mod hidden;
mod lifted;
mod ranks;
mod shown;
mod strata;

use std::cmp::Ordering;

use super::cover::number_of;

pub(super) use self::bets::{Evidence, Gambler, mean};
pub(super) use self::fits::Fits;
pub(super) use self::hidden::HiddenKey;
pub(super) use self::lifted::Lifted;
pub(super) use self::ranks::rank_evidence;
pub(super) use self::shown::{Arrangement, OrderView, ShownColumn, ranked};
pub(super) use self::strata::Strata;

/// The chance of a false alarm in one audit of an innocent release.
pub(super) const FALSE_ALARM: f64 = 1e-6;

/// A row that could be about people of several symbols, or of none.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Sequences of more rows than this are compared by their beginnings and ends.
pub(super) const MOST_ROWS: usize = 1 << 24;

/// The rows of a file by number, in its order: all of them, or the first and the last of a very long file.
#[derive(Debug, Default)]
pub(super) struct Rows {
    first: Vec<u32>,
    /// A ring of the latest rows behind those.
    last: Vec<u32>,
    next: usize,
}

impl Rows {
    pub fn push(&mut self, row: u32) {
        if self.first.len() < MOST_ROWS / 2 {
            self.first.push(row);
        } else if self.last.len() < MOST_ROWS / 2 {
            self.last.push(row);
        } else {
            self.last[self.next] = row;
            self.next = (self.next + 1) % (MOST_ROWS / 2);
        }
    }

    /// The rows in their order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (newer, older) = self.last.split_at(self.next);
        self.first.iter().chain(older).chain(newer).copied()
    }
}

/// Compares two cells as numbers where both are, and else as texts: numbers come first.
pub(super) fn by_number(one: &str, other: &str) -> Ordering {
    match (number_of(one), number_of(other)) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
    .then_with(|| one.cmp(other))
}

/// Compares two cells with the numbers in them: 5-9 comes before 10-14, and r2 before r10.
pub(super) fn by_nature(one: &str, other: &str) -> Ordering {
    let parts = |text: &str| -> Vec<(bool, usize, String)> {
        let digits = text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
        let part = |part: &[u8]| {
            let is_number = part.first().is_some_and(u8::is_ascii_digit);
            let text = String::from_utf8_lossy(part);
            let text = if is_number { text.trim_start_matches('0').to_string() } else { text.into_owned() };
            // Of two numbers the one with more digits is larger.
            (!is_number, if is_number { text.len() } else { 0 }, text)
        };
        digits.map(part).collect()
    };
    parts(one).cmp(&parts(other)).then_with(|| one.cmp(other))
}

/// Things that are joined step by step: those that could be about the same people.
#[derive(Debug)]
pub(super) struct Components(Vec<u32>);

impl Components {
    pub fn new(things: usize) -> Components {
        Components((0..things as u32).collect())
    }

    pub fn of(&mut self, thing: u32) -> u32 {
        let mut root = thing;
        while self.0[root as usize] != root {
            let above = self.0[self.0[root as usize] as usize];
            self.0[root as usize] = above;
            root = above;
        }
        root
    }

    pub fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}

#[cfg(test)]
mod tests;
