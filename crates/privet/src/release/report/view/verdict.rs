//! The first page: the promise in one sentence, whether it holds, and what it does not protect against.

use serde::Serialize;

use super::super::Edition;
use super::super::lens::percent;
use super::super::model::ReportModel;
use super::super::notion::{Cover, Notion, protections};

/// The first page.
#[derive(Serialize)]
pub(super) struct Verdict {
    passed: bool,
    promise: String,
    key_figures: Vec<KeyFigure>,
    /// What nothing here protects against.
    uncovered: Vec<ProtectionView>,
    /// What is bounded, in full or in part, or made harder.
    covered: Vec<ProtectionView>,
}

/// A figure to be seen at first glance.
#[derive(Serialize)]
struct KeyFigure {
    value: String,
    name: String,
    note: String,
}

/// An attack and how far the release protects against it.
#[derive(Serialize)]
struct ProtectionView {
    attack: &'static str,
    cover: &'static str,
    class: &'static str,
    meaning: String,
}

pub(super) fn verdict(model: &ReportModel, edition: Edition) -> Verdict {
    let notions = model.requirements.iter().map(|requirement| requirement.notion.clone()).collect::<Vec<_>>();
    let sensitive = model
        .columns
        .iter()
        .filter(|column| column.role == "sensitive")
        .map(|column| column.name.as_str())
        .collect::<Vec<_>>();
    let mut uncovered = Vec::new();
    let mut covered = Vec::new();
    for protection in protections(&notions, &sensitive) {
        let (cover, class, list) = match protection.cover {
            Cover::Uncovered => ("not covered", "open", &mut uncovered),
            Cover::Mitigated => ("made harder", "hard", &mut covered),
            Cover::Partly => ("partly bounded", "part", &mut covered),
            Cover::Bounded => ("bounded by proof", "proof", &mut covered),
        };
        list.push(ProtectionView {
            attack: protection.attack.name(),
            cover,
            class,
            meaning: protection.meaning,
        });
    }
    Verdict {
        passed: model.audit.passed,
        promise: promise(&notions),
        key_figures: key_figures(model, edition),
        uncovered,
        covered,
    }
}

fn promise(notions: &[Notion]) -> String {
    let clauses = notions.iter().map(Notion::promise).collect::<Vec<_>>();
    match clauses.split_last() {
        None => "The policy asks for nothing, so the release promises nothing.".to_string(),
        Some((only, [])) => format!("In this release {only}."),
        Some((last, others)) => format!("In this release {}, and {last}.", others.join("; ")),
    }
}

fn key_figures(model: &ReportModel, edition: Edition) -> Vec<KeyFigure> {
    let records = model.records;
    let share = |part: u64| part as f64 / records.read.max(1) as f64;
    let mut figures = vec![KeyFigure {
        value: edition.count(records.released),
        name: "records released".to_string(),
        note: if edition.is_steward() {
            format!("{} of {} read", percent(share(records.released)), edition.count(records.read))
        } else {
            format!("in {} columns", released_columns(model))
        },
    }];
    if let (Some(before), Some(after), true) = (&model.risk_before, &model.risk_after, edition.is_steward()) {
        figures.push(KeyFigure {
            value: edition.count(after.figures.smallest),
            name: "records in the smallest class".to_string(),
            note: match model.k() {
                Some(k) => format!("asked for: at least {k}"),
                None => format!("in the original: {}", edition.count(before.figures.smallest)),
            },
        });
        figures.push(KeyFigure {
            value: percent(after.figures.marketer.to_f64()),
            name: "average risk of being found".to_string(),
            note: format!("in the original: {}", percent(before.figures.marketer.to_f64())),
        });
    } else {
        if let Some(k) = model.k() {
            figures.push(KeyFigure {
                value: format!("≥ {k}"),
                name: "records look alike".to_string(),
                note: "on the quasi-identifiers".to_string(),
            });
        }
        figures.push(KeyFigure {
            // Not as a share: together with it, a hidden number of records read would follow.
            value: edition.count(records.suppressed),
            name: "records suppressed".to_string(),
            note: "to keep the promise".to_string(),
        });
    }
    let losses = super::shown_losses(model, edition);
    if let Some((loss, normalised)) = losses.iter().find_map(|loss| Some((loss, loss.normalised?))) {
        figures.push(KeyFigure {
            value: percent(normalised),
            name: "of information lost".to_string(),
            note: format!("by the measure {}", loss.name),
        });
    }
    figures
}

/// How many columns the release has, in words where a figure might be taken for a hidden count.
fn released_columns(model: &ReportModel) -> String {
    const WORDS: [&str; 11] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let columns = model.columns.iter().filter(|column| column.role != "identifier").count();
    WORDS.get(columns).map_or_else(|| columns.to_string(), |word| word.to_string())
}
