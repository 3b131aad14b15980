//! Figure 9: anonymisations and plans that are valid, by k.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use crate::Result;
use crate::experiment::Part;

pub(super) const PART: Part = Part {
    name: "anonymity",
    title: "Valid anonymisations",
    summary: "how many vectors of levels are valid for each k, and how many of six plans meet t = 0.4 and 0.37",
};

/// The paper's k with its number of valid anonymisations, and of plans that meet t = 0.4 and t = 0.37.
const PAPER: [(u64, u64, u64, u64); 6] =
    [(2, 46, 6, 2), (5, 28, 6, 2), (10, 18, 6, 2), (20, 14, 6, 2), (50, 5, 0, 0), (100, 1, 0, 0)];

/// The paper's limit on discernibility, in 10⁹.
const LIMIT: f64 = 3.5;

/// The paper's plans: of so many tables.
const TABLES: std::ops::RangeInclusive<usize> = 2..=7;

const CLOSENESS: [f64; 2] = [0.4, 0.37];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let head = [
        "k",
        "valid in the paper",
        "valid here",
        "valid here without a limit",
        "levels in all",
        "least t of one table",
        "plans with t = 0.4, paper",
        "here",
        "plans with t = 0.37, paper",
        "here",
    ];
    let mut table = Table::new("valid", "Valid anonymisations and plans by k", head);
    let (mut stated, mut found) = (Vec::new(), Vec::new());
    let attributes = bench.census.attributes.len();
    let plans: Vec<_> = TABLES.map(|tables| bench.plan_of(tables.min(attributes))).collect();
    for (k, paper, plans_wide, plans_tight) in PAPER {
        let tables = bench.tables(k, Some(bench.scaled(LIMIT)))?;
        let (valid, _) = tables.count_valid(&bench.clock)?;
        let (free, all) = bench.tables(k, None)?.count_valid(&bench.clock)?;
        let one = tables.best_closeness(&(0..attributes).collect::<Vec<_>>(), &bench.clock)?;
        let mut meeting = [0u64; 2];
        for plan in &plans {
            let mut worst = Some(0f64);
            for subset in plan {
                let own = tables.best_closeness(subset, &bench.clock)?;
                worst = worst.zip(own).map(|(worst, own)| worst.max(own));
            }
            for (meeting, t) in meeting.iter_mut().zip(CLOSENESS) {
                *meeting += u64::from(worst.is_some_and(|worst| worst <= t));
            }
        }
        stated.push((k as f64, Some(paper as f64)));
        found.push((k as f64, Some(valid as f64)));
        table.row([
            Cell::Count(k),
            Cell::Count(paper),
            Cell::Count(valid),
            Cell::Count(free),
            Cell::Count(all),
            one.map_or(Cell::Missing("no anonymisation".to_string()), Cell::Number),
            Cell::Count(plans_wide),
            Cell::Count(meeting[0]),
            Cell::Count(plans_tight),
            Cell::Count(meeting[1]),
        ]);
    }
    let plot = Plot {
        title: "Valid anonymisations by k, t = 1".to_string(),
        kind: Kind::Lines,
        x: Axis::new("k").log(),
        y: Axis::new("valid vectors of levels"),
        series: vec![Series::of("paper", stated), Series::of("here", found)],
    };
    Ok(vec![
        Section::new("Valid anonymisations (figure 9)")
            .say(
                "The paper counts 46, 28, 18, 14, 5 and 1 valid anonymisations for k = 2 to 100. How many there are depends \
                 on how many levels the hierarchies have, which the paper does not tell; that they become fewer with k, \
                 and that none of those left for k ≥ 50 is close, is what can be compared.",
            )
            .plot(plot)
            .table(table),
    ])
}
