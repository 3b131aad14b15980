//! Small charts that stand in a line of text or a cell of a table.

use minijinja::Value;

use super::super::gate::Datum;
use super::super::model::Side;
use super::WIDTH;
use super::svg::Svg;

/// A bar from 0 to 1.
pub(in super::super) fn meter(share: f64, title: &Datum) -> Value {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let mut svg = Svg::new(96.0, 10.0);
    svg.rect(0.0, 2.0, 96.0, 6.0, "track");
    if share > 0.0 {
        svg.rect(0.0, 2.0, (96.0 * share).max(1.5), 6.0, "after");
    }
    svg.finish(title.text())
}

/// A figure against its threshold: the permitted side is shaded, the dot is the worst class.
pub(in super::super) fn bullet(value: Option<f64>, threshold: f64, side: Side, title: &Datum) -> Value {
    const LONG: f64 = 180.0;
    let mut svg = Svg::new(LONG, 22.0);
    let furthest = value.unwrap_or(threshold).max(threshold).max(f64::MIN_POSITIVE) * 1.25;
    let x = |figure: f64| 6.0 + (LONG - 12.0) * (figure / furthest).clamp(0.0, 1.0);
    let (from, to) = match side {
        Side::AtLeast => (x(threshold), LONG - 6.0),
        Side::AtMost | Side::Below => (6.0, x(threshold)),
    };
    svg.rect(6.0, 8.0, LONG - 12.0, 6.0, "track");
    svg.rect(from, 8.0, to - from, 6.0, "permitted");
    svg.line((x(threshold), 2.0), (x(threshold), 20.0), "threshold");
    if let Some(value) = value {
        svg.circle(x(value), 11.0, 5.0, "dot");
    }
    svg.finish(title.text())
}

/// A share from 0 to 1 as a bar; a line marks the largest one that is permitted, where that may be shown.
pub(in super::super) fn share(share: f64, threshold: Option<f64>, title: &Datum) -> Value {
    const LONG: f64 = 180.0;
    let x = |share: f64| (LONG - 2.0) * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let mut svg = Svg::new(LONG, 16.0);
    svg.rect(0.0, 5.0, LONG, 6.0, "track");
    if share > 0.0 {
        svg.rect(0.0, 5.0, x(share).max(1.5), 6.0, "after");
    }
    if let Some(threshold) = threshold {
        svg.line((x(threshold) + 1.0, 1.0), (x(threshold) + 1.0, 15.0), "threshold");
    }
    svg.finish(title.text())
}

/// What became of all records, as one bar in parts: `(share, class, title)`.
pub(in super::super) fn flow(parts: &[(f64, &str, Datum)], title: &Datum) -> Value {
    let width = 2.0 * WIDTH;
    let mut svg = Svg::new(width, 18.0);
    let mut x = 0.0;
    for (share, class, part) in parts.iter().filter(|part| part.0 > 0.0) {
        let length = (width * share).max(2.0).min(width - x);
        svg.titled_rect([x, 2.0, length - 1.0, 14.0], class, part.text());
        x += length;
    }
    svg.finish(title.text())
}
