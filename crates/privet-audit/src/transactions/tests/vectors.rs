//! Known answers: releases with their verdicts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::super::Demand;
use super::audit_rows;
use crate::AuditOptions;
use privet_core::Exact;
use privet_taxonomy::ItemTree;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/kl-privacy")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One transaction per line; an empty line is an empty one.
fn transactions(path: &Path) -> Vec<Vec<String>> {
    let read = |line: &str| -> Vec<String> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let record = reader.records().next().map(|record| record.expect("a line"));
        record.iter().flat_map(|record| record.iter().map(String::from)).collect()
    };
    text(path).lines().map(read).collect()
}

fn borrowed(rows: &[Vec<String>]) -> Vec<Vec<&str>> {
    rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect()
}

/// The same rows in an order that has nothing to do with theirs.
fn in_another_order<T>(mut rows: Vec<T>) -> Vec<T> {
    let mut state = 9u64;
    for last in (1..rows.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        rows.swap(last, (state >> 33) as usize % (last + 1));
    }
    rows
}

#[test]
fn every_verdict_is_as_known() {
    let mut cases: Vec<PathBuf> =
        fs::read_dir(folder()).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    cases.sort();
    let mut judged = 0;
    for case in cases.iter().filter(|case| case.join("releases.json").exists()) {
        let policy: toml_edit::DocumentMut = text(&case.join("policy.toml")).parse().expect("a policy");
        let clause = &policy["privacy"]["kl-privacy"];
        let count = |key: &str| u64::try_from(clause[key].as_integer().expect("a number")).expect("a count");
        let l = Exact::parse(clause["l"].as_str().expect("a text")).expect("a number");
        let sensitive: Vec<String> = text(&case.join("sensitive.txt")).lines().map(String::from).collect();
        let theta = Exact::new(l.denominator(), l.numerator()).expect("a share");
        let theta = vec![theta; sensitive.len()];
        let demand = Demand { k: count("k"), m: count("m"), n: count("n"), theta, costs: None };
        let tree = ItemTree::read(&case.join("taxonomy.csv")).expect("a tree");
        let original = transactions(&case.join("transactions.csv"));

        let verdicts: Json = serde_json::from_str(&text(&case.join("releases.json"))).expect("verdicts");
        for (name, verdict) in verdicts.as_object().expect("verdicts") {
            // The files have the order of the original, which an audit does not accept.
            let release = in_another_order(transactions(&case.join(format!("releases/{name}.csv"))));
            let audit = audit_rows(
                (&tree, &sensitive, "og"),
                &borrowed(&original),
                &borrowed(&release),
                &demand,
                &AuditOptions::default(),
            );
            let at = format!("{} {name}: {audit:#?}", case.display());
            assert_eq!(Some(audit.passed), verdict["valid"].as_bool(), "{at}");
            let (private, others) = audit.checks.split_last().expect("checks");
            assert_eq!(Some(others.iter().all(|check| check.holds)), verdict["honest"].as_bool(), "{at}");
            if let Some(known) = verdict["private"].as_bool() {
                assert_eq!(private.holds, known, "{at}");
            }
            judged += 1;
        }
    }
    assert!(judged > 150, "only {judged} releases were judged");
}
