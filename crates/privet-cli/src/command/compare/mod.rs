//! `privet compare`: what several policies on the same data cost, or one policy in many settings.

mod groups;
mod page;
mod projections;
mod tables;
mod transactions;
mod vary;
mod vocabularies;

use std::fs;
use std::path::PathBuf;

use privet::clock::Clock;
use privet::data::marked;
use privet::policy::{AnyPolicy, CheckedPolicy, DataKind, Subject};
use privet::report::{Compared, figure};
use privet::{Error, ErrorKind, Result, place};
use serde_json::{Value as Json, json};

use crate::arguments::Compare;
use crate::output::Output;
use page::Page;

/// What a comparison shows.
struct Comparison {
    /// The table, its header first.
    rows: Vec<Vec<String>>,
    /// What has to be said below it.
    note: &'static str,
    /// The measure that is drawn, and each policy's loss as a share of the worst.
    bars: (&'static str, Vec<(String, f64)>),
    /// What the plot's axes are: loss and risk.
    axes: (&'static str, &'static str),
    /// The settings in the plot.
    points: Vec<Compared>,
    json: Vec<Json>,
}

/// A checked policy and what it is called.
struct Labelled<P> {
    label: String,
    chosen: bool,
    policy: P,
}

pub fn run(arguments: &Compare, output: &Output, clock: &Clock) -> Result<u8> {
    if let Some(path) = arguments.csv.as_ref().filter(|path| path.exists() && !arguments.force) {
        return Err(Error::input("the file for the table exists already")
            .in_file(path)
            .help("name another file after --csv, or replace this one with --force"));
    }
    let page = arguments.output.as_deref().map(|folder| Page::claim(folder, arguments.force)).transpose()?;
    let (mut tables, mut transactions, mut vocabularies) = (Vec::new(), Vec::new(), Vec::new());
    let mut kinds: Vec<(String, DataKind)> = Vec::new();
    let mut data: Option<PathBuf> = None;
    for candidate in vary::candidates(&arguments.policies, &arguments.vary)? {
        let policy = candidate.policy.check_any(None)?;
        let (label, chosen) = (candidate.label, candidate.chosen);
        let found = PathBuf::from(policy.origin());
        let found = fs::canonicalize(&found).unwrap_or(found);
        if data.get_or_insert_with(|| found.clone()) != &found {
            output.warn(&format!("{label} is about other data than the first policy"));
        }
        kinds.push((label.clone(), policy.kind()));
        match policy {
            AnyPolicy::Table(policy) => tables.push(Labelled { label, chosen, policy }),
            AnyPolicy::Transactions(policy) => transactions.push(Labelled { label, chosen, policy }),
            AnyPolicy::Vocabularies(policy) => vocabularies.push(Labelled { label, chosen, policy }),
        }
    }
    if let Some([(one, first), (other, second)]) = kinds.windows(2).find(|pair| pair[0].1 != pair[1].1) {
        let message =
            format!("{one} is about kind = \"{}\", {other} about kind = \"{}\"", first.name(), second.name());
        return Err(Error::input(message).help("compare policies about the same kind of data"));
    }
    let comparison = if !transactions.is_empty() {
        transactions::run(&transactions, clock)?
    } else if !vocabularies.is_empty() {
        vocabularies::run(&vocabularies, clock)?
    } else {
        run_tables(&tables, clock)?
    };
    clock.check()?;
    let table = csv(&comparison.rows);
    if let Some(path) = &arguments.csv {
        place::write_file(path, table.as_bytes())
            .map_err(|error| Error::writing("write the table", path, &error))?;
    }
    let mut text = aligned(&comparison.rows) + comparison.note + &bars(comparison.bars.0, &comparison.bars.1);
    let json = json!({ "policies": comparison.json });
    if let Some(page) = page {
        let name = data.as_deref().and_then(|path| path.file_name());
        let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let written = page.write(&name, comparison, &table)?;
        text += &format!("\nwrote {}\n", written.display());
    }
    output.result(&text, || json);
    Ok(0)
}

/// The table as CSV.
fn csv(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// Groups, several tables and recoded ones lose different things, so they are not compared with each other.
fn run_tables(policies: &[Labelled<CheckedPolicy>], clock: &Clock) -> Result<Comparison> {
    let publishes = |policy: &CheckedPolicy| match policy.subject() {
        Subject::Groups => "publishes exact quasi-identifiers in groups",
        Subject::Projections => "publishes several tables",
        _ => "recodes one table",
    };
    let differ = |pair: &&[Labelled<CheckedPolicy>]| publishes(&pair[0].policy) != publishes(&pair[1].policy);
    if let Some([one, other]) = policies.windows(2).find(differ) {
        let said = |labelled: &Labelled<CheckedPolicy>| {
            let method = labelled.policy.method.name();
            format!("{} {} (\"{method}\")", labelled.label, publishes(&labelled.policy))
        };
        return Err(Error::input(format!("{}, {}: no measure fits both", said(one), said(other))).help(
            "compare injector and anatomy with each other, codip with codip-star, and other methods apart",
        ));
    }
    match policies.first().map(|labelled| labelled.policy.subject()) {
        Some(Subject::Groups) => groups::run(policies, clock),
        Some(Subject::Projections) => projections::run(policies, clock),
        _ => tables::run(policies, clock),
    }
}

/// How the share of cells or occurrences is called that are published as they are.
const EXACTLY: &str = "exactly";

/// Loss and risk.
struct Point(f64, f64);

/// What one policy came to.
struct Line<R> {
    policy: String,
    chosen: bool,
    method: String,
    outcome: std::result::Result<R, String>,
}

impl<R> Line<R> {
    fn new<P>(labelled: &Labelled<P>, method: &str, outcome: Result<R>) -> Result<Line<R>> {
        let outcome = match outcome {
            Ok(reached) => Ok(reached),
            Err(error) if error.kind() == ErrorKind::Infeasible => Err(error.message().to_string()),
            Err(error) => return Err(error),
        };
        let Labelled { label, chosen, .. } = labelled;
        Ok(Line { policy: label.clone(), chosen: *chosen, method: method.to_string(), outcome })
    }

    /// The setting in the bar chart.
    fn bar(&self, share: impl FnOnce(&R) -> f64) -> Option<(String, f64)> {
        Some((self.policy.clone(), share(self.outcome.as_ref().ok()?)))
    }

    /// The setting in the plot of risk against loss, where both are known.
    fn point(&self, place: impl FnOnce(&R) -> Option<Point>) -> Option<Compared> {
        let Point(loss, risk) = place(self.outcome.as_ref().ok()?)?;
        Some(Compared { label: self.policy.clone(), loss, risk, chosen: self.chosen })
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
        if self.chosen {
            json["chosen"] = true.into();
        }
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

/// A number with as many digits as it needs, and six at most, for files; the terminal shows fewer.
fn number(value: f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A cell as people read it: a number with a fraction keeps four digits.
fn readable(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(value) if cell.contains('.') => figure(value),
        _ => cell.to_string(),
    }
}

fn aligned(table: &[Vec<String>]) -> String {
    let table: Vec<Vec<String>> =
        table.iter().map(|row| row.iter().map(|cell| readable(cell)).collect()).collect();
    let width =
        |column: usize| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let mut text = String::new();
    for row in &table {
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

/// A cell of delimited text: a spreadsheet shows it and does not run it, whatever somebody has called a policy.
fn quoted(cell: &str) -> String {
    let cell = marked(cell);
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into_owned()
    }
}
