//! `privet audit` on the shipped example: what was tampered with, what is no release, and data that moved.

use std::fs;

use crate::common::Bench;

const MAKE: [&str; 4] = ["anonymize", "patients/policy.toml", "-o", "out"];

#[test]
fn the_audit_finds_what_was_tampered_with() {
    let bench = Bench::with_example("patients");
    bench.privet(&MAKE).succeeds();
    let good = bench.text("out/public/release.csv");
    let audit = |release: &str| {
        let arguments = [
            "audit",
            "--policy",
            "patients/policy.toml",
            "--original",
            "patients/patients.csv",
            "--release",
            release,
        ];
        bench.privet(&arguments)
    };
    bench.write("good.csv", &good);
    assert!(audit("good.csv").succeeds().stdout.contains("audit passed"));
    let lines: Vec<&str> = good.lines().collect();
    let joined = |lines: &[&str]| lines.join("\n") + "\n";
    let first: Vec<&str> = lines[1].split(',').collect();
    let tampered = [
        ("a record is there twice", joined(&[&lines[..], &lines[1..2]].concat())),
        ("only one record is left", joined(&lines[..2])),
        ("a disease is another one", good.replacen("Asthma", "Cancer", 1)),
        ("a disease is unknown", good.replacen("Asthma", "Plague", 1)),
        ("a value is more specific", good.replacen(first[1], "UK", 1)),
        ("a value is unknown", good.replacen(first[1], "Atlantis", 1)),
    ];
    for (what, text) in tampered {
        bench.write("bad.csv", &text);
        let outcome = audit("bad.csv");
        assert_eq!(outcome.status, Some(4), "{what}:\n{}{}", outcome.stdout, outcome.stderr);
        assert!(outcome.stdout.contains("AUDIT FAILED") && outcome.stdout.contains('✗'), "{what}");
        let json = bench
            .privet(&["audit", "--policy", "patients/policy.toml", "--release", "bad.csv", "--json"])
            .exits(4)
            .json();
        assert_eq!(json["passed"], false, "{what}");
        // In a published folder the same change is noticed by the file's hash already.
        bench.write("out/public/release.csv", &text);
        let folder = bench.privet(&["audit", "out"]).exits(4);
        assert!(folder.stdout.contains("✗ files"), "{what}: {}", folder.stdout);
    }
    // A table that another tool made may lack records; one that a manifest describes may not.
    let lacking = good.replacen("Graduate,AnyCountry,Cancer\n", "", 1);
    assert_ne!(lacking, good);
    bench.write("bad.csv", &lacking);
    assert!(audit("bad.csv").succeeds().stdout.contains("suppressed: 1"));
    bench.write("out/public/release.csv", &lacking);
    bench.privet(&["audit", "out"]).exits(4);
    bench.write("out/public/release.csv", &good);
    bench.privet(&["audit", "out"]).succeeds();
}

#[test]
fn an_audit_of_what_is_no_release_is_bad_input() {
    let bench = Bench::with_example("patients");
    for arguments in [
        &["audit", "nowhere"][..],
        &["audit", "patients"],
        &["report", "patients"],
        &["audit", "--policy", "patients/policy.toml", "--release", "nowhere.csv"],
    ] {
        let outcome = bench.privet(arguments).exits(2);
        assert!(outcome.stderr.contains("help:"), "{arguments:?}: {}", outcome.stderr);
    }
    bench.privet(&MAKE).succeeds();
    bench.write("out/steward/manifest.json", "{}");
    let outcome = bench.privet(&["audit", "out"]).exits(2);
    assert!(outcome.stderr.contains("not one that Privet wrote"), "{}", outcome.stderr);
    bench.privet(&["audit"]).exits(2);
    bench.privet(&["audit", "out", "--release", "x.csv"]).exits(2);
}

#[test]
fn an_audit_follows_the_data_to_its_new_place() {
    let bench = Bench::with_example("patients");
    bench.privet(&MAKE).succeeds();
    fs::rename(bench.path("patients/patients.csv"), bench.path("moved.csv")).expect("moved");
    let lost = bench.privet(&["audit", "out"]).exits(2);
    assert!(lost.stderr.contains("patients.csv"), "{}", lost.stderr);
    bench.privet(&["audit", "out", "--original", "moved.csv"]).succeeds();
}
