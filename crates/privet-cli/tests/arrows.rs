//! The arrows between our crates: each may use those below it and no others.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value as Json;

/// Every crate with the crates of ours that it may use. A new crate needs a line here.
const ARROWS: [(&str, &[&str]); 18] = [
    ("privet-core", &[]),
    ("privet-data", &["privet-core"]),
    ("privet-taxonomy", &["privet-core", "privet-data"]),
    ("privet-policy", &["privet-core", "privet-data", "privet-taxonomy"]),
    ("privet-drafts", &["privet-core", "privet-data", "privet-taxonomy", "privet-policy"]),
    ("privet-audit", &["privet-core", "privet-data", "privet-taxonomy", "privet-policy"]),
    ("privet-ledger", &["privet-core"]),
    (
        "privet-attack",
        &["privet-core", "privet-data", "privet-taxonomy", "privet-policy", "privet-audit", "privet-ledger"],
    ),
    ("privet-engine", &["privet-core", "privet-data", "privet-taxonomy", "privet-policy"]),
    ("privet-methods", &["privet-core", "privet-data", "privet-taxonomy", "privet-policy", "privet-engine"]),
    // Of attacks and of the ledger the report shows what they found, and nothing of how.
    ("privet-report", &["privet-core", "privet-policy", "privet-ledger", "privet-attack"]),
    ("privet-examples", &["privet-core", "privet-data", "privet-taxonomy", "privet-policy"]),
    (
        "privet",
        &[
            "privet-core",
            "privet-data",
            "privet-taxonomy",
            "privet-policy",
            "privet-drafts",
            "privet-audit",
            "privet-ledger",
            "privet-attack",
            "privet-report",
            "privet-engine",
            "privet-methods",
            "privet-examples",
        ],
    ),
    ("privet-databases", &["privet"]),
    ("privet-cli", &["privet", "privet-databases"]),
    ("privet-studio", &["privet"]),
    ("privet-lab", &["privet"]),
    // `python -m privet` is the command.
    ("privet-python", &["privet", "privet-cli", "privet-databases"]),
];

#[test]
fn every_crate_uses_only_those_below_it() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Json = serde_json::from_slice(&output.stdout).expect("metadata");
    let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Json| value.as_str().unwrap_or_default().to_string();
    let packages = list(&metadata["packages"]);
    let ours: BTreeSet<String> = packages.iter().map(|package| text(&package["name"])).collect();
    let known: BTreeSet<String> = ARROWS.iter().map(|(name, _)| (*name).to_string()).collect();
    assert_eq!(ours, known, "every crate has its arrows in this file");
    for package in &packages {
        let name = text(&package["name"]);
        let (_, allowed) = ARROWS.iter().find(|(known, _)| *known == name).expect("known");
        for dependency in list(&package["dependencies"]) {
            // What only tests use may point anywhere.
            let used = text(&dependency["name"]);
            let is_arrow = ours.contains(&used) && dependency["kind"] != "dev";
            assert!(!is_arrow || allowed.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}
