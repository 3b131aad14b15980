//! Transactions: one set of items per line, one row per item with the transaction that it belongs to, or lists in memory.

mod lines;
mod lists;
mod long;
mod sink;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use lists::TransactionLists;
pub use sink::TransactionSink;

use super::compression::open_text;
use super::{
    Compression, Encoding, FileKind, Fingerprint, Format, Header, Origin, ReadOptions, Source, Version,
};
use privet_core::{Error, Result};

/// The separator of a release whose data had none of its own.
const SEPARATOR: char = ',';

/// What the user says about a file of transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransactionOptions {
    /// One transaction per line.
    Lines {
        /// What stands between two items; detected when `None`.
        separator: Option<char>,
    },
    /// A table with one row per item.
    Long {
        /// The column that names the transaction.
        id: String,
        /// The column that holds the item.
        item: String,
        /// The delimiter of delimited text; detected when `None`.
        delimiter: Option<char>,
        /// Whether delimited text begins with the names of its columns.
        header: Header,
    },
}

impl Default for TransactionOptions {
    fn default() -> Self {
        TransactionOptions::Lines { separator: None }
    }
}

/// What holds transactions.
#[derive(Debug, Clone)]
pub enum Form {
    /// One transaction per line, its items between separators; an empty line is a transaction without items.
    Lines {
        /// The file.
        path: PathBuf,
        /// What stands between two items.
        separator: char,
        /// How the file is compressed.
        compression: Compression,
        /// Its encoding; `None` where its beginning is ASCII.
        encoding: Option<Encoding>,
        /// Whether the first cell of a line is not an item but names the person whose transaction it is.
        names_person: bool,
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
        /// The position of the column that names the person whose transaction it is, where one does.
        person: Option<usize>,
    },
    /// Lists in memory.
    Lists {
        /// The lists.
        lists: Arc<TransactionLists>,
        /// Whether it matters whose they are.
        names_person: bool,
    },
}

/// What [`TransactionSource::with_person`] calls the first cell of a line.
pub const FIRST_CELL: &str = "first";

/// Transactions that can be read any number of times; lines are never held in memory.
#[derive(Debug, Clone)]
pub struct TransactionSource {
    origin: Origin,
    form: Form,
}

/// One transaction as the data have it.
#[derive(Debug, Clone, Copy)]
pub struct Transaction<'a> {
    /// The line that it begins on; in the long form, the one that first names it.
    pub line: u64,
    /// The items as written, duplicates included. None is empty or blank.
    pub items: &'a [&'a str],
    /// Who has it, without blanks around the name; `None` where the data do not say.
    pub person: Option<&'a str>,
    /// How often it is there: 1 unless it is [read with counts](TransactionSource::read_counted).
    pub times: u64,
}

/// Whether a cell names an item: one of blanks alone does not, wherever it comes from.
fn is_item(cell: &str) -> bool {
    !cell.trim().is_empty()
}

impl TransactionSource {
    /// Opens a file of transactions.
    ///
    /// ```
    /// use privet_data::{TransactionOptions, TransactionSource};
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("baskets.csv");
    /// # std::fs::write(&path, "milk,\"beer, dark\"\n\nmilk\n").expect("written");
    /// let source = TransactionSource::open(&path, &TransactionOptions::default())?;
    /// let mut sizes = Vec::new();
    /// source.read(&mut |transaction, _| Ok(sizes.push(transaction.items.len())))?;
    /// assert_eq!(sizes, [2, 0, 1]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn open(path: &Path, options: &TransactionOptions) -> Result<TransactionSource> {
        TransactionSource::open_encoded(path, options, None)
    }

    /// Opens a file of transactions in an encoding that is known.
    pub fn open_encoded(
        path: &Path,
        options: &TransactionOptions,
        encoding: Option<Encoding>,
    ) -> Result<TransactionSource> {
        let form = match options {
            TransactionOptions::Lines { separator } => lines::open(path, *separator, encoding)?,
            TransactionOptions::Long { id, item, delimiter, header } => {
                let header = header.clone();
                let options = ReadOptions { header, encoding, ..ReadOptions::of(*delimiter) };
                return TransactionSource::of_table(Source::open(path, &options)?, id, item);
            }
        };
        Ok(TransactionSource { origin: Origin::File(path.to_path_buf()), form })
    }

    /// Transactions in a table with one row per item, which need not be a file: a column names the transaction, another the item.
    pub fn of_table(table: Source, id: &str, item: &str) -> Result<TransactionSource> {
        let (id, item) = (table.position(id)?, table.position(item)?);
        Ok(TransactionSource {
            origin: table.origin().clone(),
            form: Form::Long { table, id, item, person: None },
        })
    }

    /// Transactions in memory. `name` is what messages and reports call them.
    ///
    /// ```
    /// use privet_data::{TransactionLists, TransactionSource};
    ///
    /// let mut lists = TransactionLists::default();
    /// lists.push(["milk", "beer"])?;
    /// lists.push_times(["milk"], 1000)?;
    /// let source = TransactionSource::of_lists("baskets", lists);
    /// let mut count = 0;
    /// source.read(&mut |_, _| Ok(count += 1))?;
    /// assert_eq!(count, 1001);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn of_lists(name: &str, lists: TransactionLists) -> TransactionSource {
        let form = Form::Lists { lists: Arc::new(lists), names_person: false };
        TransactionSource { origin: Origin::Memory(name.to_string()), form }
    }

    /// The same file, which also says whose each transaction is: in a column of the long form, or in the [first
    /// cell](FIRST_CELL) of every line.
    ///
    /// ```
    /// use privet_data::{TransactionOptions, TransactionSource};
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("baskets.csv");
    /// # std::fs::write(&path, "ann,milk,beer\nbob,milk\nann\n").expect("written");
    /// let source = TransactionSource::open(&path, &TransactionOptions::default())?.with_person("first")?;
    /// let mut people = Vec::new();
    /// source.read(&mut |transaction, _| {
    ///     people.push((transaction.person.map(String::from), transaction.items.len()));
    ///     Ok(())
    /// })?;
    /// assert_eq!(people, [(Some("ann".into()), 2), (Some("bob".into()), 1), (Some("ann".into()), 0)]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn with_person(mut self, name: &str) -> Result<TransactionSource> {
        match &mut self.form {
            Form::Lines { names_person, .. } if name == FIRST_CELL => *names_person = true,
            Form::Lines { .. } => {
                return Err(Error::input(format!(
                    "lines of items have no column '{name}': only the first cell of a line can name the person"
                ))
                .in_file(&self.origin)
                .help(format!(
                    "begin every line with the person and set person = \"{FIRST_CELL}\"; or set form = \"long\" and name \
                     the columns"
                )));
            }
            Form::Lists { lists, names_person } => {
                lists.check_people().map_err(|error| error.in_file(&self.origin))?;
                *names_person = true;
            }
            Form::Long { table, item, person, .. } => {
                let column = table.position(name)?;
                if column == *item {
                    return Err(Error::input(format!("'item' and 'person' both name the column '{name}'"))
                        .in_file(&self.origin)
                        .help("a row has its item in one column and the person in another"));
                }
                *person = Some(column);
            }
        }
        Ok(self)
    }

    /// Whether the data say whose transactions they are.
    pub fn names_people(&self) -> bool {
        match &self.form {
            Form::Lines { names_person, .. } | Form::Lists { names_person, .. } => *names_person,
            Form::Long { person, .. } => person.is_some(),
        }
    }

    /// Where the transactions come from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The state that they are in now.
    pub fn version(&self) -> Option<Version> {
        match &self.form {
            Form::Lines { path, .. } => Version::of_file(path),
            Form::Long { table, .. } => table.version(),
            Form::Lists { .. } => Some(Version::named("in memory")),
        }
    }

    /// What they hold.
    pub fn fingerprint(&self) -> Result<Fingerprint> {
        match &self.form {
            Form::Lines { path, .. } => Fingerprint::of_file(path),
            Form::Long { table, .. } => table.fingerprint(),
            Form::Lists { lists, .. } => Ok(lists.fingerprint()),
        }
    }

    /// What holds them.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// What a release of these transactions has between two items: what they have, or else a comma.
    pub fn separator(&self) -> char {
        match &self.form {
            Form::Lines { separator, .. } => *separator,
            Form::Long { .. } | Form::Lists { .. } => SEPARATOR,
        }
    }

    /// Hands every transaction to `each`, with the number of bytes read so far.
    pub fn read(&self, each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>) -> Result<()> {
        self.read_watched(each, &mut |_| Ok(()))
    }

    /// Reads as [`read`](Self::read) does; `tick` gets the number of bytes that are done now and then, and may stop the reading.
    ///
    /// A table of the long form is read to its end before the first transaction is known to be complete.
    pub fn read_watched(
        &self,
        each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        self.read_counted(
            &mut |transaction, bytes| {
                let once = Transaction { times: 1, ..*transaction };
                (0..transaction.times).try_for_each(|_| each(&once, bytes))
            },
            tick,
        )
    }

    /// Reads as [`read_watched`](Self::read_watched) does, but hands a transaction that is there many times over once.
    pub fn read_counted(
        &self,
        each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        match &self.form {
            Form::Lines { path, separator, compression, encoding, names_person } => {
                let manner = lines::Manner {
                    separator: *separator,
                    compression: *compression,
                    encoding: *encoding,
                    names_person: *names_person,
                };
                lines::read(path, manner, each, tick)
            }
            Form::Long { table, id, item, person } => {
                let columns = long::Columns { id: *id, item: *item, person: *person };
                long::read(table, columns, each, tick)
            }
            Form::Lists { lists, names_person } => lists.read(*names_person, each, tick),
        }
    }

    /// The line on which a transaction holds an item: the transaction's own, but for the long form the first that names
    /// the item. For messages: it may read the file again.
    pub fn line_of(&self, transaction: &Transaction<'_>, item: &str) -> u64 {
        match &self.form {
            Form::Lines { .. } | Form::Lists { .. } => transaction.line,
            Form::Long { table, item: column, .. } => {
                long::line_of(table, *column, item).unwrap_or(transaction.line)
            }
        }
    }

    /// The bytes of a file with a transaction on each line, uncompressed, and the separator; of a table, its own.
    pub fn text(&self) -> Result<Option<(Box<dyn Read + Send>, char)>> {
        match &self.form {
            Form::Lines { path, separator, compression, .. } => {
                Ok(Some((open_text(path, *compression)?, *separator)))
            }
            Form::Long { .. } | Form::Lists { .. } => Ok(None),
        }
    }

    /// About how large they are, in bytes, for progress.
    pub fn bytes(&self) -> u64 {
        match &self.form {
            Form::Lines { path, .. } => std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
            Form::Long { table, .. } => table.bytes(),
            Form::Lists { lists, .. } => lists.bytes(),
        }
    }

    /// What the file is: text lines are CSV here, and so is what is not a file.
    pub fn kind(&self) -> FileKind {
        match &self.form {
            Form::Lines { compression, .. } => FileKind { format: Format::Csv, compression: *compression },
            Form::Long { table, .. } => table.kind(),
            Form::Lists { .. } => FileKind { format: Format::Csv, compression: Compression::None },
        }
    }
}
