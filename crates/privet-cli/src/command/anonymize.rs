//! `privet anonymize`: from a policy to an audited release.

use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::data::{Formulas, Source};
#[cfg(feature = "databases")]
use privet::policy::OriginalData;
use privet::policy::{AnyPolicy, DataKind, Policy};
use privet::release::{Published, RunOptions, anonymize_any};
use privet::report::figure;
use privet::{Result, audit, counted, noun, shortened, thousands, visible};
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

/// Makes a release with no options other than the policy's.
pub fn publish(policy: &Path, target: PathBuf, output: &Output, clock: &Clock) -> Result<u8> {
    make(Policy::read(policy)?, RunOptions::to(target), output, clock)
}

/// People read ten lines: what was released and lost, the audit, the warnings and where it is.
const LINES: usize = 10;

fn make(written: Policy, mut options: RunOptions, output: &Output, clock: &Clock) -> Result<u8> {
    let policy = written.check_any(None)?;
    let method = policy.method();
    if options.time_limit.is_some() && !method.keys.iter().any(|key| key.name == "time_limit") {
        output.warn(&format!("the method '{}' takes no time limit; it is ignored", method.name));
        options.time_limit = None;
    }
    let table = match &policy {
        AnyPolicy::Table(policy) => Some(policy.source.clone()),
        AnyPolicy::Transactions(_) | AnyPolicy::Vocabularies(_) => None,
    };
    ready_for_release(&written, &policy)?;
    let published = anonymize_any(policy, &options, clock)?;
    table.iter().flat_map(|table| table.notes()).for_each(|note| output.remark(&format!("{note}\n")));
    present(&published, output);
    into_database(&written, &published.path, table, output, clock)?;
    Ok(0)
}

/// Finds out whether the release can be written into the table that the policy names, if it names one.
#[cfg(feature = "databases")]
fn ready_for_release(written: &Policy, policy: &AnyPolicy) -> Result<()> {
    privet_databases::check_release(written, policy)
}

/// Without databases, no policy that names one gets this far.
#[cfg(not(feature = "databases"))]
fn ready_for_release(_: &Policy, _: &AnyPolicy) -> Result<()> {
    Ok(())
}

/// Writes the release into the table that the policy names, if it names one. It is audited against the data as the run saw them.
#[cfg(feature = "databases")]
fn into_database(
    policy: &Policy,
    release: &Path,
    data: Option<Source>,
    output: &Output,
    clock: &Clock,
) -> Result<()> {
    let data = data.map_or(OriginalData::Named, OriginalData::Table);
    if let Some(written) = privet_databases::write_release(policy, release, data, clock)? {
        let rows = format!("{} {}", thousands(written.rows), noun(written.rows, "row", "rows"));
        output.remark(&format!(
            "wrote {rows} to {} in the database, audited there\n",
            written.names.join(", ")
        ));
    }
    Ok(())
}

/// Without databases, no policy that names one gets this far.
#[cfg(not(feature = "databases"))]
fn into_database(_: &Policy, _: &Path, _: Option<Source>, _: &Output, _: &Clock) -> Result<()> {
    Ok(())
}

/// Prints what came of a release.
pub(super) fn present(published: &Published, output: &Output) {
    let text = if output.is_verbose() { in_full(published) } else { in_brief(published) };
    let (alarms, warnings) = published.warnings.split_at(usize::from(published.empty));
    alarms.iter().for_each(|alarm| output.alarm(alarm));
    let left = LINES.saturating_sub(text.lines().count() + alarms.len());
    output.warn_within(left, &most_serious_first(warnings, published), "see the report, or add --verbose");
    output.result(&text, || published.manifest.clone());
}

/// What a release reveals together with earlier ones cannot be taken back, so warnings of it come first; the others keep their
/// order.
fn most_serious_first(warnings: &[String], published: &Published) -> Vec<String> {
    let together = |name: &str| ["composition", "re-release"].contains(&name);
    let serious = |warning: &String| {
        published.attacks.found.iter().any(|found| together(&found.name) && found.warned() == *warning)
    };
    let (first, rest): (Vec<&String>, Vec<&String>) = warnings.iter().partition(|warning| serious(warning));
    first.into_iter().chain(rest).cloned().collect()
}

/// What most people want to know, a line each.
fn in_brief(published: &Published) -> String {
    let mut text = headline(published);
    text += audit::verdict(&published.audit).trim_end();
    if !published.attacks.found.is_empty() {
        let tried = counted(published.attacks.found.len() as u64, "attack", "attacks");
        text += &match published.attacks.warnings().count() {
            0 => format!("; {tried} tried, none with a warning"),
            warned => format!("; {tried} tried, {warned} with a warning"),
        };
    }
    let path = published.path.display();
    text + &format!(
        "\npublished in {path}: public/ is safe to publish, keep steward/ private; more in {path}/steward/report.html, or \
         with --verbose\n"
    )
}

/// Everything that the run found.
fn in_full(published: &Published) -> String {
    let mut text = headline(published);
    text += &decision(&published.manifest);
    text += &audit::render(&published.audit);
    for found in &published.attacks.found {
        text += &format!("attack {}\n", visible::line(&found.in_a_line()));
    }
    if let Some(left_out) = published.attacks.left_out() {
        text += &format!("{left_out}\n");
    }
    let path = published.path.display();
    text + &format!(
        "published in {path}: public/ is safe to publish, keep steward/ private; read {path}/steward/report.html\n"
    )
}

/// What was released, lost and kept.
fn headline(published: &Published) -> String {
    let manifest = &published.manifest;
    let kind = DataKind::ALL.into_iter().find(|kind| manifest["kind"] == kind.name());
    let mut text = match kind {
        Some(DataKind::Transactions) => released(manifest, "transaction", "transactions"),
        Some(DataKind::QueryLog | DataKind::Vocabularies) => released(manifest, "vocabulary", "vocabularies"),
        Some(DataKind::Table) | None => released(manifest, "record", "records"),
    };
    text += &cost(manifest);
    if !published.left_out.is_empty() {
        let columns: Vec<&str> = published.left_out.iter().map(String::as_str).collect();
        let columns = shortened(&columns);
        text +=
            &format!("not published, because the policy does not mention it: {}\n", visible::line(&columns));
    }
    text
}

/// How many records were released, and what became of the others.
fn released(manifest: &Json, one: &str, many: &str) -> String {
    let records = |key: &str| manifest["records"][key].as_u64().unwrap_or(0);
    let read = records("read");
    let mut text = format!(
        "released {} of {} {}",
        thousands(records("released")),
        thousands(read),
        noun(read, one, many)
    );
    let withheld = if one == "vocabulary" { "withheld" } else { "suppressed" };
    let others = [
        (records("suppressed"), withheld),
        (records("dropped"), "dropped for missing values"),
        (records("held_out"), "held out to try attacks on"),
        (records("starred"), if records("starred") == 1 { "cell shown as *" } else { "cells shown as *" }),
    ];
    let others: Vec<String> = others
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(count)))
        .collect();
    if !others.is_empty() {
        text += &format!(": {}", others.join(", "));
    }
    text + "\n"
}

/// The method's decision: levels, cuts, or what is left of vocabularies.
fn decision(manifest: &Json) -> String {
    let plan = &manifest["plan"];
    let mut text = String::new();
    if let Some(levels) = plan["levels"].as_object() {
        let levels: Vec<String> = levels
            .iter()
            .map(|(column, level)| format!("{column} {level}/{}", plan["highest"][column]))
            .collect();
        text += &format!("levels: {}\n", visible::line(&levels.join(", ")));
    }
    for (column, cut) in plan["cuts"].as_object().into_iter().flatten() {
        let cut = format!("cut of {column}: {}", listed(&labels(cut)));
        text += &format!("{}\n", visible::line(&cut));
    }
    if plan["cut"].is_array() {
        text += &format!("cut: {}\n", visible::line(&listed(&labels(&plan["cut"]))));
    }
    let loss = |key: &str| Some(manifest["loss"][key].as_f64()? * 100.0);
    if let (Some(terms), Some(size)) = (loss("distinct-terms"), loss("vocabulary-size")) {
        text += &format!("kept {terms:.1} % of distinct terms and {size:.1} % of occurrences\n");
    }
    text
}

fn labels(list: &Json) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|label| label.as_str()).collect()
}

/// What is lost, what is proven about that, and how much is published exactly; in numbers for people. The exact figures are in
/// `--json`.
fn cost(manifest: &Json) -> String {
    let cost = &manifest["cost"];
    let proof = if manifest["optimal"] == true {
        ", proven optimal".to_string()
    } else {
        match manifest["bound"].as_f64() {
            Some(bound) => format!(", at least {}", figure(bound)),
            None => String::new(),
        }
    };
    let share = cost["normalised"].as_f64().unwrap_or(0.0) * 100.0;
    let value = figure(cost["value"].as_f64().unwrap_or(0.0));
    let lost = match cost["metric"].as_str().unwrap_or("") {
        // An error is not information that is lost.
        "query-error" => format!("mean error of queries {value}, {share:.1} % of the worst{proof}"),
        metric => format!("lost {share:.1} % of what could be lost ({metric} {value}{proof})"),
    };
    let exactly = &manifest["published_exactly"];
    format!(
        "{lost}\npublished exactly: {:.1} % of {}\n",
        exactly["share"].as_f64().unwrap_or(0.0) * 100.0,
        exactly["of"].as_str().unwrap_or("cells")
    )
}

/// A label that can be told apart from its neighbours: in quotes where it is empty, padded or has a comma of its own.
fn shown(label: &str) -> String {
    let plain = !label.is_empty() && label.trim() == label && !label.contains(", ");
    if plain { label.to_string() } else { format!("'{label}'") }
}

/// Labels on one line: only the first ones of a long list.
fn listed(labels: &[&str]) -> String {
    /// About what fits a line next to a column's name.
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
