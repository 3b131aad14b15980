//! People who are kept out of a release, as a control for attacks.

use std::collections::BTreeMap;

use crate::common::Bench;
use serde_json::Value as Json;

/// A table of rows that are all different, and a policy for it.
fn bench(method: &str) -> Bench {
    let bench = Bench::new();
    let row = |person: usize| {
        format!("p{person},{},{},d{}\n", 20 + person % 50, 10000 + 7 * (person % 40), (person * person) % 7)
    };
    let rows: String = (0..400).map(row).collect();
    bench.write("people.csv", format!("id,age,zip,disease\n{rows}"));
    bench.write(
        "policy.toml",
        format!(
            "seed = 5\n[data]\npath = \"people.csv\"\n[columns.id]\nrole = \"identifier\"\n\
             [columns.age]\nrole = \"quasi-identifier\"\n[columns.zip]\nrole = \"quasi-identifier\"\n\
             [columns.disease]\nrole = \"sensitive\"\n{method}"
        ),
    );
    bench
}

const MONDRIAN: &str = "[privacy.k-anonymity]\nk = 4\n[method]\nname = \"mondrian\"\n";
const ANATOMY: &str =
    "[privacy.l-diversity]\ncolumn = \"disease\"\nkind = \"distinct\"\nl = 3\n[method]\nname = \"anatomy\"\n";

fn finding<'a>(json: &'a Json, name: &str) -> &'a Json {
    let found = json["attacks"].as_array().expect("attacks").iter().find(|found| found["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {json}"))
}

/// The rows of a file with how often each occurs, without the header.
fn rows(text: &str) -> BTreeMap<String, usize> {
    let mut rows = BTreeMap::new();
    text.lines().skip(1).for_each(|line| *rows.entry(line.to_string()).or_default() += 1);
    rows
}

fn without_first_cells(text: &str) -> String {
    text.lines().map(|line| line.split_once(',').expect("cells").1.to_string() + "\n").collect()
}

#[test]
fn held_out_people_are_a_control_in_the_run_and_later() {
    for method in [MONDRIAN, ANATOMY] {
        let bench = bench(method);
        let run = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", "25%"]).succeeds();
        assert!(run.stdout.contains("100 held out to try attacks on"), "{}", run.stdout);
        let manifest = bench.json("out/steward/manifest.json");
        assert_eq!(manifest["records"]["read"], 300);
        assert_eq!(manifest["records"]["held_out"], 100);
        assert_eq!(manifest["holdout"]["share"], "1/4");
        assert_eq!(manifest["holdout"]["people"], 100);
        assert_eq!(bench.json("out/public/manifest.json")["records"]["held_out"], Json::Null);
        for room in ["public", "steward"] {
            let report = bench.text(&format!("out/{room}/report.html"));
            assert!(report.contains("Held out before"), "{room}");
        }
        assert!(bench.text("out/steward/report.html").contains("--holdout 1"));
        // The file stays in steward/, is for the steward's eyes alone, and has no identifiers.
        let held = bench.text("out/steward/holdout.csv");
        assert_eq!((held.lines().next(), held.lines().count()), (Some("record,age,zip,disease"), 101));
        assert!(bench.is_private("out/steward/holdout.csv"));
        assert!(!bench.names("out/public").iter().any(|name| name.contains("holdout")));

        for name in ["singling-out", "linkability", "inference", "membership"] {
            let found =
                manifest["attacks"].as_array().expect("attacks").iter().find(|found| found["name"] == name);
            let found = found.unwrap_or_else(|| panic!("{name} was not run"));
            assert!(found["figures"][0]["control"].is_number(), "{found}");
        }
        bench.privet(&["audit", "out"]).succeeds();
        let later = bench.privet(&["attack", "out", "--json"]).succeeds().json();
        for name in ["singling-out", "linkability", "inference", "membership"] {
            let then =
                manifest["attacks"].as_array().expect("attacks").iter().find(|found| found["name"] == name);
            let then = &then.expect("a finding")["figures"][0];
            let now = finding(&later, name);
            assert_eq!((&now["hits"], &now["control"]), (&then["hits"], &then["control"]), "{name}");
        }
        // Written again, the reports still say so.
        bench.privet(&["report", "out"]).succeeds();
        assert!(bench.text("out/public/report.html").contains("Held out before"));
    }
}

#[test]
fn nobody_who_is_held_out_is_released_and_the_seed_decides_who() {
    let bench = bench("[privacy.k-anonymity]\nk = 1\n[method]\nname = \"mondrian\"\n");
    let make = |target: &str, seed: &str| {
        bench
            .privet(&["anonymize", "policy.toml", "-o", target, "--holdout", "0.1", "--seed", seed])
            .succeeds();
        (
            bench.text(&format!("{target}/public/release.csv")),
            without_first_cells(&bench.text(&format!("{target}/steward/holdout.csv"))),
        )
    };
    let (released, held) = make("one", "1");
    let mut both = rows(&released);
    for (row, count) in rows(&held) {
        *both.entry(row).or_default() += count;
    }
    let original = without_first_cells(&bench.text("people.csv"));
    assert_eq!(both, rows(&original), "everybody is in one of them, and nobody in both");
    assert_eq!(make("again", "1"), (released.clone(), held.clone()), "same seed, same bytes");
    assert_ne!(rows(&make("other", "2").1), rows(&held));

    // Nor does it depend on the order of records, as far as people go.
    let text = bench.text("people.csv");
    let (head, body) = text.split_once('\n').expect("a header");
    let mut lines: Vec<&str> = body.lines().collect();
    lines.reverse();
    bench.write("people.csv", format!("{head}\n{}\n", lines.join("\n")));
    let (shuffled, others) = make("reversed", "1");
    assert_eq!((rows(&shuffled), rows(&others)), (rows(&released), rows(&held)));
    bench.privet(&["audit", "one"]).succeeds();
}

#[test]
fn people_go_with_all_their_records() {
    let bench = bench(MONDRIAN);
    let rows: String = (0..200)
        .map(|row| {
            format!("p{},{},{},d{}\n", row / 4 * 3 + (row % 4).min(2), 20 + row % 9, 10000 + row % 5, row % 7)
        })
        .collect();
    bench.write("people.csv", format!("id,age,zip,disease\n{rows}"));
    bench.write(
        "policy.toml",
        bench.text("policy.toml") + "[ledger]\npath = \"ledger.jsonl\"\nperson = \"id\"\n",
    );
    let run = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", "20%"]).succeeds();
    assert!(run.stderr.contains("is not different for everybody"), "{}", run.stderr);
    let manifest = bench.json("out/steward/manifest.json");
    assert_eq!(manifest["holdout"]["people"], 30, "of 150 people");
    let records = manifest["holdout"]["records"].as_u64().expect("a count");
    assert!((30..60).contains(&records), "{records}");
    assert_eq!(manifest["records"]["read"].as_u64(), Some(200 - records));
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn a_changed_hold_out_is_noticed() {
    let bench = bench(MONDRIAN);
    bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", "10%"]).succeeds();
    let held = bench.text("out/steward/holdout.csv");
    bench.write("out/steward/holdout.csv", held.replace("d1", "d2"));
    let outcome = bench.privet(&["audit", "out"]).exits(4);
    assert!(outcome.stdout.contains("steward/holdout.csv is not as it was written"), "{}", outcome.stdout);
    // Of another original other people would have been held out.
    bench.write("out/steward/holdout.csv", held);
    let fewer: String =
        bench.text("people.csv").lines().take(300).map(|line| line.to_string() + "\n").collect();
    bench.write("fewer.csv", fewer);
    let outcome = bench.privet(&["attack", "out", "--original", "fewer.csv"]).exits(2);
    assert!(outcome.stderr.contains("it lacks people who were held out"), "{}", outcome.stderr);
}

#[test]
fn without_a_hold_out_the_rate_is_called_uncontrolled() {
    let bench = bench(MONDRIAN);
    let run = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "all", "-v"]).succeeds();
    let told = run.stdout.lines().find(|line| line.starts_with("attack singling-out")).expect("a line");
    assert!(told.contains("uncontrolled"), "{told}");
    assert!(bench.json("out/steward/manifest.json")["holdout"].is_null());
    assert!(bench.text("out/steward/report.html").contains("uncontrolled"));
    assert!(!bench.text("out/public/report.html").contains("Held out"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bench = bench(MONDRIAN);
    for share in ["0", "1", "100%", "1.5", "half", "0/0"] {
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", share]).exits(2);
        assert!(outcome.stderr.contains("between 0 and 1"), "{share}: {}", outcome.stderr);
    }
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", "0.001"]).exits(2);
    assert!(outcome.stderr.contains("of 400 records is 0"), "{}", outcome.stderr);
    // What is left is too little for k.
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", "0.995"]).exits(3);
    assert!(outcome.stderr.contains("only 2 records"), "{}", outcome.stderr);
    assert_eq!(bench.names("."), ["people.csv", "policy.toml"]);
    for example in ["five-baskets", "five-vocabularies"] {
        let bench = Bench::with_example(example);
        let policy = format!("{example}/policy.toml");
        let outcome = bench.privet(&["anonymize", &policy, "-o", "out", "--holdout", "20%"]).exits(2);
        assert!(outcome.stderr.contains("are on tables"), "{}", outcome.stderr);
    }
    // Few people are a rough control, and that is said.
    let run = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--holdout", "1%"]).succeeds();
    assert!(run.stderr.contains("only 4 people are held out"), "{}", run.stderr);
    assert_eq!(bench.json("out/public/manifest.json")["records"]["held_out"], Json::Null);
}

#[test]
fn projected_tables_and_mixed_columns_have_hold_outs_too() {
    for example in ["clinic", "freeform"] {
        let bench = Bench::with_example(example);
        let policy = format!("{example}/policy.toml");
        bench
            .privet(&["anonymize", &policy, "-o", "out", "--holdout", "10%", "--attacks", "none"])
            .succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        assert!(bench.json("out/steward/manifest.json")["holdout"]["people"].as_u64() > Some(100));
    }
}
