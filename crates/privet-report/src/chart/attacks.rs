//! How often attacks succeed: achieved with its interval, against baseline and control.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg};

/// One attack's shares.
pub(in super::super) struct AttackBar {
    pub(in super::super) name: String,
    pub(in super::super) share: f64,
    pub(in super::super) interval: (f64, f64),
    pub(in super::super) baseline: f64,
    pub(in super::super) control: Option<f64>,
    pub(in super::super) text: String,
}

/// An attack's name and its bar below.
const ROW: f64 = 38.0;
const LEFT: f64 = 14.0;

/// Draws a horizontal bar per attack from 0 to 100 %, with its name above, for names are long.
pub(in super::super) fn attack_bars(bars: &[AttackBar], title: &str) -> Value {
    let room = WIDTH - LEFT - 16.0;
    let x = |share: f64| LEFT + room * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let bottom = ROW * bars.len() as f64 + 6.0;
    let mut svg = Svg::new(WIDTH, bottom + 22.0);
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        svg.line((x(part), 2.0), (x(part), bottom), if part == 0.0 { "axis" } else { "grid" });
        svg.text(x(part), bottom + 16.0, Anchor::Middle, "tick", &format!("{:.0} %", part * 100.0));
    }
    for (at, bar) in bars.iter().enumerate() {
        let top = ROW * at as f64;
        let middle = top + 25.0;
        svg.label(LEFT + 5.0, top + 13.0, room - 70.0, "note", &bar.name);
        svg.text(WIDTH - 16.0, top + 13.0, Anchor::End, "note", &bar.text);
        if bar.share > 0.0 {
            svg.rect(LEFT, middle - 6.0, (x(bar.share) - LEFT).max(1.5), 12.0, "after");
        }
        let (low, high) = (x(bar.interval.0), x(bar.interval.1));
        svg.line((low, middle), (high, middle), "axis");
        for end in [low, high] {
            svg.line((end, middle - 4.0), (end, middle + 4.0), "axis");
        }
        svg.triangle(x(bar.baseline), middle + 5.0, 5.0, "baseline");
        if let Some(control) = bar.control {
            svg.circle(x(control), middle, 4.0, "control");
        }
    }
    svg.finish(title)
}
