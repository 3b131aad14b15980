//! Larger tables from a given one: variants of its records (Liu 2010, section 3.6.3.4).
//!
//! A variant of a record has *q* of its quasi-identifiers, *q* uniform from 1 to their number and the columns chosen at
//! random, replaced by values drawn uniformly from the columns' domains. The original records come first, then one variant
//! of each, then another, until the asked number is reached: a smaller table is the beginning of every larger one.

use std::collections::BTreeSet;
use std::path::Path;

use privet::clock::Clock;
use privet::data::Source;
use privet::example::census::draw::Draw;
use privet::{Error, Result};

/// Writes a table of `records` records with these columns, of which the first `quasi` are quasi-identifiers.
pub(super) fn amplify(
    source: &Source,
    columns: &[&str],
    quasi: usize,
    records: u64,
    seed: u64,
    target: &Path,
    clock: &Clock,
) -> Result<()> {
    let rows = read(source, columns, clock)?;
    let domains: Vec<Vec<&str>> = (0..quasi)
        .map(|column| {
            let values: BTreeSet<&str> = rows.iter().map(|row| row[column].as_str()).collect();
            values.into_iter().collect()
        })
        .collect();
    let mut writer = CsvFile::create(target, columns)?;
    let mut left = records;
    let mut draw = Draw::new(seed);
    let mut order: Vec<usize> = (0..quasi).collect();
    let mut original = true;
    while left > 0 && !rows.is_empty() {
        clock.check()?;
        for row in rows.iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
            let mut cells: Vec<&str> = row.iter().map(String::as_str).collect();
            if !original {
                vary(&mut cells, &domains, &mut order, &mut draw);
            }
            writer.row(&cells)?;
            left -= 1;
        }
        original = false;
    }
    writer.finish()
}

/// Redraws some of the leading cells; `order` is any arrangement of their positions.
fn vary<'a>(cells: &mut [&'a str], domains: &[Vec<&'a str>], order: &mut [usize], draw: &mut Draw) {
    let all = order.len() as u32;
    if all == 0 {
        return;
    }
    let changed = 1 + draw.below(all);
    for place in 0..changed {
        // The first steps of a Fisher-Yates shuffle choose the columns.
        let other = place + draw.below(all - place);
        order.swap(place as usize, other as usize);
        let column = order[place as usize];
        let domain = &domains[column];
        cells[column] = domain[draw.below(domain.len() as u32) as usize];
    }
}

/// All rows of a table, only these columns.
pub(super) fn read(source: &Source, columns: &[&str], clock: &Clock) -> Result<Vec<Vec<String>>> {
    let positions: Vec<usize> = columns.iter().map(|name| source.position(name)).collect::<Result<_>>()?;
    let mut rows = Vec::new();
    source.read(&mut |batch, _| {
        rows.extend((0..batch.rows()).map(|row| {
            positions.iter().map(|column| batch.cell(row, *column).to_string()).collect::<Vec<_>>()
        }));
        clock.check()
    })?;
    Ok(rows)
}

/// A CSV file in the making.
pub(super) struct CsvFile<'a> {
    path: &'a Path,
    writer: csv::Writer<std::fs::File>,
}

impl<'a> CsvFile<'a> {
    /// Opens a new file and writes its header.
    pub fn create(path: &'a Path, header: &[&str]) -> Result<CsvFile<'a>> {
        let writer = csv::Writer::from_path(path).map_err(|error| failed(path, error))?;
        let mut file = CsvFile { path, writer };
        file.row(header)?;
        Ok(file)
    }

    /// Writes a row.
    pub fn row(&mut self, cells: &[&str]) -> Result<()> {
        self.writer.write_record(cells).map_err(|error| failed(self.path, error))
    }

    /// Writes what is left.
    pub fn finish(mut self) -> Result<()> {
        self.writer.flush().map_err(|error| Error::io("write the table", self.path, &error))
    }
}

fn failed(path: &Path, error: csv::Error) -> Error {
    Error::io("write the table", path, &std::io::Error::from(error))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use privet::data::ReadOptions;

    const COLUMNS: [&str; 3] = ["city", "age", "illness"];

    fn amplified(records: u64) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().expect("a folder");
        let (original, target) = (folder.path().join("original.csv"), folder.path().join("larger.csv"));
        fs::write(&original, "age,illness,city\n1,flu,Oslo\n2,flu,Rome\n3,cold,\"a,b\"\n").expect("a table");
        let source = Source::open(&original, &ReadOptions::default()).expect("a source");
        let clock = Clock::unlimited();
        amplify(&source, &COLUMNS, 2, records, 7, &target, &clock).expect("a larger table");
        let source = Source::open(&target, &ReadOptions::default()).expect("a larger source");
        read(&source, &COLUMNS, &clock).expect("rows")
    }

    #[test]
    fn a_smaller_table_is_the_beginning_of_a_larger_one() {
        let large = amplified(500);
        assert_eq!(large.len(), 500);
        assert_eq!(large[..3], [["Oslo", "1", "flu"], ["Rome", "2", "flu"], ["a,b", "3", "cold"]]);
        for records in [0, 2, 3, 4, 100] {
            assert_eq!(amplified(records), large[..records as usize]);
        }
    }

    #[test]
    fn variants_keep_what_is_sensitive_and_stay_within_the_domains() {
        let rows = amplified(3000);
        for (position, row) in rows.iter().enumerate() {
            let original = &rows[position % 3];
            assert_eq!(row[2], original[2]);
            assert!(["Oslo", "Rome", "a,b"].contains(&row[0].as_str()));
            assert!(["1", "2", "3"].contains(&row[1].as_str()));
        }
        let same = |column: usize| {
            rows.iter().enumerate().filter(|(at, row)| row[column] == rows[at % 3][column]).count()
        };
        // One or two of the two columns are redrawn: a quarter of the cells stays untouched, and of the others a third is
        // drawn as it was.
        for column in [0, 1] {
            assert!((1350..1650).contains(&same(column)), "{}", same(column));
        }
    }
}
