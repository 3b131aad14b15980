//! The report about a table.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::super::Edition;
use super::super::model::ReportModel;
use super::super::notion::Notion;
use super::columns::{self, TreeView};
use super::confidence::{self, ConfidenceView};
use super::figures;
use super::links::{self, LinkView};
use super::{Figure, Frame, Own, records, verdict};
use privet_policy::Role;

/// What makes records alike.
const ALIKE: &str = "A class is all records with the same quasi-identifiers.";
/// The same where people are counted.
const ALIKE_PEOPLE: &str = "A class is everybody who has a record with the same quasi-identifiers; whoever has several records in a class counts once in it.";
/// The same where values, not columns, can be seen.
const ALIKE_IN_ALL: &str = "No column is a quasi-identifier here: values of any may be seen. A class is all records with the same values in all mixed columns, so this is the risk if an adversary knew all of them; the requirement limits what follows from those that can be seen.";

/// The whole page.
#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    trees: Vec<TreeView>,
    confidences: Vec<ConfidenceView>,
    sensitive: Vec<Figure>,
    links: Option<LinkView>,
}

/// Puts the model into words, as far as the edition may speak.
pub(in super::super) fn view(model: &ReportModel, edition: Edition) -> Value {
    let trees: Vec<_> =
        model.common.columns.iter().filter_map(|column| columns::tree(column, edition)).collect();
    // Shares of people do not follow from the released records.
    let told = edition.is_steward() || !model.common.counts_people();
    let confidences: Vec<_> = model
        .confidences
        .iter()
        .filter(|_| told)
        .filter_map(|given| confidence::confidence(given, edition))
        .collect();
    let sensitive: Vec<_> =
        model.sensitive.iter().filter_map(|given| figures::distribution(given, edition)).collect();
    let links = model.links.as_ref().and_then(|given| links::links(given, edition));
    let mut sections = Vec::new();
    sections.extend((!trees.is_empty()).then_some(("taxonomies", "Taxonomies")));
    sections.extend((!confidences.is_empty()).then_some(("confidence", "Confidence")));
    sections.extend((!sensitive.is_empty()).then_some(("sensitive", "Sensitive values")));
    sections.extend(links.as_ref().map(|_| ("links", "Linking")));
    let own = Own {
        about: "on a table",
        noun: "records",
        noun_title: "Records",
        kind: "table",
        k: model.k(),
        alike: if model.common.columns.iter().any(|column| column.role == Role::Mixed.name()) {
            ALIKE_IN_ALL
        } else if model.common.counts_people() {
            ALIKE_PEOPLE
        } else {
            ALIKE
        },
        verdict: verdict::of_table(model, edition),
        requirements: model
            .requirements
            .iter()
            .map(|requirement| (requirement.notion.name(), requirement.description.clone()))
            .collect(),
        records: records(model.common.records, edition),
        reading: vec![("Missing values", model.missing.clone()), ("Suppression", model.suppression.clone())],
        sections,
        glossary: glossary(model, edition),
    };
    let frame = Frame::new(&model.common, own, edition);
    Value::from(Serde(View { frame, trees, confidences, sensitive, links }))
}

fn glossary(model: &ReportModel, edition: Edition) -> Vec<(&'static str, &'static str)> {
    let notions = || model.requirements.iter().map(|requirement| &requirement.notion);
    let mut entries = vec![
        (
            "Quasi-identifier",
            "A column that names nobody alone, but may do so together with others, such as age, sex and postcode.",
        ),
        ("Sensitive column", "What nobody may learn about a person from the release."),
        ("Equivalence class", "All records with the same released quasi-identifiers: people who look alike."),
        ("Generalisation", "Replacing a value by a coarser one that contains it: 34 by 30–39."),
        (
            "Taxonomy, level, cut",
            "A tree of ever coarser values; a level or a cut says which of its nodes the release uses.",
        ),
        ("Suppression", "Withholding a record or a cell altogether."),
        ("k-anonymity", "Every class has at least k records."),
    ];
    if notions().any(|notion| matches!(notion, Notion::LDiversity { .. })) {
        entries.push((
            "l-diversity",
            "Every class has diverse sensitive values: l distinct ones, none above 1/l, an entropy of at least log l, \
             or a bounded lead of the commonest one.",
        ));
    }
    if notions().any(|notion| matches!(notion, Notion::TCloseness { .. })) {
        entries.push((
            "t-closeness",
            "In every class the sensitive column is distributed within distance t of the whole table (earth mover’s \
             distance).",
        ));
    }
    if model.links.is_some() {
        entries.push((
            "Quasi-sensitive column, linking",
            "A set of terms that is harmless until public knowledge of which label has which terms turns it into something \
             sensitive; a record links to every label that has all of its terms.",
        ));
    }
    if edition.is_steward() {
        entries.push((
            "Prosecutor, journalist, marketer",
            "Three adversaries: one who seeks a person known to be in the data, one who seeks anybody from a \
             population, and one who wants to link as many as possible.",
        ));
    }
    entries.push((
        "Information loss",
        "How much coarser the release is than the original, from 0 % (the same) to 100 % (nothing left).",
    ));
    entries
}
