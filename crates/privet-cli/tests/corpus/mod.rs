//! Sixty and more small files as people have them, all made up: what `privet init` must understand of each, and that its draft runs
//! and passes its audit without a change. Those that cannot be drafted stop with a message that says what to write.

mod cases;
mod cells;

use crate::common::Bench;
use crate::drafts::published_although_unique;
use cases::{Case, Expected, all};

/// The least number of files of the corpus, and of those that are drafted, run and audited as they are.
const FILES: usize = 60;
const RUN: usize = 55;

/// What became of one file: `Ok(true)` where the draft ran, `Ok(false)` where a message was right, and what is wrong else.
fn outcome(case: &Case) -> Result<bool, String> {
    let bench = Bench::new();
    bench.write(case.file, &case.bytes);
    let mut arguments = vec!["init", case.file, "-o", "draft", "--json"];
    arguments.extend(case.arguments);
    let draft = bench.privet(&arguments);
    let (roles, says) = match &case.expected {
        Expected::Stops(words) => {
            let right = draft.status == Some(2) && words.iter().all(|word| draft.stderr.contains(word));
            let clean = !bench.path("draft").exists() && draft.stderr.contains("help:");
            return if right && clean {
                Ok(false)
            } else {
                Err(format!("did not stop as expected: {}", draft.stderr))
            };
        }
        Expected::Runs { roles, says } => (roles, says),
    };
    if draft.status != Some(0) {
        return Err(format!("init: {}", draft.stderr));
    }
    let policy = bench.text("draft/policy.toml");
    for (column, role) in roles {
        let found = draft.json()["columns"]
            .as_array()
            .and_then(|columns| columns.iter().find(|found| found["name"] == *column).cloned())
            .ok_or_else(|| format!("no column '{column}'"))?;
        if found["role"].as_str() != *role {
            return Err(format!("'{column}' is {}, not {role:?}: {}", found["role"], found["reason"]));
        }
    }
    if let Some(column) = published_although_unique(&draft.json()) {
        return Err(format!("'{column}' is published as it is and singles out more than 1 %"));
    }
    for words in says {
        if !policy.contains(words) {
            return Err(format!("the policy does not say {words:?}:\n{policy}"));
        }
    }
    let run = bench.privet(&[
        "anonymize",
        "draft/policy.toml",
        "-o",
        "out",
        "--attacks",
        "none",
        "--seed",
        "7",
        "--time-limit",
        "5s",
    ]);
    if run.status != Some(0) {
        return Err(format!("anonymize: {}\n{policy}", run.stderr));
    }
    let audit = bench.privet(&["audit", "out"]);
    if audit.status != Some(0) {
        return Err(format!("audit: {}{}", audit.stdout, audit.stderr));
    }
    Ok(true)
}

#[test]
fn files_as_people_have_them_are_drafted_run_and_audited() {
    let cases = all();
    let outcomes: Vec<(&str, Result<bool, String>)> =
        cases.iter().map(|case| (case.file, outcome(case))).collect();
    let wrong: Vec<String> = (outcomes.iter())
        .filter_map(|(file, outcome)| outcome.as_ref().err().map(|error| format!("{file}: {error}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let run = outcomes.iter().filter(|(_, outcome)| *outcome == Ok(true)).count();
    assert!(cases.len() >= FILES && run >= RUN, "{run} of {} files ran", cases.len());
}
