//! People who were kept out of a release. The steward's file has their records with their places in the original; the audit takes
//! these out of the original and judges the release against the rest. It needs neither the seed nor the code that drew them.

use std::path::PathBuf;
use std::sync::Arc;

use hashbrown::HashMap;

use super::ReleaseFolder;
use privet_core::clock::Clock;
use privet_core::hash::sha256_of;
use privet_core::{Error, Result};
use privet_data::{Batch, ReadOptions, RowSet, Source};
use privet_policy::CheckedPolicy;
use privet_policy::layout::{HOLDOUT, STEWARD};

fn path_in(folder: &ReleaseFolder) -> Option<PathBuf> {
    folder.stated["holdout"].is_object().then(|| folder.path.join(STEWARD).join(HOLDOUT))
}

/// Opens the records of held-out people; `None` where nobody was held out.
pub(super) fn open(folder: &ReleaseFolder) -> Result<Option<Source>> {
    path_in(folder).map(|path| Source::open(&path, &ReadOptions::with_names(Some(',')))).transpose()
}

/// What is wrong with the file of held-out records; `None` where nothing is, or nobody was held out.
pub(super) fn fault(folder: &ReleaseFolder) -> Result<Option<String>> {
    let Some(path) = path_in(folder) else { return Ok(None) };
    let same = Some(sha256_of(&path)?.as_str()) == folder.stated["holdout"]["sha256"].as_str();
    Ok((!same).then(|| format!("steward/{HOLDOUT} is not as it was written, its SHA-256 differs")))
}

/// Takes the records of held-out people out of the policy's data.
pub(super) fn subtract(folder: &ReleaseFolder, policy: &mut CheckedPolicy, clock: &Clock) -> Result<()> {
    let Some(held) = open(folder)? else { return Ok(()) };
    let held = Held::read(&held, &policy.source, clock)?;
    let rows = match held.in_place(&policy.source, clock)? {
        Some(rows) => rows,
        None => held.anywhere(&policy.source, clock)?.ok_or_else(|| {
            Error::input(
                "the original is not the one that the release was made from: it lacks people who were held out",
            )
            .in_file(policy.source.origin())
            .help("name the original with --original, or make the release again")
        })?,
    };
    policy.source = policy.source.without(Arc::new(rows));
    Ok(())
}

/// What the steward's file says: first the place of a record in the original, from 1 on, then its cells.
struct Held {
    /// The columns of the original that the file has.
    columns: Vec<usize>,
    records: HashMap<u64, String>,
}

/// The cells of a row as one text.
fn text_of(batch: &Batch, row: usize, columns: impl Iterator<Item = usize>) -> String {
    // No cell holds this character, so it ends a cell.
    columns.flat_map(|column| [batch.cell(row, column), "\u{0}"]).collect()
}

impl Held {
    fn read(held: &Source, original: &Source, clock: &Clock) -> Result<Held> {
        let names = held.columns().iter().skip(1).map(|column| column.name.as_str());
        let columns: Vec<usize> = names.map(|name| original.position(name)).collect::<Result<_>>()?;
        let mut records = HashMap::new();
        held.read(&mut |batch, _| {
            clock.check()?;
            for row in 0..batch.rows() {
                let place = batch.cell(row, 0).parse().map_err(|_| {
                    Error::input("the first cell is not the number of a record").in_file(held.origin())
                })?;
                records.insert(place, text_of(batch, row, 1..=columns.len()));
            }
            Ok(())
        })?;
        Ok(Held { columns, records })
    }

    /// The rows, where each is in its place; `None` where one is not.
    fn in_place(&self, original: &Source, clock: &Clock) -> Result<Option<RowSet>> {
        let (mut rows, mut place) = (RowSet::default(), 0u64);
        original.read(&mut |batch, _| {
            clock.check()?;
            for row in 0..batch.rows() {
                place += 1;
                let known = self.records.get(&place);
                if known.is_some_and(|known| *known == text_of(batch, row, self.columns.iter().copied())) {
                    rows.insert(place as usize - 1);
                }
            }
            Ok(())
        })?;
        Ok((rows.len() == self.records.len() as u64).then_some(rows))
    }

    /// Rows with these cells wherever they are, as many as there are records: the original may have been sorted since.
    fn anywhere(&self, original: &Source, clock: &Clock) -> Result<Option<RowSet>> {
        let mut left: HashMap<&str, u64> = HashMap::new();
        self.records.values().for_each(|record| *left.entry(record).or_default() += 1);
        let (mut rows, mut place) = (RowSet::default(), 0);
        original.read(&mut |batch, _| {
            clock.check()?;
            for row in 0..batch.rows() {
                let text = text_of(batch, row, self.columns.iter().copied());
                if let Some(count) = left.get_mut(text.as_str()).filter(|count| **count > 0) {
                    *count -= 1;
                    rows.insert(place);
                }
                place += 1;
            }
            Ok(())
        })?;
        Ok(left.values().all(|count| *count == 0).then_some(rows))
    }
}
