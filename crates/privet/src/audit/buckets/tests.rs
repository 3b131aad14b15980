//! Releases with known verdicts, `tests/vectors/injector/release-*.json`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::*;
use crate::data::ReadOptions;
use crate::method::CATALOGUE;
use crate::policy::Policy;

fn policy(folder: &Path, json: &Json) -> CheckedPolicy {
    fs::write(folder.join("data.csv"), json["original"].as_str().expect("a table")).expect("a file");
    let params = &json["params"];
    let mut text = String::from("[data]\npath = \"data.csv\"\n[columns.s]\nrole = \"sensitive\"\n");
    for name in params["qi"].as_array().expect("names") {
        let name = name.as_str().expect("a name");
        let mut tree = String::new();
        for (leaf, above) in params["hierarchies"][name].as_object().expect("a tree") {
            let above: Vec<&str> = above.as_array().expect("nodes").iter().filter_map(Json::as_str).collect();
            let _ = writeln!(tree, "{leaf};{}", [&above[..], &["*"]].concat().join(";"));
        }
        let _ = writeln!(text, "[columns.{name}]\nrole = \"quasi-identifier\"");
        if !tree.is_empty() {
            fs::write(folder.join(format!("{name}.csv")), tree).expect("a file");
            let _ = writeln!(text, "hierarchy = \"{name}.csv\"");
        }
    }
    let length = params["maxLen"].as_u64().unwrap_or(9);
    let _ = writeln!(
        text,
        "[privacy.matching-l-diversity]\ncolumn = \"s\"\nl = {}\n[knowledge]\nmin_expectation = {}\nmin_confidence = {}\n\
         max_length = {length}\n[method]\nname = \"injector\"",
        params["l"], params["minExp"], params["minConf"],
    );
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("TOML");
    policy.check(&CATALOGUE, None).unwrap_or_else(|error| panic!("{error}"))
}

fn audit(folder: &Path, policy: &CheckedPolicy, qit: &str, st: &str) -> Audit {
    let table = |name: &str, text: &str| {
        fs::write(folder.join(name), text).expect("a file");
        Source::open(&folder.join(name), &ReadOptions::default()).expect("a table")
    };
    let release = BucketTables::Two { qit: table("qit.csv", qit), st: table("st.csv", st) };
    audit_buckets(policy, &release, None, None, &mut || Ok(())).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn verdicts_on_known_releases() {
    for number in 1..=3 {
        let path = format!("{}/tests/vectors/injector/release-{number}.json", env!("CARGO_MANIFEST_DIR"));
        let json: Json = serde_json::from_str(&fs::read_to_string(path).expect("a case")).expect("JSON");
        let folder = tempfile::tempdir().expect("a folder");
        let policy = policy(folder.path(), &json);
        for case in json["cases"].as_array().expect("cases") {
            let text = |key: &str| case[key].as_str().expect("a table");
            let found = audit(folder.path(), &policy, text("qit"), text("st"));
            assert_eq!(Json::from(found.passed), case["ok"], "{number} {}: {found:?}", case["label"]);
        }
    }
}

#[test]
fn one_table_with_shuffled_values_is_read_the_same() {
    let path = format!("{}/tests/vectors/injector/release-1.json", env!("CARGO_MANIFEST_DIR"));
    let json: Json = serde_json::from_str(&fs::read_to_string(path).expect("a case")).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let policy = policy(folder.path(), &json);
    let case = &json["cases"][0];
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in case["st"].as_str().expect("a table").lines().skip(1) {
        let [bucket, value, count] = line.split(',').collect::<Vec<_>>()[..] else { panic!("three cells") };
        values.entry(bucket).or_default().extend(vec![value; count.parse().expect("a count")]);
    }
    let mut table = String::from("q1,q2,q3,s,bucket\n");
    for line in case["qit"].as_str().expect("a table").lines().skip(1) {
        let (quasi, bucket) = line.rsplit_once(',').expect("a bucket");
        let value = values.get_mut(bucket).and_then(Vec::pop).expect("a value");
        let _ = writeln!(table, "{quasi},{value},{bucket}");
    }
    let path = folder.path().join("release.csv");
    let audited = |text: &str| {
        fs::write(&path, text).expect("a file");
        let source = Source::open(&path, &ReadOptions::default()).expect("a table");
        audit_buckets(&policy, &BucketTables::Permuted(source), None, None, &mut || Ok(())).expect("an audit")
    };
    assert!(audited(&table).passed);
    let spoiled = audited(&table.replacen("s4", "s1", 1));
    assert!(!spoiled.passed && spoiled.checks.iter().any(|check| check.name == "values" && !check.holds));
}

#[test]
fn posteriors_are_shares_of_assignments() {
    // Two who may have anything, one who cannot have the second value.
    let kinds = [Kind { allowed: vec![0, 1], count: 2 }, Kind { allowed: vec![0], count: 1 }];
    let values = [(0, 2), (1, 1)];
    assert_eq!(matching::valid_values(&kinds, &values), Some(vec![2, 1]));
    assert_eq!(matching::likeliest(&kinds, &values), Some((2u32.into(), 2u32.into())));
    assert_eq!(matching::valid_values(&kinds, &[(0, 1), (1, 2)]), Some(vec![1, 1]));
    assert_eq!(matching::valid_values(&kinds, &[(1, 3)]), None);
}
