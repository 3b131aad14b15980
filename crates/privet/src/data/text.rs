//! Tables in delimited text: the header, the rows, and the errors a steward can act on.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{BadText, Batch, BatchBuilder};
use super::compression::{
    Counting, check_compression, check_format, decompress, empty, open_regular, read_error,
};
use super::delimited::{RECORD_BYTES, Record, RecordError, RecordReader};
use super::dialect::{describe, detect_delimiter};
use super::format::{CellKind, FileKind, Format};
use super::header::{MOST_COLUMNS, check_names, too_many_columns};
use super::source::{BatchQueue, SourceColumn, changed};
use crate::{Error, Result};

/// The start of the file that decides on its delimiter, in bytes.
const SAMPLE: u64 = 1 << 17;

/// What the start of a text file tells.
pub(super) struct Opened {
    pub(super) delimiter: char,
    pub(super) columns: Vec<SourceColumn>,
    pub(super) bytes: u64,
}

/// Opens a text file and reads its header.
pub(super) fn open(path: &Path, kind: FileKind, delimiter: Option<char>) -> Result<Opened> {
    let (sample, complete, bytes) = sample(path, kind)?;
    let delimiter = match (delimiter, kind.format) {
        (Some(given), _) => checked_delimiter(given)?,
        (None, Format::Tsv) => '\t',
        (None, _) => detect_delimiter(&sample, complete),
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
        if batch.rows() == 0 || !queue.send(batch, table.consumed.load(Ordering::Relaxed)) {
            return Ok(());
        }
    }
}

/// The first bytes of the text, whether they are all, and the size of the file.
fn sample(path: &Path, kind: FileKind) -> Result<(Vec<u8>, bool, u64)> {
    let (mut file, bytes) = open_regular(path)?;
    let mut head = Vec::new();
    file.by_ref().take(8).read_to_end(&mut head).map_err(|error| Error::io("read the data", path, &error))?;
    check_compression(path, &head, kind.compression)?;
    let whole = io::Cursor::new(head).chain(file);
    let mut sample = Vec::new();
    decompress(whole, kind.compression)
        .and_then(|text| text.take(SAMPLE).read_to_end(&mut sample))
        .map_err(|error| read_error(path, kind.compression, &error))?;
    check_format(path, &sample, kind.format)?;
    if sample.is_empty() || sample == b"\xef\xbb\xbf" {
        return Err(empty(path));
    }
    if sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff") {
        return Err(Error::input("the text is encoded in UTF-16")
            .in_file(path)
            .help("save the file as UTF-8; with iconv: iconv -f UTF-16 -t UTF-8 IN > OUT"));
    }
    let complete = (sample.len() as u64) < SAMPLE;
    Ok((sample, complete, bytes))
}

fn checked_delimiter(delimiter: char) -> Result<char> {
    match delimiter {
        '"' | '\r' | '\n' | '\0' | '\u{feff}' => {
            Err(Error::input("this character cannot be a delimiter").help("usual are , ; | and the tab"))
        }
        _ => Ok(delimiter),
    }
}

/// A text file that is being read.
struct Table<'a> {
    path: &'a Path,
    kind: FileKind,
    records: RecordReader<Box<dyn Read + Send>>,
    delimiter: char,
    consumed: Arc<AtomicU64>,
}

impl<'a> Table<'a> {
    fn open(path: &'a Path, kind: FileKind, delimiter: char) -> Result<Self> {
        let (file, _) = open_regular(path)?;
        let (file, consumed) = Counting::<File>::new(file);
        let text =
            decompress(file, kind.compression).map_err(|error| read_error(path, kind.compression, &error))?;
        Ok(Table { path, kind, records: RecordReader::new(text, delimiter), delimiter, consumed })
    }

    /// Reads the first record: the names of the columns.
    fn header(&mut self) -> Result<Vec<SourceColumn>> {
        let mut builder = BatchBuilder::default();
        let record = self.record(&mut builder, MOST_COLUMNS)?.ok_or_else(|| empty(self.path))?;
        if record.cells > MOST_COLUMNS {
            return Err(too_many_columns(self.path));
        }
        builder.columns = record.cells;
        builder.lines.push(record.line);
        let names = builder.finish().map_err(|bad| self.not_text(bad))?;
        let names: Vec<&str> = (0..record.cells).map(|column| names.cell(0, column)).collect();
        check_names(self.path, Some(record.line), names.iter().copied())?;
        let column = |name: &&str| SourceColumn { name: (*name).to_string(), kind: CellKind::Text };
        Ok(names.iter().map(column).collect())
    }

    /// Reads the next rows; none at the end of the file.
    fn batch(&mut self, recycled: Batch, columns: usize) -> Result<Batch> {
        let mut builder = BatchBuilder::recycle(recycled, columns);
        while !builder.is_full()
            && let Some(record) = self.record(&mut builder, columns)?
        {
            if record.cells != columns {
                return Err(self.uneven(record, columns));
            }
            builder.lines.push(record.line);
        }
        builder.finish().map_err(|bad| self.not_text(bad))
    }

    fn record(&mut self, into: &mut BatchBuilder, wanted: usize) -> Result<Option<Record>> {
        self.records.read(into, wanted).map_err(|error| match error {
            RecordError::Io(error) => read_error(self.path, self.kind.compression, &error),
            RecordError::UnclosedQuote(line) => self
                .at(line, "a double quote opens in this record and never closes".to_string())
                .help("close the quote; a cell that itself contains quotes is written \"like \"\"this\"\"\""),
            RecordError::TooLong(line) => {
                let limit = RECORD_BYTES >> 20;
                self.at(line, format!("the record that begins here is longer than {limit} MB"))
                    .help("look for a double quote that is never closed, or for missing line ends")
            }
        })
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
        self.at(line, message).help(help)
    }

    fn not_text(&self, bad: BadText) -> Error {
        match bad {
            BadText::Nul(line) => self
                .at(line, "the row contains a NUL byte".to_string())
                .help("save the file as plain UTF-8 text; NUL bytes often mean UTF-16 or a damaged file"),
            BadText::Encoding(line) => self
                .at(line, "the row is not valid UTF-8".to_string())
                .help("save the file as UTF-8; with iconv: iconv -f WINDOWS-1252 -t UTF-8 IN > OUT"),
        }
    }

    fn at(&self, line: u64, message: String) -> Error {
        Error::input(message).in_file(self.path).at_line(line)
    }
}
