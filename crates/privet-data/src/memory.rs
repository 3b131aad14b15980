//! Tables in memory: Arrow batches, whose columns keep their types, and rows of text.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::cells::BatchBuilder;
use super::columnar::{self, Columns};
use super::format::CellKind;
use super::header::check_names;
use super::origin::{Fingerprint, Origin, Version};
use super::rows::{Feed, Rows, hashed};
use super::source::{SourceColumn, UnreadColumn};
use super::{Batch, delimited};
use privet_core::{Error, Result};

/// A table in memory. Nobody can change it, so one reading is like the next.
#[derive(Debug)]
pub(super) struct MemoryTable {
    origin: Origin,
    columns: Vec<SourceColumn>,
    unread: Vec<UnreadColumn>,
    content: Content,
    bytes: u64,
    fingerprint: OnceLock<Fingerprint>,
}

#[derive(Debug)]
enum Content {
    /// With the columns that can be read.
    Typed(Vec<RecordBatch>),
    Text(Vec<Batch>),
}

impl MemoryTable {
    fn new(name: &str, columns: Columns, content: Content, bytes: usize) -> MemoryTable {
        MemoryTable {
            origin: Origin::Memory(name.to_string()),
            columns: columns.read,
            unread: columns.unread,
            content,
            bytes: bytes as u64,
            fingerprint: OnceLock::new(),
        }
    }

    /// Takes Arrow batches, all of this schema. Columns of types that cannot be read are left out.
    pub(super) fn of_batches(
        name: &str,
        schema: &SchemaRef,
        batches: impl IntoIterator<Item = RecordBatch>,
    ) -> Result<MemoryTable> {
        let place = PathBuf::from(&Origin::Memory(name.to_string()));
        let (columns, readable) = columnar::columns_in_memory(&place, schema)?;
        let mut typed = Vec::new();
        for (number, batch) in (1u64..).zip(batches) {
            if batch.schema().fields() != schema.fields() {
                return Err(Error::input(format!("batch {number} has other columns than the schema says"))
                    .in_file(&place)
                    .help("give all batches the same columns, of the same types and in the same order"));
            }
            let kept = match &readable {
                Some(places) => batch.project(places),
                None => Ok(batch),
            };
            typed.push(kept.map_err(|error| Error::internal(error.to_string()).in_file(&place))?);
        }
        let bytes = typed.iter().map(RecordBatch::get_array_memory_size).sum();
        Ok(MemoryTable::new(name, columns, Content::Typed(typed), bytes))
    }

    /// Takes rows of text cells.
    pub(super) fn of_rows<C: AsRef<str>>(
        name: &str,
        columns: &[&str],
        rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
    ) -> Result<MemoryTable> {
        let place = PathBuf::from(&Origin::Memory(name.to_string()));
        if columns.is_empty() {
            return Err(Error::input("the table has no columns").in_file(&place));
        }
        check_names(&place, None, columns.iter().copied())?;
        let (mut batches, mut bytes) = (Vec::new(), 0);
        let mut builder = BatchBuilder::recycle(Batch::default(), columns.len());
        for (line, row) in (1u64..).zip(rows) {
            push(&mut builder, row, line, &place)?;
            if builder.is_full() {
                let full =
                    std::mem::replace(&mut builder, BatchBuilder::recycle(Batch::default(), columns.len()));
                bytes += full.text.len();
                batches.push(full.finish().map_err(|bad| columnar::not_text(&place, bad))?);
            }
        }
        bytes += builder.text.len();
        batches.push(builder.finish().map_err(|bad| columnar::not_text(&place, bad))?);
        let read = columns.iter().map(|name| SourceColumn { name: name.to_string(), kind: CellKind::Text });
        let columns = Columns { read: read.collect(), nameless: Vec::new(), unread: Vec::new() };
        Ok(MemoryTable::new(name, columns, Content::Text(batches), bytes))
    }
}

/// Adds a row that must have a cell for every column.
fn push<C: AsRef<str>>(
    builder: &mut BatchBuilder,
    row: impl IntoIterator<Item = C>,
    line: u64,
    place: &Path,
) -> Result<()> {
    let (start, mut cells) = (builder.text.len(), 0);
    for cell in row {
        builder.text.extend_from_slice(cell.as_ref().as_bytes());
        if builder.text.len() - start > delimited::RECORD_BYTES {
            let limit = delimited::RECORD_BYTES >> 20;
            return Err(Error::input(format!("row {line} is longer than {limit} MB")).in_file(place));
        }
        builder.end_cell();
        cells += 1;
    }
    builder.lines.push(line);
    if cells != builder.columns {
        let columns = builder.columns;
        return Err(Error::input(format!("row {line} has {cells} cells for {columns} columns"))
            .in_file(place)
            .help("give every row one cell for each column; an empty cell is an empty text"));
    }
    Ok(())
}

impl Rows for MemoryTable {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    fn unread(&self) -> &[UnreadColumn] {
        &self.unread
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn version(&self) -> Option<Version> {
        Some(Version::named("in memory"))
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        if let Some(known) = self.fingerprint.get() {
            return Ok(known.clone());
        }
        let found = hashed(self)?;
        Ok(self.fingerprint.get_or_init(|| found).clone())
    }

    fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
        let mut done = 0;
        match &self.content {
            Content::Typed(batches) => {
                for batch in batches {
                    done += batch.get_array_memory_size() as u64;
                    if !feed.arrow(batch, done)? {
                        break;
                    }
                }
            }
            Content::Text(batches) => {
                for batch in batches {
                    done += batch.bytes();
                    if !feed.send(batch.clone(), done) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
