//! How sure one may become of each sensitive value, against its threshold.

use super::super::block::{Block, Cell, Grid, Section};
use super::super::gate::{Datum, WITHHELD};
use super::super::model::{Confidence, Confidences};
use super::super::numbers::percent;
use super::super::{Edition, chart};

/// More values than this are not listed; those nearest to their threshold come first.
const MOST_ROWS: usize = 20;

pub(super) fn confidence(all: &[Confidences], edition: Edition) -> Option<Section> {
    let mut blocks = vec![Block::words(
        "The bar is the highest share of a value in any class: how sure one can be that a person who looks like this has it. \
         The line is its threshold.",
    )];
    blocks.extend(all.iter().flat_map(|given| column(given, edition)));
    let title = "How sure one may become of each value";
    (blocks.len() > 1).then(|| Section::new("confidence", "Confidence", title, blocks))
}

/// The public sees what can be computed from the release: values that it shows, with their highest shares. A threshold
/// that derives from the original's counts would give these away, and is withheld.
fn column(given: &Confidences, edition: Edition) -> Vec<Block> {
    let mut shown: Vec<&Confidence> =
        given.rows.iter().filter(|row| edition.is_steward() || row.worst > 0.0).collect();
    if shown.is_empty() {
        return Vec::new();
    }
    let threshold_shown = edition.is_steward() || !given.from_data;
    if !threshold_shown {
        // The order by tightness would say how the withheld thresholds compare.
        shown.sort_by(|a, b| a.value.cmp(&b.value));
    }
    let left = shown.len().saturating_sub(MOST_ROWS);
    let rows = shown.into_iter().take(MOST_ROWS).map(|entry| row(entry, edition, threshold_shown)).collect();
    let heads: &[&str] = match edition {
        Edition::Steward => {
            &["Value", "In the original#", "Threshold#", "Highest share#", "Share of a class"]
        }
        Edition::Public => &["Value", "Threshold#", "Highest share#", "Share of a class"],
    };
    let column = Datum::named(&given.column);
    let mut blocks = vec![
        Block::Heading(column.clone()),
        Block::Grid(Grid {
            label: Datum::say("Confidence in values of {}", [column]),
            ..Grid::cards("", heads, rows)
        }),
    ];
    if left > 0 {
        let number = edition.key().map_or_else(|| "More".into(), |key| key.count(left as u64));
        let what = if threshold_shown { "no nearer to their thresholds than these" } else { "not listed" };
        blocks.push(Block::aside(Datum::say("{} further values are {}.", [number, what.into()])));
    }
    blocks
}

fn row(entry: &Confidence, edition: Edition, threshold_shown: bool) -> Vec<Cell> {
    let worst = Datum::measured(entry.worst, percent);
    let threshold = if threshold_shown { Datum::setting(&entry.threshold_text) } else { WITHHELD.into() };
    let value = Datum::named(&entry.value);
    let title = Datum::say(
        "{}: at most {} of any class, permitted {}",
        [value.clone(), worst.clone(), threshold.clone()],
    );
    let mut row = vec![Cell::from(value)];
    row.extend(edition.key().map(|key| {
        Cell::from(key.count(*entry.records.see(key))).small(key.percent(*entry.before.see(key)))
    }));
    let drawn = chart::share(entry.worst, threshold_shown.then_some(entry.threshold), &title);
    row.extend([threshold.into(), worst.into(), Cell::drawn(drawn, "", "")]);
    row
}
