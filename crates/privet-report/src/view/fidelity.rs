//! What an analyst still finds: distributions, associations and counts.

use super::super::Edition;
use super::super::block::{Block, Chart, Mark, Section};
use super::super::chart::{self, Bar, BoxRow};
use super::super::common::Common;
use super::super::fidelity::{Fidelity, Marginal, QueryErrors, Spread};
use super::super::gate::{Datum, Key, Original, STEP};
use super::super::numbers::percent;
use super::{associations, figures};

/// At most this many columns are drawn one by one.
const MOST_MARGINALS: usize = 12;

/// What is said about analysis. All of it compares the release with the original: the public reads the distances of
/// quasi-identifiers and the errors of counts, in steps.
pub(super) fn fidelity(common: &Common, edition: Edition) -> Option<Section> {
    let found = common.fidelity.as_ref()?;
    if common.records.released == 0 {
        return None;
    }
    let blocks = match edition.key() {
        Some(key) => precise(found.see(key), key, edition),
        None => coarse(found, common)?,
    };
    Some(Section::new("fidelity", "Analysis", "What analysts still find", blocks))
}

/// What the steward reads.
fn precise(found: &Fidelity, key: Key, edition: Edition) -> Vec<Block> {
    let drawn = || found.marginals.iter().take(MOST_MARGINALS).filter_map(|one| drawn_one(one, edition));
    let mut charts: Vec<Chart> = match found.of_sets {
        true => drawn().collect(),
        false => distances(&found.marginals.iter().map(off).collect::<Vec<_>>()).into_iter().collect(),
    };
    charts.extend(errors(&relative(found), found.of_sets, Scale::Truth));
    charts.extend(associations::charts(found, key));
    let mut blocks = advice(rough_and_lost(found));
    blocks.extend(note(found, key).map(Block::aside));
    blocks.extend(Block::charts(charts));
    let marginals = if found.of_sets { Vec::new() } else { drawn().collect() };
    blocks.extend(Block::charts(marginals).map(|charts| Block::Folded {
        class: "more",
        title: Datum::default(),
        summary: "Columns one by one, before and after".into(),
        warn: "",
        blocks: vec![charts],
    }));
    blocks
}

/// What the public may have. How far a sensitive column is off would tell what those have who were left out, even in steps.
fn coarse(found: &Original<Fidelity>, common: &Common) -> Option<Vec<Block>> {
    let found = found.clone().in_steps(common.records.released)?;
    let quasi = found.marginals.into_iter().filter(|(column, _)| common.is_quasi_identifier(column));
    let off: Vec<Off> = quasi.map(|(column, distance)| Off { column, distance }).collect();
    let mut charts = Vec::new();
    charts.extend(distances(&off));
    charts.extend(errors(&found.queries, found.of_sets, Scale::Records));
    let charts = Block::charts(charts)?;
    let mut blocks = advice(rough(&off, &found.queries, found.of_sets, Scale::Records));
    blocks.push(Block::aside(Datum::say(
        "Precise figures about the original would tell of what the release leaves out: distances and errors are rounded up \
         to steps of {} of all records, and sensitive columns are compared in the steward’s edition alone.",
        [Datum::setting(percent(STEP))],
    )));
    blocks.push(charts);
    Some(blocks)
}

/// What should not be computed from the release.
fn advice(advice: Vec<Datum>) -> Vec<Block> {
    let items: Vec<_> = advice.into_iter().map(|text| (Mark::None, text, Datum::default())).collect();
    if items.is_empty() { Vec::new() } else { vec![Block::List { class: "advice", items }] }
}

/// How far a column is off.
struct Off {
    column: String,
    distance: f64,
}

fn off(marginal: &Marginal) -> Off {
    Off { column: marginal.values.column.clone(), distance: marginal.distance }
}

fn note(found: &Fidelity, key: Key) -> Option<Datum> {
    match found.sampled {
        Some(records) => {
            Some(Datum::say("Figures rest on a sample of {} distinct records.", [key.count(records)]))
        }
        None if found.of_sets => {
            Some("A label that stands for several is taken for each of them with the same chance.".into())
        }
        None => None,
    }
}

/// How far each column's distribution is off: exactly for the steward, in steps for the public.
fn distances(all: &[Off]) -> Option<Chart> {
    let bar = |off: &Off| Bar {
        name: Datum::named(&off.column),
        before: None,
        text: Datum::measured(off.distance, rounded),
        after: Some(off.distance),
    };
    let row = |off: &Off| vec![Datum::named(&off.column), Datum::measured(off.distance, rounded)];
    let bars: Vec<Bar> = all.iter().map(bar).collect();
    let title = "Total variation distance of each column to the original".into();
    (!bars.is_empty()).then(|| {
        Chart::new(
            "How far single columns are off",
            "The share of records that would have to change their value to give the original’s distribution, if all values \
             below a released label are taken for equally likely (total variation distance).",
            chart::bars(&bars, &title),
            &["Column", "Distance"],
            all.iter().map(row).collect(),
        )
    })
}

/// One digit says enough, and tells no counts.
fn rounded(share: f64) -> String {
    match (share * 1000.0).round() {
        _ if share > 0.0 && share < 0.001 => "< 0.1 %".to_string(),
        tenths if tenths % 10.0 == 0.0 => format!("{:.0} %", tenths / 10.0),
        tenths => format!("{:.1} %", tenths / 10.0),
    }
}

/// What errors of counts are measured by.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    /// The true count: for the steward alone.
    Truth,
    /// All records.
    Records,
}

/// The steward's errors, by the number of conditions.
fn relative(found: &Fidelity) -> Vec<(u64, Spread)> {
    let spread = |errors: &QueryErrors| Spread { quantiles: errors.quantiles, mean: errors.mean };
    found.queries.iter().map(|errors| (errors.conditions, spread(errors))).collect()
}

/// How far answers to COUNT queries are off.
fn errors(queries: &[(u64, Spread)], of_sets: bool, scale: Scale) -> Option<Chart> {
    let name = |conditions: u64| match (conditions, of_sets) {
        (1, true) => "one of them",
        (2, true) => "two of them",
        (_, true) => "three of them",
        (1, false) => "one condition",
        (2, false) => "two conditions",
        (_, false) => "three conditions",
    };
    let asked = if of_sets { "how many hold …" } else { "how many records have …" };
    let boxes: Vec<BoxRow> = queries
        .iter()
        .map(|(count, errors)| BoxRow { name: name(*count).to_string(), quantiles: errors.quantiles })
        .collect();
    let row = |(count, errors): &(u64, Spread)| {
        let figures = errors.quantiles.into_iter().chain([errors.mean]);
        let figures = figures.map(|share| Datum::measured(share, percent));
        std::iter::once(name(*count).into()).chain(figures).collect()
    };
    let (measure, axis, title) = match scale {
        Scale::Truth => (
            "Relative error",
            "relative error",
            "Relative error of COUNT queries by the number of conditions",
        ),
        Scale::Records => (
            "Error, as a share of all records,",
            "error as a share of all records",
            "Error, as a share of all records of COUNT queries by the number of conditions",
        ),
    };
    (!boxes.is_empty()).then(|| {
        let note = "{} of random questions “{}”, asked of the original and of the release. Box: the middle half; line: the \
                    median; whiskers: all but one in twenty on either side.";
        Chart::new(
            "How far counts are off",
            Datum::say(note, [measure.into(), asked.into()]),
            chart::boxes(&boxes, axis, title),
            &["Queries with", "5 %", "25 %", "Median", "75 %", "95 %", "Mean"],
            queries.iter().map(row).collect(),
        )
    })
}

fn drawn_one(marginal: &Marginal, edition: Edition) -> Option<Chart> {
    let chart = figures::distribution(&marginal.values, edition)?;
    let off = Datum::measured(marginal.distance, rounded);
    let note = match chart.note.is_empty() {
        true => Datum::say("off by {}", [off]),
        false => Datum::say("off by {}. {}", [off, chart.note]),
    };
    Some(Chart { note, ..chart })
}

/// What should not be computed from the release.
fn rough_and_lost(found: &Fidelity) -> Vec<Datum> {
    let off: Vec<Off> = found.marginals.iter().map(off).collect();
    let mut advice = rough(&off, &relative(found), found.of_sets, Scale::Truth);
    let lost = associations::lost(&found.associations);
    if !lost.is_empty() {
        let lost = Datum::join(lost.into_iter().map(Datum::named), "; ");
        advice.push(Datum::say("Do not model how these go together, it is mostly lost: {}.", [lost]));
    }
    advice
}

/// The same, as far as distances and errors tell.
fn rough(off: &[Off], queries: &[(u64, Spread)], of_sets: bool, scale: Scale) -> Vec<Datum> {
    let mut advice = Vec::new();
    if of_sets && off.iter().any(|off| off.distance > 0.2) {
        advice.push(
            "Do not read how often single ones occur out of labels that stand for several: more than one in five would be in \
             the wrong place."
                .into(),
        );
    }
    let coarse = off.iter().filter(|off| !of_sets && off.distance > 0.2);
    let coarse = Datum::join(coarse.map(|off| Datum::named(&off.column)), ", ");
    if !coarse.is_empty() {
        advice.push(Datum::say(
            "Do not read single values of {} out of the release: more than one record in five would be in the wrong place.",
            [coarse],
        ));
    }
    let (most, by) = match scale {
        Scale::Truth => (0.5, "half"),
        Scale::Records => (STEP, "a twentieth of all records"),
    };
    if let Some((conditions, _)) = queries.iter().find(|(_, errors)| errors.quantiles[2] > most) {
        let (of, items) = if of_sets { ("of", "items at once") } else { ("under", "conditions") };
        let conditions = match conditions {
            1 => "one",
            2 => "two",
            _ => "three",
        };
        advice.push(Datum::say(
            "Do not trust counts {} {} or more {}: half of them are off by more than {}.",
            [of, conditions, items, by].map(Datum::from),
        ));
    }
    advice
}
