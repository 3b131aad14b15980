//! Individual risk before and after as cumulative curves.

use minijinja::Value;

use super::super::risk::Risk;
use super::WIDTH;
use super::svg::{Anchor, Svg};

const LEFT: f64 = 40.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 230.0;
/// Risks that guidance names; the table below the chart has more.
const MARKS: [(f64, &str); 3] = [(0.09, "0.09"), (0.2, "0.2"), (0.5, "0.5")];

/// Draws the share of records whose risk is at most *x*, over a logarithmic axis.
pub(in super::super) fn risk_curve(before: &Risk, after: &Risk) -> Value {
    let mut svg = Svg::new(WIDTH, BOTTOM + 38.0);
    let largest = [before, after].iter().filter_map(|risk| risk.classes.last()).map(|entry| entry.size).max();
    // Two at least, so that the axis reaches below the smallest risk that guidance names.
    let decades = (largest.unwrap_or(1) as f64).log10().ceil().max(2.0);
    let x = |risk: f64| LEFT + (WIDTH - LEFT - RIGHT) * (risk.log10() / decades + 1.0);
    let y = |share: f64| BOTTOM - (BOTTOM - TOP) * share;

    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let class = if share == 0.0 { "axis" } else { "grid" };
        svg.line((LEFT, y(share)), (WIDTH - RIGHT, y(share)), class);
        svg.text(LEFT - 6.0, y(share) + 4.0, Anchor::End, "tick", &format!("{:.0} %", share * 100.0));
    }
    for (risk, name) in MARKS.into_iter().filter(|(risk, _)| x(*risk) > LEFT) {
        svg.line((x(risk), TOP), (x(risk), BOTTOM), "mark");
        svg.text(x(risk), TOP - 5.0, Anchor::Middle, "tick", name);
    }
    for decade in 0..=decades as i32 {
        let risk = 10_f64.powi(-decade);
        let text = if decade == 0 { "1".to_string() } else { format!("{risk:.*}", decade as usize) };
        svg.line((x(risk), BOTTOM), (x(risk), BOTTOM + 4.0), "axis");
        svg.text(x(risk), BOTTOM + 16.0, Anchor::Middle, "tick", &text);
    }
    for (risk, class) in [(before, "curve-before"), (after, "curve-after")] {
        let mut points = vec![(LEFT, y(0.0))];
        let all = risk.figures.records.max(1) as f64;
        let mut reached = 0.0;
        // The largest classes have the smallest risk, so they come first.
        for entry in risk.classes.iter().rev() {
            reached += entry.records() as f64 / all;
            points.push((x(1.0 / entry.size as f64), y(reached)));
        }
        points.push((WIDTH - RIGHT, y(reached)));
        svg.steps(&points, class);
    }
    for (start, class, name) in [(LEFT, "curve-before", "Original"), (LEFT + 92.0, "curve-after", "Release")]
    {
        svg.line((start, 11.0), (start + 24.0, 11.0), class);
        svg.text(start + 30.0, 15.0, Anchor::Start, "note", name);
    }
    let name = "risk of being found (logarithmic)";
    svg.text((LEFT + WIDTH) / 2.0, BOTTOM + 33.0, Anchor::Middle, "axis-name", name);
    svg.finish("Share of records whose risk is at most a given value, in the original and in the release")
}
