//! How strongly columns go together, before and after.

use super::super::block::Chart;
use super::super::chart;
use super::super::fidelity::{Associations, Fidelity};
use super::super::gate::{Datum, Key};
use privet_core::counted;

/// At most this many pairs are named whose association is lost, the strongest first.
const MOST_LOST: usize = 6;
/// An association of at least this strength can be lost.
const STRONG: f64 = 0.2;

impl Associations {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let width = self.columns.len();
        (0..width).flat_map(move |a| (a + 1..width).map(move |b| (a, b)))
    }

    fn before(&self, a: usize, b: usize) -> Option<f64> {
        self.before.get(a * self.columns.len() + b).copied().flatten()
    }

    fn after(&self, a: usize, b: usize) -> Option<f64> {
        self.after.get(a * self.columns.len() + b).copied().flatten()
    }

    /// A pair that no table has lost its association altogether.
    fn change(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.after(a, b).unwrap_or(0.0) - self.before(a, b)?)
    }
}

/// Pairs of columns whose association is mostly gone, strongest first.
pub(super) fn lost(found: &Associations) -> Vec<String> {
    let mut lost: Vec<(f64, String)> = (found.pairs())
        .filter_map(|(a, b)| {
            let before = found.before(a, b).filter(|before| *before >= STRONG)?;
            let after = found.after(a, b).unwrap_or(0.0);
            (after < before / 2.0).then(|| (before, format!("{} and {}", found.columns[a], found.columns[b])))
        })
        .collect();
    lost.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let more = lost.len().saturating_sub(MOST_LOST);
    let unnamed = (more > 0).then(|| format!("and {}", counted(more as u64, "weaker pair", "weaker pairs")));
    lost.into_iter().take(MOST_LOST).map(|(_, pair)| pair).chain(unnamed).collect()
}

/// Heat maps with all of their pairs below, those that changed most first. For the steward alone: what goes
/// together in the release everybody can count, the rest speaks of the original.
pub(super) fn charts(fidelity: &Fidelity, key: Key) -> Vec<Chart> {
    let found = &fidelity.associations;
    let (head, name, scale, below) = match fidelity.of_sets {
        true => (
            "Pair",
            "φ",
            "φ of holding both, from −1 (one or the other) to 1 (always both).",
            "Below 0: they go together less than they did.",
        ),
        false => ("Columns", "Cramér’s V", "Cramér’s V, from 0 to 1.", "Below 0: weaker than it was."),
    };
    if found.columns.len() < 2 {
        return Vec::new();
    }
    // The sign of printed figures is a minus, and nothing has none.
    let strength = |value: Option<f64>| match value {
        None => Datum::from("–"),
        Some(value) => key.text(format!("{value:.2}").replace("-0.00", "0.00").replace('-', "−")),
    };
    let mut pairs: Vec<(usize, usize)> = found.pairs().collect();
    let size = |pair: &(usize, usize)| found.change(pair.0, pair.1).map_or(0.0, f64::abs);
    pairs.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
    let pair = |&(a, b): &(usize, usize)| key.text(format!("{} – {}", found.columns[a], found.columns[b]));
    let chart = |title: &'static str, note: &'static str, of: &dyn Fn(usize, usize) -> Option<f64>| {
        let rows = pairs.iter().map(|at| vec![pair(at), strength(of(at.0, at.1))]).collect();
        Chart::new(title, note, chart::heat(&found.columns, of, title), &[head, name], rows)
    };
    vec![
        chart("Associations in the original", scale, &|a, b| found.before(a, b)),
        chart("Associations in the release", scale, &|a, b| found.after(a, b)),
        chart("Release less original", below, &|a, b| found.change(a, b)),
    ]
}
