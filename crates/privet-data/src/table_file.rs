//! Tables in files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::compression::{open_regular, open_text};
use super::first_line::Suspicion;
use super::format::{FileKind, Format};
use super::header::Header;
use super::origin::{Fingerprint, Origin, Version};
use super::rows::{Feed, Rows};
use super::source::{ReadOptions, SourceColumn, UnreadColumn};
use super::text::{Manner, NamesFor};
use super::{columnar, text};
use privet_core::{Error, Result};

/// A table in a file: what its start says.
#[derive(Debug, Clone)]
pub(super) struct TableFile {
    origin: Origin,
    path: PathBuf,
    pub(super) kind: FileKind,
    pub(super) delimiter: Option<char>,
    columns: Vec<SourceColumn>,
    unread: Vec<UnreadColumn>,
    /// The positions of columns that the file has no name for.
    pub(super) nameless: Vec<usize>,
    bytes: u64,
    manner: Manner,
    /// What the rows may show about the first line.
    pub(super) suspicion: Option<Suspicion>,
}

impl TableFile {
    pub(super) fn open(
        path: &Path,
        options: &ReadOptions,
        manner: Manner,
        names_for: NamesFor<'_>,
    ) -> Result<TableFile> {
        // A directory or a path that leads nowhere should be called that, not a file of unknown format.
        let kind = FileKind::of_path(path).or_else(|unknown| open_regular(path).and(Err(unknown)))?;
        let mut file = TableFile {
            origin: Origin::File(path.to_path_buf()),
            path: path.to_path_buf(),
            kind,
            delimiter: None,
            columns: Vec::new(),
            unread: Vec::new(),
            nameless: Vec::new(),
            bytes: 0,
            manner,
            suspicion: None,
        };
        match kind.format {
            Format::Csv | Format::Tsv => {
                let opened = text::open(path, kind, options, manner, names_for)?;
                file.delimiter = Some(opened.delimiter);
                file.manner = opened.manner;
                file.suspicion = opened.suspicion;
                (file.columns, file.nameless, file.bytes) = (opened.columns, opened.nameless, opened.bytes);
            }
            Format::Parquet | Format::Arrow => {
                if matches!(options.header, Header::Absent | Header::Names(_)) {
                    return Err(Error::input(
                        "'header' has no meaning here: the file names its columns itself",
                    )
                    .in_file(path)
                    .help("remove it; it is for delimited text"));
                }
                let (columns, bytes) = columnar::open(path, kind)?;
                if let Some(unread) = columns.unread.first().filter(|_| options.whole) {
                    return Err(unread.error(path));
                }
                (file.columns, file.nameless, file.bytes) = (columns.read, columns.nameless, bytes);
                file.unread = columns.unread;
            }
        }
        Ok(file)
    }

    /// Whether two paths lead to the same file.
    pub(super) fn is_same(&self, other: &TableFile) -> bool {
        let canonical = |path: &Path| fs::canonicalize(path).ok();
        self.path == other.path
            || canonical(&self.path).is_some_and(|path| Some(path) == canonical(&other.path))
    }

    /// Whether the file is delimited text whose first line is taken for names.
    pub(super) fn has_header_line(&self) -> bool {
        self.kind.is_text() && !self.manner.headless
    }

    /// The bytes of delimited text, uncompressed, and its delimiter; `None` for other formats.
    pub(super) fn text(&self) -> Result<Option<(Box<dyn Read + Send>, char)>> {
        let Some(delimiter) = self.delimiter.filter(|_| self.kind.is_text()) else { return Ok(None) };
        Ok(Some((open_text(&self.path, self.kind.compression)?, delimiter)))
    }
}

impl Rows for TableFile {
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
        Version::of_file(&self.path)
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        Fingerprint::of_file(&self.path)
    }

    fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
        match self.kind.format {
            Format::Csv | Format::Tsv => {
                text::produce(&self.path, self.kind, self.delimiter, &self.columns, self.manner, feed)
            }
            Format::Parquet | Format::Arrow => columnar::produce(&self.path, self.kind, &self.columns, feed),
        }
    }
}
