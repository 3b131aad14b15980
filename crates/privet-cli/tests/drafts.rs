//! Drafts: what they print, what they ask, and what they publish of real data.

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use crate::common::{Bench, command};

/// People with a wide choice of columns, one of whose names is very long.
fn people(bench: &Bench) {
    let rows: String = (0..400)
        .map(|at| {
            format!(
                "{},{},{},{},{}\n",
                20 + at % 50,
                ["f", "m"][at % 2],
                if at % 3 == 0 { 900 + at * 17 } else { 1000 * (at % 7) },
                ["flu", "cold", "gout"][at % 3],
                ["yes", "no"][at / 3 % 2]
            )
        })
        .collect();
    let header = "age,sex,income_of_all_who_live_together,illness,smokes";
    bench.write("people.csv", format!("{header}\n{rows}"));
}

#[test]
fn the_columns_are_a_table_that_fits_a_terminal() {
    let bench = Bench::new();
    people(&bench);
    let outcome = bench.privet(&["init", "people.csv"]).succeeds();
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{}", outcome.stdout);
    assert!(lines[1].trim_start().starts_with("column "), "{}", outcome.stdout);
    let place = |name: &str| lines.iter().position(|line| line.trim_start().starts_with(name)).expect(name);
    assert!(place("age") < place("illness"), "quasi-identifiers come first: {}", outcome.stdout);
}

/// Publishing a column that was left out is deleting the signs before its lines.
#[test]
fn every_column_can_be_published_by_deleting_signs() {
    let bench = Bench::new();
    people(&bench);
    bench.privet(&["init", "people.csv", "-o", "draft"]).succeeds();
    let policy = bench.text("draft/policy.toml");
    assert!(policy.contains("# [columns."), "{policy}");
    let mut within = false;
    let line = |line: &str| {
        within = line.starts_with("# [columns.") || (within && line.starts_with("# "));
        (if within { line.strip_prefix("# ").unwrap_or(line) } else { line }).to_string() + "\n"
    };
    bench.write("draft/policy.toml", policy.lines().map(line).collect::<String>());
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "out", "--attacks", "none"]).succeeds();
    let release = bench.text("out/public/release.csv");
    let header = release.lines().next().expect("a header");
    assert_eq!(header, "age,sex,income_of_all_who_live_together,illness,smokes");
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn columns_are_asked_about_where_the_user_wants_it() {
    let bench = Bench::new();
    people(&bench);
    let mut asked = command();
    asked.args(["init", "people.csv", "--ask", "-o", "draft"]).current_dir(bench.root());
    let mut child = asked.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    let answers = "\nx\nwhat?\no\n.\n";
    child.stdin.take().expect("a pipe").write_all(answers.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 of 5  age"), "{printed}");
    let policy = bench.text("draft/policy.toml");
    assert!(policy.contains("[columns.age]\nrole = \"quasi-identifier\""), "{policy}");
    assert!(policy.contains("# [columns.sex]\n"), "{policy}");
    assert!(policy.contains("_together]\nrole = \"other\""), "{policy}");
    bench.privet(&["init", "people.csv", "--ask", "--json"]).exits(2);
}

#[test]
fn hierarchies_to_start_from_are_listed_and_added() {
    let bench = Bench::new();
    let rows: String = (0..60)
        .map(|at| {
            format!("{},{}\n", ["E11.9", "I10", "J45.0", "B20"][at % 4], ["NO", "SE", "Atlantis"][at % 3])
        })
        .collect();
    bench.write("data.csv", format!("code,country\n{rows}"));
    let list = bench.privet(&["hierarchy", "list"]).succeeds().stdout;
    for name in ["icd-10", "countries", "nace", "isco", "education", "ages", "amounts"] {
        assert!(list.contains(name), "{list}");
    }
    assert_eq!(list.matches("licence: ").count(), 7);
    bench.privet(&["hierarchy", "add", "icd-10", "data.csv", "code", "-o", "icd.csv"]).succeeds();
    assert!(bench.text("icd.csv").contains("E11.9;E11.-;E08-E14;E00-E90;*\n"));
    bench.privet(&["hierarchy", "check", "icd.csv", "data.csv", "code"]).succeeds();
    let add = ["hierarchy", "add", "countries", "data.csv", "country", "-o", "c.csv"];
    let outcome = bench.privet(&add).exits(2);
    assert!(outcome.stderr.contains("Atlantis") && outcome.stderr.contains("--other"), "{}", outcome.stderr);
    assert!(!bench.path("c.csv").exists());
    bench.privet(&[&add[..], &["--other"]].concat()).succeeds();
    assert!(bench.text("c.csv").contains("Atlantis;other;"), "{}", bench.text("c.csv"));
    let outcome = bench.privet(&["hierarchy", "add", "icd10", "data.csv", "code", "-o", "x.csv"]).exits(2);
    assert!(outcome.stderr.contains("icd-10"), "{}", outcome.stderr);
}

#[test]
fn rare_values_are_joined_and_others_merged() {
    let bench = Bench::new();
    let rows: String = (0..50).map(|at| format!("{}\n", ["a", "b", "c"][at % 3])).collect();
    bench.write("data.csv", format!("what\n{rows}d\ne\n"));
    let build = ["hierarchy", "build", "data.csv", "what", "--kind", "categories", "-o"];
    bench.privet(&[&build[..], &["o.csv", "--other", "10"]].concat()).succeeds();
    assert_eq!(bench.text("o.csv"), "a;a;*\nb;b;*\nc;c;*\nd;other;*\ne;other;*\n");
    bench.privet(&[&build[..], &["m.csv", "--other", "10", "--merge", "first=a,b"]].concat()).succeeds();
    assert_eq!(bench.text("m.csv"), "c;c;*\na;first;*\nb;first;*\nd;other;*\ne;other;*\n");
    for wrong in ["first", "first=z", "a=b,c"] {
        let outcome = bench.privet(&[&build[..], &["w.csv", "--merge", wrong]].concat()).exits(2);
        assert!(outcome.stderr.contains("help:") && !bench.path("w.csv").exists(), "{}", outcome.stderr);
    }
    bench.write("joined.csv", "a;x;*-9;y;*\nb;x;*");
    let outcome = bench.privet(&["hierarchy", "check", "joined.csv", "data.csv", "what"]).exits(2);
    for word in ["'*-9' in line 1", "the last line has no end"] {
        assert!(outcome.stderr.contains(word), "{}", outcome.stderr);
    }
}

/// A file of real data, where it is at hand.
fn real(path: &str) -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder =
        std::env::var_os("PRIVET_DATA").map_or_else(|| here.join("../../../shared/data"), PathBuf::from);
    let file = folder.join(path);
    if !file.is_file() {
        privet_core::testing::skipped(&format!("no {} (set PRIVET_DATA)", file.display()));
        return None;
    }
    Some(file)
}
