//! The original with one column per sensitive attribute, and the tables made from it.

use std::collections::BTreeSet;

use super::super::Check;
use super::super::columns::{ColumnPlace, Layout};
use super::super::table::{Dictionary, Table, Tables, UncomparedColumn};
use privet_core::{Error, Result};
use privet_data::{Batch, Source};
use privet_policy::{CheckedPolicy, OnMissing, PolicyColumn, Requirement, Role};

/// A sensitive attribute: a column, or a value of a column whose cells hold several.
pub(super) struct Attribute {
    pub name: String,
    /// The column of the data.
    pub source: usize,
    /// The value, where the attribute says whether a cell holds it.
    pub item: Option<String>,
    /// Where the attribute is among the columns of the virtual policy.
    pub column: usize,
    /// Values that need no protection.
    pub insensitive: BTreeSet<String>,
}

/// The original as the audit holds it.
pub(super) struct ProjectionBook {
    /// The attributes, in the order of their names.
    pub attributes: Vec<Attribute>,
    /// Where the quasi-identifiers are in the original.
    pub quasi: Vec<usize>,
    /// The records that the policy keeps, in their order: texts of the quasi-identifiers, then of the attributes, by number.
    pub records: Vec<u32>,
    /// The distinct records.
    pub table: Table,
    /// The texts of the attributes.
    pub values: Vec<Dictionary>,
    /// Records left out because of a missing value.
    pub dropped: u64,
}

/// A published table next to what it was made from. Texts of the original have the same numbers as in the book.
pub(super) struct Projection {
    /// The number in its name.
    pub number: usize,
    /// Its attributes, by position in the book.
    pub attributes: Vec<usize>,
    pub layout: Layout,
    pub tables: Tables,
    /// The number of each row's distinct record, in the order of the file.
    pub rows: Vec<u32>,
    /// Per distinct record of the book, its number in the table's original.
    pub of_record: Vec<u32>,
}

/// A cell of the original: as it is, one spelling for all missing values, or `None` where the record has to go.
fn cell<'c>(policy: &'c CheckedPolicy, column: &PolicyColumn, text: &'c str) -> Option<&'c str> {
    // The empty set is a value like any other.
    let is_set = column.separator.is_some();
    if !policy.is_missing(text) || is_set && text.is_empty() {
        return Some(text);
    }
    let mut spellings = policy.missing.iter().filter(|spelling| !is_set || !spelling.is_empty());
    let first = spellings.next().map_or("", String::as_str);
    (policy.on_missing == OnMissing::Value).then_some(first)
}

/// The values of a set, some perhaps twice.
fn items<'t>(column: &PolicyColumn, text: &'t str) -> impl Iterator<Item = &'t str> {
    let separator = column.separator;
    let parts = separator.into_iter().flat_map(move |separator| text.split(separator).map(str::trim));
    parts.filter(|part| !part.is_empty())
}

impl ProjectionBook {
    pub fn read(policy: &CheckedPolicy, tick: &mut dyn FnMut() -> Result<()>) -> Result<ProjectionBook> {
        let mattering: Vec<&PolicyColumn> = (policy.columns.iter())
            .filter(|column| {
                matches!(column.role, Some(Role::QuasiIdentifier | Role::Sensitive | Role::Class))
            })
            .collect();
        let kept = |batch: &Batch, row: usize| {
            mattering.iter().all(|column| cell(policy, column, batch.cell(row, column.index)).is_some())
        };
        let attributes = attributes(policy, &kept, tick)?;
        let quasi: Vec<usize> = policy.with_role(Role::QuasiIdentifier).map(|column| column.index).collect();
        let layout = Layout {
            quasi: quasi.iter().map(|index| ColumnPlace { original: *index, released: 0 }).collect(),
            plain: attributes
                .iter()
                .map(|attribute| ColumnPlace { original: attribute.column, released: 0 })
                .collect(),
            sets: None,
        };
        let mut table = Table::new(&layout);
        table.others = UncomparedColumn::hidden(policy);
        let mut values: Vec<Dictionary> = attributes.iter().map(|_| Dictionary::default()).collect();
        let (mut records, mut dropped) = (Vec::new(), 0);
        policy.source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                if !kept(batch, row) {
                    dropped += 1;
                    continue;
                }
                let text = |index: usize| {
                    cell(policy, &policy.columns[index], batch.cell(row, index)).unwrap_or_default()
                };
                let own = attributes.iter().map(|attribute| match &attribute.item {
                    None => text(attribute.source),
                    Some(item) => {
                        let mut set = items(&policy.columns[attribute.source], text(attribute.source));
                        if set.any(|found| found == item) { "1" } else { "0" }
                    }
                });
                let cells = quasi.iter().map(|index| text(*index)).chain(own);
                records.push(table.add(cells, 1, batch.line(row), &mut values)?);
                table.others.iter_mut().try_for_each(|other| other.read(batch, row))?;
            }
            tick()
        })?;
        Ok(ProjectionBook { attributes, quasi, records, table, values, dropped })
    }

    /// How many records the policy keeps.
    pub fn rows(&self) -> u64 {
        self.table.rows
    }

    /// The policy as if every attribute were a column of its own.
    pub fn policy_of_attributes(&self, policy: &CheckedPolicy) -> CheckedPolicy {
        let mut policy = policy.clone();
        let mut bitmaps: Vec<&Attribute> =
            self.attributes.iter().filter(|attribute| attribute.item.is_some()).collect();
        bitmaps.sort_by_key(|attribute| attribute.column);
        for attribute in bitmaps {
            let mut column = policy.columns[attribute.source].clone();
            column.name = attribute.name.clone();
            column.index = attribute.column;
            // Its cells say whether one value is there.
            column.separator = None;
            policy.columns.push(column);
        }
        policy
    }

    /// What is asked of a table: of all tables, and of its attributes; each with its position in the policy.
    pub fn clauses_of(&self, policy: &CheckedPolicy, projection: &Projection) -> Vec<(usize, Requirement)> {
        let mut clauses = Vec::new();
        let asked = policy.requirements.iter().enumerate();
        for (position, clause) in asked.filter(|(_, clause)| !matches!(clause, Requirement::Projection(_))) {
            let Some(column) = clause.column() else {
                clauses.push((position, clause.clone()));
                continue;
            };
            let own = projection.attributes.iter().map(|at| &self.attributes[*at]);
            let concerned = own.filter(|attribute| attribute.source == column);
            clauses.extend(
                concerned
                    .map(|attribute| (position, clause.about(attribute.column, attribute.item.is_some()))),
            );
        }
        clauses
    }

    /// Checks of requirements about a column that has no attribute, because no cell of it holds a value: nothing of it is
    /// published, and nothing can be learnt.
    pub fn vacuous(&self, policy: &CheckedPolicy) -> Vec<Check> {
        let is_empty = |column: &usize| {
            let holds_sets = policy
                .columns
                .get(*column)
                .is_some_and(|column| column.role == Some(Role::Sensitive) && column.separator.is_some());
            holds_sets && self.attributes.iter().all(|attribute| attribute.source != *column)
        };
        let asked = policy.requirements.iter().enumerate();
        let empty = asked.filter(|(_, clause)| clause.column().as_ref().is_some_and(is_empty));
        let check = |(position, clause): (usize, &Requirement)| {
            let detail = "no cell of the column holds a value, so nothing of it is published";
            Check::new(clause.describe(&policy.columns), true, detail).judging(position)
        };
        empty.map(check).collect()
    }

    /// Reads a published table, and checks its columns.
    pub fn project(
        &self,
        policy: &CheckedPolicy,
        number: usize,
        source: &Source,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<(Projection, Check)> {
        let (layout, attributes, check) = self.layout(policy, number, source)?;
        let mut plain: Vec<Dictionary> = attributes.iter().map(|at| self.values[*at].clone()).collect();
        let mut original = Table::new(&layout);
        original.quasi = self.table.quasi.clone();
        original.rows = self.rows();
        // The distinct records without the attributes that the table does not have.
        let (mut of_record, mut part) = (Vec::new(), Vec::new());
        for id in self.table.records.ids() {
            let (count, line) = (self.table.records.count(id), self.table.records.line(id));
            let (quasi, own) = self.table.records.get(id).split_at(self.quasi.len());
            part.clear();
            part.extend(quasi.iter().copied().chain(attributes.iter().map(|at| own[*at])));
            of_record.push(original.records.add(&part, count, line)?);
        }
        let places: Vec<usize> = layout.compared().map(|place| place.released).collect();
        let mut release = Table::new(&layout);
        release.others = UncomparedColumn::of(source, &layout);
        let mut rows = Vec::new();
        source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let cells = places.iter().map(|place| batch.cell(row, *place));
                rows.push(release.add(cells, 1, batch.line(row), &mut plain)?);
                release.others.iter_mut().try_for_each(|other| other.read(batch, row))?;
            }
            tick()
        })?;
        let tables = Tables { original, release, plain, owners: None, recurring: Vec::new() };
        Ok((Projection { number, attributes, layout, tables, rows, of_record }, check))
    }

    /// Where the columns of a table are. It has the quasi-identifiers and some attributes, in the order of names, and
    /// nothing else.
    fn layout(
        &self,
        policy: &CheckedPolicy,
        number: usize,
        source: &Source,
    ) -> Result<(Layout, Vec<usize>, Check)> {
        let found: Vec<&str> = source.columns().iter().map(|column| column.name.as_str()).collect();
        let mut faults = Vec::new();
        let mut quasi = Vec::new();
        for index in &self.quasi {
            let name = policy.columns[*index].name.as_str();
            let released = found.iter().position(|found| *found == name).ok_or_else(|| {
                Error::input(format!(
                    "the table lacks the quasi-identifier '{name}', so it cannot be audited"
                ))
                .in_file(source.origin())
                .help("every table has all quasi-identifiers")
            })?;
            quasi.push(ColumnPlace { original: *index, released });
        }
        let (mut plain, mut attributes) = (Vec::new(), Vec::new());
        for (released, name) in found.iter().enumerate() {
            if found[..released].contains(name) {
                faults.push(format!("column '{name}' occurs twice"));
                continue;
            }
            if quasi.iter().any(|place| place.released == released) {
                continue;
            }
            match self.attributes.iter().position(|attribute| attribute.name == *name) {
                Some(at) => {
                    attributes.push(at);
                    plain.push(ColumnPlace { original: self.attributes[at].column, released });
                }
                None => faults.push(format!("column '{name}' is not a sensitive attribute")),
            }
        }
        let detail = match faults.as_slice() {
            [] => "the quasi-identifiers, some sensitive attributes and nothing else".to_string(),
            faults => faults.join("; "),
        };
        let check = Check::new(format!("projection-{number}: columns"), faults.is_empty(), detail);
        Ok((Layout { quasi, plain, sets: None }, attributes, check))
    }
}

/// The sensitive attributes of the records that are kept, in the order of their names.
fn attributes(
    policy: &CheckedPolicy,
    kept: &dyn Fn(&Batch, usize) -> bool,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<Attribute>> {
    let sensitive: Vec<&PolicyColumn> = policy.with_role(Role::Sensitive).collect();
    let mut found: Vec<BTreeSet<String>> = sensitive.iter().map(|_| BTreeSet::new()).collect();
    if sensitive.iter().any(|column| column.separator.is_some()) {
        policy.source.read(&mut |batch: &Batch, _| {
            for row in (0..batch.rows()).filter(|row| kept(batch, *row)) {
                for (column, found) in sensitive.iter().zip(&mut found) {
                    let text = cell(policy, column, batch.cell(row, column.index)).unwrap_or_default();
                    found.extend(items(column, text).map(str::to_string));
                }
            }
            tick()
        })?;
    }
    let mut attributes = Vec::new();
    let mut next = policy.columns.len();
    for (column, found) in sensitive.iter().zip(found) {
        let written: BTreeSet<String> = column.insensitive.iter().cloned().collect();
        // A missing value has one spelling in the book, whichever is listed.
        let in_book = column.insensitive.iter().filter_map(|value| cell(policy, column, value));
        let insensitive: BTreeSet<String> = in_book.map(str::to_string).chain(written.clone()).collect();
        if column.separator.is_none() {
            attributes.push(Attribute {
                name: column.name.clone(),
                source: column.index,
                item: None,
                column: column.index,
                insensitive,
            });
            continue;
        }
        for item in found {
            let spared = insensitive.contains(&item);
            let both = BTreeSet::from(["0".to_string(), "1".to_string()]);
            attributes.push(Attribute {
                name: format!("{}={item}", column.name),
                source: column.index,
                item: Some(item),
                column: next,
                insensitive: if spared { both } else { written.clone() },
            });
            next += 1;
        }
    }
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(attributes)
}
