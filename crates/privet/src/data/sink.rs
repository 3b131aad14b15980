//! Writing a table row by row.

use std::path::Path;

use super::format::{CellKind, FileKind};
use crate::Result;

/// A column to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkColumn {
    /// The column's name.
    pub name: String,
    /// What its cells are; only typed formats care.
    pub kind: CellKind,
}

/// A file that is being written.
pub struct Sink {}

impl Sink {
    /// Creates the file; it must not exist. `delimiter` only matters for `Format::Csv`.
    pub fn create(_path: &Path, _kind: FileKind, _delimiter: u8, _columns: &[SinkColumn]) -> Result<Sink> {
        todo!()
    }

    /// Writes one row, one text per column.
    pub fn write(&mut self, _cells: &[&str]) -> Result<()> {
        todo!()
    }

    /// Writes what is buffered and waits until it is on disk.
    pub fn finish(self) -> Result<()> {
        todo!()
    }
}
