//! Released data as anybody finds it: files, of whatever tool.

use std::fs;
use std::path::{Path, PathBuf};

use crate::buckets::BucketTables;
use privet_core::{Error, Result};
use privet_data::{
    Encoding, FileKind, Format, Header, MemoryRelease, Origin, ReadOptions, Source, TransactionOptions,
    TransactionSource, VocabularyColumns, VocabularyFile,
};
use privet_policy::layout::{QIT, ST, projection, projection_number};
use privet_policy::{CheckedPolicy, PolicyRef, ReleaseKind, TransactionPolicy};

/// Released data.
#[derive(Debug, Clone)]
pub enum Released {
    /// One table.
    Table(Source),
    /// Records in groups: exact quasi-identifiers, and the sensitive values of each group.
    Groups(BucketTables),
    /// Several tables about the same people.
    Projections(Vec<Source>),
    /// Transactions.
    Transactions(TransactionSource),
    /// Vocabularies.
    Vocabularies(VocabularyFile),
}

impl Released {
    /// The files that the data is in; none for data in memory.
    pub fn files(&self) -> Vec<PathBuf> {
        self.origins().into_iter().filter_map(Origin::path).map(Path::to_path_buf).collect()
    }

    /// Refuses tables with columns that cannot be read: nothing of a release may be overlooked.
    pub fn check_whole(&self) -> Result<()> {
        match self {
            Released::Table(source) | Released::Groups(BucketTables::Permuted(source)) => {
                source.check_whole()
            }
            Released::Groups(BucketTables::Two { qit, st }) => {
                qit.check_whole().and_then(|()| st.check_whole())
            }
            Released::Projections(tables) => tables.iter().try_for_each(Source::check_whole),
            Released::Transactions(_) => Ok(()),
            Released::Vocabularies(file) => file.table().check_whole(),
        }
    }

    /// Where the data come from, table by table.
    pub fn origins(&self) -> Vec<&Origin> {
        match self {
            Released::Table(source) | Released::Groups(BucketTables::Permuted(source)) => {
                vec![source.origin()]
            }
            Released::Groups(BucketTables::Two { qit, st }) => vec![qit.origin(), st.origin()],
            Released::Projections(tables) => tables.iter().map(Source::origin).collect(),
            Released::Transactions(source) => vec![source.origin()],
            Released::Vocabularies(file) => vec![file.table().origin()],
        }
    }
}

/// Opens released data that may have been made by anybody: a file, or a folder where the policy's method publishes several.
pub fn open_released(policy: PolicyRef<'_>, path: &Path) -> Result<Released> {
    let table = |policy: &CheckedPolicy| {
        Ok(match policy.publishes() {
            ReleaseKind::Groups => Released::Groups(open_groups(path)?),
            ReleaseKind::Projections if path.is_dir() => Released::Projections(open_projections(path)?),
            _ => Released::Table(Source::open(path, &ReadOptions::with_names(None))?),
        })
    };
    match policy {
        PolicyRef::Table(policy) => table(policy),
        PolicyRef::Transactions(policy) => open_transactions(policy, path).map(Released::Transactions),
        PolicyRef::Vocabularies(_) => open_vocabularies(path, None).map(Released::Vocabularies),
    }
}

/// Opens a table that Privet wrote. Only CSV leaves it open how cells are separated.
pub fn open_table(policy: &CheckedPolicy, release: &Path) -> Result<Source> {
    let is_csv = FileKind::of_path(release)?.format == Format::Csv;
    Source::open(release, &ReadOptions::with_names(is_csv.then(|| policy.source.csv_delimiter())))
}

/// Opens groups: a folder with two tables, or one table.
pub fn open_groups(release: &Path) -> Result<BucketTables> {
    let open = |path: &Path| Source::open(path, &ReadOptions::with_names(None));
    Ok(if release.is_dir() {
        BucketTables::Two { qit: open(&release.join(QIT))?, st: open(&release.join(ST))? }
    } else {
        BucketTables::Permuted(open(release)?)
    })
}

/// Opens those tables of a folder that are there, with their numbers.
pub fn open_present_projections(folder: &Path) -> Result<Vec<(usize, Source)>> {
    let entries = fs::read_dir(folder).map_err(|error| Error::io("read the directory", folder, &error))?;
    let mut numbers: Vec<usize> =
        entries.filter_map(|entry| projection_number(&entry.ok()?.file_name().into_string().ok()?)).collect();
    numbers.sort_unstable();
    if numbers.is_empty() {
        return Err(Error::input(format!("there is no {}", projection(1)))
            .in_file(folder)
            .help("name a directory with projection-1.csv, projection-2.csv and so on"));
    }
    open_numbered_projections(folder, numbers)
}

/// Opens the tables of these numbers.
pub fn open_numbered_projections(
    folder: &Path,
    numbers: impl IntoIterator<Item = usize>,
) -> Result<Vec<(usize, Source)>> {
    // What was written is known and must not be guessed.
    let options = ReadOptions::with_names(Some(','));
    let open = |number| Ok((number, Source::open(&folder.join(projection(number)), &options)?));
    numbers.into_iter().map(open).collect()
}

/// Opens all tables of a folder, which are numbered from 1 on.
pub fn open_projections(folder: &Path) -> Result<Vec<Source>> {
    let tables = open_present_projections(folder)?;
    let is_elsewhere = |(expected, (number, _)): &(usize, &(usize, Source))| expected != number;
    if let Some((missing, (next, _))) = (1..).zip(&tables).find(is_elsewhere) {
        return Err(Error::input(format!("there is no {}, but {}", projection(missing), projection(*next)))
            .in_file(folder)
            .help("name a directory with all tables of a plan"));
    }
    Ok(tables.into_iter().map(|(_, table)| table).collect())
}

/// Opens a released file of transactions: one per line, whatever form the data has.
pub fn open_transactions(policy: &TransactionPolicy, path: &Path) -> Result<TransactionSource> {
    let separator = Some(policy.source.separator());
    let options = TransactionOptions::Lines { separator };
    TransactionSource::open_encoded(path, &options, Some(Encoding::UTF_8))
}

/// Opens a released file of vocabularies.
pub fn open_vocabularies(path: &Path, delimiter: Option<char>) -> Result<VocabularyFile> {
    VocabularyFile::open(path, VocabularyColumns { delimiter, ..released_vocabularies() })
}

/// How a release holds vocabularies. What people have is checked where it comes in; a release may hold all of it.
fn released_vocabularies() -> VocabularyColumns {
    VocabularyColumns {
        keep_empty: true,
        header: Header::First,
        most_of_a_term: u32::MAX,
        ..VocabularyColumns::default()
    }
}

/// Released data that were written to memory.
pub fn released_in_memory(policy: PolicyRef<'_>, release: &MemoryRelease) -> Result<Released> {
    let names = release.names();
    match policy {
        PolicyRef::Transactions(_) => {
            let name = names.first().ok_or_else(nothing)?;
            Ok(Released::Transactions(release.transaction_source(name)?))
        }
        _ => released_tables(policy, &names, &|name| release.source(name)),
    }
}

/// Released tables by name, wherever they are: one that may have any name, or those that a method publishes, by their files' names.
pub fn released_tables(
    policy: PolicyRef<'_>,
    names: &[String],
    table: &dyn Fn(&str) -> Result<Source>,
) -> Result<Released> {
    let name = names.first().ok_or_else(nothing)?;
    Ok(match policy {
        PolicyRef::Table(policy) => match policy.publishes() {
            ReleaseKind::Groups if names.iter().any(|name| name == QIT) => {
                Released::Groups(BucketTables::Two { qit: table(QIT)?, st: table(ST)? })
            }
            ReleaseKind::Groups => Released::Groups(BucketTables::Permuted(table(name)?)),
            ReleaseKind::Projections => {
                let tables = (1..=names.len()).map(|number| table(&projection(number)));
                Released::Projections(tables.collect::<Result<_>>()?)
            }
            _ => Released::Table(table(name)?),
        },
        PolicyRef::Transactions(_) => {
            return Err(Error::input("a table is not a release of transactions").help("give lists of items"));
        }
        PolicyRef::Vocabularies(_) => {
            Released::Vocabularies(VocabularyFile::of_table(table(name)?, released_vocabularies())?)
        }
    })
}

fn nothing() -> Error {
    Error::input("nothing was written to this release")
}
