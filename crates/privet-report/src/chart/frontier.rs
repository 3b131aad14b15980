//! Risk against loss: what settings of a policy cost, and what they leave at risk.

use minijinja::Value;

use super::svg::{Anchor, Svg, fitted};

/// The plot has a page to itself, so it is wider than others.
const WIDTH: f64 = 900.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 400.0;
/// Names of points that are nearer than this would lie on each other.
const APART: (f64, f64) = (70.0, 13.0);

/// A setting in the plot.
pub(in super::super) struct FrontierPoint {
    /// Its number in the table.
    pub number: usize,
    pub loss: f64,
    pub risk: f64,
    /// Whether no other setting is better in one and as good in the other.
    pub on_frontier: bool,
    pub chosen: bool,
}

/// Draws settings with the frontier of those that nothing beats, and the chosen one. `axes` name loss and risk.
pub(in super::super) fn frontier(points: &[FrontierPoint], axes: (&str, &str)) -> Value {
    let mut svg = Svg::new(WIDTH, BOTTOM + 42.0);
    let top = |values: &mut dyn Iterator<Item = f64>| {
        let most = values.fold(0.0, f64::max);
        [0.1, 0.25, 0.5, 1.0].into_iter().find(|end| most <= *end).unwrap_or(most.max(1.0))
    };
    let widest = top(&mut points.iter().map(|point| point.loss));
    let highest = top(&mut points.iter().map(|point| point.risk));
    let x = |loss: f64| LEFT + (WIDTH - LEFT - RIGHT) * loss / widest;
    let y = |risk: f64| BOTTOM - (BOTTOM - TOP) * risk / highest;
    let tick = |value: f64| format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_string();
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let class = if share == 0.0 { "axis" } else { "grid" };
        let (loss, risk) = (share * widest, share * highest);
        svg.line((LEFT, y(risk)), (WIDTH - RIGHT, y(risk)), class);
        svg.text(LEFT - 6.0, y(risk) + 4.0, Anchor::End, "tick", &tick(risk));
        svg.line((x(loss), BOTTOM), (x(loss), BOTTOM + 4.0), "axis");
        svg.text(x(loss), BOTTOM + 16.0, Anchor::Middle, "tick", &tick(loss));
    }
    let mut edge: Vec<(f64, f64)> =
        points.iter().filter(|point| point.on_frontier).map(|point| (point.loss, point.risk)).collect();
    edge.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
    let edge: Vec<(f64, f64)> = edge.iter().map(|(loss, risk)| (x(*loss), y(*risk))).collect();
    if edge.len() > 1 {
        svg.steps(&edge, "curve-after");
    }
    for point in points {
        let (radius, class) = match (point.chosen, point.on_frontier) {
            (true, _) => (6.5, "node-on"),
            (false, true) => (4.0, "node-above"),
            (false, false) => (3.0, "node-below"),
        };
        svg.circle(x(point.loss), y(point.risk), radius, class);
    }
    // Points in one place share a name, and a name that would lie on another is left to the table.
    let mut named: Vec<(f64, f64)> = Vec::new();
    let first = points.iter().filter(|point| point.chosen).chain(points.iter().filter(|point| !point.chosen));
    for point in first {
        let place = (x(point.loss), y(point.risk));
        if named
            .iter()
            .any(|other| (other.0 - place.0).abs() < APART.0 && (other.1 - place.1).abs() < APART.1)
        {
            continue;
        }
        named.push(place);
        let here = |other: &&FrontierPoint| (x(other.loss), y(other.risk)) == place;
        let numbers: Vec<String> = points.iter().filter(here).map(|other| other.number.to_string()).collect();
        let chosen = if point.chosen { ", chosen" } else { "" };
        let (away, anchor, room) = if point.loss < 0.55 * widest {
            (9.0, Anchor::Start, WIDTH - RIGHT - place.0 - 9.0)
        } else {
            (-9.0, Anchor::End, place.0 - LEFT - 9.0)
        };
        let name = fitted(&format!("{}{chosen}", numbers.join(", ")), room);
        svg.text(place.0 + away, place.1 - 6.0, anchor, "note", &name);
    }
    svg.text((LEFT + WIDTH) / 2.0, BOTTOM + 34.0, Anchor::Middle, "axis-name", axes.0);
    svg.text(2.0, 14.0, Anchor::Start, "axis-name", axes.1);
    svg.finish("Risk against loss of each setting, with the frontier of settings that no other beats")
}
