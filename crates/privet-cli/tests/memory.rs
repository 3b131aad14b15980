//! Runs where memory is limited: a second process works, and the first one says how it ended.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::{Bench, Outcome, command, run};

/// The command under a limit of its address space, in megabytes.
fn limited(megabytes: u64, bench: &Bench, arguments: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {} && exec \"$0\" \"$@\"", megabytes * 1024)]);
    shell.arg(command().get_program()).args(arguments).current_dir(bench.root()).stdin(Stdio::null());
    shell
}

/// More than any run here needs, but a limit.
const ENOUGH: u64 = 64 * 1024;

fn hidden(bench: &Bench) -> Vec<String> {
    bench.names(".").into_iter().filter(|name| name.starts_with('.')).collect()
}

#[test]
fn a_run_that_is_refused_memory_says_so_and_leaves_nothing() {
    let bench = Bench::with_example("census");
    common::use_mondrian(&bench, "");
    let make = ["anonymize", "census/policy.toml", "-o", "out", "--threads", "2"];
    let (mut refused, mut least) = (0, None);
    for megabytes in [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 256, 512] {
        // With less than it takes to load the program there is nobody to say anything.
        if run(limited(megabytes, &bench, &["--version"])).status != Some(0) {
            continue;
        }
        let outcome = run(limited(megabytes, &bench, &make));
        if outcome.status == Some(0) {
            least = least.or(Some(megabytes));
            std::fs::remove_dir_all(bench.path("out")).expect("removed");
        } else {
            let outcome = outcome.exits(2);
            let reason = ["memory ran out", "thread"].iter().any(|word| outcome.stderr.contains(word));
            assert!(reason && outcome.stderr.contains("help: "), "{megabytes} MB: {}", outcome.stderr);
            refused += 1;
        }
        assert_eq!(hidden(&bench), [""; 0], "{megabytes} MB");
        assert!(!bench.path("out").exists());
    }
    eprintln!("{refused} runs were refused memory; {least:?} MB were enough");
    assert!(refused >= 3, "{refused}");
    // For scripts it is an error like any other, and an older release stays as it is.
    bench.privet(&make).succeeds();
    let before = bench.tree("out");
    let again = [&make[..], &["--force", "--json"]].concat();
    let outcome = run(limited(96, &bench, &again)).exits(2);
    assert_eq!(outcome.json()["exit"], 2, "{}", outcome.stdout);
    assert_eq!((bench.tree("out"), hidden(&bench)), (before, Vec::new()));
}

#[test]
fn exit_statuses_and_streams_are_those_of_the_work() {
    let bench = Bench::with_example("patients");
    let at_ease = |arguments: &[&str]| bench.privet(arguments);
    let supervised = |arguments: &[&str]| run(limited(ENOUGH, &bench, arguments));
    let same = |one: Outcome, other: Outcome| {
        assert_eq!((one.status, one.stdout, one.stderr), (other.status, other.stdout, other.stderr));
    };
    for arguments in [
        &["explain"][..],
        &["explain", "k-anonymity", "--json"],
        &["explain", "no-such-thing"],
        &["anonymize", "absent.toml", "-o", "out"],
        &["audit", "patients"],
        &["--no-such-option"],
    ] {
        same(at_ease(arguments), supervised(arguments));
    }
    at_ease(&["anonymize", "patients/policy.toml", "-o", "one", "--json"]).succeeds().json();
    supervised(&["anonymize", "patients/policy.toml", "-o", "other", "--json"]).succeeds().json();
    assert_eq!(bench.read("one/public/release.csv"), bench.read("other/public/release.csv"));
    supervised(&["anonymize", "patients/policy.toml", "-o", "one"]).exits(2);
    bench.edit("patients/policy.toml", "k = ", "k = 900");
    supervised(&["anonymize", "patients/policy.toml", "-o", "out"]).exits(3);
}

/// A run that takes a while, under a limit.
fn started(bench: &Bench) -> Child {
    let make = ["anonymize", "census/policy.toml", "-o", "out", "--quiet", "--threads", "1"];
    let mut command = limited(ENOUGH, bench, &make);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("started")
}

/// Waits until the worker has claimed its target.
fn at_work(bench: &Bench) {
    let began = Instant::now();
    while !bench.names(".").iter().any(|name| name == ".out.privet-lock") {
        assert!(began.elapsed() < Duration::from_secs(60), "the run does not begin");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn signals_reach_the_work() {
    let bench = Bench::with_example("census");
    for signal in ["INT", "TERM"] {
        let child = started(&bench);
        at_work(&bench);
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
        let output = child.wait_with_output().expect("ended");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {stderr}");
        assert!(stderr.contains("interrupted"), "{stderr}");
        assert_eq!((hidden(&bench), bench.path("out").exists()), (Vec::new(), false), "{signal}");
    }
}

#[test]
fn the_work_ends_with_its_supervisor() {
    let bench = Bench::with_example("census");
    let mut child = started(&bench);
    at_work(&bench);
    child.kill().expect("killed");
    child.wait().expect("ended");
    // The worker notices at once; what it held is free again before long.
    let began = Instant::now();
    common::use_mondrian(&bench, "");
    loop {
        let outcome = bench.privet(&["anonymize", "census/policy.toml", "-o", "out", "--quiet"]);
        match outcome.status {
            Some(75) if began.elapsed() < Duration::from_secs(5) => thread::sleep(Duration::from_millis(10)),
            _ => {
                outcome.succeeds();
                break;
            }
        }
    }
    assert_eq!(hidden(&bench), [""; 0]);
}
