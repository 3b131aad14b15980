//! Loss against exposure: what plans with fewer and fewer tables keep, and what they give away.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg};

const LEFT: f64 = 44.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 250.0;

/// Draws points of (association loss, information exposure) in order, the chosen one, and the limits on both.
pub(in super::super) fn tradeoff(points: &[(f64, f64)], chosen: (f64, f64), limits: (f64, f64)) -> Value {
    let mut svg = Svg::new(WIDTH, BOTTOM + 40.0);
    let x = |alpha: f64| LEFT + (WIDTH - LEFT - RIGHT) * alpha;
    let y = |beta: f64| BOTTOM - (BOTTOM - TOP) * beta;
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let class = if share == 0.0 { "axis" } else { "grid" };
        svg.line((LEFT, y(share)), (WIDTH - RIGHT, y(share)), class);
        svg.text(LEFT - 6.0, y(share) + 4.0, Anchor::End, "tick", &format!("{share}"));
        svg.line((x(share), BOTTOM), (x(share), BOTTOM + 4.0), "axis");
        svg.text(x(share), BOTTOM + 16.0, Anchor::Middle, "tick", &format!("{share}"));
    }
    svg.line((x(limits.0), TOP), (x(limits.0), BOTTOM), "mark");
    // Beside its line, on the side that has room: the axis has its name above.
    let side = if limits.0 < 0.7 { (5.0, Anchor::Start) } else { (-5.0, Anchor::End) };
    svg.text(x(limits.0) + side.0, TOP + 14.0, side.1, "tick", "limit alpha");
    svg.line((LEFT, y(limits.1)), (WIDTH - RIGHT, y(limits.1)), "mark");
    svg.text(WIDTH - RIGHT, y(limits.1) - 4.0, Anchor::End, "tick", "limit beta");
    for pair in points.windows(2) {
        svg.line((x(pair[0].0), y(pair[0].1)), (x(pair[1].0), y(pair[1].1)), "curve-before");
    }
    for (alpha, beta) in points {
        svg.circle(x(*alpha), y(*beta), 2.6, "node-above");
    }
    svg.circle(x(chosen.0), y(chosen.1), 6.0, "node-on");
    let beside = if chosen.0 < 0.7 { (10.0, Anchor::Start) } else { (-10.0, Anchor::End) };
    svg.text(x(chosen.0) + beside.0, y(chosen.1) - 8.0, beside.1, "note", "this release");
    svg.text((LEFT + WIDTH) / 2.0, BOTTOM + 33.0, Anchor::Middle, "axis-name", "association lost (Γα)");
    svg.text(LEFT, TOP - 8.0, Anchor::Start, "axis-name", "exposed (Γβ)");
    svg.finish("Association loss and information exposure of plans with fewer and fewer tables")
}
