//! The audit against an oracle that is plain to see, on tables of a few records.
//!
//! The input's bytes are taken as the cells of a table, a release of it, and two thresholds. The release hides some cells
//! behind `*`; now and then one of its cells is a lie. The oracle counts by looking at every pair of records.

use std::fs;
use std::path::Path;

use privet::audit::{AuditOptions, audit_table};
use privet::data::{ReadOptions, Source};
use privet::policy::Policy;

use crate::mutate::Input;

/// Any bytes are a table.
pub fn corpus(_: &Path) -> Vec<Input> {
    let bytes = |text: &str| Input { bytes: text.as_bytes().to_vec(), ending: "csv" };
    vec![
        bytes("\x02\x02\x00aaaaaaaaaaaaaaaaaaaaaaaa"),
        bytes("\x02\x01\x00abcabcabcabcabcabcabc"),
        bytes("\x01\x01\x00a\0b\0c\0d\0e\0f\0g\0h\0"),
        bytes("\x03\x02\x01the quick brown fox jumps over the lazy dog"),
        bytes("\x02\x03\x09\x07\x11\x13\x17\x1d\x1f%)+/5;=CGIOSYaegkmq"),
    ]
}

/// A record: two quasi-identifiers and a sensitive value.
type Record = [char; 3];

pub fn run(folder: &Path, input: &Input) -> Result<(), String> {
    let [first, second, third, cells @ ..] = &input.bytes[..] else { return Ok(()) };
    let (k, l) = (u64::from(first % 4) + 1, u64::from(second % 3) + 1);
    let letter = |byte: u8, first: char| char::from(first as u8 + byte % 3);
    let original: Vec<Record> = (cells.chunks_exact(4).take(8))
        .map(|cell| [letter(cell[0], 'a'), letter(cell[1], 'm'), letter(cell[2], 'x')])
        .collect();
    if original.is_empty() {
        return Ok(());
    }
    let mut release = original.clone();
    for (record, cell) in release.iter_mut().zip(cells.chunks_exact(4)) {
        for (at, shown) in record.iter_mut().take(2).enumerate() {
            if cell[3] >> at & 1 == 1 {
                *shown = '*';
            }
        }
    }
    // The order is another one.
    let turn = usize::from(*third) % release.len();
    release.rotate_left(turn);
    let lie = (third & 0x80 != 0).then(|| {
        let value = release[0][2];
        release[0][2] = if value == 'x' { 'y' } else { 'x' };
    });
    let told = audit(folder, &original, &release, k, l)?;
    let expected = lie.is_none() && is_k_anonymous(&release, k) && is_diverse(&release, l);
    if told != expected {
        return Err(format!(
            "k = {k}, l = {l}: the audit says {told}, the oracle {expected}\n  original {original:?}\n  release {release:?}"
        ));
    }
    Ok(())
}

fn table(records: &[Record]) -> String {
    let rows: String = records.iter().map(|[one, two, value]| format!("{one},{two},{value}\n")).collect();
    format!("p,q,s\n{rows}")
}

fn audit(folder: &Path, original: &[Record], release: &[Record], k: u64, l: u64) -> Result<bool, String> {
    let policy = format!(
        "seed = 1\n[data]\npath = \"original.csv\"\n[columns.p]\nrole = \"quasi-identifier\"\n[columns.q]\nrole = \
         \"quasi-identifier\"\n[columns.s]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = {k}\n[privacy.l-diversity]\ncolumn = \
         \"s\"\nl = {l}\n[method]\nname = \"mondrian\"\n"
    );
    fs::write(folder.join("original.csv"), table(original)).expect("written");
    fs::write(folder.join("release.csv"), table(release)).expect("written");
    let told = Policy::parse(&folder.join("policy.toml"), policy)
        .and_then(|policy| policy.check(None))
        .and_then(|policy| {
            let release = Source::open(&folder.join("release.csv"), &ReadOptions::with_names(Some(',')))?;
            audit_table(&policy, &release, &AuditOptions::default())
        });
    told.map(|audit| audit.passed).map_err(|error| format!("cannot be audited: {error}"))
}

fn look_alike(one: &Record, two: &Record) -> bool {
    one[..2] == two[..2]
}

fn is_k_anonymous(release: &[Record], k: u64) -> bool {
    release.iter().all(|one| release.iter().filter(|two| look_alike(one, two)).count() as u64 >= k)
}

fn is_diverse(release: &[Record], l: u64) -> bool {
    release.iter().all(|one| {
        let values = ['x', 'y', 'z'];
        let held =
            values.iter().filter(|value| release.iter().any(|two| look_alike(one, two) && two[2] == **value));
        held.count() as u64 >= l
    })
}
