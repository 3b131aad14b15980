//! Figure 5.7: how many vocabularies there are, how large they are and how far local generalisation lifts their terms, over the
//! session gap; and the ε that follows.

use super::super::page::{Cell, Section, Table, significant};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, K, Method, Setup};
use crate::Part;
use privet::Result;
use privet::method::vocabulary::generalisation_height;

pub(super) const PART: Part = Part {
    name: "sessions",
    title: "Sessions",
    summary: "vocabularies, their mean size and gHeight over the session gap, and the ε that follows (figure 5.7)",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let head = ["session gap", "vocabularies", "mean size", "gHeight", "ε = 2·gHeight"];
    let mut table = Table::new("sessions", format!("Sessions and generalisation, k = {K}"), head);
    let (mut sizes, mut heights) = (Vec::new(), Vec::new());
    for (at, gap) in bench.scale.gaps.iter().enumerate() {
        let (ground, solution, _) =
            bench.solution(Setup { gap: *gap, method: Method::LgBag, ..Setup::DEFAULT })?;
        let bags = &ground.bags;
        let size = bags.occurrences() as f64 / (bags.len() as f64).max(1.0);
        let height = generalisation_height(bags, &ground.distances, &solution);
        table.row([
            Cell::text(gap.name),
            Cell::Count(bags.len() as u64),
            Cell::Number(size),
            height.map_or(Cell::Missing("nothing is covered".into()), Cell::Number),
            height.map_or(Cell::Missing("nothing is covered".into()), |height| {
                Cell::Number((2.0 * height).round())
            }),
        ]);
        sizes.push((at as f64, Some(size)));
        heights.push((at as f64, height));
    }
    let mut known: Vec<f64> = heights.iter().filter_map(|(_, height)| *height).collect();
    known.sort_by(f64::total_cmp);
    let median = known.get(known.len() / 2).copied().unwrap_or(0.0);
    let plot = Plot {
        title: "Mean size and gHeight by session gap".to_string(),
        kind: Kind::Lines,
        x: Axis::new("session gap, in the order of the table"),
        y: Axis::new("terms, steps"),
        series: vec![Series::of("mean size", sizes), Series::of("gHeight", heights)],
    };
    let section = Section::new("Sessions over their gap (figure 5.7)")
        .say(bench.log.outline(bench)?)
        .say(format!(
            "gHeight is how many steps LG(bag) generalises a term by on average. Two terms that it publishes as one are up to \
             2·gHeight apart, so the thesis recommends that as ε. The median here is {}, so ε = {}; the thesis' is above 6 / 2, \
             and its ε is 6.",
            significant(median, 3),
            (2.0 * median).round()
        ))
        .plot(plot)
        .table(table);
    Ok(vec![section])
}
