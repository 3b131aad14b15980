//! Whole runs: tables with known answers, and generated tables whose releases must pass their audit.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value as Json;

use privet::release::{Published, RunOptions, anonymize_any};
use privet_core::clock::Clock;
use privet_core::{ErrorKind, Result};
use privet_policy::Policy;

fn release(folder: &Path, target: &Path) -> Result<Published> {
    let policy = Policy::read(&folder.join("policy.toml"))?;
    let policy = policy.check_any(None)?;
    let options = RunOptions { seed: Some(3), ..RunOptions::to(target) };
    anonymize_any(policy, &options, &Clock::unlimited())
}

/// Writes a table, its knowledge and a policy; makes the release. `method` contains further keys.
fn run(table: &str, knowledge: &str, privacy: &str, method: &str) -> (tempfile::TempDir, Result<Published>) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("table.csv", table);
    write("knowledge.csv", knowledge);
    let header = table.lines().next().unwrap_or_default();
    let quasi: String = (header.split(',').filter(|name| !["symptoms", "note"].contains(name)))
        .map(|name| format!("[columns.{name}]\nrole = \"quasi-identifier\"\n"))
        .collect();
    write(
        "policy.toml",
        &format!(
            "[data]\npath = \"table.csv\"\n{quasi}[columns.symptoms]\nrole = \"quasi-sensitive\"\nseparator = \"|\"\n\
             knowledge = \"knowledge.csv\"\n{privacy}\n[method]\nname = \"quasi-sensitive\"\n{method}"
        ),
    );
    let published = release(folder.path(), &folder.path().join("out"));
    (folder, published)
}

fn released(folder: &tempfile::TempDir) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join("out/public/release.csv")).expect("a release");
    let mut rows: Vec<String> = text.lines().skip(1).map(str::to_string).collect();
    rows.sort();
    rows
}

const FLU: &str = "label,terms\nFlu,cough|fever|sore throat\nAllergy,cough|rash|sneezing\n\
                   Measles,cough|fever|rash\nCold,cough|sneezing|sore throat\n";

#[test]
fn known_tables_have_their_known_costs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/quasi-sensitive");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    folders.sort();
    assert!(folders.len() >= 13);
    for folder in folders {
        let target = tempfile::tempdir().expect("a folder");
        let expected = fs::read_to_string(folder.join("expected.json")).expect("answers");
        let expected: Json = serde_json::from_str(&expected).expect("answers");
        let published = release(&folder, &target.path().join("out"));
        if expected["feasible"] == false {
            let error = published.expect_err("no release");
            assert_eq!(error.kind(), ErrorKind::Infeasible, "{error}");
            assert!(!target.path().join("out").exists());
            continue;
        }
        let manifest = published.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).manifest;
        let near = |found: &Json, wanted: &Json| {
            let (found, wanted) = (found.as_f64().expect("a cost"), wanted.as_f64().expect("a cost"));
            assert!((found - wanted).abs() < 1e-9, "{}: {found} for {wanted}", folder.display());
        };
        near(&manifest["cost"]["value"], &expected["optimal_raw_cost"]);
        near(&manifest["cost"]["normalised"], &expected["optimal_normalised_cost"]);
        near(&manifest["bound"], &expected["optimal_raw_cost"]);
        assert_eq!((&manifest["cost"]["metric"], &manifest["optimal"]), (&"QS".into(), &true.into()));
    }
}

const DIVERSE: &str =
    "[privacy.k-anonymity]\nk = 1\n[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 0.5\nl = 2\n";

#[test]
fn only_what_must_go_is_removed_and_sets_have_no_order() {
    let table = "city,symptoms\nAtlanta,sore throat|fever\nAtlanta,rash|cough\nAtlanta,cough\nBoston,\n";
    let (folder, published) = run(table, FLU, DIVERSE, "");
    let published = published.expect("a release");
    let rows = released(&folder);
    assert!(
        rows.contains(&"Atlanta,cough|rash".to_string()) && rows.contains(&"Boston,".to_string()),
        "{rows:?}"
    );
    assert!(rows.contains(&"Atlanta,fever".to_string()) || rows.contains(&"Atlanta,sore throat".to_string()));
    assert_eq!(published.manifest["groups"]["optimal"], 1);
    assert_eq!(published.manifest["groups"]["untouched"], 1);
    assert_eq!(published.manifest["records"]["changed"], 1);
}

#[test]
fn a_group_beyond_help_is_joined_withheld_or_ends_the_run() {
    // No record in b can look like the table as a whole, whatever is removed.
    let knowledge = "label,terms\nL0,s0\nL1,s1\n";
    let table = format!("city,symptoms\n{}b,s1\n", "a,s0\na,s0\na,s1\n".repeat(4));
    let table = table.as_str();
    let privacy = "[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = 0.1\n";
    let (folder, joined) = run(table, knowledge, privacy, "infeasible = \"merge\"\n");
    assert_eq!(joined.expect("a release").manifest["groups"]["merged"], 1);
    assert!(released(&folder).iter().all(|row| row.starts_with('*')));
    let (folder, withheld) = run(table, knowledge, privacy, "infeasible = \"suppress\"\n");
    let withheld = withheld.expect("a release").manifest;
    assert_eq!((&withheld["groups"]["withheld"], &withheld["records"]["suppressed"]), (&1.into(), &1.into()));
    assert_eq!(released(&folder).len(), 12);
    assert!((withheld["cost"]["value"].as_f64().expect("a cost") - 1.0).abs() < 1e-12);
    let (_, failed) = run(table, knowledge, privacy, "infeasible = \"fail\"\n");
    assert_eq!(failed.expect_err("no release").kind(), ErrorKind::Infeasible);
}

#[test]
fn unreachable_requirements_are_reported() {
    let table = "city,symptoms\na,fever\nb,rash\n";
    for (privacy, message) in
        [("c = 1\nl = 5", "more labels than the 4"), ("c = 0.1\nl = 4", "not even records without terms")]
    {
        let privacy = format!("[privacy.qs-diversity]\ncolumn = \"symptoms\"\n{privacy}\n");
        let (folder, failed) = run(table, FLU, &privacy, "");
        let failed = failed.expect_err("no release");
        assert_eq!(failed.kind(), ErrorKind::Infeasible);
        assert!(failed.message().contains(message), "{failed}");
        assert!(!folder.path().join("out").exists());
    }
    let privacy = "[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = 0\nl = 2\n";
    let failed = run(table, FLU, privacy, "").1.expect_err("no release");
    assert!(failed.kind() == ErrorKind::Input && failed.line().is_some(), "{failed}");
}

#[test]
fn no_distance_at_all_leaves_one_group() {
    let table = "city,symptoms\na,fever\nb,rash\nc,cough|sneezing\n";
    let privacy = "[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = 0\n";
    let (folder, published) = run(table, FLU, privacy, "");
    assert_eq!(published.expect("a release").manifest["cost"]["value"], 0.0);
    assert!(released(&folder).iter().all(|row| row.starts_with('*')));
}

#[test]
fn knowledge_without_overlap_is_warned_of() {
    let (_, published) = run("city,symptoms\na,hiccups\n", FLU, DIVERSE, "");
    let warnings = published.expect("a release").warnings;
    assert!(warnings.iter().any(|warning| warning.contains("nothing can link")), "{warnings:?}");
}

#[test]
fn the_baseline_finds_the_same_when_it_has_time() {
    let table = "city,symptoms\na,fever|sore throat\na,cough|rash\na,fever|rash|cough\nb,sneezing|rash\n";
    let costs = ["adaptive", "dfs"].map(|search| {
        let (_, published) = run(table, FLU, DIVERSE, &format!("search = \"{search}\"\n"));
        let manifest = published.expect("a release").manifest;
        assert_eq!(manifest["optimal"], true);
        manifest["cost"]["value"].as_f64()
    });
    assert_eq!(costs[0], costs[1]);
}

fn any_table() -> impl Strategy<Value = (String, String)> {
    let set = |most: usize| prop::collection::btree_set(0u8..5, 0..=most);
    let spelt = |set: std::collections::BTreeSet<u8>| {
        let terms: Vec<String> = set.into_iter().map(|term| format!("s{term}")).collect();
        terms.join("|")
    };
    let rows = prop::collection::vec((0u8..4, 0u8..3, set(3)), 1..14);
    let labels = prop::collection::vec(prop::collection::btree_set(0u8..5, 1..=4), 1..6);
    (rows, labels).prop_map(move |(rows, labels)| {
        let rows = rows.into_iter().map(|(age, city, set)| format!("{age},c{city},{}\n", spelt(set)));
        let labels = labels.into_iter().enumerate().map(|(at, set)| format!("L{at},{}\n", spelt(set)));
        let table = format!("age,city,symptoms\n{}", rows.collect::<String>());
        (table, format!("label,terms\n{}", labels.collect::<String>()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_release_passes_its_audit(
        (table, knowledge) in any_table(),
        (k, l) in (1u8..4, 1u8..4),
        (c, t) in (prop::sample::select(vec!["0.5", "1", "2"]), prop::sample::select(vec!["0.1", "0.3", "0"])),
        kind in 0..3u8,
        way_out in prop::sample::select(vec!["merge", "suppress", "fail"]),
        relaxed in any::<bool>(),
    ) {
        let mut privacy = format!("[privacy.k-anonymity]\nk = {k}\n");
        if kind != 1 {
            privacy += &format!("[privacy.qs-diversity]\ncolumn = \"symptoms\"\nc = {c}\nl = {l}\n");
        }
        if kind != 0 {
            privacy += &format!("[privacy.qs-closeness]\ncolumn = \"symptoms\"\nt = {t}\n");
        }
        let partitioning = if relaxed { "relaxed" } else { "strict" };
        let method = format!("infeasible = \"{way_out}\"\npartitioning = \"{partitioning}\"\ntime_limit = \"100ms\"\n");
        let (_folder, published) = run(&table, &knowledge, &privacy, &method);
        // A release that fails its audit would be an internal error.
        if let Err(error) = published {
            prop_assert_eq!(error.kind(), ErrorKind::Infeasible, "{}", error);
        }
    }
}
