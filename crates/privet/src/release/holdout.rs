//! People who are kept out of a release, so that attacks can be tried on them as well: what succeeds on people whom the release
//! says nothing about is true of people in general, and no fault of the release.
//!
//! Who is kept out follows from the seed and from what the records hold, not from their order: every record gets a number by a
//! hash of its cells under the run's key (records that look the same are told apart by their turn), and the lowest numbers are taken. So the
//! same people are found again in the original as long as it holds the same records. Where the policy names the column
//! that tells people apart, people are drawn and all their records go with them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::target::Target;
use privet_core::Digest;
use privet_core::clock::Clock;
use privet_core::hash::sha256_of;
use privet_core::random::number_of;
use privet_core::{Error, Exact, Result, RunKey, platform};
use privet_data::{Batch, CellKind, FileKind, Formulas, ReadOptions, RowSet, Sink, SinkColumn, Source};
use privet_policy::layout::HOLDOUT;
use privet_policy::{CheckedPolicy, DataKind, OriginalData, PolicyColumn, PolicyRef};

/// With fewer people than this a control is a rough guess, and a warning says so.
const FEW: u64 = 100;

/// Who is kept out of a release.
#[derive(Debug, Clone)]
pub(super) struct HeldOut {
    /// The share that was asked for.
    pub share: Exact,
    /// How many people.
    pub people: u64,
    /// How many records they have.
    pub records: u64,
    rows: Arc<RowSet>,
    /// The data with everybody in it.
    whole: Source,
}

/// Refuses a share of data that has no use for one.
pub(super) fn refuse(share: Option<Exact>, kind: DataKind) -> Result<()> {
    match share {
        None => Ok(()),
        Some(_) => Err(Error::input(format!(
            "--holdout has no meaning for kind = \"{}\": the attacks that need people who were left out (singling out, \
             linkability, inference, membership) are on tables",
            kind.name()
        ))
        .help("leave out --holdout")),
    }
}

/// Keeps a share of people out of the policy's data, where one is asked for.
pub(super) fn hold_out(
    policy: &mut CheckedPolicy,
    share: Option<Exact>,
    seed: u64,
    clock: &Clock,
) -> Result<Option<HeldOut>> {
    let Some(share) = share else { return Ok(None) };
    if share <= Exact::ZERO || share >= Exact::ONE {
        return Err(Error::input(format!("--holdout {share} leaves nobody to release, or nobody out"))
            .help("name a share between 0 and 1, as in 10% or 0.1"));
    }
    if let Some(column) = policy.columns.iter().find(|column| column.is_rewritten()) {
        let message = format!(
            "--holdout cannot be combined with column '{}', whose cells are published in another form",
            column.name
        );
        return Err(Error::input(message).help("leave out --holdout"));
    }
    clock.progress().stage("drawing people to hold out", Some(policy.source.bytes()));
    let person = match (policy.person, policy.written.ledger()?.and_then(|ledger| ledger.person)) {
        (Some(column), _) => Some(column),
        (None, Some(name)) => Some(policy.source.position(&name)?),
        (None, None) => None,
    };
    let (mut hashes, key) = hashes(&policy.source, person, seed, clock)?;
    let all = hashes.len();
    let (rows, people, of) = match person {
        Some(_) => drawn_people(&mut hashes, share),
        None => drawn_records(&mut hashes, share, key),
    };
    let records = rows.len();
    if people == 0 || records as usize == all {
        let noun = if person.is_some() { "people" } else { "records" };
        return Err(Error::input(format!(
            "{share} of {of} {noun} is {people}: that leaves nobody to release, or nobody out"
        ))
        .in_file(policy.source.origin())
        .help("name another share for --holdout, or leave it out"));
    }
    let rows = Arc::new(rows);
    let whole = policy.source.clone();
    policy.source = whole.without(rows.clone());
    Ok(Some(HeldOut { share, people, records, rows, whole }))
}

/// A number for every record that only holders of the key can compute, with its place, and the key: numbers are of all
/// cells of a record, or of those that name its person.
fn hashes(
    source: &Source,
    person: Option<usize>,
    seed: u64,
    clock: &Clock,
) -> Result<(Vec<(u64, u32)>, RunKey)> {
    let (mut hashes, mut digest) = (Vec::new(), Digest::default());
    let columns: Vec<usize> =
        person.map_or_else(|| (0..source.columns().len()).collect(), |column| vec![column]);
    source.read(&mut |batch: &Batch, bytes| {
        clock.check()?;
        clock.progress().at(bytes);
        for row in 0..batch.rows() {
            digest.add(batch.cells(row));
            let cells = columns.iter().map(|column| batch.cell(row, *column));
            // Names of people are compared as the ledger does.
            let cells = cells.map(|cell| if person.is_some() { cell.trim() } else { cell });
            // The key is known when all records have been read. Until then a plain hash stands for the cells.
            hashes.push((number_of(0, "privet: people who are held out: cells", cells), hashes.len() as u32));
        }
        Ok(())
    })?;
    let key = RunKey::of(seed, &digest);
    for (number, _) in &mut hashes {
        let plain = number.to_string();
        *number = number_of(key, "privet: people who are held out: who", [plain.as_str()]);
    }
    Ok((hashes, key))
}

/// The records with the lowest numbers, how many they are, and of how many. Those that look the same get different ones, by turn.
fn drawn_records(hashes: &mut [(u64, u32)], share: Exact, key: RunKey) -> (RowSet, u64, u64) {
    hashes.sort_unstable();
    for same in hashes.chunk_by_mut(|one, other| one.0 == other.0).filter(|same| same.len() > 1) {
        for (turn, (hash, _)) in (0u64..).zip(same) {
            let (own, turn) = (hash.to_string(), turn.to_string());
            *hash = number_of(key, "privet: people who are held out: turn", [own.as_str(), turn.as_str()]);
        }
    }
    hashes.sort_unstable();
    let people = share.floor_of(hashes.len() as u64);
    let mut rows = RowSet::default();
    hashes.iter().take(people as usize).for_each(|(_, row)| rows.insert(*row as usize));
    (rows, people, hashes.len() as u64)
}

/// The records of the people with the lowest numbers, how many people these are, and of how many.
fn drawn_people(hashes: &mut [(u64, u32)], share: Exact) -> (RowSet, u64, u64) {
    hashes.sort_unstable();
    let own = || hashes.chunk_by(|one, other| one.0 == other.0);
    let of = own().count() as u64;
    let people = share.floor_of(of);
    let mut rows = RowSet::default();
    own().take(people as usize).flatten().for_each(|(_, row)| rows.insert(*row as usize));
    (rows, people, of)
}

impl HeldOut {
    /// The data with everybody in it.
    pub fn original(&self) -> OriginalData {
        OriginalData::again(&self.whole)
    }

    /// What to say where the control rests on few people.
    pub fn caution(&self) -> Option<String> {
        (self.people < FEW).then(|| {
            format!(
                "only {} people are held out, so what attacks do to them is a rough guess: a control wants {FEW} or more",
                self.people
            )
        })
    }

    /// Writes their records to the steward's room, with the columns that the release is about, and opens them.
    pub fn write(&self, policy: PolicyRef<'_>, target: &Target, clock: &Clock) -> Result<Source> {
        let PolicyRef::Table(policy) = policy else {
            return Err(Error::internal("only tables hold people out"));
        };
        let path = target.steward().join(HOLDOUT);
        let is_kept =
            |column: &&PolicyColumn| super::is_published(column) || policy.person == Some(column.index);
        let published: Vec<&PolicyColumn> = policy.columns.iter().filter(is_kept).collect();
        let names = published.iter().map(|column| column.name.clone());
        let columns: Vec<SinkColumn> = std::iter::once(place_column(policy))
            .chain(names)
            .map(|name| SinkColumn { name, kind: CellKind::Text })
            .collect();
        // The file stays, and is read by nobody but Privet: formulas are marked whatever the user says about the release.
        let mut sink = Sink::create(&path, FileKind::of_path(&path)?, ',', &columns, Formulas::Mark)?;
        platform::make_private(&path)
            .map_err(|error| Error::io("write the held-out records", &path, &error))?;
        let mut place = 0usize;
        self.whole.read(&mut |batch: &Batch, _| {
            clock.check()?;
            for row in 0..batch.rows() {
                place += 1;
                if self.rows.contains(place - 1) {
                    let number = place.to_string();
                    let own = published.iter().map(|column| batch.cell(row, column.index));
                    let cells: Vec<&str> = std::iter::once(number.as_str()).chain(own).collect();
                    sink.write(&cells)?;
                }
            }
            Ok(())
        })?;
        sink.finish()?;
        open(&path)
    }

    /// Puts what there is to say about them into a steward's manifest.
    pub fn state(&self, manifest: &mut Json, steward: &Path) -> Result<()> {
        manifest["records"]["held_out"] = self.records.into();
        manifest["holdout"] = json!({
            "share": self.share.to_string(),
            "people": self.people,
            "records": self.records,
            "file": HOLDOUT,
            "sha256": sha256_of(&steward.join(HOLDOUT))?,
        });
        Ok(())
    }
}

/// What the column with the places of the records is called: as no column of the data is.
fn place_column(policy: &CheckedPolicy) -> String {
    let mut name = "record".to_string();
    while policy.columns.iter().any(|column| column.name == name) {
        name.push('_');
    }
    name
}

fn open(path: &Path) -> Result<Source> {
    Source::open(path, &ReadOptions::with_names(Some(',')))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    /// The lines that are drawn of a table with one column, by what they hold.
    fn drawn(lines: &[u8], share: Exact, person: bool, seed: u64) -> (Vec<u8>, u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&path, format!("id\n{text}")).expect("written");
        let source = Source::open(&path, &ReadOptions::default()).expect("a table");
        let (mut hashes, key) =
            hashes(&source, person.then_some(0), seed, &Clock::unlimited()).expect("numbers");
        let (rows, people, _) = match person {
            true => drawn_people(&mut hashes, share),
            false => drawn_records(&mut hashes, share, key),
        };
        let mut held: Vec<u8> =
            (0..lines.len()).filter(|row| rows.contains(*row)).map(|row| lines[row]).collect();
        held.sort_unstable();
        (held, people)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn as_many_are_drawn_as_asked_for_whatever_their_order(
            mut lines in prop::collection::vec(0u8..12, 1..40), part in 1u64..10, seed in 0u64..4,
        ) {
            let share = Exact::new(part, 10).expect("a share");
            let (held, people) = drawn(&lines, share, false, seed);
            prop_assert_eq!(held.len() as u64, people);
            prop_assert_eq!(people, share.floor_of(lines.len() as u64));
            let (whole, people) = drawn(&lines, share, true, seed);
            let count = |list: &[u8], line: u8| list.iter().filter(|other| **other == line).count();
            let mut names = lines.clone();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(people, share.floor_of(names.len() as u64));
            for name in names {
                let gone = count(&whole, name);
                prop_assert!(gone == 0 || gone == count(&lines, name), "a person goes whole or not at all");
            }
            lines.reverse();
            prop_assert_eq!(drawn(&lines, share, false, seed).0, held);
            prop_assert_eq!(drawn(&lines, share, true, seed).0, whole);
        }
    }
}
