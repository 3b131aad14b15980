//! Table 4.5: what each technique of phase 2 is worth, in the thesis' own search.

use super::super::page::{Cell, Section, Table};
use super::data::{Dataset, WV1};
use super::{Bench, Ground, K};
use crate::Result;
use crate::experiment::Part;
use crate::loss::items::ItemMeasure;
use crate::method::kl::enumeration::{CutSwitches, Enumerated, Switches, solve_each, solve_in_rounds};
use crate::privacy::kl::KlPrivacy;

pub(super) const PART: Part = Part {
    name: "table45",
    title: "What the techniques for cuts are worth",
    summary: "the thesis' search with techniques switched off: cuts examined, time",
};

/// A line of the table: what is switched on, and what the thesis states: cuts and seconds.
struct Line {
    name: &'static str,
    cuts: CutSwitches,
    in_rounds: bool,
    wv1: (u64, f64),
    pos: Option<(u64, f64)>,
}

const fn line(name: &'static str, switches: [bool; 4], wv1: (u64, f64)) -> Line {
    let [by_cost, ordered, tightened, reduced] = switches;
    let cuts = CutSwitches { by_cost, ordered, tightened, reduced };
    Line { name, cuts, in_rounds: false, wv1, pos: None }
}

const LINES: [Line; 7] = [
    line("validity only", [false; 4], (35_004, 47.0)),
    line("I (cost)", [true, false, false, false], (19_744, 11.0)),
    line("I and II (order)", [true, true, false, false], (4_596, 4.0)),
    line("I, II and III (tightened bounds)", [true, true, true, false], (2_266, 3.0)),
    line("IV (reduced taxonomy)", [false, false, false, true], (12_088, 9.0)),
    Line { pos: Some((52, 9.0)), ..line("all (OG)", [true; 4], (132, 2.0)) },
    Line { in_rounds: true, pos: Some((24_039, 2.0)), ..line("all, in rounds (mOG)", [true; 4], (509, 2.0)) },
];

fn runs_on(line: &Line, dataset: &Dataset) -> bool {
    dataset == &WV1 || line.pos.is_some()
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let limit = bench.scale.limit;
    let mut shown = Section::new("Techniques of phase 2 (table 4.5)").say(format!(
        "The thesis' own search, (m, n, k, l) = (3, 0, 5, 1), all prunings of phase 1: valid cuts that were examined, and \
         seconds of phase 2, as means over the drawn taxonomies. A search is given up after {} s; its figures are then lower \
         limits. The number of cuts and of valid ones depends on the taxonomy far more than on anything else: the thesis \
         has 23 thousand million cuts.",
        limit.as_secs_f64()
    ));
    for dataset in bench.present(&bench.scale.switched, &mut sections)? {
        let fan_outs = if dataset == &WV1 { &bench.scale.fan_outs[..] } else { &[super::FAN_OUT][..] };
        for fan_out in fan_outs {
            let cuts = bench.baskets(&Ground::plain(dataset, *fan_out, 1))?.tree.cuts();
            let title =
                format!("{}, fan-out {fan_out}: about 10^{} cuts", dataset.name, cuts.to_string().len() - 1);
            let head = ["", "cuts", "thesis", "share", "thesis", "time", "thesis", "ended"];
            let mut table = Table::new(&format!("{}-{fan_out}", dataset.name), title, head);
            let lines: Vec<&Line> = LINES.iter().filter(|line| runs_on(line, dataset)).collect();
            let means = means(bench, dataset, *fan_out, &lines)?;
            let is_wv1 = dataset == &WV1;
            let base = is_wv1.then(|| means[0].cuts).filter(|base| *base > 0.0);
            for (line, found) in lines.iter().zip(&means) {
                let (cuts, seconds) = if is_wv1 { line.wv1 } else { line.pos.unwrap_or_default() };
                let stated_base = is_wv1.then_some(LINES[0].wv1.0 as f64);
                table.row([
                    Cell::text(line.name),
                    Cell::Count(found.cuts as u64),
                    Cell::Count(cuts),
                    Cell::share(base.map(|base| found.cuts / base)),
                    Cell::share(stated_base.map(|base| cuts as f64 / base)),
                    Cell::Seconds(found.seconds),
                    Cell::Seconds(seconds),
                    Cell::text(if found.ended { "yes" } else { "no" }),
                ]);
            }
            shown = shown.table(table);
        }
    }
    sections.insert(0, shown);
    Ok(sections)
}

/// Means over the drawn taxonomies.
#[derive(Debug, Clone)]
struct Means {
    cuts: f64,
    seconds: f64,
    /// Whether all searches came to their ends.
    ended: bool,
}

/// Per line, what it takes. Phase 1 is done once for all lines that share it.
fn means(bench: &Bench, dataset: &'static Dataset, fan_out: usize, lines: &[&Line]) -> Result<Vec<Means>> {
    let mut means = vec![Means { cuts: 0.0, seconds: 0.0, ended: true }; lines.len()];
    let privacy = [KlPrivacy { k: K, m: dataset.default_m, n: 0, theta: Vec::new() }];
    let techniques: Vec<CutSwitches> =
        lines.iter().filter(|line| !line.in_rounds).map(|line| line.cuts).collect();
    for seed in 1..=bench.scale.seeds(dataset) {
        let baskets = bench.baskets(&Ground::plain(dataset, fan_out, seed))?;
        bench.clock.progress().stage("enumerating", None);
        let (limit, clock) = (bench.scale.limit, &bench.clock);
        let mut each =
            solve_each(&baskets, &privacy, ItemMeasure::Ncp, &techniques, limit, clock)?.into_iter();
        for (line, means) in lines.iter().zip(&mut means) {
            let in_rounds = || solve_in_rounds(&baskets, &privacy, ItemMeasure::Ncp, Switches::ALL, clock);
            let found = if line.in_rounds { Some(in_rounds()?) } else { each.next() };
            let Some(Enumerated { facts, complete, .. }) = found else { continue };
            means.cuts += facts.cuts as f64 / bench.scale.seeds(dataset) as f64;
            means.seconds += facts.cut_seconds / bench.scale.seeds(dataset) as f64;
            means.ended &= complete;
        }
    }
    Ok(means)
}
