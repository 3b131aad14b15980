//! Figure 4.8: a hundred thousand to a million transactions.

use super::super::page::{Cell, Section, Table, significant};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::data::POS;
use super::{Bench, FAN_OUT, K, range};
use crate::Result;
use crate::experiment::Part;
use crate::privacy::kl::KlPrivacy;

pub(super) const PART: Part = Part {
    name: "scalability",
    title: "A hundred thousand to a million transactions",
    summary: "seconds of OG and mOG on samples of POS, drawn with replacement",
};

const METHODS: [&str; 2] = ["og", "mog"];
/// The seed of the samples.
const SEED: u64 = 7;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    bench.present(&[&POS], &mut sections)?;
    let Some(transactions) = bench.transactions(&POS)? else { return Ok(sections) };
    let mut table = Table::new(
        "times",
        format!("POS, k = {K}, m = {}", POS.default_m),
        ["transactions", "distinct", "time of OG", "time of mOG"],
    );
    let mut times: [Vec<(f64, Option<f64>)>; 2] = Default::default();
    for size in &bench.scale.sizes {
        bench.clock.progress().stage("sampling", None);
        let sample = transactions.resample(*size, SEED);
        let baskets = transactions.baskets(FAN_OUT, SEED, &[], Some(&sample))?;
        let mut cells = vec![Cell::Count(*size as u64), Cell::Count(baskets.len() as u64)];
        for (method, times) in METHODS.into_iter().zip(&mut times) {
            let privacy = KlPrivacy { k: K, m: POS.default_m, n: 0, theta: Vec::new() };
            let answer = bench.attempt(&baskets, method, privacy)?;
            times.push((*size as f64, answer.as_ref().ok().map(|(_, seconds)| *seconds)));
            cells.push(answer.map_or_else(|lack| lack.cell(), |(_, seconds)| Cell::Seconds(seconds)));
        }
        table.row(cells);
    }
    let mut beside = Table::beside("stated");
    for (method, times) in METHODS.into_iter().zip(&times) {
        let rates: Vec<f64> =
            times.iter().filter_map(|(size, seconds)| Some((*seconds)? * 1e5 / size)).collect();
        beside.row([
            Cell::text(format!("seconds per 100,000 transactions, {}", super::shown_name(method))),
            Cell::text("no figure (nearly linear)"),
            Cell::text(range(&rates, |rate| significant(rate, 2))),
        ]);
    }
    let series = |at: usize| Series::of(super::shown_name(METHODS[at]), times[at].clone());
    let plot = Plot {
        title: "Time".to_string(),
        kind: Kind::Lines,
        x: Axis::new("transactions"),
        y: Axis::new("seconds"),
        series: (0..METHODS.len()).map(series).collect(),
    };
    let limit = bench.scale.limit.as_secs_f64();
    let section = Section::new("Growing data (figure 4.8)").say(format!(
        "BMS-POS is not to be had: these are samples of {}. A run is given up after {limit} s.",
        POS.title
    ));
    sections.insert(0, section.plot(plot).table(beside).table(table));
    Ok(sections)
}
