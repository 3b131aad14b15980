//! Whole runs of methods that publish groups: two rooms, tables, audit and the same bytes again.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proptest::prelude::{ProptestConfig, Strategy as _, any, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;
use crate::release::{Published, anonymize, rewrite_report};
use privet_audit::{audit_files, audit_release};
use privet_core::ErrorKind;
use privet_examples::Example;
use privet_policy::{AnyPolicy, Policy};

/// The nine patients, with some lines of the policy replaced.
fn patients(folder: &Path, changes: &[(&str, &str)]) -> CheckedPolicy {
    let home = folder.join("injector");
    if !home.exists() {
        Example::find("injector").expect("an example").write(&home).expect("files");
    }
    let path = home.join("policy.toml");
    let mut text = fs::read_to_string(&path).expect("a policy");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let policy = Policy::parse(&path, text).expect("TOML");
    policy.check(None).unwrap_or_else(|error| panic!("{error}"))
}

fn publish(policy: CheckedPolicy, target: &Path) -> Result<Published> {
    let options = RunOptions { force: true, ..RunOptions::to(target) };
    anonymize(policy, &options, &Clock::unlimited())
}

const ANATOMY: &[(&str, &str)] = &[
    ("[privacy.matching-l-diversity]", "[privacy.l-diversity]"),
    ("name = \"injector\"", "name = \"anatomy\""),
];

#[test]
fn two_tables_or_one_are_published_audited_and_audited_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let permuted = [("publish = \"two-tables\"", "publish = \"permuted\"")];
    for (changes, files) in [(&[][..], &[QIT, ST][..]), (&permuted, &[PERMUTED]), (ANATOMY, &[QIT, ST])] {
        let target = folder.path().join("release");
        let published = publish(patients(folder.path(), changes), &target).expect("a release");
        assert!(published.audit.passed && !published.empty);
        for file in files {
            assert!(target.join("public").join(file).is_file(), "{file}");
        }
        assert!(published.warnings[0].contains("exactly as they are"), "{:?}", published.warnings);
        assert_eq!(published.manifest["records"]["released"], 9);
        let audit = audit_release(&target, None, &Clock::unlimited()).expect("an audit");
        assert!(audit.passed, "{audit:?}");
        assert!(audit.checks.iter().any(|check| check.name == "assignment"));
        assert_eq!(rewrite_report(&target).expect("reports").len(), 2);
        // The public room tells nothing of rules, records or the seed.
        let report = fs::read_to_string(target.join("public/report.html")).expect("a report");
        assert!(report.contains("exactly as they are") && !report.contains("=&gt;"));
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let tables = |seed: &str| {
        let target = folder.path().join(seed);
        publish(patients(folder.path(), &[("seed = 7", seed)]), &target).expect("a release");
        [QIT, ST].map(|name| fs::read(target.join("public").join(name)).expect("a table"))
    };
    let first = tables("seed = 1");
    assert_eq!(first, tables("seed = 1"));
    assert!((2..9).any(|seed| tables(&format!("seed = {seed}")) != first));
}

#[test]
fn a_spoiled_release_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    let policy = patients(folder.path(), &[]);
    publish(policy.clone(), &target).expect("a release");
    let spoil = |name: &str, from: &str, to: &str| {
        let path = target.join("public").join(name);
        let text = fs::read_to_string(&path).expect("a table");
        fs::write(&path, text.replacen(from, to, 1)).expect("a table");
        let found = audit_files(
            &AnyPolicy::Table(policy.clone()),
            &target.join("public"),
            false,
            &Clock::unlimited(),
        );
        fs::write(&path, text).expect("a table");
        found
    };
    assert!(spoil(QIT, "none", "none").expect("an audit").passed);
    assert!(!spoil(QIT, "47677,29,F", "47677,29,M").expect("an audit").passed);
    assert!(!spoil(ST, "Flu,1", "Flu,2").is_ok_and(|audit| audit.passed));
    assert!(!spoil(ST, "Prostate Cancer", "Flu").expect("an audit").passed);
    assert_eq!(spoil(ST, "count", "number").expect_err("no column").kind(), ErrorKind::Input);
    // With the folder's own list of who is where, an exchange between groups shows as well.
    let path = target.join("steward").join(GROUP_ASSIGNMENT);
    let text = fs::read_to_string(&path).expect("a list");
    fs::write(&path, text.replace("3,", "3,9")).expect("a list");
    assert!(!audit_release(&target, None, &Clock::unlimited()).expect("an audit").passed);
}

#[test]
fn what_cannot_be_met_or_meant_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    let failing = |changes: &[(&str, &str)]| {
        let error = publish(patients(folder.path(), changes), &target).expect_err("an error");
        assert!(!target.exists());
        error
    };
    let error = failing(&[("l = 2", "l = 4")]);
    assert_eq!(error.kind(), ErrorKind::Infeasible);
    assert!(
        error.message().contains("l = 4") && error.remedy().is_some_and(|help| help.contains("l = 3")),
        "{error}"
    );
    let anatomy: Vec<(&str, &str)> = ANATOMY.iter().copied().chain([("l = 2", "l = 4")]).collect();
    assert!(failing(&anatomy).message().contains("3 of 9 records have the value"));
    // A rule about a value that does not occur has no effect, and gives a warning.
    fs::write(folder.path().join("injector/rules.txt"), "sex=F => not Prostrate Cancer\n").expect("a file");
    let published = publish(patients(folder.path(), &[]), &folder.path().join("slip")).expect("a release");
    let told = "'Prostrate Cancer' does not occur in the sensitive column; did you mean 'Prostate Cancer'?";
    assert!(published.warnings.iter().any(|warning| warning.contains(told)), "{:?}", published.warnings);
    fs::write(folder.path().join("injector/rules.txt"), "sex=F => not Ovarian Cancer\n").expect("a file");
    assert!(failing(&[]).message().contains("contradicts"));
    // A rule that usually holds counts as a fact except where the data refutes it.
    fs::write(folder.path().join("injector/rules.txt"), "usually sex=F => not Ovarian Cancer\n")
        .expect("a file");
    let error = failing(&[("l = 2", "l = 3")]);
    assert_eq!(error.kind(), ErrorKind::Infeasible, "{error}");
}

#[test]
fn few_records_are_left_out_where_that_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    // Nobody but the man in 47678 may have prostate cancer, and he may have nothing else.
    let rules = "sex=F => not Prostate Cancer\nage=40-59 => not Prostate Cancer\nusually zip=47678 => not Flu\n\
                 zip=47678 => not Heart Disease\nzip=4760* => not Prostate Cancer\nzip=47673 => not Prostate Cancer\n";
    patients(folder.path(), &[]);
    fs::write(folder.path().join("injector/rules.txt"), rules).expect("a file");
    let policy =
        patients(folder.path(), &[("name = \"injector\"", "name = \"injector\"\ninfeasible = \"suppress\"")]);
    let published = publish(policy, &target).expect("a release");
    assert_eq!(published.manifest["records"]["suppressed"], 1);
    assert!(published.audit.passed);
    // The warning says whose values are lost.
    let told = |warning: &&String| warning.contains("'Prostate Cancer' (1");
    assert!(published.warnings.iter().any(|warning| told(&warning)), "{:?}", published.warnings);
    assert_eq!(published.manifest["plan"]["suppressed"], json!({ "Prostate Cancer": 1 }));
}

#[test]
fn what_the_adversary_knows_must_be_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    for file in ["rules.txt", "hierarchies/zip.csv"] {
        publish(patients(folder.path(), &[]), &target).expect("a release");
        let path = folder.path().join("injector").join(file);
        let text = fs::read_to_string(&path).expect("a file");
        fs::write(&path, format!("{text}\n")).expect("a file");
        let audit = audit_release(&target, None, &Clock::unlimited()).expect("an audit");
        assert!(!audit.passed && audit.checks[0].detail.contains(file), "{audit:?}");
        fs::write(&path, text).expect("a file");
        assert!(audit_release(&target, None, &Clock::unlimited()).expect("an audit").passed);
    }
}

#[test]
fn the_public_manifest_says_what_holds_and_not_for_whom() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    publish(patients(folder.path(), &[]), &target).expect("a release");
    let text = fs::read_to_string(target.join("public/manifest.json")).expect("a manifest");
    let manifest: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&manifest["parameters"]["l"], &manifest["parameters"]["strategy"]),
        (&json!(2), &json!("near"))
    );
    // What is possible for whom depends on rules that were mined from the original.
    assert!(manifest["groups"]["l_achieved"].is_null(), "{manifest}");
    assert!(manifest["groups"]["sizes"].as_object().is_some_and(|sizes| !sizes.is_empty()), "{manifest}");
    assert!(!text.contains("Cancer") && !text.contains("\"seed\""), "{text}");
}

#[test]
fn an_l_that_is_not_whole_is_rounded_up_and_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    let changes: Vec<(&str, &str)> = ANATOMY.iter().copied().chain([("l = 2", "l = 1.5")]).collect();
    let warnings = publish(patients(folder.path(), &changes), &target).expect("a release").warnings;
    assert!(warnings.iter().any(|warning| warning.contains("groups of 2 different values")), "{warnings:?}");
}

#[test]
fn no_rules_or_one_value_per_group_are_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("release");
    let none =
        [("rules = \"rules.txt\"", "mine = false"), ("min_expectation = 0.75", ""), ("max_length = 1", "")];
    let warnings = publish(patients(folder.path(), &none), &target).expect("a release").warnings;
    assert!(warnings.iter().any(|warning| warning.contains("no rule is known")), "{warnings:?}");
    let warnings =
        publish(patients(folder.path(), &[("l = 2", "l = 1")]), &target).expect("a release").warnings;
    assert!(warnings.iter().any(|warning| warning.contains("l = 1")), "{warnings:?}");
}

/// Two quasi-identifiers with trees, one of them of numbers, and a sensitive value.
fn table(folder: &Path, rows: &[(u32, u32, u32)], more: &str) -> CheckedPolicy {
    let mut data = String::from("age,town,illness\n");
    for (age, town, illness) in rows {
        let _ = writeln!(data, "{},t{town},{illness}", 20 + age);
    }
    let mut ages = String::new();
    for age in 20..32 {
        let (five, ten) = (age / 5 * 5, age / 10 * 10);
        let _ = writeln!(ages, "{age};{five}-{};{ten}-{};*", five + 4, ten + 9);
    }
    for (name, text) in
        [("data.csv", data.as_str()), ("ages.csv", &ages), ("towns.csv", "t0;A;*\nt1;A;*\nt2;B;*\n")]
    {
        fs::write(folder.join(name), text).expect("a file");
    }
    let text = format!(
        "seed = 3\n[data]\npath = \"data.csv\"\n[columns.illness]\nrole = \"sensitive\"\n[columns.town]\n\
         role = \"quasi-identifier\"\nhierarchy = \"towns.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
         hierarchy = \"ages.csv\"\n{more}"
    );
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("TOML");
    policy.check(None).unwrap_or_else(|error| panic!("{error}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The audit mines once more with code of its own: where the two disagree, a release fails its audit.
    #[test]
    fn every_release_passes_its_audit(
        rows in prop::collection::vec((0u32..12, 0u32..3, 0u32..4), 6..40),
        (strategy, permuted, fuzzy) in (prop::sample::select(&["near", "balanced", "local", "paper"][..]), any::<bool>(), any::<bool>()),
        (expectation, confidence) in (
            prop::sample::select(&["0.4", "0.7", "0.9"][..]),
            prop::sample::select(&["1", "0.8"][..]),
        ),
        (length, significance, l) in (1u32..3, any::<bool>(), 1u32..4),
        bound in prop::option::weighted(0.2, prop::sample::select(&["1/2", "2/3"][..])).prop_map(|bound| {
            bound.map_or(String::new(), |bound| format!("max_posterior = \"{bound}\"\n"))
        }),
        others in (prop::option::of(2u32..6), prop::option::of((1u32..8, prop::sample::select(&["equal", "ordered"][..])))),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let fuzzy = if fuzzy { "fuzzy_spread = 0.4\n" } else { "" };
        let significance = if significance { "significance = 0.3\n" } else { "" };
        let size = others.0.map_or(String::new(), |k| format!("[privacy.k-anonymity]\nk = {k}\n"));
        let closeness = others.1.map_or(String::new(), |(tenths, distance)| {
            format!("[privacy.t-closeness]\ncolumn = \"illness\"\nt = 0.{tenths}\ndistance = \"{distance}\"\n")
        });
        let publish_as = if permuted { "permuted" } else { "two-tables" };
        let more = format!(
            "{fuzzy}[privacy.matching-l-diversity]\ncolumn = \"illness\"\nl = {l}\n{bound}{size}{closeness}[knowledge]\n\
             min_expectation = {expectation}\nmin_confidence = {confidence}\nmax_length = {length}\n{significance}\
             [method]\nname = \"injector\"\nstrategy = \"{strategy}\"\ninfeasible = \"suppress\"\n\
             publish = \"{publish_as}\"\n"
        );
        let policy = table(folder.path(), &rows, &more);
        let target = folder.path().join("out");
        match publish(policy.clone(), &target) {
            Ok(published) => {
                prop_assert!(published.audit.passed);
                // From outside less can be told, but nothing is found to be wrong.
                let public = target.join("public");
                let released = if permuted { public.join(PERMUTED) } else { public };
                let audit = audit_files(&AnyPolicy::Table(policy.clone()), &released, false, &Clock::unlimited()).expect("an audit");
                prop_assert!(audit.passed, "{:?}", audit);
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible, "{}", error),
        }
    }
}
