//! What an analyst still finds: distributions, associations and counts.

use serde::Serialize;

use super::super::chart::{self, BoxRow};
use super::super::common::Common;
use super::super::fidelity::{Fidelity, Marginal, QueryErrors, Spread};
use super::super::gate::{Original, STEP};
use super::super::lens::{percent, thousands};
use super::super::{Edition, chart::Bar};
use super::{DataTable, Figure, associations, figures};

/// So many columns are drawn one by one.
const MOST_MARGINALS: usize = 12;

/// The section's figures.
#[derive(Serialize)]
pub(super) struct FidelityView {
    note: String,
    /// What should not be computed from the release, in words.
    advice: Vec<String>,
    overview: Vec<Figure>,
    heat: Vec<Figure>,
    marginals: Vec<Figure>,
}

/// What is said about analysis. All of it compares the release with the original: the public reads the distances of
/// quasi-identifiers and the errors of counts, in steps.
pub(super) fn fidelity(common: &Common, edition: Edition) -> Option<FidelityView> {
    let found = common.fidelity.as_ref()?;
    if common.records.released == 0 {
        return None;
    }
    let Some(key) = edition.key() else { return coarse(found, common) };
    let found = found.see(key);
    let drawn = || found.marginals.iter().take(MOST_MARGINALS);
    let mut overview = Vec::new();
    if found.of_sets {
        overview.extend(drawn().filter_map(|marginal| drawn_one(marginal, edition)));
    } else {
        overview.extend(distances(&found.marginals.iter().map(off).collect::<Vec<_>>()));
    }
    overview.extend(errors(&relative(found), found.of_sets, Scale::Truth));
    let marginals = drawn().filter(|_| !found.of_sets);
    Some(FidelityView {
        note: note(found),
        advice: advice(found),
        overview,
        heat: associations::figures(found),
        marginals: marginals.filter_map(|marginal| drawn_one(marginal, edition)).collect(),
    })
}

/// What the public may have. How far a sensitive column is off would tell what those have who were left out, even in steps.
fn coarse(found: &Original<Fidelity>, common: &Common) -> Option<FidelityView> {
    let found = found.clone().in_steps(common.records.released)?;
    let quasi = found.marginals.into_iter().filter(|(column, _)| common.is_quasi_identifier(column));
    let off: Vec<Off> = quasi.map(|(column, distance)| Off { column, distance }).collect();
    let mut overview = Vec::new();
    overview.extend(distances(&off));
    overview.extend(errors(&found.queries, found.of_sets, Scale::Records));
    (!overview.is_empty()).then(|| FidelityView {
        note: format!(
            "Precise figures about the original would tell of what the release leaves out: distances and errors are rounded up \
             to steps of {} of all records, and sensitive columns are compared in the steward’s edition alone.",
            percent(STEP)
        ),
        advice: rough(&off, &found.queries, found.of_sets, Scale::Records),
        overview,
        heat: Vec::new(),
        marginals: Vec::new(),
    })
}

/// How far a column is off.
struct Off {
    column: String,
    distance: f64,
}

fn off(marginal: &Marginal) -> Off {
    Off { column: marginal.values.column.clone(), distance: marginal.distance }
}

fn note(found: &Fidelity) -> String {
    match found.sampled {
        Some(records) => format!("Figures rest on a sample of {} distinct records.", thousands(records)),
        None if found.of_sets => {
            "A label that stands for several is taken for each of them with the same chance.".to_string()
        }
        None => String::new(),
    }
}

/// How far each column's distribution is off.
fn distances(all: &[Off]) -> Option<Figure> {
    let bar = |off: &Off| Bar {
        name: off.column.clone(),
        before: None,
        text: rounded(off.distance),
        after: Some(off.distance),
    };
    let bars: Vec<Bar> = all.iter().map(bar).collect();
    let row = |off: &Off| vec![off.column.clone(), rounded(off.distance)];
    (!bars.is_empty()).then(|| Figure {
        title: "How far single columns are off".to_string(),
        note: "The share of records that would have to change their value to give the original’s distribution, if all values \
               below a released label are taken for equally likely (total variation distance)."
            .to_string(),
        svg: chart::bars(&bars, "Total variation distance of each column to the original"),
        table: DataTable {
            head: ["Column", "Distance"].map(str::to_string).to_vec(),
            rows: all.iter().map(row).collect(),
        },
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
fn errors(queries: &[(u64, Spread)], of_sets: bool, scale: Scale) -> Option<Figure> {
    let name = |conditions: u64| match (conditions, of_sets) {
        (1, true) => "one of them".to_string(),
        (2, true) => "two of them".to_string(),
        (_, true) => "three of them".to_string(),
        (1, false) => "one condition".to_string(),
        (2, false) => "two conditions".to_string(),
        (_, false) => "three conditions".to_string(),
    };
    let asked = if of_sets { "how many hold …" } else { "how many records have …" };
    let boxes: Vec<BoxRow> = (queries.iter())
        .map(|(count, errors)| BoxRow { name: name(*count), quantiles: errors.quantiles })
        .collect();
    let row = |(count, errors): &(u64, Spread)| {
        let mut row = vec![name(*count)];
        row.extend(errors.quantiles.map(percent));
        row.push(percent(errors.mean));
        row
    };
    let (measure, axis) = match scale {
        Scale::Truth => ("Relative error", "relative error"),
        Scale::Records => ("Error, as a share of all records,", "error as a share of all records"),
    };
    let title = format!("{} of COUNT queries by the number of conditions", measure.trim_end_matches(','));
    (!boxes.is_empty()).then(|| Figure {
        title: "How far counts are off".to_string(),
        note: format!(
            "{measure} of random questions “{asked}”, asked of the original and of the release. Box: the middle half; line: \
             the median; whiskers: all but one in twenty on either side."
        ),
        svg: chart::boxes(&boxes, axis, &title),
        table: DataTable {
            head: ["Queries with", "5 %", "25 %", "Median", "75 %", "95 %", "Mean"].map(str::to_string).to_vec(),
            rows: queries.iter().map(row).collect(),
        },
    })
}

fn drawn_one(marginal: &Marginal, edition: Edition) -> Option<Figure> {
    let figure = figures::distribution(&marginal.values, edition)?;
    let note = format!("off by {}. {}", rounded(marginal.distance), figure.note);
    Some(Figure { note: note.trim_end().trim_end_matches('.').to_string(), ..figure })
}

/// What should not be computed from the release.
fn advice(found: &Fidelity) -> Vec<String> {
    let off: Vec<Off> = found.marginals.iter().map(off).collect();
    let mut advice = rough(&off, &relative(found), found.of_sets, Scale::Truth);
    let lost = associations::lost(&found.associations);
    if !lost.is_empty() {
        advice.push(format!("Do not model how these go together, it is mostly lost: {}.", lost.join("; ")));
    }
    advice
}

/// The same, as far as distances and errors tell.
fn rough(off: &[Off], queries: &[(u64, Spread)], of_sets: bool, scale: Scale) -> Vec<String> {
    let mut advice = Vec::new();
    if of_sets && off.iter().any(|off| off.distance > 0.2) {
        advice.push(
            "Do not read how often single ones occur out of labels that stand for several: more than one in five would be in \
             the wrong place."
                .to_string(),
        );
    }
    let coarse: Vec<&str> =
        (off.iter()).filter(|off| !of_sets && off.distance > 0.2).map(|off| off.column.as_str()).collect();
    if !coarse.is_empty() {
        advice.push(format!(
            "Do not read single values of {} out of the release: more than one record in five would be in the wrong place.",
            coarse.join(", ")
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
        advice.push(format!(
            "Do not trust counts {of} {conditions} or more {items}: half of them are off by more than {by}."
        ));
    }
    advice
}
