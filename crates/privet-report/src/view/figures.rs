//! Risk, tightness and sensitive distributions: the charts with the figures beneath them.

use minijinja::Value;
use serde::Serialize;

use super::super::Edition;
use super::super::chart::{self, Bar};
use super::super::common::Common;
use super::super::gate::Original;
use super::super::lens::{Shown, WITHHELD, figure, percent, thousands};
use super::super::model::{Distribution, Side, Tightness, ValueCount};
use super::super::risk::{Fraction, Risk};
use super::{DataTable, Figure};

/// More values of a sensitive column than this are drawn together.
const MOST_BARS: usize = 12;

/// Risk before and after.
#[derive(Serialize)]
pub(super) struct RiskView {
    alike: &'static str,
    figures: Vec<RiskRow>,
    charts: Vec<Figure>,
}

/// One measure of risk.
#[derive(Serialize)]
struct RiskRow {
    name: String,
    note: &'static str,
    before: String,
    before_exact: String,
    after: String,
    after_exact: String,
}

/// A requirement and how near its worst class comes to the threshold.
#[derive(Serialize)]
pub(super) struct TightnessView {
    requirement: String,
    /// What is compared, and the figures of the worst class.
    inequality: String,
    exact: Option<String>,
    worst: Option<String>,
    margin: String,
    value: String,
    threshold: String,
    /// Nothing where the threshold is withheld.
    chart: Option<Value>,
    holds: bool,
}

pub(super) fn risk(
    common: &Common,
    k: Option<u64>,
    alike: &'static str,
    edition: Edition,
) -> Option<RiskView> {
    // Where nothing is released there is no risk to speak of, and 0 % would sound like an achievement.
    let key = edition.key().filter(|_| common.records.released > 0)?;
    let (before, after) = (common.risk_before.as_ref()?.see(key), common.risk_after.as_ref()?);
    Some(RiskView { alike, figures: risk_rows(before, after, k), charts: risk_charts(before, after, k) })
}

fn risk_rows(before: &Risk, after: &Risk, k: Option<u64>) -> Vec<RiskRow> {
    let exact =
        |fraction: Fraction| format!("{}/{}", thousands(fraction.numerator), thousands(fraction.denominator));
    let row = |name: &str, note, before: Fraction, after: Fraction| RiskRow {
        name: name.to_string(),
        note,
        before: percent(before.to_f64()),
        before_exact: exact(before),
        after: percent(after.to_f64()),
        after_exact: exact(after),
    };
    let (old, new) = (&before.figures, &after.figures);
    let mut rows = vec![
        row(
            "Prosecutor, highest",
            "the person who is easiest to find",
            old.prosecutor_max,
            new.prosecutor_max,
        ),
        row("Prosecutor, average", "all people, one by one", old.prosecutor_mean, new.prosecutor_mean),
        row(
            "Journalist, highest",
            "without a table of the population: as the prosecutor",
            old.journalist,
            new.journalist,
        ),
        row("Marketer", "expected share of people linked rightly", old.marketer, new.marketer),
        row("Unique records", "alone in their class", old.unique, new.unique),
    ];
    if let Some(k) = k.filter(|k| *k > 1) {
        let name = format!("Risk above 1/{k}");
        rows.push(row(&name, "share of records", before.in_classes_below(k), after.in_classes_below(k)));
    }
    // The policy's own threshold stands above already.
    let listed = |threshold: Fraction| {
        k.is_some_and(|k| threshold.numerator.checked_mul(k) == Some(threshold.denominator))
    };
    for (old, new) in old.above.iter().zip(&new.above).filter(|(old, _)| !listed(old.threshold)) {
        let threshold = match old.threshold {
            Fraction { numerator, denominator: 100 } => figure(numerator as f64 / 100.0),
            other => other.to_string(),
        };
        rows.push(row(&format!("Risk above {threshold}"), "share of records", old.share, new.share));
    }
    rows
}

fn risk_charts(before: &Risk, after: &Risk, k: Option<u64>) -> Vec<Figure> {
    let bins = chart::bins(before, after, k);
    let sizes = DataTable {
        head: ["Class size", "Original", "Release"].map(str::to_string).to_vec(),
        rows: bins
            .iter()
            .map(|bin| vec![bin.name(), percent(bin.before.to_f64()), percent(bin.after.to_f64())])
            .collect(),
    };
    let at_most = |risk: &Risk, size: u64| {
        let below = risk.in_classes_below(size);
        percent((below.denominator - below.numerator) as f64 / below.denominator.max(1) as f64)
    };
    let risks = DataTable {
        head: ["Risk at most", "Original", "Release"].map(str::to_string).to_vec(),
        rows: [100, 50, 20, 11, 10, 5, 3, 2, 1]
            .map(|size| vec![format!("1/{size}"), at_most(before, size), at_most(after, size)])
            .to_vec(),
    };
    vec![
        Figure {
            title: "How many people look alike".to_string(),
            note: "Share of records by the size of their class. The further right, the better hidden."
                .to_string(),
            svg: chart::histogram(&bins, before, after, k),
            table: sizes,
        },
        Figure {
            title: "How likely a person is found".to_string(),
            note: "Share of records whose risk is at most x. The sooner a curve rises, the better."
                .to_string(),
            svg: chart::risk_curve(before, after),
            table: risks,
        },
    ]
}

pub(super) fn tightness(entry: &Tightness, edition: Edition) -> TightnessView {
    // A worst class of few people is their business, and the promise itself already says that it is not smaller.
    let small = entry.counted && entry.value.is_small() && !edition.is_steward();
    // Which class is worst depends on the threshold, so its figure would tell of a withheld one.
    let withheld = entry.from_data && !edition.is_steward();
    let value = entry.value.told(edition).filter(|_| !(withheld || small));
    let sign = match entry.side {
        Side::AtLeast => "≥",
        Side::AtMost => "≤",
        Side::Below => "<",
    };
    let threshold =
        if withheld { WITHHELD.to_string() } else { format!("{sign} {}", figure(entry.threshold)) };
    // A ratio of 1 must not be taken for a count.
    let whole = |value: f64| value.fract() == 0.0 && (1.0..=10.0).contains(&value);
    let shown = |value: f64| match whole(value) && !entry.counted {
        true => format!("{value:.1}"),
        false => figure(value),
    };
    let text = value.map_or_else(|| "not shown".to_string(), shown);
    let title = format!("{}: worst class {text}, required {threshold}", entry.requirement);
    TightnessView {
        requirement: entry.requirement.clone(),
        inequality: if withheld { String::new() } else { entry.inequality.clone() },
        exact: (edition.key().map(|key| entry.exact.see(key).clone()))
            .filter(|exact| !exact.is_empty() && *exact != text),
        margin: value.map_or_else(|| "–".to_string(), |value| margin(value, entry)),
        worst: edition.key().map(|key| entry.worst.see(key).clone()).filter(|worst| !worst.is_empty()),
        chart: (!withheld).then(|| chart::bullet(value, entry.threshold, entry.side, &title)),
        value: text,
        threshold,
        holds: entry.holds,
    }
}

/// How far the worst class is from breaking the requirement.
fn margin(value: f64, entry: &Tightness) -> String {
    let room = match entry.side {
        Side::AtLeast => value - entry.threshold,
        Side::AtMost | Side::Below => entry.threshold - value,
    };
    // Figures that are only drawn may be off by their last digits.
    match (room.abs() <= 1e-12 * entry.threshold.abs(), entry.counted) {
        (true, _) => "none: at the limit".to_string(),
        (false, true) => figure(room),
        (false, false) if room.abs() < 0.001 => {
            format!("{} of the threshold", percent(room / entry.threshold.max(f64::MIN_POSITIVE)))
        }
        (false, false) => {
            format!("{} ({})", figure(room), percent(room / entry.threshold.max(f64::MIN_POSITIVE)))
        }
    }
}

pub(super) fn distribution(distribution: &Distribution, edition: Edition) -> Option<Figure> {
    let key = edition.key();
    let before = |value: &ValueCount| key.map_or(0, |key| *value.before.see(key));
    let mut values = distribution
        .values
        .iter()
        .filter(|value| before(value) + value.after > 0)
        .cloned()
        .collect::<Vec<_>>();
    if values.is_empty() {
        return None;
    }
    let all_before = values.iter().map(before).fold(0, u64::saturating_add);
    let all_after = values.iter().map(|value| value.after).fold(0, u64::saturating_add);
    let rest =
        values.split_off(values.len().min(if values.len() > MOST_BARS { MOST_BARS - 1 } else { MOST_BARS }));
    if !rest.is_empty() {
        values.push(ValueCount {
            value: match edition {
                Edition::Steward => format!("{} more values", thousands(rest.len() as u64)),
                Edition::Public => "more values".to_string(),
            },
            before: Original::from(rest.iter().map(before).fold(0, u64::saturating_add)),
            after: rest.iter().map(|value| value.after).fold(0, u64::saturating_add),
        });
    }
    let shown = edition.counts(&values.iter().map(|value| value.after).collect::<Vec<_>>());
    let part = |count: u64, all: u64| count as f64 / all.max(1) as f64;
    let bars = values.iter().zip(&shown).map(|(value, shown)| {
        let before = part(before(value), all_before);
        let after = shown.known().map(|count| part(count, all_after));
        Bar {
            name: value.value.clone(),
            before: edition.steward_only((before, percent(before))),
            text: after.map_or_else(|| shown.text(), percent),
            after,
        }
    });
    let mut bars = bars.collect::<Vec<_>>();
    // What is drawn together would dwarf the rest: then its figures are enough.
    let length =
        |bar: &Bar| bar.after.unwrap_or(0.0).max(bar.before.as_ref().map_or(0.0, |(share, _)| *share));
    let mut note = String::new();
    if !rest.is_empty()
        && let Some((last, others)) = bars.split_last()
        && length(last) > 2.0 * others.iter().map(length).fold(0.0, f64::max)
    {
        bars.pop();
        note = "The figures also tell of the values that are not drawn.".to_string();
    }
    let (head, rows) = if edition.is_steward() {
        let row = |value: &ValueCount| {
            vec![
                value.value.clone(),
                thousands(before(value)),
                percent(part(before(value), all_before)),
                thousands(value.after),
                percent(part(value.after, all_after)),
            ]
        };
        let head = ["Value", "Original", "Share", "Release", "Share"];
        (head.map(str::to_string).to_vec(), values.iter().map(row).collect())
    } else {
        let row = |(value, shown): (&ValueCount, &Shown)| {
            let share =
                shown.known().map_or_else(|| "–".to_string(), |count| percent(part(count, all_after)));
            vec![value.value.clone(), shown.text(), share]
        };
        let head = ["Value", "Records", "Share"];
        (head.map(str::to_string).to_vec(), values.iter().zip(&shown).map(row).collect())
    };
    Some(Figure {
        title: distribution.column.clone(),
        note,
        svg: chart::bars(&bars, &format!("How often each value of {} occurs", distribution.column)),
        table: DataTable { head, rows },
    })
}
