//! Data in memory give the releases that files give.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use privet::audit::audit_release;
use privet::audit::released::{Released, open_released, released_in_memory};
use privet::clock::Clock;
use privet::data::{
    Directory, MemoryRelease, Origin, ReadOptions, Source, TransactionLists, TransactionSource,
};
use privet::example::Example;
use privet::policy::{OriginalData, Policy};
use privet::release::{RunOptions, anonymize_any, open_release};
use privet::{ErrorKind, apply, audit, decide, publish};

/// The rows of a table, in memory.
fn held(path: &Path) -> Source {
    let file = Source::open(path, &ReadOptions::default()).expect("a table");
    let names: Vec<&str> = file.columns().iter().map(|column| column.name.as_str()).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    file.read(&mut |batch, _| {
        rows.extend((0..batch.rows()).map(|row| batch.cells(row).map(String::from).collect()));
        Ok(())
    })
    .expect("rows");
    Source::of_rows("people", &names, &rows).expect("rows in memory")
}

fn held_lists(path: &Path) -> TransactionSource {
    let mut lists = TransactionLists::default();
    let file = TransactionSource::open(path, &Default::default()).expect("transactions");
    file.read(&mut |transaction, _| lists.push(transaction.items)).expect("lists");
    TransactionSource::of_lists("baskets", lists)
}

/// The released files: the data, without the documents that name the run.
fn released(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries =
        fs::read_dir(folder.join("public")).expect("a directory").map(|entry| entry.expect("an entry"));
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let data = named.filter(|(name, _)| name != "report.html" && name != "manifest.json");
    data.map(|(name, path)| (name, fs::read(path).expect("a file"))).collect()
}

fn both(example: &str, data: &str, original: fn(&Path) -> OriginalData) {
    let folder = tempfile::tempdir().expect("a directory");
    let home = folder.path().join(example);
    Example::find(example).expect("an example").write(&home).expect("written");
    let clock = Clock::unlimited();
    let policy = Policy::read(&home.join("policy.toml")).expect("a policy");
    let seed = Some(11);
    let [file, memory] = ["file", "memory"].map(|name| RunOptions::to(folder.path().join(name)));

    let checked = policy.check_any(None).expect("a policy that runs");
    let command = anonymize_any(checked, &RunOptions { seed, ..file.clone() }, &clock).expect("a release");
    let original = original(&home.join(data));
    let decision = decide(&policy, original.clone(), seed, &clock).expect("a decision");
    let library = publish(&decision, &memory, &clock).expect("a release");
    assert!(command.audit.passed && library.audit.passed);
    assert_eq!(released(&file.target), released(&memory.target), "{example}");
    let assignment = |options: &RunOptions| fs::read(options.target.join("steward/assignment.csv")).ok();
    assert_eq!(assignment(&file), assignment(&memory));
    assert_eq!(command.manifest["plan"], library.manifest["plan"]);
    assert_eq!(command.manifest["records"], library.manifest["records"]);
    assert_eq!(command.audit, library.audit);
    assert!(library.manifest["origin"]["data"]["memory"].is_string());

    // A later audit needs the original, and says so.
    let missing = audit_release(&memory.target, None, &clock).expect_err("the original is not there");
    assert_eq!(missing.kind(), ErrorKind::Input);
    assert!(
        missing.to_string().contains("in memory") && missing.to_string().contains("--original"),
        "{missing}"
    );
    assert!(open_release(&memory.target, None, &clock).is_err());
    let again = audit_release(&memory.target, Some(home.join(data).as_path()), &clock).expect("an audit");
    assert!(again.passed);

    // What is applied to memory is what is in the files.
    let rows = MemoryRelease::default();
    let applied = apply(&decision, &rows, &clock).expect("applied");
    assert_eq!(applied.names.iter().collect::<BTreeSet<_>>(), released(&file.target).keys().collect());
    let checked = policy.check_any(original.clone()).expect("a policy that runs");
    let in_memory = released_in_memory(checked.as_ref(), &rows).expect("a release");
    let place = match released(&file.target).len() {
        1 => file.target.join("public").join(&applied.names[0]),
        _ => file.target.join("public"),
    };
    let in_files = open_released(checked.as_ref(), &place).expect("a release");
    let audits = [in_memory, in_files]
        .map(|release| audit(&policy, original.clone(), &release, &clock).expect("an audit"));
    assert_eq!(audits[0].passed, audits[1].passed);
    assert_eq!(audits[0].records, audits[1].records);
    assert_eq!(audits[0].classes, audits[1].classes);
}

#[test]
fn a_table_in_memory_is_released_as_its_file_is() {
    both("patients", "patients.csv", |path| held(path).into());
}

#[test]
fn groups_of_a_table_in_memory_are_released_as_those_of_its_file() {
    both("injector", "patients.csv", |path| held(path).into());
}

#[test]
fn projections_of_a_table_in_memory_are_released_as_those_of_its_file() {
    both("clinic", "clinic.csv", |path| held(path).into());
}

#[test]
fn transactions_in_memory_are_released_as_their_file_is() {
    both("five-baskets", "five-baskets.csv", |path| held_lists(path).into());
}

#[test]
fn vocabularies_in_memory_are_released_as_their_file_is() {
    both("five-vocabularies", "five-vocabularies.csv", |path| held(path).into());
}

#[test]
fn counts_are_decided_upon_as_rows_are() {
    let folder = tempfile::tempdir().expect("a directory");
    Example::find("patients").expect("an example").write(folder.path()).expect("written");
    let policy = Policy::read(&folder.path().join("policy.toml")).expect("a policy");
    let rows = held(&folder.path().join("patients.csv"));
    let names: Vec<&str> = rows.columns().iter().map(|column| column.name.as_str()).collect();
    let mut counts: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    rows.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            *counts.entry(batch.cells(row).map(String::from).collect()).or_default() += 1;
        }
        Ok(())
    })
    .expect("rows");
    let counted = Source::of_counts("people", &names, counts).expect("counts");
    let clock = Clock::unlimited();
    let of = |source: Source| {
        let decision = decide(&policy, source, Some(3), &clock).expect("a decision");
        let release = MemoryRelease::default();
        let applied = apply(&decision, &release, &clock).expect("applied");
        let fingerprint = release.source(&applied.names[0]).expect("a table").fingerprint().expect("read");
        (decision.plan().expect("a plan"), decision.records().expect("counts"), fingerprint)
    };
    assert_eq!(of(counted), of(rows));
}

#[test]
fn what_comes_too_late_or_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a directory");
    Example::find("patients").expect("an example").write(folder.path()).expect("written");
    let policy = Policy::read(&folder.path().join("policy.toml")).expect("a policy");
    let clock = Clock::unlimited();
    let rows = held(&folder.path().join("patients.csv"));
    let decision = decide(&policy, rows.clone(), Some(3), &clock).expect("a decision");
    assert_eq!(decision.policy().origin(), &Origin::Memory("people".into()));
    let late = RunOptions { seed: Some(4), ..RunOptions::to(folder.path().join("out")) };
    assert!(publish(&decision, &late, &clock).expect_err("another seed").to_string().contains("'seed'"));
    let lists = TransactionSource::of_lists("baskets", TransactionLists::default());
    assert!(
        decide(&policy, lists.clone(), None, &clock)
            .expect_err("transactions")
            .to_string()
            .contains("baskets")
    );
    let wrong = audit(&policy, rows, &Released::Transactions(lists), &clock).expect_err("transactions");
    assert_eq!(wrong.kind(), ErrorKind::Input);
    let poor = Source::of_rows("people", &["age"], [["1"]]).expect("a table");
    let missing = decide(&policy, poor, None, &clock).expect_err("no such column").to_string();
    assert!(missing.contains("people (in memory)"), "{missing}");
    assert!(!folder.path().join("out").exists());
}

/// A spreadsheet runs what is in text files, not what is in memory.
#[test]
fn a_cell_like_a_formula_is_refused_in_text_and_kept_in_memory() {
    let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[columns.note]\nrole = 'other'\n\
                [privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
    let policy = Policy::parse("policy.toml".as_ref(), text.into()).expect("a policy");
    let rows = [["34", "=1+1"], ["36", "fine"], ["61", "fine"], ["67", "fine"]];
    let people = Source::of_rows("people", &["age", "note"], rows).expect("rows");
    let clock = Clock::unlimited();
    let decision = decide(&policy, people, Some(3), &clock).expect("a decision");
    let release = MemoryRelease::default();
    let applied = apply(&decision, &release, &clock).expect("applied");
    assert_eq!(release.batches(&applied.names[0]).expect("a table").1[0].num_rows(), 4);
    let folder = tempfile::tempdir().expect("a directory");
    let refused =
        apply(&decision, &Directory(folder.path().to_path_buf()), &clock).expect_err("a formula").to_string();
    assert!(refused.contains("formula"), "{refused}");
}

/// A destination takes nothing for good before it is known that the data stayed the same.
#[test]
fn data_that_changed_finishes_no_table() {
    let folder = tempfile::tempdir().expect("a directory");
    Example::find("patients").expect("an example").write(folder.path()).expect("written");
    let policy = Policy::read(&folder.path().join("policy.toml")).expect("a policy");
    let clock = Clock::unlimited();
    let decision = decide(&policy, None::<&Path>, Some(3), &clock).expect("a decision");
    // The same rows in another file: no reading notices, the state of the file does.
    let data = folder.path().join("patients.csv");
    let text = fs::read_to_string(&data).expect("a table");
    fs::remove_file(&data).expect("removed");
    fs::write(&data, text + "\n").expect("written");
    let release = MemoryRelease::default();
    let changed = apply(&decision, &release, &clock).expect_err("the data changed").to_string();
    assert!(changed.contains("changed"), "{changed}");
    assert!(release.names().is_empty(), "{:?}", release.names());
}

#[test]
fn counts_that_do_not_fit_are_an_error() {
    let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
    let policy = Policy::parse("policy.toml".as_ref(), text.into()).expect("a policy");
    for counts in [vec![(["34"], u64::MAX), (["61"], 1)], vec![(["34"], 1 << 53), (["34"], 1)]] {
        let people = Source::of_counts("people", &["age"], counts).expect("counts");
        let error = decide(&policy, people, None, &Clock::unlimited()).expect_err("too many");
        assert_eq!(error.kind(), ErrorKind::Input, "{error}");
        assert!(error.to_string().contains("9007199254740992 rows"), "{error}");
    }
}
