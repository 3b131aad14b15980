//! Figures 3.8(e)–(f): one to seven quasi-identifiers.

use super::super::adult::{Answer, Method, Setup, Threshold};
use super::super::page::{Cell, Section};
use super::super::plot::Axis;
use super::{Bench, RECORD_SCHEMES, SPEED_COST, SPEED_L, cell, effort_cells, effort_plots, effort_table};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "attributes",
    title: "Growing quasi-identifiers",
    summary: "DM, l = 4: the first one to seven of age, education, country, work class, marital status, sex, race",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let columns = ["quasi-identifiers", "suppression", "cuts", "DM"];
    let mut table = effort_table("searches", "DM, l = 4, by number of quasi-identifiers", &columns);
    let mut runs: Vec<(String, Vec<(f64, Answer)>)> =
        RECORD_SCHEMES.iter().map(|scheme| (scheme.to_string(), Vec::new())).collect();
    for &quasi in &bench.scale.attributes {
        for (scheme, (_, answers)) in RECORD_SCHEMES.iter().zip(&mut runs) {
            let setup = bench.setup(Method::Optimize(scheme, &[]), SPEED_COST, Threshold::L(SPEED_L));
            let answer = bench.adult.solve(&Setup { quasi, ..setup })?;
            let space = cell(&answer, |outcome| outcome.space.map_or(Cell::share(None), Cell::Number));
            let setting = [Cell::Count(quasi as u64), Cell::text(*scheme), space, super::cost_cell(&answer)];
            table.row(setting.into_iter().chain(effort_cells(&answer)));
            answers.push((quasi as f64, answer));
        }
    }
    let [time, share] = effort_plots(&Axis::new("quasi-identifiers"), &runs);
    Ok(vec![
        Section::new("From one to seven quasi-identifiers (figures 3.8 e and f)")
            .say("The thesis states no figures here: its time grows with the quasi-identifiers, its share of cuts examined falls.")
            .plot(time)
            .plot(share)
            .table(table),
    ])
}
