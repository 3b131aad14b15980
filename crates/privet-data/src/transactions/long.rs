//! One row per item, with the transaction that it belongs to.
//!
//! Rows of one transaction need not stand together, so all of them are held as pairs of numbers: eight bytes a row, and
//! every distinct name once.

use super::{Transaction, is_item};
use crate::Source;
use crate::interner::Interner;
use privet_core::{Error, Result};

/// Where a row has what.
pub(super) struct Columns {
    pub id: usize,
    pub item: usize,
    pub person: Option<usize>,
}

pub(super) fn read(
    table: &Source,
    columns: Columns,
    each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<()> {
    let Columns { id, item, person } = columns;
    let (mut ids, mut items) = (Interner::default(), Interner::default());
    // Per transaction, the person; nobody where the file does not say.
    let (mut names, mut owners) = (Interner::default(), Vec::new());
    let mut lines: Vec<u64> = Vec::new();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut read = 0;
    table.read(&mut |batch, bytes| {
        for row in 0..batch.rows() {
            let (name, held) = (batch.cell(row, id), batch.cell(row, item));
            if name.trim().is_empty() {
                let column = &table.columns()[id].name;
                return Err(Error::input(format!("the row names no transaction: '{column}' is empty"))
                    .in_file(table.origin())
                    .at_line(batch.line(row))
                    .help("every row says which transaction its item belongs to"));
            }
            let transaction = ids.intern(name);
            if transaction as usize == lines.len() {
                lines.push(batch.line(row));
            }
            if let Some(column) = person {
                let owner = batch.cell(row, column).trim();
                let title = &table.columns()[column].name;
                let at = |error: Error| error.in_file(table.origin()).at_line(batch.line(row));
                if owner.is_empty() {
                    return Err(at(Error::input(format!("the row names no person: '{title}' is empty")))
                        .help("every row says whose transaction it belongs to"));
                }
                let owner = names.intern(owner);
                if transaction as usize == owners.len() {
                    owners.push(owner);
                } else if owners[transaction as usize] != owner {
                    let first = lines[transaction as usize];
                    return Err(at(Error::input(format!(
                        "transaction '{name}' has another person in '{title}' here than in line {first}"
                    )))
                    .help("a transaction belongs to one person: give it one name, or another id"));
                }
            }
            if is_item(held) {
                pairs.push((transaction, items.intern(held)));
            }
        }
        read = bytes;
        tick(bytes)
    })?;
    // Stable: the items of a transaction keep the order of their rows.
    pairs.sort_by_key(|(transaction, _)| *transaction);
    let mut rest = pairs.as_slice();
    let mut held: Vec<&str> = Vec::new();
    for (transaction, line) in (0u32..).zip(&lines) {
        let own = rest.partition_point(|(owner, _)| *owner <= transaction);
        let (these, others) = rest.split_at(own);
        rest = others;
        held.clear();
        held.extend(these.iter().map(|(_, item)| items.text(*item as usize)));
        let person = owners.get(transaction as usize).map(|owner: &u32| names.text(*owner as usize));
        each(&Transaction { line: *line, items: &held, person, times: 1 }, read)?;
    }
    Ok(())
}

/// The line of the first row that holds an item.
pub(super) fn line_of(table: &Source, column: usize, item: &str) -> Option<u64> {
    let mut found = None;
    let stopped = table.read(&mut |batch, _| {
        let row = (0..batch.rows()).find(|row| batch.cell(*row, column) == item);
        found = row.map(|row| batch.line(row));
        // An error is how a reading is ended early.
        if found.is_some() { Err(Error::interrupted()) } else { Ok(()) }
    });
    found.filter(|_| stopped.is_err())
}
