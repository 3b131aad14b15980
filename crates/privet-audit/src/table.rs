//! Tables as the audit holds them: how often each distinct record occurs, nothing else.
//!
//! Memory follows the distinct records, not the rows, so that a table of many millions of rows can be audited.

mod numbered;

pub(super) use self::numbered::{Dictionary, Tuples};
use std::borrow::Cow;

use super::columns::Layout;
use super::order::Rows;
use super::people::RecordOwners;
use privet_core::{Error, Result, counted};
use privet_data::{Batch, Recurrence, RepeatedIdentifier, Source, set_cell, terms_of};
use privet_policy::{CheckedPolicy, OnMissing, Role};

/// How many cells hold a set in another spelling than the usual one, and where the first is: `a|b|b||` shows more than the
/// set of a and b.
#[derive(Default)]
pub(super) struct Spelling {
    odd: u64,
    first: u64,
}

impl Spelling {
    fn note(&mut self, usual: bool, line: u64) {
        if !usual {
            self.first = if self.odd == 0 { line } else { self.first };
            self.odd += 1;
        }
    }

    pub fn faults(&self) -> Vec<String> {
        let Spelling { odd, first } = self;
        let fault = format!(
            "{} not written with each term once and in order; the first is in line {first}",
            counted(*odd, "set is", "sets are")
        );
        (*odd > 0).then_some(fault).into_iter().collect()
    }
}

/// A column that is not compared, by row.
pub(super) struct UncomparedColumn {
    pub column: usize,
    pub texts: Dictionary,
    pub rows: Rows,
    /// Whether it has too many different texts to keep them.
    pub is_lost: bool,
}

impl UncomparedColumn {
    /// More different texts than this are not kept: they would take more memory than all that is compared.
    const MOST: usize = 1 << 20;

    /// The columns of a file that are not compared.
    pub fn of(file: &Source, layout: &Layout) -> Vec<UncomparedColumn> {
        let others = (0..file.columns().len())
            .filter(|column| layout.compared().all(|place| place.released != *column));
        others.map(UncomparedColumn::at).collect()
    }

    /// The columns of the original that are not published, identifiers first; more than a few would take too much memory.
    pub fn hidden(policy: &CheckedPolicy) -> Vec<UncomparedColumn> {
        const MOST: usize = 16;
        let unnamed = policy
            .columns
            .iter()
            .filter(|column| column.role != Some(Role::Identifier) && !column.is_published());
        let hidden = policy.with_role(Role::Identifier).chain(unnamed).take(MOST);
        hidden.map(|column| UncomparedColumn::at(column.index)).collect()
    }

    /// The column at a place of a file.
    pub fn at(column: usize) -> UncomparedColumn {
        UncomparedColumn { column, texts: Dictionary::default(), rows: Rows::default(), is_lost: false }
    }

    pub fn read(&mut self, batch: &Batch, row: usize) -> Result<()> {
        if self.is_lost {
            return Ok(());
        }
        self.rows.push(self.texts.code(batch.cell(row, self.column), batch.line(row))?);
        if self.texts.len() > Self::MOST {
            *self = UncomparedColumn { is_lost: true, ..UncomparedColumn::at(self.column) };
        }
        Ok(())
    }
}

/// One of the two tables as distinct records: numbers of the quasi-identifiers' texts first, then numbers of the
/// texts of the unchanged columns.
pub(super) struct Table {
    /// The texts of each quasi-identifier.
    pub quasi: Vec<Dictionary>,
    /// The distinct records.
    pub records: Tuples,
    /// Rows that count.
    pub rows: u64,
    /// Rows that were dropped because of a missing value.
    pub dropped: u64,
    /// The number of each row's record, in the order of the file.
    pub order: Rows,
    /// Cells of the set-valued column that are not spelt as sets are.
    pub spelling: Spelling,
    /// Columns of the file that are not compared: a release may be sorted by those that it has, and must not be sorted by those
    /// of the original that are not published.
    pub others: Vec<UncomparedColumn>,
    /// Room for the record at hand.
    tuple: Vec<u32>,
}

/// The original and the release.
pub(super) struct Tables {
    /// The records that the policy keeps.
    pub original: Table,
    /// The records as released.
    pub release: Table,
    /// The texts of the columns that are published unchanged. Both tables share them, so equal numbers are equal texts.
    pub plain: Vec<Dictionary>,
    /// Whose the original's records are, where the policy says.
    pub owners: Option<RecordOwners>,
    /// The identifiers whose values recur, where it does not.
    pub recurring: Vec<RepeatedIdentifier>,
}

impl Tables {
    /// Reads both tables; `tick` is called with every batch and can stop it.
    pub fn read(
        policy: &CheckedPolicy,
        release: &Source,
        layout: &Layout,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Tables> {
        let mut plain: Vec<Dictionary> = layout.plain.iter().map(|_| Dictionary::default()).collect();
        let mut names = NameReader::of(policy);
        let original = read_original(policy, layout, &mut plain, &mut names, tick)?;
        let release = read_release(policy, release, layout, &mut plain, tick)?;
        let (owners, recurring) = names.finish();
        Ok(Tables { original, release, plain, owners, recurring })
    }
}

/// Reads the original: records with missing values are dropped or get one spelling, as the policy says.
fn read_original(
    policy: &CheckedPolicy,
    layout: &Layout,
    plain: &mut [Dictionary],
    names: &mut NameReader,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Table> {
    let sets = SetReader::of(policy, layout);
    let unchanged = layout.compared().count() - usize::from(layout.sets.is_some());
    let compared: Vec<usize> = layout.compared().take(unchanged).map(|place| place.original).collect();
    let mattering: Vec<usize> = policy
        .columns
        .iter()
        .filter(|column| {
            let role = column.role.unwrap_or(Role::Other);
            role.is_generalised()
                || matches!(role, Role::Sensitive | Role::Class | Role::Weight | Role::Household)
        })
        .map(|column| column.index)
        .collect();
    // Columns of role other may have missing values in any record that is kept.
    let compares_others = compared.iter().any(|column| !mattering.contains(column));
    let spelling = policy.missing.first().map_or("", String::as_str);
    let separators: Vec<Option<char>> = policy.columns.iter().map(|column| column.separator).collect();
    // Most cells are compared as they are.
    let is_text = compared.iter().all(|column| separators[*column].is_none());
    let mut table = Table::new(layout);
    table.others = UncomparedColumn::hidden(policy);
    policy.source.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            let is_missing = |column: &usize, cell: &str| {
                policy.is_missing(cell) && !(separators[*column].is_some() && cell.is_empty())
            };
            let missing = mattering.iter().any(|column| is_missing(column, batch.cell(row, *column)));
            let nobody = names.names_nobody(policy, batch, row);
            if nobody && policy.on_missing == OnMissing::Value {
                return Err(Error::input(
                    "the record does not say whose it is, though 'person' in [data] names a column for that",
                )
                .in_file(policy.source.origin())
                .at_line(batch.line(row))
                .help("fill it in, or set on_missing = \"drop\" in [data]"));
            }
            if nobody || missing && policy.on_missing == OnMissing::Drop {
                table.dropped += 1;
                continue;
            }
            let set = sets.as_ref().map(|sets| sets.read(batch.cell(row, sets.original)));
            if set == Some(None) {
                table.dropped += 1;
                continue;
            }
            let set = set.flatten();
            let may_lack = missing || compares_others;
            let line = batch.line(row);
            let record = if is_text && !may_lack {
                let cells = compared.iter().map(|column| batch.cell(row, *column));
                table.add(cells.chain(set.as_deref()), 1, line, plain)?
            } else {
                let cells =
                    compared.iter().map(|column| match (batch.cell(row, *column), separators[*column]) {
                        (cell, None) if may_lack && is_missing(column, cell) => Cow::Borrowed(spelling),
                        (cell, Some(separator)) if may_lack && is_missing(column, cell) => {
                            // An empty cell is the empty set, so it cannot spell a missing one.
                            let spelling = policy.missing.iter().find(|spelling| !spelling.is_empty());
                            let spelling = spelling.map_or(cell, String::as_str);
                            Cow::Owned(set_cell(terms_of(spelling, separator), separator))
                        }
                        (cell, Some(separator)) => Cow::Owned(set_cell(terms_of(cell, separator), separator)),
                        (cell, None) => Cow::Borrowed(cell),
                    });
                let cells: Vec<Cow<'_, str>> = cells.collect();
                let cells = cells.iter().map(AsRef::as_ref);
                table.add(cells.chain(set.as_deref()), 1, line, plain)?
            };
            table.order.push(record);
            table.others.iter_mut().try_for_each(|other| other.read(batch, row))?;
            names.read(policy, batch, row, record)?;
        }
        tick()
    })?;
    Ok(table)
}

/// Reads whose records they are: people by the column that tells them apart, else whether an identifier recurs.
struct NameReader {
    person: Option<usize>,
    people: Dictionary,
    pairs: Vec<(u32, u32)>,
    identifiers: Vec<(usize, Recurrence)>,
}

impl NameReader {
    fn of(policy: &CheckedPolicy) -> NameReader {
        let identifiers = policy.with_role(Role::Identifier).filter(|_| policy.person.is_none());
        NameReader {
            person: policy.person,
            people: Dictionary::default(),
            pairs: Vec::new(),
            identifiers: identifiers.map(|column| (column.index, Recurrence::default())).collect(),
        }
    }

    /// Whether a row does not say whose it is, though it should.
    fn names_nobody(&self, policy: &CheckedPolicy, batch: &Batch, row: usize) -> bool {
        self.person.is_some_and(|column| names_nobody(policy, batch.cell(row, column)))
    }

    fn read(&mut self, policy: &CheckedPolicy, batch: &Batch, row: usize, record: u32) -> Result<()> {
        if let Some(column) = self.person {
            let person = self.people.code(batch.cell(row, column).trim(), batch.line(row))?;
            self.pairs.push((record, person));
        }
        for (column, seen) in &mut self.identifiers {
            let cell = batch.cell(row, *column);
            if !names_nobody(policy, cell) {
                seen.add(cell.trim());
            }
        }
        Ok(())
    }

    fn finish(self) -> (Option<RecordOwners>, Vec<RepeatedIdentifier>) {
        let total = self.people.len() as u64;
        let owners = self.person.map(|_| RecordOwners { total, pairs: self.pairs });
        let recurring = self.identifiers.into_iter().filter_map(|(column, seen)| seen.finish(column));
        (owners, recurring.collect())
    }
}

/// Whether a cell names nobody: it is missing, or blank.
fn names_nobody(policy: &CheckedPolicy, cell: &str) -> bool {
    policy.is_missing(cell) || cell.trim().is_empty()
}

/// Reads the release as it is.
fn read_release(
    policy: &CheckedPolicy,
    release: &Source,
    layout: &Layout,
    plain: &mut [Dictionary],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Table> {
    let sets = SetReader::of(policy, layout);
    let unchanged = layout.compared().count() - usize::from(layout.sets.is_some());
    let compared: Vec<usize> = layout.compared().take(unchanged).map(|place| place.released).collect();
    let separators: Vec<Option<char>> = (layout.compared().take(unchanged))
        .map(|place| policy.columns.get(place.original).and_then(|column| column.separator))
        .collect();
    let is_text = separators.iter().all(Option::is_none);
    let mut table = Table::new(layout);
    table.others = UncomparedColumn::of(release, layout);
    release.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            let set = sets.as_ref().map(|sets| sets.one_spelling(batch.cell(row, sets.released)));
            if let Some((sets, set)) = sets.as_ref().zip(set.as_deref()) {
                table.spelling.note(set == batch.cell(row, sets.released), batch.line(row));
            }
            let line = batch.line(row);
            let id = if is_text {
                let cells = compared.iter().map(|column| batch.cell(row, *column));
                table.add(cells.chain(set.as_deref()), 1, line, plain)?
            } else {
                let spelt = |(column, separator): (&usize, &Option<char>)| match (
                    batch.cell(row, *column),
                    separator,
                ) {
                    (cell, Some(separator)) => Cow::Owned(set_cell(terms_of(cell, *separator), *separator)),
                    (cell, None) => Cow::Borrowed(cell),
                };
                let cells: Vec<Cow<'_, str>> = compared.iter().zip(&separators).map(spelt).collect();
                let usual =
                    (cells.iter().zip(&compared)).all(|(cell, column)| cell == batch.cell(row, *column));
                table.spelling.note(usual, line);
                let cells = cells.iter().map(AsRef::as_ref);
                table.add(cells.chain(set.as_deref()), 1, line, plain)?
            };
            table.order.push(id);
            table.others.iter_mut().try_for_each(|other| other.read(batch, row))?;
        }
        tick()
    })?;
    Ok(table)
}

/// How the cells of the quasi-sensitive column or of the column of sets are read: as sets, each with one spelling.
struct SetReader<'a> {
    policy: &'a CheckedPolicy,
    separator: char,
    original: usize,
    released: usize,
    /// Whether a missing set drops its record: only where the method or a requirement looks at sets.
    relevant: bool,
}

impl<'a> SetReader<'a> {
    fn of(policy: &'a CheckedPolicy, layout: &Layout) -> Option<SetReader<'a>> {
        let place = layout.plain.get(layout.sets?)?;
        let column = policy.columns.get(place.original)?;
        let of_terms = column.sets.as_ref().map(|sets| sets.separator);
        let separator = of_terms.or(column.items.as_ref().map(|items| items.separator))?;
        let relevant = column.items.is_some() || policy.looks_at_terms();
        Some(SetReader { policy, separator, original: place.original, released: place.released, relevant })
    }

    /// A cell of the original; `None` when it is missing and its record is dropped. An empty cell is the empty set.
    fn read(&self, cell: &str) -> Option<String> {
        if self.relevant && !cell.is_empty() && self.policy.is_missing(cell) {
            return (self.policy.on_missing == OnMissing::Value).then(String::new);
        }
        Some(self.one_spelling(cell))
    }

    fn one_spelling(&self, cell: &str) -> String {
        set_cell(terms_of(cell, self.separator), self.separator)
    }
}

impl Table {
    /// A table without records.
    pub fn new(layout: &Layout) -> Table {
        let quasi: Vec<Dictionary> = layout.quasi.iter().map(|_| Dictionary::default()).collect();
        let records = Tuples::new(layout.compared().count());
        Table {
            quasi,
            records,
            rows: 0,
            dropped: 0,
            order: Rows::default(),
            spelling: Spelling::default(),
            others: Vec::new(),
            tuple: Vec::new(),
        }
    }

    /// Counts a record, given as texts, `count` times more; returns its number.
    pub fn add<'a>(
        &mut self,
        cells: impl Iterator<Item = &'a str>,
        count: u64,
        line: u64,
        plain: &mut [Dictionary],
    ) -> Result<u32> {
        self.tuple.clear();
        for (column, cell) in self.quasi.iter_mut().chain(plain).zip(cells) {
            self.tuple.push(column.code(cell, line)?);
        }
        self.rows += count;
        self.records.add(&self.tuple, count, line)
    }
}
