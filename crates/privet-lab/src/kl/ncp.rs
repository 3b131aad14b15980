//! Figures 4.4(a)–(f): what the methods lose, over k and over m.

use super::super::page::{Cell, Section, Table, percent};
use super::super::plot::Axis;
use super::data::{Dataset, WV1, WV2};
use super::{Answer, Bench, Sweep, comparison, factors, less, range};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "ncp",
    title: "What the methods lose",
    summary: "NCP of MM, LG, AA, mOG and OG over k and over m, with l = 1 and n = 0",
};

/// How many runs' limits all runs of a table may take together; the part 'runtime' has the same runs.
pub(super) fn allowance(dataset: &Dataset) -> u32 {
    match dataset {
        _ if dataset == &WV1 => 4,
        _ if dataset == &WV2 => 9,
        _ => 13,
    }
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let present = bench.present(&bench.scale.datasets, &mut sections)?;
    let mut outlines = Table::new(
        "data",
        "The data (Table 4.3): stated in the thesis, and found here",
        ["", "transactions", "here", "items", "here", "longest", "here", "mean", "here"],
    );
    let mut claims = Table::stated_and_found("stated");
    let mut shown = Section::new("Loss over k and over m (figure 4.4)").say(
        "Taxonomies are balanced trees of fan-out 5 with the items at random leaves; figures are means over three of them on WV1, else \
         from one. The comparison with the thesis leaves out answers of OG that are not proven. \
         The thesis' taxonomies are not known in detail. Losses on the stand-in for POS say nothing about POS.",
    );
    shown = shown.say(bench.limits.words());
    for dataset in present {
        if let Some(transactions) = bench.transactions(dataset)? {
            let (rows, items, longest, mean) = dataset.stated;
            let (longest_here, mean_here) = transactions.lengths();
            outlines.row([
                Cell::text(format!("{}: {}", dataset.name, dataset.title)),
                Cell::Count(rows),
                Cell::Count(transactions.len() as u64),
                Cell::Count(items),
                Cell::Count(transactions.items.len() as u64),
                Cell::Count(longest),
                Cell::Count(longest_here),
                Cell::Number(mean),
                Cell::Number(mean_here),
            ]);
        }
        for sweep in [Sweep::K, Sweep::M] {
            bench.limits.allow(allowance(dataset));
            let rows = bench.compare(dataset, sweep)?;
            let y = Axis::new("NCP").share();
            let (table, plot) = comparison(dataset, sweep, &rows, y, Answer::ncp, Answer::ncp_cell);
            shown = shown.plot(plot).table(table);
            let over = format!("{}, over {}", dataset.name, sweep.name());
            let of = |one: &str, other: &str| factors(&rows, one, other, Answer::final_ncp);
            let worst: Vec<f64> = rows.iter().filter_map(|(_, answers)| answers[0].ncp()).collect();
            let (mm, saved) = match sweep {
                Sweep::K => ("over 29 % on POS, the most", "1/4 to 1/2 on POS"),
                Sweep::M => ("the most for m ≥ 2", "about 1/3 for m ≥ 3 on POS (AA loses 1/2 more)"),
            };
            let mut say = |what: &str, stated: &str, here: String| {
                claims.row([Cell::text(format!("{over}: {what}")), Cell::text(stated), Cell::text(here)]);
            };
            say("NCP of MM", mm, range(&worst, percent));
            say("OG loses less than AA by", saved, less(&of("og", "aa")));
            let more: Vec<f64> = of("mog", "og").iter().map(|factor| factor - 1.0).collect();
            say("mOG loses more than OG by", "almost nothing", range(&more, percent));
            say("OG loses less than LG by", "no figure", less(&of("og", "lg")));
        }
    }
    sections.insert(0, shown.table(claims).table(outlines));
    Ok(sections)
}
