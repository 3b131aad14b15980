//! Do the order of rows, the numbers of buckets, or the pairing of rows and values tell who has which value?
//!
//! Buckets must be numbered, and their values listed in one order that follows from what is shown: those are matters of form.
//! Where the order of rows or buckets is free, it must be random. Rows with a bucket of their own choosing are compared within
//! their buckets: who shares a bucket is published, and often not by chance.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::super::Check;
use super::agreement::{self as order, FALSE_ALARM, UNKNOWN};
use super::book::Book;

/// Rows of a table of quasi-identifiers: whose they are, their bucket, and the value beside them in a permuted table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
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

/// What the tables show besides their contents.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// The people of the original that count, and their values, in the order of the file.
    pub original: Vec<(u32, u32)>,
    pub rows: Vec<Row>,
    pub listed: Vec<Listed>,
    /// The names of buckets, in the order in which the files show them.
    pub buckets: Vec<String>,
    /// Counts that are not spelt as numbers are.
    pub spelling: Vec<String>,
}

/// Shifts of values against rows that are tried within buckets, in both directions.
const SHIFTS: usize = 8;

/// The tests of an audit: each gets its part of the chance of a false alarm.
const TESTS: f64 = 32.0;
const CHANCE: f64 = FALSE_ALARM / TESTS;

/// Buckets must be numbered and everything listed in a way that follows from what is shown.
pub(super) fn check_form(book: &Book, mut faults: Vec<String>) -> Check {
    let trail = &book.trail;
    faults.extend(trail.spelling.iter().cloned());
    let numbers: Option<Vec<u64>> = trail.buckets.iter().map(|name| number(name)).collect();
    let in_a_row = numbers.as_ref().is_some_and(|numbers| {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let first = sorted.first().copied().unwrap_or(1);
        first <= 1 && sorted.iter().zip(first..).all(|(number, expected)| *number == expected)
    });
    if !in_a_row {
        faults.push("buckets are not numbered 1, 2, 3 and so on: a name can tell more".to_string());
    }
    let place = |bucket: u32| numbers.as_ref().map_or(u64::from(bucket), |numbers| numbers[bucket as usize]);
    if !trail.listed.is_sorted_by_key(|listed| place(listed.bucket)) {
        faults.push("the values are not listed bucket by bucket, in the order of their numbers".to_string());
    }
    let text = |listed: &Listed| book.values.text(listed.value);
    let within = |compare: &dyn Fn(&Listed, &Listed) -> Ordering| {
        let same = trail.listed.chunk_by(|one, other| one.bucket == other.bucket);
        same.into_iter().all(|bucket| bucket.is_sorted_by(|one, other| compare(one, other).is_lt()))
    };
    let by_text = |one: &Listed, other: &Listed| text(one).cmp(text(other));
    let by_number = |one: &Listed, other: &Listed| order::by_number(text(one), text(other));
    let most_first = |one: &Listed, other: &Listed| other.count.cmp(&one.count);
    let sorted = within(&by_text)
        || within(&by_number)
        || within(&|one, other| by_text(other, one))
        || within(&|one, other| by_number(other, one))
        || within(&|one, other| most_first(one, other).then_with(|| by_text(one, other)))
        || within(&|one, other| most_first(one, other).then_with(|| by_number(one, other)));
    if !sorted {
        faults.push(
            "the values of a bucket are not sorted, by themselves or by their counts: their order can tell whose they are"
                .to_string(),
        );
    }
    let detail = match faults.as_slice() {
        [] => "buckets are numbered, and their values listed in an order that follows from what is shown"
            .to_string(),
        faults => faults.join("; "),
    };
    Check::new("form", faults.is_empty(), detail)
}

/// A number that is spelt as numbers are.
pub(super) fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

/// What is known about the people of the original.
struct Truth {
    /// By person, the place of the only record in the original.
    place: HashMap<u32, usize>,
    /// By person, the value that all their records have.
    value: HashMap<u32, u32>,
}

impl Truth {
    fn of(original: &[(u32, u32)]) -> Truth {
        let mut found: HashMap<u32, (usize, usize, Option<u32>)> = HashMap::new();
        for (place, (person, value)) in original.iter().enumerate() {
            let (_, count, own) = found.entry(*person).or_insert((place, 0, Some(*value)));
            *count += 1;
            *own = own.filter(|own| own == value);
        }
        let place = found.iter().filter(|(_, (_, count, _))| *count == 1);
        let place = place.map(|(person, (place, ..))| (*person, *place)).collect();
        let value = found.iter().filter_map(|(person, (.., value))| Some((*person, (*value)?))).collect();
        Truth { place, value }
    }
}

/// Neither order nor pairing may agree with the original more than by chance.
pub(super) fn check_order(book: &Book) -> Check {
    let trail = &book.trail;
    let truth = Truth::of(&trail.original);
    let mut rows_of: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    trail.rows.iter().for_each(|row| rows_of.entry(row.bucket).or_default().push(*row));
    let mut buckets: Vec<Vec<Row>> = Vec::new();
    // By number, or by name where that is none: that is the order in which somebody would read them.
    let mut named: Vec<u32> = rows_of.keys().copied().collect();
    named.sort_by(|one, other| {
        order::by_number(&trail.buckets[*one as usize], &trail.buckets[*other as usize])
    });
    for bucket in &named {
        buckets.extend(rows_of.remove(bucket));
    }
    let together = trail.rows.chunk_by(|one, other| one.bucket == other.bucket).count() == buckets.len();
    let mut faults = Vec::new();
    if !together {
        faults.extend(of_rows(book));
    }
    faults.extend(of_buckets(book, &truth, &buckets));
    if !is_sorted_within(book, &buckets) {
        faults.extend(within_buckets(book, &truth, &buckets));
    }
    faults.extend(pairing(&truth, &buckets));
    let detail = match faults.as_slice() {
        [] => "neither the order of rows and buckets nor what is written side by side agrees with the original more than by \
               chance"
            .to_string(),
        faults => faults.join("; "),
    };
    Check::new("order", faults.is_empty(), detail)
}

/// The cells of somebody's quasi-identifiers.
fn cells(book: &Book, person: u32) -> impl Iterator<Item = &str> {
    let codes = book.persons[person as usize].iter().zip(&book.quasi);
    codes.map(|(code, column)| column.text(*code))
}

/// Rows that are not put together by bucket: as any table's.
fn of_rows(book: &Book) -> Option<String> {
    let trail = &book.trail;
    let mut sorting = order::Sorting::default();
    trail.rows.iter().for_each(|row| sorting.push(cells(book, row.person)));
    if sorting.holds() {
        return None;
    }
    let original: Vec<u32> = trail.original.iter().map(|(person, _)| *person).collect();
    let released: Vec<u32> = trail.rows.iter().map(|row| row.person).collect();
    let found = order::agreement(&original, &released, CHANCE)?;
    Some(format!("the rows are not in random order beside the original: {found}"))
}

/// The numbers of buckets against the places of their people in the original.
fn of_buckets(book: &Book, truth: &Truth, buckets: &[Vec<Row>]) -> Option<String> {
    let place = |row: &Row| truth.place.get(&row.person).copied();
    let least = |rows: &[Row]| -> Option<Vec<&str>> {
        rows.iter().map(|row| cells(book, row.person).collect()).min()
    };
    let smallest: Vec<Option<Vec<&str>>> = buckets.iter().map(|rows| least(rows)).collect();
    if smallest.is_sorted() || smallest.iter().rev().is_sorted() {
        return None;
    }
    let first = |rows: &[Row]| rows.iter().filter_map(place).min().map(|first| first as f64);
    let middle = |rows: &[Row]| {
        let places: Vec<f64> = rows.iter().filter_map(place).map(|place| place as f64).collect();
        (!places.is_empty()).then(|| places.iter().sum::<f64>() / places.len() as f64)
    };
    let against = |place: &dyn Fn(&[Row]) -> Option<f64>| {
        let mut reference: Vec<(f64, u32)> =
            buckets.iter().zip(0..).filter_map(|(rows, number)| Some((place(rows)?, number))).collect();
        let released: Vec<u32> = reference.iter().map(|(_, number)| *number).collect();
        reference.sort_by(|one, other| one.0.total_cmp(&other.0));
        let reference: Vec<u32> = reference.into_iter().map(|(_, number)| number).collect();
        order::agreement(&reference, &released, CHANCE)
    };
    let found = against(&first).or_else(|| against(&middle))?;
    Some(format!("the numbers of buckets follow the original: {}", found.replace("rows", "buckets")))
}

/// Whether the rows of every bucket are sorted by what they show.
fn is_sorted_within(book: &Book, buckets: &[Vec<Row>]) -> bool {
    let by_text = |one: u32, other: u32| cells(book, one).cmp(cells(book, other));
    let by_number = |one: u32, other: u32| {
        let pairs = cells(book, one).zip(cells(book, other));
        pairs.map(|(one, other)| order::by_number(one, other)).fold(Ordering::Equal, Ordering::then)
    };
    let sorted = |compare: &dyn Fn(u32, u32) -> Ordering| {
        buckets.iter().all(|rows| rows.is_sorted_by(|one, other| compare(one.person, other.person).is_le()))
    };
    sorted(&by_text) || sorted(&by_number) || sorted(&|a, b| by_text(b, a)) || sorted(&|a, b| by_number(b, a))
}

/// The order of rows within buckets, against places in the original and against the values that people have.
fn within_buckets(book: &Book, truth: &Truth, buckets: &[Vec<Row>]) -> Option<String> {
    let mut ranked: Vec<u32> = truth.value.values().copied().collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.sort_by(|one, other| order::by_number(book.values.text(*one), book.values.text(*other)));
    let rank: HashMap<u32, usize> = ranked.into_iter().zip(0..).collect();
    let by_place = |row: &Row| truth.place.get(&row.person).copied();
    let by_value = |row: &Row| rank.get(truth.value.get(&row.person)?).copied();
    type Place<'p> = &'p dyn Fn(&Row) -> Option<usize>;
    let ways: [(&str, Place<'_>); 2] = [("the original", &by_place), ("their values", &by_value)];
    for (what, key) in ways {
        let known: Vec<Vec<usize>> =
            buckets.iter().map(|rows| rows.iter().filter_map(key).collect::<Vec<_>>()).collect();
        let chances: Vec<f64> = known.iter().map(|keys| sorted_by_chance(keys)).collect();
        let Some(fewest) = order::fewest_of(&chances, CHANCE) else { continue };
        for (how, is) in [("", true), (" backwards", false)] {
            let in_order = |keys: &&Vec<usize>| {
                if is { keys.is_sorted() } else { keys.iter().rev().is_sorted() }
            };
            let found = known.iter().filter(in_order).count();
            if found >= fewest {
                return Some(format!(
                    "the rows of {found} of {} buckets stand in the order of {what}{how}; in a random order fewer than {fewest} \
                     would",
                    known.len()
                ));
            }
        }
    }
    None
}

/// How likely a random order is a rising one: as many orders rise as equal ones can change places.
fn sorted_by_chance(keys: &[usize]) -> f64 {
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
    let (mut log, mut row) = (0.0, 0u64);
    for count in counts.into_values() {
        for copy in 1..=count {
            row += 1;
            log += (copy as f64 / row as f64).ln();
        }
    }
    log.exp()
}

/// The values that are written beside rows of a permuted table: rows must have their own no more often than by chance. They are
/// also tried with the values of a bucket shifted against its rows, and backwards.
fn pairing(truth: &Truth, buckets: &[Vec<Row>]) -> Option<String> {
    let permuted: Vec<(Vec<u32>, Vec<u32>)> = (buckets.iter())
        .filter_map(|rows| {
            let values: Option<Vec<u32>> = rows.iter().map(|row| row.value).collect();
            let own =
                rows.iter().map(|row| truth.value.get(&row.person).copied().unwrap_or(UNKNOWN)).collect();
            Some((own, values?))
        })
        .collect();
    let mut mean = 0.0;
    let mut complete = Vec::new();
    for (own, values) in &permuted {
        let count = |value: &u32| values.iter().filter(|other| *other == value).count() as f64;
        mean += own.iter().map(count).sum::<f64>() / values.len().max(1) as f64;
        let keys: Vec<usize> = values.iter().map(|value| *value as usize).collect();
        complete.push(if own.contains(&UNKNOWN) { 0.0 } else { sorted_by_chance(&keys) });
    }
    let most = mean + order::excess(mean, CHANCE);
    let fewest = order::fewest_of(&complete, CHANCE);
    for shift in 0..SHIFTS {
        for backwards in [false, true] {
            let (mut found, mut whole) = (0usize, 0usize);
            for (own, values) in &permuted {
                let rows = values.len();
                let at = |row: usize| {
                    if backwards { (2 * rows - 1 - row - shift % rows) % rows } else { (row + shift) % rows }
                };
                let own = own.iter().enumerate().filter(|(row, own)| values[at(*row)] == **own).count();
                found += own;
                whole += usize::from(own == rows);
            }
            if found as f64 > most || fewest.is_some_and(|fewest| whole >= fewest) {
                let how = if shift == 0 && !backwards {
                    ""
                } else {
                    ", once the values of each bucket are shifted or turned round"
                };
                return Some(format!(
                    "{found} rows stand beside their own value{how}, by chance about {mean:.0} would"
                ));
            }
        }
    }
    None
}
