//! The report about a table.

use super::super::Edition;
use super::super::block::{Block, Cell, Chart, Grid, Section};
use super::super::gate::{Datum, Original};
use super::super::model::{ColumnAccount, LinkAccount, TableReport};
use super::super::notion::{Attack, Cover, Notion, limited_by_labels, protections};
use super::columns::{self, trees};
use super::verdict::{self, KeyFigure, Verdict};
use super::{Own, confidence, figures, records, rows};
use privet_policy::Role;
use privet_policy::method::TABLES;

/// What every report about classes explains, whether it is asked for or not.
const K_ANONYMITY: &str = "k-anonymity";

/// What makes records alike.
const ALIKE: &str = "A class is all records with the same quasi-identifiers.";
/// The same where people are counted.
const ALIKE_PEOPLE: &str = "A class is everybody who has a record with the same quasi-identifiers; anyone who has several records in a class counts once in it.";
/// The same where values, not columns, can be seen.
const ALIKE_IN_ALL: &str = "No column is a quasi-identifier here: values of any may be seen. A class is all records with the same values in all mixed columns, so this is the risk if an attacker knew all of them; the requirement limits what follows from those that can be seen.";

/// What a table adds to what all reports have.
pub(super) fn own(model: &TableReport, edition: Edition) -> Own {
    let requirement =
        |notion: &Notion, description: &str| (Datum::setting(notion.name()), Datum::setting(description));
    Own {
        about: "on a table",
        noun: "records",
        title: "Released table",
        k: model.k(),
        alike: if model.common.columns.iter().any(|column| column.role == Role::Mixed.name()) {
            ALIKE_IN_ALL
        } else if model.common.counts_people() {
            ALIKE_PEOPLE
        } else {
            ALIKE
        },
        verdict: first_page(model, edition),
        requirements: (model.requirements.iter())
            .map(|asked| requirement(&asked.notion, &asked.description))
            .collect(),
        records: records::records(&model.common, edition),
        reading: vec![
            ("Missing values".into(), Datum::setting(&model.missing)),
            ("Suppression".into(), Datum::setting(&model.suppression)),
        ],
        sections: sections(model, edition),
        glossary: glossary(model, edition),
    }
}

fn sections(model: &TableReport, edition: Edition) -> Vec<Section> {
    let common = &model.common;
    let mut all = Vec::new();
    all.extend(edition.key().and_then(|key| rows::rows(model.rows.see(key), key)));
    let drawn: Vec<Chart> =
        common.columns.iter().filter_map(|column| columns::tree(column, edition)).collect();
    if !drawn.is_empty() {
        let title = "What was chosen on each taxonomy";
        all.push(Section::new("taxonomies", "Taxonomies", title, trees(drawn, "records", edition)));
    }
    // Shares of people do not follow from the released records.
    if edition.is_steward() || !common.counts_people() {
        all.extend(confidence::confidence(&model.confidences, edition));
    }
    let charts = model.sensitive.iter().filter_map(|given| figures::distribution(given, edition)).collect();
    if let Some(charts) = Block::charts(charts) {
        let what = match edition {
            Edition::Steward => "Share of records with each value in the original and in the release.",
            Edition::Public => "Share of released records with each value.",
        };
        let blocks = vec![Block::words(what), charts];
        all.push(Section::new("sensitive", "Sensitive values", "Sensitive values", blocks));
    }
    all.extend(model.links.as_ref().and_then(|given| links(given, edition)));
    all
}

/// What public knowledge tells about records, before and after. For the steward alone: it speaks of the original.
fn links(given: &Original<LinkAccount>, edition: Edition) -> Option<Section> {
    let key = edition.key()?;
    let given = given.see(key);
    let row = |name: &'static str, (before, after): (u64, u64)| {
        vec![Cell::from(name), key.count(before).into(), key.count(after).into()]
    };
    let grid = vec![
        row("link to one label alone", given.single),
        row("are in groups whose likeliest label exceeds what the policy allows", given.exposed),
        row("link to nothing", given.unlinked),
    ];
    let how = "A record links to every label of the knowledge file that has all of its terms in {}; there are {} labels. In the \
               original, people with the same quasi-identifiers are a group; in the release, those who look alike.";
    let mut blocks = vec![
        Block::prose(Datum::say(how, [key.text(&given.column), key.count(given.labels)])),
        Block::Grid(Grid {
            class: "",
            ..Grid::cards("Linking", &["Records", "Original#", "Release#"], grid)
        }),
    ];
    let charts = [&given.sizes, &given.likeliest, &given.terms];
    let charts = charts.into_iter().filter_map(|given| figures::distribution(given, edition)).collect();
    blocks.extend(Block::charts(charts));
    Some(Section::new("links", "Linking", "What public knowledge reveals", blocks))
}

fn first_page(model: &TableReport, edition: Edition) -> Verdict {
    let common = &model.common;
    let notions: Vec<Notion> = model.requirements.iter().map(|asked| asked.notion.clone()).collect();
    let sensitive = common.columns.iter().filter(|column| column.role == Role::Sensitive.name());
    let sensitive: Vec<&str> = sensitive.map(|column| column.name.as_str()).collect();
    let empty = common.records.released == 0;
    let promise = if empty {
        emptiness(model, edition)
    } else {
        let once = match common.counts_people() {
            true => " Each person counts once, however many records they have.",
            false => "",
        };
        let promised = verdict::promise(notions.iter().map(Notion::promise));
        Datum::join([promised, once.into(), silence(model)], "")
    };
    let mut protections = protections(&notions, &sensitive);
    limited_by_labels(&mut protections, model.labels);
    if common.counts_people() {
        for entry in protections.iter_mut().filter(|entry| entry.attack == Attack::SeveralRecords) {
            entry.cover = Cover::Partly;
            entry.meaning = "Each person counts once in a class, however many records they have there. Anyone who has most of a \
                             class’s records still weighs most in it."
                .to_string();
        }
    }
    Verdict::new(common.audit.passed, empty, promise, key_figures(model, edition), protections)
}

/// That nothing is released. Only the steward learns how many records there were.
fn emptiness(model: &TableReport, edition: Edition) -> Datum {
    let records = &model.common.records;
    let kept = edition.key().map(|key| records.read.see(key).saturating_sub(*records.dropped.see(key)));
    let why = match model.k() {
        Some(k) if kept.is_some_and(|kept| kept > 0 && k > kept) => {
            Datum::say(" k = {} asks for more records than the table has.", [Datum::setting(k)])
        }
        _ => Datum::default(),
    };
    Datum::say("All records are left out: nothing is released, and nothing can be learnt from it.{}", [why])
}

/// The sensitive columns of which the release shows nothing.
fn silence(model: &TableReport) -> Datum {
    let silent =
        |column: &&ColumnAccount| column.role == Role::Sensitive.name() && column.distinct_after == Some(0);
    let say = |column: &ColumnAccount| {
        let name = Datum::named(&column.name);
        Datum::say(" All cells of {} are replaced by *: the release says nothing about it.", [name])
    };
    Datum::join(model.common.columns.iter().filter(silent).map(say), "")
}

fn key_figures(model: &TableReport, edition: Edition) -> Vec<KeyFigure> {
    let common = &model.common;
    let records = common.records;
    let counted = if common.counts_people() { "people" } else { "records" };
    let columns = common.columns.iter().filter(|column| column.is_published()).count();
    let columns = match columns {
        1 => "in one column".into(),
        columns => Datum::say("in {} columns", [Datum::in_words(columns)]),
    };
    let note = verdict::of_read(common, edition).unwrap_or(columns);
    let mut figures = vec![KeyFigure::new(edition.count(records.released), "records released", note)];
    if records.released == 0 {
        figures.extend(verdict::suppressed(common, edition));
        return figures;
    }
    if let (Some(before), Some(after), Some(key)) = (&common.risk_before, &common.risk_after, edition.key()) {
        let before = before.see(key);
        let original = |figure: Datum| Datum::say("in the original: {}", [figure]);
        figures.push(KeyFigure::new(
            key.count(after.figures.smallest),
            Datum::say("{} in the smallest class", [counted.into()]),
            match model.k() {
                Some(k) => Datum::say("asked for: at least {}", [Datum::setting(k)]),
                None => original(key.count(before.figures.smallest)),
            },
        ));
        figures.push(KeyFigure::new(
            key.percent(after.figures.marketer.to_f64()),
            "average risk of being found",
            original(key.percent(before.figures.marketer.to_f64())),
        ));
    } else {
        figures.extend(model.k().map(|k| {
            KeyFigure::new(
                Datum::setting(format_args!("≥ {k}")),
                Datum::say("{} look alike", [counted.into()]),
                "on the quasi-identifiers",
            )
        }));
        figures.extend(verdict::suppressed(common, edition));
    }
    // Stars can be counted in the release.
    let starred = common.columns.iter().filter(|column| column.role == Role::Sensitive.name());
    let starred: Vec<f64> = starred.filter_map(|column| column.suppressed).collect();
    let share = starred.iter().sum::<f64>() / starred.len().max(1) as f64;
    if share > 0.0 {
        let share = edition.share(share, records.released);
        figures.push(KeyFigure::new(share, "of sensitive cells shown as *", "in released records"));
    }
    figures.extend(verdict::lost(common, edition));
    figures.extend(verdict::exactly(common, verdict::CELLS, edition));
    figures
}

fn glossary(model: &TableReport, edition: Edition) -> Vec<(&'static str, &'static str)> {
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
        (K_ANONYMITY, "Every class has at least k records."),
    ];
    let others = TABLES.requirements.iter().filter(|notion| notion.name != K_ANONYMITY);
    let asked = others.filter(|notion| model.requirements.iter().any(|asked| asked.name == notion.name));
    entries.extend(asked.map(|notion| (notion.name, notion.help)));
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
            "Three attackers: one who seeks a person known to be in the data, one who seeks anybody from a \
             population, and one who wants to link as many as possible.",
        ));
    }
    entries.push((
        "Information loss",
        "How much coarser the release is than the original, from 0 % (the same) to 100 % (nothing left).",
    ));
    entries
}
