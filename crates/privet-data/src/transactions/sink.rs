//! Writing transactions, one per line.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use crate::compression::Encoder;
use crate::format::Compression;
use crate::formula::Formulas;
use crate::sink::{RowSink, TextWriter, write_error};
use privet_core::Result;

/// A file of transactions that is being written, so that [`TransactionSource`](super::TransactionSource) reads the same
/// sets from it: no quotes but the necessary ones, and an empty line for a transaction without items.
pub struct TransactionSink {
    path: PathBuf,
    formulas: Formulas,
    writer: TextWriter,
}

impl TransactionSink {
    /// Creates the file; it must not exist.
    pub fn create(path: &Path, separator: char, formulas: Formulas) -> Result<TransactionSink> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let encoder = file.and_then(|file| Encoder::new(file, Compression::None));
        let encoder = encoder.map_err(|error| write_error(path, &error))?;
        let writer = TextWriter::new(encoder, separator);
        Ok(TransactionSink { path: path.to_path_buf(), formulas, writer })
    }

    /// Writes one transaction.
    pub fn write(&mut self, items: &[&str]) -> Result<()> {
        items.iter().try_for_each(|item| self.formulas.check(&"a transaction", item))?;
        self.writer.write(items).map_err(|error| write_error(&self.path, &error))
    }

    /// Writes what is buffered and waits until it is on disk.
    pub fn finish(self) -> Result<()> {
        self.writer.finish().map_err(|error| write_error(&self.path, &error))
    }
}

impl RowSink for TransactionSink {
    fn write(&mut self, items: &[&str]) -> Result<()> {
        self.write(items)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        (*self).finish()
    }
}
