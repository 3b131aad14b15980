//! Figure 3.5: a threshold per sensitive value, at the same average.

use super::super::adult::{Threshold, base_threshold};
use super::super::page::{Cell, Section, Table, percent};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, COSTS, cell, schemes_of};
use crate::Part;
use privet::{Error, Result};

pub(super) const PART: Part = Part {
    name: "thresholds",
    title: "A threshold per sensitive value",
    summary: "the frequency rule, looser for frequent values, against one threshold for all of the same average",
};

/// What the thesis states for releases without suppression: how much less is lost, per cost.
const STATED: [(&str, &str); 3] = [("LM", "13 to 22 %"), ("DM", "9 to 600 %"), ("CM", "8 to 26 %")];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let counts = bench.sensitive_counts()?;
    let mut claims = Table::stated_and_found("stated");
    let mut sections = Vec::new();
    for cost in COSTS {
        let schemes = schemes_of(cost).iter().filter(|scheme| bench.scale.threshold_schemes.contains(scheme));
        let schemes: Vec<&'static str> = schemes.copied().collect();
        let mut table = Table::new(
            &cost.to_lowercase(),
            format!(
                "{cost} with one threshold, with the frequency rule, and what the first is above the second"
            ),
            ["l", "suppression", "one threshold", "per value", "difference"],
        );
        let mut series: Vec<Series> = Vec::new();
        let mut gains = Vec::new();
        for scheme in schemes {
            let mut lines = [Vec::new(), Vec::new()];
            for &l in &bench.scale.ls {
                let base = base_threshold(&counts, l)
                    .ok_or_else(|| Error::internal("the data has no sensitive values"))?;
                let one = bench.optimize(scheme, cost, Threshold::L(l))?;
                let each = bench.optimize(scheme, cost, Threshold::Frequency(base))?;
                let gain = one.outcome().zip(each.outcome()).map(|(one, each)| one.cost / each.cost - 1.0);
                if let (Some(gain), "none") = (gain, scheme) {
                    gains.push(format!("l = {l}: {}", percent(gain)));
                }
                for (line, answer) in lines.iter_mut().zip([&one, &each]) {
                    line.push((l as f64, answer.outcome().map(|outcome| outcome.normalised)));
                }
                let difference = match gain {
                    Some(gain) => Cell::Share(gain),
                    None => cell(&each, |_| Cell::share(None)),
                };
                let costs = [&one, &each].map(super::cost_cell);
                table.row([Cell::Count(l), Cell::text(scheme)].into_iter().chain(costs).chain([difference]));
            }
            let [one, each] = lines;
            if scheme == "none" || scheme == "vio-rec" {
                series.push(Series::of(format!("{scheme}, one"), one));
                series.push(Series::of(format!("{scheme}, per value"), each));
            }
        }
        let plot = Plot {
            title: format!("{cost} by average l"),
            kind: Kind::Lines,
            x: Axis::new("l (1 / average threshold)"),
            y: Axis::new("share of the worst").share(),
            series,
        };
        let stated = STATED.iter().find(|(name, _)| *name == cost).map_or("no figure", |(_, stated)| stated);
        let ours = if gains.is_empty() { "–".to_string() } else { gains.join(", ") };
        claims.row([
            Cell::text(format!("{cost} saved without suppression")),
            Cell::text(stated),
            Cell::text(ours),
        ]);
        sections.push(Section::new(cost).plot(plot).table(table));
    }
    let rule = Section::new("The rule, and what it saves (figure 3.5)")
        .say(
            "A value that is rarer than the mean has the base threshold; any other has the base times its frequency over the \
             mean, at most 1. The base is chosen so that the thresholds average to 1/l. Savings are the cost with one \
             threshold over the cost with the rule, minus one.",
        )
        .table(claims);
    sections.insert(0, rule);
    Ok(sections)
}
