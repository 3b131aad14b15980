//! Class sizes before and after, on a logarithmic axis, with the line that no class may lie left of.

use minijinja::Value;

use super::super::numbers::percent;
use super::super::risk::{Fraction, Risk};
use super::WIDTH;
use super::svg::{Anchor, Svg};
use privet_core::noun;
use privet_core::thousands;

const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const PANEL: f64 = 78.0;
const FIRST_PANEL: f64 = 46.0;
const BETWEEN: f64 = 28.0;

/// A range of class sizes, both ends included, and the share of all records in classes of such a size.
pub(in super::super) struct Bin {
    pub(in super::super) from: u64,
    pub(in super::super) to: u64,
    pub(in super::super) before: Fraction,
    pub(in super::super) after: Fraction,
}

impl Bin {
    pub(in super::super) fn name(&self) -> String {
        if self.from == self.to {
            thousands(self.from)
        } else {
            format!("{}–{}", thousands(self.from), thousands(self.to))
        }
    }
}

/// Bins that grow as 1, 2, 5, 10, …; k takes the place of the nearest of these, so that no bin lies on both sides of it.
pub(in super::super) fn bins(before: &Risk, after: &Risk, k: Option<u64>) -> Vec<Bin> {
    let largest = [before, after]
        .iter()
        .filter_map(|risk| risk.classes.last())
        .map(|entry| entry.size)
        .max()
        .unwrap_or(1);
    let mut edges = Vec::new();
    let mut decade = 1_u64;
    'all: loop {
        for step in [1, 2, 5] {
            let edge = decade.saturating_mul(step);
            edges.push(edge);
            if edge > largest {
                break 'all;
            }
        }
        decade = decade.saturating_mul(10);
    }
    if let Some(k) = k.filter(|k| *k > 1 && !edges.contains(k) && edges.last().is_some_and(|last| k < last)) {
        let ratio = |edge: u64| (edge as f64 / k as f64).ln().abs();
        // The first edge is kept: records that are alone are a case of their own. So is the last, the axis' end.
        let nearest = (2..edges.len().saturating_sub(1))
            .min_by(|&one, &other| ratio(edges[one]).total_cmp(&ratio(edges[other])));
        match nearest {
            Some(nearest) => edges[nearest] = k,
            None => edges.push(k),
        }
        edges.sort_unstable();
    }
    let share = |risk: &Risk, from: u64, end: u64| {
        let below = risk.in_classes_below(end);
        Fraction::new(
            below.numerator.saturating_sub(risk.in_classes_below(from).numerator),
            below.denominator,
        )
    };
    edges
        .windows(2)
        .map(|pair| Bin {
            from: pair[0],
            to: pair[1] - 1,
            before: share(before, pair[0], pair[1]),
            after: share(after, pair[0], pair[1]),
        })
        .collect()
}

/// Draws the bins as two panels over one axis.
pub(in super::super) fn histogram(bins: &[Bin], before: &Risk, after: &Risk, k: Option<u64>) -> Value {
    let bottom = FIRST_PANEL + 2.0 * PANEL + BETWEEN;
    let mut svg = Svg::new(WIDTH, bottom + 38.0);
    let end = bins.last().map_or(2, |bin| bin.to.saturating_add(1));
    let x = |size: u64| LEFT + (WIDTH - LEFT - RIGHT) * (size as f64).ln() / (end.max(2) as f64).ln();
    let tallest = bins
        .iter()
        .flat_map(|bin| [bin.before.to_f64(), bin.after.to_f64()])
        .fold(0.0_f64, f64::max)
        .max(0.01);
    // The axis ends at a round figure, so that its label can be read.
    let top = [0.1, 0.2, 0.4, 0.6, 0.8, 1.0].into_iter().find(|top| tallest <= *top).unwrap_or(1.0);

    for (panel, name) in ["Original", "Release"].into_iter().enumerate() {
        let base = FIRST_PANEL + PANEL + panel as f64 * (PANEL + BETWEEN);
        for part in [0.0, 0.5, 1.0] {
            let y = base - PANEL * part;
            svg.line((LEFT, y), (WIDTH - RIGHT, y), if part == 0.0 { "axis" } else { "grid" });
            svg.text(LEFT - 6.0, y + 4.0, Anchor::End, "tick", &percent(top * part));
        }
        for bin in bins {
            let share = if panel == 0 { bin.before } else { bin.after };
            if share.numerator == 0 {
                continue;
            }
            // A bar that stands for somebody is never too low to be seen.
            let height = (PANEL * share.to_f64() / top).max(1.5);
            let (from, to) = (x(bin.from) + 1.0, x(bin.to.saturating_add(1)) - 1.0);
            let title = format!(
                "{name}: {} of records in classes of {} {}",
                percent(share.to_f64()),
                bin.name(),
                noun(bin.to, "record", "records")
            );
            let class = if panel == 0 { "before" } else { "after" };
            svg.titled_rect([from, base - height, to - from, height], class, &title);
        }
    }
    if let Some(k) = k.filter(|k| *k > 1 && *k < end) {
        svg.line((x(k), 6.0), (x(k), bottom), "limit");
        let anchor = if x(k) > WIDTH * 0.8 { Anchor::End } else { Anchor::Start };
        let aside = if matches!(anchor, Anchor::End) { -5.0 } else { 5.0 };
        svg.text(x(k) + aside, 15.0, anchor, "limit-text", &format!("k = {k}"));
    }
    for (base, name, risk) in
        [(FIRST_PANEL, "Original", before), (FIRST_PANEL + PANEL + BETWEEN, "Release", after)]
    {
        let classes = noun(risk.figures.classes, "class", "classes");
        let text = format!(
            "{name}: {} {} in {} {classes}",
            thousands(risk.figures.records),
            noun(risk.figures.records, "record", "records"),
            thousands(risk.figures.classes)
        );
        svg.text(WIDTH - RIGHT, base - 6.0, Anchor::End, "note", &text);
    }
    let mut free_from = f64::MIN;
    for edge in bins.iter().map(|bin| bin.from).chain([end]) {
        svg.line((x(edge), bottom), (x(edge), bottom + 4.0), "axis");
        let text = short(edge);
        let half = super::svg::width_of(&text) / 2.0;
        let middle = x(edge).min(WIDTH - half);
        if middle - half > free_from {
            svg.text(middle, bottom + 16.0, Anchor::Middle, "tick", &text);
            free_from = middle + half + 3.0;
        }
    }
    svg.text(
        (LEFT + WIDTH) / 2.0,
        bottom + 33.0,
        Anchor::Middle,
        "axis-name",
        "records in the class (logarithmic)",
    );
    svg.finish("Share of records by the size of their class, in the original and in the release")
}

/// A size that leaves room for its neighbours: 20k.
fn short(size: u64) -> String {
    match size {
        0..1_000 => size.to_string(),
        1_000..1_000_000 if size.is_multiple_of(100) => format!("{}k", size as f64 / 1e3),
        1_000_000.. if size.is_multiple_of(100_000) => format!("{}M", size as f64 / 1e6),
        _ => thousands(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_lies_in_one_bin_and_none_crosses_k() {
        let before = Risk::from_class_sizes(&[(1, 10), (3, 5), (40, 2)]);
        let after = Risk::from_class_sizes(&[(7, 3), (84, 1)]);
        for k in [None, Some(1), Some(2), Some(3), Some(7), Some(11), Some(60), Some(5000)] {
            let bins = bins(&before, &after, k);
            assert_eq!(bins.iter().map(|bin| bin.before.numerator).sum::<u64>(), 105, "{k:?}");
            assert_eq!(bins.iter().map(|bin| bin.after.numerator).sum::<u64>(), 105, "{k:?}");
            if let Some(k) = k {
                assert!(bins.iter().all(|bin| bin.to < k || bin.from >= k), "{k}");
            }
            assert!(bins.windows(2).all(|pair| pair[0].to + 1 == pair[1].from), "{k:?}");
        }
    }

    #[test]
    fn an_empty_release_can_be_drawn() {
        let nothing = Risk::from_class_sizes(&[]);
        let bins = bins(&nothing, &nothing, Some(5));
        assert!(histogram(&bins, &nothing, &nothing, Some(5)).to_string().starts_with("<svg"));
    }
}
