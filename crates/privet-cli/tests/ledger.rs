//! Releases that are written down, and what a second one tells together with the first.

use std::fs;

use crate::common::Bench;

/// Sixty people of ten diseases, and a policy that publishes them in groups of two.
fn bench() -> Bench {
    let bench = Bench::new();
    let rows: String = (0..60)
        .map(|person| format!("p{person},{},{},d{}\n", 20 + person % 40, 10000 + 37 * person, person % 10))
        .collect();
    bench.write("people.csv", format!("id,age,zip,disease\n{rows}"));
    bench.write(
        "policy.toml",
        r#"seed = 1
[data]
path = "people.csv"
[columns.id]
role = "identifier"
[columns.age]
role = "quasi-identifier"
[columns.zip]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[privacy.l-diversity]
column = "disease"
kind = "distinct"
l = 2
[method]
name = "anatomy"
[ledger]
path = "ledger.jsonl"
person = "id"
recipient = "University"
"#,
    );
    bench
}

#[test]
fn two_groupings_pin_people_and_the_same_one_twice_does_not() {
    let bench = bench();
    let first = bench.privet(&["anonymize", "policy.toml", "-o", "one"]).succeeds();
    assert!(!first.stderr.contains("TOGETHER"), "{}", first.stderr);
    assert!(bench.is_private("ledger.jsonl"), "the ledger is the steward's alone");
    let text = bench.text("ledger.jsonl");
    assert!(!text.contains("p17") && !text.contains("\"d3\""), "no name and no value stands in the ledger");

    // The same policy, data and seed: the same release, and nothing is learnt from both.
    bench.privet(&["anonymize", "policy.toml", "-o", "again"]).succeeds();
    assert_eq!(bench.read("one/public/qit.csv"), bench.read("again/public/qit.csv"));
    let show = bench.privet(&["ledger", "show", "ledger.jsonl", "4", "--json"]).succeeds().json();
    assert_eq!(
        (&show["composition"]["pinned"], &show["composition"]["people"]),
        (&0.into(), &60.into()),
        "{show}"
    );

    // Another seed: most people's disease is the one that both of their groups have.
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "two", "--seed", "2"]).succeeds();
    assert!(outcome.stderr.contains("TOGETHER with 2 earlier releases"), "{}", outcome.stderr);
    let manifest = bench.json("two/steward/manifest.json");
    let attack = manifest["attacks"]
        .as_array()
        .expect("attacks")
        .iter()
        .find(|attack| attack["name"] == "composition");
    assert!(attack.is_some(), "{manifest}");
    let show = bench.privet(&["ledger", "show", "policy.toml", "6", "--json"]).succeeds().json();
    assert!(show["composition"]["pinned"].as_u64().is_some_and(|pinned| pinned > 30), "{show}");
    assert_eq!(show["recipient"], "University");
    for room in ["public/manifest.json", "public/report.html"] {
        // That there is a ledger may be said, but nothing of what is in it.
        let text = bench.text(&format!("two/{room}"));
        for told in ["ledger.jsonl", "University", "Earlier releases of the same people"] {
            assert!(!text.contains(told), "{room}: {told}");
        }
    }

    let list = bench.privet(&["ledger", "list", "ledger.jsonl"]).succeeds().stdout;
    assert_eq!(
        list.lines().filter(|line| line.contains("published") && line.contains("to University")).count(),
        3,
        "{list}"
    );
    bench.privet(&["ledger", "check", "ledger.jsonl", "one", "again", "two"]).succeeds();
}

#[test]
fn a_policy_can_refuse_what_composes() {
    let bench = bench();
    bench.edit("policy.toml", "recipient", "on_composition = \"refuse\"\nrecipient");
    bench.privet(&["anonymize", "policy.toml", "-o", "one"]).succeeds();
    let before = bench.read("ledger.jsonl");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "two", "--seed", "2"]).exits(3);
    assert!(outcome.stderr.contains("no release reveals it alone"), "{}", outcome.stderr);
    assert_eq!(bench.names("."), ["ledger.jsonl", "one", "people.csv", "policy.toml"]);
    assert_eq!(bench.read("ledger.jsonl"), before, "what was not published is not written down");
    bench.privet(&["anonymize", "policy.toml", "-o", "again"]).succeeds();
}

#[test]
fn people_are_found_again_without_a_column_that_names_them() {
    let bench = bench();
    bench.edit("policy.toml", "person = \"id\"\n", "");
    bench.privet(&["anonymize", "policy.toml", "-o", "one"]).succeeds();
    // The same people in another order, in another file.
    let text = bench.text("people.csv");
    let (head, rows) = text.split_once('\n').expect("a header");
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.reverse();
    bench.write("others.csv", format!("{head}\n{}\n", rows.join("\n")));
    bench.edit("policy.toml", "people.csv", "others.csv");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "two", "--seed", "2"]).succeeds();
    assert!(outcome.stderr.contains("TOGETHER"), "{}", outcome.stderr);
    // People who changed are not found again; that is said, not passed over.
    bench.write("others.csv", bench.text("others.csv").replace("\np", "\nq"));
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "three"]).succeeds();
    assert!(outcome.stderr.contains("none of its people is found again"), "{}", outcome.stderr);
}

#[test]
fn a_changed_line_is_noticed_and_a_torn_one_survived() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "one"]).succeeds();
    let text = bench.text("ledger.jsonl");
    bench.write("ledger.jsonl", text.replace("University", "Newspaper"));
    let outcome = bench.privet(&["ledger", "check", "ledger.jsonl"]).exits(4);
    assert!(outcome.stdout.contains("FAULT: line 3"), "{}", outcome.stdout);
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "two"]).exits(2);
    assert!(outcome.stderr.contains("ledger.jsonl:3"), "{}", outcome.stderr);
    assert!(!bench.path("two").exists());

    // A run that was killed while it confirmed: the release counts, and the check says so.
    let last = text.trim_end().rfind('\n').expect("lines") + 1;
    bench.write("ledger.jsonl", &text[..last + 20]);
    let outcome = bench.privet(&["ledger", "check", "ledger.jsonl"]).succeeds();
    assert!(
        outcome.stdout.contains("an interrupted run") && outcome.stdout.contains("and is there"),
        "{}",
        outcome.stdout
    );
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "two", "--seed", "2"]).succeeds();
    assert!(outcome.stderr.contains("TOGETHER"), "{}", outcome.stderr);
    bench.privet(&["ledger", "check", "ledger.jsonl", "two"]).succeeds();
    // A release that is not in it.
    bench.edit("policy.toml", "ledger.jsonl", "other.jsonl");
    bench.privet(&["anonymize", "policy.toml", "-o", "three", "--seed", "3"]).succeeds();
    let outcome = bench.privet(&["ledger", "check", "ledger.jsonl", "three"]).exits(4);
    assert!(outcome.stdout.contains("three is not in the ledger"), "{}", outcome.stdout);
}

#[test]
fn every_kind_of_release_is_written_down() {
    let bench = Bench::new();
    for name in ["patients", "five-baskets", "five-vocabularies", "injector", "l-plus"] {
        bench.privet(&["example", name]).succeeds();
        let policy = format!("{name}/policy.toml");
        bench.write(&policy, bench.text(&policy) + "\n[ledger]\npath = \"../ledger.jsonl\"\n");
        for target in ["one", "two"] {
            let outcome = bench.privet(&["anonymize", &policy, "-o", &format!("{name}-{target}")]).succeeds();
            assert!(!outcome.stderr.contains("TOGETHER"), "{name}: {}", outcome.stderr);
        }
    }
    let json = bench.privet(&["ledger", "list", "ledger.jsonl", "--json"]).succeeds().json();
    let releases = json["releases"].as_array().expect("releases");
    assert_eq!(releases.len(), 10, "{json}");
    assert!(
        releases
            .iter()
            .all(|release| release["state"] == "published" && release["people"].as_u64() > Some(0)),
        "{json}"
    );
    bench.privet(&["ledger", "check", "ledger.jsonl", "patients-one", "five-baskets-two"]).succeeds();
}

#[test]
fn a_ledger_inside_the_release_is_refused() {
    let bench = bench();
    bench.edit("policy.toml", "path = \"ledger.jsonl\"", "path = \"out/ledger.jsonl\"");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("inside the release"), "{}", outcome.stderr);
    bench.edit("policy.toml", "path = \"out/ledger.jsonl\"", "path = \"people.csv\"");
    let data = bench.read("people.csv");
    bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert_eq!(bench.read("people.csv"), data, "a file that is no ledger is left alone");
    assert_eq!(bench.names("."), ["people.csv", "policy.toml"]);
}

#[test]
fn a_release_is_attacked_together_with_the_others_of_its_ledger() {
    let bench = bench();
    bench.privet(&["anonymize", "policy.toml", "-o", "one"]).succeeds();
    let alone = bench.privet(&["attack", "one", "--json", "--only", "composition"]).succeeds().json();
    let reason = alone["not_run"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("has no other release"), "{reason}");
    bench.privet(&["anonymize", "policy.toml", "-o", "two", "--seed", "2"]).succeeds();
    let manifest = bench.json("two/steward/manifest.json");
    let pinned =
        &manifest["attacks"].as_array().expect("attacks").iter().find(|found| found["name"] == "composition");
    let pinned = pinned.expect("a finding")["figures"][0]["hits"].as_u64().expect("a count");
    assert!(pinned > 30, "{pinned}");
    // Now both can be attacked, the first too: anyone who has it may have the second.
    for folder in ["one", "two"] {
        let json =
            bench.privet(&["attack", folder, "--json", "--only", "composition,re-release"]).succeeds().json();
        let found = json["attacks"].as_array().expect("attacks");
        let names: Vec<&str> = found.iter().filter_map(|found| found["name"].as_str()).collect();
        assert_eq!(names, ["composition", "re-release"], "{json}");
        assert_eq!(found[0]["hits"].as_u64(), Some(pinned), "{json}");
    }
    let told = bench.privet(&["attack", "two"]).succeeds().stdout;
    assert!(told.contains("TOGETHER with 1 other release"), "{told}");
    assert!(!told.contains("  composition: "), "it was run: {told}");

    // A damaged ledger is reported with its line, a missing one by name, and neither stops the other attacks.
    let text = bench.text("ledger.jsonl");
    bench.write("ledger.jsonl", text.replacen("University", "Newspaper", 1));
    let told = bench.privet(&["attack", "two"]).succeeds();
    assert!(told.stderr.contains("ledger.jsonl:3") && told.stdout.contains("linking:"), "{}", told.stderr);
    let listed = bench.privet(&["ledger", "list", "ledger.jsonl"]).succeeds();
    assert!(listed.stderr.contains("ledger.jsonl:3"), "{}", listed.stderr);
    fs::remove_file(bench.path("ledger.jsonl")).expect("removed");
    let told = bench.privet(&["attack", "two"]).succeeds().stderr;
    assert!(told.contains("cannot be used") && told.contains("ledger.jsonl"), "{told}");
}

#[test]
fn a_column_that_does_not_tell_people_apart_is_refused() {
    let bench = bench();
    bench.edit("policy.toml", "person = \"id\"", "person = \"disease\"");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out"]).exits(2);
    assert!(outcome.stderr.contains("10 different values in 60 records"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("policy.toml"), "{}", outcome.stderr);
    assert!(!bench.path("out").exists());
    // One of sixty is there twice: that is a warning.
    bench.edit("policy.toml", "person = \"disease\"", "person = \"id\"");
    bench.edit("people.csv", "p17,", "p18,");
    let outcome = bench.privet(&["anonymize", "policy.toml", "-o", "out", "--verbose"]).succeeds();
    assert!(
        outcome.stderr.contains("not different for everybody (59 values in 60 records)"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn what_is_no_ledger_is_an_error() {
    let bench = bench();
    bench.write("empty.jsonl", "");
    bench.write("notes.jsonl", "my notes");
    bench.write("other.jsonl", "{\"entry\": \"of another kind\"}\n");
    for file in ["people.csv", "empty.jsonl", "notes.jsonl", "other.jsonl", ".", "absent.jsonl"] {
        for command in ["list", "check"] {
            let outcome = bench.privet(&["ledger", command, file]).exits(2);
            assert!(outcome.stdout.is_empty(), "{file}: {}", outcome.stdout);
            assert!(
                outcome.stderr.contains("error") && outcome.stderr.contains(file),
                "{file}: {}",
                outcome.stderr
            );
        }
    }
}
