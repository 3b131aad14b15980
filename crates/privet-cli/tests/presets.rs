//! Drafts that begin with what a rule asks for.

use crate::common::{Bench, rows};

/// Two hundred patients with ZIP codes (some in small areas), dates, ages over 89, and what must go.
fn patients() -> Bench {
    let bench = Bench::new();
    let mut text = "name,age,zip,admission,email,note,sex,diagnosis\n".to_string();
    for person in 0..200 {
        let zip = if person % 10 == 0 { 3601 } else { 13000 + person % 20 };
        let note = if person == 7 { "call 555-010-1234 now".to_string() } else { format!("n{}", person % 3) };
        let note = if person == 9 { "555-010-1234".to_string() } else { note };
        text += &format!(
            "Person {person},{},{zip:05},20{:02}-{:02}-{:02},p{person}@example.org,{note},{},d{}\n",
            20 + person % 78,
            10 + person % 5,
            1 + person % 12,
            1 + person % 28,
            if person % 2 == 0 { "f" } else { "m" },
            person % 6
        );
    }
    bench.write("patients.csv", text);
    bench
}

#[test]
fn safe_harbor_counts_identifiers_and_keeps_to_its_levels() {
    let bench = patients();
    let outcome =
        bench.privet(&["init", "patients.csv", "--preset", "hipaa-safe-harbor", "-o", "draft"]).succeeds();
    assert!(outcome.stdout.contains("No tool can certify compliance"), "{}", outcome.stdout);
    let policy = bench.text("draft/policy.toml");
    for said in [
        "# (A) names: column 'name'",
        "# (B) places smaller than a state: column 'zip'; 20 records lie in areas that are published as 000",
        "# (C) dates but for the year, and ages over 89: 200 cells of 'admission'; ages over 89:",
        "# (D) telephone numbers: 2 cells of 'note'",
        "# (F) e-mail addresses: column 'email'",
        "# (Q) photographs of faces: none seen",
        "No tool can certify compliance",
        "preset = \"hipaa-safe-harbor\"",
        "least_levels = {",
    ] {
        assert!(
            policy.replace("\n# ", " ").contains(&said.replace("\n# ", " ")) || policy.contains(said),
            "{said}\n{policy}"
        );
    }
    assert!(
        !policy.contains("[columns.note]\nrole"),
        "a column with a telephone number in it is left out: {policy}"
    );
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "release"]).exits(0);
    let released = rows(&bench.path("release/public/release.csv"));
    let header = &released[0];
    let column = |name: &str| header.iter().position(|column| column == name);
    for gone in ["name", "email", "note"] {
        assert_eq!(column(gone), None, "{gone}");
    }
    let zip = column("zip").expect("ZIP codes");
    let (age, date) = (column("age").expect("ages"), column("admission").expect("dates"));
    for row in &released[1..] {
        let digits = row[zip].bytes().filter(u8::is_ascii_digit).count();
        assert!(digits <= 3 && !row[zip].starts_with("036"), "{}", row[zip]);
        assert!(row[date].len() <= 5 && !row[date].contains('-'), "{}", row[date]);
        assert!(row[age].parse::<u32>().is_err(), "a single age is a range of one year: {}", row[age]);
    }
}

/// People of up to a hundred years, with when they were born as a date, and again as a year.
fn centenarians() -> Bench {
    let bench = Bench::new();
    let mut text = "age,dob,birth_year,birth_weight,visit_month,sex,diagnosis\n".to_string();
    for person in 0..400 {
        let year = 1924 + person % 80;
        text += &format!(
            "{},{year}-{:02}-{:02},{year},{},{},{},d{}\n",
            // Some had their birthday this year, others have it still.
            2024 - year - person / 80 % 2,
            1 + person % 12,
            1 + person % 28,
            1900 + person % 150,
            1 + person % 12,
            if person % 2 == 0 { "f" } else { "m" },
            person % 6
        );
    }
    bench.write("people.csv", text);
    bench
}

#[test]
fn years_of_birth_that_tell_an_age_over_89_are_one() {
    let bench = centenarians();
    bench.privet(&["init", "people.csv", "--preset", "hipaa-safe-harbor", "-o", "draft"]).succeeds();
    let policy = bench.text("draft/policy.toml").replace("\n# ", " ");
    assert!(policy.contains("or before, so that they may be over 89"), "{policy}");
    assert!(!policy.contains("[columns.visit_month]\nrole"), "months are elements of dates: {policy}");
    for column in ["dob", "birth_year"] {
        let tree = bench.text(&format!("draft/hierarchies/{column}.csv"));
        let old = tree.lines().find(|line| line.starts_with("1924")).expect("somebody born in 1924");
        assert!(old.contains("or before"), "{old}");
    }
    assert!(policy.contains("dob = 3") && policy.contains("birth_year = 1"), "{policy}");
    bench.privet(&["anonymize", "draft/policy.toml", "-o", "release"]).exits(0);
    let released = rows(&bench.path("release/public/release.csv"));
    let columns =
        released[0].iter().enumerate().filter(|(_, name)| ["dob", "birth_year"].contains(&name.as_str()));
    for (column, _) in columns {
        for row in &released[1..] {
            // A pooled label names its last year; whatever else begins with a year begins after it.
            let cell = row[column].trim_start_matches(['[', '(']);
            let year: Option<u32> = cell.get(..4).and_then(|year| year.parse().ok());
            assert!(
                row[column].contains("or before") || year.is_none_or(|year| year >= 1930),
                "{}",
                row[column]
            );
        }
    }
}

#[test]
fn thresholds_are_those_of_the_rules() {
    for (name, k) in [("ema", 11), ("cms", 11), ("gdpr", 5)] {
        let bench = patients();
        let json = bench
            .privet(&["init", "patients.csv", "--preset", name, "-o", "draft", "--json"])
            .succeeds()
            .json();
        assert_eq!(json["k"], k, "{name}");
        let policy = bench.text("draft/policy.toml");
        assert!(policy.contains("[report]") && policy.contains(&format!("preset = \"{name}\"")), "{policy}");
        let explained = bench.privet(&["explain", name]).succeeds().stdout;
        assert!(explained.contains("No tool can certify compliance"), "{explained}");
    }
    let bench = patients();
    let outcome = bench.privet(&["init", "patients.csv", "--preset", "hippa", "-o", "draft"]).exits(2);
    assert!(
        outcome.stderr.contains("hipaa-safe-harbor") && !bench.path("draft").exists(),
        "{}",
        outcome.stderr
    );
}

#[test]
fn drafts_for_everybody_speak_of_minimality() {
    let bench = patients();
    bench.privet(&["init", "patients.csv", "--public", "-o", "draft"]).succeeds();
    let policy = bench.text("draft/policy.toml");
    assert!(policy.contains("\nbreak_minimality = 5\n") && policy.contains("# [ledger]"), "{policy}");
    bench.privet(&["init", "patients.csv", "-o", "plain"]).succeeds();
    assert!(!bench.text("plain/policy.toml").contains("[report]"));
}

#[test]
fn one_of_the_best_vectors_of_levels_is_drawn() {
    let bench = Bench::with_example("patients");
    bench.edit(
        "patients/policy.toml",
        "name = \"full-domain\"",
        "break_minimality = 3\nname = \"full-domain\"",
    );
    let levels: std::collections::BTreeSet<String> = (0..12)
        .map(|seed| {
            let (target, seed) = (format!("out{seed}"), seed.to_string());
            bench.privet(&["anonymize", "patients/policy.toml", "-o", &target, "--seed", &seed]).succeeds();
            let plan = bench.json(&format!("{target}/steward/manifest.json"))["plan"].clone();
            assert_eq!(plan["drawn_from"], 3, "{plan}");
            for room in ["public", "steward"] {
                let report = bench.text(&format!("{target}/{room}/report.html"));
                assert!(report.contains("one of several good plans"), "{room}");
            }
            plan["levels"].to_string()
        })
        .collect();
    assert!((2..=3).contains(&levels.len()), "{levels:?}");
}
