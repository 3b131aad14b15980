//! Figure 5.10: the frequent patterns that releases keep, and how far they are from the original ones.

use super::super::page::{Cell, Section, Table, percent, significant};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, EPSILON, GAP, K, Method, Setup};
use crate::Part;
use privet::method::vocabulary::utility::PatternUtility;
use privet::{Exact, Result};

pub(super) const PART: Part = Part {
    name: "patterns",
    title: "Frequent patterns",
    summary: "recall and semantic distance of the most frequent closed patterns over gap, k, ε and their number (figure 5.10)",
};

/// What was found for one setting: per method, recall and distances.
struct TermPatterns {
    name: String,
    x: f64,
    kept: Vec<PatternUtility>,
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let many = bench.scale.patterns.first().copied().unwrap_or(1000);
    let default = Setup::DEFAULT;
    let gaps = (1..).zip(&bench.scale.gaps).map(|(at, gap)| {
        let setup = Setup { gap: *gap, ..default };
        (gap.name.to_string(), f64::from(at), setup, many)
    });
    let ks = bench.scale.ks.iter().map(|k| (k.to_string(), f64::from(*k), Setup { k: *k, ..default }, many));
    let epsilons = bench.scale.epsilons.iter().map(|epsilon| {
        (epsilon.to_string(), f64::from(*epsilon), Setup { epsilon: *epsilon, ..default }, many)
    });
    let numbers = bench.scale.patterns.iter().map(|n| (n.to_string(), *n as f64, default, *n));
    let sweeps: [(&str, &str, Vec<_>); 4] = [
        ("session gap", "gap", gaps.collect()),
        ("k", "k", ks.collect()),
        ("ε", "epsilon", epsilons.collect()),
        ("patterns", "patterns", numbers.collect()),
    ];
    let mut section = Section::new("Patterns (figure 5.10)").say(format!(
        "The {many} most frequent closed sets of terms of the original against those of the release, where nothing else is \
         said with session gap {}, k = {K} and ε = {EPSILON}. Recall is the share of their terms that the nearest pattern of \
         the release has; the distance is counted in steps of the word network per term, once as the thesis defines it, \
         which leaves terms without a partner aside, and once with the longest way for each of those.",
        GAP.name
    ));
    let mut claims = Table::stated_and_found("stated");
    for (name, file, points) in sweeps {
        let found = measure(bench, points)?;
        section = shown(section, name, file, &found);
        for (at, stated) in [(0, ("about 80 % mostly", "below 1 mostly")), (2, ("9 to 40 %", "3 to 4"))] {
            let range = |figure: &dyn Fn(&PatternUtility) -> f64, show: &dyn Fn(f64) -> String| {
                let values: Vec<f64> = found.iter().map(|one| figure(&one.kept[at])).collect();
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if values.is_empty() { "–".to_string() } else { format!("{} to {}", show(low), show(high)) }
            };
            let method = Method::ALL[at].name();
            claims.row([
                Cell::text(format!("recall of {method} over {name}")),
                Cell::text(stated.0),
                Cell::text(range(&|one| one.recall.value(), &percent)),
            ]);
            claims.row([
                Cell::text(format!("distance of {method} over {name}")),
                Cell::text(stated.1),
                Cell::text(range(&|one| steps(one.distance).unwrap_or(f64::NAN), &|value| {
                    significant(value, 2)
                })),
            ]);
        }
    }
    Ok(vec![section.table(claims)])
}

/// Steps per term, as a number.
fn steps(distance: Option<Exact>) -> Option<f64> {
    distance.map(Exact::to_f64)
}

fn measure(bench: &Bench, points: Vec<(String, f64, Setup, usize)>) -> Result<Vec<TermPatterns>> {
    let mut all = Vec::new();
    for (name, x, setup, many) in points {
        let mut kept = Vec::new();
        for method in Method::ALL {
            let (ground, solution, _) = bench.solution(Setup { method, ..setup })?;
            let (bags, distances) = (&ground.bags, &ground.distances);
            kept.push(PatternUtility::measure(bags, &solution, distances, many, None, &bench.clock)?);
        }
        all.push(TermPatterns { name, x, kept });
    }
    Ok(all)
}

fn shown(section: Section, name: &str, file: &str, found: &[TermPatterns]) -> Section {
    let mut head = vec![name.to_string()];
    for method in Method::ALL.map(Method::name) {
        head.extend([format!("recall of {method}"), "distance".to_string(), "strict".to_string()]);
    }
    let mut table = Table::new(&format!("over-{file}"), format!("Over {name}"), head);
    for one in found {
        let mut cells = vec![Cell::text(one.name.clone())];
        for kept in &one.kept {
            cells.push(Cell::Share(kept.recall.value()));
            cells.push(steps(kept.distance).map_or(Cell::text("–"), Cell::Number));
            cells.push(steps(kept.strict_distance).map_or(Cell::text("–"), Cell::Number));
        }
        table.row(cells);
    }
    let plot = |title: &str, y: Axis, figure: &dyn Fn(&PatternUtility) -> Option<f64>| {
        let series = |at: usize| {
            let points = found.iter().map(|one| (one.x, figure(&one.kept[at])));
            Series::of(Method::ALL[at].name(), points)
        };
        let series = (0..Method::ALL.len()).map(series).collect();
        Plot { title: format!("{title} over {name}"), kind: Kind::Lines, x: Axis::new(name), y, series }
    };
    let recall = plot("Recall", Axis::new("recall").share(), &|kept| Some(kept.recall.value()));
    let distance = plot("Distance", Axis::new("steps per term"), &|kept| steps(kept.distance));
    section.plot(recall).plot(distance).table(table)
}
