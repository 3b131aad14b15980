//! Do the rows of two tables, or of a table and the original, stand in a common order?
//!
//! Two rows *go together* if one person could have both. Were one table's order a uniform permutation of the other's, so
//! many rows at the same place would go together: the mean E over all pairs of rows. The number X of them then stays near
//! E: P(X − E ≥ t) ≤ exp(−t²/(4E + 2t)) (Chatterjee, *Stein's method for concentration inequalities*, 2007, for sums of
//! a(i, π(i)) with entries in [0, 1]). An alarm has a chance of less than one in 10¹² to be false. In tables so small or so
//! coarse that nearly all rows go together, no order can be seen, by nobody.

use rayon::prelude::*;

use super::super::Check;
use super::super::classes::Classes;
use super::super::cover::Coverage;
use super::book::{Book, Projection};
use crate::Result;

/// −ln 10⁻¹².
const RARE: f64 = 27.631;

/// Above this many pairs of classes the rows of two tables are not compared.
const MOST_PAIRS: usize = 50_000_000;

/// A table with what its cells mean.
pub(super) struct Side<'a> {
    pub projection: &'a Projection,
    pub classes: Classes,
    pub coverage: Vec<Coverage>,
}

/// The number of rows that go together, and the mean if the order were random.
struct Together {
    found: f64,
    expected: f64,
}

impl Together {
    fn is_suspicious(&self) -> bool {
        let most = self.expected + RARE + (RARE * RARE + 4.0 * RARE * self.expected).sqrt();
        self.found > most
    }

    fn tell(&self, what: &str) -> String {
        format!(
            "{what}: {:.0} rows at the same place go together, by chance about {:.0} would",
            self.found, self.expected
        )
    }
}

pub(super) fn check(
    book: &Book,
    sides: &[Side<'_>],
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Check> {
    // Every table with the original, then with every later table.
    let compared: Vec<(usize, Option<usize>)> = (0..sides.len())
        .flat_map(|at| {
            std::iter::once((at, None)).chain((at + 1..sides.len()).map(move |other| (at, Some(other))))
        })
        .collect();
    let compare = |&(at, other): &(usize, Option<usize>)| {
        tick()?;
        Ok(match other {
            None => Some(with_original(book, &sides[at])),
            Some(other) => with_other(book, &sides[at], &sides[other]),
        })
    };
    let found: Vec<Result<Option<Together>>> = compared.par_iter().map(compare).collect();
    let mut faults = Vec::new();
    let mut untold = 0;
    for ((at, other), found) in compared.into_iter().zip(found) {
        let second = other.map_or("the original".to_string(), |other| format!("projection-{}", other + 1));
        match found? {
            Some(together) if together.is_suspicious() => {
                faults.push(together.tell(&format!("projection-{} and {second}", at + 1)));
            }
            Some(_) => {}
            None => untold += 1,
        }
    }
    let mut detail = match faults.as_slice() {
        [] => "rows at the same place go together no more often than by chance".to_string(),
        faults => faults.join("; "),
    };
    if untold > 0 {
        detail += &format!("; {untold} pairs of tables have too many classes to be compared");
    }
    Ok(Check::new("order", faults.is_empty(), detail))
}

/// Rows of a table and of the original: the original's row could have become the table's.
fn with_original(book: &Book, side: &Side<'_>) -> Together {
    let tables = &side.projection.tables;
    let (original, release) = (&tables.original.records, &tables.release.records);
    // Per distinct record of the original (in the table's columns), the released records that it could be.
    let mut standing: Vec<Vec<u32>> = Vec::new();
    let mut expected = 0.0;
    for id in original.ids() {
        let found = released_as(side, original.get(id), release);
        let rows: u64 = found.iter().map(|released| release.count(*released)).sum();
        expected += original.count(id) as f64 * rows as f64;
        standing.push(found);
    }
    expected /= book.rows().max(1) as f64;
    let of_record = &side.projection.of_record;
    let rows = book.records.iter().zip(&side.projection.rows);
    let found = rows.filter(|(record, row)| standing[of_record[**record as usize] as usize].contains(row));
    Together { found: found.count() as f64, expected }
}

/// The released records that an original one could be: cells that stand for its values, and the same attributes.
fn released_as(side: &Side<'_>, tuple: &[u32], release: &super::super::table::Tuples) -> Vec<u32> {
    let (quasi, plain) = tuple.split_at(side.coverage.len());
    let mut ways: Vec<Vec<u32>> = vec![Vec::new()];
    for (value, coverage) in quasi.iter().zip(&side.coverage) {
        let cells = coverage.standing_for(*value);
        ways = ways
            .iter()
            .flat_map(|way| cells.iter().map(|cell| [way.as_slice(), &[*cell]].concat()))
            .collect();
    }
    let mut found: Vec<u32> =
        ways.iter().filter_map(|way| release.find(&[way.as_slice(), plain].concat())).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Rows of two tables: some original values lie below the cells of both, in every column.
fn with_other(book: &Book, side: &Side<'_>, other: &Side<'_>) -> Option<Together> {
    let (one, two) = (&side.classes.cells, &other.classes.cells);
    if one.ids().len().saturating_mul(two.ids().len()) > MOST_PAIRS {
        return None;
    }
    let columns: Vec<Vec<Vec<bool>>> = (0..book.quasi.len())
        .map(|column| {
            let mut common = vec![vec![false; other.coverage[column].cells()]; side.coverage[column].cells()];
            for value in 0..book.table.quasi[column].len() as u32 {
                for first in side.coverage[column].standing_for(value) {
                    for second in other.coverage[column].standing_for(value) {
                        common[first as usize][second as usize] = true;
                    }
                }
            }
            common
        })
        .collect();
    let fit = |a: &[u32], b: &[u32]| {
        columns.iter().zip(a.iter().zip(b)).all(|(common, (a, b))| common[*a as usize][*b as usize])
    };
    let mut expected = 0.0;
    for a in one.ids() {
        let rows: u64 = two.ids().filter(|b| fit(one.get(a), two.get(*b))).map(|b| two.count(b)).sum();
        expected += one.count(a) as f64 * rows as f64;
    }
    let (first, second) = (&side.projection.tables.release.records, &other.projection.tables.release.records);
    // Records begin with their quasi-identifiers.
    let rows = side.projection.rows.iter().zip(&other.projection.rows);
    let found = rows.filter(|(a, b)| fit(first.get(**a), second.get(**b))).count();
    Some(Together { found: found as f64, expected: expected / book.rows().max(1) as f64 })
}
