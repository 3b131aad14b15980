//! Figures 4.7(a)–(f): how long the methods take, over k and over m.

use super::super::page::{Cell, Section, Table, significant};
use super::super::plot::Axis;
use super::ncp::allowance;
use super::{Answer, Bench, Sweep, comparison, factors, range};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "runtime",
    title: "How long the methods take",
    summary: "seconds of MM, LG, AA, mOG and OG over k and over m, with l = 1 and n = 0",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let present = bench.present(&bench.scale.datasets, &mut sections)?;
    let mut claims = Table::stated_and_found("stated");
    let words = "The runs of the part 'ncp': means over the drawn taxonomies. OG and mOG are this project's own searches, on \
                 conflicts, and use all cores; the thesis' search is timed in 'table44' and 'table45'. Times that are not \
                 proven are left out of the plots and of the comparison.";
    let mut shown = Section::new("Time over k and over m (figure 4.7)").say(words).say(bench.limits.words());
    for dataset in present {
        for sweep in [Sweep::K, Sweep::M] {
            bench.limits.allow(allowance(dataset));
            let rows = bench.compare(dataset, sweep)?;
            let y = Axis::new("seconds").log();
            let (table, plot) = comparison(dataset, sweep, &rows, y, Answer::seconds, Answer::time_cell);
            shown = shown.plot(plot).table(table);
            let over = format!("{}, over {}", dataset.name, sweep.name());
            let stated = match sweep {
                Sweep::K => "2 to 4 on POS",
                Sweep::M => "1.65 to 4 on POS",
            };
            let times = |one: &str, other: &str| {
                range(&factors(&rows, one, other, Answer::seconds), |factor| significant(factor, 2))
            };
            for (what, one, other, stated) in [
                ("time of AA over OG", "aa", "og", stated),
                ("time of LG over OG", "lg", "og", "below 1 (LG is the fastest)"),
                ("time of mOG over OG", "mog", "og", "a little above 1 for m = 3, below 1 from m = 6"),
            ] {
                claims.row([
                    Cell::text(format!("{over}: {what}")),
                    Cell::text(stated),
                    Cell::text(times(one, other)),
                ]);
            }
        }
    }
    sections.insert(0, shown.table(claims));
    Ok(sections)
}
