//! Where releases go: files, memory, or whatever else takes rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::Source;
use super::format::{FileKind, Format};
use super::formula::Formulas;
use super::sink::{RowSink, Sink, SinkColumn};
use super::transactions::{TransactionLists, TransactionSink, TransactionSource};
use super::typed::{BatchWriter, WriteError};
use privet_core::{Error, Result};

/// A table of a release that is about to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewTable<'a> {
    /// What its file is called in a directory, such as `release.csv`.
    pub name: &'a str,
    /// How a file is laid out.
    pub kind: FileKind,
    /// What separates the cells of a CSV file.
    pub delimiter: char,
    /// Its columns.
    pub columns: &'a [SinkColumn],
    /// What becomes of cells that a spreadsheet would run, in delimited text.
    pub formulas: Formulas,
}

/// Transactions of a release that are about to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewTransactions<'a> {
    /// What their file is called in a directory, such as `release.txt`.
    pub name: &'a str,
    /// What separates two items.
    pub separator: char,
    /// What becomes of items that a spreadsheet would run.
    pub formulas: Formulas,
}

/// Where a release goes. Rows come in the order in which they are to be published.
pub trait Destination: Sync {
    /// Begins a table. Several may be written side by side.
    fn table(&self, table: &NewTable<'_>) -> Result<Box<dyn RowSink>>;

    /// Begins a list of transactions.
    fn transactions(&self, transactions: &NewTransactions<'_>) -> Result<Box<dyn RowSink>>;

    /// Whether tables of this kind become text that a spreadsheet may open, so that cells may run as formulas.
    fn is_text(&self, kind: FileKind) -> bool {
        kind.is_text()
    }
}

/// A directory, for one file per table.
#[derive(Debug, Clone)]
pub struct Directory(pub PathBuf);

impl Destination for Directory {
    fn table(&self, table: &NewTable<'_>) -> Result<Box<dyn RowSink>> {
        let path = self.0.join(table.name);
        Ok(Box::new(Sink::create(&path, table.kind, table.delimiter, table.columns, table.formulas)?))
    }

    fn transactions(&self, new: &NewTransactions<'_>) -> Result<Box<dyn RowSink>> {
        Ok(Box::new(TransactionSink::create(&self.0.join(new.name), new.separator, new.formulas)?))
    }
}

/// Tables by their names.
type NamedTables = BTreeMap<String, (SchemaRef, Vec<RecordBatch>)>;

/// A release in memory: tables as Arrow batches, whose columns have types, and transactions as lists.
///
/// The layout of files has no meaning here. Nothing is text that a spreadsheet could open, so no cell is refused or marked as a
/// formula; writers of text files have to see to that.
///
/// ```
/// use privet_data::{CellKind, Destination, FileKind, Formulas, MemoryRelease, NewTable, SinkColumn};
///
/// let release = MemoryRelease::default();
/// let columns = [SinkColumn { name: "age".into(), kind: CellKind::Integer }];
/// let (name, formulas) = ("release.csv", Formulas::Mark);
/// let kind = FileKind::of_path(name.as_ref())?;
/// let mut sink = release.table(&NewTable { name, kind, delimiter: ',', columns: &columns, formulas })?;
/// sink.write(&["34"])?;
/// sink.finish()?;
/// assert_eq!(release.batches(name).expect("a table").1[0].num_rows(), 1);
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryRelease {
    tables: Arc<Mutex<NamedTables>>,
    transactions: Arc<Mutex<BTreeMap<String, Vec<Vec<String>>>>>,
}

impl MemoryRelease {
    /// The names of all tables and transactions, in alphabetical order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = locked(&self.tables).keys().cloned().collect();
        names.extend(locked(&self.transactions).keys().cloned());
        names.sort();
        names
    }

    /// A table as Arrow batches, with their schema.
    pub fn batches(&self, name: &str) -> Option<(SchemaRef, Vec<RecordBatch>)> {
        locked(&self.tables).get(name).cloned()
    }

    /// A table as a source, which can be audited, attacked or summarised.
    pub fn source(&self, name: &str) -> Result<Source> {
        let (schema, batches) = self.batches(name).ok_or_else(|| missing(name))?;
        Source::of_batches(name, &schema, batches)
    }

    /// Transactions as a source.
    pub fn transaction_source(&self, name: &str) -> Result<TransactionSource> {
        let held = locked(&self.transactions);
        let mut lists = TransactionLists::default();
        held.get(name).ok_or_else(|| missing(name))?.iter().try_for_each(|items| lists.push(items))?;
        Ok(TransactionSource::of_lists(name, lists))
    }
}

fn missing(name: &str) -> Error {
    Error::input(format!("the release has no '{name}'"))
}

fn locked<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Destination for MemoryRelease {
    fn table(&self, table: &NewTable<'_>) -> Result<Box<dyn RowSink>> {
        Ok(Box::new(TableInMemory {
            name: table.name.to_string(),
            columns: table.columns.to_vec(),
            writer: BatchWriter::new(Format::Arrow, table.columns),
            batches: Vec::new(),
            tables: Arc::clone(&self.tables),
        }))
    }

    fn transactions(&self, new: &NewTransactions<'_>) -> Result<Box<dyn RowSink>> {
        let name = new.name.to_string();
        Ok(Box::new(ListsInMemory { name, lists: Vec::new(), all: Arc::clone(&self.transactions) }))
    }

    fn is_text(&self, _: FileKind) -> bool {
        false
    }
}

struct TableInMemory {
    name: String,
    columns: Vec<SinkColumn>,
    writer: BatchWriter,
    batches: Vec<RecordBatch>,
    tables: Arc<Mutex<NamedTables>>,
}

impl TableInMemory {
    fn trouble(&self, error: WriteError) -> Error {
        match error {
            WriteError::Io(error) => Error::internal(format!("a batch cannot be made: {error}")),
            WriteError::Kind(index) => self.columns[index].misfit(),
        }
        .in_file(Path::new(&self.name))
    }
}

impl RowSink for TableInMemory {
    fn write(&mut self, cells: &[&str]) -> Result<()> {
        if cells.len() != self.columns.len() {
            let message = format!("a row of {} cells for {} columns", cells.len(), self.columns.len());
            return Err(Error::internal(message).in_file(Path::new(&self.name)));
        }
        let batch = self.writer.write(cells).map_err(|error| self.trouble(error))?;
        self.batches.extend(batch);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let rest = self.writer.flush().map_err(|error| self.trouble(WriteError::Io(error)))?;
        self.batches.extend(rest);
        locked(&self.tables).insert(self.name, (Arc::clone(self.writer.schema()), self.batches));
        Ok(())
    }
}

struct ListsInMemory {
    name: String,
    lists: Vec<Vec<String>>,
    all: Arc<Mutex<BTreeMap<String, Vec<Vec<String>>>>>,
}

impl RowSink for ListsInMemory {
    fn write(&mut self, items: &[&str]) -> Result<()> {
        self.lists.push(items.iter().map(|item| item.to_string()).collect());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        locked(&self.all).insert(self.name, self.lists);
        Ok(())
    }
}
