//! Figure 4: records of which an adversary who knows the rules learns too much.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, EXPECTATION, EXPECTATIONS, L, LS};
use crate::Part;
use privet::Result;
use privet::method::injector::GroupingStrategy;

pub(super) const PART: Part = Part {
    name: "vulnerable",
    title: "Vulnerable records",
    summary: "records with fewer than l possible values, Anatomy (mean over seeds) against Injector, by expectation and l",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let head = ["expectation", "l", "Anatomy", "Anatomy, simple count", "Injector"];
    let mut table = Table::new("vulnerable", "Vulnerable records", head);
    let (mut by_l, mut by_expectation) = (Vec::new(), Vec::new());
    let settings = LS.iter().map(|l| (EXPECTATION, *l)).chain(EXPECTATIONS.iter().map(|one| (*one, L)));
    for (at, (expectation, l)) in settings.enumerate() {
        let excluded = bench.excluded(expectation)?;
        let task = bench.task(&excluded, l);
        let (mut matching, mut simple) = (0u64, 0u64);
        for seed in 1..=bench.seeds() {
            let (_, exposure) = bench.group(&task, GroupingStrategy::Anatomy, seed)?;
            matching += exposure.vulnerable;
            simple += exposure.vulnerable_simple;
        }
        let mean = |sum: u64| sum as f64 / bench.seeds() as f64;
        let (_, injector) = bench.group(&task, GroupingStrategy::Near, 1)?;
        table.row([
            Cell::text(expectation),
            Cell::Count(l as u64),
            Cell::Number(mean(matching)),
            Cell::Number(mean(simple)),
            Cell::Count(injector.vulnerable),
        ]);
        let point = (mean(matching), injector.vulnerable as f64);
        if at < LS.len() {
            by_l.push((l as f64, point));
        } else {
            by_expectation.push((expectation.parse().unwrap_or(0.0), point));
        }
    }
    let plot = |title: &str, x: &str, points: &[(f64, (f64, f64))]| Plot {
        title: title.to_string(),
        kind: Kind::Lines,
        x: Axis::new(x),
        y: Axis::new("vulnerable records"),
        series: vec![
            Series::of("Anatomy", points.iter().map(|(x, (anatomy, _))| (*x, Some(*anatomy)))),
            Series::of("Injector", points.iter().map(|(x, (_, injector))| (*x, Some(*injector)))),
        ],
    };
    Ok(vec![
        Section::new("Vulnerable records (figure 4)")
            .say("The paper states no heights; its axes end between 600 and 1,000. Injector has none anywhere, by construction.")
            .plot(plot("By l, expectation 0.90", "l", &by_l))
            .plot(plot("By expectation, l = 6", "expectation", &by_expectation))
            .table(table),
    ])
}
