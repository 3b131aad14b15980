//! How sure one may become of each sensitive value, against its threshold.

use minijinja::Value;
use serde::Serialize;

use super::super::Edition;
use super::super::chart;
use super::super::lens::{WITHHELD, percent, thousands};
use super::super::model::{Confidence, Confidences};

/// More values than this are not listed; those nearest to their threshold come first.
const MOST_ROWS: usize = 20;

/// One column's values.
#[derive(Serialize)]
pub(super) struct ConfidenceView {
    column: String,
    rows: Vec<ConfidenceRow>,
    /// What is said about the values that are not listed.
    more: Option<String>,
}

#[derive(Serialize)]
struct ConfidenceRow {
    value: String,
    records: Option<String>,
    before: Option<String>,
    threshold: String,
    worst: String,
    chart: Value,
}

/// The public sees what can be computed from the release: values that it shows, with their highest shares. A threshold
/// that derives from the original's counts would tell these, and is withheld.
pub(super) fn confidence(given: &Confidences, edition: Edition) -> Option<ConfidenceView> {
    let mut shown =
        given.rows.iter().filter(|row| edition.is_steward() || row.worst > 0.0).collect::<Vec<_>>();
    let threshold_shown = edition.is_steward() || !given.from_data;
    if !threshold_shown {
        // The order by tightness would tell how the withheld thresholds compare.
        shown.sort_by(|a, b| a.value.cmp(&b.value));
    }
    let left = shown.len().saturating_sub(MOST_ROWS);
    let more = (left > 0).then(|| {
        let number = edition.steward_only(thousands(left as u64)).unwrap_or_else(|| "More".to_string());
        let what = if threshold_shown { "no nearer to their thresholds than these" } else { "not listed" };
        format!("{number} further values are {what}.")
    });
    let rows: Vec<ConfidenceRow> =
        shown.into_iter().take(MOST_ROWS).map(|entry| row(entry, edition, threshold_shown)).collect();
    (!rows.is_empty()).then(|| ConfidenceView { column: given.column.clone(), rows, more })
}

fn row(entry: &Confidence, edition: Edition, threshold_shown: bool) -> ConfidenceRow {
    let worst = percent(entry.worst);
    let threshold = if threshold_shown { entry.threshold_text.clone() } else { WITHHELD.to_string() };
    let title = format!("{}: at most {worst} of any class, permitted {threshold}", entry.value);
    ConfidenceRow {
        value: entry.value.clone(),
        records: edition.key().map(|key| thousands(*entry.records.see(key))),
        before: edition.key().map(|key| percent(*entry.before.see(key))),
        chart: chart::share(entry.worst, threshold_shown.then_some(entry.threshold), &title),
        threshold,
        worst,
    }
}
