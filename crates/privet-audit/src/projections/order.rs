//! Do the rows of two tables, or of a table and the original, stand in a common order?
//!
//! Each table is compared with the original as any table is (`audit::order`). Two tables are compared both ways: the order of
//! each must be random next to the other, as far as it does not follow from what the table shows itself. Rows of two tables
//! *go together* by the number of people of the original who could have both. That is asked of classes and of whole rows:
//! tables may be aligned class by class, or person by person.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::super::Check;
use super::super::classes::Classes;
use super::super::cover::Coverage;
use super::super::order::{
    Arrangement, Components, Evidence, FALSE_ALARM, HiddenKey, Lifted, OrderView, UNKNOWN,
};
use super::super::table_order::{arrangement, exact_keys, unpublished_keys};
use super::book::{Projection, ProjectionBook};
use privet_core::Result;
use privet_policy::PolicyColumn;

/// A table with what its cells mean.
pub(super) struct TableSide<'a> {
    pub projection: &'a Projection,
    pub classes: Classes,
    pub coverage: Vec<Coverage>,
}

/// What is known about a table.
struct KnownOrder<'s, 'a> {
    side: &'s TableSide<'a>,
    /// Per distinct record of the table's original (in the table's columns), the released records that it could be.
    standing: Vec<Vec<u32>>,
    arrangement: Arrangement,
    /// The class of each row.
    classes: Vec<u32>,
}

impl<'s, 'a> KnownOrder<'s, 'a> {
    fn of(side: &'s TableSide<'a>) -> KnownOrder<'s, 'a> {
        let tables = &side.projection.tables;
        let (original, release) = (&tables.original.records, &tables.release.records);
        let standing = original.ids().map(|id| released_as(side, original.get(id), release)).collect();
        let rows = &side.projection.rows;
        let quasi = side.coverage.len();
        let class = |row: &u32| side.classes.cells.find(&release.get(*row)[..quasi]).unwrap_or(UNKNOWN);
        KnownOrder {
            side,
            standing,
            arrangement: arrangement(&tables.release, &tables.plain, rows),
            classes: rows.iter().map(class).collect(),
        }
    }

    fn name(&self) -> String {
        format!("projection-{}", self.side.projection.number)
    }

    /// The released records that a record of the book could be here.
    fn could_be(&self, record: u32) -> &[u32] {
        &self.standing[self.side.projection.of_record[record as usize] as usize]
    }

    fn class_of(&self, row: u32) -> u32 {
        let quasi = self.side.coverage.len();
        let records = &self.side.projection.tables.release.records;
        self.side.classes.cells.find(&records.get(row)[..quasi]).unwrap_or(UNKNOWN)
    }
}

pub(super) fn check(
    columns: &[PolicyColumn],
    book: &ProjectionBook,
    sides: &[TableSide<'_>],
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Check> {
    // Every table with the original, then with every other table.
    let compared: Vec<(usize, Option<usize>)> = (0..sides.len())
        .flat_map(|at| {
            let others = (0..sides.len()).filter(move |other| *other != at);
            std::iter::once((at, None)).chain(others.map(move |other| (at, Some(other))))
        })
        .collect();
    let known: Vec<KnownOrder<'_, '_>> = sides.par_iter().map(KnownOrder::of).collect();
    let compare = |&(at, other): &(usize, Option<usize>)| -> Result<Evidence> {
        tick()?;
        let judged = &known[at];
        Ok(match other {
            None => against_original(columns, book, judged, tick)?,
            Some(other) => against_another(book, &known[other], judged),
        })
    };
    let found: Vec<Result<Evidence>> = compared.par_iter().map(compare).collect();
    let chance = FALSE_ALARM / compared.len().max(1) as f64;
    let mut faults = Vec::new();
    for ((at, _), found) in compared.into_iter().zip(found) {
        let told = found?.verdict(chance);
        faults.extend(told.map(|told| format!("{}: {told}", known[at].name())));
    }
    let detail = match faults.as_slice() {
        [] => {
            "the order of no table agrees with the original or another table more than by chance".to_string()
        }
        faults => faults.join("; "),
    };
    Ok(Check::new("order", faults.is_empty(), detail))
}

/// A table next to the original: rows that could be about the same person have the same symbol.
fn against_original(
    columns: &[PolicyColumn],
    book: &ProjectionBook,
    judged: &KnownOrder<'_, '_>,
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<Evidence> {
    let records = &judged.side.projection.tables.release.records;
    let mut components = Components::new(records.ids().len());
    for found in &judged.standing {
        if let [first, others @ ..] = found.as_slice() {
            others.iter().for_each(|other| components.join(*first, *other));
        }
    }
    let joined = |record: &u32, components: &mut Components| {
        judged.could_be(*record).first().map_or(UNKNOWN, |row| components.of(*row))
    };
    let reference = book.records.iter().map(|record| joined(record, &mut components)).collect();
    let rows = &judged.side.projection.rows;
    let released = rows.iter().map(|row| components.of(*row)).collect();
    let quasi = judged.side.coverage.len();
    let mut known: HashMap<&[u32], u32> = HashMap::new();
    let values = rows.iter().map(|row| {
        let next = known.len() as u32;
        *known.entry(&records.get(*row)[quasi..]).or_insert(next)
    });
    let conditions = [judged.classes.clone(), values.collect()];
    let view = OrderView { released, reference };
    let mut found = judged.arrangement.evidence(&view, &conditions, "the original");
    let mut watched = Ok(());
    let keys = hidden_keys(columns, book, judged).take_while(|_| {
        watched = tick();
        watched.is_ok()
    });
    judged.arrangement.hidden(&view, keys, &mut found);
    watched?;
    let mut evidence = Evidence::default();
    evidence.join(found, judged.arrangement.handicap);
    Ok(evidence)
}

/// What the original could be sorted by that a table does not show: columns that are not published, exact values, and the
/// attributes of other tables.
fn hidden_keys<'k>(
    columns: &'k [PolicyColumn],
    book: &'k ProjectionBook,
    judged: &'k KnownOrder<'_, '_>,
) -> impl Iterator<Item = HiddenKey> + 'k {
    let Projection { tables, attributes, .. } = judged.side.projection;
    let quasi = tables.original.quasi.len();
    let codes = |at: usize| -> Vec<u32> {
        book.records.iter().map(|record| book.table.records.get(*record)[at]).collect()
    };
    let exact = book.table.quasi.iter().zip(&tables.release.quasi).zip(&book.quasi).enumerate();
    let exact = exact.flat_map(move |(at, ((values, cells), column))| {
        let name = columns.get(*column).map_or("", |column| column.name.as_str());
        exact_keys(name, values, cells, &judged.classes, || codes(at))
    });
    let others = (0..book.attributes.len()).filter(|at| !attributes.contains(at)).flat_map(move |at| {
        let key = |ranks| HiddenKey {
            what: format!("'{}', which another table shows", book.attributes[at].name),
            ranks,
            is_foreign: false,
            condition: judged.classes.clone(),
        };
        let ranks = HiddenKey::ranks(book.values[at].texts(), &codes(quasi + at));
        ranks.into_iter().map(key).collect::<Vec<_>>()
    });
    unpublished_keys(columns, &book.table.others, book.records.len(), &judged.classes)
        .chain(exact)
        .chain(others)
}

/// A table next to another one.
fn against_another(
    book: &ProjectionBook,
    other: &KnownOrder<'_, '_>,
    judged: &KnownOrder<'_, '_>,
) -> Evidence {
    let first = judged.side.classes.len() as u32;
    let what = other.name();
    // How many people could have two released records, or two classes; classes that share somebody are joined.
    let mut people: HashMap<(u32, u32), u64> = HashMap::new();
    let mut in_classes: HashMap<(u32, u32), u64> = HashMap::new();
    let mut components = Components::new(judged.side.classes.len() + other.side.classes.len());
    for id in book.table.records.ids() {
        let count = book.table.records.count(id);
        for there in other.could_be(id) {
            for here in judged.could_be(id) {
                *people.entry((*there, *here)).or_default() += count;
                let (there, here) = (other.class_of(*there), judged.class_of(*here));
                *in_classes.entry((there, here)).or_default() += count;
                if there != UNKNOWN && here != UNKNOWN {
                    components.join(here, first + there);
                }
            }
        }
    }
    let mut symbol = |class: u32| if class == UNKNOWN { UNKNOWN } else { components.of(class) };
    let released: Vec<u32> = judged.classes.iter().map(|class| symbol(*class)).collect();
    let reference: Vec<u32> =
        other.classes.iter().map(|class| symbol(first.saturating_add(*class))).collect();
    let within = [false, true].map(|backwards| within_classes(&released, &reference, backwards));
    let mut found = judged.arrangement.evidence(&OrderView { released, reference }, &[], &what);
    let strata = judged.arrangement.runs();
    Lifted {
        first: &other.side.projection.rows,
        second: &judged.side.projection.rows,
        strata: &strata,
        people: &people,
    }
    .evidence(&what, &mut found);
    Lifted { first: &other.classes, second: &judged.classes, strata: &strata, people: &in_classes }
        .evidence(&what, &mut found);
    let on_classes = strata_on(&strata, &judged.classes);
    for pairs in within {
        let (here, there): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        let taken = |of: &[u32], rows: &[usize]| rows.iter().map(|row| of[*row]).collect::<Vec<u32>>();
        Lifted {
            first: &taken(&other.side.projection.rows, &there),
            second: &taken(&judged.side.projection.rows, &here),
            strata: &taken(&on_classes, &here),
            people: &people,
        }
        .side_by_side(&what, &mut found);
    }
    let mut evidence = Evidence::default();
    evidence.join(found, judged.arrangement.handicap);
    evidence
}

/// Pairs of rows: the first of each class with the first of that class in the other table, or with the last, and so on.
fn within_classes(judged: &[u32], other: &[u32], backwards: bool) -> Vec<(usize, usize)> {
    let mut there: HashMap<u32, Vec<usize>> = HashMap::new();
    for (row, class) in other.iter().enumerate() {
        there.entry(*class).or_default().push(row);
    }
    if !backwards {
        there.values_mut().for_each(|rows| rows.reverse());
    }
    let pair = |(row, class): (usize, &u32)| Some((row, there.get_mut(class)?.pop()?));
    judged.iter().enumerate().filter_map(pair).collect()
}

/// Strata of the same class each.
fn strata_on(strata: &[u32], classes: &[u32]) -> Vec<u32> {
    let mut known: HashMap<(u32, u32), u32> = HashMap::new();
    let number = |pair: (&u32, &u32)| {
        let next = known.len() as u32;
        *known.entry((*pair.0, *pair.1)).or_insert(next)
    };
    strata.iter().zip(classes).map(number).collect()
}

/// The released records that an original one could be: cells that stand for its values, and the same attributes.
fn released_as(side: &TableSide<'_>, tuple: &[u32], release: &super::super::table::Tuples) -> Vec<u32> {
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
