//! Tables in Parquet and Arrow files.
//!
//! Their readers may panic on a malformed file, or believe a size that it declares; every call into them goes
//! through [`guard::catch`], after the sizes that can be checked have been.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use hashbrown::HashMap;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::arrays::{NoText, cell_text, kind_of};
use super::cells::{BATCH_ROWS, BadText, BatchBuilder};
use super::compression::{
    Counting, check_compression, check_format, decompress, empty, open_regular, read_error,
};
use super::delimited::RECORD_BYTES;
use super::format::{CellKind, Compression, FileKind, Format};
use super::guard;
use super::header::{check_names, named};
use super::ipc_check;
use super::list_cell::unclear;
use super::rows::Feed;
use super::source::{SourceColumn, Unread, UnreadColumn, changed};
use super::stored;
use privet_core::echoed;
use privet_core::{Error, Result};

/// The result of a call into the readers.
type ArrowResult<T> = std::result::Result<T, ArrowError>;

/// The columns that a schema declares.
#[derive(Debug)]
pub(super) struct Columns {
    /// Those that can be read as text.
    pub(super) read: Vec<SourceColumn>,
    /// The positions of those among them that have no name.
    pub(super) nameless: Vec<usize>,
    /// Those that cannot be read.
    pub(super) unread: Vec<UnreadColumn>,
}

/// Opens a typed file: its columns and its size in bytes.
pub(super) fn open(path: &Path, kind: FileKind) -> Result<(Columns, u64)> {
    let (file, bytes) = uncompressed(path, kind)?;
    let declared =
        guarded(path, kind.format, || Reader::open(file, kind.format).map(|reader| reader.declared))?;
    Ok((columns_of(path, &declared)?, bytes))
}

/// The columns of batches in memory, and the positions of those that can be read, unless all of them can.
pub(super) fn columns_in_memory(place: &Path, schema: &SchemaRef) -> Result<(Columns, Option<Vec<usize>>)> {
    let declared = Declared { schema: Arc::clone(schema), codecs: HashMap::new() };
    Ok((columns_of(place, &declared)?, declared.readable()))
}

/// Streams the rows of a typed file.
pub(super) fn produce(path: &Path, kind: FileKind, columns: &[SourceColumn], feed: &Feed<'_>) -> Result<()> {
    let (file, bytes) = uncompressed(path, kind)?;
    let mut reader = guarded(path, kind.format, || Reader::open(file, kind.format))?;
    if columns_of(path, &reader.declared)?.read != columns {
        return Err(changed(path));
    }
    let mut rows = 0;
    while let Some(batch) = guarded(path, kind.format, || reader.batches.next().transpose())? {
        let consumed = reader.progress.consumed(bytes, rows + batch.num_rows() as u64);
        // Values are decoded lazily, so a malformed file can still make their text panic.
        let sent = guarded(path, kind.format, || Ok(send(path, &batch, rows, consumed, feed)))?;
        if !sent? {
            return Ok(());
        }
        rows += batch.num_rows() as u64;
    }
    match reader.progress {
        Progress::Rows { total } if total != rows => guarded(path, kind.format, || {
            let message = format!("it declares {total} rows and holds {rows}");
            Err(ParquetError::General(message).into())
        }),
        _ => Ok(()),
    }
}

/// Hands the rows of one record batch over as text; false when the consumer has stopped. `path` names the data in messages.
pub(super) fn send(
    path: &Path,
    batch: &RecordBatch,
    rows_before: u64,
    consumed: u64,
    feed: &Feed<'_>,
) -> Result<bool> {
    let columns = batch.num_columns();
    let schema = batch.schema();
    let texts = batch.columns().iter().map(|column| cell_text(column.as_ref()));
    let texts: Vec<_> = texts
        .collect::<Option<_>>()
        .ok_or_else(|| Error::internal("a column of a type that was refused when the file was opened"))?;
    let mut builder = BatchBuilder::recycle(feed.empty(), columns);
    for row in 0..batch.num_rows() {
        let line = rows_before + row as u64 + 1;
        let start = builder.text.len();
        for (column, text) in texts.iter().enumerate() {
            text(row, &mut builder.text).map_err(|trouble| {
                let name = schema.field(column).name();
                if trouble == NoText::Separator {
                    return unclear(name).in_file(path).at_line(line);
                }
                Error::input(format!("the time in column '{name}', row {line}, cannot be written as one"))
                    .in_file(path)
                    .help("years go from -9999 to 9999, and times of day from 00:00:00 to 23:59:59.999999999")
            })?;
            if builder.text.len() - start > RECORD_BYTES {
                let limit = RECORD_BYTES >> 20;
                return Err(Error::input(format!("row {line} is longer than {limit} MB")).in_file(path));
            }
            builder.end_cell();
        }
        builder.lines.push(line);
        if builder.is_full() {
            if !feed.send(builder.finish().map_err(|bad| not_text(path, bad))?, consumed) {
                return Ok(false);
            }
            builder = BatchBuilder::recycle(feed.empty(), columns);
        }
    }
    let rest = builder.finish().map_err(|bad| not_text(path, bad))?;
    Ok(rest.rows() == 0 || feed.send(rest, consumed))
}

pub(super) fn not_text(path: &Path, bad: BadText) -> Error {
    let (row, trouble) = match bad {
        BadText::Nul(row) => (row, "contains a NUL character"),
        BadText::Encoding(row) => (row, "is not valid UTF-8"),
    };
    Error::input(format!("the text of row {row} {trouble}"))
        .in_file(path)
        .help("clean the text columns first")
}

/// What a file declares about its columns.
struct Declared {
    /// All columns, those that are left out as well.
    schema: SchemaRef,
    /// The compression of columns that cannot be unpacked, by their places.
    codecs: HashMap<usize, &'static str>,
}

impl Declared {
    /// What the cells of a column are, or `None` where it cannot be read.
    fn kind(&self, place: usize) -> Option<CellKind> {
        kind_of(self.schema.field(place).data_type()).filter(|_| !self.codecs.contains_key(&place))
    }

    /// The positions of the columns that can be read, unless all of them can.
    fn readable(&self) -> Option<Vec<usize>> {
        let count = self.schema.fields().len();
        let places: Vec<usize> = (0..count).filter(|place| self.kind(*place).is_some()).collect();
        (places.len() < count).then_some(places)
    }
}

/// The columns that a file declares. At least one must be readable.
fn columns_of(path: &Path, declared: &Declared) -> Result<Columns> {
    let fields = declared.schema.fields();
    if fields.is_empty() {
        return Err(Error::input("the table has no columns").in_file(path));
    }
    let given: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let names = named(&given);
    check_names(path, None, names.iter().map(String::as_str))?;
    let mut columns = Columns { read: Vec::new(), nameless: Vec::new(), unread: Vec::new() };
    for (place, name) in names.into_iter().enumerate() {
        match declared.kind(place) {
            Some(kind) => {
                columns.nameless.extend(given[place].trim().is_empty().then_some(columns.read.len()));
                columns.read.push(SourceColumn { name, kind });
            }
            None => {
                let trouble = match declared.codecs.get(&place) {
                    Some(codec) => Unread::Codec(codec),
                    None => Unread::Type(echoed(&fields[place].data_type().to_string())),
                };
                columns.unread.push(UnreadColumn { name, trouble });
            }
        }
    }
    if let Some(unread) = columns.unread.first().filter(|_| columns.read.is_empty()) {
        return Err(unread.error(path));
    }
    Ok(columns)
}

/// The file as its format's reader needs it: seekable, hence unpacked to a nameless file if compressed.
pub(super) fn uncompressed(path: &Path, kind: FileKind) -> Result<(File, u64)> {
    let trouble = |error: io::Error| Error::io("read the data", path, &error);
    let (mut file, bytes) = open_regular(path)?;
    let head = head(&mut file).map_err(trouble)?;
    check_compression(path, &head, kind.compression)?;
    if kind.compression != Compression::None {
        let mut unpacked = tempfile::tempfile()
            .map_err(|error| Error::io("unpack the data into a temporary file", path, &error))?;
        let mut input =
            decompress(file, kind.compression).map_err(|error| read_error(path, kind.compression, &error))?;
        io::copy(&mut input, &mut unpacked).map_err(|error| read_error(path, kind.compression, &error))?;
        file = unpacked;
    }
    let head = self::head(&mut file).map_err(trouble)?;
    if head.is_empty() {
        return Err(empty(path));
    }
    check_format(path, &head, kind.format)?;
    Ok((file, bytes))
}

/// The first bytes of a file, which is left at its start.
fn head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.by_ref().take(8).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(head)
}

/// Calls a reader that may panic; whatever goes wrong says that the file is at fault.
pub(super) fn guarded<T>(path: &Path, format: Format, work: impl FnOnce() -> ArrowResult<T>) -> Result<T> {
    let name = if format == Format::Parquet { "Parquet" } else { "Arrow" };
    let unreadable = |detail: &str| {
        Error::input(format!("this is not a readable {name} file{detail}"))
            .in_file(path)
            .help("the file may be damaged or cut off; write it again, or save it as CSV")
    };
    match guard::catch(work) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(unreadable(&format!(": {error}"))),
        Err(guard::Panicked) => Err(unreadable("")),
    }
}

/// How far a reader has come.
enum Progress {
    /// The number of rows is known.
    Rows { total: u64 },
    /// The bytes taken from the (unpacked) file are counted.
    Bytes { taken: Arc<AtomicU64>, total: u64 },
}

impl Progress {
    /// The share of `bytes` that has been read.
    fn consumed(&self, bytes: u64, rows: u64) -> u64 {
        let (done, total) = match self {
            Progress::Rows { total } => (rows, *total),
            Progress::Bytes { taken, total } => (taken.load(Ordering::Relaxed), *total),
        };
        let share = u128::from(bytes) * u128::from(done.min(total)) / u128::from(total.max(1));
        u64::try_from(share).unwrap_or(bytes)
    }
}

/// A typed file that is being read: of its columns, those that can be.
struct Reader {
    declared: Declared,
    batches: Box<dyn Iterator<Item = ArrowResult<RecordBatch>>>,
    progress: Progress,
}

impl Reader {
    fn open(file: File, format: Format) -> ArrowResult<Reader> {
        if format == Format::Parquet { Reader::parquet(file) } else { Reader::arrow(file, false) }
    }

    fn parquet(file: File) -> ArrowResult<Reader> {
        let length = file.metadata()?.len();
        let pages = Arc::new(file.try_clone()?);
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        let wanted = stored::wanted(metadata.schema(), metadata.metadata());
        let metadata = match wanted == *metadata.schema() {
            true => metadata,
            false => {
                let options = ArrowReaderOptions::new().with_schema(wanted);
                ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)?
            }
        };
        let codecs = stored::unknown_codecs(metadata.metadata());
        let declared = Declared { schema: Arc::clone(metadata.schema()), codecs };
        check_chunks(&pages, metadata.metadata(), length, &declared)?;
        let total = u64::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata).with_batch_size(BATCH_ROWS);
        let builder = match declared.readable() {
            Some(places) => {
                let mask = ProjectionMask::roots(builder.parquet_schema(), places);
                builder.with_projection(mask)
            }
            None => builder,
        };
        Ok(Reader { declared, batches: Box::new(builder.build()?), progress: Progress::Rows { total } })
    }

    /// Reads an Arrow file, or, where `whole` asks for it, also the columns that cannot be shown as text.
    fn arrow(mut file: File, whole: bool) -> ArrowResult<Reader> {
        let total = file.metadata()?.len();
        let stream = !head(&mut file)?.starts_with(b"ARROW1");
        if stream {
            ipc_check::check_stream(&mut file)?;
        } else {
            ipc_check::check_file(&mut file)?;
        }
        file.seek(SeekFrom::Start(0))?;
        let schema = match stream {
            true => StreamReader::try_new(BufReader::new(file.try_clone()?), None)?.schema(),
            false => FileReader::try_new(BufReader::new(file.try_clone()?), None)?.schema(),
        };
        let declared = Declared { schema, codecs: HashMap::new() };
        let places = if whole { None } else { declared.readable() };
        file.seek(SeekFrom::Start(0))?;
        let (file, taken) = Counting::new(file);
        let progress = Progress::Bytes { taken, total };
        let file = BufReader::new(file);
        let batches: Box<dyn Iterator<Item = ArrowResult<RecordBatch>>> = match stream {
            true => Box::new(StreamReader::try_new(file, places)?),
            false => Box::new(FileReader::try_new(file, places)?),
        };
        Ok(Reader { declared, batches, progress })
    }
}

/// The values of all dictionaries of an Arrow file, each once, whether a cell shows them or not.
pub(super) fn dictionary_values(file: File) -> ArrowResult<Vec<Vec<u8>>> {
    let mut values: BTreeSet<Vec<u8>> = BTreeSet::new();
    // Most files have one dictionary for all batches of a column.
    let mut read: Vec<Option<ArrayRef>> = Vec::new();
    for batch in Reader::arrow(file, true)?.batches {
        let batch = batch?;
        read.resize(batch.num_columns(), None);
        for (column, read) in batch.columns().iter().zip(&mut read) {
            let Some(entries) = column.as_any_dictionary_opt().map(|dictionary| dictionary.values()) else {
                continue;
            };
            if read.as_ref().is_some_and(|read| Arc::ptr_eq(read, entries)) {
                continue;
            }
            *read = Some(entries.clone());
            let Some(text) = cell_text(entries) else { continue };
            for entry in (0..entries.len()).filter(|entry| entries.is_valid(*entry)) {
                let mut value = Vec::new();
                if text(entry, &mut value).is_ok() && !values.contains(&value) {
                    values.insert(value);
                }
            }
        }
    }
    Ok(values.into_iter().collect())
}

/// Refuses row counts that contradict each other, column chunks that lie outside the file, and dictionaries that claim more
/// values than they have bytes: the reader would leave rows out, or allocate what is claimed.
///
/// The dictionaries of columns that are left out are not looked at: nobody unpacks them.
fn check_chunks(
    file: &Arc<File>,
    metadata: &ParquetMetaData,
    length: u64,
    declared: &Declared,
) -> ArrowResult<()> {
    let implausible =
        || ParquetError::General("it is cut off, or the sizes it declares cannot be true".into());
    let total = metadata.row_groups().iter().try_fold(0i64, |sum, group| sum.checked_add(group.num_rows()));
    if total != Some(metadata.file_metadata().num_rows()) {
        return Err(implausible().into());
    }
    for group in metadata.row_groups() {
        let rows = usize::try_from(group.num_rows()).map_err(|_| implausible())?;
        for (leaf, chunk) in group.columns().iter().enumerate() {
            // Nulls count as values; only lists have more or fewer of them than rows.
            if chunk.column_descr().max_rep_level() == 0 && chunk.num_values() != group.num_rows() {
                return Err(implausible().into());
            }
            let (start, size) = chunk.byte_range();
            if start.checked_add(size).is_none_or(|end| end > length) {
                return Err(implausible().into());
            }
            let root = metadata.file_metadata().schema_descr().get_column_root_idx(leaf);
            if chunk.dictionary_page_offset().is_none() || declared.kind(root).is_none() {
                continue;
            }
            let mut pages = SerializedPageReader::new(Arc::clone(file), chunk, rows, None)?;
            if let Some(Page::DictionaryPage { buf, num_values, .. }) = pages.get_next_page()?
                && num_values as usize > buf.len()
            {
                return Err(implausible().into());
            }
        }
    }
    Ok(())
}
