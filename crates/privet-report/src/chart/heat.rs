//! A square of pairs: the darker a cell, the larger its figure, which also stands in it.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg, width_of};

/// Room for the first column's name.
const TOP: f64 = 18.0;
/// In narrower cells figures do not fit.
const LEAST_SIDE: f64 = 20.0;

/// Draws the lower half of a symmetric matrix with figures from −1 to 1; pairs without one are hatched.
pub(in super::super) fn heat(
    names: &[String],
    of: &dyn Fn(usize, usize) -> Option<f64>,
    title: &str,
) -> Value {
    let left = names.iter().map(|name| width_of(name)).fold(40.0, f64::max).min(132.0) + 8.0;
    let count = names.len().saturating_sub(1).max(1);
    // The names of columns stand above their first cells and run to the right: the last ones need room there.
    let fits = |(column, name): (usize, &String)| (WIDTH - left - 4.0 - width_of(name)) / column as f64;
    let narrowest = names.iter().take(count).enumerate().skip(1).map(fits).fold(f64::INFINITY, f64::min);
    let side = ((WIDTH - left - 4.0) / count as f64).min(narrowest.max(LEAST_SIDE)).min(40.0);
    let mut svg = Svg::new(WIDTH, side * count as f64 + TOP + 4.0);
    for (row, name) in names.iter().enumerate().skip(1) {
        let y = side * (row - 1) as f64 + TOP;
        svg.label(0.0, y + side / 2.0 + 4.0, left - 6.0, "label", name);
        for (column, other) in names.iter().enumerate().take(row) {
            let x = left + side * column as f64;
            let value = of(column, row);
            let class = match value {
                None => "unknown".to_string(),
                // What is printed as 0 is drawn as 0.
                Some(value) if value.abs() < 0.005 => "warm-0".to_string(),
                Some(value) => {
                    let sign = if value < 0.0 { "cool" } else { "warm" };
                    format!("{sign}-{}", ((value.abs() * 5.0).ceil() as u32).clamp(0, 5))
                }
            };
            let text = value.map_or_else(|| "none".to_string(), |value| format!("{value:.2}"));
            let place = [x + 0.5, y + 0.5, side - 1.0, side - 1.0];
            svg.titled_rect(place, &class, &format!("{name} and {other}: {text}"));
            if let Some(value) = value {
                let class = if value.abs() > 0.6 { "cell light" } else { "cell" };
                svg.text(x + side / 2.0, y + side / 2.0 + 3.5, Anchor::Middle, class, &short(value));
            }
        }
    }
    // Each column is named above its first cell, where the stairs leave room.
    for (column, name) in names.iter().enumerate().take(count) {
        let y = TOP + side * column as f64 - 4.0;
        let x = left + side * column as f64 + 2.0;
        svg.label(x, y, WIDTH - x, "tick", name);
    }
    svg.finish(title)
}

/// Two digits behind the point, and nothing before it: “.25”.
fn short(value: f64) -> String {
    let hundredths = (value.abs() * 100.0).round() as u32;
    let sign = if value < 0.0 && hundredths > 0 { "−" } else { "" };
    match hundredths {
        0 => "0".to_string(),
        100.. => format!("{sign}1"),
        _ => format!("{sign}.{hundredths:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_names_are_escaped() {
        assert_eq!([0.0, 0.254, -0.05, 1.0, -0.001].map(short), ["0", ".25", "−.05", "1", "0"]);
        let names = ["<b>".to_string(), "b".to_string()];
        let picture = heat(&names, &|_, _| Some(0.5), "t").to_string();
        assert!(!picture.contains("<b>") && picture.contains(".50"), "{picture}");
        assert!(heat(&names, &|_, _| None, "t").to_string().contains("unknown"));
    }
}
