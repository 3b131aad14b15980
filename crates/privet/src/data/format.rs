//! Which file formats there are, and how a file's name tells them apart.

use std::path::Path;

use crate::Result;

/// How a table is laid out in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Delimited text (`.csv`).
    Csv,
    /// Tab-separated text (`.tsv`).
    Tsv,
    /// Apache Parquet (`.parquet`).
    Parquet,
    /// Arrow IPC, file or stream (`.arrow`).
    Arrow,
}

/// How the bytes of the file are compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (`.gz`).
    Gzip,
    /// Zstandard (`.zst`).
    Zstd,
}

/// A format and its compression, as in `csv.gz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    /// The layout.
    pub format: Format,
    /// The compression around it.
    pub compression: Compression,
}

/// What the cells of a column are in a typed file; delimited text is all `Text`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Characters.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Float,
    /// `true` or `false`.
    Boolean,
}

impl FileKind {
    /// Reads the kind off a file's name (`data.csv.gz`).
    pub fn of_path(_path: &Path) -> Result<FileKind> {
        todo!()
    }

    /// Reads a kind as users write it after `--format` (`csv`, `tsv.zst`, `parquet`, `arrow`).
    pub fn parse(_text: &str) -> Result<FileKind> {
        todo!()
    }

    /// The file name extension, as in `csv.gz`.
    pub fn extension(self) -> String {
        todo!()
    }
}
