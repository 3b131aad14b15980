//! One transaction per line.
//!
//! The grammar is that of delimited text, but for two points: an empty line is a transaction without items, and cells
//! that are empty or blank are not items. With a blank between the items (the numbers of the FIMI repository) this makes a
//! run of blanks one separator, and blanks at the ends of a line none.

use std::path::Path;

use super::{Form, Transaction, is_item};
use crate::cells::{Batch, BatchBuilder};
use crate::delimited::RecordReader;
use crate::encoding::Encoding;
use crate::format::{Compression, FileKind, Format, format_of, split_compression};
use crate::records::{Sample, TextFile};
use crate::text::checked_delimiter;
use privet_core::{Error, Result};

/// The separators that are looked for, the most usual first; a blank is a case of its own.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Transactions between two ticks.
const TICK: u32 = 1 << 12;

pub(super) fn open(path: &Path, separator: Option<char>, encoding: Option<Encoding>) -> Result<Form> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, compression) = split_compression(&name);
    let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
    let format = format_of(extension);
    if matches!(format, Some(Format::Parquet | Format::Arrow)) {
        return Err(Error::input("a table of this format holds no lines of items").in_file(path).help(
            "set form = \"long\" in [data], and name its columns: id = \"transaction\", item = \"item\"",
        ));
    }
    let sample = Sample::of(path, FileKind { format: Format::Csv, compression }, encoding, false)?;
    let separator = match (separator, format) {
        (Some(given), _) => checked_delimiter(given).map_err(|error| error.in_file(path))?,
        (None, Some(Format::Tsv)) => '\t',
        (None, _) if extension.eq_ignore_ascii_case("dat") => ' ',
        (None, _) => detect(&sample.text),
    };
    let encoding = sample.encoding;
    Ok(Form::Lines { path: path.to_path_buf(), separator, compression, encoding, names_person: false })
}

/// How lines are read.
pub(super) struct Manner {
    pub separator: char,
    pub compression: Compression,
    pub encoding: Option<Encoding>,
    /// Whether the first cell names the person.
    pub names_person: bool,
}

pub(super) fn read(
    path: &Path,
    manner: Manner,
    each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<()> {
    let Manner { separator, compression, encoding, names_person } = manner;
    let mut file = TextFile::open(path, compression, encoding, separator)?.with_empty_lines();
    let mut batch = Batch::default();
    let mut until_tick = TICK;
    loop {
        let mut builder = BatchBuilder::recycle(batch, 0);
        let Some(record) = file.record(&mut builder, usize::MAX)? else { return tick(file.consumed()) };
        builder.columns = record.cells;
        builder.lines.push(record.line);
        batch = builder.finish().map_err(|bad| file.not_text(bad))?;
        let mut cells = (0..record.cells).map(|cell| batch.cell(0, cell));
        let person = if names_person { cells.next().map(str::trim) } else { None };
        if names_person && person.is_none_or(str::is_empty) {
            return Err(Error::input("the line names no person: its first cell is empty")
                .in_file(path)
                .at_line(record.line)
                .help("begin every line with the person whose transaction it is, also one without items"));
        }
        let items: Vec<&str> = cells.filter(|cell| is_item(cell)).collect();
        each(&Transaction { line: record.line, items: &items, person, times: 1 }, file.consumed())?;
        until_tick -= 1;
        if until_tick == 0 {
            until_tick = TICK;
            tick(file.consumed())?;
        }
    }
}

/// The separator that occurs most often, tried with the real grammar so that one inside quotes never counts.
///
/// Items are words more often than numbers, and words have blanks: only where nothing else separates and all that blanks
/// separate are whole numbers, the blank does.
fn detect(sample: &[u8]) -> char {
    let mut best = (0, None);
    for candidate in SEPARATORS {
        let count = separators(sample, candidate);
        if count > best.0 {
            best = (count, Some(candidate));
        }
    }
    match best.1 {
        Some(separator) => separator,
        None if are_numbers_with_blanks(sample) => ' ',
        None => SEPARATORS[0],
    }
}

/// How often a character separates two cells of the sample.
fn separators(sample: &[u8], candidate: char) -> usize {
    let mut reader = RecordReader::new(sample, candidate);
    let mut scratch = BatchBuilder::default();
    let mut count = 0;
    // An unclosed quote ends the sample as any cut does; the reader of the whole file will complain.
    while let Ok(Some(record)) = reader.read(&mut scratch, 0) {
        count += record.cells - 1;
        scratch.text.clear();
    }
    count
}

fn are_numbers_with_blanks(sample: &[u8]) -> bool {
    sample.contains(&b' ') && sample.iter().all(|byte| byte.is_ascii_digit() || b" \r\n".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_most_frequent_one_outside_quotes() {
        for (sample, separator) in [
            ("a,b,c\nd\n", ','),
            ("a;b\nc;d;e\n", ';'),
            ("a\tb\nmilk, whole\n\tc\n", '\t'),
            ("a|b\n", '|'),
            ("\"a;b;c\",d\n", ','),
            ("whole milk\nbeer\n", ','),
            ("1 2 3\n4 5\n", ' '),
            ("1 2 3\r\n\r\n4 \r\n", ' '),
            ("1\n2\n", ','),
            ("HIV test,1 2\n", ','),
            ("", ','),
        ] {
            assert_eq!(detect(sample.as_bytes()), separator, "{sample:?}");
        }
    }
}
