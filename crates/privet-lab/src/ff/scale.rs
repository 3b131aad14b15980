//! How long `ff` takes, by the number of distinct records, next to one full-domain run.

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use crate::Part;
use privet::data::{Batch, Source};
use privet::release::baselines::{Baseline, baseline};
use privet::{Error, Result, method};

pub(super) const PART: Part = Part {
    name: "scale",
    title: "Time",
    summary: "seconds that ff takes on growing parts of Adult, and one full-domain run next to it",
};

const THREAT: &str = "0.5";
const K: u64 = 10;
/// Parts of the table, in eighths.
const EIGHTHS: [u64; 4] = [1, 2, 4, 8];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let adult = &bench.adult;
    let whole = adult.policy(THREAT, "ff", None)?;
    let folder =
        tempfile::tempdir().map_err(|error| Error::io("write a part", std::env::temp_dir(), &error))?;
    let mut table = Table::new(
        "scale",
        "Seconds",
        ["records", "distinct", "ff, search", "full-domain, reading and search", "records of ff per second"],
    );
    let mut points = Vec::new();
    let parts: &[u64] = if bench.quick { &EIGHTHS[3..] } else { &EIGHTHS };
    for part in parts {
        let path = folder.path().join(format!("part-{part}.csv"));
        fs::write(&path, slice(&whole.source, *part)?)
            .map_err(|error| Error::io("write a part", &path, &error))?;
        let policy = adult.policy(THREAT, "ff", Some(&path))?;
        let microdata = adult.read(&policy)?;
        let start = Instant::now();
        method::run(&policy, &microdata, &adult.clock)?;
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        baseline(&policy, Baseline::Anonymous(K), "full-domain", &adult.clock)?;
        let other = start.elapsed().as_secs_f64();
        let distinct = microdata.summary.len();
        table.row([
            Cell::Count(microdata.summary.total()),
            Cell::Count(distinct as u64),
            Cell::Number(seconds),
            Cell::Number(other),
            Cell::Number(distinct as f64 / seconds),
        ]);
        points.push((distinct as f64, seconds, other));
    }
    let series = |name: &str, value: &dyn Fn(&(f64, f64, f64)) -> f64| {
        Series::of(name, points.iter().map(|point| (point.0, Some(value(point)))))
    };
    let plot = Plot {
        title: "Time by distinct records".to_string(),
        kind: Kind::Lines,
        x: Axis::new("distinct records"),
        y: Axis::new("seconds"),
        series: vec![series("ff", &|point| point.1), series("full-domain", &|point| point.2)],
    };
    Ok(vec![Section::new("Time of ff").plot(plot).table(table)])
}

/// The first eighths of a table, as CSV.
fn slice(source: &Source, eighths: u64) -> Result<String> {
    let mut rows = 0u64;
    source.read(&mut |batch: &Batch, _| {
        rows += batch.rows() as u64;
        Ok(())
    })?;
    let names: Vec<&str> = source.columns().iter().map(|column| column.name.as_str()).collect();
    let (mut text, mut left) = (names.join(",") + "\n", rows * eighths / 8);
    source.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows().min(left as usize) {
            let cells: Vec<&str> = (0..names.len()).map(|column| batch.cell(row, column)).collect();
            let _ = writeln!(text, "{}", cells.join(","));
        }
        left = left.saturating_sub(batch.rows() as u64);
        Ok(())
    })?;
    Ok(text)
}
