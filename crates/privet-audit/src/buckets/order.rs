//! Do the order of rows, the numbers of buckets, or the pairing of rows and values show who has which value?
//!
//! Four things are judged, each by gamblers (`audit::order`) with a quarter of one coin:
//!
//! 1. the order of rows, compared with the original and with the order of its columns that are not published;
//! 2. the order of rows, compared with the values that people have: by a known order of values, or by one that is learnt;
//! 3. *pairing*: do rows have the values next to them in a permuted table, or the values at their place in the table of
//!    values? Also shifted by any number of rows, backwards, in blocks, or as people follow each other by some column;
//! 4. the numbers of buckets, compared with the places of their people in the original and by its unpublished columns.
//!
//! **What an honest release leaves to chance.** Who is in which bucket may depend on anything: it is published. Given the
//! buckets, three things are random. Rows that agree in everything that the file is sorted or put together by are in any
//! order (1, 2, and 3 for two tables). The values of a bucket of a permuted table belong to its rows in any way, whatever the
//! rows are sorted by afterwards (3). And buckets that agree in everything that they are numbered by have their numbers in any
//! order (4).
//!
//! **The rate of false alarms.** Every bet is made at the odds of that chance, so on average a gambler keeps what they have,
//! and all of them together, who begin with one coin, have one coin in an honest release. They have a million coins in at most
//! one of a million (Markov's inequality). The number of tests counts: each has its share of the coin ([`Evidence::group`]
//! divides a coin among equals). Whatever is chosen after a look at the file (the columns it is sorted by, a shift, a path
//! through blocks) plays with a share as well, and the shares of all that could have been chosen sum up to at most one. That is
//! the usual division of a significance level by the number of tests, without having to assume that they are independent.
//!
//! **Whose a row is.** Without the steward's list of buckets, people who share quasi-identifiers cannot be distinguished: they
//! draw their values from an urn. With the list they can, except those of one bucket. But the list must not be used to
//! distinguish people who share everything when the numbers of buckets are judged: who of them got which number does not
//! matter, and lists are written in the order of the original.

mod keys;
mod numbers;
mod owners;
mod pairing;
mod rankings;
#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use self::keys::Keys;
use self::owners::RowOwners;
use super::super::Check;
use super::super::order::{Arrangement, Evidence, FALSE_ALARM, ShownColumn, UNKNOWN};
use super::super::table::UncomparedColumn;
use super::book::BucketBook;
use privet_core::Result;

/// Rows of a table of quasi-identifiers: whose they are, their bucket, and the value next to them in a permuted table.
#[derive(Debug, Clone, Copy)]
pub(super) struct BucketRow {
    pub person: u32,
    pub bucket: u32,
    pub value: Option<u32>,
}

/// A row of a table of values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    pub bucket: u32,
    pub value: u32,
    pub count: u64,
}

/// What the tables show in addition to their contents.
#[derive(Default)]
pub(super) struct Trail {
    /// The people of the original that count, and their values, in the order of the file.
    pub original: Vec<(u32, u32)>,
    /// The bucket that the steward's list names for each of them, by number in the names; [`UNKNOWN`] for none.
    pub assigned: Vec<u32>,
    /// The columns of the original that are not published, with their names.
    pub columns: Vec<(String, UncomparedColumn)>,
    pub assigned_names: Vec<String>,
    pub rows: Vec<BucketRow>,
    pub listed: Vec<Listed>,
    /// The names of buckets, in the order in which the files show them.
    pub buckets: Vec<String>,
    /// Counts that are not spelt as numbers are.
    pub spelling: Vec<String>,
}

impl Trail {
    /// The values next to the rows of a permuted table.
    pub fn displayed(&self) -> Option<Vec<u32>> {
        self.rows.iter().map(|row| row.value).collect()
    }

    /// By bucket its rows, in the order of the file.
    pub fn by_bucket(&self) -> Vec<Vec<usize>> {
        let mut rows_of = vec![Vec::new(); self.buckets.len()];
        for (place, row) in self.rows.iter().enumerate() {
            rows_of[row.bucket as usize].push(place);
        }
        rows_of
    }
}

/// Neither order nor pairing may agree with the original more than by chance.
pub(super) fn check_order(book: &BucketBook, tick: &mut dyn FnMut() -> Result<()>) -> Result<Check> {
    Ok(match evidence(book, tick)?.verdict(FALSE_ALARM) {
        Some(found) => Check::new("order", false, format!("{found}. Shuffle rows, numbers and values")),
        None => Check::new(
            "order",
            true,
            "neither the order of rows and buckets nor what is written side by side agrees with the original more than by \
             chance",
        ),
    })
}

/// What speaks against chance.
fn evidence(book: &BucketBook, tick: &mut dyn FnMut() -> Result<()>) -> Result<Evidence> {
    let arrangement = arrangement(book);
    let runs = arrangement.runs();
    let all = RowOwners::all(book);
    let (original, hidden) = (Keys::places(book), Keys::hidden(book));
    let mut evidence = Evidence::default();
    let mut found = Evidence::default();
    for owners in &all {
        tick()?;
        found.group(owners.in_the_original(&arrangement), 0.0);
        found.group(owners.by_columns(&runs, &hidden), 0.0);
    }
    evidence.group(found, arrangement.handicap);
    // With the list, at least as much is known about values as without it.
    if let Some(owners) = all.last() {
        tick()?;
        evidence.group(owners.by_values(&runs), arrangement.handicap);
        tick()?;
        match book.trail.displayed() {
            None => evidence.group(pairing::listed(owners, &runs, tick)?, arrangement.handicap),
            Some(displayed) => {
                let conditions = conditions(book, &arrangement);
                let orders = [&[Keys::places(book)][..], &Keys::shown(book), &hidden].concat();
                let found = pairing::displayed(owners, &displayed, conditions.as_deref(), &orders, tick)?;
                evidence.group(found, 0.0);
            }
        }
    }
    tick()?;
    let orders: Vec<&Keys> = std::iter::once(&original).chain(&hidden).collect();
    let (found, handicap) = numbers::evidence(book, &orders);
    evidence.group(found, handicap);
    Ok(evidence)
}

/// Where the order of a permuted table depends on values: by row a number for what else it depends on. Rows that agree in that
/// have their values in a certain order, but are themselves in any.
fn conditions(book: &BucketBook, arrangement: &Arrangement) -> Option<Vec<u32>> {
    if !arrangement.uses(VALUE) {
        return None;
    }
    let used: Vec<usize> = (0..book.quasi.len()).filter(|at| arrangement.uses(FIRST_QUASI + at)).collect();
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let number = |row: &BucketRow| {
        let person = &book.persons[row.person as usize];
        let next = known.len() as u32;
        *known.entry(used.iter().map(|at| person[*at]).collect()).or_insert(next)
    };
    Some(book.trail.rows.iter().map(number).collect())
}

/// The column of values among those that a permuted table may be sorted by: it is tried first.
const VALUE: usize = 0;

/// The first column of quasi-identifiers among them, behind the values and the buckets.
const FIRST_QUASI: usize = 2;

/// What of the order of the rows follows from what they show.
fn arrangement(book: &BucketBook) -> Arrangement {
    let trail = &book.trail;
    let rows = &trail.rows;
    let value = ShownColumn {
        code: Box::new(move |row: usize| rows[row].value.unwrap_or(UNKNOWN)),
        text: Box::new(move |code| book.values.text(code)),
    };
    let bucket = ShownColumn {
        code: Box::new(move |row: usize| rows[row].bucket),
        text: Box::new(move |code| trail.buckets[code as usize].as_str()),
    };
    let quasi = book.quasi.iter().enumerate().map(|(column, texts)| ShownColumn {
        code: Box::new(move |row: usize| book.persons[rows[row].person as usize][column]),
        text: Box::new(move |code| texts.text(code)),
    });
    let columns: Vec<ShownColumn<'_>> = [value, bucket].into_iter().chain(quasi).collect();
    // People, people with their buckets, and whole rows.
    let together = [FIRST_QUASI, 1, VALUE].map(|first| (first..columns.len()).collect());
    Arrangement::of(rows.len(), &columns, &together)
}
