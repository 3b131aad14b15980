//! Files of transactions: one set of items per line, or one line per item with the transaction that it belongs to.

use std::path::{Path, PathBuf};

use super::{Compression, FileKind, Source};
use crate::{Error, Result};

/// How a file holds transactions.
#[derive(Debug, Clone)]
pub enum Form {
    /// One transaction per line, its items between separators; an empty line is a transaction without items.
    Lines {
        /// What stands between two items.
        separator: char,
        /// How the file is compressed.
        compression: Compression,
    },
    /// A table with one row per item: a column names the transaction, another the item. Transactions come in the order
    /// in which they first appear; an empty item makes a transaction without (further) items.
    Long {
        /// The table.
        table: Source,
        /// The position of the column that names the transaction.
        id: usize,
        /// The position of the column that holds the item.
        item: usize,
    },
}

/// A file of transactions.
#[derive(Debug, Clone)]
pub struct TransactionSource {
    path: PathBuf,
    form: Form,
}

/// One transaction as the file has it.
#[derive(Debug, Clone, Copy)]
pub struct Transaction<'a> {
    /// The line that it begins on; in the long form, the one that first names it.
    pub line: u64,
    /// The items as written, duplicates included.
    pub items: &'a [&'a str],
}

impl TransactionSource {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it holds transactions.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Hands every transaction to `each`, with the number of bytes read so far.
    pub fn read(&self, _each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>) -> Result<()> {
        Err(Error::internal("not built"))
    }

    /// The file's size.
    pub fn bytes(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len())
    }

    /// What the file is: text lines are CSV here.
    pub fn kind(&self) -> FileKind {
        match &self.form {
            Form::Lines { compression, .. } => {
                FileKind { format: super::Format::Csv, compression: *compression }
            }
            Form::Long { table, .. } => table.kind(),
        }
    }
}
