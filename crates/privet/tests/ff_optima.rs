//! Known optima of `ff-optimal`: every cut of every case was visited to find them. Each case goes all the way to a published
//! release, by both methods.

use std::fs;
use std::path::{Path, PathBuf};

use privet::attack::freeform::{KNOWN, MixedTable};
use privet::audit::{AuditOptions, audit_table};
use privet::clock::Clock;
use privet::policy::{CheckedPolicy, Policy};
use privet::release::{self, Published, RunOptions};
use serde_json::Value as Json;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/ff");
    let entries = fs::read_dir(root).expect("cases");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("a case").path()).collect();
    folders.sort();
    folders
}

/// The policy of a case, with another method.
fn policy(folder: &Path, method: &str) -> CheckedPolicy {
    let path = folder.join("policy.toml");
    let text = fs::read_to_string(&path).expect("a policy");
    let (before, _) = text.split_once("[method]").expect("a method");
    let text = format!("{before}[method]\nname = \"{method}\"\ncost = \"LM\"\n");
    Policy::parse(&path, text).and_then(|policy| policy.check(None)).expect("a policy that is understood")
}

fn publish(folder: &Path, method: &str) -> Published {
    let target = tempfile::tempdir().expect("a folder");
    let options = RunOptions { seed: Some(1), ..RunOptions::to(target.path().join("release")) };
    release::anonymize(policy(folder, method), &options, &Clock::unlimited()).expect("a release")
}

#[test]
fn every_known_optimum_is_reached_and_no_minimal_release_beats_it() {
    let mut count = 0;
    for folder in folders() {
        let expected = fs::read_to_string(folder.join("expected.json")).expect("an answer");
        let expected: Json = serde_json::from_str(&expected).expect("an answer");
        let optimum = expected["optimal_cost"]["value"].as_f64().expect("a cost");
        let best = publish(&folder, "ff-optimal");
        let cost = best.manifest["cost"]["value"].as_f64().expect("a cost");
        assert!((cost - optimum).abs() < 1e-9, "{}: {cost} instead of {optimum}", folder.display());
        assert_eq!(best.manifest["optimal"], true, "{}", folder.display());
        assert!(best.audit.passed);
        let minimal = publish(&folder, "ff");
        assert!(minimal.audit.passed);
        assert!(minimal.manifest["cost"]["value"].as_f64().expect("a cost") > optimum - 1e-9);
        count += 1;
    }
    assert!(count >= 13, "only {count} cases were found");
}

#[test]
fn breached_tables_are_told_from_safe_ones() {
    for folder in folders() {
        let expected = fs::read_to_string(folder.join("expected.json")).expect("an answer");
        let expected: Json = serde_json::from_str(&expected).expect("an answer");
        let policy = policy(&folder, "ff");
        let audit = audit_table(&policy, &policy.source, &AuditOptions::foreign()).expect("an audit");
        assert_eq!(!audit.passed, expected["raw_table_breached"], "{}", folder.display());
        let table = MixedTable::read(&policy, &policy.source).expect("a table");
        assert_eq!(table.list(5, KNOWN).found > 0, expected["raw_table_breached"], "{}", folder.display());
        assert_eq!(table.exposure().hits > 0, expected["raw_table_breached"], "{}", folder.display());
    }
}

#[test]
fn the_attacks_of_the_paper_are_found() {
    let folder = folders().remove(0);
    let policy = policy(&folder, "ff");
    let table = MixedTable::read(&policy, &policy.source).expect("a table");
    let listed: Vec<String> = table.list(100, KNOWN).worst.iter().map(ToString::to_string).collect();
    for attack in ["{Sex=M, Income=High} → Disease=AIDS", "{Sex=F, Disease=Flu} → Income=190K"] {
        assert!(listed.iter().any(|told| told == attack), "{attack} is not among {listed:#?}");
    }
}
