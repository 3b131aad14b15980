//! Box plots: where most of the figures lie.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg, width_of};

/// One box: the figures that 5, 25, 50, 75 and 95 in a hundred do not exceed.
pub(in super::super) struct BoxRow {
    pub(in super::super) name: String,
    pub(in super::super) quantiles: [f64; 5],
}

const ROW: f64 = 40.0;
/// Larger shares are drawn at the edge.
const MOST: f64 = 2.0;

/// Draws horizontal boxes over one axis that starts at 0.
pub(in super::super) fn boxes(rows: &[BoxRow], title: &str) -> Value {
    let left = rows.iter().map(|row| width_of(&row.name)).fold(40.0, f64::max).min(140.0) + 12.0;
    let largest = rows.iter().map(|row| row.quantiles[4]).fold(0.0, f64::max).clamp(0.05, MOST);
    let top = [0.05, 0.1, 0.2, 0.5, 1.0, MOST].into_iter().find(|top| largest <= *top).unwrap_or(MOST);
    let room = WIDTH - left - 24.0;
    let x = |share: f64| left + room * (share / top).clamp(0.0, 1.0);
    let bottom = ROW * rows.len() as f64 + 6.0;
    let mut svg = Svg::new(WIDTH, bottom + 38.0);
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        svg.line((x(top * part), 4.0), (x(top * part), bottom), if part == 0.0 { "axis" } else { "grid" });
        let text = super::super::lens::percent(top * part);
        svg.text(x(top * part), bottom + 16.0, Anchor::Middle, "tick", &text);
    }
    for (at, row) in rows.iter().enumerate() {
        let middle = ROW * at as f64 + ROW / 2.0 + 4.0;
        let [low, first, median, third, high] = row.quantiles.map(x);
        svg.label(0.0, middle + 4.0, left - 10.0, "label", &row.name);
        svg.line((low, middle), (high, middle), "axis");
        for end in [low, high] {
            svg.line((end, middle - 5.0), (end, middle + 5.0), "axis");
        }
        svg.rect(first, middle - 9.0, (third - first).max(1.0), 18.0, "box");
        svg.line((median, middle - 9.0), (median, middle + 9.0), "median");
    }
    svg.text(left + room / 2.0, bottom + 33.0, Anchor::Middle, "axis-name", "relative error");
    svg.finish(title)
}
