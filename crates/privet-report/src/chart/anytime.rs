//! How a search closed in on its answer: the best cost so far steps down, the proven bound steps up.

use minijinja::Value;

use super::super::model::SearchMoment;
use super::super::numbers::figure;
use super::WIDTH;
use super::svg::{Anchor, Svg};

const LEFT: f64 = 66.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 220.0;
/// Nothing before this is distinguished: one millisecond, in powers of ten seconds.
const EARLIEST: f64 = -3.0;

/// The picture of a search that is under way, as SVG for the stylesheet of the reports; `None` where there is nothing to draw yet.
///
/// ```
/// use privet_report::{SearchMoment, chart::search_chart};
/// let moment = |seconds, best, bound| SearchMoment { seconds, best: Some(best), bound: Some(bound) };
/// let svg = search_chart(&[moment(0.1, 9.0, 2.0), moment(0.4, 7.0, 6.5)], 0.5).expect("a picture");
/// assert!(svg.starts_with("<svg"));
/// ```
pub fn search_chart(trace: &[SearchMoment], seconds: f64) -> Option<String> {
    anytime(trace, seconds).map(|svg| svg.to_string())
}

/// Draws best cost and bound over time, which runs on a logarithmic axis. `None` where there is nothing to draw.
pub(in super::super) fn anytime(trace: &[SearchMoment], seconds: f64) -> Option<Value> {
    let best = known(trace, |moment| moment.best);
    let bound = known(trace, |moment| moment.bound);
    let costs = || best.iter().chain(&bound).map(|(_, cost)| *cost);
    let (low, high) = (costs().reduce(f64::min)?, costs().reduce(f64::max)?);
    // A flat line stands in the middle.
    let margin = if high > low { 0.0 } else { high.abs().max(1.0) * 0.05 };
    let (low, high) = (low - margin, high + margin);
    // `max` passes over times that are not numbers.
    let end = trace.iter().map(|moment| moment.seconds).fold(10_f64.powf(EARLIEST).max(seconds), f64::max);
    let last = end.log10().ceil().clamp(EARLIEST + 1.0, 9.0);
    let starts = trace.iter().map(|moment| moment.seconds.log10().floor()).fold(last - 1.0, f64::min);
    let first = starts.clamp(EARLIEST, last - 1.0);

    let mut svg = Svg::new(WIDTH, BOTTOM + 38.0);
    let x = |seconds: f64| {
        let place = (seconds.log10().max(first) - first) / (last - first);
        LEFT + (WIDTH - LEFT - RIGHT) * place.clamp(0.0, 1.0)
    };
    let y = |cost: f64| BOTTOM - 6.0 - (BOTTOM - TOP - 12.0) * (cost - low) / (high - low);
    svg.line((LEFT, BOTTOM), (WIDTH - RIGHT, BOTTOM), "axis");
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let cost = low + (high - low) * part;
        svg.line((LEFT, y(cost)), (WIDTH - RIGHT, y(cost)), "grid");
        svg.text(LEFT - 6.0, y(cost) + 4.0, Anchor::End, "tick", &figure(cost));
    }
    for decade in first as i32..=last as i32 {
        let at = x(10_f64.powi(decade));
        let name = if decade < -1 {
            format!("{} ms", 10_i64.pow((decade + 3).max(0) as u32))
        } else {
            format!("{} s", 10_f64.powi(decade))
        };
        svg.line((at, BOTTOM), (at, BOTTOM + 4.0), "axis");
        svg.text(at, BOTTOM + 16.0, Anchor::Middle, "tick", &name);
    }
    for (points, class) in [(&bound, "curve-before"), (&best, "curve-after")] {
        let mut drawn: Vec<(f64, f64)> = Vec::new();
        for (seconds, cost) in points {
            let next = (x(*seconds), y(*cost));
            // Of the moments that fall on one spot the last one counts.
            match drawn.last_mut().filter(|point| next.0 - point.0 < 0.5) {
                Some(point) => point.1 = next.1,
                None => drawn.push(next),
            }
        }
        if let Some((_, height)) = drawn.last().copied() {
            drawn.push((x(end), height));
            svg.steps(&drawn, class);
        }
    }
    for (start, class, name) in
        [(LEFT, "curve-after", "Best cost so far"), (LEFT + 140.0, "curve-before", "Proven bound")]
    {
        svg.line((start, 11.0), (start + 24.0, 11.0), class);
        svg.text(start + 30.0, 15.0, Anchor::Start, "note", name);
    }
    svg.text((LEFT + WIDTH) / 2.0, BOTTOM + 33.0, Anchor::Middle, "axis-name", "time (logarithmic)");
    Some(svg.finish(&in_words(&best, &bound)))
}

fn known(trace: &[SearchMoment], cost: impl Fn(&SearchMoment) -> Option<f64>) -> Vec<(f64, f64)> {
    let known = trace.iter().filter_map(|moment| Some((moment.seconds, cost(moment)?)));
    known.filter(|(_, cost)| cost.is_finite()).collect()
}

/// What the picture shows, for those who do not see it.
fn in_words(best: &[(f64, f64)], bound: &[(f64, f64)]) -> String {
    let course = |points: &[(f64, f64)]| {
        let (first, last) = (points.first()?.1, points.last()?.1);
        Some(format!("from {} to {}", figure(first), figure(last)))
    };
    let parts = [("the best cost went", course(best)), ("the proven bound", course(bound))];
    let parts: Vec<String> =
        parts.into_iter().filter_map(|(name, course)| Some(format!("{name} {}", course?))).collect();
    format!("While the search went on, {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seconds: f64, best: Option<f64>, bound: Option<f64>) -> SearchMoment {
        SearchMoment { seconds, best, bound }
    }

    #[test]
    fn both_curves_are_drawn_and_told() {
        let trace = [
            moment(0.0, None, Some(10.0)),
            moment(0.02, Some(40.0), Some(10.0)),
            moment(1.5, Some(30.0), Some(30.0)),
        ];
        let picture = anytime(&trace, 2.0).expect("a picture").to_string();
        assert!(
            picture.contains("the best cost went from 40 to 30, the proven bound from 10 to 30"),
            "{picture}"
        );
        assert_eq!(picture.matches("<path").count(), 2);
        assert!(picture.contains(">1 ms<") && picture.contains(">0.1 s<") && picture.contains(">10 s<"));
    }

    #[test]
    fn odd_traces_are_drawn_or_left_out() {
        assert!(anytime(&[], 1.0).is_none());
        assert!(anytime(&[moment(1.0, None, None)], 1.0).is_none());
        assert!(anytime(&[moment(1.0, Some(f64::NAN), None)], 1.0).is_none());
        for seconds in [0.0, 1e-9, 1.0, 1e12, f64::NAN] {
            let picture =
                anytime(&[moment(seconds, Some(0.0), None)], seconds).expect("a picture").to_string();
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        }
    }
}
