//! Tables in delimited text: the header, the rows, and the errors a steward can act on.

use std::path::Path;

use super::cells::{Batch, BatchBuilder};
use super::compression::empty;
use super::delimited::Record;
use super::dialect::{describe, detect_delimiter};
use super::format::{CellKind, FileKind, Format};
use super::header::{MOST_COLUMNS, check_names, too_many_columns};
use super::records::{Sample, TextFile};
use super::source::{BatchQueue, SourceColumn, changed};
use crate::{Error, Result};

/// What the start of a text file tells.
pub(super) struct Opened {
    pub(super) delimiter: char,
    pub(super) columns: Vec<SourceColumn>,
    pub(super) bytes: u64,
}

/// Opens a text file and reads its header.
pub(super) fn open(path: &Path, kind: FileKind, delimiter: Option<char>) -> Result<Opened> {
    let Sample { text, complete, bytes } = Sample::of(path, kind)?;
    if text.is_empty() {
        return Err(empty(path));
    }
    let delimiter = match (delimiter, kind.format) {
        (Some(given), _) => checked_delimiter(given)?,
        (None, Format::Tsv) => '\t',
        (None, _) => detect_delimiter(&text, complete),
    };
    let mut table = Table::open(path, kind, delimiter)?;
    let columns = table.header()?;
    Ok(Opened { delimiter, columns, bytes })
}

/// Streams the rows of a text file.
pub(super) fn produce(
    path: &Path,
    kind: FileKind,
    delimiter: Option<char>,
    columns: &[SourceColumn],
    queue: &BatchQueue,
) -> Result<()> {
    let mut table = Table::open(path, kind, delimiter.unwrap_or(','))?;
    if table.header()? != columns {
        return Err(changed(path));
    }
    loop {
        let batch = table.batch(queue.empty(), columns.len())?;
        if batch.rows() == 0 || !queue.send(batch, table.file.consumed()) {
            return Ok(());
        }
    }
}

/// Refuses characters that no file could have between its cells.
pub(super) fn checked_delimiter(delimiter: char) -> Result<char> {
    match delimiter {
        '"' | '\r' | '\n' | '\0' | '\u{feff}' => {
            Err(Error::input("this character cannot be a delimiter").help("usual are , ; | and the tab"))
        }
        _ => Ok(delimiter),
    }
}

/// A table in a text file that is being read.
struct Table<'a> {
    file: TextFile<'a>,
    delimiter: char,
}

impl<'a> Table<'a> {
    fn open(path: &'a Path, kind: FileKind, delimiter: char) -> Result<Self> {
        // A file that was emptied since it was looked at has no header, which is told below.
        Ok(Table { file: TextFile::open(path, kind.compression, delimiter)?, delimiter })
    }

    /// Reads the first record: the names of the columns.
    fn header(&mut self) -> Result<Vec<SourceColumn>> {
        let mut builder = BatchBuilder::default();
        let record = self.file.record(&mut builder, MOST_COLUMNS)?;
        let record = record.ok_or_else(|| empty(self.file.path()))?;
        if record.cells > MOST_COLUMNS {
            return Err(too_many_columns(self.file.path()));
        }
        builder.columns = record.cells;
        builder.lines.push(record.line);
        let names = builder.finish().map_err(|bad| self.file.not_text(bad))?;
        let names: Vec<&str> = (0..record.cells).map(|column| names.cell(0, column)).collect();
        check_names(self.file.path(), Some(record.line), names.iter().copied())?;
        let column = |name: &&str| SourceColumn { name: (*name).to_string(), kind: CellKind::Text };
        Ok(names.iter().map(column).collect())
    }

    /// Reads the next rows; none at the end of the file.
    fn batch(&mut self, recycled: Batch, columns: usize) -> Result<Batch> {
        let mut builder = BatchBuilder::recycle(recycled, columns);
        while !builder.is_full()
            && let Some(record) = self.file.record(&mut builder, columns)?
        {
            if record.cells != columns {
                return Err(self.uneven(record, columns));
            }
            builder.lines.push(record.line);
        }
        builder.finish().map_err(|bad| self.file.not_text(bad))
    }

    fn uneven(&self, record: Record, columns: usize) -> Error {
        let Record { line, cells } = record;
        let delimiter = describe(self.delimiter);
        let count = |number: usize, noun: &str| {
            if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
        };
        let help = if cells > columns {
            format!("cells are separated by {delimiter}; a cell that contains it must stand in double quotes")
        } else {
            format!("cells are separated by {delimiter}; is one missing, or a double quote never closed?")
        };
        let message =
            format!("this row has {}, but the header has {}", count(cells, "cell"), count(columns, "column"));
        self.file.at(line, message).help(help)
    }
}
