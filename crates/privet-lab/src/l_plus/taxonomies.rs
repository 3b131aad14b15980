//! Figures 3.8(c)–(d): coarse, medium and fine taxonomies.

use super::super::adult::{Answer, Method, Outcome, QUASI, Setup, Threshold};
use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, RECORD_SCHEMES, SPEED_COST, SPEED_L, effort_cells, effort_table};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "taxonomies",
    title: "Coarse, medium and fine taxonomies",
    summary: "DM, l = 4: search spaces from 150 million to 430 billion cuts",
};

/// The sets with what the thesis states: the number of cuts, and the share that it examined with all-rec.
const SETS: [(&str, u64, Option<f64>); 4] = [
    ("coarse", 152_685_000, Some(0.0002)),
    ("default", 356_440_500, None),
    ("medium", 6_943_460_940, Some(0.000_017)),
    ("fine", 431_934_597_900, None),
];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut table =
        effort_table("searches", "DM, l = 4, by taxonomies", &["taxonomies", "suppression", "DM"]);
    let mut spaces = Table::stated_and_found("cuts");
    let mut shares = Table::stated_and_found("examined");
    let mut runs: Vec<(&str, Vec<Answer>)> =
        RECORD_SCHEMES.iter().map(|scheme| (*scheme, Vec::new())).collect();
    for (set, cuts, examined) in SETS {
        let ground = bench.adult.ground(set)?;
        for (scheme, answers) in &mut runs {
            let setup = bench.setup(Method::Optimize(scheme, &[]), SPEED_COST, Threshold::L(SPEED_L));
            let answer = bench.adult.solve(&Setup { ground: ground.clone(), ..setup })?;
            let setting = [Cell::text(set), Cell::text(*scheme), super::cost_cell(&answer)];
            table.row(setting.into_iter().chain(effort_cells(&answer)));
            answers.push(answer);
        }
        let microdata = bench.adult.microdata(&ground, QUASI.len())?;
        let counted: u128 = microdata.quasi.iter().map(|quasi| cuts_of(&quasi.taxonomy)).product();
        spaces.row([
            Cell::text(format!("cuts of the {set} taxonomies")),
            Cell::Count(cuts),
            Cell::Count(u64::try_from(counted).unwrap_or(u64::MAX)),
        ]);
        let all_rec = runs.iter().find(|(scheme, _)| *scheme == "all-rec");
        let ours = all_rec.and_then(|(_, answers)| answers.last()?.outcome()?.share());
        shares.row([
            Cell::text(format!("share examined, all-rec, {set}")),
            examined.map_or_else(|| Cell::text("no figure"), Cell::Share),
            Cell::share(ours),
        ]);
        if ground != bench.ground {
            bench.adult.forget(&ground);
        }
    }
    let plot = |title: &str, y: Axis, figure: &dyn Fn(&Outcome) -> Option<f64>| Plot {
        title: title.to_string(),
        kind: Kind::Bars(SETS.map(|(set, ..)| set.to_string()).into()),
        x: Axis::new("taxonomies"),
        y,
        series: runs
            .iter()
            .map(|(scheme, answers)| {
                let points = answers.iter().enumerate();
                Series::of(*scheme, points.map(|(at, answer)| (at as f64, answer.outcome().and_then(figure))))
            })
            .collect(),
    };
    let time = plot("Time", Axis::new("seconds"), &|outcome| Some(outcome.seconds));
    let share = plot("Cuts examined", Axis::new("share of all cuts").log().share(), &Outcome::share);
    Ok(vec![
        Section::new("Growing search spaces (figures 3.8 c and d)")
            .plot(time)
            .plot(share)
            .table(spaces)
            .table(shares)
            .table(table),
    ])
}

/// The number of cuts of a tree: one at a leaf; at any other node the node itself, or a cut below each child.
fn cuts_of(taxonomy: &privet::taxonomy::Taxonomy) -> u128 {
    let mut cuts = vec![1u128; taxonomy.len()];
    for node in taxonomy.nodes().rev().filter(|node| !taxonomy.is_leaf(*node)) {
        let below = taxonomy.children(node).iter();
        let product = below.fold(1u128, |product, child| product.saturating_mul(cuts[child.0 as usize]));
        cuts[node.0 as usize] = product.saturating_add(1);
    }
    cuts[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::taxonomy::Taxonomy;

    #[test]
    fn cuts_are_counted_as_defined() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = Taxonomy::from_paths(&[path("a;x;*"), path("b;x;*"), path("c;y;*"), path("d;y;*")]);
        // The root, or one of two cuts below each of its children.
        assert_eq!(cuts_of(&tree.expect("a tree")), 5);
        assert_eq!(cuts_of(&Taxonomy::flat(["a", "b"]).expect("a tree")), 2);
    }
}
