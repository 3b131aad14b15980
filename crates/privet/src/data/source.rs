//! Tables as streams of rows: a source can be read as often as needed and is never held in memory.

use std::path::Path;

use super::format::{CellKind, FileKind};
use crate::Result;

/// What the user says about a file that its name does not.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The delimiter of delimited text; detected when `None`.
    pub delimiter: Option<u8>,
}

/// A column as the file declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceColumn {
    /// The column's name.
    pub name: String,
    /// What its cells are.
    pub kind: CellKind,
}

/// A table in a file: its columns are known, its rows can be streamed any number of times.
#[derive(Debug, Clone)]
pub struct Source {}

/// A run of consecutive rows, every cell as text.
#[derive(Debug, Default, Clone)]
pub struct Batch {}

impl Batch {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        todo!()
    }

    /// The text of one cell; a null of a typed file is the empty text.
    pub fn cell(&self, _row: usize, _column: usize) -> &str {
        todo!()
    }

    /// The place of a row for messages: the line in delimited text, the row number (from 1) elsewhere.
    pub fn line(&self, _row: usize) -> u64 {
        todo!()
    }
}

impl Source {
    /// Opens a table and reads its columns.
    pub fn open(_path: &Path, _options: &ReadOptions) -> Result<Source> {
        todo!()
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        todo!()
    }

    /// How it is laid out.
    pub fn kind(&self) -> FileKind {
        todo!()
    }

    /// The delimiter of delimited text.
    pub fn delimiter(&self) -> Option<u8> {
        todo!()
    }

    /// The columns, in the file's order.
    pub fn columns(&self) -> &[SourceColumn] {
        todo!()
    }

    /// The size of the file in bytes, for progress.
    pub fn bytes(&self) -> u64 {
        todo!()
    }

    /// Streams all rows in order. `each` gets the batch and how many bytes of the file have been consumed so far.
    pub fn read(&self, _each: &mut dyn FnMut(&Batch, u64) -> Result<()>) -> Result<()> {
        todo!()
    }
}
