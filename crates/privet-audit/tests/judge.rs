//! The judge alone gives the same verdict as the whole program, on releases of every shape.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use privet::clock::Clock;
use privet::example::Example;
use privet::policy::Policy;
use privet::release::{RunOptions, anonymize_any};
use tempfile::TempDir;

fn judge(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_privet-audit")).args(arguments).output().expect("the command runs")
}

/// A release of a shipped example.
fn released(folder: &TempDir, name: &str) -> PathBuf {
    let place = folder.path().join(name);
    Example::find(name).and_then(|example| example.write(&place)).expect("an example");
    let policy = Policy::read(&place.join("policy.toml")).and_then(|policy| policy.check_any(None));
    let target = folder.path().join("release");
    let options =
        RunOptions { attacks: privet::attack::Choice::None, seed: Some(7), ..RunOptions::to(&target) };
    anonymize_any(policy.expect("a policy"), &options, &Clock::unlimited()).expect("a release");
    target
}

#[test]
fn the_verdict_is_that_of_the_whole_program() {
    for name in ["patients", "injector", "five-baskets", "five-vocabularies", "clinic"] {
        let folder = TempDir::new().expect("a folder");
        let target = released(&folder, name);
        let own = privet::audit::audit_release(&target, None, &Clock::unlimited()).expect("an audit");
        let found = judge(&[&target, Path::new("--json")]);
        assert_eq!(found.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&found.stderr));
        let json: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
        assert_eq!(json, serde_json::json!(own), "{name}");
    }
}

#[test]
fn a_tampered_release_is_a_violation() {
    let folder = TempDir::new().expect("a folder");
    let target = released(&folder, "patients");
    let path = target.join("public/release.csv");
    let text = std::fs::read_to_string(&path).expect("a release");
    let fewer: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, fewer).expect("written");
    assert_eq!(judge(&[&target]).status.code(), Some(4));
    assert_eq!(judge(&[Path::new("no-such-release")]).status.code(), Some(2));
}

/// Names that hold characters which act on a terminal: shown escaped, and as JSON escapes them.
#[test]
fn hard_use_1_12_nothing_that_the_judge_prints_acts_on_a_terminal() {
    const ACTS: &str = "\u{1b}[31m\u{202e}";
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("data.csv", &format!("age,x{ACTS}\n20,a\n20,b\n30,a\n30,b\n"));
    write(
        "policy.toml",
        "[data]\npath = \"data.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
         [columns.\"x\\u001b[31m\\u202e\"]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 2\n[privacy.l-diversity]\nl = 2\n",
    );
    let [policy, data] = ["policy.toml", "data.csv"].map(|name| folder.path().join(name));
    let foreign = [Path::new("--policy"), &policy, Path::new("--release"), &data];
    let (json, missing, wrong) =
        (Path::new("--json"), PathBuf::from(ACTS), PathBuf::from(format!("--{ACTS}")));
    let tried: [&[&Path]; 4] =
        [&foreign, &[&foreign[..], &[json]].concat(), &[missing.as_path()], &[wrong.as_path()]];
    for arguments in tried {
        let found = judge(arguments);
        let shown = String::from_utf8([found.stdout.clone(), found.stderr].concat()).expect("text");
        assert!(!shown.contains(['\u{1b}', '\u{202e}']) && shown.contains("202e"), "{shown:?}");
        if arguments.contains(&json) {
            let value: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
            assert!(value.to_string().contains(ACTS.trim_start_matches('\u{1b}')), "{value}");
        }
    }
}
