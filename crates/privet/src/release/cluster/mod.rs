//! Releases of tables that lie on many machines.
//!
//! A decision needs how often each distinct record occurs, and nothing else of the rows; its application is a function of the single row.
//! So a cluster counts ([`Tally`]), one machine decides ([`gathered`], [`decide`](crate::decide)), and the cluster applies the plan
//! ([`RowPlan`]) to its rows, in any order and as often as it likes. What comes out has the records of the release that
//! one machine makes of the same data under the same policy and seed.
//!
//! Some releases show nothing of a row that is not counted: groups, several tables, sets of items, transactions. They follow from the
//! counts ([`counted_tables`]), and the cluster spells them out; [`way`] says which way a policy goes.
//!
//! Rows cross over as Arrow batches. Privet spells their cells and compares these texts byte by byte: engines have their own
//! opinion of when two numbers or two texts are the same.
//!
//! ```
//! use privet::clock::Clock;
//! use privet::cluster::{self, RowPlan, Tally};
//! use privet::data::Source;
//! use privet::data::arrow_array::{RecordBatch, StringArray};
//! use privet::policy::Policy;
//!
//! let policy = Policy::parse("policy.toml".as_ref(), r#"
//!     [data]
//!     [columns.age]
//!     role = "quasi-identifier"
//!     [privacy.k-anonymity]
//!     k = 2
//!     [method]
//!     name = "mondrian"
//! "#.into())?;
//! let ages = |ages: &[&str]| {
//!     let cells = StringArray::from(ages.to_vec());
//!     RecordBatch::try_from_iter([("age", std::sync::Arc::new(cells) as _)]).expect("a batch")
//! };
//! let (one, other) = (ages(&["34", "61"]), ages(&["36", "67"]));
//! let columns = ["age".to_string()];
//! let wanted = cluster::wanted(&policy, &columns)?;
//!
//! // Two workers count; any number of partial counts may be added up on the way.
//! let mut partial = Vec::new();
//! for (worker, batch) in [&one, &other].into_iter().enumerate() {
//!     let mut tally = Tally::new(&columns, &wanted, worker as u64);
//!     tally.add(batch)?;
//!     partial.extend(tally.partial());
//! }
//! let data = cluster::gathered("people", &columns, &wanted, partial)?;
//! let lean = cluster::lean(&policy, &columns)?;
//! let decision = privet::decide(&lean, data, Some(7), &Clock::unlimited())?;
//! let plan = RowPlan::of_bytes(&decision.row_plan(&policy, &columns)?.bytes())?;
//! assert_eq!(plan.apply(&one, false)?.num_rows(), 2);
//! # Ok::<(), privet::Error>(())
//! ```

mod bytes;
mod counted;
mod plan;
mod tables;

use std::sync::Arc;

use hashbrown::HashMap;

pub use counted::{Counted, WrittenTable, audit_written, gathered, gathered_lists};
pub use plan::{RowPlan, SERVICE_COLUMNS};
pub use tables::{CountedTable, counted_tables};

use privet_core::random::number_of;
use privet_core::{Digest, Error, Result, RunKey};
use privet_data::arrow_array::builder::BinaryBuilder;
use privet_data::arrow_array::{ArrayRef, RecordBatch};
use privet_data::arrow_schema::Schema;
use privet_data::{Batch, Form, Source};
use privet_policy::{AnyPolicy, CheckedPolicy, Edit, Policy, PolicyColumn, ReleaseKind, Role};

/// How many distinct records a worker holds before it hands them on.
const HELD: usize = 1 << 18;

/// How a cluster makes a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Workers apply a [`RowPlan`] to each row.
    Rows,
    /// The release follows from the counts alone: [`counted_tables`].
    Counts,
    /// The same, of transactions: a row names a transaction and an item, in the columns at these positions.
    Lists {
        /// The transaction's.
        id: usize,
        /// The item's.
        item: usize,
    },
}

/// How a cluster makes the release that a policy asks of data with these columns. Refuses policies that need more of the rows than
/// their counts.
pub fn way(policy: &Policy, columns: &[String]) -> Result<Way> {
    if policy.ledger()?.is_some() {
        let help = "remove it, or make the release on one machine: a ledger needs each record";
        return Err(refused("[ledger]", help));
    }
    if policy.release_table()?.is_some() {
        let help = "remove it: the release goes to the target";
        return Err(refused("'table' in [release]", help));
    }
    let checked = match checked(policy, columns)? {
        AnyPolicy::Table(checked) => checked,
        AnyPolicy::Transactions(checked) => {
            if checked.source.names_people() {
                return Err(whose());
            }
            let Form::Long { id, item, .. } = checked.source.form() else {
                return Err(refused("a file of transactions", "set form = \"long\" in [data]"));
            };
            return Ok(Way::Lists { id: *id, item: *item });
        }
        AnyPolicy::Vocabularies(_) => {
            return Err(refused("a query log", "make the release on one machine"));
        }
    };
    let any = |is: &dyn Fn(&PolicyColumn) -> bool| checked.columns.iter().any(is);
    if checked.person.is_some() {
        return Err(whose());
    }
    if any(&|column| column.reading.is_some() || column.is_rewritten()) {
        return Err(refused(
            "a column whose cells are read or written in a way of their own",
            "remove 'decimal', 'date_format', 'numbers' and the like, and store numbers and dates as such",
        ));
    }
    match checked.publishes() {
        ReleaseKind::Groups | ReleaseKind::Projections => return Ok(Way::Counts),
        ReleaseKind::Table | ReleaseKind::Transactions | ReleaseKind::Vocabularies => {}
    }
    if !any(&|column| matches!(column.role, Some(Role::QuasiSensitive | Role::Set))) {
        return Ok(Way::Rows);
    }
    if any(&|column| column.is_published() && !matters(column)) {
        return Err(refused(
            "a column that is carried along next to one of sets",
            "leave out columns of role \"other\", or make the release on one machine",
        ));
    }
    Ok(Way::Counts)
}

/// The columns that a decision depends on, by position, for data with these columns.
pub fn wanted(policy: &Policy, columns: &[String]) -> Result<Vec<usize>> {
    if let Way::Lists { id, item } = way(policy, columns)? {
        return Ok(vec![id, item]);
    }
    let checked = table(policy, columns)?;
    let wanted: Vec<usize> =
        checked.columns.iter().filter(|column| matters(column)).map(|column| column.index).collect();
    if wanted.is_empty() {
        return Err(Error::input("no column has a role that a method looks at")
            .help("give at least one column role = \"quasi-identifier\""));
    }
    Ok(wanted)
}

/// The policy without the columns that a decision does not depend on, which [`gathered`] data do not have.
pub fn lean(policy: &Policy, columns: &[String]) -> Result<Policy> {
    let AnyPolicy::Table(checked) = checked(policy, columns)? else { return Ok(policy.clone()) };
    let idle = checked.columns.iter().filter(|column| !matters(column));
    let removed = idle.map(|column| Edit::Remove(vec!["columns".to_string(), column.name.clone()]));
    policy.edited(&removed.collect::<Vec<_>>())
}

/// Whether a decision depends on a column.
fn matters(column: &PolicyColumn) -> bool {
    column.role.is_some_and(|role| !matches!(role, Role::Identifier | Role::Other))
}

/// The policy for data with these columns.
fn checked(policy: &Policy, columns: &[String]) -> Result<AnyPolicy> {
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    policy.check_any(Source::of_rows("the table", &names, std::iter::empty::<[&str; 0]>())?)
}

/// The same for a policy about a table.
fn table(policy: &Policy, columns: &[String]) -> Result<CheckedPolicy> {
    match checked(policy, columns)? {
        AnyPolicy::Table(checked) => Ok(checked),
        AnyPolicy::Transactions(_) | AnyPolicy::Vocabularies(_) => {
            Err(Error::internal("the policy is not about a table"))
        }
    }
}

/// Where a released row stands: a number that follows from its cells and the key alone, so that the order says nothing that the
/// rows do not say.
fn order<'a>(key: RunKey, cells: impl IntoIterator<Item = &'a str>) -> i64 {
    (number_of(key, "privet: order of records on a cluster", cells) >> 1) as i64
}

/// The number of a row's group, which is in this cell.
fn group_number(cells: &[String], group: usize) -> i64 {
    cells.get(group).and_then(|cell| cell.parse().ok()).unwrap_or(i64::MAX)
}

fn whose() -> Error {
    refused(
        "'person' in [data]",
        "who has which records is not known from counts; make the release on one machine",
    )
}

fn refused(what: &str, help: &str) -> Error {
    Error::input(format!("{what} cannot be treated on a cluster yet")).help(help)
}

/// The rows of a batch that a cluster holds, as text. All batches of a table have the same columns.
fn rows_of(
    columns: &[String],
    batch: &RecordBatch,
    each: &mut dyn FnMut(&Batch) -> Result<()>,
) -> Result<()> {
    let source = Source::of_batches("a part of the table", &batch.schema(), [batch.clone()])?;
    if source.columns().iter().map(|column| &column.name).ne(columns) {
        return Err(Error::input("a part of the table has other columns than the table")
            .help("run it again when nothing writes to the table any more"));
    }
    source.read(&mut |batch, _| each(batch))
}

/// The names of the columns that Privet reads of a table of this schema.
pub fn readable(schema: &Arc<Schema>) -> Result<Vec<String>> {
    let source = Source::of_batches("the table", schema, [])?;
    Ok(source.columns().iter().map(|column| column.name.clone()).collect())
}

/// The transactions and the items that the rows of a batch name, in the columns at these positions: the bytes of their texts.
pub fn named_items(
    columns: &[String],
    (id, item): (usize, usize),
    batch: &RecordBatch,
) -> Result<RecordBatch> {
    let (mut ids, mut items) = (BinaryBuilder::new(), BinaryBuilder::new());
    rows_of(columns, batch, &mut |batch| {
        for row in 0..batch.rows() {
            let (name, held) = (batch.cell(row, id), batch.cell(row, item));
            if name.trim().is_empty() {
                let wrong = format!("a row names no transaction: '{}' is empty", columns[id]);
                return Err(Error::input(wrong).help("every row says which transaction its item belongs to"));
            }
            ids.append_value(name);
            items.append_value(held);
        }
        Ok(())
    })?;
    let arrays: [(&str, ArrayRef); 2] = [("id", Arc::new(ids.finish())), ("item", Arc::new(items.finish()))];
    RecordBatch::try_from_iter(arrays).map_err(|error| Error::internal(error.to_string()))
}

/// Counts the rows of one part of a table.
///
/// What it gives are pairs of a key and a count. Counts of one key may be added up anywhere, in any order.
#[derive(Debug)]
pub struct Tally {
    columns: Vec<String>,
    wanted: Vec<usize>,
    /// Tells this part from all others.
    part: u64,
    /// How often something was handed on.
    turn: u64,
    counts: HashMap<Vec<u8>, u64>,
    digest: Digest,
}

impl Tally {
    /// For rows with these columns, by those at these positions. `part` is a number of its own for each part of the table.
    pub fn new(columns: &[String], wanted: &[usize], part: u64) -> Tally {
        let (counts, digest) = (HashMap::new(), Digest::default());
        Tally { columns: columns.to_vec(), wanted: wanted.to_vec(), part, turn: 0, counts, digest }
    }

    /// Counts the rows of a batch.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let Tally { columns, wanted, counts, digest, .. } = self;
        let mut key = Vec::new();
        rows_of(columns, batch, &mut |batch| {
            for row in 0..batch.rows() {
                digest.add(batch.cells(row));
                key.clear();
                wanted.iter().for_each(|column| bytes::push(&mut key, batch.cell(row, *column)));
                match counts.get_mut(&key) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(key.clone(), 1)),
                }
            }
            Ok(())
        })
    }

    /// Whether enough is counted to be handed on.
    pub fn is_full(&self) -> bool {
        self.counts.len() >= HELD
    }

    /// Hands on what was counted since the last time: keys with counts.
    pub fn partial(&mut self) -> Vec<(Vec<u8>, u64)> {
        let digest = std::mem::take(&mut self.digest);
        let own = counted::digest_key(&digest, self.part, self.turn);
        self.turn += 1;
        let mut counts: Vec<(Vec<u8>, u64)> = self.counts.drain().collect();
        counts.push((own, 0));
        counts
    }
}

#[cfg(test)]
mod tests;
