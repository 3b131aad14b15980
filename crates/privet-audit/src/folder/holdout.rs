//! People who were kept out of a release. The steward's file has their records; the audit takes these out of the original, each
//! as often as the file has it, and judges the release against the rest. It needs neither the seed nor the code that drew them.

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
    let names = held.columns().iter().map(|column| column.name.as_str());
    let columns: Vec<usize> = names.map(|name| policy.source.position(name)).collect::<Result<_>>()?;
    let key = |batch: &Batch, row: usize, columns: &[usize]| -> String {
        let cells = columns.iter().map(|column| batch.cell(row, *column));
        // No cell holds this character, so it ends a cell.
        cells.flat_map(|cell| [cell, "\u{0}"]).collect()
    };
    let mut left: HashMap<String, u64> = HashMap::new();
    let own: Vec<usize> = (0..columns.len()).collect();
    held.read(&mut |batch, _| {
        clock.check()?;
        (0..batch.rows()).for_each(|row| *left.entry(key(batch, row, &own)).or_default() += 1);
        Ok(())
    })?;
    let (mut rows, mut place) = (RowSet::default(), 0);
    policy.source.read(&mut |batch, _| {
        clock.check()?;
        for row in 0..batch.rows() {
            if let Some(count) = left.get_mut(&key(batch, row, &columns)).filter(|count| **count > 0) {
                *count -= 1;
                rows.insert(place);
            }
            place += 1;
        }
        Ok(())
    })?;
    if left.values().any(|count| *count > 0) {
        return Err(Error::input(
            "the original is not the one that the release was made from: it lacks people who were held out",
        )
        .in_file(policy.source.path())
        .help("name the original with --original, or make the release again"));
    }
    policy.source = policy.source.without(Arc::new(rows));
    Ok(())
}
