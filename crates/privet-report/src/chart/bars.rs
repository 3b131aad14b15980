//! Values of a column and how often they occur, before and after.

use minijinja::Value;

use super::super::gate::Datum;
use super::WIDTH;
use super::svg::{Anchor, Svg, width_of};

/// One value with its shares; an unknown share is drawn as a hatched stub with `text` next to it.
pub(in super::super) struct Bar {
    pub(in super::super) name: Datum,
    /// The share in the original, and its text; left out where it may not be shown.
    pub(in super::super) before: Option<(f64, Datum)>,
    pub(in super::super) after: Option<f64>,
    pub(in super::super) text: Datum,
}

/// Bars that are all shorter than this share are not stretched over the whole width: they would look like much.
const LEAST_SCALE: f64 = 0.02;

/// Draws one or two horizontal bars per value.
pub(in super::super) fn bars(bars: &[Bar], title: &Datum) -> Value {
    let paired = bars.iter().any(|bar| bar.before.is_some());
    let row = if paired { 32.0 } else { 22.0 };
    let legend = if paired { 26.0 } else { 4.0 };
    let names = bars.iter().map(|bar| width_of(bar.name.text())).fold(40.0, f64::max).min(170.0);
    let texts = bars.iter().map(|bar| width_of(bar.text.text())).fold(44.0, f64::max);
    let left = names + 12.0;
    let room = WIDTH - left - texts - 8.0;
    let longest = bars
        .iter()
        .flat_map(|bar| [bar.after.unwrap_or(0.0), bar.before.as_ref().map_or(0.0, |before| before.0)])
        .fold(0.0_f64, f64::max)
        .max(LEAST_SCALE);

    let mut svg = Svg::new(WIDTH, legend + row * bars.len() as f64 + 4.0);
    if paired {
        for (x, class, name) in [(left, "before", "Original"), (left + 84.0, "after", "Release")] {
            svg.rect(x, 4.0, 10.0, 10.0, class);
            svg.text(x + 15.0, 13.0, Anchor::Start, "note", name);
        }
    }
    svg.line((left, legend), (left, legend + row * bars.len() as f64), "axis");
    for (index, bar) in bars.iter().enumerate() {
        let top = legend + row * index as f64;
        svg.label(0.0, top + row / 2.0 + 4.0, names + 1.0, "label", bar.name.text());
        let thick = if paired { 11.0 } else { 13.0 };
        let mut y = top + (row - if paired { 2.0 * thick + 1.0 } else { thick }) / 2.0;
        if let Some((share, text)) = &bar.before {
            let width = room * share / longest;
            svg.rect(left, y, width, thick, "before");
            svg.text(left + width + 5.0, y + thick - 1.5, Anchor::Start, "small", text.text());
        }
        if paired {
            y += thick + 1.0;
        }
        match bar.after {
            Some(share) => {
                let width = room * share / longest;
                svg.rect(left, y, width, thick, "after");
                svg.text(left + width + 5.0, y + thick - 1.5, Anchor::Start, "small", bar.text.text());
            }
            None => {
                svg.rect(left, y + 0.5, 12.0, thick - 1.0, "unknown");
                svg.text(left + 17.0, y + thick - 1.5, Anchor::Start, "small", bar.text.text());
            }
        }
    }
    svg.finish(title.text())
}
