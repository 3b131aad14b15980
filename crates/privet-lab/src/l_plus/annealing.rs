//! Figure 3.6: the best cost over time, against simulated annealing.

use super::super::adult::{Answer, Method, Outcome, Setup, Threshold};
use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, SCHEMES, cell, cost_cell};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "annealing",
    title: "Best cost over time against simulated annealing",
    summary: "LM, every suppression scheme, l = 5; the mean of several annealing runs",
};

const L: u64 = 5;
/// Costs this close are the same: they are sums of exact fractions, shown in floating point.
const SAME: f64 = 1e-9;
/// Times below this are drawn at it, for the axis is logarithmic.
const EARLIEST: f64 = 1e-3;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut table = Table::new(
        "schemes",
        format!("LM at l = {L}: the search, and {} runs of annealing", bench.scale.runs),
        [
            "suppression",
            "best cut",
            "found after",
            "proven after",
            "annealing, mean",
            "above the best",
            "runs that reached it",
            "their mean time",
        ],
    );
    let mut faster = Vec::new();
    let mut section = Section::new("Best cost over time (figure 3.6)").say(format!(
        "Each annealing run takes {} s and has its own seed; their best costs are averaged at every moment from the one \
         when all have a first release.",
        bench.scale.annealing.as_secs_f64()
    ));
    for scheme in SCHEMES {
        let exact = bench.optimize(scheme, "LM", Threshold::L(L))?;
        let mut runs = Vec::new();
        for seed in 1..=bench.scale.runs {
            let setup = bench.setup(Method::Annealing(scheme, seed), "LM", Threshold::L(L));
            runs.push(bench.adult.solve(&Setup { time_limit: bench.scale.annealing, ..setup })?);
        }
        table.row(row(scheme, &exact, &runs));
        faster.extend(exact.outcome().map(|best| {
            (
                scheme,
                factor(best, runs.iter().filter_map(Answer::outcome), bench.scale.annealing.as_secs_f64()),
            )
        }));
        let traces: Vec<Vec<(f64, f64)>> =
            runs.iter().filter_map(Answer::outcome).map(Outcome::improvements).collect();
        let found = exact.outcome().map(Outcome::improvements).unwrap_or_default();
        let end = runs.iter().filter_map(Answer::outcome).map(|run| run.seconds).fold(EARLIEST, f64::max);
        let drawn = |points: Vec<(f64, f64)>| {
            let last = points.last().map(|(_, cost)| (end, *cost));
            let points = points.into_iter().map(|(time, cost)| (time.max(EARLIEST), cost));
            points.chain(last).map(|(time, cost)| (time, Some(cost))).collect::<Vec<_>>()
        };
        section = section.plot(Plot {
            title: scheme.to_string(),
            kind: Kind::Steps,
            x: Axis::new("seconds").log(),
            y: Axis::new("best LM so far"),
            series: vec![
                Series::of("l-plus-optimize", drawn(found)),
                Series::of("simulated annealing, mean", drawn(mean_best(&traces))),
            ],
        });
    }
    let mut claims = Table::stated_and_found("stated");
    claims.row([Cell::text("runs averaged"), Cell::Count(6), Cell::Count(bench.scale.runs)]);
    for (scheme, (factor, at_least)) in faster {
        let sign = if at_least { "at least " } else { "" };
        claims.row([
            Cell::text(format!("the best cut is found sooner than by annealing, {scheme}")),
            Cell::text("several orders of magnitude"),
            Cell::text(format!("{sign}{factor:.0} times")),
        ]);
    }
    Ok(vec![section.table(claims).table(table)])
}

/// How many times sooner the search has its best cut than annealing runs do on average. A run that does not reach it counts
/// with its whole time: then it is at least that.
fn factor<'o>(best: &Outcome, runs: impl Iterator<Item = &'o Outcome>, limit: f64) -> (f64, bool) {
    let reaches = |run: &Outcome| run.cost <= best.cost * (1.0 + SAME);
    let times: Vec<(f64, bool)> =
        runs.map(|run| if reaches(run) { (time_of_best(run), false) } else { (limit, true) }).collect();
    let mean = times.iter().map(|(time, _)| time).sum::<f64>() / times.len().max(1) as f64;
    (mean / time_of_best(best).max(EARLIEST), times.iter().any(|(_, open)| *open))
}

fn row(scheme: &str, exact: &Answer, runs: &[Answer]) -> Vec<Cell> {
    let solved: Vec<&Outcome> = runs.iter().filter_map(Answer::outcome).collect();
    let none = || runs.first().map_or(Cell::share(None), |run| cell(run, |_| Cell::share(None)));
    let mean =
        |figures: Vec<f64>| (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64);
    let best = exact.outcome().map(|outcome| outcome.cost);
    let average = mean(solved.iter().map(|run| run.cost).collect());
    let above = average.zip(best).map(|(average, best)| average / best - 1.0);
    let reached: Vec<f64> = solved
        .iter()
        .filter(|run| best.is_some_and(|best| run.cost <= best * (1.0 + SAME)))
        .map(|run| time_of_best(run))
        .collect();
    vec![
        Cell::text(scheme),
        cost_cell(exact),
        cell(exact, |outcome| Cell::Seconds(time_of_best(outcome))),
        cell(
            exact,
            |outcome| if outcome.optimal { Cell::Seconds(outcome.seconds) } else { Cell::text("not proven") },
        ),
        average.map_or_else(none, Cell::Number),
        above.map_or_else(none, Cell::Share),
        if solved.is_empty() { none() } else { Cell::Count(reached.len() as u64) },
        mean(reached).map_or_else(|| Cell::Missing("no run reached it".to_string()), Cell::Seconds),
    ]
}

fn time_of_best(outcome: &Outcome) -> f64 {
    outcome.improvements().last().map_or(outcome.seconds, |(time, _)| *time)
}

/// The mean of several runs' best costs at every moment when one of them improves, from the moment when all have one.
fn mean_best(traces: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let mut moments: Vec<f64> = traces.iter().flatten().map(|(time, _)| *time).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    let best_at = |trace: &[(f64, f64)], moment: f64| {
        trace.iter().take_while(|(time, _)| *time <= moment).last().map(|(_, cost)| *cost)
    };
    let mean_at = |moment: &f64| {
        let costs: Option<Vec<f64>> = traces.iter().map(|trace| best_at(trace, *moment)).collect();
        costs.map(|costs| (*moment, costs.iter().sum::<f64>() / costs.len().max(1) as f64))
    };
    moments.iter().filter_map(mean_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_averaged_from_the_moment_all_have_a_cost() {
        let traces = [vec![(1.0, 10.0), (3.0, 6.0)], vec![(2.0, 20.0), (4.0, 4.0)]];
        assert_eq!(mean_best(&traces), [(2.0, 15.0), (3.0, 13.0), (4.0, 5.0)]);
        assert_eq!(mean_best(&[]), []);
        assert_eq!(mean_best(&[vec![]]), []);
    }
}
