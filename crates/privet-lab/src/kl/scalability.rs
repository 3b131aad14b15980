//! Figure 4.8: a hundred thousand to a million transactions.

use super::super::page::{Cell, Section, Table, significant};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::data::POS;
use super::{Bench, FAN_OUT, K, range};
use crate::Part;
use privet::Result;
use privet::method::kl::ItemSolution;
use privet::privacy::kl::KlPrivacy;

pub(super) const PART: Part = Part {
    name: "scalability",
    title: "A hundred thousand to a million transactions",
    summary: "seconds of OG and mOG on samples of POS, drawn with replacement",
};

const METHODS: [&str; 2] = ["og", "mog"];
/// How many runs' limits all runs may take together.
const ALLOWANCE: u32 = 12;
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
    bench.limits.allow(ALLOWANCE);
    for size in &bench.scale.sizes {
        bench.clock.progress().stage("sampling", None);
        let sample = transactions.resample(*size, SEED);
        let baskets = transactions.baskets(FAN_OUT, SEED, &[], Some(&sample))?;
        let mut cells = vec![Cell::Count(*size as u64), Cell::Count(baskets.len() as u64)];
        for (method, times) in METHODS.into_iter().zip(&mut times) {
            let privacy = KlPrivacy { k: K, m: POS.default_m, n: 0, theta: Vec::new(), power: None };
            let answer = bench.attempt(&baskets, method, privacy, bench.limits.of(&POS))?;
            let is_done = |solution: &ItemSolution| method != "og" || solution.search.optimal;
            let answer = answer.map(|(solution, seconds)| is_done(&solution).then_some(seconds));
            times.push((*size as f64, answer.as_ref().ok().copied().flatten()));
            cells.push(match answer {
                Ok(Some(seconds)) => Cell::Seconds(seconds),
                Ok(None) => Cell::text("not proven in time"),
                Err(lack) => lack.cell(),
            });
        }
        table.row(cells);
    }
    let mut claims = Table::stated_and_found("stated");
    for (method, times) in METHODS.into_iter().zip(&times) {
        let rates: Vec<f64> =
            times.iter().filter_map(|(size, seconds)| Some((*seconds)? * 1e5 / size)).collect();
        claims.row([
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
    let words = format!(
        "BMS-POS is not to be had: these are samples of {}, drawn with replacement. Equal transactions are counted, not kept, so \
         that the number of distinct ones grows more slowly than that of all; but the more transactions there are, the \
         finer the cuts that are worth a look.",
        POS.title
    );
    let section = Section::new("Growing data (figure 4.8)").say(words).say(bench.limits.words());
    sections.insert(0, section.plot(plot).table(claims).table(table));
    Ok(sections)
}
