//! The report about records in groups.

use super::super::Edition;
use super::super::block::{Block, Cell, Grid, Section};
use super::super::gate::{Datum, Key};
use super::super::groups::{GroupReport, Left, RuleRow, promise, protections};
use super::verdict::{self, KeyFigure, Verdict};
use super::{Own, records};
use privet_core::noun;
use privet_core::thousands;

/// At most this many rules are listed.
const MOST_RULES: usize = 200;

/// What makes records alike.
const ALIKE: &str = "A class is all records with the same quasi-identifiers, which are published as they are: the release does not change this risk. What it hides is whose the sensitive values are.";

/// What records in groups add to what all reports have.
pub(super) fn own(model: &GroupReport, edition: Edition) -> Own {
    let key = edition.key();
    let mut sections = vec![groups(model, edition)];
    sections.extend(key.and_then(|key| rules(model, key)));
    Own {
        about: "on a table",
        noun: "records",
        title: "Released table",
        k: None,
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements: vec![(
            Datum::setting(&model.requirement.description),
            Datum::setting(promise(&model.requirement)).sentence(),
        )],
        records: records::records(&model.common, edition),
        reading: reading(model),
        sections,
        glossary: glossary(),
    }
}

fn first_page(model: &GroupReport, edition: Edition) -> Verdict {
    let common = &model.common;
    let empty = common.records.released == 0;
    let promise = match empty {
        true => "All records are left out: nothing is released, and nothing can be learnt from it.".into(),
        false => Datum::say(
            "{} Quasi-identifiers are published exactly as they are.",
            [verdict::promise([promise(&model.requirement)])],
        ),
    };
    let note = "with exact quasi-identifiers".into();
    let mut figures = vec![verdict::released(common, "records released", "of {} read", note, edition)];
    if !empty {
        figures.push(KeyFigure::new(
            edition.count(model.groups.count),
            "groups",
            "their values are published, not whose they are",
        ));
        figures.push(KeyFigure::new(
            Datum::setting(format_args!("≥ {}", model.requirement.l)),
            Datum::say("values of {} possible", [Datum::named(&model.requirement.column)]),
            "for every record",
        ));
        figures.extend(verdict::lost(common, edition));
        figures.extend(verdict::exactly(common, verdict::CELLS, edition));
    }
    Verdict::new(common.audit.passed, empty, promise, figures, protections(&model.requirement))
}

fn reading(model: &GroupReport) -> Vec<(Datum, Datum)> {
    let quasi = Datum::join(model.quasi.iter().map(Datum::named), ", ");
    let column = Datum::named(&model.requirement.column);
    let files = match model.permuted {
        true => Datum::say(
            "release.csv has a row per record: {} as they are, a value of {}, and the number of its group in 'bucket'. Values \
             are shuffled within groups: a row shows somebody's quasi-identifiers next to a value of somebody in the group.",
            [quasi, column],
        ),
        false => Datum::say(
            "qit.csv has a row per record: {} as they are, and the number of its group in 'bucket'. st.csv has a row per group \
             and value of {}, with how often it occurs in the group.",
            [quasi, column],
        ),
    };
    vec![
        ("Files".into(), files),
        (
            "Counts".into(),
            "How many records have some quasi-identifiers is exact. To estimate how many have a value besides, take every \
             record of a group for equally likely to have each of its values."
                .into(),
        ),
    ]
}

fn groups(model: &GroupReport, edition: Edition) -> Section {
    let groups = &model.groups;
    let mut counts = vec![("Groups".into(), edition.count(groups.count))];
    let mut blocks = Vec::new();
    if let Some(key) = edition.key() {
        let left = groups.left.see(key);
        counts.extend([
            ("Records in the smallest".into(), key.count(groups.smallest)),
            ("Records in the largest".into(), key.count(groups.largest)),
            ("Fewest possible values".into(), key.count(left.least_valid)),
            ("Largest share of one value".into(), key.text(&left.frequency)),
            ("Surest assignment".into(), posterior(left, key)),
        ]);
        if let Some(anatomy) = model.baseline.as_ref().map(|baseline| baseline.see(key)) {
            blocks.push(Block::Heading("What an attacker learns who knows the rules".into()));
            blocks.push(Block::Grid(compared(anatomy, left, model.requirement.l, key)));
        }
    }
    blocks.insert(0, Block::counts(counts));
    Section::new("groups", "Groups", "Groups", blocks)
}

fn posterior(left: &Left, key: Key) -> Datum {
    match (&left.posterior, left.not_worked_out) {
        (Some(posterior), 0) => key.text(posterior),
        (Some(posterior), groups) => Datum::say(
            "{} (not worked out in {} {})",
            [key.text(posterior), key.count(groups), key.text(noun(groups, "group", "groups"))],
        ),
        (None, _) => "not worked out".into(),
    }
}

/// These groups against Anatomy's.
fn compared(anatomy: &Left, here: &Left, l: u64, key: Key) -> Grid {
    let row = |name: Datum, figure: &dyn Fn(&Left) -> Datum| {
        vec![Cell::from(name), figure(anatomy).into(), figure(here).into()]
    };
    let l = || Datum::setting(l);
    let rows = vec![
        row(Datum::say("Records with fewer than {} possible values", [l()]), &|left| {
            key.count(left.vulnerable)
        }),
        row("Fewest possible values of a record".into(), &|left| key.count(left.least_valid)),
        row("How sure they can be of a value".into(), &|left| posterior(left, key)),
        row(Datum::say("Records in groups where a value has more than one in {}", [l()]), &|left| {
            key.count(left.above_one_in_l)
        }),
    ];
    Grid::cards(
        "What an attacker learns who knows the rules",
        &["Measure", "From Anatomy’s groups#", "From these groups#"],
        rows,
    )
}

/// The rules that the attacker is taken to know; nothing where there are none.
fn rules(model: &GroupReport, key: Key) -> Option<Section> {
    let row = |rule: &RuleRow| {
        let support = match rule.support.fract() == 0.0 {
            true => thousands(rule.support as u64),
            false => format!("{:.2}", rule.support),
        };
        vec![
            Cell::from(key.text(&rule.rule)).small(key.text(&rule.name)),
            key.text(&rule.origin).into(),
            key.text(support).into(),
            key.percent(rule.expectation).into(),
            key.percent(rule.confidence).into(),
        ]
    };
    let rows: Vec<Vec<Cell>> = model.rules.see(key).iter().take(MOST_RULES).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let mined = match *model.mined.see(key) {
        0 => "No rule was mined".into(),
        1 => "One rule was mined".into(),
        more => Datum::say("{} rules were mined", [key.count(more)]),
    };
    let listed = match rows.len() {
        1 => "one is listed".into(),
        more => Datum::say("{} are listed", [key.count(more as u64)]),
    };
    let note =
        "{}. With those that the policy states, and without those that a more general one implies, {}.";
    let heads = ["Rule", "Origin", "Records#", "Expectation#", "Confidence#"];
    let blocks = vec![
        Block::prose(Datum::say(note, [mined, listed])),
        Block::Grid(Grid::cards("Rules", &heads, rows)),
    ];
    Some(Section::new("rules", "Rules", "What the attacker is taken to know", blocks))
}

fn glossary() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Quasi-identifier", "A column that could name a person together with others."),
        (
            "Group, or bucket",
            "Records whose sensitive values are listed together, without saying whose is whose.",
        ),
        (
            "Rule",
            "Something that cannot be: nobody for whom the first part is true has the value of the second.",
        ),
        (
            "Expectation",
            "The chance that the value would have occurred at least once among as many records, were the rule not true.",
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
