//! Tables in delimited text: the header, the rows, and the errors a steward can act on.

use std::path::Path;

use super::cells::{Batch, BatchBuilder};
use super::compression::empty;
use super::delimited::{Layout, Record};
use super::dialect::{Dialect, describe};
use super::encoding::Encoding;
use super::first_line::{Evidence, Suspicion};
use super::format::{CellKind, FileKind, Format};
use super::header::{Header, MOST_COLUMNS, check_names, named, nameless, no_names, too_many_columns};
use super::records::{Sample, TextFile};
use super::rows::Feed;
use super::source::{ReadOptions, SourceColumn, changed};
use privet_core::{Error, ErrorKind, Result};

/// What the start of a text file tells.
pub(super) struct Opened {
    pub(super) delimiter: char,
    pub(super) columns: Vec<SourceColumn>,
    /// The positions of those that the header has no name for.
    pub(super) nameless: Vec<usize>,
    pub(super) bytes: u64,
    pub(super) manner: Manner,
    /// What the rows may still show: that the first line is one of them.
    pub(super) suspicion: Option<Suspicion>,
}

/// How a text file departs from what a table should be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Manner {
    /// The first line is a row.
    pub(super) headless: bool,
    /// Its encoding; `None` where it was ASCII as far as anybody looked.
    pub(super) encoding: Option<Encoding>,
    /// Its quotes, comments and first lines.
    pub(super) layout: Layout,
    /// Bytes that are not UTF-8 are replaced.
    pub(super) lossy: bool,
}

/// Names for the columns of a file whose first record is a row; `None` if it is a header.
pub(super) type NamesFor<'a> = &'a dyn Fn(&[&str]) -> Option<Vec<String>>;

/// Opens a text file and reads its header.
pub(super) fn open(
    path: &Path,
    kind: FileKind,
    options: &ReadOptions,
    mut manner: Manner,
    names_for: NamesFor<'_>,
) -> Result<Opened> {
    let Sample { text, encoding, complete, bytes } = Sample::of(path, kind, options.encoding, manner.lossy)?;
    if text.is_empty() {
        return Err(empty(path));
    }
    let delimiter = match (options.delimiter, kind.format) {
        (Some(given), _) => Some(checked_delimiter(given)?),
        (None, Format::Tsv) => Some('\t'),
        (None, _) => None,
    };
    let Dialect { delimiter, layout } = Dialect::detect(&text, complete, delimiter, options);
    (manner.encoding, manner.layout) = (encoding, layout);
    let mut table = Table::open(path, kind, delimiter, manner)?;
    let (first, width) = table.first()?;
    let cells: Vec<&str> = (0..width).map(|column| first.cell(0, column)).collect();
    let given = match &options.header {
        Header::Expected | Header::Absent => names_for(&cells),
        Header::First | Header::Names(_) => None,
    };
    let given = if given.is_some() { given } else { options.header.names(path, width)? };
    manner.headless = given.is_some();
    let mut suspicion = None;
    let (names, nameless) = match given {
        Some(names) => (names, Vec::new()),
        None => {
            // A log that a machine kept has names of its own, if any.
            let judged = options.header == Header::Expected && !manner.lossy;
            // What cannot be read is reported when the rows are.
            if judged && let Ok(rows) = table.batch(Batch::default(), width) {
                let evidence = Evidence::of(&cells, &rows);
                if evidence.is_record() {
                    return Err(no_names(path, first.line(0)));
                }
                suspicion = Some(Suspicion { line: first.line(0), names: evidence.names });
            }
            let names = named(&cells);
            check_names(path, Some(first.line(0)), names.iter().map(String::as_str))?;
            (names, nameless(&cells))
        }
    };
    let columns = names.into_iter().map(|name| SourceColumn { name, kind: CellKind::Text }).collect();
    Ok(Opened { delimiter, columns, nameless, bytes, manner, suspicion })
}

/// Streams the rows of a text file, and says whether it turned out to be Windows-1252.
pub(super) fn produce(
    path: &Path,
    kind: FileKind,
    delimiter: Option<char>,
    columns: &[SourceColumn],
    manner: Manner,
    feed: &Feed<'_>,
) -> Result<Option<Encoding>> {
    let mut table = Table::open(path, kind, delimiter.unwrap_or(','), manner)?;
    if !manner.headless {
        let (header, width) = table.first()?;
        let names = named(&(0..width).map(|column| header.cell(0, column)).collect::<Vec<_>>());
        if !names.iter().eq(columns.iter().map(|column| &column.name)) {
            return Err(changed(path));
        }
    }
    loop {
        let batch = table.batch(feed.empty(), columns.len())?;
        if batch.rows() == 0 || !feed.send(batch, table.file.consumed()) {
            return Ok(table.file.late_encoding());
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
    manner: Manner,
}

impl<'a> Table<'a> {
    fn open(path: &'a Path, kind: FileKind, delimiter: char, manner: Manner) -> Result<Self> {
        // A file that was emptied since it was looked at has no header, which is reported below.
        let file = TextFile::open(path, kind.compression, manner.encoding, delimiter)?;
        Ok(Table { file: file.laid_out(manner.layout), delimiter, manner })
    }

    /// Reads the first record, as a rule the names of the columns, and tells how many cells it has.
    fn first(&mut self) -> Result<(Batch, usize)> {
        let mut builder = BatchBuilder::default();
        let record = self.file.record(&mut builder, MOST_COLUMNS)?;
        let record = record.ok_or_else(|| empty(self.file.path()))?;
        if record.cells > MOST_COLUMNS {
            return Err(too_many_columns(self.file.path()));
        }
        builder.columns = record.cells;
        builder.lines.push(record.line);
        Ok((self.finish(builder)?, record.cells))
    }

    fn finish(&self, builder: BatchBuilder) -> Result<Batch> {
        let batch = if self.manner.lossy { builder.finish_lossy() } else { builder.finish() };
        batch.map_err(|bad| self.file.not_text(bad))
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
        self.finish(builder)
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
        let first = if self.manner.headless { "table" } else { "header" };
        let message = format!(
            "this row has {}, but the {first} has {}",
            count(cells, "cell"),
            count(columns, "column")
        );
        self.file.at(line, message).help(help).of_kind(ErrorKind::UnevenRows)
    }
}
