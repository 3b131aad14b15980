//! Table 4.4: what each pruning of phase 1 is worth, in the thesis' own search.

use super::super::page::{Cell, Section, Table};
use super::data::{Dataset, WV1};
use super::{Bench, Ground, K, Lack};
use crate::Part;
use privet::Result;
use privet::loss::items::ItemMeasure;
use privet::method::kl::enumeration::{
    CutSwitches, EnumerationFacts, Prunings, Switches, solve, solve_in_rounds,
};
use privet::privacy::kl::KlPrivacy;

pub(super) const PART: Part = Part {
    name: "table44",
    title: "What the prunings of threats are worth",
    summary: "the thesis' search with prunings switched off: itemsets examined, threats materialised, time",
};

/// A line of the table: what is switched on, and what the thesis states: threats, nodes and seconds.
struct Line {
    name: &'static str,
    prunings: Prunings,
    in_rounds: bool,
    wv1: (u64, u64, f64),
    pos: Option<(u64, u64, f64)>,
}

const fn prunings(global: bool, local: bool, generic: bool, locked: bool) -> Prunings {
    Prunings { global, local, generic, locked }
}

const fn line(name: &'static str, prunings: Prunings, wv1: (u64, u64, f64)) -> Line {
    Line { name, prunings, in_rounds: false, wv1, pos: None }
}

const LINES: [Line; 8] = [
    Line {
        pos: Some((47_978_473, 53_464_069, 24_361.0)),
        ..line("baseline", Prunings::NONE, (4_445_319, 5_521_578, 200.0))
    },
    line("I (global)", prunings(true, false, false, false), (1_115_701, 3_453_701, 164.0)),
    line("II (local)", prunings(false, true, false, false), (3_367_660, 4_852_293, 145.0)),
    line("III (generic)", prunings(false, false, true, false), (4_302_056, 5_165_683, 153.0)),
    line("I, II and III", prunings(true, true, true, false), (1_115_701, 3_275_754, 113.0)),
    line("IV (permanently locked)", prunings(false, false, false, true), (65_891, 788_806, 9.0)),
    Line {
        pos: Some((130_685, 1_075_845, 570.0)),
        ..line("all (OG)", Prunings::ALL, (39_265, 388_966, 5.0))
    },
    Line {
        in_rounds: true,
        pos: Some((48_029, 358_916, 578.0)),
        ..line("all, in rounds (mOG)", Prunings::ALL, (13_590, 140_206, 3.0))
    },
];

/// On larger data, only what the thesis has a figure for.
fn runs_on(line: &Line, dataset: &Dataset) -> bool {
    dataset == &WV1 || line.pos.is_some()
}

/// How many runs' limits all runs on a data set may take together.
const ALLOWANCE: u32 = 10;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let mut shown = Section::new("Prunings of phase 1 (table 4.4)").say(
        "The thesis' own search, (m, n, k, l) = (3, 0, 5, 1): itemsets of the inverse itemset enumeration tree that were \
         examined, threats that were materialised, and seconds of phase 1, as means over the drawn taxonomies. The thesis \
         does not give the shape of its taxonomies, and no fan-out fits all of its counts; its computer was of 2004. \
         Conflicts, this project's search, need neither. Where a run was not ended in time, its figures are lower limits; means \
         over three taxonomies for fan-out 5, else one.",
    );
    shown = shown.say(bench.limits.words());
    for dataset in bench.present(&bench.scale.switched, &mut sections)? {
        bench.limits.allow(ALLOWANCE);
        let fan_outs = if dataset == &WV1 { &bench.scale.fan_outs[..] } else { &[super::FAN_OUT][..] };
        for fan_out in fan_outs {
            let head =
                ["", "threats", "thesis", "itemsets", "thesis", "share", "thesis", "time", "thesis", "ended"];
            let title = format!("{}, fan-out {fan_out}", dataset.name);
            let mut table = Table::new(&format!("{}-{fan_out}", dataset.name), title, head);
            let is_wv1 = dataset == &WV1;
            let stated_base = if is_wv1 { LINES[0].wv1 } else { LINES[0].pos.unwrap_or_default() };
            let mut base = None;
            for line in LINES.iter().filter(|line| runs_on(line, dataset)) {
                let stated = if is_wv1 { line.wv1 } else { line.pos.unwrap_or_default() };
                let switches = Switches { prunings: line.prunings, cuts: CutSwitches::ALL };
                let (threats, nodes, seconds) = stated;
                let stated_share = nodes as f64 / stated_base.1.max(1) as f64;
                let Some(means) = means(bench, dataset, *fan_out, switches, line.in_rounds)? else {
                    let none = || Lack::NoTimeLeft.cell();
                    table.row([
                        Cell::text(line.name),
                        none(),
                        Cell::Count(threats),
                        none(),
                        Cell::Count(nodes),
                        none(),
                        Cell::Share(stated_share),
                        none(),
                        Cell::Seconds(seconds),
                        none(),
                    ]);
                    continue;
                };
                // The baseline comes first.
                let base = *base.get_or_insert(means.ended.then_some(means.nodes));
                let share = base.filter(|base| *base > 0.0 && means.ended).map(|base| means.nodes / base);
                table.row([
                    Cell::text(line.name),
                    Cell::Count(means.threats as u64),
                    Cell::Count(threats),
                    Cell::Count(means.nodes as u64),
                    Cell::Count(nodes),
                    Cell::share(share),
                    Cell::Share(stated_share),
                    Cell::Seconds(means.seconds),
                    Cell::Seconds(seconds),
                    Cell::text(if means.ended { "yes" } else { "no" }),
                ]);
            }
            shown = shown.table(table);
        }
    }
    sections.insert(0, shown);
    Ok(sections)
}

/// Means over the drawn taxonomies.
struct Means {
    threats: f64,
    nodes: f64,
    seconds: f64,
    /// Whether all runs came to their ends.
    ended: bool,
}

/// What a line comes to; nothing if there is no time left for it.
fn means(
    bench: &Bench,
    dataset: &'static Dataset,
    fan_out: usize,
    switches: Switches,
    in_rounds: bool,
) -> Result<Option<Means>> {
    let privacy = [KlPrivacy { k: K, m: dataset.default_m, n: 0, theta: Vec::new(), power: None }];
    let search = if in_rounds { solve_in_rounds } else { solve };
    let mut all: Vec<(EnumerationFacts, bool)> = Vec::new();
    for seed in 1..=bench.scale.seeds_of_fan_out(dataset, fan_out) {
        if bench.limits.are_over() {
            return Ok(None);
        }
        let baskets = bench.baskets(&Ground::plain(dataset, fan_out, seed))?;
        bench.clock.progress().stage("enumerating", None);
        let clock = bench.clock.with_limit(bench.limits.of(dataset));
        let found = search(&baskets, &privacy, ItemMeasure::Ncp, switches, &clock)?;
        all.push((found.facts, found.complete));
    }
    let mean = |figure: &dyn Fn(&EnumerationFacts) -> f64| {
        all.iter().map(|(facts, _)| figure(facts)).sum::<f64>() / all.len().max(1) as f64
    };
    Ok(Some(Means {
        threats: mean(&|facts| facts.threats as f64),
        nodes: mean(&|facts| facts.nodes as f64),
        seconds: mean(&|facts| facts.threat_seconds),
        ended: all.iter().all(|(_, ended)| *ended),
    }))
}
