//! Models of populations, likeness and risk from the command line: all cases of `vectors/population`, releases that were changed,
//! and what may be said in public.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::common::Bench;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/population/cases")
}

/// A bench with the files of a case.
fn case(name: &str) -> Bench {
    let bench = Bench::new();
    for entry in std::fs::read_dir(cases().join(name)).expect("a case") {
        let entry = entry.expect("a file");
        let content = std::fs::read(entry.path()).expect("read");
        bench.write(&entry.file_name().to_string_lossy(), content);
    }
    bench
}

fn same(name: &str, place: &str, found: &Json, wanted: &Json) {
    match (found, wanted) {
        (Json::Number(found), Json::Number(wanted)) => {
            let (found, wanted) = (found.as_f64().expect("a number"), wanted.as_f64().expect("a number"));
            let near = (found - wanted).abs() <= 1e-9 * wanted.abs().max(1e-300);
            assert!(near, "{name} {place}: {found} is not {wanted}");
        }
        (Json::Object(found), Json::Object(wanted)) => {
            for (key, wanted) in wanted {
                same(name, &format!("{place}.{key}"), found.get(key).unwrap_or(&Json::Null), wanted);
            }
        }
        (Json::Array(found), Json::Array(wanted)) => {
            assert_eq!(found.len(), wanted.len(), "{name} {place}");
            for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                same(name, &format!("{place}[{at}]"), found, wanted);
            }
        }
        _ => assert_eq!(found, wanted, "{name} {place}"),
    }
}

#[test]
fn every_known_case_comes_out_as_it_should() {
    let mut names: Vec<String> = std::fs::read_dir(cases())
        .expect("the cases")
        .map(|entry| entry.expect("a case").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 34);
    for name in &names {
        let bench = case(name);
        let expected = bench.json("expected.json");
        let exit = expected["exit"].as_i64().expect("a status") as i32;
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(exit);
        for words in expected["says"].as_array().into_iter().flatten() {
            let words = words.as_str().expect("words");
            assert!(outcome.stderr.contains(words), "{name}: {words} is not in: {}", outcome.stderr);
        }
        if exit != 0 {
            assert!(!bench.path("out").exists(), "{name} left something behind");
            continue;
        }
        bench.privet(&["audit", "out"]).succeeds();
        let manifest = bench.json("out/steward/manifest.json");
        let levels = &manifest["plan"]["levels"];
        let columns: &[&str] = if name == "00-by-hand" { &["zip", "age"] } else { &["q1", "q2", "q3"] };
        let found: Vec<&Json> =
            columns.iter().map(|column| &levels[*column]).filter(|level| !level.is_null()).collect();
        let best = expected["optimum"]["levels"].as_array().expect("vectors");
        let is_best = |best: &Json| best.as_array().is_some_and(|best| best.iter().eq(found.iter().copied()));
        assert!(best.iter().any(is_best), "{name}: {found:?} is not in {best:?}");
        let rows = bench.text("out/public/release.csv").lines().count() as u64;
        let records = expected["risk"]["records"].as_u64().expect("records");
        assert_eq!(Some(records + 1 - rows), expected["optimum"]["suppressed"].as_u64(), "{name}");
        let cost = manifest["cost"]["value"].as_f64().or_else(|| manifest["loss"]["value"].as_f64());
        if let Some(cost) = cost {
            let wanted = expected["optimum"]["cost"].as_f64().expect("a cost");
            assert!((cost - wanted).abs() <= 1e-9 * wanted, "{name}: {cost} is not {wanted}");
        }
        let found = bench.privet(&["risk", "policy.toml", "--json"]).exits(0).json();
        same(name, "", &found, &expected["risk"]);
    }
}

/// The six records of the specification with a population of twelve, their weights and households.
const TABLE: &str = "zip,age,disease,w,h\nA,30,flu,10,h1\nA,30,cancer,10,h1\nA,40,flu,5,h2\nB,40,flu,20,h2\nB,40,asthma,2,h3\nB,50,flu,1,h3\n";
const REGISTER: &str = "zip,age\nA,30\nA,30\nA,30\nA,30\nA,40\nA,40\nA,40\nB,40\nB,40\nB,50\nB,50\nA,50\n";

fn toy(privacy: &str, method: &str) -> Bench {
    let bench = Bench::new();
    bench.write("table.csv", TABLE);
    bench.write("register.csv", REGISTER);
    bench.write(
        "policy.toml",
        format!(
            "seed = 1\n[data]\npath = \"table.csv\"\n[population]\npath = \"register.csv\"\n[columns.zip]\nrole = \
             \"quasi-identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\ntype = \"category\"\n[columns.disease]\nrole = \
             \"sensitive\"\n[columns.w]\nrole = \"weight\"\n[columns.h]\nrole = \"household\"\n{privacy}[method]\nname = \
             \"{method}\"\n"
        ),
    );
    bench
}

/// What each requirement says about the six records as they are.
const VERDICTS: [(&str, bool, &str); 17] = [
    ("[privacy.k-map]\nk = 2\n", true, "smallest class has n = 1"),
    ("[privacy.k-map]\nk = 3\n", false, "N = 2 < k = 3 (n = 2)"),
    ("[privacy.k-map]\nk = 1\nby = \"weights\"\n", true, "holds in all 4 classes"),
    ("[privacy.k-map]\nk = 2\nby = \"weights\"\n", false, "weights add up to 1 < k = 2 (n = 1)"),
    (
        "[privacy.k-map]\nk = 9\nby = \"poisson\"\nsignificance = 0.01\n",
        false,
        "which the test asks for k = 9",
    ),
    ("[privacy.delta-presence]\nmin = 0\nmax = 1\n", true, "holds in all 4 classes"),
    ("[privacy.delta-presence]\nmin = 0\nmax = \"1/2\"\n", false, "2/2 > max = 1/2"),
    (
        "[privacy.delta-presence]\nmin = \"1/4\"\nmax = 1\n",
        false,
        "1 person of the population is in no released class",
    ),
    ("[privacy.average-risk]\nmax = \"2/3\"\n", true, "4/6 ≤ 2/3"),
    ("[privacy.average-risk]\nmax = \"3/5\"\n", false, "4/6 > 3/5"),
    ("[privacy.average-risk]\nmax = 1\nhighest = \"1/2\"\nat_risk = \"1/3\"\n", true, "at risk 2/6 ≤ 1/3"),
    ("[privacy.average-risk]\nmax = 1\nhighest = \"1/2\"\nat_risk = \"1/4\"\n", false, "at risk 2/6 > 1/4"),
    ("[privacy.sample-uniqueness]\nmax = \"1/3\"\n", true, "2/6 ≤ 1/3"),
    ("[privacy.sample-uniqueness]\nmax = \"1/4\"\n", false, "2 of 6 released records are unique"),
    (
        "[privacy.population-uniqueness]\nmax = \"11/69\"\nestimator = \"zayatz\"\n",
        true,
        "0.159420 by Zayatz's estimator ≤ 11/69",
    ),
    ("[privacy.individual-risk]\nmax = \"1/2\"\n", false, "risk 1.000000 > 1/2"),
    ("[privacy.household-risk]\nmax = \"1/2\"\n", false, "line 6"),
];

#[test]
fn the_audit_judges_each_requirement_by_its_definition() {
    let audit = ["audit", "--policy", "policy.toml", "--original", "table.csv", "--release", "released.csv"];
    let released =
        TABLE.lines().map(|line| line.rsplit_once(',').map_or("", |(rest, _)| rest).to_string() + "\n");
    let released: String = released.collect();
    for (privacy, holds, words) in VERDICTS {
        let bench = toy(privacy, "full-domain");
        bench.write("released.csv", &released);
        let outcome = bench.privet(&[&audit[..], &["--verbose"]].concat());
        assert_eq!(
            outcome.status,
            Some(if holds { 0 } else { 4 }),
            "{privacy}{}{}",
            outcome.stdout,
            outcome.stderr
        );
        assert!(outcome.stdout.contains(words), "{privacy}: {words} is not in: {}", outcome.stdout);
    }
    // A household is not published.
    let bench = toy("[privacy.k-map]\nk = 2\n", "full-domain");
    bench.write("released.csv", TABLE);
    let outcome = bench.privet(&audit).exits(4);
    assert!(outcome.stdout.contains("role 'household' and is not published"), "{}", outcome.stdout);
}

#[test]
fn both_methods_publish_what_the_audit_accepts() {
    for privacy in [
        "[privacy.k-map]\nk = 3\n",
        "[privacy.k-map]\nk = 12\nby = \"weights\"\n",
        "[privacy.delta-presence]\nmin = 0\nmax = \"3/5\"\n",
        "[privacy.delta-presence]\nmin = \"1/3\"\nmax = \"3/5\"\n",
        "[privacy.individual-risk]\nmax = \"1/8\"\n",
        "[privacy.k-map]\nk = 3\n[privacy.beta-likeness]\ncolumn = \"disease\"\nbeta = 2\n[privacy.k-anonymity]\nk = 2\n",
    ] {
        for method in ["full-domain", "mondrian"] {
            let bench = toy(privacy, method);
            bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
            bench.privet(&["audit", "out"]).succeeds();
            assert!(!bench.text("out/public/release.csv").contains("h1"));
        }
    }
    for privacy in [
        "[privacy.average-risk]\nmax = \"1/2\"\n",
        "[privacy.sample-uniqueness]\nmax = 0\n",
        "[privacy.population-uniqueness]\nmax = 0.1\n",
        "[privacy.household-risk]\nmax = \"2/5\"\n",
    ] {
        let bench = toy(privacy, "full-domain");
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
        bench.privet(&["audit", "out"]).succeeds();
        let bench = toy(privacy, "mondrian");
        bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    }
}

#[test]
fn bad_input_is_refused_and_leaves_nothing_behind() {
    let refused = |bench: &Bench, words: &[&str]| {
        let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
        words.iter().for_each(|word| assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr));
        assert!(!bench.path("out").exists());
    };
    let with = |privacy: &str, edit: &dyn Fn(&Bench)| {
        let bench = toy(privacy, "full-domain");
        edit(&bench);
        bench
    };
    let map = "[privacy.k-map]\nk = 3\n";
    refused(&with(map, &|bench| bench.edit("register.csv", "zip,age", "zip,years")), &["no column 'age'"]);
    refused(
        &with(map, &|bench| bench.edit("register.csv", "B,50\nB,50\n", "")),
        &["table.csv:7", "zip = B, age = 50 occurs 1 time, in register.csv 0 times"],
    );
    let hierarchy = |bench: &Bench| {
        bench.write("age.csv", "30;*\n40;*\n50;*\n");
        bench.edit("policy.toml", "type = \"category\"", "hierarchy = \"age.csv\"");
        bench.edit("register.csv", "A,50\n", "A,70\n");
    };
    refused(&with(map, &hierarchy), &["register.csv:13", "'70'", "'age'", "no leaf"]);
    refused(
        &with("[privacy.delta-presence]\nmin = 0\nmax = 1\n", &|bench| {
            bench.edit("policy.toml", "[population]\npath = \"register.csv\"\n", "[population]\nsize = 12\n")
        }),
        &["[population]"],
    );
    refused(&with("[privacy.average-risk]\nmax = 0\n", &|_| ()), &["above 0"]);
    refused(&with("[privacy.average-risk]\nmax = 1\nat_risk = 0.1\n", &|_| ()), &["'at_risk'", "'highest'"]);
    refused(
        &with("[privacy.population-uniqueness]\nmax = 0.1\n", &|bench| {
            bench.edit("policy.toml", "path = \"register.csv\"", "size = 5")
        }),
        &["5 people", "6 records"],
    );
    refused(&with("[privacy.k-map]\nk = 3\nby = \"poisson\"\n", &|_| ()), &["significance"]);
    refused(
        &with(map, &|bench| {
            bench.edit("policy.toml", "role = \"household\"", "role = \"household\"\npublish = true")
        }),
        &["not published"],
    );
    for (word, line) in [("x", 4), ("0", 4), ("-5", 4)] {
        let edit = |bench: &Bench| bench.edit("table.csv", "A,40,flu,5,h2", &format!("A,40,flu,{word},h2"));
        refused(&with(map, &edit), &[&format!("table.csv:{line}"), "'w'"]);
    }
    // Nobody is in a class of more people than there are.
    let outcome = toy("[privacy.k-map]\nk = 13\n", "full-domain");
    outcome.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(3);
    let outcome = toy("[privacy.delta-presence]\nmin = 0\nmax = 0\n", "full-domain");
    outcome.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(3);
}

/// Twenty people of a thousand whose numbers occur nowhere else.
#[test]
fn counts_of_the_population_never_reach_the_public() {
    let bench = Bench::new();
    let mut table = "zip,age,disease\n".to_string();
    let mut register = "zip,age\n".to_string();
    for at in 0..40 {
        table += &format!("{},{},d{}\n", at % 4, 20 + at % 5, at % 3);
        register += &format!("{},{}\n", at % 4, 20 + at % 5);
    }
    for at in 0..8637 {
        register += &format!("{},{}\n", at % 4, 20 + at % 5);
    }
    bench.write("table.csv", table);
    bench.write("register.csv", register);
    for (privacy, method) in [
        ("[privacy.k-map]\nk = 400\n", "full-domain"),
        ("[privacy.k-map]\nk = 400\n", "mondrian"),
        ("[privacy.delta-presence]\nmin = 0\nmax = 0.1\n", "full-domain"),
    ] {
        bench.write(
            "policy.toml",
            format!(
                "seed = 1\n[data]\npath = \"table.csv\"\n[population]\npath = \"register.csv\"\n[columns.zip]\nrole = \
                 \"quasi-identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.disease]\nrole = \
                 \"sensitive\"\n{privacy}[method]\nname = \"{method}\"\n"
            ),
        );
        bench.privet(&["anonymize", "policy.toml", "-o", "out", "--force"]).succeeds();
        for file in std::fs::read_dir(bench.path("out/public")).expect("a folder") {
            let text = std::fs::read_to_string(file.expect("a file").path()).unwrap_or_default();
            for count in ["8677", "433", "434", "435", "8,677", "1735", "2169", "2170"] {
                let found = text.match_indices(count).any(|(at, _)| {
                    let digit = |at: Option<char>| at.is_some_and(|at| at.is_ascii_hexdigit() || at == '.');
                    !digit(text[..at].chars().next_back()) && !digit(text[at + count.len()..].chars().next())
                });
                assert!(!found, "{privacy}: {count} is in public/");
            }
        }
    }
}

#[test]
fn the_figures_of_records_are_for_their_owner_alone() {
    let bench = toy("", "full-domain");
    let outcome = bench.privet(&["risk", "policy.toml", "-o", "risk.csv"]).succeeds();
    assert!(outcome.stdout.contains("6 records in 4 classes"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("not available"), "Pitman's formula has no solution: {}", outcome.stdout);
    assert!(bench.is_private("risk.csv"));
    let text = bench.text("risk.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "line,class_size,population,weights,individual,household,score");
    assert!(lines[1].starts_with("2,2,4,20,0.0826") && lines[6].starts_with("7,1,2,1,1,1,1"), "{text}");
    assert_eq!(lines.len(), 7);
    bench.privet(&["risk", "policy.toml", "-o", "risk.csv"]).exits(2);
    // A release is measured as it is, and people of the population are counted behind its cells.
    bench.write(
        "release.csv",
        "zip,age,disease,w\n*,30,flu,10\n*,30,flu,10\n*,40,flu,5\n*,40,flu,5\n*,40,flu,5\n*,50,flu,1\n",
    );
    bench.privet(&["risk", "policy.toml", "--release", "release.csv", "-o", "of-release.csv"]).succeeds();
    let text = bench.text("of-release.csv");
    assert!(text.contains("2,2,4,20,") && text.contains("4,3,5,15,") && text.contains("7,1,3,1,"), "{text}");
}

#[test]
fn reports_show_what_a_journalist_finds_and_which_columns_identify() {
    let bench = toy("[privacy.k-map]\nk = 3\n", "full-domain");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).succeeds();
    let (steward, public) = (bench.text("out/steward/report.html"), bench.text("out/public/report.html"));
    for words in ["one over the fewest people of the population", "Which columns identify", "zip, age"] {
        assert!(steward.contains(words), "{words}");
        assert!(!public.contains(words), "{words}");
    }
    // Two of the population look like (B, 50), and four live in B.
    let figures = bench.json("out/steward/manifest.json");
    assert!(!figures.to_string().contains("unknown without a population file"));
    assert!(steward.contains("1&#x2f;2") && steward.contains("1&#x2f;4"));
}
