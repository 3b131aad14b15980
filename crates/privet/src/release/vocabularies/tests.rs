//! Releases of vocabularies, from the policy to what is on disk.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;
use tempfile::TempDir;

use super::*;
use crate::release::{Published, anonymize_vocabularies, rewrite_report};
use privet_audit::{audit_files, audit_release};
use privet_core::ErrorKind;
use privet_core::hash::sha256_of_text;
use privet_policy::{AnyPolicy, Policy};

const WORDS: &str = "red wine;wine;drinks;goods\nwhite wine;wine;drinks;goods\nbeer;drinks;goods\n\
    boots;shoes;goods\nsandals;shoes;goods\nsmith;people;goods\n";

/// Four users with two sessions each: two drink, two walk, and one typed a name.
const LOG: &str = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n\
    1\tbeer\t2006-03-01 10:00:00\t\t\n1\tboots\t2006-03-02 10:00:00\t1\thttp://a.example\n\
    2\tbeer wine\t2006-03-01 10:00:00\t\t\n2\tsandals\t2006-03-02 10:00:00\t\t\n\
    3\tbeer\t2006-03-01 10:00:00\t\t\n3\tsandals smith\t2006-03-02 10:00:00\t\t\n\
    4\tbeer\t2006-03-01 10:00:00\t\t\n4\tboots\t2006-03-02 10:00:00\t\t\n";

struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Desk {
        let desk = Desk { folder: TempDir::new().expect("a folder") };
        fs::write(desk.path("words.csv"), WORDS).expect("written");
        fs::write(desk.path("log.tsv"), LOG).expect("written");
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn policy(&self, more: &str, k: u32, rest: &str) -> Result<VocabularyPolicy> {
        let text = format!(
            "seed = 4\n[data]\npath = \"log.tsv\"\nkind = \"query-log\"\n[vocabulary]\n{more}\n\
             [semantics]\ndistance = \"taxonomy\"\nhierarchy = \"words.csv\"\nepsilon = 2\n\
             [privacy.vocabulary-k-anonymity]\nk = {k}\n{rest}"
        );
        let policy = Policy::parse(&self.path("policy.toml"), text)?;
        policy.check_vocabularies(None)
    }

    fn publish(&self, policy: VocabularyPolicy, name: &str) -> Result<Published> {
        let options = RunOptions::to(self.path(name));
        anonymize_vocabularies(policy, &options, &Clock::unlimited())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }
}

#[test]
fn a_log_becomes_bags_of_several_people_without_rare_words() {
    let desk = Desk::new();
    let policy = desk.policy("session_gap = \"1h\"", 2, "").expect("a policy");
    let published = desk.publish(policy, "out").expect("a release");
    assert!(published.audit.passed && !published.empty);
    let manifest = &published.manifest;
    assert_eq!((&manifest["kind"], &manifest["method"]), (&json!("query-log"), &json!("ssg")));
    assert_eq!(manifest["records"], json!({ "read": 8, "dropped": 0, "suppressed": 0, "released": 8 }));
    assert_eq!(manifest["cost"]["metric"], "bLM");
    assert_eq!(manifest["extraction"]["users"], 4);
    let release = desk.text("out/public/release.csv");
    assert!(release.starts_with("vocabulary,term,count\n"), "{release}");
    assert!(release.contains(",beer,1") && !release.contains("smith"), "{release}");
    for name in ["report.html", "manifest.json"] {
        assert!(!desk.text(&format!("out/public/{name}")).contains("smith"), "{name}");
    }
    let report = desk.text("out/steward/report.html");
    for word in ["Queries", "fewer than 2 people", "smith", "prints none"] {
        assert!(report.contains(word), "{word}");
    }
    let again = audit_release(&desk.path("out"), None, &Clock::unlimited()).expect("an audit");
    assert!(again.passed);
    let before = desk.text("out/public/report.html");
    rewrite_report(&desk.path("out")).expect("reports");
    assert_eq!(desk.text("out/public/report.html"), before);
}

#[test]
fn an_audit_notices_what_was_done_to_a_release() {
    let desk = Desk::new();
    let policy = desk.policy("session_gap = \"1h\"", 2, "").expect("a policy");
    desk.publish(policy.clone(), "out").expect("a release");
    let file = desk.path("out/public/release.csv");
    let text = desk.text("out/public/release.csv");
    let desk_text = text.clone();
    let judged = |text: &str| {
        fs::write(desk.path("other.csv"), text).expect("written");
        audit_files(
            &AnyPolicy::Vocabularies(policy.clone()),
            &desk.path("other.csv"),
            false,
            &Clock::unlimited(),
        )
        .expect("an audit")
        .passed
    };
    assert!(judged(&text));
    assert!(!judged(&text.replacen("beer", "smith", 1)));
    let wider: Vec<String> = text.lines().map(|line| format!("{line},u")).collect();
    assert!(!judged(&wider.join("\n").replacen(",u", ",user", 1)));
    // Of two that are alike one is taken away; which number they have is chance.
    let without = |number: usize| -> String {
        let kept = text.lines().filter(|line| !line.starts_with(&format!("{number},")));
        kept.map(|line| format!("{line}\n")).collect()
    };
    assert!((1..=8).any(|number| !judged(&without(number))));
    // Anyone who may write to the folder may adjust the hash too: the checks of the content must notice by themselves.
    let steward = desk.text("out/steward/manifest.json");
    let forged = |text: &str, manifest: &str| {
        fs::write(&file, text).expect("written");
        let (old, new) = (sha256_of_text(&desk_text), sha256_of_text(text));
        fs::write(desk.path("out/steward/manifest.json"), manifest.replace(&old, &new)).expect("written");
        let audit = audit_release(&desk.path("out"), None, &Clock::unlimited());
        let audit = audit.expect("an audit");
        let failing = audit.checks.iter().filter(|check| !check.holds).map(|check| check.name.clone());
        failing.collect::<Vec<_>>()
    };
    assert!(forged(&text, &steward).is_empty());
    let swapped: String = text
        .lines()
        .map(|line| match line.split_once(',') {
            Some(("1", rest)) => format!("2,{rest}\n"),
            Some(("2", rest)) => format!("1,{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    assert!(!forged(&swapped, &steward).is_empty());
    assert!(!forged(&text.replacen(",beer,1", ",boots,1", 1), &steward).is_empty());
    let claims: Json = serde_json::from_str(&steward).expect("JSON");
    let mut richer = claims.clone();
    richer["loss"]["vocabulary-size"] = json!(1.0);
    assert_eq!(forged(&text, &richer.to_string()), ["shares"]);
    let mut cheaper = claims.clone();
    cheaper["loss"]["bLM"] = json!(0.0);
    for (key, value) in [("value", json!(0.0)), ("normalised", json!(0.0)), ("exact", json!("0"))] {
        cheaper["cost"][key] = value;
    }
    assert_eq!(forged(&text, &cheaper.to_string()), ["shares"]);
}

#[test]
fn an_audit_names_every_figure_of_the_manifest_that_is_not_so() {
    let desk = Desk::new();
    let policy = desk.policy("session_gap = \"1h\"", 2, "").expect("a policy");
    desk.publish(policy, "out").expect("a release");
    let steward: Json = serde_json::from_str(&desk.text("out/steward/manifest.json")).expect("JSON");
    let failing = |manifest: &Json| -> Vec<(String, String)> {
        fs::write(desk.path("out/steward/manifest.json"), manifest.to_string()).expect("written");
        let audit = audit_release(&desk.path("out"), None, &Clock::unlimited()).expect("an audit");
        let failing = audit.checks.into_iter().filter(|check| !check.holds);
        failing.map(|check| (check.name, check.detail)).collect()
    };
    assert!(failing(&steward).is_empty());
    for (path, value, check) in [
        ("/loss/gLM", json!(0.99), "shares"),
        ("/loss/distinct-terms", json!(0.99), "shares"),
        ("/utility/kept", json!(0.99), "figures"),
        ("/utility/terms_before", json!(60), "figures"),
        ("/utility/terms_after", json!(60), "figures"),
        ("/utility/terms_hidden", json!(0), "figures"),
        ("/utility/size_after", json!(9.5), "figures"),
        ("/utility/recall", json!(1.5), "figures"),
        ("/cost/exact", json!("1/400"), "figures"),
        ("/cost/value", json!(0.001), "figures"),
        ("/classes/count", json!(50), "figures"),
        ("/classes/smallest", json!(50), "figures"),
        ("/classes/median", json!(50), "figures"),
        ("/classes/fewest_users", json!(50), "figures"),
        ("/classes/empty", json!(50), "figures"),
        ("/extraction/users", json!(9), "figures"),
        ("/extraction/groups", json!(9), "figures"),
        ("/extraction/dropped/kept", json!(999), "figures"),
        ("/records/read", json!(9), "figures"),
        ("/requirements/0", json!("vocabulary-k-anonymity (k = 9)"), "figures"),
        ("/plan/k", json!(9), "figures"),
        ("/policy/privacy/vocabulary-k-anonymity/k", json!(9), "files"),
    ] {
        let mut other = steward.clone();
        *other.pointer_mut(path).unwrap_or_else(|| panic!("{path} is stated")) = value;
        let failing = failing(&other);
        let names: Vec<&str> = failing.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [check], "{path}: {failing:?}");
        let field = path.split('/').nth(2).expect("a field");
        assert!(check != "figures" || failing[0].1.contains(field) || field == "0", "{path}: {failing:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_order() {
    let desk = Desk::new();
    let release = |name: &str, seed: u64| {
        let mut policy = desk.policy("session_gap = \"1h\"", 2, "").expect("a policy");
        policy.seed = Some(seed);
        desk.publish(policy, name).expect("a release");
        desk.text(&format!("{name}/public/release.csv"))
    };
    let (one, same) = (release("a", 1), release("b", 1));
    assert_eq!(one, same);
    assert!((2..20).any(|seed| release(&format!("c{seed}"), seed) != one));
}

#[test]
fn what_cannot_be_met_publishes_nothing() {
    let desk = Desk::new();
    let policy = desk.policy("session_gap = \"1h\"", 5, "").expect("a policy");
    let error = desk.publish(policy, "out").expect_err("four users only");
    assert_eq!(error.kind(), ErrorKind::Infeasible);
    assert!(error.to_string().contains('4') && error.remedy().is_some(), "{error}");
    fs::write(desk.path("log.tsv"), "AnonID\tQuery\tQueryTime\n1\tzzz\t5\n").expect("written");
    let policy = desk.policy("session_gap = \"none\"", 2, "").expect("a policy");
    let error = desk.publish(policy, "out").expect_err("no term");
    assert_eq!(error.kind(), ErrorKind::Infeasible);
    assert!(error.to_string().contains("no term") && error.to_string().contains("dictionary: 1"), "{error}");
    assert!(!desk.path("out").exists());
}

#[test]
fn guards_that_are_off_are_said_aloud() {
    let desk = Desk::new();
    let rest = "distinct_users = false\nmin_term_users = 1\n";
    let policy = desk.policy("session_gap = \"1h\"", 2, rest).expect("a policy");
    let published = desk.publish(policy, "out").expect("a release");
    let said = published.warnings.join("\n");
    assert!(said.contains("distinct_users is off") && said.contains("min_term_users is 1"), "{said}");
}

#[test]
fn sessions_without_a_term_are_counted_once_and_everywhere_alike() {
    let desk = Desk::new();
    let unknown = "5\tzzz\t2006-03-01 10:00:00\t\t\n";
    fs::write(desk.path("log.tsv"), format!("{LOG}{unknown}")).expect("written");
    let policy = desk.policy("session_gap = \"1h\"", 2, "").expect("a policy");
    let published = desk.publish(policy, "out").expect("a release");
    let figures: Json = serde_json::from_str(&desk.text("out/steward/report.json")).expect("figures");
    assert_eq!(published.manifest["records"]["dropped"], 0);
    assert_eq!((&figures["records"]["dropped"], &figures["without_terms"]), (&json!(0), &json!(1)));
    assert!(audit_release(&desk.path("out"), None, &Clock::unlimited()).expect("an audit").passed);
}

#[test]
fn that_one_is_no_crowd_is_said_once() {
    let desk = Desk::new();
    for method in ["ssg", "lg-bag"] {
        let rest = format!("[method]\nname = \"{method}\"");
        let policy = desk.policy("session_gap = \"1h\"", 1, &rest).expect("a policy");
        let published = desk.publish(policy, method).expect("a release");
        let said = published
            .warnings
            .iter()
            .filter(|warning| warning.contains("k is 1") || warning.contains("k = 1"));
        assert_eq!(said.count(), 1, "{:?}", published.warnings);
    }
}

#[test]
fn all_methods_and_centres_pass_their_audit() {
    let desk = Desk::new();
    for (number, method) in [
        "name = \"ssg\"\ncentre = \"hyper\"",
        "name = \"ssg\"\ncentre = \"generalise\"",
        "name = \"ssg\"\nresidual = 6",
        "name = \"ssg\"\nmatching = \"greedy\"\npenalty = \"uniform\"",
        "name = \"ssg\"\nwithhold = true",
        "name = \"lg-bag\"",
        "name = \"lg\"",
    ]
    .into_iter()
    .enumerate()
    {
        for gap in ["1h", "none"] {
            let policy = desk.policy(&format!("session_gap = \"{gap}\""), 2, &format!("[method]\n{method}"));
            let name = format!("out{number}{gap}");
            let published = desk.publish(policy.expect("a policy"), &name).expect(method);
            assert!(published.audit.passed, "{method}");
            // What else the manifest states follows from the files as well.
            let again = audit_release(&desk.path(&name), None, &Clock::unlimited()).expect("an audit");
            assert!(again.passed, "{method}: {again:#?}");
            let figures: Json =
                serde_json::from_str(&desk.text(&format!("{name}/steward/report.json"))).expect("figures");
            assert_eq!(figures["rare"]["printed"], 0, "{method}");
            assert_eq!(figures["records"]["dropped"], published.manifest["records"]["dropped"], "{method}");
        }
    }
}

#[test]
fn a_bag_of_very_many_occurrences_is_published_like_any_other() {
    let desk = Desk::new();
    fs::write(
        desk.path("bags.csv"),
        "vocabulary,term,count\nx,beer,700000\nx,boots,2\ny,beer,800000\nz,boots,1\n",
    )
    .expect("written");
    for matching in ["auto", "greedy"] {
        let text = format!(
            "seed = 4\n[data]\npath = \"bags.csv\"\nkind = \"vocabularies\"\n[semantics]\ndistance = \"taxonomy\"\n\
             hierarchy = \"words.csv\"\nepsilon = 2\n[privacy.vocabulary-k-anonymity]\nk = 3\n\
             [method]\nname = \"ssg\"\nmatching = \"{matching}\"\n"
        );
        let policy = Policy::parse(&desk.path("policy.toml"), text).expect("a policy");
        let policy = policy.check_vocabularies(None).expect("a checked policy");
        let published = desk.publish(policy, matching).expect("a release");
        assert!(published.audit.passed);
    }
}
