//! Releases of tables that lie on many machines.
//!
//! A decision needs how often each distinct record occurs, and nothing else of the rows; its application is a function of the single row.
//! So a cluster counts ([`Tally`]), one machine decides ([`gathered`], [`decide`](crate::decide)), and the cluster applies the plan
//! ([`RowPlan`]) to its rows, in any order and as often as it likes. What comes out has the records of the release that
//! one machine makes of the same data under the same policy and seed.
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
//! let decision = privet::decide(&policy, data, Some(7), &Clock::unlimited())?;
//! let plan = RowPlan::of_bytes(&decision.row_plan()?.bytes())?;
//! assert_eq!(plan.apply(&one, false)?.num_rows(), 2);
//! # Ok::<(), privet::Error>(())
//! ```

mod bytes;
mod counted;
mod plan;

use std::sync::Arc;

use hashbrown::HashMap;

pub use counted::{audit_counts, gathered, released};
pub use plan::{RowPlan, SERVICE_COLUMNS};

use privet_core::{Digest, Error, Result};
use privet_data::arrow_array::RecordBatch;
use privet_data::arrow_schema::Schema;
use privet_data::{Batch, Source};
use privet_policy::{AnyPolicy, CheckedPolicy, Policy, ReleaseKind, Role};

/// How many distinct records a worker holds before it hands them on.
const HELD: usize = 1 << 18;

/// The columns that a decision depends on, by position, for data with these columns. Refuses policies that need more of the rows than
/// their counts.
pub fn wanted(policy: &Policy, columns: &[String]) -> Result<Vec<usize>> {
    let checked = checked(policy, columns)?;
    let matters = |role: Role| !matches!(role, Role::Identifier | Role::Other);
    let wanted: Vec<usize> = checked
        .columns
        .iter()
        .filter(|column| column.role.is_some_and(matters))
        .map(|column| column.index)
        .collect();
    if wanted.is_empty() {
        return Err(Error::input("no column has a role that a method looks at")
            .help("give at least one column role = \"quasi-identifier\""));
    }
    Ok(wanted)
}

/// The policy for data with these columns.
fn checked(policy: &Policy, columns: &[String]) -> Result<CheckedPolicy> {
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let source = Source::of_rows("the table", &names, std::iter::empty::<[&str; 0]>())?;
    let AnyPolicy::Table(checked) = policy.check_any(source)? else {
        return Err(refused("transactions and query logs", "make the release on one machine"));
    };
    refuse(&checked)?;
    Ok(checked)
}

/// Refuses what a cluster cannot do yet, with the reason.
fn refuse(policy: &CheckedPolicy) -> Result<()> {
    let any = |is: &dyn Fn(&privet_policy::PolicyColumn) -> bool| policy.columns.iter().any(is);
    match policy.publishes() {
        ReleaseKind::Table => {}
        ReleaseKind::Groups | ReleaseKind::Projections => {
            return Err(refused(
                &format!("the method '{}'", policy.method.name()),
                "its groups are drawn row by row; make the release on one machine, or use a method that recodes one table",
            ));
        }
        ReleaseKind::Transactions | ReleaseKind::Vocabularies => {
            return Err(refused("transactions and query logs", "make the release on one machine"));
        }
    }
    if policy.person.is_some() {
        return Err(refused(
            "'person' in [data]",
            "who has which records is not known from counts; make the release on one machine",
        ));
    }
    if any(&|column| column.role == Some(Role::QuasiSensitive)) {
        return Err(refused(
            "a quasi-sensitive column",
            "sets are changed row by row; make the release on one machine",
        ));
    }
    if any(&|column| column.reading.is_some() || column.is_rewritten()) {
        return Err(refused(
            "a column whose cells are read or written in a way of their own",
            "remove 'decimal', 'date_format', 'numbers' and the like, and store numbers and dates as such",
        ));
    }
    Ok(())
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
