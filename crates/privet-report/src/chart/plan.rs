//! A plan as a drawing: attributes around a circle, those of one table side by side, with lines between those that tell
//! something about each other.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg};

const RADIUS: f64 = 100.0;
const MIDDLE: (f64, f64) = (WIDTH / 2.0, 140.0);
/// Colours that tables take in turn.
const COLOURS: usize = 6;
/// Widths that lines come in.
const WIDTHS: f64 = 5.0;

/// Attributes that tell less about each other than this share of the most that any two do have no line.
pub(in super::super) const FAINT: f64 = 0.02;

/// Draws a plan; `strength(a, b)` is how much two attributes tell about each other, as a share of the most any two do.
pub(in super::super) fn plan(
    names: &[String],
    tables: &[Vec<usize>],
    strength: impl Fn(usize, usize) -> f64,
) -> Value {
    let mut svg = Svg::new(WIDTH, 2.0 * MIDDLE.1);
    let order: Vec<(usize, usize)> = (tables.iter().enumerate())
        .flat_map(|(table, attributes)| attributes.iter().map(move |attribute| (table, *attribute)))
        .collect();
    // A gap as wide as an attribute between tables.
    let places = (order.len() + tables.len()) as f64;
    let angle = |position: usize, table: usize| {
        let place = (position + table) as f64 + 0.5;
        std::f64::consts::TAU * place / places - std::f64::consts::FRAC_PI_2
    };
    let at = |angle: f64, radius: f64| (MIDDLE.0 + radius * angle.cos(), MIDDLE.1 + radius * angle.sin());
    for (one, (table, a)) in order.iter().enumerate() {
        for (other, (other_table, b)) in order.iter().enumerate().skip(one + 1) {
            if strength(*a, *b) < FAINT {
                continue;
            }
            let width = (strength(*a, *b) * WIDTHS).ceil() as u32;
            let kind = if table == other_table { "tie" } else { "cut" };
            let (from, to) = (at(angle(one, *table), RADIUS), at(angle(other, *other_table), RADIUS));
            svg.line(from, to, &format!("{kind} weight-{}", width.min(WIDTHS as u32)));
        }
    }
    for (position, (table, attribute)) in order.iter().enumerate() {
        let angle = angle(position, *table);
        let (x, y) = at(angle, RADIUS);
        svg.circle(x, y, 6.0, &format!("part part-{}", table % COLOURS));
        let (x, y) = at(angle, RADIUS + 13.0);
        let anchor = match angle.cos() {
            side if side > 0.25 => Anchor::Start,
            side if side < -0.25 => Anchor::End,
            _ => Anchor::Middle,
        };
        let name = short_name(&names[*attribute], 96.0);
        let lower = if angle.sin() > 0.5 { 9.0 } else { 4.0 };
        svg.text(x, y + lower, anchor, "small", &name);
    }
    svg.finish(
        "Which sensitive attributes are published in one table, and how much they tell about each other",
    )
}

/// A name that fits into `width`. Attributes of one column differ in their values: of `household=children` that is what stays.
fn short_name(name: &str, width: f64) -> String {
    let whole = super::svg::fitted(name, width);
    match name.split_once('=') {
        Some((_, value)) if whole != name => super::svg::fitted(&format!("…={value}"), width),
        _ => whole,
    }
}
