//! What it would take to publish a column in more detail: the policy is tried with one thing given up at a time.

use privet_core::clock::Clock;
use privet_core::{ErrorKind, Result};
use privet_policy::{AnyPolicy, Edit, Policy, Role};

use crate::release::decide;

/// The weight that puts a column before all others.
const FIRST: &str = "1000";
/// Shares of the records that might be withheld.
const SHARES: [&str; 3] = ["1%", "5%", "10%"];
/// Values of k that might be asked for instead.
const SMALLER: [u64; 4] = [2, 3, 5, 10];

/// One thing that might be given up.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What is given up, in words.
    pub gives_up: String,
    /// The changes to the policy.
    pub edits: Vec<Edit>,
    /// What came of it, or why it cannot be.
    pub outcome: std::result::Result<Attempted, String>,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempted {
    /// Whether the column is published at the wanted level or a finer one.
    pub reached: bool,
    /// The level of every generalised column.
    pub levels: Vec<(String, u8)>,
    /// What was minimised, and how much of what could be lost is lost.
    pub loss: (&'static str, f64),
    /// Records released, of those read.
    pub records: (u64, u64),
}

/// Tries what it would take to publish a column at a level, 0 being the values themselves, or finer: other columns coarser, some
/// records withheld, a smaller k, or another column left out. Of each kind the first that reaches the level is the last one
/// tried. Nothing is written.
///
/// ```
/// use privet::clock::Clock;
/// use privet::example::Example;
/// use privet::policy::Policy;
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let folder = folder.path().join("patients");
/// Example::find("patients")?.write(&folder)?;
/// let policy = Policy::read(&folder.join("policy.toml"))?;
/// let attempts = privet::what_if::finer(&policy, "Country", 1, &Clock::unlimited())?;
/// assert!(attempts.iter().any(|one| one.outcome.as_ref().is_ok_and(|outcome| outcome.reached)));
/// # Ok::<(), privet::Error>(())
/// ```
pub fn finer(policy: &Policy, column: &str, level: u8, clock: &Clock) -> Result<Vec<Attempt>> {
    let checked = policy.check_any(None)?;
    let AnyPolicy::Table(table) = &checked else { return Ok(Vec::new()) };
    let place = |keys: &[&str]| keys.iter().map(|key| (*key).to_string()).collect::<Vec<_>>();
    let first = Edit::Set(place(&["columns", column, "weight"]), FIRST.to_string());
    let k = table.k();
    let mut kinds: Vec<Vec<(String, Edit)>> = vec![
        SHARES
            .iter()
            .map(|share| {
                let edit = Edit::Set(place(&["method", "suppression_limit"]), format!("\"{share}\""));
                (format!("withhold up to {share} of the records"), edit)
            })
            .collect(),
    ];
    if policy.to_json()["privacy"]["k-anonymity"]["k"].is_u64() {
        let smaller = SMALLER.iter().rev().filter(|other| **other < k);
        kinds.push(
            smaller
                .map(|k| {
                    let edit = Edit::Set(place(&["privacy", "k-anonymity", "k"]), k.to_string());
                    (format!("ask for k = {k}"), edit)
                })
                .collect(),
        );
    }
    let others = table.with_role(Role::QuasiIdentifier).filter(|other| other.name != column);
    kinds.extend(others.map(|other| {
        vec![(format!("do not publish {}", other.name), Edit::Remove(place(&["columns", &other.name])))]
    }));
    let mut attempts = vec![attempt(
        policy,
        "make other columns coarser instead".to_string(),
        vec![first.clone()],
        (column, level),
        clock,
    )?];
    // What other columns can pay for alone needs nothing else to be given up.
    if attempts.iter().any(reached) {
        return Ok(attempts);
    }
    // Not every method knows weights: then the column is not put first.
    let with = |edit: Edit| match attempts[0].outcome {
        Ok(_) => vec![first.clone(), edit],
        Err(_) => vec![edit],
    };
    let kinds: Vec<Vec<(String, Vec<Edit>)>> = kinds
        .into_iter()
        .map(|kind| kind.into_iter().map(|(words, edit)| (words, with(edit))).collect())
        .collect();
    for kind in kinds {
        let mut last = None;
        for (gives_up, edits) in kind {
            let tried = attempt(policy, gives_up, edits, (column, level), clock)?;
            let done = reached(&tried);
            last = Some(tried);
            if done {
                break;
            }
        }
        attempts.extend(last);
    }
    Ok(attempts)
}

fn reached(attempt: &Attempt) -> bool {
    attempt.outcome.as_ref().is_ok_and(|outcome| outcome.reached)
}

fn attempt(
    policy: &Policy,
    gives_up: String,
    edits: Vec<Edit>,
    (column, level): (&str, u8),
    clock: &Clock,
) -> Result<Attempt> {
    clock.check()?;
    clock.progress().stage(&gives_up, None);
    let decided = policy.edited(&edits).and_then(|policy| decide(&policy, None, Some(0), clock));
    let outcome = match decided {
        Ok(decision) => {
            let plan = decision.plan()?;
            let columns = policy.to_json()["columns"].as_object().cloned().unwrap_or_default();
            let level_of = |name: &String| plan.level(name).map(|level| (name.clone(), level));
            Ok(Attempted {
                reached: plan.level(column).is_some_and(|reached| reached <= level),
                levels: columns.keys().filter_map(level_of).collect(),
                loss: decision.loss()?,
                records: decision.records()?,
            })
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
        Err(error) => Err(error.message().to_string()),
    };
    Ok(Attempt { gives_up, edits, outcome })
}
