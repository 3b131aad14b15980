//! Figures 3.4(a)–(c) and 3.7: the cost of the best cut against full-domain generalisation, and how hard the search was.

use super::super::adult::{Answer, Method, Outcome, QUASI, Threshold};
use super::super::page::{Cell, Section, Table, percent, percent_range};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, COSTS, cost_cell, effort_cells, effort_plots, effort_table, schemes_of};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "cost",
    title: "Cost against full-domain generalisation",
    summary: "LM, DM and CM of the best cut under every suppression scheme and of the best full-domain release, by l",
};

/// What the thesis states about DM: full-domain above the best cut without suppression.
const DM_GAP: &str = "44 to 176 %, in most cases";

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let mut effort = effort_table("effort", "How hard each search was", &["cost", "suppression", "l"]);
    let mut plots = Vec::new();
    let mut shares = Vec::new();
    let mut seconds: Vec<f64> = Vec::new();
    // Of each proven search, how much of it went by before it had its best cut.
    let mut found: Vec<f64> = Vec::new();
    for cost in COSTS {
        let (section, runs) = one_cost(bench, cost)?;
        sections.push(section);
        for (scheme, answers) in &runs {
            for (l, answer) in answers {
                let setting = [Cell::text(cost), Cell::text(scheme), Cell::Count(*l as u64)];
                effort.row(setting.into_iter().chain(effort_cells(answer)));
                shares.extend(answer.outcome().and_then(|outcome| outcome.share()));
                seconds.extend(answer.outcome().map(|outcome| outcome.seconds));
                found.extend(answer.outcome().filter(|outcome| outcome.optimal).map(share_until_best));
            }
        }
        plots.extend(effort_plots(&Axis::new("l"), &runs).map(|mut plot| {
            plot.title = format!("{cost}: {}", plot.title.to_lowercase());
            plot
        }));
    }
    let mut claims = Table::stated_and_found("effort-stated");
    let space = bench.optimize("none", "LM", Threshold::L(bench.scale.ls[0]))?;
    let space = space.outcome().and_then(|outcome| outcome.space);
    let known = |text: Option<String>| Cell::text(text.unwrap_or("–".to_string()));
    claims.row([
        Cell::text("cuts in all"),
        Cell::Count(356_440_500),
        space.map_or(Cell::share(None), |space| Cell::Count(space as u64)),
    ]);
    claims.row([
        Cell::text("share of cuts examined"),
        Cell::text("0.01 to 0.03 %"),
        known(percent_range(shares.iter().copied())),
    ]);
    claims.row([
        Cell::text("of the search, before the best cut was found"),
        Cell::text("2/3 to 9/10 of the cuts examined"),
        known(percent_range(found.iter().copied()).map(|range| format!("{range} of the time"))),
    ]);
    let longest = seconds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    claims.row([
        Cell::text("longest search"),
        Cell::text("a little over 1,000 s (2 GHz Pentium M)"),
        if seconds.is_empty() { Cell::share(None) } else { Cell::Seconds(longest) },
    ]);
    claims.row([
        Cell::text("CM of the most general release"),
        Cell::Share(0.246),
        Cell::Share(minority_share(bench)?),
    ]);
    let mut section = Section::new("How hard the searches were (figure 3.7)")
        .say(
            "Searches are not counted alike: the thesis counts the cuts of its enumeration tree that it visits, here every \
             evaluation of an interval of cuts counts.",
        )
        .table(claims)
        .table(effort);
    section.plots = plots.into_iter().filter(Plot::has_points).collect();
    sections.push(section);
    Ok(sections)
}

/// The share of a search's time that went by before it had its best cut.
fn share_until_best(outcome: &Outcome) -> f64 {
    let found = outcome.improvements().last().map_or(outcome.seconds, |(time, _)| *time);
    found / outcome.seconds.max(f64::MIN_POSITIVE)
}

/// A scheme with what came of it for every l.
type Runs = Vec<(String, Vec<(f64, Answer)>)>;

fn one_cost(bench: &Bench, cost: &'static str) -> Result<(Section, Runs)> {
    let schemes = schemes_of(cost);
    let ls = &bench.scale.ls;
    let mut table = Table::new(
        &format!("cost-{}", cost.to_lowercase()),
        format!("{cost} of the best release"),
        ["l", "full-domain"].iter().chain(schemes).copied(),
    );
    let mut full = Vec::new();
    let mut runs: Runs = schemes.iter().map(|scheme| (scheme.to_string(), Vec::new())).collect();
    for &l in ls {
        let baseline = bench.full_domain(cost, l)?;
        let mut row = vec![Cell::Count(l), cost_cell(&baseline)];
        for (scheme, run) in schemes.iter().zip(&mut runs) {
            let method = Method::Optimize(scheme, &[]);
            let answer = bench.adult.solve(&bench.setup(method, cost, Threshold::L(l)))?;
            row.push(cost_cell(&answer));
            run.1.push((l as f64, answer));
        }
        table.row(row);
        full.push((l as f64, baseline));
    }
    let normalised = |answers: &[(f64, Answer)]| {
        let share = |answer: &Answer| answer.outcome().map(|outcome| outcome.normalised);
        answers.iter().map(|(l, answer)| (*l, share(answer))).collect::<Vec<_>>()
    };
    let mut series = vec![Series::of("full-domain", normalised(&full))];
    series.extend(runs.iter().map(|(scheme, answers)| Series::of(scheme, normalised(answers))));
    let plot = Plot {
        title: format!("{cost} by l"),
        kind: Kind::Lines,
        x: Axis::new("l"),
        y: Axis::new("share of the worst").share(),
        series,
    };
    let mut section = Section::new(format!("{cost} (figure 3.4)")).plot(plot).table(table);
    let without = &runs[0].1;
    let gaps: Vec<(u64, f64)> = (full.iter().zip(without))
        .filter_map(|((l, full), (_, best))| {
            Some((*l as u64, full.outcome()?.cost / best.outcome()?.cost - 1.0))
        })
        .collect();
    if !gaps.is_empty() {
        let mut claims = Table::stated_and_found(&format!("gap-{}", cost.to_lowercase()));
        let ours: Vec<String> = gaps.iter().map(|(l, gap)| format!("l = {l}: {}", percent(*gap))).collect();
        let stated = if cost == "DM" { DM_GAP } else { "no figure" };
        let what = "full-domain above the best cut, both without suppression";
        claims.row([Cell::text(what), Cell::text(stated), Cell::text(ours.join(", "))]);
        section = section.table(claims);
    }
    Ok((section, runs))
}

/// The share of records outside the most frequent label: CM when all records look alike.
fn minority_share(bench: &Bench) -> Result<f64> {
    let microdata = bench.adult.microdata(&bench.ground, QUASI.len())?;
    let most = microdata.label().and_then(|label| label.totals.iter().max().copied()).unwrap_or(0);
    Ok(1.0 - most as f64 / microdata.table.records.max(1) as f64)
}
