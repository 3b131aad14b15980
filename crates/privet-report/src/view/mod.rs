//! What an edition of a report says, in words: everything the template prints.
//!
//! The sections that every report has are made here and in the files of their names. What only one kind of release has stands
//! in a file of its own.

mod advice;
mod associations;
mod attacks;
mod columns;
mod confidence;
mod consistency;
mod fidelity;
mod figures;
mod groups;
mod item_trees;
mod ledger;
mod method;
mod projections;
mod records;
mod rows;
mod scan;
mod search;
mod setting;
mod suppression;
mod table;
mod transactions;
mod verdict;
mod vocabularies;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::block::{Block, Cell, Grid, Head, Section};
use super::common::Common;
use super::gate::Datum;
use super::model::Loss;
use super::{Edition, Report, STYLE, chart};
use verdict::Verdict;

/// Name and text.
type Pairs = Vec<(Datum, Datum)>;

/// A page.
#[derive(Serialize)]
struct Page {
    steward: bool,
    style: Value,
    privet: Datum,
    title: Datum,
    byline: Datum,
    verdict: Verdict,
    /// What the steward should know before publishing, with what can be done about it.
    warnings: Pairs,
    sections: Vec<Section>,
}

/// What each kind of release adds to what all reports have.
struct Own {
    /// What was worked on, behind the method's name: "on a table".
    about: &'static str,
    /// What a record is called, in the plural.
    noun: &'static str,
    /// What the public reads in the place of the title: "Released table".
    title: &'static str,
    verdict: Verdict,
    requirements: Pairs,
    /// What became of the records.
    records: Vec<Block>,
    /// What a reader of the release has to know.
    reading: Pairs,
    sections: Vec<Section>,
    glossary: Vec<(&'static str, &'static str)>,
    /// The least number of records that must look alike, where one is asked for.
    k: Option<u64>,
    /// What makes records alike, for the section on risk.
    alike: &'static str,
}

/// Puts a report into words, as far as the edition may speak.
pub(super) fn page(report: &Report, edition: Edition) -> Value {
    let own = match report {
        Report::Table(own) => table::own(own, edition),
        Report::Transactions(own) => transactions::own(own, edition),
        Report::Vocabularies(own) => vocabularies::own(own, edition),
        Report::Groups(own) => groups::own(own, edition),
        Report::Projections(own) => projections::own(own, edition),
    };
    let common = report.common();
    let (key, privet) = (edition.key(), Datum::setting(&common.privet));
    let method = Datum::setting(&common.method.name);
    let byline = match key {
        Some(key) => Datum::say(
            "{} {} · made from {} · Privet {}",
            [method, own.about.into(), key.text(common.data_name.see(key)), privet.clone()],
        ),
        None => Datum::say("{} {} · Privet {}", [method, own.about.into(), privet.clone()]),
    };
    // A file's name may say whose data it is, so the public reads a neutral title.
    let title = match (key, &common.report.title) {
        (Some(key), _) => key.text(common.title.see(key)),
        (None, Some(title)) => Datum::named(title),
        (None, None) => own.title.into(),
    };
    let warnings = key.map(|key| advice::warnings(common, key));
    let (verdict, sections) = sections(common, own, edition);
    Value::from(Serde(Page {
        steward: edition.is_steward(),
        style: Value::from_safe_string(STYLE.to_string()),
        privet,
        title,
        byline,
        verdict,
        warnings: warnings.unwrap_or_default(),
        sections,
    }))
}

/// The first page, and all sections in their order.
fn sections(common: &Common, own: Own, edition: Edition) -> (Verdict, Vec<Section>) {
    let key = edition.key();
    let verdict = own.verdict.weighed(common, own.noun, edition);
    let mut all = vec![release(common, own.records, own.requirements, own.reading, edition)];
    all.extend(setting::preset(common, edition));
    all.extend(columns::columns(common, edition));
    all.extend(own.sections);
    all.extend(common.scan.as_ref().zip(key).map(|(scan, key)| scan::scan(scan.see(key), key)));
    all.extend(figures::tightness(common, edition));
    all.extend(key.and_then(|key| figures::risk(common, own.k, own.alike, key)));
    all.extend(key.and_then(|key| attacks::attacks(common, key)));
    all.extend(key.map(|key| ledger::ledger(common, key)));
    all.extend(losses(common, edition));
    all.extend(fidelity::fidelity(common, edition));
    all.extend(key.and_then(|key| suppression::suppression(common, key)));
    all.push(audit(common, own.noun, edition));
    all.extend(key.and_then(|key| search::search(common, key)));
    all.push(method::method(common, edition));
    all.extend(key.map(|_| sign_off(common)));
    all.push(glossary(own.glossary));
    (verdict, all)
}

/// What was released, what was asked and how to read it.
fn release(
    common: &Common,
    records: Vec<Block>,
    requirements: Pairs,
    reading: Pairs,
    edition: Edition,
) -> Section {
    let mut blocks = records;
    let answers = setting::facts(common);
    blocks.extend((!answers.is_empty()).then_some(Block::Facts(answers)));
    let spoken =
        |(name, text): (Datum, Datum)| (common.spoken(&name, edition), common.spoken(&text, edition));
    let asked = match requirements.is_empty() {
        true => Block::words("Nothing."),
        false => Block::Terms { class: "stacked", terms: requirements.into_iter().map(spoken).collect() },
    };
    blocks.push(Block::Columns {
        left: vec![Block::Heading("What was asked".into()), asked],
        right: vec![
            Block::Heading("How to read it".into()),
            Block::Terms { class: "stacked", terms: reading },
        ],
    });
    match edition {
        Edition::Public => blocks.push(Block::aside(
            "Figures of this edition follow from the released files. What depends on the original is rounded up to steps of \
             5 %, or left out; there is no count from 1 to 10 and no value that the release hides. “Few” and “withheld” stand \
             in their place."
                .into(),
        )),
        Edition::Steward => {
            let scenario = setting::scenario(common);
            if !scenario.is_empty() {
                blocks.push(Block::Heading("For which setting".into()));
                blocks.push(Block::Terms { class: "stacked", terms: scenario });
            }
        }
    }
    Section::new("facts", "The release", "The release", blocks)
}

/// What was lost, as far as the edition may have it.
fn losses(common: &Common, edition: Edition) -> Option<Section> {
    let rows: Vec<_> =
        common.losses.iter().filter_map(|loss| loss_row(loss, common.records.released, edition)).collect();
    let heads: &[&str] = match edition {
        Edition::Steward => &["Measure", "Value#", "Of the worst", "Formula", "Range"],
        Edition::Public => &["Measure", "Of the worst", "Formula", "Range"],
    };
    let mut grid = Grid::cards("What was lost", heads, rows);
    grid.heads
        .iter_mut()
        .filter(|head| head.name.text() == "Formula")
        .for_each(|head| head.class = "formula");
    (!grid.rows.is_empty())
        .then(|| Section::new("losses", "Losses", "What was lost", vec![Block::Grid(grid)]))
}

/// A loss in both editions as a share of the worst, next to this many released records; its value is the steward's.
fn loss_row(loss: &Loss, released: u64, edition: Edition) -> Option<Vec<Cell>> {
    let key = edition.key();
    if key.is_none() && loss.is_error() {
        return None;
    }
    let share = loss.normalised.and_then(|share| share.shown(edition, released));
    let value = key.map(|key| key.figure(*loss.value.see(key)));
    if value.is_none() && share.is_none() {
        return None;
    }
    let name = Datum::setting(&loss.name);
    let of_worst = share.map_or_else(
        || Cell::from("–"),
        |share| {
            let title = Datum::say("{}: {}", [name.clone(), share.text.clone()]);
            Cell::drawn(chart::meter(share.share, &title), share.text, "metered")
        },
    );
    let mut row = vec![Cell::from(name.clone())];
    row.extend(value.map(Cell::from));
    row.extend([
        of_worst,
        Datum::setting(&loss.formula).into(),
        Cell::from(Datum::setting(&loss.range)).small(Datum::setting(&loss.direction)),
    ]);
    Some(row)
}

/// What the audit found, and whether the figures agree.
fn audit(common: &Common, noun: &'static str, edition: Edition) -> Section {
    let (audit, key) = (&common.audit, edition.key());
    let undecided = key.map_or(&[][..], |key| audit.undecided.see(key));
    let decided = audit.checks.iter().map(|check| (check, Cell::verdict(check.holds)));
    let rows =
        decided.chain(undecided.iter().map(|check| (check, Cell::unknown()))).map(|(check, verdict)| {
            let mut row = vec![
                Cell::from(common.spoken(&Datum::setting(&check.name), edition)),
                verdict,
                edition.count(check.concerned).into(),
            ];
            row.extend(key.map(|key| {
                Cell::from(key.text(check.worst.see(key))).small(key.text(check.detail.see(key)))
            }));
            row
        });
    let mut grid = Grid::cards("Checks of the audit", &["Check", "Verdict"], rows.collect());
    grid.heads.push(Head { name: Datum::say("{} in violation", [noun.into()]).capital(), class: "number" });
    grid.heads.extend(key.map(|_| Head { name: "Worst case".into(), class: "" }));
    let found = match (audit.passed, undecided) {
        (false, _) => "It found a violation.",
        (true, []) => "It found no violation.",
        (true, _) => "It found no violation, but could not decide every check.",
    };
    let how = "The audit has its own code. It reads the original, the release and the policy, and checks each definition \
               literally. {}";
    let blocks = vec![
        Block::prose(Datum::say(how, [found.into()])),
        Block::Grid(grid),
        Block::Heading("Whether the figures agree".into()),
        Block::List { class: "plain checks", items: consistency::consistency(common, edition) },
    ];
    Section::new("audit", "Audit", "Audit", blocks)
}

/// Where people sign.
fn sign_off(common: &Common) -> Section {
    let review = common.report.review.as_ref().map(Datum::setting).unwrap_or_default();
    let row = |who: &'static str, name: Datum| {
        vec![Cell::from(who), Cell::from(name), Cell::default(), Cell::default()]
    };
    let rows = vec![
        row("Expert who weighed the risk", Datum::default()),
        row("Disclosure review board", Datum::default()),
        row("Owner of the data", Datum::default()),
        row("To be weighed again by", review),
    ];
    let grid =
        Grid { class: "signature", ..Grid::cards("Sign-off", &["Who", "Name", "Date", "Signature"], rows) };
    let why = "Filled in by hand. A tool can check a promise; whether the risk that is left is acceptable, people decide.";
    Section::new("signature", "Sign-off", "Sign-off", vec![Block::words(why), Block::Grid(grid)])
}

/// The terms of the kind of release, then those of ISO/IEC 20889 that every report uses.
fn glossary(own: Vec<(&'static str, &'static str)>) -> Section {
    let general = [
        (
            "De-identification technique",
            "A method that transforms a data set in order to reduce how far information can be associated with individual \
             people (ISO/IEC 20889).",
        ),
        (
            "Re-identification",
            "Associating data in a de-identified data set with the person it is about. An attempt to do so on purpose is a \
             re-identification attack.",
        ),
        (
            "Singling out",
            "Isolating the records of one person by a set of characteristics that are known to describe only that person.",
        ),
        (
            "Linking",
            "Associating records about the same person or group of people in one or several data sets.",
        ),
        (
            "Inference",
            "Deducing with more than negligible probability the value of an attribute from the values of other ones.",
        ),
        ("Data principal", "The person whom the data is about."),
    ];
    let known = |name: &str| own.iter().any(|(other, _)| *other == name);
    let general = general.into_iter().filter(|(name, _)| !known(name));
    let terms = own.iter().copied().chain(general).map(|(name, text)| (name.into(), text.into())).collect();
    Section::new("glossary", "Glossary", "Glossary", vec![Block::Terms { class: "glossary", terms }])
}

/// A measure with a remark, and its figures before and after.
type Measure = (Datum, &'static str, Option<Datum>, Datum);

/// What is left to analyse; figures of the original are in the steward's edition alone.
fn utility(measures: Vec<Measure>, edition: Edition) -> Grid {
    let row = |(name, note, before, after): Measure| {
        let mut row = vec![Cell::from(name).small(note)];
        row.extend(edition.is_steward().then(|| Cell::or_dash(before)));
        row.push(after.into());
        row
    };
    let heads: &[&str] = match edition {
        Edition::Steward => &["Measure", "Original#", "Release#"],
        Edition::Public => &["Measure", "Release#"],
    };
    Grid::cards("What is left to analyse", heads, measures.into_iter().map(row).collect())
}
