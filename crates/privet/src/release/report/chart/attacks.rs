//! How often attacks succeed: achieved with its interval, against baseline and control.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg, width_of};

/// One attack's shares.
pub(in super::super) struct AttackBar {
    pub(in super::super) name: String,
    pub(in super::super) share: f64,
    pub(in super::super) interval: (f64, f64),
    pub(in super::super) baseline: f64,
    pub(in super::super) control: Option<f64>,
    pub(in super::super) text: String,
}

const ROW: f64 = 26.0;

/// Draws a horizontal bar per attack from 0 to 100 %; wider than other charts, for names are long.
pub(in super::super) fn attack_bars(bars: &[AttackBar], title: &str) -> Value {
    let wide = 2.0 * WIDTH;
    let left = bars.iter().map(|bar| width_of(&bar.name)).fold(60.0, f64::max).min(260.0) + 12.0;
    let room = wide - left - 60.0;
    let x = |share: f64| left + room * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let bottom = ROW * bars.len() as f64 + 6.0;
    let mut svg = Svg::new(wide, bottom + 22.0);
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        svg.line((x(part), 2.0), (x(part), bottom), if part == 0.0 { "axis" } else { "grid" });
        svg.text(x(part), bottom + 16.0, Anchor::Middle, "tick", &format!("{:.0} %", part * 100.0));
    }
    for (at, bar) in bars.iter().enumerate() {
        let middle = ROW * at as f64 + ROW / 2.0 + 3.0;
        svg.label(0.0, middle + 4.0, left - 10.0, "label", &bar.name);
        if bar.share > 0.0 {
            svg.rect(left, middle - 6.0, (x(bar.share) - left).max(1.5), 12.0, "after");
        }
        let (low, high) = (x(bar.interval.0), x(bar.interval.1));
        svg.line((low, middle), (high, middle), "axis");
        for end in [low, high] {
            svg.line((end, middle - 4.0), (end, middle + 4.0), "axis");
        }
        svg.triangle(x(bar.baseline), middle + 6.0, 5.0, "baseline");
        if let Some(control) = bar.control {
            svg.circle(x(control), middle, 4.0, "control");
        }
        svg.text(high.max(x(bar.baseline)) + 8.0, middle + 4.0, Anchor::Start, "small", &bar.text);
    }
    svg.finish(title)
}
