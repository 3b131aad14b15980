//! The data that a policy is checked against.

use std::path::{Path, PathBuf};

use super::check::{character, data_section, header};
use super::database;
use super::file::{Policy, Section};
use super::missing;
use super::reading::{data_paths, encoding, read_options, reading};
use privet_core::{Error, Result};
use privet_data::{
    Header, Origin, Source, TransactionOptions, TransactionSource, VocabularyOptions, VocabularySource,
};

/// The data that a policy is checked against: those that it names, or others.
///
/// ```
/// use privet_data::Source;
/// use privet_policy::Policy;
///
/// let text = r#"
///     [data]
///     missing = ["?"]
///     [columns.age]
///     role = "quasi-identifier"
///     [privacy.k-anonymity]
///     k = 2
///     [method]
///     name = "mondrian"
/// "#;
/// let policy = Policy::parse("policy.toml".as_ref(), text.to_string())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["61"], ["?"]])?;
/// let checked = policy.check_any(people)?;
/// assert_eq!(checked.origin().to_string(), "people (in memory)");
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum OriginalData {
    /// The file that the policy names in `[data] path`.
    Named,
    /// Another file.
    File(PathBuf),
    /// Other files that are one table.
    Files(Vec<PathBuf>),
    /// A table, which need not be a file; `[data] path` is not needed.
    Table(Source),
    /// Transactions, which need not be a file; `[data] path` is not needed.
    Transactions(TransactionSource),
}

impl From<Option<&Path>> for OriginalData {
    fn from(path: Option<&Path>) -> OriginalData {
        path.map_or(OriginalData::Named, |path| OriginalData::File(path.to_path_buf()))
    }
}

impl From<Source> for OriginalData {
    fn from(table: Source) -> OriginalData {
        OriginalData::Table(table)
    }
}

impl From<TransactionSource> for OriginalData {
    fn from(transactions: TransactionSource) -> OriginalData {
        OriginalData::Transactions(transactions)
    }
}

impl OriginalData {
    /// The same table once more: a file is opened anew.
    pub fn again(table: &Source) -> OriginalData {
        match table.origin() {
            Origin::File(path) => OriginalData::File(path.clone()),
            Origin::Files(paths) => OriginalData::Files(paths.clone()),
            Origin::Memory(_) | Origin::Database(_) | Origin::Other(_) => OriginalData::Table(table.clone()),
        }
    }

    /// Whether the policy's own file is meant.
    pub fn is_named(&self) -> bool {
        matches!(self, OriginalData::Named)
    }
}

/// The error for data of one form where a policy needs another.
fn unfit(origin: &Origin, message: &str, help: &str) -> Error {
    Error::input(message).in_file(origin).help(help)
}

impl Policy {
    /// The table that the policy is about.
    pub(super) fn table(&self, data: &Section<'_>, original: OriginalData) -> Result<Source> {
        let options = read_options(data)?;
        let paths = match database::named(data, original)? {
            OriginalData::Table(table) => return named_table(table, &options.header, options.delimiter),
            OriginalData::Transactions(transactions) => {
                return Err(unfit(
                    transactions.origin(),
                    "the policy is about a table, and these are transactions",
                    "give a table, or set kind = \"transactions\" in [data]",
                ));
            }
            OriginalData::File(path) => vec![path],
            OriginalData::Files(paths) => paths,
            OriginalData::Named => data_paths(self, data)?,
        };
        Source::open_files(&paths, &options)
    }

    /// The table that the policy names with its cells read as the policy says, and the spellings of a missing value, whatever
    /// else may be wrong with the policy.
    pub fn table_as_read(&self) -> Result<(Source, Vec<String>)> {
        let root = self.root();
        let data = data_section(&root)?;
        let source = self.table(&data, OriginalData::Named)?;
        let missing = missing::spellings(&data)?;
        let listed = root.entry("columns").map(|entry| entry.section()).transpose()?;
        let mut readings = Vec::new();
        for (index, column) in source.columns().iter().enumerate() {
            let Some(section) = listed.as_ref().and_then(|listed| listed.entry(&column.name)) else {
                continue;
            };
            readings.extend(reading(&section.section()?, column)?.map(|reading| (index, reading)));
        }
        Ok((source.read_as(readings, &missing), missing))
    }

    /// The transactions that the policy is about.
    pub(super) fn transactions(
        &self,
        data: &Section<'_>,
        original: OriginalData,
        options: &TransactionOptions,
    ) -> Result<TransactionSource> {
        let path = match (database::named(data, original)?, options) {
            (OriginalData::Transactions(transactions), _) => return Ok(transactions),
            (OriginalData::Table(table), TransactionOptions::Long { id, item, delimiter, header }) => {
                return TransactionSource::of_table(named_table(table, header, *delimiter)?, id, item);
            }
            (OriginalData::Table(table), TransactionOptions::Lines { .. }) => {
                return Err(unfit(
                    table.origin(),
                    "the policy is about lines of items, and this is a table",
                    "set form = \"long\" in [data], and name its columns: id = \"transaction\", item = \"item\"",
                ));
            }
            (OriginalData::File(path), _) => path,
            (OriginalData::Files(paths), _) => only(paths)?,
            (OriginalData::Named, _) => only(data_paths(self, data)?)?,
        };
        TransactionSource::open_encoded(&path, options, encoding(data)?)
    }

    /// The query log or the vocabularies that the policy is about.
    pub(super) fn vocabularies(
        &self,
        data: &Section<'_>,
        original: OriginalData,
        options: VocabularyOptions,
    ) -> Result<VocabularySource> {
        let path = match database::named(data, original)? {
            OriginalData::Table(table) => {
                let table = named_table(table, &header(data)?, character(data, "delimiter")?)?;
                return VocabularySource::of_table(table, options);
            }
            OriginalData::Transactions(transactions) => {
                return Err(unfit(
                    transactions.origin(),
                    "the policy is about vocabularies, and these are transactions",
                    "give a table, or set kind = \"transactions\" in [data]",
                ));
            }
            OriginalData::File(path) => path,
            OriginalData::Files(paths) => only(paths)?,
            OriginalData::Named => only(data_paths(self, data)?)?,
        };
        VocabularySource::open(&path, options)
    }
}

/// The only file, where data are in one.
fn only(mut paths: Vec<PathBuf>) -> Result<PathBuf> {
    match paths.len() {
        1 => Ok(paths.remove(0)),
        _ => Err(Error::input("only a table can be in several files")
            .in_file(paths.swap_remove(0))
            .help("join the files, and name the one in 'path'")),
    }
}

/// A table that names its columns itself. A delimiter is that of its releases.
fn named_table(table: Source, header: &Header, delimiter: Option<char>) -> Result<Source> {
    if matches!(header, Header::Absent | Header::Names(_)) {
        return Err(unfit(
            table.origin(),
            "'header' has no meaning here: the table names its columns itself",
            "remove it; it is for delimited text",
        ));
    }
    Ok(table.released_with(delimiter))
}
