//! `privet compare`: what several policies on the same data cost.

use std::fs;
use std::path::PathBuf;

use privet::engine::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self, CATALOGUE, ShownCost};
use privet::policy::Policy;
use privet::{Error, Result, loss};
use serde_json::{Value as Json, json};

use crate::arguments::Compare;
use crate::output::Output;

/// What one policy came to.
struct Line {
    policy: String,
    method: String,
    outcome: std::result::Result<Reached, String>,
}

struct Reached {
    suppressed: u64,
    classes: usize,
    seconds: f64,
    optimal: bool,
    costs: Vec<ShownCost>,
}

pub fn run(arguments: &Compare, output: &Output, clock: &Clock) -> Result<u8> {
    let mut lines = Vec::new();
    let mut data: Option<PathBuf> = None;
    for path in &arguments.policies {
        let policy = Policy::read(path)?.check(&CATALOGUE, None)?;
        let found = policy.source.path();
        let path_of_data = fs::canonicalize(found).unwrap_or_else(|_| found.to_path_buf());
        if data.get_or_insert_with(|| path_of_data.clone()) != &path_of_data {
            output.warn(&format!("{} is about other data than the first policy", path.display()));
        }
        clock.progress().stage(&path.display().to_string(), None);
        let microdata = Microdata::read(&policy, &mut |_| clock.check())?;
        let outcome = match method::run(&policy, &microdata, clock) {
            Ok(solution) => {
                let classes = solution.recoding.count(&microdata);
                Ok(Reached {
                    suppressed: classes.suppressed,
                    classes: solution.recoding.len(),
                    seconds: solution.search.seconds,
                    optimal: solution.search.optimal,
                    costs: solution.recoding.costs(&microdata, &classes),
                })
            }
            Err(error) if error.kind() == privet::ErrorKind::Infeasible => Err(error.message().to_string()),
            Err(error) => return Err(error),
        };
        let policy_name = path.display().to_string();
        lines.push(Line { policy: policy_name, method: policy.method.name().to_string(), outcome });
    }
    let table = table(&lines);
    if let Some(path) = &arguments.csv {
        let text: String = table
            .iter()
            .map(|row| row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n")
            .collect();
        fs::write(path, text).map_err(|error| Error::io("write the table", path, &error))?;
    }
    output.result(
        &(aligned(&table) + &bars(&lines)),
        || json!({ "policies": lines.iter().map(to_json).collect::<Vec<_>>() }),
    );
    Ok(0)
}

fn table(lines: &[Line]) -> Vec<Vec<String>> {
    let mut header: Vec<String> =
        ["policy", "method", "suppressed", "classes", "seconds", "optimal"].map(String::from).into();
    header.extend(loss::NAMES.iter().map(|name| name.to_string()));
    header.push("note".to_string());
    let mut rows = vec![header];
    for line in lines {
        let mut row = vec![line.policy.clone(), line.method.clone()];
        match &line.outcome {
            Ok(reached) => {
                row.extend([reached.suppressed.to_string(), reached.classes.to_string()]);
                row.extend([format!("{:.3}", reached.seconds), reached.optimal.to_string()]);
                row.extend(loss::NAMES.iter().map(|name| {
                    match reached.costs.iter().find(|cost| cost.name == *name) {
                        Some(cost) => format!("{:.6}", cost.value)
                            .trim_end_matches('0')
                            .trim_end_matches('.')
                            .to_string(),
                        None => "-".to_string(),
                    }
                }));
                row.push(String::new());
            }
            Err(reason) => {
                row.resize(rows[0].len() - 1, "-".to_string());
                row.push(reason.clone());
            }
        }
        rows.push(row);
    }
    rows
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

/// A small plot: each policy's LM as a share of the worst.
fn bars(lines: &[Line]) -> String {
    const WIDTH: f64 = 40.0;
    let width = lines.iter().map(|line| line.policy.chars().count()).max().unwrap_or(0);
    let mut text = String::from("\nLM as a share of the worst\n");
    for line in lines {
        let Ok(reached) = &line.outcome else { continue };
        let Some(cost) = reached.costs.iter().find(|cost| cost.name == "LM") else { continue };
        let bar = "█".repeat((cost.normalised * WIDTH).round() as usize);
        text += &format!("{:<width$}  {bar} {:.1} %\n", line.policy, cost.normalised * 100.0);
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

fn to_json(line: &Line) -> Json {
    match &line.outcome {
        Ok(reached) => {
            let losses: serde_json::Map<String, Json> =
                reached.costs.iter().map(|cost| (cost.name.to_string(), json!(cost.value))).collect();
            json!({
                "policy": line.policy, "method": line.method, "suppressed": reached.suppressed,
                "classes": reached.classes, "seconds": reached.seconds, "optimal": reached.optimal, "loss": losses,
            })
        }
        Err(reason) => json!({ "policy": line.policy, "method": line.method, "infeasible": reason }),
    }
}
