//! Table 4.5: what each technique of phase 2 is worth, in the thesis' own search.

use super::super::page::{Cell, Section, Table};
use super::data::{Dataset, WV1};
use super::{Bench, Ground, K};
use crate::Part;
use privet::Result;
use privet::loss::items::ItemMeasure;
use privet::method::kl::enumeration::{CutSwitches, Enumerated, Switches, solve_each, solve_in_rounds};
use privet::privacy::kl::KlPrivacy;

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

/// How many runs' limits all runs on a data set may take together.
const ALLOWANCE: u32 = 6;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let mut shown = Section::new("Techniques of phase 2 (table 4.5)").say(
        "The thesis' own search, (m, n, k, l) = (3, 0, 5, 1), all prunings of phase 1: valid cuts that were examined, and \
         seconds of phase 2, as means over three taxonomies for fan-out 5, else one. Figures of a search that was not ended in \
         time are lower limits. The number of cuts and of valid ones depends on the taxonomy far more than on anything else: the thesis \
         has 23 thousand million cuts.",
    );
    shown = shown.say(bench.limits.words());
    for dataset in bench.present(&bench.scale.switched, &mut sections)? {
        bench.limits.allow(ALLOWANCE);
        let fan_outs = if dataset == &WV1 { &bench.scale.fan_outs[..] } else { &[super::FAN_OUT][..] };
        for fan_out in fan_outs {
            let cuts = bench.baskets(&Ground::plain(dataset, *fan_out, 1))?.tree.cuts();
            let title =
                format!("{}, fan-out {fan_out}: about 10^{} cuts", dataset.name, cuts.to_string().len() - 1);
            let head = ["", "cuts", "thesis", "share", "thesis", "time", "thesis", "ended"];
            let mut table = Table::new(&format!("{}-{fan_out}", dataset.name), title.clone(), head);
            let lines: Vec<&Line> = LINES.iter().filter(|line| runs_on(line, dataset)).collect();
            let Some(means) = means(bench, dataset, *fan_out, &lines)? else {
                let words = "The time was over before all threats of this one were known.";
                shown = shown.say(format!("{title}: {words}"));
                continue;
            };
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

/// Per line, what it takes; nothing if there is no time for phase 1, which is done once for all lines that share it.
fn means(
    bench: &Bench,
    dataset: &'static Dataset,
    fan_out: usize,
    lines: &[&Line],
) -> Result<Option<Vec<Means>>> {
    let mut means = vec![Means { cuts: 0.0, seconds: 0.0, ended: true }; lines.len()];
    let privacy = [KlPrivacy { k: K, m: dataset.default_m, n: 0, theta: Vec::new(), power: None }];
    let techniques: Vec<CutSwitches> =
        lines.iter().filter(|line| !line.in_rounds).map(|line| line.cuts).collect();
    let seeds = bench.scale.seeds_of_fan_out(dataset, fan_out);
    let limit = bench.limits.of(dataset);
    for seed in 1..=seeds {
        if bench.limits.are_over() {
            return Ok(None);
        }
        let baskets = bench.baskets(&Ground::plain(dataset, fan_out, seed))?;
        bench.clock.progress().stage("enumerating", None);
        let each = solve_each(&baskets, &privacy, ItemMeasure::Ncp, &techniques, limit, &bench.clock)?;
        let Some(each) = each else { return Ok(None) };
        let mut each = each.into_iter();
        for (line, means) in lines.iter().zip(&mut means) {
            let in_rounds = || {
                let clock = bench.clock.with_limit(limit);
                solve_in_rounds(&baskets, &privacy, ItemMeasure::Ncp, Switches::ALL, &clock)
            };
            let found = if line.in_rounds { Some(in_rounds()?) } else { each.next() };
            let Some(Enumerated { facts, complete, .. }) = found else { continue };
            means.cuts += facts.cuts as f64 / seeds as f64;
            means.seconds += facts.cut_seconds / seeds as f64;
            means.ended &= complete;
        }
    }
    Ok(Some(means))
}
