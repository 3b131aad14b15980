//! Do the rows of two tables, or of a table and the original, stand in a common order?
//!
//! Two rows *go together* if one person could have both: a row of the original could have become a table's row; of rows of
//! two tables, some value of every quasi-identifier lies below the cells of both. Where cells are too coarse to tell, attributes
//! may still: two rows also go together if there are more people in the original who could have both, attributes included,
//! than chance would give those two kinds of rows. Either is asked on its own: rows may be aligned class by class, or person
//! by person.
//!
//! Were one table's order a uniform permutation of the other's, so many rows at the same place would go together: the mean E
//! over all pairs of rows. The number X of them then stays near E: P(X − E ≥ t) ≤ exp(−t²/(4E + 2t)) (Chatterjee, *Stein's
//! method for concentration inequalities*, 2007, for sums of a(i, π(i)) with entries in [0, 1], which here follow from the
//! rows and the original). An alarm has a chance of less than one in 10¹² to be false. The bound is a rough one: in
//! tables of a few hundred rows whose attributes have two values or so, rows may be aligned without an alarm.
//!
//! Rows at the same place are not all: tables may run alike backwards, shifted or in blocks. That is looked for as in other
//! releases (`audit::order`): tables that could have somebody in common in two classes have the same symbol there.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::super::Check;
use super::super::classes::Classes;
use super::super::cover::Coverage;
use super::super::order::{Components, FALSE_ALARM, UNKNOWN, agreement};
use super::book::{Book, Projection};
use privet_core::Result;

/// −ln 10⁻¹².
const RARE: f64 = 27.631;

/// Above this many pairs of classes the rows of two tables are not compared by their classes.
const MOST_PAIRS: usize = 50_000_000;

/// A table with what its cells mean.
pub(super) struct Side<'a> {
    pub projection: &'a Projection,
    pub classes: Classes,
    pub coverage: Vec<Coverage>,
}

/// Per distinct record of a table's original (in the table's columns), the released records that it could be.
type Standing = Vec<Vec<u32>>;

/// What was found about two tables, or a table and the original.
struct Compared {
    /// Each way in which rows could go together.
    ways: Vec<Together>,
    /// What is suspicious about the order as such.
    runs: Option<String>,
    /// Whether there are too many classes to compare them.
    untold: bool,
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
    let chance = FALSE_ALARM / compared.len().max(1) as f64 / 2.0;
    let standing: Vec<Standing> = sides.par_iter().map(standing_of).collect();
    let compare = |&(at, other): &(usize, Option<usize>)| {
        tick()?;
        let side = (&sides[at], &standing[at]);
        let is_sorted = |side: &Side<'_>| side.projection.tables.release.sorting.holds();
        if is_sorted(side.0) || other.is_some_and(|other| is_sorted(&sides[other])) {
            // What is sorted by what it shows says nothing else by its order.
            return Ok(Compared { ways: Vec::new(), runs: None, untold: false });
        }
        let Some(other) = other else {
            let runs = beside_original(book, side.0, side.1, chance);
            return Ok(Compared { ways: Vec::new(), runs, untold: false });
        };
        let other = (&sides[other], &standing[other]);
        let classes = by_classes(book, side.0, other.0);
        let untold = classes.is_none();
        let runs = beside_another(book, side, other, chance);
        let ways = classes.into_iter().chain([by_people(book, side, other)]).collect();
        Ok(Compared { ways, runs, untold })
    };
    let found: Vec<Result<Compared>> = compared.par_iter().map(compare).collect();
    let mut faults = Vec::new();
    let mut untold = 0;
    for ((at, other), found) in compared.into_iter().zip(found) {
        let name = |at: usize| format!("projection-{}", sides[at].projection.number);
        let second = other.map_or("the original".to_string(), name);
        let Compared { ways, runs, untold: is_untold } = found?;
        untold += usize::from(is_untold);
        let suspicious = ways.iter().find(|together| together.is_suspicious());
        let what = format!("{} and {second}", name(at));
        let told = suspicious.map(|together| together.tell(&what));
        faults.extend(told.or_else(|| runs.map(|runs| format!("{what}: {runs}"))));
    }
    let mut detail = match faults.as_slice() {
        [] => "rows at the same place go together no more often than by chance".to_string(),
        faults => faults.join("; "),
    };
    if untold > 0 {
        detail += &format!("; {untold} pairs of tables have too many classes to be compared by them alone");
    }
    Ok(Check::new("order", faults.is_empty(), detail))
}

/// The released records that each record of a table's original could be.
fn standing_of(side: &Side<'_>) -> Standing {
    let tables = &side.projection.tables;
    let (original, release) = (&tables.original.records, &tables.release.records);
    original.ids().map(|id| released_as(side, original.get(id), release)).collect()
}

/// A table as a sequence of symbols beside the original: rows that could be about the same person have the same.
fn beside_original(book: &Book, side: &Side<'_>, standing: &Standing, chance: f64) -> Option<String> {
    let released = &side.projection.rows;
    let of_record = &side.projection.of_record;
    let mut components = Components::new(side.projection.tables.release.records.ids().len());
    for found in standing {
        if let [first, others @ ..] = found.as_slice() {
            others.iter().for_each(|other| components.join(*first, *other));
        }
    }
    let joined: Vec<u32> =
        standing.iter().map(|found| found.first().map_or(UNKNOWN, |row| components.of(*row))).collect();
    let reference: Vec<u32> =
        book.records.iter().map(|record| joined[of_record[*record as usize] as usize]).collect();
    let released: Vec<u32> = released.iter().map(|row| components.of(*row)).collect();
    agreement(&reference, &released, chance)
}

/// Two tables as sequences of symbols: classes that could have somebody in common have the same.
fn beside_another(
    book: &Book,
    (side, standing): (&Side<'_>, &Standing),
    (other, other_standing): (&Side<'_>, &Standing),
    chance: f64,
) -> Option<String> {
    let class_of = |side: &Side<'_>| -> Vec<u32> {
        let records = &side.projection.tables.release.records;
        let quasi = side.coverage.len();
        records.ids().map(|id| side.classes.cells.find(&records.get(id)[..quasi]).unwrap_or(0)).collect()
    };
    let (own, others) = (class_of(side), class_of(other));
    let first = side.classes.len() as u32;
    let mut components = Components::new(side.classes.len() + other.classes.len());
    for id in book.table.records.ids() {
        let here = &standing[side.projection.of_record[id as usize] as usize];
        let there = &other_standing[other.projection.of_record[id as usize] as usize];
        let mut classes = (here.iter().map(|row| own[*row as usize]))
            .chain(there.iter().map(|row| first + others[*row as usize]));
        if let Some(one) = classes.next() {
            classes.for_each(|class| components.join(one, class));
        }
    }
    let here: Vec<u32> = side.projection.rows.iter().map(|row| components.of(own[*row as usize])).collect();
    let there: Vec<u32> =
        other.projection.rows.iter().map(|row| components.of(first + others[*row as usize])).collect();
    agreement(&here, &there, chance)
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

/// Rows of two tables: more people could have both than chance would give two such rows.
fn by_people(
    book: &Book,
    (side, standing): (&Side<'_>, &Standing),
    (other, other_standing): (&Side<'_>, &Standing),
) -> Together {
    let could_be = |side: &Side<'_>, id: u32| side.projection.of_record[id as usize] as usize;
    // How many people could have two released records.
    let mut people: HashMap<(u32, u32), u64> = HashMap::new();
    for id in book.table.records.ids() {
        for first in &standing[could_be(side, id)] {
            for second in &other_standing[could_be(other, id)] {
                *people.entry((*first, *second)).or_default() += book.table.records.count(id);
            }
        }
    }
    let (one, two) = (&side.projection.tables.release.records, &other.projection.tables.release.records);
    let rows = u128::from(book.rows());
    let by_chance = |first: u32, second: u32| u128::from(one.count(first)) * u128::from(two.count(second));
    people.retain(|(first, second), found| u128::from(*found) * rows > by_chance(*first, *second));
    let expected: u128 = people.keys().map(|(first, second)| by_chance(*first, *second)).sum();
    let pairs = side.projection.rows.iter().zip(&other.projection.rows);
    let found = pairs.filter(|(first, second)| people.contains_key(&(**first, **second))).count();
    Together { found: found as f64, expected: expected as f64 / rows.max(1) as f64 }
}

/// Rows of two tables: some original values lie below the cells of both, in every column.
fn by_classes(book: &Book, side: &Side<'_>, other: &Side<'_>) -> Option<Together> {
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
