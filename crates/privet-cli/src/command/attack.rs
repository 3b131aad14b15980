//! `privet attack`: runs the known attacks on a release and on its original, or on any table.

use privet::attack::{Outcome, Scene, attack};
use privet::data::{ReadOptions, Source};
use privet::engine::clock::Clock;
use privet::policy::{AnyPolicy, CheckedPolicy, Policy};
use privet::release::open_release;
use privet::{Error, Result, method};
use serde_json::{Value as Json, json};

use crate::arguments::Attack;
use crate::output::Output;

pub fn run(arguments: &Attack, output: &Output, clock: &Clock) -> Result<u8> {
    let (policy, release) = opened(arguments)?;
    let mut tables: Vec<(&str, &Source)> = Vec::new();
    tables.extend(release.as_ref().map(|release| ("release", release)));
    tables.push(("original", &policy.source));
    let mut attacks: Vec<(&str, Outcome)> = Vec::new();
    for (name, table) in tables {
        clock.progress().stage(&format!("attacking the {name}"), None);
        let scene = Scene { policy: &policy, table, most: arguments.top, known: arguments.known, clock };
        attacks.extend(attack(&scene)?.into_iter().map(|outcome| (name, outcome)));
    }
    let text: String = attacks.iter().map(|(table, outcome)| told(table, outcome)).collect();
    output.result(&text, || {
        let attacks: Vec<Json> = attacks.iter().map(|(table, outcome)| outcome.to_json(table)).collect();
        json!({ "attacks": attacks })
    });
    Ok(0)
}

/// The policy, and the table to attack beside the original.
fn opened(arguments: &Attack) -> Result<(CheckedPolicy, Option<Source>)> {
    let original = arguments.original.as_deref();
    if let Some(folder) = &arguments.folder {
        let (policy, release) = open_release(folder, original)?;
        return Ok((policy, Some(release)));
    }
    let path = arguments.policy.as_ref().ok_or_else(|| {
        Error::input("name a release folder, or --policy").help("see `privet attack --help`")
    })?;
    let AnyPolicy::Table(policy) = method::check(&Policy::read(path)?, original)? else {
        return Err(Error::input("no known attack concerns this kind of data").in_file(path));
    };
    let release = arguments.release.as_ref();
    let release = release.map(|release| Source::open(release, &ReadOptions::default())).transpose()?;
    Ok((policy, release))
}

fn told(table: &str, outcome: &Outcome) -> String {
    let (low, high) = outcome.interval();
    let Outcome { name, targets, hits, baseline, control, seconds, lines, .. } = outcome;
    let mut text = format!(
        "{name} attacks on the {table}: {hits} of {targets} people are at risk \
         (95 % interval {:.1} to {:.1} %)\n  without knowing anything about a person: {baseline}; where only luck helps: {control}; \
         {seconds:.2} s\n",
        100.0 * low,
        100.0 * high
    );
    for line in lines {
        text += &format!("  {line}\n");
    }
    if lines.is_empty() {
        text += "  no breach\n";
    }
    text
}
