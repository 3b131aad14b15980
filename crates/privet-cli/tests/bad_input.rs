//! Bad input ends in exit 2 (or 3, where the data cannot meet what is asked) with a message that names place and remedy.
//!
//! `corpus/` holds the malformed files, one case each; what is large, binary or not a file at all is made here. A case
//! replaces one of three good files. `corpus/expected.tsv` lists the exit status, the place and words of the message:
//! a new case needs a file and a line there. The snapshot shows every message as a user reads it.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, BinaryArray, Int64Array, ListArray, RecordBatch, StringArray, types::Int32Type};
use common::{Bench, Outcome};
use parquet::arrow::ArrowWriter;

/// Bad input is refused at once; the bound is generous for a machine that is busy with other tests.
const AT_ONCE: Duration = Duration::from_secs(10);

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
    bench.privet(&["anonymize", "policy.toml", "-o", "out"])
}

/// What holds for every refusal, whatever its reason.
#[track_caller]
fn refused(case: &str, bench: &Bench, outcome: &Outcome, status: i32) {
    let Outcome { stdout, stderr, took, .. } = outcome;
    assert_eq!(outcome.status, Some(status), "{case}: {stdout}{stderr}");
    assert_eq!(stdout, "", "{case}: nothing goes to standard output");
    assert!(stderr.starts_with("error: "), "{case}: {stderr}");
    for word in ["panicked", "unwrap", "internal", "os error", "Os {", "src/"] {
        assert!(!stderr.contains(word), "{case}: {word} in {stderr}");
    }
    assert!(*took < AT_ONCE, "{case}: took {took:?}");
    assert!(!bench.path("out").exists(), "{case}: the target is there");
    let hidden: Vec<String> = bench.names(".").into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(hidden.is_empty(), "{case}: left {hidden:?}");
}

#[test]
fn the_good_files_are_good() {
    let bench = good_bench();
    anonymize(&bench).succeeds();
}

struct Expected {
    case: String,
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
            let status = cells.next().expect("a status").parse().expect("a number");
            Expected { case, status, parts: cells.map(str::to_string).collect() }
        })
        .collect()
}

/// Lays one case of the corpus out in a folder.
fn lay_out(case: &str) -> Bench {
    let bench = good_bench();
    let (group, name) = case.split_once('/').expect("group/name");
    let content = fs::read(corpus().join(case)).unwrap_or_else(|error| panic!("{case}: {error}"));
    match group {
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
    for group in ["data", "hierarchy", "policy"] {
        there.extend(common::names(&corpus().join(group)).into_iter().map(|name| format!("{group}/{name}")));
    }
    assert_eq!(listed, there, "expected.tsv lists exactly the files of the corpus");
    assert!(expected.len() >= 60);
    let mut messages = String::new();
    for Expected { case, status, parts } in &expected {
        let bench = lay_out(case);
        let outcome = anonymize(&bench);
        refused(case, &bench, &outcome, *status);
        for part in parts {
            assert!(outcome.stderr.contains(part.as_str()), "{case}: no {part:?} in\n{}", outcome.stderr);
        }
        let _ = writeln!(messages, "{case}: exit {status}\n{}", outcome.stderr);
    }
    insta::assert_snapshot!("messages", messages);
}

/// A case that is made, not kept: how to spoil the good files, and what the message must have.
struct Made {
    name: &'static str,
    spoil: fn(&Bench),
    parts: &'static [&'static str],
}

fn data_is(bench: &Bench, name: &str) {
    bench.edit("policy.toml", "\"data.csv\"", &format!("\"{name}\""));
}

/// The good table in a typed format.
fn typed(bench: &Bench, format: &str) -> Vec<u8> {
    bench.privet(&["anonymize", "policy.toml", "-o", "typed", "--format", format]).succeeds();
    let bytes = bench.read(&format!("typed/public/release.{format}"));
    fs::remove_dir_all(bench.path("typed")).expect("removed");
    bytes
}

fn cut_off(bench: &Bench, format: &str) {
    let bytes = typed(bench, format);
    bench.write(&format!("cut.{format}"), &bytes[..bytes.len() * 2 / 3]);
    data_is(bench, &format!("cut.{format}"));
}

fn parquet_with(bench: &Bench, column: &str, values: ArrayRef) {
    let age: ArrayRef = Arc::new(Int64Array::from(vec![34, 36]));
    let city: ArrayRef = Arc::new(StringArray::from(vec!["Bonn", "Ulm"]));
    let mut columns = vec![("age", age), ("city", city), ("disease", values.clone())];
    columns[2].0 = column;
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    bench.write("odd.parquet", bytes);
    data_is(bench, "odd.parquet");
}

const MADE: &[Made] = &[
    Made {
        name: "the data is a folder with a good name",
        spoil: |bench| {
            fs::create_dir(bench.path("folder.csv")).expect("made");
            data_is(bench, "folder.csv");
        },
        parts: &["folder.csv", "this is a folder", "help: name a file inside"],
    },
    Made {
        name: "the data is a symbolic link to nowhere",
        spoil: |bench| {
            symlink("nowhere.csv", bench.path("link.csv")).expect("linked");
            data_is(bench, "link.csv");
        },
        parts: &["link.csv", "No such file", "help: check the path"],
    },
    Made {
        name: "the data is a symbolic link to itself",
        spoil: |bench| {
            symlink("loop.csv", bench.path("loop.csv")).expect("linked");
            data_is(bench, "loop.csv");
        },
        parts: &["loop.csv", "cannot read the data"],
    },
    Made {
        name: "the data is a link to the null device",
        spoil: |bench| {
            symlink("/dev/null", bench.path("null.csv")).expect("linked");
            data_is(bench, "null.csv");
        },
        parts: &["null.csv", "device", "help:"],
    },
    Made {
        name: "the data is one huge line",
        spoil: |bench| {
            bench.write("data.csv", "x".repeat(20 << 20));
        },
        parts: &["error:", "help:"],
    },
    Made {
        name: "one cell of the data is huge",
        spoil: |bench| {
            let cell = "Bonn".repeat(4 << 20);
            bench.write("data.csv", format!("age,city,disease\n34,{cell},flu\n36,Ulm,asthma\n"));
        },
        parts: &["error:", "help:"],
    },
    Made {
        name: "the data holds the mark of suppressed cells, and cells are to be suppressed",
        spoil: |bench| {
            bench.write("data.csv", "age,city,disease\n34,Bonn,flu\n36,Ulm,*\n");
            bench.edit("policy.toml", "[privacy.l-diversity]", "[privacy.l-plus-diversity]");
            bench.edit("policy.toml", "\"mondrian\"", "\"l-plus-optimize\"\nsuppression = \"all-sa\"");
        },
        parts: &["policy.toml:", "holds the value '*'", "help: list \"*\" under 'missing'"],
    },
    Made {
        name: "the header has 70,000 columns",
        spoil: |bench| {
            let names: Vec<String> = (0..70_000).map(|number| format!("c{number}")).collect();
            let cells = vec!["1"; 70_000].join(",");
            bench.write("data.csv", format!("age,city,disease,{}\n34,Bonn,flu,{cells}\n", names.join(",")));
        },
        parts: &["data.csv:", "more than 65535 columns"],
    },
    Made {
        name: "the Parquet file is cut off",
        spoil: |bench| cut_off(bench, "parquet"),
        parts: &["cut.parquet", "help: the file may be damaged"],
    },
    Made {
        name: "the Arrow file is cut off",
        spoil: |bench| cut_off(bench, "arrow"),
        parts: &["cut.arrow", "help: the file may be damaged"],
    },
    Made {
        name: "the Parquet file is named CSV",
        spoil: |bench| {
            let bytes = typed(bench, "parquet");
            bench.write("data.csv", bytes);
        },
        parts: &["data.csv", "the name says text", "Parquet", "help: rename"],
    },
    Made {
        name: "the Arrow file is named Parquet",
        spoil: |bench| {
            let bytes = typed(bench, "arrow");
            bench.write("data.parquet", bytes);
            data_is(bench, "data.parquet");
        },
        parts: &["data.parquet", "the name says Parquet", "help: rename"],
    },
    Made {
        name: "the compressed CSV is cut off",
        spoil: |bench| {
            let bytes = typed(bench, "csv.zst");
            bench.write("cut.csv.zst", &bytes[..bytes.len() / 2]);
            data_is(bench, "cut.csv.zst");
        },
        parts: &["cut.csv.zst", "cut off", "help:"],
    },
    Made {
        name: "a column of the Parquet file holds lists",
        spoil: |bench| {
            let lists = vec![Some(vec![Some(1), Some(2)]), None];
            parquet_with(
                bench,
                "disease",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
            );
        },
        parts: &["odd.parquet", "'disease'", "help:"],
    },
    Made {
        name: "a column of the Parquet file holds bytes",
        spoil: |bench| {
            let bytes: Vec<&[u8]> = vec![b"\xff\xfe", b"\0"];
            parquet_with(bench, "disease", Arc::new(BinaryArray::from(bytes)));
        },
        parts: &["odd.parquet", "'disease'", "help:"],
    },
    Made {
        name: "two columns of the Parquet file have the same name",
        spoil: |bench| parquet_with(bench, "city", Arc::new(StringArray::from(vec!["flu", "asthma"]))),
        parts: &["odd.parquet", "'city'", "help:"],
    },
    Made {
        name: "the policy is a folder",
        spoil: |bench| {
            fs::remove_file(bench.path("policy.toml")).expect("removed");
            fs::create_dir(bench.path("policy.toml")).expect("made");
        },
        parts: &["policy.toml", "cannot read the policy", "help:"],
    },
    Made {
        name: "the policy is not there",
        spoil: |bench| fs::remove_file(bench.path("policy.toml")).expect("removed"),
        parts: &["policy.toml", "No such file", "help:"],
    },
    Made {
        name: "the hierarchy is a folder with a good name",
        spoil: |bench| {
            fs::remove_file(bench.path("city.csv")).expect("removed");
            fs::create_dir(bench.path("city.csv")).expect("made");
        },
        parts: &["city.csv", "not a file", "help:"],
    },
    Made {
        name: "the hierarchy is a table with a header",
        spoil: |bench| {
            bench.write("city.csv", "value;region;all\nBonn;west;*\nUlm;south;*\n");
        },
        parts: &["city.csv:2:", "two roots", "no header line"],
    },
    Made {
        name: "every record has a missing value",
        spoil: |bench| {
            bench.write("data.csv", "age,city,disease\n,Bonn,flu\n36,,asthma\n");
        },
        parts: &["data.csv", "all 2 records", "help: set on_missing"],
    },
    Made {
        name: "a value looks like a suppressed cell",
        spoil: |bench| {
            bench.write("data.csv", "age,city,disease\n34,Bonn,flu\n*,Ulm,asthma\n");
        },
        parts: &["data.csv:3:", "'*'", "help:"],
    },
];

#[test]
fn what_cannot_be_kept_as_a_file_is_refused_too() {
    let mut messages = String::new();
    for Made { name, spoil, parts } in MADE {
        let bench = good_bench();
        spoil(&bench);
        let outcome = anonymize(&bench);
        refused(name, &bench, &outcome, 2);
        for part in *parts {
            assert!(outcome.stderr.contains(part), "{name}: no {part:?} in\n{}", outcome.stderr);
        }
        assert!(outcome.stderr.len() < 2000, "{name}: {} bytes of message", outcome.stderr.len());
        let _ = writeln!(messages, "{name}: exit 2\n{}", outcome.stderr);
    }
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
