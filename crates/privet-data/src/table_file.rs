//! Tables in files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::OnceLock;

use super::compression::{open_regular, open_text};
use super::encoding::Encoding;
use super::first_line::Suspicion;
use super::format::{FileKind, Format};
use super::header::Header;
use super::json_lines::{self, JsonLines};
use super::origin::{Fingerprint, Origin, Version};
use super::rows::{Feed, Rows};
use super::source::{Quote, ReadOptions, SourceColumn, UnreadColumn};
use super::spool::{Spool, standard_input};
use super::text::{Manner, NamesFor};
use super::workbook::{self, Sheet};
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
    /// Whether the rows showed that the text is Windows-1252.
    late_encoding: Arc<OnceLock<Encoding>>,
    /// The copy that is read in place of what cannot be read twice, or not as a table.
    spool: Option<Arc<Spool>>,
    /// What was chosen in a workbook.
    note: Option<String>,
}

/// What stands for standard input in the place of a file.
const STANDARD_INPUT: &str = "-";

/// Refuses names for the columns of a file that names them itself.
fn refuse_header(options: &ReadOptions, path: &Path) -> Result<()> {
    match options.header {
        Header::Expected | Header::First => Ok(()),
        Header::Absent | Header::Names(_) => {
            Err(Error::input("'header' has no meaning here: the file names its columns itself")
                .in_file(path)
                .help("remove it; it is for delimited text"))
        }
    }
}

impl TableFile {
    pub(super) fn open(
        path: &Path,
        options: &ReadOptions,
        manner: Manner,
        names_for: NamesFor<'_>,
    ) -> Result<TableFile> {
        if path == Path::new(STANDARD_INPUT) {
            let origin = Origin::Other("standard input".to_string());
            return TableFile::spooled(origin, standard_input()?, options, manner, names_for);
        }
        if let Some(compression) = json_lines::of_name(path) {
            refuse_header(options, path)?;
            let JsonLines { spool, names, unread } = json_lines::open(path, compression)?;
            let options = ReadOptions { header: Header::Names(names), ..ReadOptions::with_names(Some(',')) };
            let origin = Origin::File(path.to_path_buf());
            let file = TableFile::spooled(origin, Arc::new(spool), &options, manner, &|_| None)?;
            return Ok(TableFile { unread, ..file });
        }
        if workbook::is_workbook(path) {
            let Sheet { spool, note } = workbook::open(path, options)?;
            let copied = ReadOptions {
                delimiter: Some(','),
                encoding: Some(Encoding::UTF_8),
                quote: Quote::Sign('"'),
                ..options.clone()
            };
            let origin = Origin::File(path.to_path_buf());
            let file = TableFile::spooled(origin, Arc::new(spool), &copied, manner, names_for)?;
            return Ok(TableFile { note, ..file });
        }
        if let Some(key) = options.sheet.as_ref().map(|_| "sheet").or(options.range.as_ref().map(|_| "range"))
        {
            return Err(Error::input(format!("'{key}' has no meaning here: the file is not a workbook"))
                .in_file(path)
                .help("remove it; it is for .xlsx, .xlsm, .xlsb, .xls and .ods"));
        }
        TableFile::open_itself(path, options, manner, names_for)
    }

    /// A copy of data whose origin is another.
    fn spooled(
        origin: Origin,
        spool: Arc<Spool>,
        options: &ReadOptions,
        manner: Manner,
        names_for: NamesFor<'_>,
    ) -> Result<TableFile> {
        let file = TableFile::open_itself(spool.path(), options, manner, names_for);
        let file = file.map_err(|error| error.in_file(&origin))?;
        Ok(TableFile { origin, spool: Some(spool), ..file })
    }

    fn open_itself(
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
            late_encoding: Arc::default(),
            spool: None,
            note: None,
        };
        match kind.format {
            // JSON lines are read from a copy, which is delimited text.
            Format::Csv | Format::Tsv | Format::JsonLines => {
                let opened = text::open(path, kind, options, manner, names_for)?;
                file.delimiter = Some(opened.delimiter);
                file.manner = opened.manner;
                file.suspicion = opened.suspicion;
                (file.columns, file.nameless, file.bytes) = (opened.columns, opened.nameless, opened.bytes);
            }
            Format::Parquet | Format::Arrow => {
                refuse_header(options, path)?;
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
        let place = |file: &'_ TableFile| file.origin.path().unwrap_or(&file.path).to_path_buf();
        let (one, other) = (place(self), place(other));
        let canonical = |path: &Path| fs::canonicalize(path).ok();
        one == other || canonical(&one).is_some_and(|path| Some(path) == canonical(&other))
    }

    /// What was detected that others may not expect.
    pub(super) fn notes(&self) -> Vec<String> {
        if !self.kind.is_text() {
            return Vec::new();
        }
        let name = self.origin.name();
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        let late = self.late_encoding.get().map(|found| found.to_string());
        let found =
            self.manner.encoding.filter(|found| *found != Encoding::UTF_8).map(|found| found.to_string());
        if let Some(encoding) = found.or(late) {
            notes.push(format!("'{name}' is read as {encoding}; releases are UTF-8"));
        }
        match self.manner.layout.skip {
            0 => {}
            1 => notes.push(format!("the first line of '{name}' is not part of the table and is skipped")),
            lines => {
                notes.push(format!(
                    "the first {lines} lines of '{name}' are not part of the table and are skipped"
                ));
            }
        }
        if self.manner.layout.quote == Some(b'\'') {
            notes.push(format!("cells of '{name}' stand in single quotes"));
        }
        notes
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
        Version::of_file(self.origin.path().unwrap_or(&self.path))
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        Fingerprint::of_file(self.origin.path().unwrap_or(&self.path))
    }

    fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
        // A copy has a name that means nothing to anybody.
        self.produce(feed)
            .map_err(|error| if self.spool.is_some() { error.in_file(&self.origin) } else { error })
    }
}

impl TableFile {
    fn produce(&self, feed: &Feed<'_>) -> Result<()> {
        match self.kind.format {
            Format::Csv | Format::Tsv | Format::JsonLines => {
                let late =
                    text::produce(&self.path, self.kind, self.delimiter, &self.columns, self.manner, feed)?;
                if let Some(late) = late {
                    let _ = self.late_encoding.set(late);
                }
                Ok(())
            }
            Format::Parquet | Format::Arrow => columnar::produce(&self.path, self.kind, &self.columns, feed),
        }
    }
}
