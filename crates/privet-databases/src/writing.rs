//! A release into a database: one transaction, or nothing.

use std::path::Path;
use std::sync::{Arc, Mutex};

use adbc_core::options::{IngestMode, OptionStatement, OptionValue};
use adbc_core::{Connection, Optionable, Statement};
use arrow_array::{ArrayRef, RecordBatch, StringArray};

use super::connection::{Access, Link};
use super::table::{QueryRows, locked, statement};
use privet::audit::ReleaseFolder;
use privet::audit::released::Released;
use privet::clock::Clock;
use privet::data::{DatabaseTable, Origin, Relation, Source, Version};
use privet::policy::{OriginalData, Policy};
use privet::{Error, ErrorKind, Result};

/// What was written into a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTable {
    /// The tables, as the policy calls them.
    pub names: Vec<String>,
    /// The rows of all of them.
    pub rows: u64,
}

/// Writes a finished release into the table that its policy names. The rows go in the order of the released files, which tells nothing
/// about the original. They are read back and audited before the transaction is committed. Does nothing where the policy names no table.
pub fn write_release(policy: &Policy, release: &Path, clock: &Clock) -> Result<Option<WrittenTable>> {
    let Some(wanted) = policy.release_table()? else { return Ok(None) };
    let folder = ReleaseFolder::open(release)?;
    let checked = policy.check_any(OriginalData::Named)?;
    let files = folder.released(checked.as_ref())?;
    // A reader of an SQLite database would keep the release from being committed.
    drop(checked);
    let tables = tables(&files, &wanted.name)?;
    let place =
        |name: &str| DatabaseTable { relation: Relation::Table(name.to_string()), ..wanted.database.clone() };
    let link = Arc::new(Mutex::new(Link::open(&place(&wanted.name), Access::Writing)?));
    let mut rows = 0;
    for (name, source) in &tables {
        rows += ingest(&mut locked(&link), name, source, clock)?;
    }
    let mut back = Vec::new();
    for (name, _) in &tables {
        let own = place(name);
        let supply = QueryRows::new(Arc::clone(&link), statement(&own.relation))?;
        back.push(Source::of_supply(Origin::Database(own), Version::named("being written"), supply)?);
    }
    let audit = privet::audit(policy, OriginalData::Named, &replaced(&files, back), clock)?;
    if !audit.passed {
        let failed = audit.checks.iter().find(|check| !check.holds).map_or("", |check| check.name.as_str());
        let message =
            format!("the audit of the rows in the database fails ({failed}); nothing was written to it");
        return Err(Error::new(ErrorKind::Violation, message).in_file(&locked(&link).origin));
    }
    let mut link = locked(&link);
    link.connection.commit().map_err(|error| link.failed("commit the release to", &error))?;
    Ok(Some(WrittenTable { names: tables.into_iter().map(|(name, _)| name).collect(), rows }))
}

/// The released tables under the names that they get.
fn tables<'a>(files: &'a Released, name: &str) -> Result<Vec<(String, &'a Source)>> {
    use privet::audit::buckets::BucketTables;
    Ok(match files {
        Released::Table(table) | Released::Groups(BucketTables::Permuted(table)) => {
            vec![(name.to_string(), table)]
        }
        Released::Groups(BucketTables::Two { qit, st }) => {
            vec![(format!("{name}_qit"), qit), (format!("{name}_st"), st)]
        }
        Released::Projections(tables) => {
            (1..).zip(tables).map(|(number, table)| (format!("{name}_{number}"), table)).collect()
        }
        Released::Transactions(_) | Released::Vocabularies(_) => {
            return Err(Error::input("a release of transactions or vocabularies is not a table")
                .help("remove [release] from the policy; the release is in its directory"));
        }
    })
}

/// The same release, with its tables in the database in place of files.
fn replaced(files: &Released, mut back: Vec<Source>) -> Released {
    use privet::audit::buckets::BucketTables;
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
fn ingest(link: &mut Link, name: &str, source: &Source, clock: &Clock) -> Result<u64> {
    let columns: Vec<String> = source.columns().iter().map(|column| column.name.clone()).collect();
    let (mut rows, mut mode) = (0, IngestMode::Create);
    source.read(&mut |batch, _| {
        clock.check()?;
        if batch.rows() == 0 {
            return Ok(());
        }
        let cells = |column: usize| -> ArrayRef {
            let cells =
                (0..batch.rows()).map(|row| Some(batch.cell(row, column)).filter(|cell| !cell.is_empty()));
            Arc::new(cells.collect::<StringArray>())
        };
        let arrays = columns.iter().enumerate().map(|(column, name)| (name, cells(column), true));
        let arrow = RecordBatch::try_from_iter_with_nullable(arrays)
            .map_err(|error| Error::internal(error.to_string()).in_file(source.origin()))?;
        send(link, name, std::mem::replace(&mut mode, IngestMode::Append), arrow)?;
        rows += batch.rows() as u64;
        Ok(())
    })?;
    if rows == 0 {
        return Err(Error::input("the release has no rows, so no table is made").in_file(source.origin()));
    }
    Ok(rows)
}

fn send(link: &mut Link, name: &str, mode: IngestMode, batch: RecordBatch) -> Result<()> {
    let (schema, table) = match name.split_once('.') {
        Some((schema, table)) => (Some(schema), table),
        None => (None, name),
    };
    let mut statement = link.connection.new_statement().map_err(|error| link.failed("write to", &error))?;
    let all = || {
        statement.set_option(OptionStatement::TargetTable, OptionValue::from(table))?;
        if let Some(schema) = schema {
            statement.set_option(OptionStatement::TargetDbSchema, OptionValue::from(schema))?;
        }
        statement.set_option(OptionStatement::IngestMode, mode.into())?;
        statement.bind(batch)?;
        statement.execute_update()
    };
    let done = all();
    done.map(drop).map_err(|error| {
        link.failed("write to", &error)
            .help("the table must not exist yet, and its schema must; nothing was written to the database")
    })
}
