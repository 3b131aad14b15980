//! Table 4.4: what each pruning of phase 1 is worth, in the thesis' own search.

use super::super::page::{Cell, Section, Table};
use super::data::{Dataset, POS, WV1};
use super::{Bench, Ground, K};
use crate::Result;
use crate::experiment::Part;
use crate::loss::items::ItemMeasure;
use crate::method::kl::enumeration::{
    CutSwitches, EnumerationFacts, Prunings, Switches, solve, solve_in_rounds,
};
use crate::privacy::kl::KlPrivacy;

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

/// On data of this size, only what is known to end in a while is run.
fn runs_on(line: &Line, dataset: &Dataset) -> bool {
    dataset == &WV1 || (dataset == &POS && line.prunings == Prunings::ALL)
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let mut shown = Section::new("Prunings of phase 1 (table 4.4)").say(
        "The thesis' own search, (m, n, k, l) = (3, 0, 5, 1): itemsets of the inverse itemset enumeration tree that were \
         examined, threats that were materialised, and seconds of phase 1, as means over the drawn taxonomies. The thesis \
         does not give the shape of its taxonomies, and no fan-out fits all of its counts; its computer was of 2004. \
         Conflicts, this project's search, need neither.",
    );
    for dataset in bench.present(&bench.scale.switched, &mut sections)? {
        let fan_outs = if dataset == &WV1 { &bench.scale.fan_outs[..] } else { &[super::FAN_OUT][..] };
        for fan_out in fan_outs {
            let head = ["", "threats", "thesis", "itemsets", "thesis", "share", "thesis", "time", "thesis"];
            let title = format!("{}, fan-out {fan_out}", dataset.name);
            let mut table = Table::new(&format!("{}-{fan_out}", dataset.name), title, head);
            let is_wv1 = dataset == &WV1;
            let stated_base = if is_wv1 { LINES[0].wv1 } else { LINES[0].pos.unwrap_or_default() };
            let mut base = None;
            for line in LINES.iter().filter(|line| runs_on(line, dataset)) {
                let stated = if is_wv1 { line.wv1 } else { line.pos.unwrap_or_default() };
                let switches = Switches { prunings: line.prunings, cuts: CutSwitches::ALL };
                let means = means(bench, dataset, *fan_out, switches, line.in_rounds)?;
                // The baseline comes first, where it is run at all.
                let base = is_wv1.then(|| *base.get_or_insert(means.nodes));
                let (threats, nodes, seconds) = stated;
                table.row([
                    Cell::text(line.name),
                    Cell::Count(means.threats as u64),
                    Cell::Count(threats),
                    Cell::Count(means.nodes as u64),
                    Cell::Count(nodes),
                    Cell::share(base.filter(|base| *base > 0.0).map(|base| means.nodes / base)),
                    Cell::Share(nodes as f64 / stated_base.1.max(1) as f64),
                    Cell::Seconds(means.seconds),
                    Cell::Seconds(seconds),
                ]);
            }
            shown = shown.table(table);
        }
    }
    sections.insert(0, shown);
    Ok(sections)
}

struct Means {
    threats: f64,
    nodes: f64,
    seconds: f64,
}

fn means(
    bench: &Bench,
    dataset: &'static Dataset,
    fan_out: usize,
    switches: Switches,
    in_rounds: bool,
) -> Result<Means> {
    let privacy = [KlPrivacy { k: K, m: dataset.default_m, n: 0, theta: Vec::new() }];
    let search = if in_rounds { solve_in_rounds } else { solve };
    let mut all: Vec<EnumerationFacts> = Vec::new();
    for seed in 1..=bench.scale.seeds(dataset) {
        let baskets = bench.baskets(&Ground::plain(dataset, fan_out, seed))?;
        bench.clock.progress().stage("enumerating", None);
        all.push(search(&baskets, &privacy, ItemMeasure::Ncp, switches, &bench.clock)?.facts);
    }
    let mean = |figure: &dyn Fn(&EnumerationFacts) -> f64| {
        all.iter().map(figure).sum::<f64>() / all.len().max(1) as f64
    };
    Ok(Means {
        threats: mean(&|facts| facts.threats as f64),
        nodes: mean(&|facts| facts.nodes as f64),
        seconds: mean(&|facts| facts.threat_seconds),
    })
}
