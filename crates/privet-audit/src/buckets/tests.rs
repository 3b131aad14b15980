//! Releases with known verdicts, `vectors/injector/release-*.json`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::matching::RecordKind;
use super::*;
use privet_data::ReadOptions;
use privet_policy::Policy;

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
    policy.check(None).unwrap_or_else(|error| panic!("{error}"))
}

fn audit(folder: &Path, policy: &CheckedPolicy, qit: &str, st: &str) -> Audit {
    let table = |name: &str, text: &str| {
        fs::write(folder.join(name), text).expect("a file");
        Source::open(&folder.join(name), &ReadOptions::with_names(None)).expect("a table")
    };
    let release = BucketTables::Two { qit: table("qit.csv", qit), st: table("st.csv", st) };
    audit_buckets(policy, &release, None, None, &mut || Ok(())).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn verdicts_on_known_releases() {
    for number in 1..=3 {
        let path = format!("{}/../../vectors/injector/release-{number}.json", env!("CARGO_MANIFEST_DIR"));
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
    let path = format!("{}/../../vectors/injector/release-1.json", env!("CARGO_MANIFEST_DIR"));
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
        let source = Source::open(&path, &ReadOptions::with_names(None)).expect("a table");
        audit_buckets(&policy, &BucketTables::Permuted(source), None, None, &mut || Ok(())).expect("an audit")
    };
    assert!(audited(&table).passed);
    let spoiled = audited(&table.replacen("s4", "s1", 1));
    assert!(!spoiled.passed && spoiled.checks.iter().any(|check| check.name == "values" && !check.holds));
}

#[test]
fn posteriors_are_shares_of_assignments() {
    // Two who may have anything, one who cannot have the second value.
    let kinds = [RecordKind { allowed: vec![0, 1], count: 2 }, RecordKind { allowed: vec![0], count: 1 }];
    let values = [(0, 2), (1, 1)];
    assert_eq!(matching::valid_values(&kinds, &values), Some(vec![2, 1]));
    assert_eq!(matching::likeliest(&kinds, &values), Some((2u32.into(), 2u32.into())));
    assert_eq!(matching::valid_values(&kinds, &[(0, 1), (1, 2)]), Some(vec![1, 1]));
    assert_eq!(matching::valid_values(&kinds, &[(1, 3)]), None);
}

/// A table of one quasi-identifier with a policy.
fn small(folder: &Path, rows: &[(&str, &str)], l: u64, confidence: f64) -> CheckedPolicy {
    let lines: String = rows.iter().map(|(person, value)| format!("{person},{value}\n")).collect();
    let json = serde_json::json!({
        "original": format!("q,s\n{lines}"),
        "params": {
            "qi": ["q"], "hierarchies": { "q": {} }, "l": l, "minConf": confidence, "maxLen": 1,
            "minExp": if confidence < 1.0 { 0 } else { 1 },
        },
    });
    policy(folder, &json)
}

fn check<'a>(audit: &'a Audit, name: &str) -> &'a Check {
    audit.checks.iter().find(|check| check.name.starts_with(name)).expect("a check")
}

#[test]
fn tables_that_no_assignment_gives_are_refused_though_every_bucket_looks_fine() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = small(folder.path(), &[("a", "x"), ("b", "y"), ("c", "x"), ("d", "y")], 1, 1.0);
    let qit = "q,bucket\na,1\nb,1\nc,2\nd,2\n";
    let good = audit(folder.path(), &policy, qit, "bucket,s,count\n1,x,1\n1,y,1\n2,x,1\n2,y,1\n");
    assert!(good.passed && check(&good, "assignment").detail.starts_with("some assignment"), "{good:?}");
    // a has x, so the second y of the first bucket is nobody's.
    let bad = audit(folder.path(), &policy, qit, "bucket,s,count\n1,y,2\n2,x,2\n");
    let holding: Vec<bool> = bad.checks.iter().map(|check| check.holds).collect();
    assert!(!check(&bad, "assignment").holds, "{bad:?}");
    assert_eq!(holding.iter().filter(|holds| !**holds).count(), 1, "{bad:?}");
}

#[test]
fn what_depends_on_who_the_exceptions_are_is_left_open() {
    let folder = tempfile::tempdir().expect("a folder");
    // Two in three of each have what the others rarely have: m => not y and f => not x, with an exception each.
    let rows = [("m", "x"), ("m", "x"), ("m", "y"), ("f", "x"), ("f", "y"), ("f", "y")];
    let qit = "q,bucket\nm,1\nm,1\nf,1\nm,2\nf,2\nf,2\n";
    let st = "bucket,s,count\n1,x,2\n1,y,1\n2,x,1\n2,y,2\n";
    let policy = small(folder.path(), &rows, 2, 0.6);
    let open = audit(folder.path(), &policy, qit, st);
    let found = check(&open, "matching-l-diversity");
    assert!(open.passed && found.undetermined && found.detail.contains("steward's list"), "{open:?}");
    // One value is possible for everybody, no matter who the exceptions are.
    let policy = small(folder.path(), &rows, 1, 0.6);
    let told = audit(folder.path(), &policy, qit, st);
    assert!(told.passed && !check(&told, "matching-l-diversity").undetermined, "{told:?}");
    // With three values asked for nothing can help.
    let policy = small(folder.path(), &rows, 3, 0.6);
    assert!(!audit(folder.path(), &policy, qit, st).passed);
}

/// Whether some assignment gives the buckets, by trying all orders of all values.
fn can_be_dealt(rows: &mut Vec<(u8, u8)>, buckets: &[(Vec<u8>, Vec<u8>)]) -> bool {
    let Some(((people, values), rest)) = buckets.split_first() else { return true };
    let Some((person, people)) = people.split_first() else { return can_be_dealt(rows, rest) };
    (0..values.len()).any(|at| {
        let Some(row) = rows.iter().position(|row| *row == (*person, values[at])) else { return false };
        let row = rows.remove(row);
        let mut left = values.clone();
        left.remove(at);
        let mut next = vec![(people.to_vec(), left)];
        next.extend_from_slice(rest);
        let dealt = can_be_dealt(rows, &next);
        rows.push(row);
        dealt
    })
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn an_assignment_is_found_exactly_if_there_is_one(
        rows in proptest::collection::vec((0u8..3, 0u8..3, 0u8..3), 2..9),
        swap in (0usize..9, 0usize..9),
    ) {
        let mut values: Vec<u8> = rows.iter().map(|row| row.1).collect();
        values.swap(swap.0 % rows.len(), swap.1 % rows.len());
        let bucket = |at: u8| -> (Vec<u8>, Vec<u8>) {
            let members = || rows.iter().zip(&values).filter(move |(row, _)| row.2 == at);
            (members().map(|(row, _)| row.0).collect(), members().map(|(_, value)| *value).collect())
        };
        let buckets: Vec<(Vec<u8>, Vec<u8>)> = (0..3).map(bucket).collect();
        let mut pool: Vec<(u8, u8)> = rows.iter().map(|row| (row.0, row.1)).collect();
        let expected = can_be_dealt(&mut pool, &buckets);

        let folder = tempfile::tempdir().expect("a folder");
        let texts: Vec<(String, String)> =
            rows.iter().map(|row| (format!("p{}", row.0), format!("v{}", row.1))).collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(one, other)| (one.as_str(), other.as_str())).collect();
        let policy = small(folder.path(), &texts, 1, 1.0);
        let (mut qit, mut st) = (String::from("q,bucket\n"), String::from("bucket,s,count\n"));
        for (name, (people, values)) in (1..).zip(buckets.iter().filter(|(people, _)| !people.is_empty())) {
            people.iter().for_each(|person| { let _ = writeln!(qit, "p{person},{name}"); });
            for value in 0..3 {
                let count = values.iter().filter(|other| **other == value).count();
                if count > 0 {
                    let _ = writeln!(st, "{name},v{value},{count}");
                }
            }
        }
        let found = audit(folder.path(), &policy, &qit, &st);
        proptest::prop_assert_eq!(found.passed, expected, "{:?}", found);
        proptest::prop_assert!(found.checks.iter().all(|check| !check.undetermined));
    }
}
