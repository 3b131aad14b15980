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
/// Larger shares lie beyond the axis: an arrow points to them, with the number.
const MOST: f64 = 2.0;

/// Draws horizontal boxes over one axis that starts at 0.
pub(in super::super) fn boxes(rows: &[BoxRow], axis: &str, title: &str) -> Value {
    let left = rows.iter().map(|row| width_of(&row.name)).fold(40.0, f64::max).min(140.0) + 12.0;
    let largest = rows.iter().map(|row| row.quantiles[4]).fold(0.0, f64::max).clamp(0.05, MOST);
    let top = [0.05, 0.1, 0.2, 0.5, 1.0, MOST].into_iter().find(|top| largest <= *top).unwrap_or(MOST);
    let room = WIDTH - left - 24.0;
    let x = |share: f64| left + room * (share / top).clamp(0.0, 1.0);
    let bottom = ROW * rows.len() as f64 + 6.0;
    let mut svg = Svg::new(WIDTH, bottom + 38.0);
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        svg.line((x(top * part), 4.0), (x(top * part), bottom), if part == 0.0 { "axis" } else { "grid" });
        let text = super::super::numbers::percent(top * part);
        svg.text(x(top * part), bottom + 16.0, Anchor::Middle, "tick", &text);
    }
    for (at, row) in rows.iter().enumerate() {
        let middle = ROW * at as f64 + ROW / 2.0 + 4.0;
        let [low, first, median, third, high] = row.quantiles.map(x);
        let fits = |quantile: usize| row.quantiles[quantile] <= top;
        svg.label(0.0, middle + 4.0, left - 10.0, "label", &row.name);
        svg.line((low, middle), (high, middle), "axis");
        for (end, quantile) in [(low, 0), (high, 4)] {
            if fits(quantile) {
                svg.line((end, middle - 5.0), (end, middle + 5.0), "axis");
            }
        }
        if fits(1) {
            svg.rect(first, middle - 9.0, (third - first).max(1.0), 18.0, "box");
        }
        if fits(2) {
            svg.line((median, middle - 9.0), (median, middle + 9.0), "median");
        }
        if !fits(4) {
            svg.arrow(high + 9.0, middle, 5.0, "beyond");
            svg.text(WIDTH - 2.0, middle - 12.0, Anchor::End, "small", &beyond(&row.quantiles, top));
        }
    }
    svg.text(left + room / 2.0, bottom + 33.0, Anchor::Middle, "axis-name", axis);
    svg.finish(title)
}

/// What lies beyond the axis, in numbers.
fn beyond(quantiles: &[f64; 5], top: f64) -> String {
    let named = [(2, "median"), (3, "box to"), (4, "whisker to")];
    let further = named.into_iter().filter(|(at, _)| quantiles[*at] > top);
    let texts = further.map(|(at, name)| format!("{name} {}", super::super::numbers::percent(quantiles[at])));
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_the_axis_is_marked_and_told() {
        let row = |quantiles| BoxRow { name: "three conditions".into(), quantiles };
        let within = boxes(&[row([0.0, 0.1, 0.2, 0.5, 1.9])], "relative error", "t").to_string();
        assert!(!within.contains("beyond") && !within.contains("whisker"), "{within}");
        let further = boxes(&[row([0.0, 0.1, 0.2, 0.5, 5.74])], "relative error", "t").to_string();
        assert!(further.contains("class=\"beyond\"") && further.contains("whisker to 574 %"), "{further}");
        assert!(further.contains("class=\"median\""));
        let all = boxes(&[row([2.5, 3.0, 3.5, 4.0, 5.0])], "relative error", "t").to_string();
        assert!(all.contains("median 350 %, box to 400 %, whisker to 500 %"), "{all}");
        assert!(!all.contains("class=\"box\"") && !all.contains("class=\"median\""), "{all}");
    }
}
