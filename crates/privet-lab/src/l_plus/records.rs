//! Figures 3.8(g)–(h): tables of fifty thousand to a million records.

use std::fs;
use std::time::Instant;

use super::super::adult::{Answer, Ground, LABEL, Method, QUASI, SENSITIVE, Setup, Threshold};
use super::super::amplify::amplify;
use super::super::page::{Cell, Section, Table, significant};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, RECORD_SCHEMES, SPEED_COST, SPEED_L, effort_cells, effort_table};
use crate::Part;
use privet::{Error, Result};

pub(super) const PART: Part = Part {
    name: "records",
    title: "Fifty thousand to a million records",
    summary: "DM, l = 4, on Adult and random variants of its records",
};

/// The seed of the variants.
const SEED: u64 = 7;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let columns = ["records", "suppression", "DM"];
    let mut table = effort_table("searches", "DM, l = 4, by number of records", &columns);
    let mut tables =
        Table::new("tables", "The tables", ["records", "distinct quasi-identifiers", "time to read"]);
    let mut runs: Vec<(&str, Vec<(f64, Answer)>)> =
        RECORD_SCHEMES.iter().map(|scheme| (*scheme, Vec::new())).collect();
    for &records in &bench.scale.records {
        let ground = amplified(bench, records)?;
        let start = Instant::now();
        let microdata = bench.adult.microdata(&ground, QUASI.len())?;
        tables.row([
            Cell::Count(records),
            Cell::Count(distinct(&microdata)),
            Cell::Seconds(start.elapsed().as_secs_f64()),
        ]);
        drop(microdata);
        for (scheme, answers) in &mut runs {
            let setup = bench.setup(Method::Optimize(scheme, &[]), SPEED_COST, Threshold::L(SPEED_L));
            let time_limit = bench.scale.records_limit;
            let answer = bench.adult.solve(&Setup { ground: ground.clone(), time_limit, ..setup })?;
            let setting = [Cell::Count(records), Cell::text(*scheme), super::cost_cell(&answer)];
            table.row(setting.into_iter().chain(effort_cells(&answer)));
            answers.push((records as f64, answer));
        }
        bench.adult.forget(&ground);
        fs::remove_file(&ground.table).map_err(|error| Error::io("remove", &ground.table, &error))?;
    }
    let mut claims = Table::stated_and_found("stated");
    for (scheme, answers) in &runs {
        let what = format!("seconds per 100,000 records, {scheme}");
        claims.row([
            Cell::text(what),
            Cell::text("no figure (linear)"),
            Cell::text(per_hundred_thousand(answers)),
        ]);
    }
    let plot = |title: &str, y: &str, figure: &dyn Fn(&Answer) -> Option<f64>| Plot {
        title: title.to_string(),
        kind: Kind::Lines,
        x: Axis::new("records"),
        y: Axis::new(y),
        series: runs
            .iter()
            .map(|(scheme, answers)| {
                Series::of(*scheme, answers.iter().map(|(records, answer)| (*records, figure(answer))))
            })
            .collect(),
    };
    let time = plot("Time", "seconds", &|answer| answer.outcome().map(|outcome| outcome.seconds));
    let examined =
        plot("Cuts examined", "number", &|answer| answer.outcome().map(|outcome| outcome.examined as f64));
    Ok(vec![
        Section::new("Growing tables (figures 3.8 g and h)")
            .say(
                "A table holds the original records and then their variants: one to seven of a record's quasi-identifiers, \
                 chosen at random, are redrawn uniformly from the values of their columns.",
            )
            .plot(time)
            .plot(examined)
            .table(claims)
            .table(tables)
            .table(table),
    ])
}

/// Adult with variants of its records, in a file that only this run sees.
fn amplified(bench: &Bench, records: u64) -> Result<Ground> {
    bench.adult.clock.progress().stage("amplifying", None);
    let table = bench.workshop().join(format!("adult-{records}.csv"));
    let columns: Vec<&str> = QUASI.map(|(column, _)| column).into_iter().chain([SENSITIVE, LABEL]).collect();
    amplify(&bench.adult.source()?, &columns, QUASI.len(), records, SEED, &table, &bench.adult.clock)?;
    Ok(Ground { table, hierarchies: bench.ground.hierarchies.clone() })
}

/// How many combinations of quasi-identifiers there are, at the leaves of the taxonomies.
fn distinct(microdata: &privet::engine::microdata::Microdata) -> u64 {
    let mut seen = hashbrown::HashSet::new();
    for record in 0..microdata.summary.len() {
        let codes = microdata.quasi_codes(record).iter().zip(&microdata.quasi);
        let leaves: Vec<u32> = codes.map(|(code, quasi)| quasi.leaf_of_code[*code as usize]).collect();
        seen.insert(leaves);
    }
    seen.len() as u64
}

fn per_hundred_thousand(answers: &[(f64, Answer)]) -> String {
    let rate = |(records, answer): &(f64, Answer)| {
        let outcome = answer.outcome()?;
        let over = if outcome.optimal { "" } else { "over " };
        Some(format!("{over}{}", significant(outcome.seconds * 1e5 / records, 2)))
    };
    let rates: Vec<String> = answers.iter().filter_map(rate).collect();
    if rates.is_empty() { "–".to_string() } else { rates.join(", ") }
}
