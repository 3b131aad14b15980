//! Risk, tightness and sensitive distributions: the charts with the figures below them.

use super::super::Edition;
use super::super::block::{Block, Cell, Chart, Grid, Section};
use super::super::chart::{self, Bar};
use super::super::common::Common;
use super::super::gate::{CountShown, Datum, Key, Original, WITHHELD};
use super::super::model::{Distribution, Side, Tightness, ValueCount};
use super::super::numbers::{figure, percent};
use super::super::risk::{ColumnSetRisk, Fraction, Risk};
use privet_core::thousands;

/// More values of a sensitive column than this are drawn together.
const MOST_BARS: usize = 12;

/// Risk before and after.
pub(super) fn risk(common: &Common, k: Option<u64>, alike: &'static str, key: Key) -> Option<Section> {
    // Where nothing is released there is no risk to speak of, and 0 % would sound like an achievement.
    if common.records.released == 0 {
        return None;
    }
    let (before, after) = (common.risk_before.as_ref()?.see(key), common.risk_after.as_ref()?);
    let mut blocks = vec![Block::words(alike)];
    let mut charts = risk_charts(before, after, k, key);
    charts.extend(column_sets(common.column_sets.see(key), key));
    blocks.extend(Block::charts(charts));
    let journalist = common.journalist.as_ref().map(|found| *found.see(key));
    let rows = risk_rows((before, after), journalist, k, key);
    let grid = Grid::cards("Risk", &["Risk", "Original#", "Release#"], rows);
    blocks.push(Block::Grid(Grid { class: "risk", ..grid }));
    Some(Section::new("risk", "Risk", "Risk before and after", blocks))
}

/// What somebody finds who knows only some columns.
fn column_sets(sets: &[ColumnSetRisk], key: Key) -> Option<Chart> {
    if sets.is_empty() {
        return None;
    }
    let name = |set: &ColumnSetRisk| key.text(set.columns.join(", "));
    let bars: Vec<Bar> = sets
        .iter()
        .map(|set| Bar {
            name: name(set),
            before: Some((set.before.to_f64(), key.percent(set.before.to_f64()))),
            after: Some(set.after.to_f64()),
            text: key.percent(set.after.to_f64()),
        })
        .collect();
    let rows = sets.iter().map(|set| {
        let shares = [set.before.to_f64(), set.after.to_f64(), set.apart[0], set.apart[1]];
        std::iter::once(name(set)).chain(shares.map(|share| key.percent(share))).collect()
    });
    let title = "Which columns identify";
    let chart = chart::bars(&bars, &title.into());
    Some(Chart::new(
        title,
        "Average risk for somebody who knows these columns and no others: different combinations over records. Of pairs, those \
         that tell most. Separation: pairs of records that differ in them.",
        chart,
        &["Columns", "Original", "Release", "Separation, original", "Separation, release"],
        rows.collect(),
    ))
}

fn risk_rows(
    (before, after): (&Risk, &Risk),
    journalist: Option<[Fraction; 2]>,
    k: Option<u64>,
    key: Key,
) -> Vec<Vec<Cell>> {
    let cell = |fraction: Fraction| {
        let exact = [fraction.numerator, fraction.denominator].map(|part| key.count(part));
        Cell::from(key.percent(fraction.to_f64())).small(Datum::say("{}/{}", exact))
    };
    let row = |name: Datum, note: &'static str, before: Fraction, after: Fraction| {
        vec![Cell::from(name).small(note), cell(before), cell(after)]
    };
    let (old, new) = (&before.figures, &after.figures);
    let (knows, [unseen, seen]) = match journalist {
        Some(both) => ("one over the fewest people of the population behind a class", both),
        None => ("without a table of the population: as the prosecutor", [old.journalist, new.journalist]),
    };
    let mut rows = vec![
        row(
            "Prosecutor, highest".into(),
            "the person who is easiest to find",
            old.prosecutor_max,
            new.prosecutor_max,
        ),
        row("Prosecutor, average".into(), "all people, one by one", old.prosecutor_mean, new.prosecutor_mean),
        row("Journalist, highest".into(), knows, unseen, seen),
        row("Marketer".into(), "expected share of people linked rightly", old.marketer, new.marketer),
        row("Unique records".into(), "alone in their class", old.unique, new.unique),
    ];
    let above = |threshold: Datum| Datum::say("Risk above {}", [threshold]);
    if let Some(k) = k.filter(|k| *k > 1) {
        let name = above(Datum::setting(format_args!("1/{k}")));
        rows.push(row(name, "share of records", before.in_classes_below(k), after.in_classes_below(k)));
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
        rows.push(row(above(Datum::setting(threshold)), "share of records", old.share, new.share));
    }
    rows
}

fn risk_charts(before: &Risk, after: &Risk, k: Option<u64>, key: Key) -> Vec<Chart> {
    let bins = chart::bins(before, after, k);
    let sizes = bins.iter().map(|bin| {
        vec![Datum::setting(bin.name()), key.percent(bin.before.to_f64()), key.percent(bin.after.to_f64())]
    });
    let at_most = |risk: &Risk, size: u64| {
        let below = risk.in_classes_below(size);
        key.percent((below.denominator - below.numerator) as f64 / below.denominator.max(1) as f64)
    };
    let risks = [100, 50, 20, 11, 10, 5, 3, 2, 1].map(|size| {
        vec![Datum::setting(format_args!("1/{size}")), at_most(before, size), at_most(after, size)]
    });
    vec![
        Chart::new(
            "How many people look alike",
            "Share of records by the size of their class. The further right, the better hidden.",
            chart::histogram(&bins, before, after, k),
            &["Class size", "Original", "Release"],
            sizes.collect(),
        ),
        Chart::new(
            "How likely a person is found",
            "Share of records whose risk is at most x. The sooner a curve rises, the better.",
            chart::risk_curve(before, after),
            &["Risk at most", "Original", "Release"],
            risks.to_vec(),
        ),
    ]
}

/// How near each requirement is to its limit.
pub(super) fn tightness(common: &Common, edition: Edition) -> Option<Section> {
    if common.tightness.is_empty() {
        return None;
    }
    let rows = common.tightness.iter().map(|entry| tightness_row(entry, edition)).collect();
    let heads = ["Requirement", "Required#", "Worst class#", "Margin", "Verdict"];
    let mut grid = Grid::cards("Requirements and their limits", &heads, rows);
    grid.heads[3].class = "bullet";
    let how = "The dot is the worst class, the line the threshold, the shaded side what is permitted. Whether a requirement \
               holds is decided in exact arithmetic, not by the drawing.";
    let title = "How near each requirement is to its limit";
    Some(Section::new("tightness", "Requirements", title, vec![Block::words(how), Block::Grid(grid)]))
}

fn tightness_row(entry: &Tightness, edition: Edition) -> Vec<Cell> {
    let key = edition.key();
    // A worst class of few people is their business, and the promise itself already says that it is not smaller.
    let small = entry.counted && entry.value.is_small() && key.is_none();
    // Which class is worst depends on the threshold, so its figure would tell of a withheld one.
    let withheld = entry.from_data && key.is_none();
    let value = entry.value.shown(edition).filter(|_| !(withheld || small));
    let sign = match entry.side {
        Side::AtLeast => "≥",
        Side::AtMost => "≤",
        Side::Below => "<",
    };
    let threshold = match withheld {
        true => WITHHELD.into(),
        false => Datum::setting(format_args!("{sign} {}", figure(entry.threshold))),
    };
    // A ratio of 1 must not be taken for a count.
    let whole = |value: f64| value.fract() == 0.0 && (1.0..=10.0).contains(&value);
    let write = |value: f64| match whole(value) && !entry.counted {
        true => format!("{value:.1}"),
        false => figure(value),
    };
    let text = value.map_or_else(|| "not shown".into(), |value| Datum::measured(value, write));
    let requirement = Datum::setting(&entry.requirement);
    let title =
        Datum::say("{}: worst class {}, required {}", [requirement.clone(), text.clone(), threshold.clone()]);
    let inequality = if withheld { Datum::default() } else { Datum::setting(&entry.inequality) };
    let exact = key.map(|key| key.text(entry.exact.see(key))).filter(|exact| *exact != text);
    let worst = key.map(|key| key.text(entry.worst.see(key)));
    let margin =
        value.map_or_else(|| "–".into(), |value| Datum::measured(value, |value| margin(value, entry)));
    let drawn = match withheld {
        true => "–".into(),
        false => Cell::drawn(chart::bullet(value, entry.threshold, entry.side, &title), "", "").small(margin),
    };
    vec![
        Cell::from(requirement).small(inequality).small(worst.unwrap_or_default()),
        threshold.into(),
        Cell::from(text).small(exact.unwrap_or_default()),
        drawn,
        Cell::verdict(entry.holds),
    ]
}

/// How far the worst class is from breaking the requirement.
fn margin(value: f64, entry: &Tightness) -> String {
    let distance = match entry.side {
        Side::AtLeast => value - entry.threshold,
        Side::AtMost | Side::Below => entry.threshold - value,
    };
    // Figures that are only drawn may be off by their last digits.
    match (distance.abs() <= 1e-12 * entry.threshold.abs(), entry.counted) {
        (true, _) => "none: at the limit".to_string(),
        (false, true) => figure(distance),
        (false, false) if distance.abs() < 0.001 => {
            format!("{} of the threshold", percent(distance / entry.threshold.max(f64::MIN_POSITIVE)))
        }
        (false, false) => {
            format!("{} ({})", figure(distance), percent(distance / entry.threshold.max(f64::MIN_POSITIVE)))
        }
    }
}

/// Values with their counts, the rarest of many put together, and the sums.
struct Pooled {
    values: Vec<ValueCount>,
    is_pooled: bool,
    all_before: u64,
    all_after: u64,
}

impl Pooled {
    fn of(distribution: &Distribution, edition: Edition) -> Option<Pooled> {
        let before = |value: &ValueCount| edition.key().map_or(0, |key| *value.before.see(key));
        let mut values: Vec<ValueCount> =
            distribution.values.iter().filter(|value| before(value) + value.after > 0).cloned().collect();
        let sum = |values: &[ValueCount], count: &dyn Fn(&ValueCount) -> u64| {
            values.iter().map(count).fold(0, u64::saturating_add)
        };
        let (all_before, all_after) = (sum(&values, &before), sum(&values, &|value| value.after));
        let drawn = if values.len() > MOST_BARS { MOST_BARS - 1 } else { values.len() };
        let rest = values.split_off(drawn);
        if !rest.is_empty() {
            values.push(ValueCount {
                value: match edition {
                    Edition::Steward => format!("{} more values", thousands(rest.len() as u64)),
                    Edition::Public => "more values".to_string(),
                },
                before: Original::from(sum(&rest, &before)),
                after: sum(&rest, &|value| value.after),
            });
        }
        let pooled = Pooled { values, is_pooled: !rest.is_empty(), all_before, all_after };
        (!pooled.values.is_empty()).then_some(pooled)
    }

    /// How often a value occurs in the original, and as which share of all.
    fn before(&self, value: &ValueCount, key: Key) -> (u64, f64) {
        let count = *value.before.see(key);
        (count, count as f64 / self.all_before.max(1) as f64)
    }

    /// As which share of all a value occurs in the release, where that may be shown.
    fn after(&self, shown: CountShown) -> Option<f64> {
        shown.known().map(|count| count as f64 / self.all_after.max(1) as f64)
    }

    fn bar(&self, value: &ValueCount, shown: CountShown, edition: Edition) -> Bar {
        let after = self.after(shown);
        Bar {
            name: edition.value(&value.value, value.after).unwrap_or_default(),
            before: edition.key().map(|key| {
                let (_, share) = self.before(value, key);
                (share, key.percent(share))
            }),
            text: after.map_or_else(|| shown.datum(), |share| Datum::measured(share, percent)),
            after,
        }
    }

    fn row(&self, value: &ValueCount, shown: CountShown, edition: Edition) -> Vec<Datum> {
        let mut row = vec![edition.value(&value.value, value.after).unwrap_or_default()];
        row.extend(edition.key().into_iter().flat_map(|key| {
            let (count, share) = self.before(value, key);
            [key.count(count), key.percent(share)]
        }));
        let share = self.after(shown).map(|share| Datum::measured(share, percent));
        row.extend([shown.datum(), share.unwrap_or_else(|| "–".into())]);
        row
    }
}

/// How often values occur; small counts are hidden from the public, and with them what they would follow from.
pub(super) fn distribution(distribution: &Distribution, edition: Edition) -> Option<Chart> {
    let pooled = Pooled::of(distribution, edition)?;
    let counts: Vec<u64> = pooled.values.iter().map(|value| value.after).collect();
    let shown = edition.counts(&counts);
    let values = || pooled.values.iter().zip(&shown);
    let mut bars: Vec<Bar> = values().map(|(value, shown)| pooled.bar(value, *shown, edition)).collect();
    // What is drawn together would dwarf the rest: then its figures are enough.
    let length =
        |bar: &Bar| bar.after.unwrap_or(0.0).max(bar.before.as_ref().map_or(0.0, |(share, _)| *share));
    let mut note = "";
    if pooled.is_pooled
        && let Some((last, others)) = bars.split_last()
        && length(last) > 2.0 * others.iter().map(length).fold(0.0, f64::max)
    {
        bars.pop();
        note = "The figures also tell of the values that are not drawn.";
    }
    let heads: &[&str] = match edition {
        Edition::Steward => &["Value", "Original", "Share", "Release", "Share"],
        Edition::Public => &["Value", "Records", "Share"],
    };
    let column = Datum::named(&distribution.column);
    let title = Datum::say("How often each value of {} occurs", [column.clone()]);
    let rows = values().map(|(value, shown)| pooled.row(value, *shown, edition)).collect();
    Some(Chart::new(column, note, chart::bars(&bars, &title), heads, rows))
}
