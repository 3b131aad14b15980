//! Figure 6: the number of tables.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use crate::Part;
use privet::Result;
use privet::method::codip::path;

pub(super) const PART: Part = Part {
    name: "tables",
    title: "The number of tables",
    summary: "reduced join threat and association loss of CODIP*'s plans, from one table to a table per attribute",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let ratios = &bench.census.ratios;
    let mut table = Table::new(
        "tables",
        "Plans of CODIP* by their number of tables",
        ["tables", "1 − Γβ", "Γα", "the tables"],
    );
    let (mut reduced, mut lost) = (Vec::new(), Vec::new());
    for plan in path(ratios).into_iter().rev() {
        let (alpha, beta) = (ratios.association_loss(&plan), ratios.information_exposure(&plan));
        let name = |at: &usize| bench.census.attributes[*at].name.clone();
        let shown: Vec<String> =
            plan.iter().map(|subset| subset.iter().map(name).collect::<Vec<_>>().join(" + ")).collect();
        reduced.push((plan.len() as f64, Some(1.0 - beta)));
        lost.push((plan.len() as f64, Some(alpha)));
        table.row([
            Cell::Count(plan.len() as u64),
            Cell::Share(1.0 - beta),
            Cell::Share(alpha),
            Cell::text(shown.join("; ")),
        ]);
    }
    let plot = Plot {
        title: "By the number of tables".to_string(),
        kind: Kind::Lines,
        x: Axis::new("projected tables"),
        y: Axis::new("share").share(),
        series: vec![Series::of("reduced join threat", reduced), Series::of("association loss", lost)],
    };
    Ok(vec![
        Section::new("The number of tables (figure 6)")
            .say(
                "The paper prints a plot without figures and reads from it: the reduction of the join threat grows ever \
                 more slowly with the number of tables and the loss ever faster, so that good plans have fewer than seven. \
                 The same holds here for the join threat; the loss grows in steps, for what goes together in Census-Income \
                 are a few pairs of columns (industry and occupation above all), and it jumps where such a pair is parted.",
            )
            .plot(plot)
            .table(table),
    ])
}
