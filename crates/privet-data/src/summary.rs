//! How often each distinct record occurs.
//!
//! Almost every method needs only the distinct combinations of the columns that matter, with counts. The first stream
//! over the data builds that [`Summary`]; searches run on it, in memory, whatever the number of rows. The second stream
//! finds each row's record in it again ([`Summary::locate`]).
//!
//! Codes do not depend on the order of the rows: values are sorted (numbers by size, texts by bytes), and so are records.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::interner::Interner;
use super::people::{People, PeopleBuilder, Recurrence, RepeatedIdentifier};
use super::{Batch, Source};
use privet_core::Digest;
use privet_core::{Error, Result};

/// The most rows that are counted: costs and shares are still exact numbers then.
const MOST_ROWS: u64 = 1 << 53;

/// How missing values are recognised and what becomes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRule {
    /// The spellings of a missing value; the first stands for all of them where missing is kept as a value.
    pub spellings: Vec<String>,
    /// Whether missing is a value of its own; else the record is dropped, and counted.
    pub keep: bool,
}

impl MissingRule {
    fn is_missing(&self, cell: &str) -> bool {
        self.spellings.iter().any(|spelling| spelling == cell)
    }

    /// Whether a cell of the column that tells people apart names nobody: it is missing, or blank.
    pub fn names_nobody(&self, cell: &str) -> bool {
        self.is_missing(cell) || cell.trim().is_empty()
    }

    /// What stands for a text in the data: where missing is a value, its first spelling stands for all.
    pub fn kept_as<'t>(&'t self, text: &'t str) -> &'t str {
        if self.keep && self.is_missing(text) { &self.spellings[0] } else { text }
    }
}

/// The distinct values of a column, sorted; a value's position is its code.
#[derive(Debug, Clone)]
pub struct Dictionary {
    values: Vec<String>,
    numbers: Option<Vec<Option<f64>>>,
}

impl Dictionary {
    /// The values, by code.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The number each value stands for, by code, when all values of the column are numbers; `None` for a missing value.
    pub fn numbers(&self) -> Option<&[Option<f64>]> {
        self.numbers.as_deref()
    }

    /// The number of distinct values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// A column of a summary.
#[derive(Debug, Clone)]
pub struct SummaryColumn {
    /// Its position in the data.
    pub index: usize,
    /// Its distinct values.
    pub dictionary: Dictionary,
    /// The line of the data where each value occurs first, by code, for messages.
    pub first_line: Vec<u64>,
    interner: Interner,
    missing: MissingRule,
    /// From the interner's first-seen numbers to codes.
    codes: Vec<u32>,
}

/// The distinct records of the columns that matter, with counts.
#[derive(Debug, Clone)]
pub struct Summary {
    columns: Vec<SummaryColumn>,
    records: Records,
    /// Rows read, the dropped ones included.
    pub read: u64,
    /// Rows dropped because a value was missing.
    pub dropped: u64,
    /// A digest of all rows with all their columns, also of those that were dropped.
    pub digest: Digest,
    /// Who has which records, where a column tells people apart.
    pub people: Option<People>,
    /// The watched columns whose values occur more than once.
    pub repeated: Vec<RepeatedIdentifier>,
    person: Option<(usize, MissingRule)>,
}

/// What is read next to the columns that matter: who has which records.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The column that tells people apart, by position. A row that lacks it is dropped; where missing is a value, it is an
    /// error.
    pub person: Option<(usize, MissingRule)>,
    /// Columns that should be different in every row, by position. Missing values are not compared.
    pub watched: Vec<(usize, MissingRule)>,
}

/// Distinct tuples of codes with counts.
#[derive(Debug, Clone, Default)]
struct Records {
    width: usize,
    codes: Vec<u32>,
    counts: Vec<u64>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl Summary {
    /// Reads the data once and counts its distinct records over the given columns.
    ///
    /// `tick` gets the number of bytes that are done and may stop the reading.
    pub fn read(
        source: &Source,
        columns: &[usize],
        missing: &MissingRule,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Summary> {
        let columns: Vec<(usize, MissingRule)> =
            columns.iter().map(|column| (*column, missing.clone())).collect();
        Summary::read_columns(source, &columns, &Names::default(), tick)
    }

    /// The same where columns have missing values of their own, and where it matters whose records they are.
    pub fn read_columns(
        source: &Source,
        columns: &[(usize, MissingRule)],
        names: &Names,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Summary> {
        let mut interners: Vec<Interner> = columns.iter().map(|_| Interner::default()).collect();
        let mut first_lines: Vec<Vec<u64>> = columns.iter().map(|_| Vec::new()).collect();
        let mut records = Records::new(columns.len());
        let (mut read, mut dropped, mut digest) = (0, 0, Digest::default());
        let mut tuple = vec![0; columns.len()];
        let mut people = names.person.as_ref().map(|_| PeopleBuilder::default());
        let mut watched: Vec<Recurrence> = names.watched.iter().map(|_| Recurrence::default()).collect();
        source.read_counted(&mut |batch: &Batch, times, bytes| {
            'rows: for (row, &times) in times.iter().enumerate() {
                read = counted_on(read, times).ok_or_else(|| too_many(source).at_line(batch.line(row)))?;
                digest.add_times(batch.cells(row), times);
                if let Some((column, missing)) = &names.person
                    && missing.names_nobody(batch.cell(row, *column))
                {
                    if missing.keep {
                        return Err(nobody(source, *column).at_line(batch.line(row)));
                    }
                    dropped += times;
                    continue 'rows;
                }
                for (position, (column, missing)) in columns.iter().enumerate() {
                    let mut cell = batch.cell(row, *column);
                    if missing.is_missing(cell) {
                        if !missing.keep {
                            dropped += times;
                            continue 'rows;
                        }
                        cell = &missing.spellings[0];
                    }
                    let seen = interners[position].intern(cell);
                    if seen as usize == first_lines[position].len() {
                        first_lines[position].push(batch.line(row));
                    }
                    tuple[position] = seen;
                }
                let record = records.add(&tuple, times);
                if let (Some(people), Some((column, _))) = (&mut people, &names.person) {
                    // Blanks around a name do not make another person.
                    people.add(batch.cell(row, *column).trim(), record);
                }
                for ((column, missing), seen) in names.watched.iter().zip(&mut watched) {
                    let cell = batch.cell(row, *column);
                    if !missing.names_nobody(cell) {
                        seen.add_rows(cell.trim(), times);
                    }
                }
            }
            tick(bytes)
        })?;
        let digest = source.digest().cloned().unwrap_or(digest);
        let columns: Vec<SummaryColumn> = (columns.iter().zip(interners).zip(first_lines))
            .map(|(((index, missing), interner), lines)| {
                SummaryColumn::sorted(*index, interner, &lines, missing)
            })
            .collect();
        let (records, place) = records.recoded(&columns);
        let people = people.map(|people| people.finish(&place, read - dropped));
        let watched = names.watched.iter().zip(watched);
        let repeated = watched.filter_map(|((column, _), seen)| seen.finish(*column)).collect();
        Ok(Summary {
            columns,
            records,
            read,
            dropped,
            digest,
            people,
            repeated,
            person: names.person.clone(),
        })
    }

    /// The columns that matter, in the order they were asked for.
    pub fn columns(&self) -> &[SummaryColumn] {
        &self.columns
    }

    /// The number of distinct records.
    pub fn len(&self) -> usize {
        self.records.counts.len()
    }

    /// Whether no record is left.
    pub fn is_empty(&self) -> bool {
        self.records.counts.is_empty()
    }

    /// The number of records, dropped ones not counted.
    pub fn total(&self) -> u64 {
        self.read - self.dropped
    }

    /// The codes of a distinct record, one per column.
    pub fn record(&self, record: usize) -> &[u32] {
        self.records.tuple(record)
    }

    /// How often a distinct record occurs.
    pub fn count(&self, record: usize) -> u64 {
        self.records.counts[record]
    }

    /// How often each value of each column occurs, by code.
    pub fn value_counts(&self) -> Vec<Vec<u64>> {
        let mut counts: Vec<Vec<u64>> =
            self.columns.iter().map(|column| vec![0; column.dictionary.len()]).collect();
        for record in 0..self.len() {
            let count = self.count(record);
            for (counts, code) in counts.iter_mut().zip(self.record(record)) {
                counts[*code as usize] += count;
            }
        }
        counts
    }

    /// The distinct record that a row of the data is; `None` for a row that was dropped, or that the first stream has
    /// not seen because the data changed in between.
    pub fn locate(&self, batch: &Batch, row: usize) -> Located {
        let mut tuple = [0u32; 64];
        let mut long;
        let tuple: &mut [u32] = if self.columns.len() <= tuple.len() {
            &mut tuple[..self.columns.len()]
        } else {
            long = vec![0; self.columns.len()];
            &mut long
        };
        if let Some((column, missing)) = &self.person
            && missing.names_nobody(batch.cell(row, *column))
        {
            return Located::Dropped;
        }
        for (position, column) in self.columns.iter().enumerate() {
            let mut cell = batch.cell(row, column.index);
            if column.missing.is_missing(cell) {
                if !column.missing.keep {
                    return Located::Dropped;
                }
                cell = &column.missing.spellings[0];
            }
            match column.interner.find(cell) {
                Some(seen) => tuple[position] = column.codes[seen as usize],
                None => return Located::Unknown,
            }
        }
        self.records.find(tuple).map_or(Located::Unknown, Located::Record)
    }
}

/// The number of rows with some more; `None` where that is too many.
fn counted_on(rows: u64, times: u64) -> Option<u64> {
    rows.checked_add(times).filter(|rows| *rows <= MOST_ROWS)
}

fn too_many(source: &Source) -> Error {
    Error::input(format!("there are more than {MOST_ROWS} rows, counted as often as they occur"))
        .in_file(source.origin())
        .help("divide the counts, or leave out rows")
}

/// The error for a row that does not name a person, where missing is a value of its own.
fn nobody(source: &Source, column: usize) -> Error {
    let name = source.columns().get(column).map_or("", |column| column.name.as_str());
    Error::input(format!(
        "the record has no value in '{name}', which tells people apart ('person' in [data])"
    ))
    .in_file(source.origin())
    .help("fill it in, or set on_missing = \"drop\" in [data]")
}

/// What the second stream finds out about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Located {
    /// The row is this distinct record.
    Record(usize),
    /// The row lacks a value and was dropped.
    Dropped,
    /// The first stream has not seen such a row: the data changed.
    Unknown,
}

impl SummaryColumn {
    /// What becomes of its missing values.
    pub fn missing(&self) -> &MissingRule {
        &self.missing
    }

    fn sorted(index: usize, interner: Interner, first_seen: &[u64], missing: &MissingRule) -> SummaryColumn {
        let texts: Vec<&str> = (0..interner.len()).map(|seen| interner.text(seen)).collect();
        let numbers = numbers_of(&texts, missing).filter(|numbers| doubles_tell_apart(&texts, numbers));
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        order.sort_unstable_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            let by_number = match &numbers {
                Some(numbers) => numbers[a]
                    .unwrap_or(f64::NEG_INFINITY)
                    .total_cmp(&numbers[b].unwrap_or(f64::NEG_INFINITY)),
                None => std::cmp::Ordering::Equal,
            };
            by_number.then_with(|| texts[a].cmp(texts[b]))
        });
        let mut codes = vec![0; order.len()];
        for (code, seen) in order.iter().enumerate() {
            codes[*seen as usize] = code as u32;
        }
        let dictionary = Dictionary {
            values: order.iter().map(|seen| texts[*seen as usize].to_string()).collect(),
            numbers: numbers.map(|numbers| order.iter().map(|seen| numbers[*seen as usize]).collect()),
        };
        let first_line = order.iter().map(|seen| first_seen[*seen as usize]).collect();
        SummaryColumn { index, dictionary, first_line, interner, missing: missing.clone(), codes }
    }
}

/// The numbers the texts stand for; `None` unless all but the missing ones are finite numbers.
fn numbers_of(texts: &[&str], missing: &MissingRule) -> Option<Vec<Option<f64>>> {
    let numbers: Option<Vec<Option<f64>>> = texts
        .iter()
        .map(|text| if missing.is_missing(text) { Some(None) } else { parse_number(text).map(Some) })
        .collect();
    numbers.filter(|numbers| numbers.iter().any(Option::is_some))
}

/// Whether different numbers are different doubles. Where they are not (16 digits and more), the column is text: its values
/// could neither be ordered nor be distinguished.
fn doubles_tell_apart(texts: &[&str], numbers: &[Option<f64>]) -> bool {
    let mut sorted: Vec<(f64, &str)> =
        numbers.iter().zip(texts).filter_map(|(number, text)| Some(((*number)?, *text))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted.windows(2).all(|pair| pair[0].0 != pair[1].0 || digits(pair[0].1) == digits(pair[1].1))
}

/// A decimal number's sign, digits without zeros around them, and the power of ten of the last one: equal for all
/// spellings of one number.
fn digits(text: &str) -> (bool, String, i64) {
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let (whole, fraction) = mantissa.trim_start_matches(['+', '-']).split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{}{fraction}", whole.trim_start_matches(['+', '-']));
    let significant = all.trim_start_matches('0').trim_end_matches('0').to_string();
    if significant.is_empty() {
        return (false, significant, 0);
    }
    let dropped = (all.len() - all.trim_end_matches('0').len()) as i64;
    let power = exponent.parse::<i64>().unwrap_or(i64::MAX / 2) - fraction.len() as i64 + dropped;
    (negative, significant, power)
}

/// Reads a finite decimal number; words such as `inf` and `nan` are not numbers.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
        return None;
    }
    // Adding zero turns -0 into 0: they are the same number and must sort as one.
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number + 0.0)
}

impl Records {
    fn new(width: usize) -> Records {
        Records { width, ..Records::default() }
    }

    fn tuple(&self, record: usize) -> &[u32] {
        &self.codes[record * self.width..(record + 1) * self.width]
    }

    /// Counts a tuple `count` times more, and returns its number.
    fn add(&mut self, tuple: &[u32], count: u64) -> u32 {
        let hash = self.hasher.hash_one(tuple);
        let (codes, width, hasher) = (&self.codes, self.width, &self.hasher);
        let stored = |record: u32| &codes[record as usize * width..(record as usize + 1) * width];
        let entry = self.index.entry(
            hash,
            |record| stored(*record) == tuple,
            |record| hasher.hash_one(stored(*record)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => {
                let record = *entry.get();
                self.counts[record as usize] += count;
                record
            }
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let record = self.counts.len() as u32;
                entry.insert(record);
                self.counts.push(count);
                self.codes.extend_from_slice(tuple);
                record
            }
        }
    }

    fn find(&self, tuple: &[u32]) -> Option<usize> {
        let hash = self.hasher.hash_one(tuple);
        self.index.find(hash, |record| self.tuple(*record as usize) == tuple).map(|record| *record as usize)
    }

    /// The same records in final codes and sorted, and where each of them stands now.
    fn recoded(mut self, columns: &[SummaryColumn]) -> (Records, Vec<u32>) {
        for tuple in self.codes.chunks_exact_mut(self.width.max(1)) {
            for (code, column) in tuple.iter_mut().zip(columns) {
                *code = column.codes[*code as usize];
            }
        }
        let mut order: Vec<usize> = (0..self.counts.len()).collect();
        order.sort_unstable_by(|a, b| self.tuple(*a).cmp(self.tuple(*b)));
        let mut sorted = Records::new(self.width);
        let mut place = vec![0; order.len()];
        for record in order {
            place[record] = sorted.add(self.tuple(record), self.counts[record]);
        }
        (sorted, place)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::ReadOptions;

    /// A table of three columns: words, numbers in several spellings, and one that nobody asks for.
    fn rows() -> impl Strategy<Value = Vec<[String; 3]>> {
        let words = prop::sample::select(vec!["a", "b", "B", "\u{e4}", "10", "9", "?", ""]);
        let numbers = prop::sample::select(vec!["1", "10", "9", "1.0", "-2", "-0", "0", "?"]);
        let row = (words, numbers, 0u8..9)
            .prop_map(|(word, number, other)| [word.to_string(), number.to_string(), other.to_string()]);
        prop::collection::vec(row, 1..60)
    }

    fn summary(rows: &[[String; 3]], missing: &MissingRule) -> (tempfile::TempDir, Source, Summary) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data.csv");
        let lines = rows.iter().map(|row| row.join(",") + "\n");
        fs::write(&path, std::iter::once("word,number,other\n".to_string()).chain(lines).collect::<String>())
            .expect("written");
        let source = Source::open(&path, &ReadOptions::with_names(Some(','))).expect("a source");
        // The order of the columns is the caller's.
        let summary = Summary::read(&source, &[1, 0], missing, &mut |_| Ok(())).expect("a summary");
        (folder, source, summary)
    }

    /// A distinct record in words.
    fn spelt(summary: &Summary, record: usize) -> Vec<String> {
        let codes = summary.record(record).iter().zip(summary.columns());
        codes.map(|(code, column)| column.dictionary.values()[*code as usize].clone()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_summary_counts_and_finds_every_row(rows in rows(), keep in any::<bool>(), turn in 0usize..60) {
            let missing = MissingRule { spellings: vec!["?".into(), "".into()], keep };
            let (_folder, source, found) = summary(&rows, &missing);
            // Kept, all spellings of a missing value are the first; dropped, the row is gone.
            let cell = |text: &String| if text.is_empty() { "?".to_string() } else { text.clone() };
            let asked = |row: &[String; 3]| vec![cell(&row[1]), cell(&row[0])];
            let remains = |row: &Vec<String>| keep || row.iter().all(|cell| cell != "?");
            let mut counts: BTreeMap<Vec<String>, u64> = BTreeMap::new();
            rows.iter().map(asked).filter(remains).for_each(|row| *counts.entry(row).or_default() += 1);

            prop_assert_eq!(found.read, rows.len() as u64);
            prop_assert_eq!(found.total(), counts.values().sum::<u64>());
            let counted: BTreeMap<Vec<String>, u64> =
                (0..found.len()).map(|record| (spelt(&found, record), found.count(record))).collect();
            prop_assert_eq!(found.len(), counts.len());
            prop_assert_eq!(&counted, &counts);
            for (column, seen) in found.value_counts().into_iter().enumerate() {
                let values = found.columns()[column].dictionary.values();
                for (value, count) in values.iter().zip(seen) {
                    let naive = counts.iter().filter(|(row, _)| row[column] == *value).map(|(_, count)| count);
                    prop_assert_eq!(count, naive.sum::<u64>());
                }
            }

            let mut row = 0;
            source.read(&mut |batch, _| {
                for at in 0..batch.rows() {
                    let wanted = asked(&rows[row]);
                    match found.locate(batch, at) {
                        Located::Record(record) => assert_eq!(spelt(&found, record), wanted),
                        Located::Dropped => assert!(!remains(&wanted)),
                        Located::Unknown => panic!("row {row} was read before"),
                    }
                    row += 1;
                }
                Ok(())
            }).expect("read");
            prop_assert_eq!(row, rows.len());

            let mut turned = rows.clone();
            turned.rotate_left(turn % rows.len());
            turned.reverse();
            let (_folder, _, other) = summary(&turned, &missing);
            prop_assert_eq!(found.len(), other.len());
            for record in 0..found.len() {
                prop_assert_eq!(found.record(record), other.record(record));
                prop_assert_eq!(found.count(record), other.count(record));
                prop_assert_eq!(spelt(&found, record), spelt(&other, record));
            }
        }
    }

    #[test]
    fn numbers_are_sorted_by_size_and_missing_ones_come_first() {
        let rows =
            ["10", "9", "-2", "", "1.0", "1"].map(|number| ["a".to_string(), number.into(), "x".into()]);
        let missing = MissingRule { spellings: vec!["?".into(), "".into()], keep: true };
        let (_folder, _, found) = summary(&rows, &missing);
        let column = &found.columns()[0];
        assert_eq!(column.dictionary.values(), ["?", "-2", "1", "1.0", "9", "10"]);
        let numbers = [None, Some(-2.0), Some(1.0), Some(1.0), Some(9.0), Some(10.0)];
        assert_eq!(column.dictionary.numbers(), Some(numbers.as_slice()));
        assert_eq!(column.first_line, [5, 4, 7, 6, 3, 2]);
        assert_eq!(found.columns()[1].dictionary.numbers(), None);
    }

    #[test]
    fn a_row_that_was_not_there_is_unknown() {
        let missing = MissingRule { spellings: vec!["?".into()], keep: false };
        let row = |word: &str, number: &str| [word.to_string(), number.to_string(), "x".to_string()];
        let (_folder, _, found) = summary(&[row("a", "1"), row("b", "2")], &missing);
        let (_other_folder, source, _) =
            summary(&[row("a", "1"), row("a", "2"), row("c", "1"), row("?", "1")], &missing);
        let mut located = Vec::new();
        source
            .read(&mut |batch, _| {
                located.extend((0..batch.rows()).map(|at| found.locate(batch, at)));
                Ok(())
            })
            .expect("read");
        assert_eq!(located, [Located::Record(0), Located::Unknown, Located::Unknown, Located::Dropped]);
    }

    #[test]
    fn spellings_of_one_number_have_the_same_digits() {
        for (one, other) in [("1", "1.0"), ("1e3", "1000"), ("-0", "0.00"), ("+5", "005"), ("0.50", "5e-1")] {
            assert_eq!(digits(one), digits(other), "{one} and {other}");
        }
        assert_ne!(digits("9007199254740993"), digits("9007199254740992"));
        assert_ne!(digits("-1"), digits("1"));
        let numbers = [Some(9007199254740992.0), Some(9007199254740992.0)];
        assert!(!doubles_tell_apart(&["9007199254740993", "9007199254740992"], &numbers));
    }

    #[test]
    fn words_for_infinity_are_no_numbers() {
        assert_eq!(parse_number("1e3"), Some(1000.0));
        assert_eq!(parse_number(" -0 "), Some(0.0));
        for text in ["inf", "nan", "", "1e400", "1,5", "0x10", "e", "-"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }
}
