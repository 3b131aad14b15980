//! Figure 7: the number of sensitive attributes.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use crate::Result;
use crate::experiment::Part;
use crate::method::codip::{Ratios, merge};
use crate::privacy::projection::SLACK;

pub(super) const PART: Part = Part {
    name: "attributes",
    title: "The number of attributes",
    summary: "tables of CODIP*'s plan with alpha = beta = 0.3 as attributes are added in the paper's order",
};

const LIMIT: f64 = 0.3;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut table = Table::new(
        "attributes",
        "Plans for the first attributes of the paper's list",
        ["attributes", "tables", "Γα", "Γβ", "within alpha"],
    );
    let mut points = Vec::new();
    // The paper's list has the columns in this order; what the household column becomes comes last.
    let position = |name: &str| {
        let own = bench.census.sensitive.iter().position(|known| *known == name);
        own.unwrap_or(bench.census.sensitive.len())
    };
    let mut order: Vec<usize> = (0..bench.census.attributes.len()).collect();
    order.sort_by_key(|at| (position(&bench.census.attributes[*at].name), *at));
    for number in 2..=order.len() {
        let mut chosen = order[..number].to_vec();
        chosen.sort_unstable();
        let pairs = (0..number).flat_map(|a| (a + 1..number).map(move |b| (a, b)));
        let all = &bench.census.ratios;
        let ratios = Ratios::new(
            number,
            pairs.map(|(a, b)| {
                ((a, b), all.information(chosen[a], chosen[b]), all.exposable(chosen[a], chosen[b]))
            }),
        );
        let plan = merge(&ratios, false, &mut |plan, _| {
            bench.clock.check()?;
            Ok(ratios.information_exposure(plan) <= LIMIT + SLACK)
        })?;
        let plan = plan.plan;
        let alpha = ratios.association_loss(&plan);
        points.push((number as f64, Some(plan.len() as f64)));
        table.row([
            Cell::Count(number as u64),
            Cell::Count(plan.len() as u64),
            Cell::Number(alpha),
            Cell::Number(ratios.information_exposure(&plan)),
            Cell::text(if alpha <= LIMIT + SLACK { "yes" } else { "no" }),
        ]);
    }
    let plot = Plot {
        title: "Tables by the number of attributes, alpha = beta = 0.3".to_string(),
        kind: Kind::Lines,
        x: Axis::new("sensitive attributes"),
        y: Axis::new("projected tables"),
        series: vec![Series::of("CODIP*", points)],
    };
    Ok(vec![
        Section::new("The number of attributes (figure 7)")
            .say(
                "The paper: the number of tables grows with the number of attributes, but hardly from nine on. It does not \
                 say in which order attributes are added; here it is the order of its list. Where a plan loses more than \
                 alpha, the method would report that instead of publishing it.",
            )
            .plot(plot)
            .table(table),
    ])
}
