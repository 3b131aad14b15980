//! The first page: the promise in one sentence, whether it holds, and what it does not protect against.

use serde::Serialize;

use super::super::Edition;
use super::super::common::{Common, Whose};
use super::super::lens::percent;
use super::super::model::{Column, ReportModel};
use super::super::notion::{Attack, Cover, Notion, Protection, protections};

/// What the share of a table that is published exactly is about.
pub(super) const CELLS: &str = "quasi-identifier cells";

/// The first page.
#[derive(Serialize)]
pub(super) struct Verdict {
    passed: bool,
    /// Whether there is a release to speak of.
    empty: bool,
    /// Whether the promise holds, but there is something to weigh before publishing.
    amber: bool,
    headline: &'static str,
    promise: String,
    key_figures: Vec<KeyFigure>,
    /// What nothing here protects against.
    uncovered: Vec<ProtectionView>,
    /// What is bounded, in full or in part, or made harder.
    covered: Vec<ProtectionView>,
}

/// A figure to be seen at first glance.
#[derive(Serialize)]
pub(super) struct KeyFigure {
    pub(super) value: String,
    pub(super) name: String,
    pub(super) note: String,
}

/// An attack and how far the release protects against it.
#[derive(Serialize)]
struct ProtectionView {
    attack: &'static str,
    cover: &'static str,
    class: &'static str,
    meaning: String,
}

impl Verdict {
    /// Sorts the protections into those that hold and those that do not.
    pub(super) fn new(
        passed: bool,
        empty: bool,
        promise: String,
        key_figures: Vec<KeyFigure>,
        protections: Vec<Protection>,
    ) -> Verdict {
        let mut uncovered = Vec::new();
        let mut covered = Vec::new();
        for protection in protections {
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
        let headline = match (empty, passed) {
            (_, false) => "The release does not keep its promise",
            (true, true) => "The release is empty",
            (false, true) => "The release keeps its promise",
        };
        Verdict { passed, empty, amber: false, headline, promise, key_figures, uncovered, covered }
    }
}

impl Verdict {
    /// What holds may still have to be weighed: an attack outside the promise succeeded, a setting is a bold one, or a column
    /// that is published as it is looks like an identifier. That is the steward's to know: it depends on the original.
    pub(super) fn weighed(self, common: &Common, edition: Edition) -> Verdict {
        let warned = edition.key().is_some_and(|key| {
            let leaks = common.scan.as_ref().is_some_and(|scan| scan.see(key).leaks().next().is_some());
            leaks || !common.warnings.see(key).is_empty()
        });
        let amber = self.passed && !self.empty && warned;
        let headline = if amber {
            "The release keeps its promise, and there is something to weigh"
        } else {
            self.headline
        };
        let mut uncovered = self.uncovered;
        if common.ledger.is_some() {
            for item in uncovered.iter_mut().filter(|item| item.attack == Attack::Composition.name()) {
                item.meaning = "Before a release is published, the steward’s ledger sets it against the earlier ones that it \
                                knows. What others publish about the same people can still be intersected with this one."
                    .to_string();
            }
        }
        if common.whose == Whose::Recurring {
            for item in uncovered.iter_mut().filter(|item| item.attack == Attack::SeveralRecords.name()) {
                // Which identifier it is, is not for everybody: it is not published.
                item.meaning = "An identifier recurs in the data, and records were counted, not people: whoever has several \
                                records may make up a class alone."
                    .to_string();
            }
        }
        Verdict { amber, headline, uncovered, ..self }
    }
}

/// The first page of a table's report.
pub(super) fn of_table(model: &ReportModel, edition: Edition) -> Verdict {
    let notions = model.requirements.iter().map(|requirement| requirement.notion.clone()).collect::<Vec<_>>();
    let sensitive = model
        .common
        .columns
        .iter()
        .filter(|column| column.role == "sensitive")
        .map(|column| column.name.as_str())
        .collect::<Vec<_>>();
    let empty = is_empty(model);
    let promise = if empty {
        emptiness(model, edition)
    } else {
        promise(notions.iter().map(Notion::promise)) + once(model) + &silence(model)
    };
    let figures = key_figures(model, edition);
    let mut protections = protections(&notions, &sensitive);
    if model.common.counts_people() {
        for entry in protections.iter_mut().filter(|entry| entry.attack == Attack::SeveralRecords) {
            entry.cover = Cover::Partly;
            entry.meaning = "Each person counts once in a class, however many records they have there. Whoever has most of a \
                             class’s records still weighs most in it."
                .to_string();
        }
    }
    Verdict::new(model.common.audit.passed, empty, promise, figures, protections)
}

/// That whoever has several records counts once.
fn once(model: &ReportModel) -> &'static str {
    if model.common.counts_people() {
        " Each person counts once, however many records they have."
    } else {
        ""
    }
}

/// What requirements count.
fn counted(model: &ReportModel) -> &'static str {
    if model.common.counts_people() { "people" } else { "records" }
}

/// Whether no record is released. Whether there were any is not for the public.
fn is_empty(model: &ReportModel) -> bool {
    model.common.records.released == 0
}

/// That nothing is released. Only the steward learns how many records there were.
fn emptiness(model: &ReportModel, edition: Edition) -> String {
    let records = &model.common.records;
    let kept = edition.key().map(|key| records.read.see(key).saturating_sub(*records.dropped.see(key)));
    let why = match model.k() {
        Some(k) if kept.is_some_and(|kept| kept > 0 && k > kept) => {
            format!(" k = {k} asks for more records than the table has.")
        }
        _ => String::new(),
    };
    format!("All records are left out: nothing is released, and nothing can be learnt from it.{why}")
}

/// The sensitive columns of which the release shows nothing.
fn silence(model: &ReportModel) -> String {
    let silent = |column: &&Column| column.role == "sensitive" && column.distinct_after == Some(0);
    let names = model.common.columns.iter().filter(|_| !is_empty(model)).filter(silent);
    names
        .map(|column| {
            format!(" All cells of {} are replaced by *: the release says nothing about it.", column.name)
        })
        .collect()
}

/// What all requirements promise together, in one sentence.
pub(super) fn promise(clauses: impl Iterator<Item = String>) -> String {
    let clauses = clauses.collect::<Vec<_>>();
    match clauses.split_last() {
        None => "The policy asks for nothing, so the release promises nothing.".to_string(),
        Some((only, [])) => format!("In this release {only}."),
        Some((last, others)) => format!("In this release {}, and {last}.", others.join("; ")),
    }
}

fn key_figures(model: &ReportModel, edition: Edition) -> Vec<KeyFigure> {
    let records = model.common.records;
    let mut figures = vec![KeyFigure {
        value: edition.count(records.released),
        name: "records released".to_string(),
        note: match edition.key().map(|key| *records.read.see(key)) {
            Some(read) => {
                let share = records.released as f64 / read.max(1) as f64;
                let people = match model.common.whose {
                    Whose::Counted { read, released } => {
                        format!(", of {} of {} people", edition.count(released), edition.count(read))
                    }
                    _ => String::new(),
                };
                format!("{} of {} read{people}", percent(share), edition.count(read))
            }
            None => match released_columns(model) {
                one if one == in_words(1) => format!("in {one} column"),
                columns => format!("in {columns} columns"),
            },
        },
    }];
    if is_empty(model) {
        figures.extend(suppressed(model, edition));
        return figures;
    }
    if let (Some(before), Some(after), Some(key)) =
        (&model.common.risk_before, &model.common.risk_after, edition.key())
    {
        let before = before.see(key);
        figures.push(KeyFigure {
            value: edition.count(after.figures.smallest),
            name: format!("{} in the smallest class", counted(model)),
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
                name: format!("{} look alike", counted(model)),
                note: "on the quasi-identifiers".to_string(),
            });
        }
        figures.extend(suppressed(model, edition));
    }
    // Stars can be counted in the release.
    let starred = model.common.columns.iter().filter(|column| column.role == "sensitive");
    let starred: Vec<f64> = starred.filter_map(|column| column.suppressed).collect();
    let share = starred.iter().sum::<f64>() / starred.len().max(1) as f64;
    if share > 0.0 {
        figures.push(KeyFigure {
            value: edition.share(share, records.released),
            name: "of sensitive cells shown as *".to_string(),
            note: "in released records".to_string(),
        });
    }
    figures.extend(lost(&model.common, edition));
    figures.extend(exactly(&model.common, CELLS, edition));
    figures
}

/// What was lost, by the first measure that has a scale. An error is none of information, so it is shown as what it is.
pub(super) fn lost(common: &Common, edition: Edition) -> Option<KeyFigure> {
    let released = common.records.released;
    let (loss, normalised) = common.losses.iter().find_map(|loss| Some((loss, loss.normalised?)))?;
    if loss.is_error() {
        let value = *loss.value.see(edition.key()?);
        let share = normalised.told(edition, released)?;
        return Some(KeyFigure {
            value: percent(value),
            name: "mean error of counts".to_string(),
            note: format!("{} of that with all records in one group", share.text),
        });
    }
    let share = normalised.told(edition, released)?;
    Some(KeyFigure {
        value: share.text,
        name: "of information lost".to_string(),
        note: format!("by the measure {}, what is suppressed included", loss.name),
    })
}

/// How many records are missing: a count for the steward, a share in steps for the public.
fn suppressed(model: &ReportModel, edition: Edition) -> Option<KeyFigure> {
    let records = &model.common.records;
    let note = "to keep the promise".to_string();
    Some(match edition.key() {
        Some(key) => KeyFigure {
            value: edition.count(*records.suppressed.see(key)),
            name: "records suppressed".to_string(),
            note,
        },
        None => KeyFigure {
            value: records.suppressed.beside(records.released).told(edition, records.released)?.text,
            name: "of records suppressed".to_string(),
            note,
        },
    })
}

/// What is published as it is in the original, next to what was lost: a cost may be small where nothing is itself any more.
pub(super) fn exactly(common: &Common, of: &str, edition: Edition) -> Option<KeyFigure> {
    Some(KeyFigure {
        value: common.exactly.told(edition, common.records.released)?.text,
        name: format!("of {of} published exactly"),
        note: "as they are in the original".to_string(),
    })
}

/// How many columns the release has.
fn released_columns(model: &ReportModel) -> String {
    in_words(model.common.columns.iter().filter(|column| column.is_published()).count())
}

/// A number in words where a figure might be taken for a hidden count.
pub(super) fn in_words(number: usize) -> String {
    const WORDS: [&str; 11] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    WORDS.get(number).map_or_else(|| number.to_string(), |word| word.to_string())
}
