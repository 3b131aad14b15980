//! `privet compare`: what several policies on the same data cost, or one policy in many settings.

use privet::clock::Clock;
use privet::compare::{ComparisonDirectory, candidates, compare};
use privet::report::figure;
use privet::{Error, Result, place};

use crate::arguments::Compare;
use crate::output::Output;

pub fn run(arguments: &Compare, output: &Output, clock: &Clock) -> Result<u8> {
    if let Some(path) = arguments.csv.as_ref().filter(|path| path.exists() && !arguments.force) {
        return Err(Error::input("the file for the table exists already")
            .in_file(path)
            .help("name another file after --csv, or replace this one with --force"));
    }
    let claim = |path| ComparisonDirectory::claim(path, arguments.force);
    let directory = arguments.output.as_deref().map(claim).transpose()?;
    let comparison = compare(candidates(&arguments.policies, &arguments.vary)?, clock)?;
    comparison.doubts.iter().for_each(|doubt| output.warn(doubt));
    if let Some(path) = &arguments.csv {
        place::write_file(path, comparison.csv().as_bytes())
            .map_err(|error| Error::writing("write the table", path, &error))?;
    }
    let (measure, shares) = comparison.bars();
    let mut text = aligned(&comparison.table()) + comparison.note() + &bars(measure, &shares);
    if let Some(directory) = directory {
        text += &format!("\nwrote {}\n", directory.write(&comparison)?.display());
    }
    output.result(&text, || comparison.to_json());
    Ok(0)
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
fn bars(measure: &str, shares: &[(&str, f64)]) -> String {
    const WIDTH: f64 = 40.0;
    let width = shares.iter().map(|(policy, _)| policy.chars().count()).max().unwrap_or(0);
    let mut text = format!("\n{measure} as a share of the worst\n");
    for (policy, share) in shares {
        let bar = "█".repeat((share * WIDTH).round() as usize);
        text += &format!("{policy:<width$}  {bar} {:.1} %\n", share * 100.0);
    }
    text
}
