//! Tables as streams of rows: a source can be read as often as needed, wherever its rows are.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::cells::Batch;
use super::compression::open_text;
use super::counts::CountColumn;
use super::encoding::Encoding;
use super::first_line::Recurrence;
use super::format::{CellKind, Compression, FileKind, Format};
use super::header::{Header, NO_HEADER, looks_like_a_value, no_names};
use super::json_lines;
use super::many_files::{ManyFiles, expanded};
use super::memory::MemoryTable;
use super::origin::{Fingerprint, Origin, Version};
use super::reading::{Reading, Readings};
use super::rewriting::{Rewrite, Rewriting};
use super::rows::{Rows, streamed};
use super::selection::{RowSet, Selection};
use super::table_file::TableFile;
use super::text::{Manner, NamesFor};
use privet_core::Digest;
use privet_core::suggestion;
use privet_core::{Error, Result};

/// What usually stands between the cells of a line, the likeliest first.
const USUAL_DELIMITERS: [char; 4] = [';', '\t', '|', ','];

/// What the user says about a file that its name does not.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The delimiter of delimited text; detected when `None`.
    pub delimiter: Option<char>,
    /// Whether delimited text begins with the names of its columns.
    pub header: Header,
    /// Whether a typed file with a column that cannot be read is refused; else such columns are left out.
    pub whole: bool,
    /// The encoding of text; detected when `None`.
    pub encoding: Option<Encoding>,
    /// What stands around a cell of delimited text that holds delimiters.
    pub quote: Quote,
    /// What a line begins with that is not part of a table; an ASCII character.
    pub comment: Option<char>,
    /// How many lines there are before the table; detected when `None`.
    pub skip: Option<u64>,
    /// The sheet of a workbook; the first one when `None`.
    pub sheet: Option<String>,
    /// The cells of the sheet, as in `B3:F200`; all when `None`.
    pub range: Option<String>,
}

/// What stands around a cell of delimited text that holds delimiters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Quote {
    /// Double quotes, or single ones where the first line shows it.
    #[default]
    Detected,
    /// This ASCII character.
    Sign(char),
    /// Nothing: quotes are characters like any other.
    Nothing,
}

impl ReadOptions {
    /// With this delimiter.
    pub fn of(delimiter: Option<char>) -> ReadOptions {
        ReadOptions { delimiter, ..ReadOptions::default() }
    }

    /// For a file that is known to name its columns, such as a release. Nothing of it may be overlooked.
    pub fn with_names(delimiter: Option<char>) -> ReadOptions {
        ReadOptions {
            delimiter,
            header: Header::First,
            whole: true,
            encoding: Some(Encoding::UTF_8),
            quote: Quote::Sign('"'),
            comment: None,
            skip: Some(0),
            ..ReadOptions::default()
        }
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
    fn explained(&self) -> (String, String) {
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
        let (message, help) = self.explained();
        Error::input(message).in_file(path).help(help)
    }
}

/// A table: its columns are known, its rows can be streamed any number of times.
///
/// ```
/// use privet_data::Source;
///
/// let source = Source::of_rows("people", &["age", "city"], [["34", "Cork"], ["61", "Galway"]])?;
/// let mut ages = Vec::new();
/// source.read(&mut |batch, _| {
///     ages.extend((0..batch.rows()).map(|row| batch.cell(row, 0).to_string()));
///     Ok(())
/// })?;
/// assert_eq!(ages, ["34", "61"]);
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Source {
    table: Table,
    /// What separates the cells of a release in CSV, where the table is not delimited text itself.
    delimiter: Option<char>,
    /// How often each row is there; once where there is none.
    counts: Option<Arc<CountColumn>>,
    /// The rows that are read; all where there is none.
    selection: Option<Selection>,
    /// How some columns are read; as they are where there is none.
    readings: Option<Arc<Readings>>,
    /// How cells are rewritten after that; not at all where there is none.
    rewriting: Option<Arc<Rewriting>>,
    /// The digest of the rows, where the table holds less than these were.
    digest: Option<Digest>,
}

/// Gets a batch, how often each of its rows is there, and the bytes that are done.
pub type EachCounted<'a> = &'a mut dyn FnMut(&Batch, &[u64], u64) -> Result<()>;

/// What holds the rows.
#[derive(Debug, Clone)]
enum Table {
    File(Arc<TableFile>),
    Files(Arc<ManyFiles>),
    Other(Arc<dyn Rows>),
}

impl Source {
    /// Opens a table in a file and reads its columns. `-` is standard input, and `*` and `?` in a file's name stand for several
    /// files that are one table.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Source> {
        Source::open_files(&[path.to_path_buf()], options)
    }

    /// Opens several files that are one table: all have the same columns.
    pub fn open_files(paths: &[PathBuf], options: &ReadOptions) -> Result<Source> {
        let mut files = Vec::new();
        for path in paths {
            for path in expanded(path)? {
                files.push(TableFile::open(&path, options, Manner::default(), &|_| None)?);
            }
        }
        match files.len() {
            1 => Ok(Source::of_file(files.remove(0))),
            _ => ManyFiles::of(files).map(|files| Source::of_table(Table::Files(Arc::new(files)))),
        }
    }

    /// Opens a table that a machine kept: what is not UTF-8 is replaced, and there may be no header. `names_for` sees the
    /// first record and names the columns if it is a row.
    pub(super) fn open_log(
        path: &Path,
        options: &ReadOptions,
        quotes: bool,
        names_for: NamesFor<'_>,
    ) -> Result<Source> {
        let quote = if quotes { options.quote } else { Quote::Nothing };
        let options = ReadOptions { quote, ..options.clone() };
        let manner = Manner { lossy: true, ..Manner::default() };
        TableFile::open(path, &options, manner, names_for).map(Source::of_file)
    }

    fn of_file(file: TableFile) -> Source {
        Source::of_table(Table::File(Arc::new(file)))
    }

    fn of_table(table: Table) -> Source {
        Source {
            table,
            delimiter: None,
            counts: None,
            selection: None,
            readings: None,
            rewriting: None,
            digest: None,
        }
    }

    /// A table that something else holds.
    pub fn of(rows: impl Rows + 'static) -> Source {
        Source::of_table(Table::Other(Arc::new(rows)))
    }

    /// A table of Arrow batches in memory, all of one schema. Typed columns stay typed and nulls are missing values; columns of types
    /// that cannot be read are left out, as those of a Parquet file are. `name` is what messages and reports call it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use privet_data::arrow_array::{Int64Array, RecordBatch, StringArray};
    /// use privet_data::{CellKind, Source};
    ///
    /// let ages = Arc::new(Int64Array::from(vec![Some(34), None]));
    /// let cities = Arc::new(StringArray::from(vec!["Cork", "Galway"]));
    /// let batch = RecordBatch::try_from_iter([("age", ages as _), ("city", cities as _)]).expect("a batch");
    /// let source = Source::of_batches("people", &batch.schema(), [batch])?;
    /// assert_eq!(source.columns()[0].kind, CellKind::Integer);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn of_batches(
        name: &str,
        schema: &SchemaRef,
        batches: impl IntoIterator<Item = RecordBatch>,
    ) -> Result<Source> {
        MemoryTable::of_batches(name, schema, batches).map(Source::of)
    }

    /// A table of text cells in memory. `name` is what messages and reports call it.
    pub fn of_rows<C: AsRef<str>>(
        name: &str,
        columns: &[&str],
        rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
    ) -> Result<Source> {
        MemoryTable::of_rows(name, columns, rows).map(Source::of)
    }

    /// A table in memory by its distinct rows, each with how often it is there. Whatever reads it finds every row that often; a
    /// [summary](super::Summary) is made from the counts as they are.
    ///
    /// ```
    /// use privet_data::{MissingRule, Source, Summary};
    ///
    /// let counts = [(["34", "Cork"], 3), (["61", "Galway"], 1_000_000)];
    /// let source = Source::of_counts("people", &["age", "city"], counts)?;
    /// let missing = MissingRule { spellings: vec!["".into()], keep: false };
    /// let summary = Summary::read(&source, &[0, 1], &missing, &mut |_| Ok(()))?;
    /// assert_eq!((summary.len(), summary.total()), (2, 1_000_003));
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn of_counts<C: AsRef<str>>(
        name: &str,
        columns: &[&str],
        counts: impl IntoIterator<Item = (impl IntoIterator<Item = C>, u64)>,
    ) -> Result<Source> {
        let mut title = "count".to_string();
        while columns.contains(&title.as_str()) {
            title.push('_');
        }
        let names: Vec<&str> = columns.iter().copied().chain([title.as_str()]).collect();
        let rows = counts.into_iter().map(|(row, count)| {
            let cells = row.into_iter().map(|cell| Cow::Owned(cell.as_ref().to_string()));
            cells.chain([Cow::<str>::Owned(count.to_string())]).collect::<Vec<_>>()
        });
        Source::of_rows(name, &names, rows)?.counted_by(&title)
    }

    /// The same table, where this column says how often each row is there. It is not a column of the table any more.
    pub fn counted_by(self, column: &str) -> Result<Source> {
        if self.counts.is_some() || self.selection.is_some() {
            return Err(Error::internal("the rows of this table are counted already").in_file(self.origin()));
        }
        let counts = Arc::new(CountColumn::new(self.position(column)?, self.columns()));
        Ok(Source { counts: Some(counts), ..self })
    }

    /// The same table, where the digest of its rows is known: they have more columns elsewhere, where they were counted.
    pub fn with_digest(self, digest: Digest) -> Source {
        Source { digest: Some(digest), ..self }
    }

    /// The digest of the rows, where it does not follow from the table.
    pub(super) fn digest(&self) -> Option<&Digest> {
        self.digest.as_ref()
    }

    fn rows(&self) -> &dyn Rows {
        match &self.table {
            Table::File(file) => &**file,
            Table::Files(files) => &**files,
            Table::Other(rows) => &**rows,
        }
    }

    /// The file, or the first of several.
    fn file(&self) -> Option<&TableFile> {
        self.files().first()
    }

    fn files(&self) -> &[TableFile] {
        match &self.table {
            Table::File(file) => std::slice::from_ref(file),
            Table::Files(files) => files.files(),
            Table::Other(_) => &[],
        }
    }

    /// Whether two sources stand for the same table, by where it is and not by what it holds.
    pub fn is_same(&self, other: &Source) -> bool {
        match (&self.table, &other.table) {
            (Table::File(one), Table::File(other)) => one.is_same(other),
            (Table::Files(one), Table::Files(other)) => {
                let (one, other) = (one.files(), other.files());
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
            }
            (Table::Other(one), Table::Other(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The columns of a typed file that cannot be read and are left out.
    pub fn unread(&self) -> &[UnreadColumn] {
        self.rows().unread()
    }

    /// Refuses a table with columns that cannot be read, where nothing may be overlooked.
    pub fn check_whole(&self) -> Result<()> {
        match self.unread().first() {
            Some(unread) => Err(unread.error(&PathBuf::from(self.origin()))),
            None => Ok(()),
        }
    }

    /// What a user who sees the columns for the first time should know about their names and types, as sentences.
    pub fn remarks(&self) -> Vec<String> {
        let nameless = self.file().map_or(&[][..], |file| &file.nameless);
        let named = nameless.iter().map(|at| {
            let name = &self.columns()[*at].name;
            format!("column {} has no name in the file; it is called '{name}' here", at + 1)
        });
        let unread = self.unread().iter().map(|column| format!("{}; it is left out", column.sentence()));
        named.chain(unread).chain(self.notes()).collect()
    }

    /// What was detected about a file that others may not expect, as sentences. Some of it shows only when all rows were read.
    pub fn notes(&self) -> Vec<String> {
        self.files().iter().flat_map(TableFile::notes).collect()
    }

    /// Where the table comes from.
    pub fn origin(&self) -> &Origin {
        self.rows().origin()
    }

    /// The state that the table is in now.
    pub fn version(&self) -> Option<Version> {
        self.rows().version()
    }

    /// What the table holds.
    pub fn fingerprint(&self) -> Result<Fingerprint> {
        self.rows().fingerprint()
    }

    /// How the file is laid out. What is not a file counts as CSV: its releases are written so unless something else is asked for.
    pub fn kind(&self) -> FileKind {
        self.file().map_or(FileKind { format: Format::Csv, compression: Compression::None }, |file| file.kind)
    }

    /// The delimiter of delimited text.
    pub fn delimiter(&self) -> Option<char> {
        self.file().and_then(|file| file.delimiter)
    }

    /// The columns, in their order.
    pub fn columns(&self) -> &[SourceColumn] {
        self.counts.as_ref().map_or(self.rows().columns(), |counts| counts.others())
    }

    /// The position of the column with this name, where there is one.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column.name == name)
    }

    /// The position of the column with this name, which must be there.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.find(name).ok_or_else(|| {
            let (message, help) = self.lacks(name);
            Error::input(message).in_file(self.origin()).help(help)
        })
    }

    /// What is wrong with a column that cannot be had, and what helps.
    pub fn lacks(&self, name: &str) -> (String, String) {
        match self.unread().iter().find(|column| column.name == name) {
            Some(column) => column.explained(),
            None => (format!("the data has no column '{name}'"), self.help_for_column(name)),
        }
    }

    /// What helps somebody who names a column that is not there.
    fn help_for_column(&self, name: &str) -> String {
        let names: Vec<&str> = self.columns().iter().map(|column| column.name.as_str()).collect();
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
        if !self.file().is_some_and(TableFile::has_header_line) {
            return false;
        }
        let mut found = names.iter().any(|name| looks_like_a_value(name));
        if !found {
            // One batch is enough. What cannot be read is reported elsewhere.
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
        match &self.table {
            Table::File(file) => file.text(),
            Table::Files(_) | Table::Other(_) => Ok(None),
        }
    }

    /// The text of a file of JSON lines, unpacked; `None` for other tables.
    pub fn json_lines(&self) -> Result<Option<Box<dyn Read + Send>>> {
        let Some(path) = self.origin().path() else { return Ok(None) };
        json_lines::of_name(path).map(|compression| open_text(path, compression)).transpose()
    }

    /// About how large the table is, in bytes, for progress.
    pub fn bytes(&self) -> u64 {
        self.rows().bytes()
    }

    /// The same table, where the cells of some columns, by position, are read as dates or numbers. Whatever reads the table finds
    /// ISO dates and plain numbers. Empty cells and the spellings of a missing value stay as they are, and any other cell that
    /// cannot be read so is an error. What was said about columns before is forgotten.
    ///
    /// ```
    /// use privet_data::{DateFormat, Reading, Source};
    ///
    /// let people = Source::of_rows("people", &["born"], [["31/01/1942"], ["?"]])?;
    /// let read = people.read_as(vec![(0, Reading::Date(DateFormat::parse("%d/%m/%Y")?))], &["?".to_string()]);
    /// let mut cells = Vec::new();
    /// read.read(&mut |batch, _| Ok(cells.extend((0..batch.rows()).map(|row| batch.cell(row, 0).to_string()))))?;
    /// assert_eq!(cells, ["1942-01-31", "?"]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    #[must_use]
    pub fn read_as(self, columns: Vec<(usize, Reading)>, missing: &[String]) -> Source {
        let place = |column: usize| self.counts.as_ref().map_or(column, |counts| counts.position(column));
        let columns: Vec<(usize, Reading)> =
            columns.into_iter().map(|(column, reading)| (place(column), reading)).collect();
        let readings = (!columns.is_empty()).then(|| Arc::new(Readings::new(columns, missing)));
        Source { readings, rewriting: None, ..self }
    }

    /// The same table, where cells get another text before anything else sees them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use privet_data::{Rewrite, RowCells, Source};
    ///
    /// #[derive(Debug)]
    /// struct Initials;
    ///
    /// impl Rewrite for Initials {
    ///     fn columns(&self) -> Vec<usize> {
    ///         vec![0]
    ///     }
    ///
    ///     fn text(&self, row: &RowCells<'_>, column: usize) -> privet_core::Result<Option<String>> {
    ///         Ok(row.cell(column).chars().next().map(String::from))
    ///     }
    /// }
    ///
    /// let people = Source::of_rows("people", &["name"], [["Ann"], ["Bob"]])?.rewritten(Arc::new(Initials));
    /// let mut cells = Vec::new();
    /// people.read(&mut |batch, _| Ok(cells.extend((0..batch.rows()).map(|row| batch.cell(row, 0).to_string()))))?;
    /// assert_eq!(cells, ["A", "B"]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    #[must_use]
    pub fn rewritten(self, rewrite: Arc<dyn Rewrite>) -> Source {
        let stored = self.rows().columns().len();
        let rewriting = Rewriting::new(rewrite, self.columns().len(), self.counts.as_deref(), stored);
        Source { rewriting: Some(Arc::new(rewriting)), ..self }
    }

    /// The same table with its own cells.
    #[must_use]
    pub fn unrewritten(&self) -> Source {
        Source { rewriting: None, ..self.clone() }
    }

    /// The same table as if these rows were not in it.
    pub fn without(&self, rows: Arc<RowSet>) -> Source {
        Source { selection: Some(Selection::new(rows, false)), ..self.clone() }
    }

    /// The same table, whose releases in CSV have this delimiter unless the data have one of their own.
    pub fn released_with(self, delimiter: Option<char>) -> Source {
        Source { delimiter, ..self }
    }

    /// The delimiter of a release in CSV: that of the data where it is CSV too, else the one that was asked for or a comma.
    pub fn csv_delimiter(&self) -> char {
        self.delimiter().filter(|_| self.kind().format == Format::Csv).or(self.delimiter).unwrap_or(',')
    }

    /// The same table as if no other rows were in it.
    pub fn only(&self, rows: Arc<RowSet>) -> Source {
        Source { selection: Some(Selection::new(rows, true)), ..self.clone() }
    }

    /// Streams all rows in order. `each` gets the batch and how many bytes of the table have been consumed so
    /// far. The next batches are parsed meanwhile, in a thread that ends before this function returns.
    pub fn read(&self, each: &mut dyn FnMut(&Batch, u64) -> Result<()>) -> Result<()> {
        let mut before = 0;
        let mut chosen = |mut batch: Batch, bytes: u64| {
            let rows = batch.rows();
            if let Some(selection) = &self.selection {
                batch.retain(|row| selection.takes(before + row));
            }
            before += rows;
            each(&batch, bytes)?;
            Ok(Some(batch))
        };
        match &self.counts {
            None => self.stream(&mut chosen),
            Some(counts) => self.stream(&mut |batch, bytes| {
                let times = counts.of(&batch, self.origin())?;
                counts.repeated(&batch, &times, &mut |batch| chosen(batch, bytes).map(drop))?;
                Ok(Some(batch))
            }),
        }
    }

    /// The first rows, as they are read.
    ///
    /// ```
    /// # use privet_data::Source;
    /// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"]])?;
    /// assert_eq!(people.head(2)?, [["34"], ["36"]]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn head(&self, most: usize) -> Result<Vec<Vec<String>>> {
        let mut rows = Vec::new();
        let read = self.read(&mut |batch, _| {
            let wanted = batch.rows().min(most - rows.len());
            rows.extend((0..wanted).map(|row| batch.cells(row).map(String::from).collect::<Vec<_>>()));
            // There is no other way to end a stream early.
            if rows.len() >= most { Err(Error::interrupted()) } else { Ok(()) }
        });
        match read {
            Err(_) if rows.len() >= most => Ok(rows),
            read => read.map(|()| rows),
        }
    }

    /// Streams rows with how often each of them is there: a [counted](Source::counted_by) table is not spelt out.
    pub fn read_counted(&self, each: EachCounted<'_>) -> Result<()> {
        match &self.counts {
            Some(counts) if self.selection.is_none() => self.stream(&mut |batch, bytes| {
                let times = counts.of(&batch, self.origin())?;
                each(&counts.stripped(&batch), &times, bytes)?;
                Ok(Some(batch))
            }),
            _ => {
                let mut once = Vec::new();
                self.read(&mut |batch, bytes| {
                    once.resize(batch.rows(), 1);
                    each(batch, &once, bytes)
                })
            }
        }
    }

    fn stream(&self, each: &mut dyn FnMut(Batch, u64) -> Result<Option<Batch>>) -> Result<()> {
        let file = match &self.table {
            Table::File(file) => Some(file),
            Table::Files(_) | Table::Other(_) => None,
        };
        let names = file.into_iter().flat_map(|file| file.columns()).map(|column| column.name.as_str());
        let suspicion = file.and_then(|file| file.suspicion);
        let mut recurrence = suspicion.map(|suspicion| Recurrence::new(suspicion, names));
        streamed(self.rows(), &mut |batch, bytes| {
            if let Some(recurrence) = &mut recurrence {
                recurrence.look(&batch);
            }
            let batch = match &self.readings {
                Some(readings) => readings.read(batch, self.rows().columns(), self.origin())?,
                None => batch,
            };
            let batch = match &self.rewriting {
                Some(rewriting) => rewriting.read(&batch, self.origin())?,
                None => batch,
            };
            each(batch, bytes)
        })?;
        match recurrence.and_then(|recurrence| recurrence.record()) {
            Some(line) => Err(no_names(&PathBuf::from(self.origin()), line)),
            None => Ok(()),
        }
    }
}

/// The error for a file that is no longer what it was when it was opened.
pub(super) fn changed(path: &Path) -> Error {
    Error::input("the file changed while it was being read")
        .in_file(path)
        .help("run again when nothing writes to the file any more")
}
