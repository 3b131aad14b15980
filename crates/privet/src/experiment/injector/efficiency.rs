//! Figure 5: how long mining and grouping take.

use std::time::Instant;

use super::super::page::{Cell, Section, Table};
use super::{Bench, EXPECTATION, L, single};
use crate::Result;
use crate::engine::negative_rules::{Observations, Parameters, exclude};
use crate::experiment::Part;
use crate::method::injector::{Strategy, Task, group};

pub(super) const PART: Part = Part {
    name: "efficiency",
    title: "Time",
    summary: "mining single columns and all conjunctions, and each strategy, on Adult and on 33 copies of it",
};

/// How many copies of Adult make about a million records.
const COPIES: u64 = 33;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let observations = &bench.adult.observations;
    let mut table = Table::new("seconds", "Seconds", ["what", "records", "seconds"]);
    let records = |observations: &Observations| Cell::Count(observations.total());
    table.row([Cell::text("reading the file"), records(observations), Cell::Seconds(bench.adult.seconds)]);
    let mut larger = Observations::new(observations.attributes.clone(), observations.values.clone());
    for record in 0..observations.len() {
        let leaves: Vec<u32> = (0..observations.attributes.len())
            .map(|attribute| observations.leaf(attribute, record))
            .collect();
        larger.push(&leaves, observations.value(record), COPIES * observations.weight(record));
    }
    // The larger table has more rules, for every record stands for 33; groups are formed under the same ones.
    let excluded = bench.excluded(EXPECTATION)?;
    for observations in [observations, &larger] {
        let mut timed = |what: &str, run: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let start = Instant::now();
            run()?;
            table.row([
                Cell::text(what),
                records(observations),
                Cell::Seconds(start.elapsed().as_secs_f64()),
            ]);
            Ok(())
        };
        timed("mining single columns", &mut || {
            exclude(observations, &single(EXPECTATION), &[], &bench.clock).map(drop)
        })?;
        let all = Parameters { max_length: usize::MAX, ..single(EXPECTATION) };
        timed("mining all conjunctions", &mut || exclude(observations, &all, &[], &bench.clock).map(drop))?;
        let task = Task {
            observations,
            excluded: &excluded,
            l: L,
            max_posterior: None,
            suppress: false,
            rules: &[],
        };
        for (name, strategy) in
            [("grouping, balanced", Strategy::Balanced), ("grouping, Anatomy", Strategy::Anatomy)]
        {
            timed(name, &mut || group(&task, strategy, 1, &bench.clock).map(drop))?;
        }
    }
    let task = bench.task(&excluded, L);
    for (name, strategy) in [("grouping, paper", Strategy::Paper), ("grouping, local", Strategy::Local)] {
        let start = Instant::now();
        bench.group(&task, strategy, 1)?;
        table.row([Cell::text(name), records(observations), Cell::Seconds(start.elapsed().as_secs_f64())]);
    }
    Ok(vec![
        Section::new("Time (figure 5)")
            .say("Expectation 0.90, l = 6. The paper plots minutes, on a machine of its time.")
            .table(table),
    ])
}
