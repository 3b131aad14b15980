//! Figure 7: the number of sensitive attributes.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use crate::Part;
use privet::Result;
use privet::method::codip::{PairInformation, ProjectionPlan, merge};
use privet::privacy::projection::SLACK;

pub(super) const PART: Part = Part {
    name: "attributes",
    title: "The number of attributes",
    summary: "tables of CODIP*'s plan with alpha = beta = 0.3 as attributes are added in the paper's order",
};

const LIMIT: f64 = 0.3;

/// From this number of attributes on the paper's number of tables hardly grows.
const STEADY: usize = 9;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut table = Table::new(
        "attributes",
        "Plans for the first attributes of the paper's list",
        ["attributes", "tables", "Γα", "Γβ", "within alpha"],
    );
    let (mut points, mut plans) = (Vec::new(), Vec::new());
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
        let ratios = PairInformation::new(
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
        // By position among all attributes.
        plans
            .push(plan.into_iter().map(|subset| subset.into_iter().map(|at| chosen[at]).collect()).collect());
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
            .say(format!("{} {}", growth(&plans), newcomers(&bench.census.ratios, &order, &plans)).trim_end())
            .say(
                "The paper does not say in which order attributes are added; here it is the order of its list. Where a plan loses \
                 more than alpha, the method would report that instead of publishing it.",
            )
            .plot(plot)
            .table(table),
    ])
}

/// What the paper says of figure 7, and what is so here; the first plan has two attributes.
fn growth(plans: &[ProjectionPlan]) -> String {
    let stated =
        "The paper: the number of tables grows with the number of attributes, but hardly from nine on.";
    let (Some(steady), Some(last)) = (plans.get(STEADY - 2), plans.last()) else {
        return format!("{stated} Here are fewer attributes than that.");
    };
    let (from, to, all) = (steady.len(), last.len(), plans.len() + 1);
    let verdict = match to.saturating_sub(from) {
        0 | 1 => "it hardly grows from there on either".to_string(),
        more => format!("it goes on to grow, by {more}, which is not what the paper found"),
    };
    format!("{stated} Here there are {from} tables for {STEADY} attributes and {to} for {all}: {verdict}.")
}

/// What sets those apart that are added late.
fn newcomers(ratios: &PairInformation, order: &[usize], plans: &[ProjectionPlan]) -> String {
    let (Some(late), Some(last)) = (order.get(STEADY..).filter(|late| !late.is_empty()), plans.last()) else {
        return String::new();
    };
    let alone = late.iter().filter(|at| last.iter().any(|subset| subset.as_slice() == [**at])).count();
    // How much each tells about the one that it tells most about, in the mean.
    let strongest = |own: &[usize]| {
        let most = |at: &usize| {
            let others = order.iter().filter(|other| *other != at);
            others.map(|other| ratios.information(*at, *other)).fold(0.0, f64::max)
        };
        own.iter().map(most).sum::<f64>() / own.len() as f64
    };
    let (early, late_most) = (strongest(&order[..STEADY]), strongest(late));
    let why = match late_most < early {
        true => "they tell less about any other attribute, so that there is less to gain from merging them",
        false => "they tell no less about others than those before them",
    };
    format!(
        "Of the {} attributes that come after the first {STEADY}, {alone} have a table of their own in the last plan; {why} \
         ({late_most:.3} nats with the one that each tells most about, in the mean, and {early:.3} for the first {STEADY}).",
        late.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(tables: &[usize]) -> Vec<ProjectionPlan> {
        tables.iter().map(|tables| (0..*tables).map(|at| vec![at]).collect()).collect()
    }

    #[test]
    fn the_sentence_follows_the_figures() {
        let grows = growth(&plans(&[2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7]));
        assert!(
            grows.contains("5 tables for 9 attributes and 7 for 15: it goes on to grow, by 2"),
            "{grows}"
        );
        let steady = growth(&plans(&[2, 2, 3, 3, 4, 4, 4, 5, 5, 5]));
        assert!(steady.contains("5 tables for 9 attributes and 5 for 11: it hardly grows"), "{steady}");
        assert!(growth(&plans(&[2, 2])).contains("fewer attributes"));
    }
}
