//! `privet anonymize`: from a policy to an audited release.

use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::data::Formulas;
use privet::policy::{DataKind, Policy};
use privet::release::{Published, RunOptions, anonymize_any};
use privet::report::figure;
use privet::{Result, audit, counted, visible};
use serde_json::Value as Json;

use crate::arguments::Anonymize;
use crate::output::Output;

pub fn run(arguments: &Anonymize, output: &Output, clock: &Clock) -> Result<u8> {
    let options = RunOptions {
        target: arguments.output.clone(),
        force: arguments.force,
        format: arguments.format,
        seed: arguments.seed,
        time_limit: arguments.time_limit,
        attacks: arguments.attacks.into(),
        holdout: arguments.holdout,
    };
    let formulas = if arguments.csv_safe { Formulas::Mark } else { Formulas::Refuse };
    make(Policy::read(&arguments.policy)?.with_formulas(formulas), options, output, clock)
}

/// Makes a release with nothing said beside the policy.
pub fn publish(policy: &Path, target: PathBuf, output: &Output, clock: &Clock) -> Result<u8> {
    make(Policy::read(policy)?, RunOptions::to(target), output, clock)
}

fn make(policy: Policy, mut options: RunOptions, output: &Output, clock: &Clock) -> Result<u8> {
    let policy = policy.check_any(None)?;
    let method = policy.method();
    if options.time_limit.is_some() && !method.keys.iter().any(|key| key.name == "time_limit") {
        output.warn(&format!("the method '{}' takes no time limit; it is ignored", method.name));
        options.time_limit = None;
    }
    let published = anonymize_any(policy, &options, clock)?;
    tell(&published, output);
    Ok(0)
}

/// Prints what came of a release.
pub(super) fn tell(published: &Published, output: &Output) {
    let (alarms, warnings) = published.warnings.split_at(usize::from(published.empty));
    for alarm in alarms {
        output.alarm(alarm);
    }
    if !published.left_out.is_empty() {
        let columns = published.left_out.join(", ");
        output.warn(&format!("not published, because the policy does not mention them: {columns}"));
    }
    for warning in warnings {
        output.warn(warning);
    }
    output.result(&text(published), || published.manifest.clone());
}

fn text(published: &Published) -> String {
    let manifest = &published.manifest;
    let kind = DataKind::ALL.into_iter().find(|kind| manifest["kind"] == kind.name());
    let mut text = match kind {
        Some(DataKind::Transactions) => about_transactions(manifest),
        Some(DataKind::QueryLog | DataKind::Vocabularies) => about_vocabularies(manifest),
        Some(DataKind::Table) | None => about_table(manifest),
    };
    text += &audit::render(&published.audit);
    for found in &published.attacks.found {
        text += &format!("attack {}\n", visible::line(&found.told()));
    }
    if let Some(left_out) = published.attacks.left_out() {
        text += &format!("{left_out}\n");
    }
    let path = published.path.display();
    text += &format!(
        "published in {path}: public/ is safe to publish, keep steward/ private; read {path}/steward/report.html\n"
    );
    text
}

fn about_table(manifest: &Json) -> String {
    let records = |key: &str| manifest["records"][key].as_u64().unwrap_or(0);
    let mut text = format!(
        "released {} of {} ({} suppressed, {} dropped for missing values)\n",
        records("released"),
        counted(records("read"), "record", "records"),
        records("suppressed"),
        records("dropped")
    );
    let held = records("held_out");
    if held > 0 {
        let people = manifest["holdout"]["people"].as_u64().unwrap_or(held);
        let people = counted(people, "person", "people");
        let held = counted(held, "record", "records");
        text += &format!("held out {people} ({held}) for attacks to be tried on as well\n");
    }
    let starred = records("starred");
    if starred > 0 {
        let cells = counted(starred, "cell", "cells");
        text += &format!("suppressed {cells} of released records, shown as *\n");
    }
    text += &cost(manifest);
    if let Some(levels) = manifest["plan"]["levels"].as_object() {
        let levels: Vec<String> = levels
            .iter()
            .map(|(column, level)| format!("{column} {level}/{}", manifest["plan"]["highest"][column]))
            .collect();
        text += &format!("levels: {}\n", visible::line(&levels.join(", ")));
    }
    for (column, cut) in manifest["plan"]["cuts"].as_object().into_iter().flatten() {
        let cut = format!("cut of {column}: {}", listed(&labels(cut)));
        text += &format!("{}\n", visible::line(&cut));
    }
    text
}

fn about_vocabularies(manifest: &Json) -> String {
    let records = |key: &str| manifest["records"][key].as_u64().unwrap_or(0);
    let (released, withheld) = (records("released"), records("suppressed"));
    let noun = if released == 1 { "vocabulary" } else { "vocabularies" };
    let mut text = format!("released {released} {noun}");
    if withheld > 0 {
        text += &format!(" of {} ({withheld} withheld)", records("read"));
    }
    text += "\n";
    text += &cost(manifest);
    let loss = |key: &str| manifest["loss"][key].as_f64().unwrap_or(0.0) * 100.0;
    text += &format!(
        "kept {:.1} % of distinct terms and {:.1} % of occurrences\n",
        loss("distinct-terms"),
        loss("vocabulary-size")
    );
    text
}

fn about_transactions(manifest: &Json) -> String {
    let released = manifest["records"]["released"].as_u64().unwrap_or(0);
    let noun = if released == 1 { "transaction" } else { "transactions" };
    let mut text = format!("released {released} {noun}\n");
    text += &cost(manifest);
    if manifest["plan"]["cut"].is_array() {
        text += &format!("cut: {}\n", visible::line(&listed(&labels(&manifest["plan"]["cut"]))));
    }
    text
}

fn labels(list: &Json) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|label| label.as_str()).collect()
}

/// The cost and what is proven about it, in numbers for people, and how much is published as it is. The exact figures are in
/// `--json`.
fn cost(manifest: &Json) -> String {
    let cost = &manifest["cost"];
    let proof = if manifest["optimal"] == true {
        " (proven optimal)".to_string()
    } else {
        match manifest["bound"].as_f64() {
            Some(bound) => format!(" (not below {})", figure(bound)),
            None => String::new(),
        }
    };
    let share = cost["normalised"].as_f64().unwrap_or(0.0) * 100.0;
    let value = figure(cost["value"].as_f64().unwrap_or(0.0));
    let exactly = &manifest["published_exactly"];
    format!(
        "{} {value}, {share:.1} % of the worst{proof}\npublished exactly: {:.1} % of {}\n",
        cost["metric"].as_str().unwrap_or(""),
        exactly["share"].as_f64().unwrap_or(0.0) * 100.0,
        exactly["of"].as_str().unwrap_or("cells")
    )
}

/// A label as it can be told from its neighbours: in quotes where it is empty, padded or has a comma of its own.
fn shown(label: &str) -> String {
    let plain = !label.is_empty() && label.trim() == label && !label.contains(", ");
    if plain { label.to_string() } else { format!("'{label}'") }
}

/// Labels on one line; of a long list the beginning.
fn listed(labels: &[&str]) -> String {
    /// About what fits a line beside a column's name.
    const WIDTH: usize = 80;
    let mut text = String::new();
    for (at, label) in labels.iter().enumerate() {
        let label = &shown(label);
        if at > 0 && text.chars().count() + label.chars().count() > WIDTH {
            return format!("{text}, … ({} values)", labels.len());
        }
        if at > 0 {
            text += ", ";
        }
        text += label;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cut_is_shortened() {
        assert_eq!(listed(&["20-39", "40-59"]), "20-39, 40-59");
        assert_eq!(listed(&[]), "");
        assert_eq!(listed(&["", "a, b", " c"]), "'', 'a, b', ' c'");
        let labels: Vec<String> = (0..100).map(|label| format!("value {label}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let text = listed(&labels);
        assert!(text.starts_with("value 0, value 1, "), "{text}");
        assert!(text.ends_with(", … (100 values)"), "{text}");
        assert!(text.chars().count() < 110, "{text}");
    }
}
