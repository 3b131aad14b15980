//! Tables by how often each distinct record occurs, as a cluster counted them.

use std::sync::Arc;

use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::bytes::{self, Reader};
use super::group_number;
use crate::release::Decision;
use privet_audit::buckets::BucketTables;
use privet_audit::released::Released;
use privet_audit::{Audit, AuditOptions, ExpectedCounts, audit_data, audit_table_watched};
use privet_core::clock::Clock;
use privet_core::random::shuffle;
use privet_core::{Digest, Error, Result};
use privet_data::arrow_array::{ArrayRef, RecordBatch, StringArray};
use privet_data::{
    CellKind, Feed, Origin, Rows, Source, SourceColumn, TransactionLists, TransactionSource, Version,
};
use privet_policy::layout::GROUP_COLUMN;
use privet_policy::{AnyPolicy, OriginalData, Policy, ReleaseKind};

/// What the key of a digest begins with: no text is as long as this number says.
const DIGEST: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

/// The key that carries the digest of a part. Keys of different parts are different, so that none gets lost in a sum.
pub(super) fn digest_key(digest: &Digest, part: u64, turn: u64) -> Vec<u8> {
    let mut key = DIGEST.to_vec();
    key.extend_from_slice(&digest.parts());
    key.extend_from_slice(&part.to_le_bytes());
    key.extend_from_slice(&turn.to_le_bytes());
    key
}

/// What a cluster counted.
#[derive(Debug, Clone)]
pub enum Counted {
    /// A table.
    Table(Source),
    /// Transactions.
    Lists(Vec<(Vec<String>, u64)>),
}

impl Counted {
    /// As [`decide`](crate::decide) takes it.
    pub fn original(&self) -> Result<OriginalData> {
        Ok(match self {
            Counted::Table(source) => source.clone().into(),
            Counted::Lists(lists) => {
                let mut held = TransactionLists::default();
                lists.iter().try_for_each(|(items, times)| held.push_times(items, *times))?;
                TransactionSource::of_lists("the transactions", held).into()
            }
        })
    }

    /// How many distinct records there are.
    pub fn distinct(&self) -> Result<u64> {
        match self {
            Counted::Table(source) => {
                let mut rows = 0;
                source.read_counted(&mut |batch, _, _| {
                    rows += batch.rows() as u64;
                    Ok(())
                })?;
                Ok(rows)
            }
            Counted::Lists(lists) => Ok(lists.len() as u64),
        }
    }
}

/// The transactions that a cluster counted, by the items of each. In what order it gives them plays no part.
pub fn gathered_lists(lists: impl IntoIterator<Item = (Vec<String>, u64)>) -> Counted {
    let mut lists: Vec<(Vec<String>, u64)> = lists.into_iter().collect();
    lists.iter_mut().for_each(|(items, _)| items.sort_unstable());
    lists.sort_unstable();
    Counted::Lists(lists)
}

/// The table that a cluster counted. It has the wanted columns alone.
pub fn gathered(
    name: &str,
    columns: &[String],
    wanted: &[usize],
    partial: impl IntoIterator<Item = (impl AsRef<[u8]>, u64)>,
) -> Result<Source> {
    let mut digest = Digest::default();
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    for (key, count) in partial {
        let key = key.as_ref();
        match key.strip_prefix(&DIGEST) {
            Some(rest) => {
                let parts = rest.first_chunk().ok_or_else(bytes::broken)?;
                digest.add_all(&Digest::of_parts(parts));
            }
            None => match counts.get_mut(key) {
                Some(sum) => *sum += count,
                None => drop(counts.insert(key.to_vec(), count)),
            },
        }
    }
    let mut counts: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    if counts.iter().map(|(_, count)| count).sum::<u64>() != digest.records() {
        return Err(Error::internal("the counts of a cluster do not add up"));
    }
    let names: Option<Vec<&str>> =
        wanted.iter().map(|column| columns.get(*column).map(String::as_str)).collect();
    let names = names.ok_or_else(bytes::broken)?;
    let rows = counts
        .iter()
        .map(|(key, count)| {
            let mut reader = Reader(key);
            let row = wanted.iter().map(|_| reader.text()).collect::<Result<Vec<_>>>()?;
            reader.end()?;
            Ok((row, *count))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Source::of_counts(name, &names, rows)?.with_digest(digest))
}

/// A written table by how often each distinct row occurs in it.
#[derive(Debug, Clone)]
pub struct WrittenTable {
    /// Its columns that the decision depends on; `None` for transactions, whose rows are lists of items.
    pub columns: Option<Vec<String>>,
    /// Its rows, with their counts.
    pub rows: Vec<(Vec<String>, u64)>,
}

/// Audits what a cluster wrote against what it counted. `policy` is the [lean](super::lean) one.
pub fn audit_written(
    policy: &Policy,
    data: &Counted,
    written: Vec<WrittenTable>,
    decision: &Decision,
    clock: &Clock,
) -> Result<Audit> {
    let policy = policy.check_any(spelt(data)?)?;
    let in_groups = matches!(&policy, AnyPolicy::Table(policy) if policy.publishes() == ReleaseKind::Groups);
    let mut tables = Vec::new();
    let mut transactions = None;
    for (number, table) in (2..).zip(written) {
        match table.columns {
            Some(columns) => {
                let group = columns.iter().position(|name| name == GROUP_COLUMN).filter(|_| in_groups);
                let source = match group {
                    // Groups have an order of their own: that of their numbers.
                    Some(group) => {
                        let mut rows = table.rows;
                        rows.sort_by_cached_key(|(cells, _)| (group_number(cells, group), cells.clone()));
                        spelt_out("the release", &columns, rows, None)?
                    }
                    None => spelt_out("the release", &columns, table.rows, Some(number))?,
                };
                tables.push(source);
            }
            None => transactions = Some(shuffled_lists("the release", table.rows, number)?),
        }
    }
    let not_it = || Error::internal("a cluster wrote other tables than the method publishes");
    if let AnyPolicy::Table(policy) = &policy
        && policy.publishes() == ReleaseKind::Table
    {
        let [release] = tables.as_slice() else { return Err(not_it()) };
        let (released, _) = decision.records()?;
        let expected =
            ExpectedCounts { released, suppressed: decision.suppressed()?, dropped: decision.dropped()? };
        let options = AuditOptions { expected: Some(expected), ..AuditOptions::default() };
        return audit_table_watched(policy, release, &options, &mut || clock.check());
    }
    let kind = match &policy {
        AnyPolicy::Table(policy) => policy.publishes(),
        AnyPolicy::Transactions(_) => ReleaseKind::Transactions,
        AnyPolicy::Vocabularies(_) => return Err(not_it()),
    };
    let release = match (kind, tables.len(), transactions) {
        (ReleaseKind::Projections, 1.., None) => Released::Projections(tables),
        (ReleaseKind::Transactions, 0, Some(transactions)) => Released::Transactions(transactions),
        (ReleaseKind::Groups, 1, None) => Released::Groups(BucketTables::Permuted(tables.remove(0))),
        (ReleaseKind::Groups, 2, None) => {
            let st = tables.remove(1);
            Released::Groups(BucketTables::Two { qit: tables.remove(0), st })
        }
        _ => return Err(not_it()),
    };
    audit_data(&policy, &release, false, clock)
}

/// What was counted, spelled out in an order of no meaning.
fn spelt(data: &Counted) -> Result<OriginalData> {
    let source = match data {
        Counted::Lists(lists) => return Ok(shuffled_lists("the transactions", lists.clone(), 1)?.into()),
        Counted::Table(source) => source,
    };
    let mut counts = Vec::new();
    source.read_counted(&mut |batch, times, _| {
        for (row, times) in times.iter().enumerate() {
            counts.push((batch.cells(row).map(str::to_string).collect(), *times));
        }
        Ok(())
    })?;
    let columns: Vec<String> = source.columns().iter().map(|column| column.name.clone()).collect();
    Ok(spelt_out("the table", &columns, counts, Some(1))?.into())
}

fn shuffled_lists(name: &str, counts: Vec<(Vec<String>, u64)>, number: u64) -> Result<TransactionSource> {
    let (distinct, order) = in_order(counts, Some(number))?;
    let mut lists = TransactionLists::default();
    order.iter().try_for_each(|place| lists.push(&distinct[*place as usize]))?;
    Ok(TransactionSource::of_lists(name, lists))
}

/// Rows by what they say, in an order of no meaning: the audit looks for meaning in the order of rows.
#[derive(Debug)]
struct SpeltOut {
    origin: Origin,
    columns: Vec<SourceColumn>,
    distinct: Vec<Vec<String>>,
    order: Vec<u32>,
}

fn spelt_out(
    name: &str,
    columns: &[String],
    counts: Vec<(Vec<String>, u64)>,
    number: Option<u64>,
) -> Result<Source> {
    let (distinct, order) = in_order(counts, number)?;
    let columns = columns.iter().map(|name| SourceColumn { name: name.clone(), kind: CellKind::Text });
    Ok(Source::of(SpeltOut {
        origin: Origin::Other(name.to_string()),
        columns: columns.collect(),
        distinct,
        order,
    }))
}

/// Distinct rows, and which of them stands where: as they come, or in the order of no meaning that has this number.
fn in_order(counts: Vec<(Vec<String>, u64)>, number: Option<u64>) -> Result<(Vec<Vec<String>>, Vec<u32>)> {
    let too_many = || {
        Error::input("there are more than 4,294,967,295 rows, more than an audit takes")
            .help("release the table in parts")
    };
    let mut order = Vec::new();
    let mut distinct = Vec::new();
    for (row, count) in counts {
        let place = u32::try_from(distinct.len()).map_err(|_| too_many())?;
        let count = usize::try_from(count).map_err(|_| too_many())?;
        if order.len().saturating_add(count) > u32::MAX as usize {
            return Err(too_many());
        }
        order.extend(std::iter::repeat_n(place, count));
        distinct.push(row);
    }
    if let Some(number) = number {
        shuffle(&mut order, &mut ChaCha20Rng::seed_from_u64(number));
    }
    Ok((distinct, order))
}

impl Rows for SpeltOut {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    fn version(&self) -> Option<Version> {
        Some(Version::named("counted"))
    }

    fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
        for rows in self.order.chunks(1 << 14) {
            let column = |(at, column): (usize, &SourceColumn)| {
                let cells = rows.iter().map(|row| self.distinct[*row as usize].get(at).map(String::as_str));
                (column.name.clone(), Arc::new(cells.collect::<StringArray>()) as ArrayRef, true)
            };
            let batch = RecordBatch::try_from_iter_with_nullable(self.columns.iter().enumerate().map(column));
            let batch = batch.map_err(|error| Error::internal(error.to_string()))?;
            if !feed.arrow(&batch, 0)? {
                break;
            }
        }
        Ok(())
    }
}
