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
    /// Suppressed cells of released records.
    starred: u64,
    classes: usize,
    seconds: f64,
    optimal: bool,
    /// What the method itself minimised, priced as it does.
    own: Option<ShownCost>,
    costs: Vec<ShownCost>,
}

impl Reached {
    /// Whether the method prices its release otherwise than the measure of the same name.
    fn has_own_prices(&self) -> bool {
        let plain = |own: &ShownCost| self.costs.iter().find(|cost| cost.name == own.name);
        let differs = |own: &ShownCost, plain: &ShownCost| {
            (own.value - plain.value).abs() > 1e-9 * own.value.abs().max(plain.value.abs())
        };
        self.own.as_ref().is_some_and(|own| plain(own).is_none_or(|plain| differs(own, plain)))
    }
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
            Ok(mut solution) => {
                // Which records go may be left to the seed, how many does not depend on it.
                solution.recoding.draw(policy.seed.unwrap_or(0));
                let classes = solution.recoding.count(&microdata);
                let costs = solution.recoding.costs(&microdata, &classes);
                let asked = policy.method.settings.choice("cost").unwrap_or("LM");
                let own = solution.cost.or_else(|| costs.iter().find(|cost| cost.name == asked).cloned());
                Ok(Reached {
                    suppressed: classes.suppressed,
                    starred: classes.starred,
                    classes: solution.recoding.len(),
                    seconds: solution.search.seconds,
                    optimal: solution.search.optimal,
                    own,
                    costs,
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
        &(aligned(&table) + note(&lines) + &bars(&lines)),
        || json!({ "policies": lines.iter().map(to_json).collect::<Vec<_>>() }),
    );
    Ok(0)
}

fn any(lines: &[Line], of: impl Fn(&Reached) -> bool) -> bool {
    lines.iter().filter_map(|line| line.outcome.as_ref().ok()).any(of)
}

/// What keeps own costs and plain measures from being compared.
fn note(lines: &[Line]) -> &'static str {
    if !any(lines, Reached::has_own_prices) {
        return "";
    }
    "\nThe plain measures price a suppressed record at 1 per quasi-identifier and a starred cell at nothing. The own \
     cost is what\nthe method minimised: the LM of l-plus-optimize prices a suppressed record at cost_record and a \
     starred cell at cost_value.\n"
}

fn table(lines: &[Line]) -> Vec<Vec<String>> {
    let stars = any(lines, |reached| reached.starred > 0);
    let own = any(lines, Reached::has_own_prices);
    let mut header: Vec<String> = ["policy", "method", "suppressed"].map(String::from).into();
    header.extend(stars.then(|| "starred".to_string()));
    header.extend(["classes", "seconds", "optimal"].map(String::from));
    header.extend(own.then(|| "own cost".to_string()));
    header.extend(loss::NAMES.iter().map(|name| name.to_string()));
    header.push("note".to_string());
    let mut rows = vec![header];
    for line in lines {
        let mut row = vec![line.policy.clone(), line.method.clone()];
        match &line.outcome {
            Ok(reached) => {
                row.push(reached.suppressed.to_string());
                row.extend(stars.then(|| reached.starred.to_string()));
                row.push(reached.classes.to_string());
                row.extend([format!("{:.3}", reached.seconds), reached.optimal.to_string()]);
                row.extend(own.then(|| value(reached.own.as_ref())));
                let named = |name: &&str| value(reached.costs.iter().find(|cost| cost.name == *name));
                row.extend(loss::NAMES.iter().map(named));
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

fn value(cost: Option<&ShownCost>) -> String {
    match cost {
        Some(cost) => format!("{:.6}", cost.value).trim_end_matches('0').trim_end_matches('.').to_string(),
        None => "-".to_string(),
    }
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
            let own = reached.own.as_ref().map(|cost| json!({ "metric": cost.name, "value": cost.value }));
            json!({
                "policy": line.policy, "method": line.method, "suppressed": reached.suppressed,
                "starred": reached.starred, "classes": reached.classes, "seconds": reached.seconds,
                "optimal": reached.optimal, "cost": own, "loss": losses,
            })
        }
        Err(reason) => json!({ "policy": line.policy, "method": line.method, "infeasible": reason }),
    }
}
