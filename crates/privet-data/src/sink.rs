//! Writing a table row by row.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::compression::Encoder;
use super::format::{CellKind, FileKind, Format};
use super::formula::{Formulas, marked};
use super::json_lines::JsonWriter;
use super::typed::{TypedWriter, WriteError};
use privet_core::{Error, Result};

/// A column to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkColumn {
    /// The column's name.
    pub name: String,
    /// What its cells are; only typed formats care.
    pub kind: CellKind,
}

impl SinkColumn {
    /// The error for a cell that is not of the column's kind. The cell itself stays out of the message: it may be one that the release
    /// hides.
    pub(super) fn misfit(&self) -> Error {
        let SinkColumn { name, kind } = self;
        Error::internal(format!("a cell of column '{name}' is not of its kind {kind:?}"))
    }
}

/// Where rows go, one by one.
pub trait RowSink: Send {
    /// Takes one row: one text per column, or the items of a transaction.
    fn write(&mut self, cells: &[&str]) -> Result<()>;

    /// Says that there are no more rows. When it returns, they are kept: on disk, in the database, in memory.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A file that is being written.
pub struct Sink {
    path: PathBuf,
    columns: Vec<SinkColumn>,
    formulas: Formulas,
    writer: Writer,
}

enum Writer {
    Text(Box<TextWriter>),
    Typed(Box<TypedWriter>),
    Json(Box<JsonWriter>),
}

impl Sink {
    /// Creates the file; it must not exist. `delimiter` only matters for `Format::Csv`, `formulas` for delimited text.
    pub fn create(
        path: &Path,
        kind: FileKind,
        delimiter: char,
        columns: &[SinkColumn],
        formulas: Formulas,
    ) -> Result<Sink> {
        if kind.is_text() {
            columns.iter().try_for_each(|column| formulas.check(&"the header", &column.name))?;
        }
        let trouble = |error: io::Error| write_error(path, &error);
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(trouble)?;
        let encoder = Encoder::new(file, kind.compression).map_err(trouble)?;
        let writer =
            match kind.format {
                Format::Csv => TextWriter::with_header(encoder, delimiter, columns)
                    .map(|writer| Writer::Text(Box::new(writer))),
                Format::Tsv => TextWriter::with_header(encoder, '\t', columns)
                    .map(|writer| Writer::Text(Box::new(writer))),
                Format::Parquet | Format::Arrow => TypedWriter::new(encoder, kind.format, columns)
                    .map(|writer| Writer::Typed(Box::new(writer))),
                Format::JsonLines => Ok(Writer::Json(Box::new(JsonWriter::new(encoder, columns)))),
            };
        let writer = writer.map_err(trouble)?;
        Ok(Sink { path: path.to_path_buf(), columns: columns.to_vec(), formulas, writer })
    }

    /// Writes one row, one text per column.
    pub fn write(&mut self, cells: &[&str]) -> Result<()> {
        let Sink { path, columns, formulas, writer } = self;
        if cells.len() != columns.len() {
            let message = format!("a row of {} cells for {} columns", cells.len(), columns.len());
            return Err(Error::internal(message).in_file(path.as_path()));
        }
        match writer {
            Writer::Text(writer) => {
                for (column, cell) in columns.iter().zip(cells) {
                    formulas.check(&format_args!("column '{}'", column.name), cell)?;
                }
                writer.write(cells).map_err(|error| write_error(path, &error))
            }
            Writer::Json(writer) => writer.write(cells).map_err(|error| write_error(path, &error)),
            Writer::Typed(writer) => writer.write(cells).map_err(|error| match error {
                WriteError::Io(error) => write_error(path, &error),
                WriteError::Kind(index) => columns[index].misfit().in_file(path.as_path()),
            }),
        }
    }

    /// Writes what is buffered and waits until it is on disk.
    pub fn finish(self) -> Result<()> {
        match self.writer {
            Writer::Text(writer) => writer.finish(),
            Writer::Typed(writer) => writer.finish(),
            Writer::Json(writer) if writer.is_empty() => {
                return Err(Error::input("a release without records cannot be written as JSON lines: they have no place for the names of columns")
                    .help("choose another format, as in --format csv"));
            }
            Writer::Json(writer) => writer.finish(),
        }
        .map_err(|error| write_error(&self.path, &error))
    }
}

impl RowSink for Sink {
    fn write(&mut self, cells: &[&str]) -> Result<()> {
        self.write(cells)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        (*self).finish()
    }
}

pub(super) fn write_error(path: &Path, error: &io::Error) -> Error {
    Error::writing("write the release", path, error)
}

/// Writes delimited text with LF line ends and no quotes but the necessary ones.
pub(super) struct TextWriter {
    encoder: Encoder,
    delimiter: char,
    row: Vec<u8>,
}

impl TextWriter {
    pub(super) fn new(encoder: Encoder, delimiter: char) -> Self {
        TextWriter { encoder, delimiter, row: Vec::new() }
    }

    /// Begins with the header.
    fn with_header(encoder: Encoder, delimiter: char, columns: &[SinkColumn]) -> io::Result<Self> {
        let mut writer = TextWriter::new(encoder, delimiter);
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        writer.write(&names)?;
        Ok(writer)
    }

    /// Writes one row; one without cells is an empty line.
    pub(super) fn write(&mut self, cells: &[&str]) -> io::Result<()> {
        self.row.clear();
        push_row(&mut self.row, cells, self.delimiter);
        self.encoder.write_all(&self.row)
    }

    /// Writes what is buffered and waits until it is on disk.
    pub(super) fn finish(self) -> io::Result<()> {
        self.encoder.finish()
    }
}

/// Adds a row as a line of delimited text; one without cells is an empty line.
pub(super) fn push_row(line: &mut Vec<u8>, cells: &[&str], delimiter: char) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            line.extend_from_slice(delimiter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // The row of a single empty cell would be an empty line, which readers skip.
        let cell = &*marked(cell);
        if needs_quotes(cell, delimiter) || (cell.is_empty() && cells.len() == 1) {
            push_quoted(line, cell);
        } else {
            line.extend_from_slice(cell.as_bytes());
        }
    }
    line.push(b'\n');
}

/// Whether a reader could take the bare cell for something else. Blanks at the ends are quoted because many
/// programs trim bare cells, and a byte order mark because readers skip one at the start of a file.
fn needs_quotes(cell: &str, delimiter: char) -> bool {
    let blank_or_mark = |character: char| character.is_whitespace() || character == '\u{feff}';
    cell.contains([delimiter, '"', '\r', '\n'])
        || cell.starts_with(blank_or_mark)
        || cell.ends_with(blank_or_mark)
}

fn push_quoted(row: &mut Vec<u8>, cell: &str) {
    row.push(b'"');
    for byte in cell.bytes() {
        if byte == b'"' {
            row.push(b'"');
        }
        row.push(byte);
    }
    row.push(b'"');
}
