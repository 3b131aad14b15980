//! Tables by how often each distinct record occurs, as a cluster counted them.

use std::sync::Arc;

use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::bytes::{self, Reader};
use super::{RowPlan, checked};
use crate::release::Decision;
use privet_audit::{Audit, AuditOptions, ExpectedCounts, audit_table_watched};
use privet_core::clock::Clock;
use privet_core::random::shuffle;
use privet_core::{Digest, Error, Result};
use privet_data::arrow_array::{ArrayRef, RecordBatch, StringArray};
use privet_data::{CellKind, Feed, Origin, Rows, Source, SourceColumn, Version};
use privet_policy::Policy;

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

/// The table that a cluster counted, as [`decide`](crate::decide) takes it. Columns that were not wanted are empty in it.
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
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = counts
        .iter()
        .map(|(key, count)| {
            let mut reader = Reader(key);
            let mut row = vec![""; columns.len()];
            for column in wanted {
                row[*column] = reader.text()?;
            }
            reader.end()?;
            Ok((row, *count))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Source::of_counts(name, &names, rows)?.with_digest(digest))
}

/// The released table by how often each combination of the [decided](RowPlan::decided) columns occurs in it.
pub fn released(plan: &RowPlan, counts: impl IntoIterator<Item = (Vec<String>, u64)>) -> Result<Source> {
    let columns = plan.released();
    let place = |name: &String| plan.decided().iter().position(|decided| decided == name);
    let places: Vec<Option<usize>> = columns.iter().map(place).collect();
    let spread = |(mut cells, count): (Vec<String>, u64)| {
        let cell = |place: &Option<usize>| match place {
            Some(place) => cells.get_mut(*place).map(std::mem::take).ok_or_else(bytes::broken),
            None => Ok(plan.missing_spelling().to_string()),
        };
        Ok((places.iter().map(cell).collect::<Result<_>>()?, count))
    };
    spelt_out("the release", &columns, counts.into_iter().map(spread).collect::<Result<_>>()?, 2)
}

/// Audits what a cluster wrote: the released table by how often each distinct row occurs in it, against the gathered data. Cells of
/// columns that are carried along are empty in both, and so are not compared.
pub fn audit_counts(
    policy: &Policy,
    columns: &[String],
    data: &Source,
    release: &Source,
    decision: &Decision,
    clock: &Clock,
) -> Result<Audit> {
    checked(policy, columns)?;
    let mut counts = Vec::new();
    data.read_counted(&mut |batch, times, _| {
        for (row, times) in times.iter().enumerate() {
            counts.push((batch.cells(row).map(str::to_string).collect(), *times));
        }
        Ok(())
    })?;
    let original = spelt_out("the table", columns, counts, 1)?;
    let policy = policy.check(original)?;
    let (released, _) = decision.records()?;
    let expected =
        ExpectedCounts { released, suppressed: decision.suppressed()?, dropped: decision.dropped()? };
    let options = AuditOptions { expected: Some(expected), ..AuditOptions::default() };
    audit_table_watched(&policy, release, &options, &mut || clock.check())
}

/// Rows by what they say, in an order of no meaning: the audit looks for meaning in the order of rows.
#[derive(Debug)]
struct SpeltOut {
    origin: Origin,
    columns: Vec<SourceColumn>,
    distinct: Vec<Vec<String>>,
    order: Vec<u32>,
}

fn spelt_out(name: &str, columns: &[String], counts: Vec<(Vec<String>, u64)>, number: u64) -> Result<Source> {
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
    shuffle(&mut order, &mut ChaCha20Rng::seed_from_u64(number));
    let columns = columns.iter().map(|name| SourceColumn { name: name.clone(), kind: CellKind::Text });
    Ok(Source::of(SpeltOut {
        origin: Origin::Other(name.to_string()),
        columns: columns.collect(),
        distinct,
        order,
    }))
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
