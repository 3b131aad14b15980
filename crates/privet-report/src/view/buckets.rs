//! The report about records in groups.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::super::Edition;
use super::super::buckets::{BucketReport, Left, RuleRow, promise, protections};
use super::super::gate::Key;
use super::super::lens::{capital, percent, thousands};
use super::verdict::{self, KeyFigure, Verdict};
use super::{Frame, Own};
use privet_core::noun;

/// So many rules are listed.
const MOST_RULES: usize = 200;

/// What makes records alike.
const ALIKE: &str = "A class is all records with the same quasi-identifiers, which are published as they are: the release does not change this risk. What it hides is whose the sensitive values are.";

/// The whole page.
#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    groups: Vec<(&'static str, String)>,
    compared: Vec<ComparedRow>,
    rules: Vec<RuleView>,
    rules_note: String,
}

/// A measure for Anatomy's groups and for the published ones.
#[derive(Serialize)]
struct ComparedRow {
    name: String,
    anatomy: String,
    here: String,
}

/// A rule in words.
#[derive(Serialize)]
struct RuleView {
    rule: String,
    name: String,
    origin: String,
    support: String,
    expectation: String,
    confidence: String,
}

/// Puts the model into words, as far as the edition may speak.
pub(in super::super) fn view(model: &BucketReport, edition: Edition) -> Value {
    let rules = edition.key().map(|key| rules(model, key)).unwrap_or_default();
    let mut sections = vec![("groups", "Groups")];
    sections.extend((!rules.is_empty()).then_some(("rules", "Rules")));
    let own = Own {
        about: "on a table",
        noun: "records",
        noun_title: "Records",
        kind: "table",
        k: None,
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements: vec![(
            model.requirement.description.clone(),
            format!("{}.", capital(&promise(&model.requirement))),
        )],
        records: super::records(model.common.records, edition),
        reading: reading(model),
        sections,
        glossary: glossary(),
    };
    let shown = rules.len() as u64;
    Value::from(Serde(View {
        groups: groups(model, edition),
        compared: edition.key().map(|key| compared(model, key)).unwrap_or_default(),
        rules_note: (edition.key()).map(|key| rules_note(*model.mined.see(key), shown)).unwrap_or_default(),
        rules,
        frame: Frame::new(&model.common, own, edition),
    }))
}

fn first_page(model: &BucketReport, edition: Edition) -> Verdict {
    let records = model.common.records;
    let empty = records.released == 0;
    let promise = if empty {
        "All records are left out: nothing is released, and nothing can be learnt from it.".to_string()
    } else {
        let exact = " Quasi-identifiers are published exactly as they are.";
        verdict::promise([promise(&model.requirement)].into_iter()) + exact
    };
    let mut figures = vec![KeyFigure {
        value: edition.count(records.released),
        name: "records released".to_string(),
        note: match edition.key() {
            Some(key) => format!("of {} read", thousands(*records.read.see(key))),
            None => "with exact quasi-identifiers".to_string(),
        },
    }];
    if !empty {
        figures.push(KeyFigure {
            value: edition.count(model.groups.count),
            name: "groups".to_string(),
            note: "their values are told, not whose they are".to_string(),
        });
        figures.push(KeyFigure {
            value: format!("≥ {}", model.requirement.l),
            name: format!("values of {} possible", model.requirement.column),
            note: "for every record".to_string(),
        });
        figures.extend(verdict::lost(&model.common, edition));
        figures.extend(verdict::exactly(&model.common, verdict::CELLS, edition));
    }
    Verdict::new(model.common.audit.passed, empty, promise, figures, protections(&model.requirement))
}

/// How many rules there are, and how many of them are listed.
fn rules_note(mined: u64, shown: u64) -> String {
    let mined = match mined {
        0 => "No rule was mined".to_string(),
        1 => "One rule was mined".to_string(),
        more => format!("{} rules were mined", thousands(more)),
    };
    let listed =
        if shown == 1 { "one is listed".to_string() } else { format!("{} are listed", thousands(shown)) };
    format!(
        "{mined}. With those that the policy states, and without those that a more general one implies, {listed}."
    )
}

fn reading(model: &BucketReport) -> Vec<(&'static str, String)> {
    let (column, quasi) = (&model.requirement.column, model.quasi.join(", "));
    let files = if model.permuted {
        format!(
            "release.csv has a row per record: {quasi} as they are, a value of {column}, and the number of its group in \
             'bucket'. Values are shuffled within groups: a row shows somebody's quasi-identifiers beside a value of \
             somebody in the group."
        )
    } else {
        format!(
            "qit.csv has a row per record: {quasi} as they are, and the number of its group in 'bucket'. st.csv has a row \
             per group and value of {column}, with how often it occurs in the group."
        )
    };
    vec![
        ("Files", files),
        (
            "Counts",
            "How many records have some quasi-identifiers is exact. To estimate how many have a value besides, take every \
             record of a group for equally likely to have each of its values."
                .to_string(),
        ),
    ]
}

fn groups(model: &BucketReport, edition: Edition) -> Vec<(&'static str, String)> {
    let groups = &model.groups;
    let mut rows = vec![("Groups", edition.count(groups.count))];
    if let Some(key) = edition.key() {
        let left = groups.left.see(key);
        rows.push(("Records in the smallest", thousands(groups.smallest)));
        rows.push(("Records in the largest", thousands(groups.largest)));
        rows.push(("Fewest possible values", thousands(left.least_valid)));
        rows.push(("Largest share of one value", left.frequency.clone()));
        rows.push(("Surest assignment", posterior(left)));
    }
    rows
}

fn posterior(left: &Left) -> String {
    match (&left.posterior, left.not_worked_out) {
        (Some(posterior), 0) => posterior.clone(),
        (Some(posterior), groups) => {
            format!(
                "{posterior} (not worked out in {} {})",
                thousands(groups),
                noun(groups, "group", "groups")
            )
        }
        (None, _) => "not worked out".to_string(),
    }
}

fn compared(model: &BucketReport, key: Key) -> Vec<ComparedRow> {
    let Some(anatomy) = model.baseline.as_ref().map(|baseline| baseline.see(key)) else { return Vec::new() };
    let here = model.groups.left.see(key);
    let l = model.requirement.l;
    let row = |name: String, figure: &dyn Fn(&Left) -> String| ComparedRow {
        name,
        anatomy: figure(anatomy),
        here: figure(here),
    };
    vec![
        row(format!("Records with fewer than {l} possible values"), &|left| thousands(left.vulnerable)),
        row("Fewest possible values of a record".to_string(), &|left| thousands(left.least_valid)),
        row("How sure he can be of a value".to_string(), &posterior),
        row(format!("Records in groups where a value has more than one in {l}"), &|left| {
            thousands(left.above_one_in_l)
        }),
    ]
}

fn rules(model: &BucketReport, key: Key) -> Vec<RuleView> {
    let view = |row: &RuleRow| RuleView {
        rule: row.rule.clone(),
        name: row.name.clone(),
        origin: row.origin.clone(),
        support: if row.support.fract() == 0.0 {
            thousands(row.support as u64)
        } else {
            format!("{:.2}", row.support)
        },
        expectation: percent(row.expectation),
        confidence: percent(row.confidence),
    };
    model.rules.see(key).iter().take(MOST_RULES).map(view).collect()
}

fn glossary() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Quasi-identifier", "A column that could name a person together with others."),
        ("Group, or bucket", "Records of which it is told together which sensitive values they have."),
        (
            "Rule",
            "Something that cannot be: nobody of whom the first part is true has the value of the second.",
        ),
        (
            "Expectation",
            "The chance that the value would have occurred at least once among so many records, were the rule not true.",
        ),
        (
            "Possible value",
            "A value that a record has in some assignment of the group's values to its records that breaks no rule.",
        ),
        ("Matching l-diversity", "At least l values are possible for every record of every group."),
        ("Anatomy", "Groups of l records with different values, formed without regard to rules."),
        (
            "deFinetti attack",
            "Learning from the release itself how values depend on quasi-identifiers, and using that on its groups.",
        ),
    ]
}
