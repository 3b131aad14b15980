//! `privet compare`: what several policies on the same data cost.

mod groups;
mod tables;
mod transactions;
mod vocabularies;

use std::fs;
use std::path::{Path, PathBuf};

use privet::engine::clock::Clock;
use privet::policy::{AnyPolicy, CheckedPolicy, DataKind, Policy, Subject};
use privet::{Error, ErrorKind, Result, method};
use serde_json::{Value as Json, json};

use crate::arguments::Compare;
use crate::output::Output;

/// What a comparison shows.
struct Comparison {
    /// The table, its header first.
    rows: Vec<Vec<String>>,
    /// What has to be said below it.
    note: &'static str,
    /// The measure that is drawn, and each policy's loss as a share of the worst.
    bars: (&'static str, Vec<(String, f64)>),
    json: Vec<Json>,
}

pub fn run(arguments: &Compare, output: &Output, clock: &Clock) -> Result<u8> {
    let (mut tables, mut transactions, mut vocabularies) = (Vec::new(), Vec::new(), Vec::new());
    let mut kinds: Vec<(&Path, DataKind)> = Vec::new();
    let mut data: Option<PathBuf> = None;
    for path in &arguments.policies {
        let policy = method::check(&Policy::read(path)?, None)?;
        let found = fs::canonicalize(policy.data()).unwrap_or_else(|_| policy.data().to_path_buf());
        if data.get_or_insert_with(|| found.clone()) != &found {
            output.warn(&format!("{} is about other data than the first policy", path.display()));
        }
        kinds.push((path, policy.kind()));
        match policy {
            AnyPolicy::Table(policy) => tables.push((path.as_path(), policy)),
            AnyPolicy::Transactions(policy) => transactions.push((path.as_path(), policy)),
            AnyPolicy::Vocabularies(policy) => vocabularies.push((path.as_path(), policy)),
        }
    }
    if let Some([(one, first), (other, second)]) = kinds.windows(2).find(|pair| pair[0].1 != pair[1].1) {
        let message = format!(
            "{} is about kind = \"{}\", {} about kind = \"{}\"",
            one.display(),
            first.name(),
            other.display(),
            second.name()
        );
        return Err(Error::input(message).help("compare policies about the same kind of data"));
    }
    let comparison = if !transactions.is_empty() {
        transactions::run(&transactions, clock)?
    } else if !vocabularies.is_empty() {
        vocabularies::run(&vocabularies, clock)?
    } else {
        run_tables(&tables, clock)?
    };
    if let Some(path) = &arguments.csv {
        let text: String = comparison
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n")
            .collect();
        fs::write(path, text).map_err(|error| Error::io("write the table", path, &error))?;
    }
    let text = aligned(&comparison.rows) + comparison.note + &bars(comparison.bars.0, &comparison.bars.1);
    output.result(&text, || json!({ "policies": comparison.json }));
    Ok(0)
}

/// Groups and recoded tables lose different things, so they are not compared with each other.
fn run_tables(policies: &[(&Path, CheckedPolicy)], clock: &Clock) -> Result<Comparison> {
    let (grouped, recoded): (Vec<_>, Vec<_>) =
        policies.iter().partition(|(_, policy)| policy.subject() == Subject::Groups);
    if let (Some((one, first)), Some((other, second))) = (grouped.first(), recoded.first()) {
        let message = format!(
            "{} publishes exact quasi-identifiers in groups (\"{}\"), {} recodes them (\"{}\"): no measure fits both",
            one.display(),
            first.method.name(),
            other.display(),
            second.method.name()
        );
        return Err(Error::input(message)
            .help("compare injector and anatomy with each other, and other methods apart"));
    }
    if grouped.is_empty() { tables::run(policies, clock) } else { groups::run(policies, clock) }
}

/// What one policy came to.
struct Line<R> {
    policy: String,
    method: String,
    outcome: std::result::Result<R, String>,
}

impl<R> Line<R> {
    fn new(path: &Path, method: &str, outcome: Result<R>) -> Result<Line<R>> {
        let outcome = match outcome {
            Ok(reached) => Ok(reached),
            Err(error) if error.kind() == ErrorKind::Infeasible => Err(error.message().to_string()),
            Err(error) => return Err(error),
        };
        Ok(Line { policy: path.display().to_string(), method: method.to_string(), outcome })
    }

    /// The line as a row of a table with this many columns.
    fn row(&self, width: usize, cells: impl FnOnce(&R) -> Vec<String>) -> Vec<String> {
        let mut row = vec![self.policy.clone(), self.method.clone()];
        match &self.outcome {
            Ok(reached) => {
                row.extend(cells(reached));
                row.push(String::new());
            }
            Err(reason) => {
                row.resize(width - 1, "-".to_string());
                row.push(reason.clone());
            }
        }
        row
    }

    fn to_json(&self, facts: impl FnOnce(&R) -> Json) -> Json {
        let mut json = json!({ "policy": self.policy, "method": self.method });
        match &self.outcome {
            Ok(reached) => {
                for (key, value) in facts(reached).as_object().into_iter().flatten() {
                    json[key] = value.clone();
                }
            }
            Err(reason) => json["infeasible"] = reason.clone().into(),
        }
        json
    }
}

/// A number with as many digits as it needs, and six at most.
fn number(value: f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_string()
}

fn aligned(table: &[Vec<String>]) -> String {
    let width =
        |column: usize| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let mut text = String::new();
    for row in table {
        for (column, cell) in row.iter().enumerate() {
            let width = width(column).unwrap_or(0);
            let is_text = column < 2 || column + 1 == row.len();
            text += &if is_text { format!("{cell:<width$}  ") } else { format!("{cell:>width$}  ") };
        }
        text = text.trim_end().to_string() + "\n";
    }
    text
}

/// A small plot: each policy's loss as a share of the worst.
fn bars(measure: &str, shares: &[(String, f64)]) -> String {
    const WIDTH: f64 = 40.0;
    let width = shares.iter().map(|(policy, _)| policy.chars().count()).max().unwrap_or(0);
    let mut text = format!("\n{measure} as a share of the worst\n");
    for (policy, share) in shares {
        let bar = "█".repeat((share * WIDTH).round() as usize);
        text += &format!("{policy:<width$}  {bar} {:.1} %\n", share * 100.0);
    }
    text
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}
