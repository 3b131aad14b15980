//! A release into a database: one transaction, or nothing.

use std::path::Path;
use std::sync::{Arc, Mutex};

use adbc_core::options::{IngestMode, OptionStatement, OptionValue};
use adbc_core::{Connection, Optionable, Statement};
use arrow_array::{ArrayRef, RecordBatch, StringArray};

use super::connection::{Access, Link};
use super::name::TableName;
use super::table::{QueryRows, locked, statement};
use privet::audit::buckets::BucketTables;
use privet::audit::released::Released;
use privet::audit::{ReleaseFolder, audit_data};
use privet::clock::Clock;
use privet::data::{DatabaseTable, Origin, Relation, Source, Version};
use privet::policy::{AnyPolicy, OriginalData, Policy, ReleaseKind};
use privet::{Error, ErrorKind, Result};

/// What was written into a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTable {
    /// The tables, as the policy calls them.
    pub names: Vec<String>,
    /// The rows of all of them.
    pub rows: u64,
}

/// Refuses a run whose release could not be written into the table that its policy names, before anything is decided: the table is
/// made and the transaction rolled back.
pub fn check_release(policy: &Policy, checked: &AnyPolicy) -> Result<()> {
    let Some(wanted) = policy.release_table()? else { return Ok(()) };
    let name = TableName::parse(&wanted.name)?;
    let names = match checked.publishes() {
        ReleaseKind::Table => vec![name],
        // Which tables there will be is decided later; these are the likely ones.
        ReleaseKind::Groups => vec![name.with("_qit"), name.with("_st")],
        ReleaseKind::Projections => vec![name.with("_1")],
        ReleaseKind::Transactions | ReleaseKind::Vocabularies => return Err(not_a_table()),
    };
    let mut link = Link::open(&wanted.database, Access::Writing)?;
    names
        .iter()
        .try_for_each(|name| send(&mut link, name, IngestMode::Create, nothing(&["row".to_string()])?))?;
    link.roll_back()
}

/// Writes a finished release into the table that its policy names. The rows go in the order of the released files, which tells nothing
/// about the original. They are read back and audited before the transaction is committed. Does nothing where the policy names no table.
///
/// `original` is what the release was made from. Give what the run read, so that the audit sees the same state of the data.
pub fn write_release(
    policy: &Policy,
    release: &Path,
    original: impl Into<OriginalData>,
    clock: &Clock,
) -> Result<Option<WrittenTable>> {
    let Some(wanted) = policy.release_table()? else { return Ok(None) };
    let folder = ReleaseFolder::open(release)?;
    let checked = folder.checked(original, clock)?;
    let files = folder.released(checked.as_ref())?;
    let tables = tables(&files, &TableName::parse(&wanted.name)?)?;
    let place = |name: &TableName| DatabaseTable {
        relation: Relation::Table(name.written()),
        ..wanted.database.clone()
    };
    let link = Arc::new(Mutex::new(Link::open(&wanted.database, Access::Writing)?));
    let mut rows = 0;
    for (name, source) in &tables {
        rows += ingest(&mut locked(&link), name, source, clock)?;
    }
    let mut back = Vec::new();
    for (name, _) in &tables {
        let own = place(name);
        let supply = QueryRows::new(Arc::clone(&link), statement(&own.relation)?)?;
        back.push(Source::of_supply(Origin::Database(own), Version::named("being written"), supply)?);
    }
    let audit = audit_data(&checked, &replaced(&files, back), false, clock)?;
    if !audit.passed {
        let failed = audit.checks.iter().find(|check| !check.holds).map_or("", |check| check.name.as_str());
        let message =
            format!("the audit of the rows in the database fails ({failed}); nothing was written to it");
        return Err(Error::new(ErrorKind::Violation, message).in_file(&locked(&link).origin));
    }
    // A reader of an SQLite database would keep the release from being committed.
    drop(checked);
    locked(&link).commit()?;
    Ok(Some(WrittenTable { names: tables.into_iter().map(|(name, _)| name.written()).collect(), rows }))
}

/// The released tables under the names that they get.
fn tables<'a>(files: &'a Released, name: &TableName) -> Result<Vec<(TableName, &'a Source)>> {
    Ok(match files {
        Released::Table(table) | Released::Groups(BucketTables::Permuted(table)) => {
            vec![(name.clone(), table)]
        }
        Released::Groups(BucketTables::Two { qit, st }) => {
            vec![(name.with("_qit"), qit), (name.with("_st"), st)]
        }
        Released::Projections(tables) => {
            (1..).zip(tables).map(|(number, table)| (name.with(&format!("_{number}")), table)).collect()
        }
        Released::Transactions(_) | Released::Vocabularies(_) => return Err(not_a_table()),
    })
}

fn not_a_table() -> Error {
    Error::input("a release of transactions or vocabularies is not a table")
        .help("remove [release] from the policy; the release is in its directory")
}

/// The same release, with its tables in the database in place of files.
fn replaced(files: &Released, mut back: Vec<Source>) -> Released {
    match files {
        Released::Groups(BucketTables::Two { .. }) => {
            let st = back.pop();
            match (back.pop(), st) {
                (Some(qit), Some(st)) => Released::Groups(BucketTables::Two { qit, st }),
                _ => files.clone(),
            }
        }
        Released::Projections(_) => Released::Projections(back),
        Released::Groups(BucketTables::Permuted(_)) => match back.pop() {
            Some(table) => Released::Groups(BucketTables::Permuted(table)),
            None => files.clone(),
        },
        Released::Table(_) | Released::Transactions(_) | Released::Vocabularies(_) => match back.pop() {
            Some(table) => Released::Table(table),
            None => files.clone(),
        },
    }
}

/// Makes a table of text columns with the rows of a released file; returns how many there are. Empty cells are NULL.
fn ingest(link: &mut Link, name: &TableName, source: &Source, clock: &Clock) -> Result<u64> {
    let columns: Vec<String> = source.columns().iter().map(|column| column.name.clone()).collect();
    send(link, name, IngestMode::Create, nothing(&columns)?)?;
    let mut rows = 0;
    source.read(&mut |batch, _| {
        clock.check()?;
        let cells = |column: usize| -> ArrayRef {
            let cells =
                (0..batch.rows()).map(|row| Some(batch.cell(row, column)).filter(|cell| !cell.is_empty()));
            Arc::new(cells.collect::<StringArray>())
        };
        rows += batch.rows() as u64;
        send(link, name, IngestMode::Append, arrow(&columns, cells)?)
    })?;
    Ok(rows)
}

/// Columns of these names, without rows.
fn nothing(columns: &[String]) -> Result<RecordBatch> {
    arrow(columns, |_| Arc::new(StringArray::new_null(0)))
}

fn arrow(columns: &[String], cells: impl Fn(usize) -> ArrayRef) -> Result<RecordBatch> {
    let arrays = columns.iter().enumerate().map(|(column, name)| (name, cells(column), true));
    RecordBatch::try_from_iter_with_nullable(arrays).map_err(|error| Error::internal(error.to_string()))
}

fn send(link: &mut Link, name: &TableName, mode: IngestMode, batch: RecordBatch) -> Result<()> {
    let mut statement = link.connection.new_statement().map_err(|error| link.failed("write to", &error))?;
    let all = || {
        statement.set_option(OptionStatement::TargetTable, OptionValue::from(name.table()))?;
        if let Some(schema) = name.schema() {
            statement.set_option(OptionStatement::TargetDbSchema, OptionValue::from(schema))?;
        }
        if let Some(catalog) = name.catalog() {
            statement.set_option(OptionStatement::TargetCatalog, OptionValue::from(catalog))?;
        }
        statement.set_option(OptionStatement::IngestMode, mode.into())?;
        statement.bind(batch)?;
        statement.execute_update()
    };
    let done = all();
    done.map(drop).map_err(|error| {
        let error = link.failed(&format!("write the table '{}' to", name.written()), &error);
        let help = "the table must not exist yet, and its schema must; nothing was written to the database";
        if error.remedy().is_some() { error } else { error.help(help) }
    })
}
