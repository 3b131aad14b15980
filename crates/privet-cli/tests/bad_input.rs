//! Bad input ends in exit 2 (or 3, where the data cannot meet what is asked) with a message that names place and remedy.
//!
//! `corpus/` holds the malformed files, one case each; what is large, binary or not a file at all is made here. A case
//! replaces one of the good files. `corpus/expected.tsv` lists which of the 65 kinds of hostile file it is of, the exit status,
//! the place and words of the message: a new case needs a file and a line there. What looks wrong and is not ends with exit 0
//! and a release that passes its audit. The snapshot shows every message as a user reads it.

#[path = "common/damage.rs"]
mod damage;
#[path = "common/made.rs"]
mod made;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::common;
use crate::common::{Bench, Outcome, command, failures, run};
use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray, StructArray};
use made::{MADE, Made};
use parquet::arrow::ArrowWriter;

/// Bad input is refused at once. A busy machine may keep a process waiting, so it is the processor's seconds that count.
const SECONDS: u32 = 2;

/// And in little memory: 200 MB on top of what the program, its stacks and its libraries take before they do anything. The shell
/// counts kilobytes of address space, of which every thread reserves more than it uses.
const KILOBYTES: u32 = 500_000;

/// The kinds of hostile files that the plan for reliability counts.
const KINDS: u8 = 65;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("corpus")
}

fn good(name: &str) -> String {
    fs::read_to_string(corpus().join(name)).expect("a good file")
}

/// A folder with the three good files.
fn good_bench() -> Bench {
    let bench = Bench::new();
    bench.write("policy.toml", good("good-policy.toml"));
    bench.write("data.csv", good("good.csv"));
    bench.write("city.csv", good("good-hierarchy.csv"));
    bench
}

fn anonymize(bench: &Bench) -> Outcome {
    limited(bench, &["anonymize", "policy.toml", "-o", "out"])
}

/// Runs the command with little time and memory. A run that takes more is ended by the system and fails the test.
fn limited(bench: &Bench, arguments: &[&str]) -> Outcome {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -t {SECONDS} && ulimit -v {KILOBYTES} && exec \"$0\" \"$@\"")]);
    shell.arg(command().get_program()).args(arguments).current_dir(bench.root()).stdin(Stdio::null());
    // The allocator reserves 64 MB of addresses per thread unless it is told not to.
    shell.env("MALLOC_ARENA_MAX", "1").env("RAYON_NUM_THREADS", "1");
    run(shell)
}

/// What holds for every refusal, whatever its reason.
#[track_caller]
fn refused(case: &str, bench: &Bench, outcome: &Outcome, status: i32) {
    let Outcome { stdout, stderr, .. } = outcome;
    assert_eq!(outcome.status, Some(status), "{case}: {stdout}{stderr}");
    assert_eq!(stdout, "", "{case}: nothing goes to standard output");
    assert!(stderr.starts_with("error: "), "{case}: {stderr}");
    for word in ["panicked", "unwrap", "internal", "os error", "Os {", "src/"] {
        assert!(!stderr.contains(word), "{case}: {word} in {stderr}");
    }
    assert!(!bench.path("out").exists(), "{case}: the target is there");
    let hidden: Vec<String> = bench.names(".").into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(hidden.is_empty(), "{case}: left {hidden:?}");
}

/// What holds for everything that looks wrong and is not.
#[track_caller]
fn accepted(case: &str, bench: &Bench, outcome: &Outcome) {
    assert_eq!(outcome.status, Some(0), "{case}: {}", outcome.stderr);
    assert!(!outcome.stderr.contains("error"), "{case}: {}", outcome.stderr);
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn every_kind_of_hostile_file_is_tried() {
    let listed = expected().into_iter().flat_map(|one| one.kinds);
    let made = MADE.iter().flat_map(|one| one.kinds).copied();
    let elsewhere = ELSEWHERE.iter().map(|(kind, _)| *kind);
    let all: BTreeSet<u8> = listed.chain(made).chain(elsewhere).collect();
    let missing: Vec<u8> = (1..=KINDS).filter(|kind| !all.contains(kind)).collect();
    assert!(missing.is_empty(), "no case is of kind {missing:?}");
    assert_eq!(all.last(), Some(&KINDS));
}

#[test]
fn the_good_files_are_good() {
    for bench in [good_bench(), good_transactions(), good_log()] {
        anonymize(&bench).succeeds();
    }
}

struct Expected {
    case: String,
    kinds: Vec<u8>,
    status: i32,
    /// Parts that the message must have: place, fault and remedy.
    parts: Vec<String>,
}

fn expected() -> Vec<Expected> {
    let text = fs::read_to_string(corpus().join("expected.tsv")).expect("the list of cases");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let mut cells = line.split('\t');
            let case = cells.next().expect("a case").to_string();
            let kinds = cells.next().expect("kinds").split(',').filter(|kind| *kind != "-");
            let kinds = kinds.map(|kind| kind.parse().expect("a kind")).collect();
            let status = cells.next().expect("a status").parse().expect("a number");
            Expected { case, kinds, status, parts: cells.map(str::to_string).collect() }
        })
        .collect()
}

/// A folder with a good file of transactions, or of what the case has instead.
fn good_transactions() -> Bench {
    let bench = Bench::new();
    bench.write("policy.toml", good("good-transactions.toml"));
    bench.write("baskets.csv", good("good-transactions.csv"));
    bench.write("items.csv", good("good-items.csv"));
    bench
}

/// A folder with a good query log.
fn good_log() -> Bench {
    let bench = Bench::new();
    bench.write("policy.toml", good("good-log.toml"));
    bench.write("log.tsv", good("good-log.tsv"));
    bench.write("words.csv", good("good-words.csv"));
    bench
}

/// Lays one case of the corpus out in a folder.
fn lay_out(case: &str) -> Bench {
    let (group, name) = case.split_once('/').expect("group/name");
    let content = fs::read(corpus().join(case)).unwrap_or_else(|error| panic!("{case}: {error}"));
    let bench = match group {
        "transactions" => good_transactions(),
        "query-log" => good_log(),
        _ => good_bench(),
    };
    match group {
        "transactions" => {
            bench.write("baskets.csv", content);
        }
        "query-log" => {
            bench.write("log.tsv", content);
        }
        "policy" => {
            bench.write("policy.toml", content);
        }
        "data" => {
            bench.write(name, content);
            bench.edit("policy.toml", "\"data.csv\"", &format!("\"{name}\""));
        }
        "hierarchy" if name.starts_with("age-") => {
            bench.write(name, content);
            let age = "[columns.age]\nrole = \"quasi-identifier\"\n";
            bench.edit("policy.toml", age, &format!("{age}hierarchy = \"{name}\"\n"));
        }
        _ => {
            bench.write(name, content);
            bench.edit("policy.toml", "\"city.csv\"", &format!("\"{name}\""));
        }
    }
    bench
}

#[test]
fn every_case_of_the_corpus_is_refused_with_place_and_remedy() {
    let expected = expected();
    let mut listed: Vec<&str> = expected.iter().map(|one| one.case.as_str()).collect();
    listed.sort_unstable();
    let mut there: Vec<String> = Vec::new();
    for group in ["data", "hierarchy", "policy", "query-log", "transactions"] {
        there.extend(common::names(&corpus().join(group)).into_iter().map(|name| format!("{group}/{name}")));
    }
    assert_eq!(listed, there, "expected.tsv lists exactly the files of the corpus");
    assert!(expected.len() >= 60);
    let mut messages = String::new();
    let failed = failures(&expected, |Expected { case, status, parts, .. }| {
        let bench = lay_out(case);
        let outcome = anonymize(&bench);
        if *status == 0 {
            accepted(case, &bench, &outcome);
        } else {
            refused(case, &bench, &outcome, *status);
        }
        for part in parts {
            let said = format!("{}{}", outcome.stderr, if *status == 0 { &outcome.stdout } else { "" });
            assert!(said.contains(part.as_str()), "{case}: no {part:?} in\n{said}");
        }
        let _ = writeln!(messages, "{case}: exit {status}\n{}", outcome.stderr);
    });
    assert_eq!(failed, 0, "cases failed, each as shown above");
    insta::assert_snapshot!("messages", messages);
}

/// Kinds that have a test of their own, and where.
const ELSEWHERE: [(u8, &str); 3] = [
    (58, "a sensitive item in the tree of public ones: below, and in transactions.rs"),
    (62, "m and n above any transaction: below"),
    (63, "a public table with a label that nothing reveals: below"),
];

#[test]
fn what_cannot_be_kept_as_a_file_is_refused_too() {
    let mut messages = String::new();
    let failed = failures(MADE, |Made { name, spoil, parts, .. }| {
        let bench = good_bench();
        spoil(&bench);
        let outcome = anonymize(&bench);
        if parts.is_empty() {
            accepted(name, &bench, &outcome);
            return;
        }
        refused(name, &bench, &outcome, 2);
        for part in *parts {
            assert!(outcome.stderr.contains(part), "{name}: no {part:?} in\n{}", outcome.stderr);
        }
        assert!(outcome.stderr.len() < 2000, "{name}: {} bytes of message", outcome.stderr.len());
        let _ = writeln!(messages, "{name}: exit 2\n{}", outcome.stderr);
    });
    assert_eq!(failed, 0, "cases failed, each as shown above");
    insta::assert_snapshot!("messages_made", messages);
}

#[test]
fn bad_targets_are_refused() {
    let bench = good_bench();
    bench.write("file", "precious");
    let cases = [
        ("file", "exists already"),
        ("file/out", "is not a folder"),
        ("nowhere/out", "No such file"),
        ("nowhere/x/out", "make its directory first"),
        ("/", "must name a folder"),
        (".", "must name a folder"),
    ];
    for (target, words) in cases {
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", target]);
        refused(target, &bench, &outcome, 2);
        assert!(outcome.stderr.contains(words) && outcome.stderr.contains("help:"), "{}", outcome.stderr);
    }
    for force in [&["--force"][..], &[]] {
        let arguments = [&["anonymize", "policy.toml", "-o", "file"], force].concat();
        bench.privet(&arguments).exits(2);
    }
    assert_eq!(bench.text("file"), "precious");
}

#[test]
fn with_json_an_error_is_an_object_too() {
    let bench = lay_out("policy/misspelt-column.toml");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--json"]).exits(2);
    let json = outcome.json();
    assert_eq!(json["exit"], 2);
    assert_eq!(json["line"], 13);
    assert_eq!(json["help"], "did you mean 'disease'?");
}

#[test]
fn a_group_of_items_is_refused_as_a_sensitive_item() {
    let bench = good_transactions();
    bench.edit("policy.toml", "[\"Test\"]", "[\"Drinks\"]");
    let outcome = anonymize(&bench);
    refused("sensitive and public", &bench, &outcome, 2);
    assert!(
        outcome.stderr.contains("policy.toml:9:") && outcome.stderr.contains("'Drinks' is a group"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn an_adversary_who_knows_more_than_anybody_bought_is_one() {
    let bench = good_transactions();
    bench.edit("policy.toml", "m = 1\nn = 1", "m = 50\nn = 50");
    let outcome = anonymize(&bench);
    accepted("m and n above any transaction", &bench, &outcome);
}

#[test]
fn a_label_that_nothing_reveals_is_refused_or_harmless() {
    let bench = Bench::with_example("symptoms");
    let text = bench.text("symptoms/diseases.csv");
    let first = text.lines().nth(1).expect("a label");
    let label = first.split(',').next().expect("a name").to_string();
    // The same label again, without a single term.
    let empty = format!("{label} that nobody has,");
    bench.write("symptoms/diseases.csv", format!("{text}{empty}\n"));
    let outcome = limited(&bench, &["anonymize", "symptoms/policy.toml", "-o", "out"]);
    refused("a label without terms", &bench, &outcome, 2);
    assert!(
        outcome.stderr.contains("diseases.csv:") && outcome.stderr.contains("help:"),
        "{}",
        outcome.stderr
    );
}

/// Dates are only dates where somebody says so; then they have to be.
#[test]
fn impossible_dates_are_refused_where_dates_are_asked_for() {
    let bench = Bench::new();
    bench.write("data.csv", good("data/ambiguous-dates.csv"));
    let build = ["hierarchy", "build", "data.csv", "age", "--kind", "dates", "-o", "out.csv"];
    let outcome = limited(&bench, &build).exits(2);
    assert!(
        outcome.stderr.contains("data.csv:")
            && outcome.stderr.contains("is not a date")
            && outcome.stderr.contains("help:"),
        "{}",
        outcome.stderr
    );
    assert_eq!(bench.names("."), ["data.csv"]);
}

#[test]
fn what_may_not_be_read_is_told() {
    let bench = good_bench();
    let mut lock = Command::new("sh");
    lock.args(["-c", "chmod 000 data.csv && ! cat data.csv"]).current_dir(bench.root());
    if !lock.output().is_ok_and(|output| output.status.success()) {
        privet_core::testing::skipped("permissions do not bind the user who runs this");
        return;
    }
    let outcome = anonymize(&bench);
    refused("no permission", &bench, &outcome, 2);
    assert!(outcome.stderr.contains("data.csv: ") && outcome.stderr.contains("help: check the permissions"));
}
