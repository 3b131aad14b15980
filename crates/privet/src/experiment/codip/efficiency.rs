//! Time: CODIP* with all attributes beside one full-domain search with k and t on one of them.

use std::time::Instant;

use super::super::page::{Cell, Section, Table};
use super::Bench;
use crate::engine::microdata::Microdata;
use crate::experiment::Part;
use crate::method::codip::decide;
use crate::{Result, method};

pub(super) const PART: Part = Part {
    name: "efficiency",
    title: "Time",
    summary: "CODIP* with more and more attributes, and a full-domain search with k and t on one",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut table = Table::new("seconds", "Seconds", ["what", "attributes", "reading", "searching"]);
    let mut timed = |what: &str, columns: usize, full_domain: bool| -> Result<f64> {
        let mut policy = bench.census.policy_of_first(columns)?;
        if full_domain {
            policy = bench.census.one_table_policy()?;
        }
        let start = Instant::now();
        let microdata = Microdata::read(&policy, &mut |_| bench.clock.check())?;
        let reading = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let attributes = match full_domain {
            true => {
                method::run(&policy, &microdata, &bench.clock)?;
                1
            }
            false => decide(&policy, &microdata, &bench.clock)?.attributes.len(),
        };
        let searching = start.elapsed().as_secs_f64();
        table.row([
            Cell::text(what),
            Cell::Count(attributes as u64),
            Cell::Seconds(reading),
            Cell::Seconds(searching),
        ]);
        Ok(searching)
    };
    let all = bench.census.sensitive.len();
    let one = timed("full-domain, k = 2, t = 0.4", 1, true)?;
    let mut last = 0.0;
    for columns in [2, 4, 8, all] {
        last = timed("codip-star, k = 2, t = 1", columns, false)?;
    }
    Ok(vec![
        Section::new("Time")
            .say(format!(
                "CODIP* with all attributes takes {:.1} times as long as one full-domain search. The paper states no times.",
                last / one.max(1e-9)
            ))
            .table(table),
    ])
}
