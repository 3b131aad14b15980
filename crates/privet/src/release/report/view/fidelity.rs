//! What an analyst still finds: distributions, associations and counts.

use serde::Serialize;

use super::super::chart::{self, BoxRow};
use super::super::common::Common;
use super::super::fidelity::{Fidelity, Marginal, QueryErrors};
use super::super::lens::{is_small, percent, thousands};
use super::super::{Edition, chart::Bar};
use super::{DataTable, Figure, associations, figures};

/// In smaller tables every figure about the original speaks of a few people.
const LEAST_RECORDS: u64 = 200;
/// The step of figures that must not be precise.
const STEP: f64 = 0.05;
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

/// What is said about analysis; nothing in public where it would tell of a few.
pub(super) fn fidelity(common: &Common, withheld: u64, edition: Edition) -> Option<FidelityView> {
    let found = common.fidelity.as_ref()?;
    let few = is_small(withheld) || common.records.read < LEAST_RECORDS;
    if common.records.released == 0 || (!edition.is_steward() && few) {
        return None;
    }
    let coarse = !edition.is_steward() && !found.of_sets && common.lacks_values();
    let told = if coarse { &coarsened(found, common) } else { found };
    // Items have no columns to be named by: their own names are for the steward alone, since the release may hide them.
    let named = edition.is_steward() || !found.of_sets;
    let drawn = || found.marginals.iter().filter(|_| edition.is_steward()).take(MOST_MARGINALS);
    let mut overview = Vec::new();
    if found.of_sets {
        overview.extend(drawn().filter_map(|marginal| drawn_one(marginal, edition)));
    } else {
        overview.extend(distances(told));
    }
    overview.extend(errors(told));
    let marginals = drawn().filter(|_| !found.of_sets);
    if overview.is_empty() && !named {
        return None;
    }
    let scope = if coarse { associations::Scope::Release } else { associations::Scope::of(edition) };
    Some(FidelityView {
        note: note(found, coarse),
        advice: advice(found, named, !coarse),
        overview,
        heat: if named { associations::figures(found, scope) } else { Vec::new() },
        marginals: marginals.filter_map(|marginal| drawn_one(marginal, edition)).collect(),
    })
}

/// Figures that the public may have where the release lacks records or cells. How far a distribution is off by them, to the
/// digit, would tell which values these have: sensitive columns are left aside, and the others come in steps.
fn coarsened(found: &Fidelity, common: &Common) -> Fidelity {
    let up = |share: f64| (share / STEP - 1e-9).ceil().max(0.0) * STEP;
    let told = |marginal: &&Marginal| common.is_quasi_identifier(&marginal.values.column);
    let mut coarse = found.clone();
    coarse.marginals = (found.marginals.iter().filter(told))
        .map(|marginal| Marginal { distance: up(marginal.distance), ..marginal.clone() })
        .collect();
    for errors in &mut coarse.queries {
        errors.quantiles = errors.quantiles.map(up);
        errors.mean = up(errors.mean);
    }
    coarse
}

fn note(found: &Fidelity, coarse: bool) -> String {
    let mut notes = Vec::new();
    match found.sampled {
        Some(records) => {
            notes.push(format!("Figures rest on a sample of {} distinct records.", thousands(records)))
        }
        None if found.of_sets => notes.push(
            "A label that stands for several is taken for each of them with the same chance.".to_string(),
        ),
        None => {}
    }
    if coarse {
        notes.push(format!(
            "Values are missing from the release, and precise figures about the original would tell which: distances and errors \
             are rounded up to steps of {}, and sensitive columns are compared in the steward’s edition alone.",
            percent(STEP)
        ));
    }
    notes.join(" ")
}

/// How far each column's distribution is off.
fn distances(found: &Fidelity) -> Option<Figure> {
    let bar = |marginal: &Marginal| Bar {
        name: marginal.values.column.clone(),
        before: None,
        text: rounded(marginal.distance),
        after: Some(marginal.distance),
    };
    let bars: Vec<Bar> = found.marginals.iter().map(bar).collect();
    let row = |marginal: &Marginal| vec![marginal.values.column.clone(), rounded(marginal.distance)];
    (!bars.is_empty()).then(|| Figure {
        title: "How far single columns are off".to_string(),
        note: "The share of records that would have to change their value to give the original’s distribution, if all values \
               below a released label are taken for equally likely (total variation distance)."
            .to_string(),
        svg: chart::bars(&bars, "Total variation distance of each column to the original"),
        table: DataTable {
            head: ["Column", "Distance"].map(str::to_string).to_vec(),
            rows: found.marginals.iter().map(row).collect(),
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

/// How far answers to COUNT queries are off.
fn errors(found: &Fidelity) -> Option<Figure> {
    let name = |errors: &QueryErrors| match (errors.conditions, found.of_sets) {
        (1, true) => "one of them".to_string(),
        (2, true) => "two of them".to_string(),
        (_, true) => "three of them".to_string(),
        (1, false) => "one condition".to_string(),
        (2, false) => "two conditions".to_string(),
        (_, false) => "three conditions".to_string(),
    };
    let asked = if found.of_sets { "how many hold …" } else { "how many records have …" };
    let boxes: Vec<BoxRow> = (found.queries.iter())
        .map(|errors| BoxRow { name: name(errors), quantiles: errors.quantiles })
        .collect();
    let row = |errors: &QueryErrors| {
        let mut row = vec![name(errors)];
        row.extend(errors.quantiles.map(percent));
        row.push(percent(errors.mean));
        row
    };
    (!boxes.is_empty()).then(|| Figure {
        title: "How far counts are off".to_string(),
        note: format!(
            "Relative error of random questions “{asked}”, asked of the original and of the release. Box: the middle half; line: \
             the median; whiskers: all but one in twenty on either side."
        ),
        svg: chart::boxes(&boxes, "Relative error of COUNT queries by the number of conditions"),
        table: DataTable {
            head: ["Queries with", "5 %", "25 %", "Median", "75 %", "95 %", "Mean"].map(str::to_string).to_vec(),
            rows: found.queries.iter().map(row).collect(),
        },
    })
}

fn drawn_one(marginal: &Marginal, edition: Edition) -> Option<Figure> {
    let figure = figures::distribution(&marginal.values, edition)?;
    let note = format!("off by {}. {}", rounded(marginal.distance), figure.note);
    Some(Figure { note: note.trim_end().trim_end_matches('.').to_string(), ..figure })
}

/// What should not be computed from the release.
fn advice(found: &Fidelity, named: bool, precise: bool) -> Vec<String> {
    let mut advice = Vec::new();
    if found.of_sets && found.marginals.iter().any(|marginal| marginal.distance > 0.2) {
        advice.push(
            "Do not read how often single ones occur out of labels that stand for several: more than one in five would be in \
             the wrong place."
                .to_string(),
        );
    }
    let coarse: Vec<&str> = (found.marginals.iter())
        .filter(|marginal| !found.of_sets && marginal.distance > 0.2)
        .map(|marginal| marginal.values.column.as_str())
        .collect();
    if !coarse.is_empty() {
        advice.push(format!(
            "Do not read single values of {} out of the release: more than one record in five would be in the wrong place.",
            coarse.join(", ")
        ));
    }
    // What went together in the original would tell of those who are missing.
    let lost = if precise { associations::lost(&found.associations) } else { Vec::new() };
    if !lost.is_empty() && named {
        advice.push(format!("Do not model how these go together, it is mostly lost: {}.", lost.join("; ")));
    }
    let rough = found.queries.iter().find(|errors| errors.quantiles[2] > 0.5);
    if let Some(errors) = rough {
        advice.push(format!(
            "Do not trust counts {} {} or more {}: half of them are off by more than {}.",
            if found.of_sets { "of" } else { "under" },
            if errors.conditions == 1 {
                "one"
            } else if errors.conditions == 2 {
                "two"
            } else {
                "three"
            },
            if found.of_sets { "items at once" } else { "conditions" },
            if precise { percent(errors.quantiles[2]) } else { "half".to_string() }
        ));
    }
    advice
}
