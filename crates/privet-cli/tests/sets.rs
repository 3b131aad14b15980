//! Cells that hold several values, from the command line: sensitive columns judged value by value, and columns of role `set`,
//! whose items are generalised next to quasi-identifiers.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Bench;

/// Twelve people in two towns with what they have.
const ILLS: &str = "town,age,ills\nA,30,flu|gout\nA,31,flu\nA,32,gout|ulcer\nA,33,ulcer\nA,34,flu|ulcer\nA,35,\nB,40,gout\nB,41,flu|gout\n\
                    B,42,ulcer\nB,43,flu\nB,44,flu|ulcer\nB,45,gout|flu\n";

fn bench(ills: &str, rest: &str) -> Bench {
    let bench = Bench::new();
    bench.write("data.csv", ILLS);
    bench.write("ills.csv", "flu;chest;any\ngout;joints;any\nulcer;stomach;any\n");
    bench.write(
        "policy.toml",
        format!(
            "seed = 1\n[data]\npath = \"data.csv\"\n[columns.town]\nrole = \"quasi-identifier\"\n[columns.age]\nrole = \
             \"quasi-identifier\"\n[columns.ills]\n{ills}{rest}"
        ),
    );
    bench
}

const SENSITIVE: &str = "role = \"sensitive\"\nseparator = \"|\"\n";
const SET: &str = "role = \"set\"\nseparator = \"|\"\nhierarchy = \"ills.csv\"\n";
const MONDRIAN: &str = "[method]\nname = \"mondrian\"\n";
const FULL_DOMAIN: &str = "[method]\nname = \"full-domain\"\n";
const KL: &str = "[privacy.k-anonymity]\nk = 3\n[privacy.kl-privacy]\ncolumn = \"ills\"\nk = 3\nm = 1\n";

/// The sets of each class of a release.
fn classes(bench: &Bench) -> BTreeMap<String, Vec<BTreeSet<String>>> {
    let mut classes: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    for line in bench.text("out/public/release.csv").lines().skip(1) {
        let (cells, set) = line.rsplit_once(',').expect("a set");
        let set = set.split('|').filter(|item| !item.is_empty()).map(String::from).collect();
        classes.entry(cells.to_string()).or_default().push(set);
    }
    classes
}

#[test]
fn sensitive_sets_are_judged_value_by_value() {
    for (asked, most) in [
        ("[privacy.l-diversity]\ncolumn = \"ills\"\nkind = \"frequency\"\nl = \"3/2\"\n", 2.0 / 3.0),
        ("[privacy.l-plus-diversity]\ncolumn = \"ills\"\ndefault = 0.6\n", 0.6),
        ("[privacy.t-closeness]\ncolumn = \"ills\"\nt = 0.2\ndistance = \"per-value\"\n", 7.0 / 12.0 + 0.2),
    ] {
        for method in [MONDRIAN, FULL_DOMAIN] {
            let bench = bench(SENSITIVE, &format!("[privacy.k-anonymity]\nk = 2\n{asked}{method}"));
            bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "all"]).succeeds();
            bench.privet(&["audit", "out"]).succeeds();
            let classes = classes(&bench);
            assert_eq!(classes.values().map(Vec::len).sum::<usize>(), 12);
            for class in classes.values() {
                for ill in ["flu", "gout", "ulcer"] {
                    let held = class.iter().filter(|set| set.contains(ill)).count();
                    assert!(held as f64 <= most * class.len() as f64 + 1e-9, "{asked}: {ill} in {class:?}");
                }
            }
            // What an analyst reads of a value is how many hold it, not how many cells look alike.
            let report = bench.json("out/steward/report.json");
            assert!(report["tightness"].to_string().contains("ills"), "{report}");
        }
    }
}

#[test]
fn what_has_no_meaning_for_sets_is_refused() {
    let refused = |ills: &str, rest: &str, words: &[&str]| {
        let bench = bench(ills, rest);
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        words.iter().for_each(|word| assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr));
        assert!(!bench.path("out").exists());
    };
    let entropy = "[privacy.l-diversity]\ncolumn = \"ills\"\nkind = \"entropy\"\nl = 2\n";
    refused(
        SENSITIVE,
        &format!("{entropy}{MONDRIAN}"),
        &["policy.toml:", "hold several values", "frequency"],
    );
    let recursive = "[privacy.l-diversity]\ncolumn = \"ills\"\nkind = \"recursive\"\nc = 2\nl = 2\n";
    refused(SENSITIVE, &format!("{recursive}{MONDRIAN}"), &["hold several values", "counts twice"]);
    let closeness = "[privacy.t-closeness]\ncolumn = \"ills\"\nt = 0.2\n";
    refused(SENSITIVE, &format!("{closeness}{MONDRIAN}"), &["per-value"]);
    // A set without a limit on what may be known of it, or with a method that does not treat it.
    refused(
        SET,
        &format!("[privacy.k-anonymity]\nk = 3\n{MONDRIAN}"),
        &["role 'set'", "[privacy.kl-privacy]"],
    );
    refused(SET, &format!("{KL}[method]\nname = \"l-plus-optimize\"\n"), &["kl-privacy", "mondrian"]);
    refused(
        SET,
        &format!("{}{MONDRIAN}", KL.replace("m = 1", "m = 5")),
        &["policy.toml:", "4 known items", "lower m"],
    );
    refused(SET, &format!("{}{MONDRIAN}", KL.replace("m = 1", "m = 1\nn = 1")), &["unknown key 'n'"]);
    refused(SET, &format!("{KL}{MONDRIAN}[loss]\nitems = 2\n"), &["from 0 to 1"]);
    refused(
        "role = \"other\"\n",
        &format!("[privacy.k-anonymity]\nk = 3\n{MONDRIAN}[loss]\nitems = 1\n"),
        &["[loss]"],
    );
    refused(
        "role = \"other\"\n",
        &format!("[privacy.k-anonymity]\nk = 3\n{MONDRIAN}cuts = \"global\"\n"),
        &["cuts'", "role 'set'"],
    );
    refused("role = \"set\"\n", &format!("{KL}{MONDRIAN}"), &["separator"]);
    refused(&format!("{SET}sensitive = [\"chest\"]\n"), &format!("{KL}{MONDRIAN}"), &["'chest'", "group"]);
    let unknown = bench(SET, &format!("{KL}{MONDRIAN}"));
    unknown.edit("ills.csv", "ulcer;stomach;any\n", "");
    let outcome = unknown.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("'ulcer'") && outcome.stderr.contains("line "), "{}", outcome.stderr);
}

#[test]
fn items_of_a_class_are_shared_by_k_records() {
    for (method, more) in [
        (MONDRIAN, ""),
        (MONDRIAN, "cuts = \"global\"\n"),
        (MONDRIAN, "refine = true\n"),
        (MONDRIAN, "item_suppression_limit = 0.2\n"),
        (FULL_DOMAIN, ""),
        (FULL_DOMAIN, "cuts = \"global\"\n"),
        (FULL_DOMAIN, "refine = true\n"),
    ] {
        let bench = bench(SET, &format!("{KL}{method}{more}"));
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--attacks", "all"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        let classes = classes(&bench);
        assert_eq!(classes.values().map(Vec::len).sum::<usize>(), 12, "{}", outcome.stdout);
        for (cells, class) in &classes {
            assert!(class.len() >= 3, "{cells}");
            let labels: BTreeSet<&String> = class.iter().flatten().collect();
            for label in labels {
                let held = class.iter().filter(|set| set.contains(label)).count();
                assert!(held >= 3, "{method}{more}: {label} in {cells}: {class:?}");
            }
        }
        let attack = bench.privet(&["attack", "out", "--only", "set-linking", "--json"]).succeeds().json();
        assert_eq!(attack["attacks"][0]["hits"], 0, "{attack}");
        let losses = bench.json("out/steward/manifest.json")["loss"].to_string();
        assert!(losses.contains("\"items\"") && losses.contains("rows and items"), "{losses}");
    }
}

#[test]
fn the_audit_finds_what_was_changed() {
    let bench = bench(SET, &format!("{KL}{MONDRIAN}"));
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let release = bench.text("out/public/release.csv");
    let audit = |text: &str| {
        bench.write("changed.csv", text);
        let outcome =
            bench.privet(&["audit", "--policy", "policy.toml", "--release", "changed.csv", "--json"]);
        let checks = outcome.json()["checks"].as_array().expect("checks").clone();
        let failing = checks.iter().filter(|check| check["holds"] == false);
        failing.map(|check| check["name"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(audit(&release), Vec::<String>::new());
    let exact = |cell: &str| {
        ILLS.lines().skip(1).map(|line| line.rsplit_once(',').expect("a set").1).any(|own| own == cell)
    };
    // One record shows what nobody else of its class does.
    let line = release.lines().skip(1).find(|line| !exact(line.rsplit_once(',').expect("a set").1));
    if let Some(line) = line {
        let (cells, _) = line.rsplit_once(',').expect("a set");
        let failing = audit(&release.replacen(line, &format!("{cells},gout"), 1));
        assert!(!failing.is_empty(), "{release}");
    }
    let emptied: String = release
        .lines()
        .enumerate()
        .map(|(at, line)| {
            if at == 0 {
                format!("{line}\n")
            } else {
                format!("{},\n", line.rsplit_once(',').expect("a set").0)
            }
        })
        .collect();
    assert_eq!(audit(&emptied), ["items"], "all items are removed");
    let strange = release.replacen('|', "|what|", 1);
    if strange != release {
        assert!(audit(&strange).contains(&"items".to_string()));
    }
}

#[test]
fn the_example_with_sets_runs() {
    let bench = Bench::with_example("symptoms");
    bench.privet(&["anonymize", "symptoms/sets.toml", "-o", "out"]).succeeds();
    bench.privet(&["audit", "out"]).succeeds();
    let manifest = bench.json("out/steward/manifest.json");
    let removed = manifest["items"]["removed"].as_u64().expect("a number");
    let all = manifest["items"]["occurrences"].as_u64().expect("a number");
    assert!(removed * 100 <= all && all > 5000, "{}", manifest["items"]);
}

#[test]
fn the_matrix_says_what_labels_that_follow_the_data_tell() {
    let report = |more: &str| {
        let bench = bench("role = \"other\"\n", &format!("[privacy.k-anonymity]\nk = 3\n{MONDRIAN}{more}"));
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.text("out/public/report.html")
    };
    let plain = report("");
    assert!(!plain.contains("Presence of a value") && !plain.contains("Labels follow the data"));
    let sets = report("labels = \"sets\"\n");
    assert!(sets.contains("Presence of a value") && sets.contains("Labels follow the data"));
    let refined = report("refine = true\n");
    assert!(!refined.contains("Presence of a value") && refined.contains("Labels follow the data"));
}
