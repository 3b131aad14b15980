//! Every release passes its audit, and a damaged one does not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::oracle::Oracle;
use super::table::{MissingChoice, RandomTable, tables};
use privet::audit::audit_release;
use privet::release::{Published, RunOptions, anonymize};
use privet_audit::{Audit, AuditOptions, audit_table};
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_core::{ErrorKind, Result};
use privet_data::{ReadOptions, Source};
use privet_engine::privacy::naive::Notion;
use privet_policy::CheckedPolicy;

const METHODS: [&str; 10] = [
    "name = \"full-domain\"",
    "name = \"full-domain\"\nsuppression_limit = 0.3\ncost = \"DM\"",
    "name = \"full-domain\"\ntime_limit = \"0s\"\ncost = \"entropy\"",
    "name = \"mondrian\"",
    "name = \"mondrian\"\npartitioning = \"relaxed\"",
    "name = \"full-domain\"\nrefine = true",
    "name = \"mondrian\"\nrefine = true",
    "name = \"mondrian\"\nlabels = \"sets\"",
    "name = \"mondrian\"\nlabels = \"sets\"\nsplits = \"free\"",
    "name = \"mondrian\"\nlabels = \"sets\"\nrefine = true",
];

fn publish(table: &RandomTable, folder: &Path, method: &str) -> (CheckedPolicy, Result<Published>) {
    let policy = table.write(folder, method);
    let target = folder.join("release");
    let options = RunOptions { seed: Some(5), ..RunOptions::to(target) };
    (policy.clone(), anonymize(policy, &options, &Clock::unlimited()))
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn every_release_of_every_method_passes_its_audit(table in tables(40), method in prop::sample::select(METHODS.to_vec())) {
        prop_assume!(!table.kept().is_empty());
        let folder = TempDir::new().expect("a folder");
        let target = folder.path().join("release");
        match publish(&table, folder.path(), method).1 {
            Ok(published) => {
                prop_assert!(published.audit.passed);
                let again = audit_release(&target, None, &Clock::unlimited()).expect("an audit");
                // The first check is about the published files, which did not exist yet the first time.
                prop_assert!(again.passed);
                prop_assert_eq!(&again.checks[1..], &published.audit.checks[1..]);
                let dropped = (table.rows.len() - table.kept().len()) as u64;
                prop_assert_eq!(again.records.dropped, dropped);
                prop_assert_eq!(again.records.original, table.rows.len() as u64);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible, "{}", error);
                prop_assert!(!target.exists());
            }
        }
    }
}

/// A released table in memory.
struct ReleasedTable {
    header: String,
    rows: Vec<Vec<String>>,
    width: usize,
}

impl ReleasedTable {
    fn read(folder: &Path, table: &RandomTable) -> ReleasedTable {
        let text = fs::read_to_string(folder.join("release/public/release.csv")).expect("a release");
        let header = text.lines().next().expect("a header").to_string();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows = reader.records().map(|row| row.expect("a row").iter().map(String::from).collect());
        ReleasedTable { header, rows: rows.collect(), width: table.quasi.len() }
    }

    fn cells(&self, row: usize) -> &[String] {
        &self.rows[row][..self.width]
    }

    fn classes(&self) -> BTreeMap<Vec<String>, Vec<usize>> {
        let mut classes: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        (0..self.rows.len()).for_each(|row| classes.entry(self.cells(row).to_vec()).or_default().push(row));
        classes
    }

    fn csv(&self, spoil: impl FnOnce(&mut Vec<Vec<String>>)) -> Vec<u8> {
        let mut rows = self.rows.clone();
        spoil(&mut rows);
        let mut writer = csv::Writer::from_writer(format!("{}\n", self.header).into_bytes());
        rows.iter().for_each(|row| writer.write_record(row).expect("a row"));
        writer.into_inner().expect("a file")
    }
}

/// Audits other bytes in place of a release; an error is not an approval either.
fn audit(folder: &Path, policy: &CheckedPolicy, bytes: &[u8]) -> Option<Audit> {
    let path = folder.join("spoilt.csv");
    fs::write(&path, bytes).expect("written");
    let source = Source::open(&path, &ReadOptions::with_names(Some(','))).ok()?;
    audit_table(policy, &source, &AuditOptions::default()).ok()
}

fn approves(folder: &Path, policy: &CheckedPolicy, bytes: &[u8]) -> bool {
    audit(folder, policy, bytes).is_some_and(|audit| audit.passed)
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn the_audit_rejects_spoilt_releases(
        mut table in tables(40),
        k in 2u64..5,
        full_domain in any::<bool>(),
        pick in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!table.kept().is_empty());
        table.asked.truncate(1);
        table.asked.push((Notion::KAnonymity(k), 0));
        let folder = TempDir::new().expect("a folder");
        let method = if full_domain { METHODS[0] } else { METHODS[3] };
        let (policy, published) = publish(&table, folder.path(), method);
        let Ok(published) = published else { return Ok(()) };
        let released = ReleasedTable::read(folder.path(), &table);
        prop_assert!(approves(folder.path(), &policy, &released.csv(|_| ())), "untouched, it passes");
        let classes = released.classes();
        let members: Vec<&Vec<usize>> = classes.values().collect();

        // Remove a record of the smallest class.
        let smallest = members.iter().min_by_key(|rows| rows.len()).expect("a class");
        let gone = released.csv(|rows| drop(rows.remove(smallest[0])));
        let verdict = audit(folder.path(), &policy, &gone);
        prop_assert!(verdict.as_ref().is_none_or(|audit| !audit.passed));
        if let Some(audit) = verdict.filter(|_| smallest.len() as u64 == k) {
            let check = audit.checks.iter().find(|check| check.name.contains(&format!("k = {k})")));
            prop_assert!(check.is_some_and(|check| !check.holds), "{:?}", audit);
        }

        // Make a value more specific than the others of its class.
        if full_domain {
            let levels = &published.manifest["plan"]["levels"];
            let oracle = Oracle::new(&table);
            let original = pick.get(&table.kept()).to_vec();
            let shown: Vec<String> = (0..table.quasi.len())
                .map(|column| {
                    let level = levels[format!("q{column}")].as_u64().expect("a level") as usize;
                    oracle.ladders[column].labels[level][&original[column]].clone()
                })
                .collect();
            let row = classes[&shown][0];
            for column in (0..table.quasi.len()).filter(|column| shown[*column] != original[*column]) {
                let specific = released.csv(|rows| rows[row][column] = original[column].clone());
                prop_assert!(!approves(folder.path(), &policy, &specific), "column {} of row {}", column, row);
            }
        }

        // Mondrian publishes a missing number together with others as '*', which also covers what other classes cover.
        // Then a record of one class may legitimately stand for an original of another.
        let disjoint = full_domain || table.on_missing != MissingChoice::Keep;
        if members.len() > 1 && disjoint {
            let from = pick.index(members.len());
            let (one, two) = (members[from], members[(from + 1) % members.len()]);
            // Move a record to another class.
            let moved = released.csv(|rows| {
                let cells = rows[two[0]][..released.width].to_vec();
                rows[one[0]][..released.width].clone_from_slice(&cells);
            });
            prop_assert!(!approves(folder.path(), &policy, &moved), "moved from {:?}", released.cells(one[0]));
            // Swap the sensitive values of two records of different classes.
            let sensitive = |row: usize| &released.rows[row][released.width];
            let pairs = one.iter().flat_map(|a| two.iter().map(move |b| (*a, *b)));
            if let Some((a, b)) = pairs.into_iter().find(|(a, b)| sensitive(*a) != sensitive(*b)) {
                let swapped = released.csv(|rows| {
                    let (of_a, of_b) = (sensitive(a).clone(), sensitive(b).clone());
                    (rows[a][released.width], rows[b][released.width]) = (of_b, of_a);
                });
                prop_assert!(!approves(folder.path(), &policy, &swapped), "swapped rows {} and {}", a, b);
            }
        }

        // A published file with any change is no longer the published file.
        let target = folder.path().join("release");
        fs::write(target.join("public/release.csv"), &gone).expect("written");
        let audit = audit_release(&target, None, &Clock::unlimited()).expect("an audit");
        prop_assert!(!audit.passed);
        prop_assert!(!audit.checks[0].holds, "{}", audit.checks[0].name);
    }
}
