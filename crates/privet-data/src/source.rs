//! Tables as streams of rows: a source can be read as often as needed and is never held in memory.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::cells::Batch;
use super::compression::{open_regular, open_text};
use super::first_line::{Recurrence, Suspicion};
use super::format::{CellKind, FileKind, Format};
use super::header::{Header, NO_HEADER, looks_like_a_value, no_names};
use super::selection::{RowSet, Selection};
use super::text::{Manner, NamesFor};
use super::{columnar, text};
use privet_core::suggestion;
use privet_core::{Error, Result};

/// What usually stands between the cells of a line, the likeliest first.
const USUAL_DELIMITERS: [char; 4] = [';', '\t', '|', ','];

/// Batches under way between the reading thread and its consumer.
const BATCHES_AHEAD: usize = 2;

/// What the user says about a file that its name does not.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The delimiter of delimited text; detected when `None`.
    pub delimiter: Option<char>,
    /// Whether delimited text begins with the names of its columns.
    pub header: Header,
    /// Whether a typed file with a column that cannot be read is refused; else such columns are left out.
    pub whole: bool,
}

impl ReadOptions {
    /// With this delimiter.
    pub fn of(delimiter: Option<char>) -> ReadOptions {
        ReadOptions { delimiter, ..ReadOptions::default() }
    }

    /// For a file that is known to name its columns, such as a release, and of which nothing may be overlooked.
    pub fn with_names(delimiter: Option<char>) -> ReadOptions {
        ReadOptions { delimiter, header: Header::First, whole: true }
    }
}

/// A column of a typed file that cannot be read as text, such as one of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadColumn {
    /// The column's name.
    pub name: String,
    /// Why it cannot be read.
    pub trouble: Unread,
}

/// Why a column cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// It is of this type, as the file's format calls it.
    Type(String),
    /// It is compressed in this way.
    Codec(&'static str),
}

/// A column as the file declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceColumn {
    /// The column's name.
    pub name: String,
    /// What its cells are.
    pub kind: CellKind,
}

impl UnreadColumn {
    /// What is wrong with it.
    fn sentence(&self) -> String {
        let name = &self.name;
        match &self.trouble {
            Unread::Type(data_type) => {
                format!("column '{name}' has the type {data_type}, which cannot be read")
            }
            Unread::Codec(codec) => {
                format!("column '{name}' is compressed with {codec}, which is not supported")
            }
        }
    }

    /// What is wrong with it, and what helps.
    fn told(&self) -> (String, String) {
        let help = match self.trouble {
            Unread::Type(_) => {
                "store the column as text, or leave it out; text, numbers, dates, times and booleans can be read"
            }
            Unread::Codec(_) => {
                "write the file again with Snappy, gzip, Zstandard, LZ4 or no compression, or save it as CSV"
            }
        };
        (self.sentence(), help.to_string())
    }

    /// The error for a file that is of no use without it.
    pub(super) fn error(&self, path: &Path) -> Error {
        let (message, help) = self.told();
        Error::input(message).in_file(path).help(help)
    }
}

/// A table in a file: its columns are known, its rows can be streamed any number of times.
#[derive(Debug, Clone)]
pub struct Source {
    path: PathBuf,
    kind: FileKind,
    delimiter: Option<char>,
    columns: Vec<SourceColumn>,
    unread: Vec<UnreadColumn>,
    /// The positions of columns that the file has no name for.
    nameless: Vec<usize>,
    bytes: u64,
    manner: Manner,
    /// The rows that are read; all where there is none.
    selection: Option<Selection>,
    /// What the rows may show about the first line.
    suspicion: Option<Suspicion>,
}

impl Source {
    /// Opens a table and reads its columns.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Source> {
        Source::open_in(path, options, Manner::default(), &|_| None)
    }

    /// Opens a table that a machine kept: what is not UTF-8 is replaced, and there may be no header. `names_for` sees the
    /// first record and names the columns if it is a row.
    pub(super) fn open_log(
        path: &Path,
        options: &ReadOptions,
        quotes: bool,
        names_for: NamesFor<'_>,
    ) -> Result<Source> {
        let manner = Manner { headless: false, unquoted: !quotes, lossy: true };
        Source::open_in(path, options, manner, names_for)
    }

    fn open_in(
        path: &Path,
        options: &ReadOptions,
        manner: Manner,
        names_for: NamesFor<'_>,
    ) -> Result<Source> {
        // A folder or a path that leads nowhere should be called that, not a file of unknown format.
        let kind = FileKind::of_path(path).or_else(|unknown| open_regular(path).and(Err(unknown)))?;
        let mut source = Source {
            path: path.to_path_buf(),
            kind,
            delimiter: None,
            columns: Vec::new(),
            unread: Vec::new(),
            nameless: Vec::new(),
            bytes: 0,
            manner,
            selection: None,
            suspicion: None,
        };
        match kind.format {
            Format::Csv | Format::Tsv => {
                let opened = text::open(path, kind, options, manner, names_for)?;
                source.delimiter = Some(opened.delimiter);
                source.manner = opened.manner;
                source.suspicion = opened.suspicion;
                (source.columns, source.nameless, source.bytes) =
                    (opened.columns, opened.nameless, opened.bytes);
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
                (source.columns, source.nameless, source.bytes) = (columns.read, columns.nameless, bytes);
                source.unread = columns.unread;
            }
        }
        Ok(source)
    }

    /// The columns of a typed file that cannot be read and are left out.
    pub fn unread(&self) -> &[UnreadColumn] {
        &self.unread
    }

    /// What a user who sees the columns for the first time should know about their names and types, as sentences.
    pub fn remarks(&self) -> Vec<String> {
        let named = self.nameless.iter().map(|at| {
            let name = &self.columns[*at].name;
            format!("column {} has no name in the file; it is called '{name}' here", at + 1)
        });
        let unread = self.unread.iter().map(|column| format!("{}; it is left out", column.sentence()));
        named.chain(unread).collect()
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is laid out.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// The delimiter of delimited text.
    pub fn delimiter(&self) -> Option<char> {
        self.delimiter
    }

    /// The columns, in the file's order.
    pub fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    /// The position of the column with this name, where there is one.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The position of the column with this name, which must be there.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.find(name).ok_or_else(|| {
            let (message, help) = self.lacks(name);
            Error::input(message).in_file(&self.path).help(help)
        })
    }

    /// What is wrong with a column that cannot be had, and what helps.
    pub fn lacks(&self, name: &str) -> (String, String) {
        match self.unread.iter().find(|column| column.name == name) {
            Some(column) => column.told(),
            None => (format!("the data has no column '{name}'"), self.help_for_column(name)),
        }
    }

    /// What helps somebody who names a column that is not there.
    fn help_for_column(&self, name: &str) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let divides = |delimiter: &&char| matches!(names[..], [all] if all.contains(**delimiter));
        match USUAL_DELIMITERS.iter().find(divides) {
            Some(delimiter) => format!(
                "the whole first line is one column, and there is '{0}' in it: set delimiter = \"{0}\" in [data]?",
                delimiter.escape_default()
            ),
            None if self.may_lack_header(&names) => NO_HEADER.to_string(),
            None => suggestion(name, &names, "its columns"),
        }
    }

    /// Whether the first line may be a record: a name that looks like a value, or that is one further down its column.
    fn may_lack_header(&self, names: &[&str]) -> bool {
        if !matches!(self.kind.format, Format::Csv | Format::Tsv) || self.manner.headless {
            return false;
        }
        let mut found = names.iter().any(|name| looks_like_a_value(name));
        if !found {
            // One batch is enough. What cannot be read is told elsewhere.
            let _ = self.read(&mut |batch, _| {
                let mut rows = 0..batch.rows();
                found =
                    rows.any(|row| (0..names.len()).any(|column| batch.cell(row, column) == names[column]));
                Err(Error::internal("enough was read"))
            });
        }
        found
    }

    /// The bytes of delimited text, uncompressed, and its delimiter; `None` for other formats.
    pub fn text(&self) -> Result<Option<(Box<dyn Read + Send>, char)>> {
        let Some(delimiter) = self.delimiter.filter(|_| self.kind.is_text()) else { return Ok(None) };
        Ok(Some((open_text(&self.path, self.kind.compression)?, delimiter)))
    }

    /// The size of the file in bytes, for progress.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The same table as if these rows were not in it.
    pub fn without(&self, rows: Arc<RowSet>) -> Source {
        Source { selection: Some(Selection::new(rows, false)), ..self.clone() }
    }

    /// The delimiter of a release in CSV: that of the data where it is CSV too, else a comma.
    pub fn csv_delimiter(&self) -> char {
        self.delimiter().filter(|_| self.kind().format == Format::Csv).unwrap_or(',')
    }

    /// The same table as if no other rows were in it.
    pub fn only(&self, rows: Arc<RowSet>) -> Source {
        Source { selection: Some(Selection::new(rows, true)), ..self.clone() }
    }

    /// Streams all rows in order. `each` gets the batch and how many bytes of the file have been consumed so
    /// far. The next batches are parsed meanwhile, in a thread that ends before this function returns.
    pub fn read(&self, each: &mut dyn FnMut(&Batch, u64) -> Result<()>) -> Result<()> {
        let (full, batches) = sync_channel(BATCHES_AHEAD);
        let (used, empties) = sync_channel(BATCHES_AHEAD + 1);
        thread::scope(|scope| {
            let producer = thread::Builder::new()
                .name("privet-read".to_string())
                .spawn_scoped(scope, move || self.produce(&BatchQueue { full, empties }))
                .map_err(|error| Error::io("start a thread to read the data", &self.path, &error))?;
            let mut consumed = Ok(());
            let mut before = 0;
            let names = self.columns.iter().map(|column| column.name.as_str());
            let mut recurrence = self.suspicion.map(|suspicion| Recurrence::new(suspicion, names));
            for (mut batch, bytes) in batches {
                let rows = batch.rows();
                if let Some(recurrence) = &mut recurrence {
                    recurrence.look(&batch);
                }
                if let Some(selection) = &self.selection {
                    batch.retain(|row| selection.takes(before + row));
                }
                before += rows;
                consumed = each(&batch, bytes);
                if consumed.is_err() {
                    break;
                }
                // When no room is left, the buffers are dropped and the producer allocates new ones.
                let _ = used.try_send(batch);
            }
            // The loop has dropped its end of the queue: a producer that is still at work stops at its next batch.
            let produced = producer.join().unwrap_or_else(|_| {
                Err(Error::internal("the reader of the data failed").in_file(&self.path))
            });
            consumed.and(produced)?;
            match recurrence.and_then(|recurrence| recurrence.record()) {
                Some(line) => Err(no_names(&self.path, line)),
                None => Ok(()),
            }
        })
    }

    fn produce(&self, queue: &BatchQueue) -> Result<()> {
        match self.kind.format {
            Format::Csv | Format::Tsv => {
                text::produce(&self.path, self.kind, self.delimiter, &self.columns, self.manner, queue)
            }
            Format::Parquet | Format::Arrow => columnar::produce(&self.path, self.kind, &self.columns, queue),
        }
    }
}

/// The producer's end of a running read.
pub(super) struct BatchQueue {
    full: SyncSender<(Batch, u64)>,
    empties: Receiver<Batch>,
}

impl BatchQueue {
    /// A batch whose buffers can be filled again: a used one, or else a new one.
    pub(super) fn empty(&self) -> Batch {
        self.empties.try_recv().unwrap_or_default()
    }

    /// Hands a batch over; false when the consumer has stopped.
    pub(super) fn send(&self, batch: Batch, bytes: u64) -> bool {
        self.full.send((batch, bytes)).is_ok()
    }
}

/// The error for a file that is no longer what it was when it was opened.
pub(super) fn changed(path: &Path) -> Error {
    Error::input("the file changed while it was being read")
        .in_file(path)
        .help("run again when nothing writes to the file any more")
}
