//! Loss against exposure: what plans with fewer and fewer tables keep, and what they give away.

use minijinja::Value;

use super::WIDTH;
use super::svg::{Anchor, Svg, width_of};

const LEFT: f64 = 44.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 250.0;

/// What is written next to the chosen point.
const LABEL: &str = "this release";

/// A place for the label.
struct Spot {
    x: f64,
    y: f64,
    anchor: Anchor,
    /// Whether a line has to lead to it.
    is_far: bool,
}

impl Spot {
    /// The rectangle that the label covers: left, right, top and bottom.
    fn covers(&self) -> [f64; 4] {
        let width = width_of(LABEL);
        let left = match self.anchor {
            Anchor::Start => self.x,
            Anchor::Middle => self.x - width / 2.0,
            Anchor::End => self.x - width,
        };
        [left, left + width, self.y - 11.0, self.y + 3.0]
    }
}

/// Points along a line, near enough to each other that none of them can pass through a label unseen.
fn along(from: (f64, f64), to: (f64, f64)) -> impl Iterator<Item = (f64, f64)> {
    let steps = (to.0 - from.0).hypot(to.1 - from.1).ceil().max(1.0) as u32;
    (0..=steps).map(move |step| {
        let share = f64::from(step) / f64::from(steps);
        (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
    })
}

/// Where the label of a point hides least of what is drawn, near the point if it can be.
fn free_spot(centre: (f64, f64), taken: &[(f64, f64)]) -> Spot {
    let near = |far: f64, (side, up): (f64, f64)| Spot {
        x: centre.0 + side * far,
        y: centre.1 + up,
        anchor: if side > 0.0 { Anchor::Start } else { Anchor::End },
        is_far: far > 10.0,
    };
    let sides = [(1.0, -8.0), (-1.0, -8.0), (1.0, 16.0), (-1.0, 16.0), (1.0, -30.0), (-1.0, -30.0)];
    let spots = [10.0, 35.0, 60.0].into_iter().flat_map(|far| sides.map(|side| near(far, side)));
    let fits = |spot: &Spot| {
        let [left, right, top, bottom] = spot.covers();
        left >= LEFT && right <= WIDTH - RIGHT && top >= TOP && bottom <= BOTTOM
    };
    let hidden = |spot: &Spot| {
        let [left, right, top, bottom] = spot.covers();
        taken.iter().filter(|(x, y)| (left..=right).contains(x) && (top..=bottom).contains(y)).count()
    };
    spots.filter(fits).min_by_key(hidden).unwrap_or_else(|| near(10.0, sides[0]))
}

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
    // Next to its line, on the side that has room: the axis has its name above.
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
    let drawn: Vec<(f64, f64)> = points.iter().map(|(alpha, beta)| (x(*alpha), y(*beta))).collect();
    let alpha_line = [(x(limits.0), TOP), (x(limits.0), BOTTOM)];
    let beta_line = [(LEFT, y(limits.1)), (WIDTH - RIGHT, y(limits.1))];
    let lines = drawn.windows(2).chain([&alpha_line[..], &beta_line[..]]);
    let taken: Vec<(f64, f64)> =
        lines.flat_map(|line| along(line[0], line[1])).chain(drawn.clone()).collect();
    let centre = (x(chosen.0), y(chosen.1));
    let spot = free_spot(centre, &taken);
    if spot.is_far {
        svg.line(centre, (spot.x, spot.y - 4.0), "grid");
    }
    svg.circle(centre.0, centre.1, 6.0, "node-on");
    svg.text(spot.x, spot.y, spot.anchor, "note", LABEL);
    svg.text((LEFT + WIDTH) / 2.0, BOTTOM + 33.0, Anchor::Middle, "axis-name", "association lost (Γα)");
    svg.text(LEFT, TOP - 8.0, Anchor::Start, "axis-name", "exposed (Γβ)");
    svg.finish("Association loss and information exposure of plans with fewer and fewer tables")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_hides_no_point() {
        // Points one above the other just to the right of the chosen one, which stands at the left edge.
        let points: Vec<(f64, f64)> =
            (0..12).map(|step| (60.0 + 18.0, 250.0 - f64::from(step) * 6.0)).collect();
        let spot = free_spot((60.0, 243.0), &points);
        let [left, right, top, bottom] = spot.covers();
        assert!(!points.iter().any(|(x, y)| (left..=right).contains(x) && (top..=bottom).contains(y)));
        assert!(left >= LEFT && right <= WIDTH - RIGHT && top >= TOP && bottom <= BOTTOM);
        assert!(spot.is_far);
        // Where nothing is in the way it stands next to its point.
        assert!(!free_spot((200.0, 100.0), &[]).is_far);
    }

    #[test]
    fn a_line_is_seen_wherever_it_passes() {
        let found: Vec<(f64, f64)> = along((0.0, 0.0), (30.0, 40.0)).collect();
        assert_eq!((found.len(), found[0], found[50]), (51, (0.0, 0.0), (30.0, 40.0)));
    }
}
