//! Who is at risk, and what is lost, by threshold.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use super::data::Adult;
use crate::Part;
use privet::Result;
use privet::attack::freeform::MixedTable;
use privet::method;
use privet::release::baselines::{Baseline, baseline, original_records, released_records};

pub(super) const PART: Part = Part {
    name: "breaches",
    title: "Freeform attacks",
    summary: "people at risk, breaches and LM of Adult as it is, 10-anonymous, 2-diverse in two ways and FF-anonymous by both methods, by threshold",
};

const THREATS: [&str; 5] = ["0.3", "0.4", "0.5", "0.6", "0.7"];
/// Breaches are counted that see this many columns.
const KNOWN: usize = 2;
const K: u64 = 10;
const L: u64 = 2;

/// What a table came to under a threshold.
struct Point {
    table: String,
    threat: f64,
    hits: f64,
    lm: f64,
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let adult = &bench.adult;
    let threats: &[&str] = if bench.quick { &THREATS[2..3] } else { &THREATS };
    let head = ["threat", "table", "at risk", "of", "breaches", "worst", "LM"];
    let mut table = Table::new("breaches", "What can be inferred, and what is lost", head);
    let mut points: Vec<Point> = Vec::new();
    for threat in threats {
        let policy = adult.policy(threat, "ff", None)?;
        let microdata = adult.read(&policy)?;
        let mut tables =
            vec![("as it is".to_string(), MixedTable::of_nodes(&policy, original_records(&microdata))?)];
        adult.clock.progress().stage("other notions", None);
        let mut versions = vec![(format!("{K}-anonymous"), Baseline::Anonymous(K))];
        for (column, name) in Adult::sensitive(&policy) {
            versions.push((format!("{L}-diverse, {name} sensitive"), Baseline::Diverse(column, L)));
        }
        for (name, asked) in versions {
            if let Some(made) = baseline(&policy, asked, "mondrian", &adult.clock)? {
                tables.push((name, MixedTable::of_nodes(&policy, made)?));
            }
        }
        adult.clock.progress().stage("specialising", None);
        for (name, method) in [("FF-anonymous, ff", "ff"), ("FF-anonymous, ff-optimal", "ff-optimal")] {
            let policy = adult.policy(threat, method, None)?;
            let solution = method::run(&policy, &microdata, &adult.clock)?;
            let released = released_records(&microdata, &solution.recoding);
            tables.push((name.to_string(), MixedTable::of_nodes(&policy, released)?));
        }
        for (name, attacked) in tables {
            adult.clock.check()?;
            let (exposure, listing) = (attacked.exposure(), attacked.list(1, KNOWN));
            table.row([
                Cell::text(*threat),
                Cell::text(&name),
                Cell::Count(exposure.hits),
                Cell::Count(exposure.targets),
                Cell::Count(listing.found),
                Cell::text(listing.worst.first().map_or_else(|| "none".to_string(), ToString::to_string)),
                Cell::Number(attacked.lm()),
            ]);
            points.push(Point {
                table: name,
                threat: threat.parse().unwrap_or(0.0),
                hits: exposure.hits as f64,
                lm: attacked.lm(),
            });
        }
    }
    let mut names: Vec<&String> = Vec::new();
    for point in &points {
        if !names.contains(&&point.table) {
            names.push(&point.table);
        }
    }
    let plot = |title: &str, y: &str, value: &dyn Fn(&Point) -> f64| Plot {
        title: title.to_string(),
        kind: Kind::Lines,
        x: Axis::new("threshold on threats"),
        y: Axis::new(y),
        series: names
            .iter()
            .map(|name| {
                let own = points.iter().filter(|point| point.table == **name);
                Series::of(name.as_str(), own.map(|point| (point.threat, Some(value(point)))))
            })
            .collect(),
    };
    Ok(vec![
        Section::new("Freeform attacks on Adult")
            .say(format!(
                "Eight mixed columns; guarded are four occupations, two kinds of marital status and the higher income class. At \
                 risk is who has a guarded value that follows from what can be seen of them, in any columns and at any level. \
                 Breaches are counted that see at most {KNOWN} columns. Versions by k-anonymity or l-diversity are Mondrian's. \
                 `ff` takes the largest fall in LM first and never looks back, so a higher threshold may lead it to a worse \
                 table; what `ff-optimal` loses can only fall."
            ))
            .plot(plot("People at risk", "people", &|point| point.hits))
            .plot(plot("What is lost", "LM", &|point| point.lm))
            .table(table),
    ])
}
