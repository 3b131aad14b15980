//! Who answers for the release, to whom it goes, and what the rule it was drafted after asks for.

use super::super::Edition;
use super::super::block::{Block, Cell, Grid, Mark, Section};
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::model::ColumnAccount;
use super::super::risk::{Fraction, Risk};
use super::super::scan::Fate;
use super::verdict;
use privet_core::noun;
use privet_policy::ReportKeys;

/// The least class of a release in which no cell has 1 to 10 people.
const LEAST_CELL: u64 = 11;

/// What a rule asks for, what this release has of it, and whether that meets it, where that can be checked.
type Asked = (&'static str, Datum, Option<bool>);

/// What may be said about the release in both editions, as name and text.
pub(super) fn facts(common: &Common) -> Vec<(Datum, Datum)> {
    let keys = &common.report;
    listed([
        ("Owner", &keys.owner),
        ("Contact", &keys.contact),
        ("Licence", &keys.licence),
        ("Signed off", &keys.sign_off),
        ("To be reviewed", &keys.review),
    ])
}

/// The setting in which the release is thought to be safe. Steward only.
pub(super) fn scenario(common: &Common) -> Vec<(Datum, Datum)> {
    let keys = &common.report;
    listed([
        ("Recipient", &keys.recipient),
        ("Purpose", &keys.purpose),
        ("Who might attack, and how", &keys.scenario),
        ("Legal basis", &keys.legal_basis),
    ])
}

fn listed<const N: usize>(given: [(&'static str, &Option<String>); N]) -> Vec<(Datum, Datum)> {
    given.into_iter().filter_map(|(name, text)| Some((name.into(), Datum::setting(text.as_ref()?)))).collect()
}

/// What the rule that the policy was drafted after asks for. The public reads its name alone: the rest speaks of risk.
pub(super) fn preset(common: &Common, edition: Edition) -> Option<Section> {
    let name = common.report.preset.as_ref()?;
    let asked = |key: Key| match name.as_str() {
        "hipaa-safe-harbor" => safe_harbor(common, key),
        "ema" => ema(common, key),
        "cms" => cms(common, key),
        "gdpr" => gdpr(common, key),
        _ => Vec::new(),
    };
    let mut blocks = vec![Block::prose(Datum::say(
        "The policy’s thresholds started from this rule. {}",
        [ReportKeys::NO_CERTIFICATE.into()],
    ))];
    let rows: Vec<Vec<Cell>> = edition.key().map(asked).unwrap_or_default().into_iter().map(row).collect();
    if !rows.is_empty() {
        let heads = ["What the rule asks for", "What was found", "Met"];
        blocks.push(Block::Grid(Grid::cards("The rule and this release", &heads, rows)));
    }
    let title = Datum::say("Drafted after the rule: {}", [Datum::setting(name)]);
    Some(Section { id: "preset", name: "Rule", title, blocks })
}

fn row((asked, found, met): Asked) -> Vec<Cell> {
    let met = match met {
        Some(true) => Cell { mark: Mark::Holds, ..Cell::from("✓ yes") },
        Some(false) => Cell { mark: Mark::Fails, ..Cell::from("✕ no") },
        None => "to be weighed".into(),
    };
    vec![asked.into(), found.into(), met]
}

fn shares(before: Fraction, after: Fraction, key: Key) -> Datum {
    Datum::say("{} before, {} after", [before, after].map(|share| key.percent(share.to_f64())))
}

fn risks(common: &Common, key: Key) -> Option<(&Risk, &Risk)> {
    common.risk_before.as_ref().map(|risk| risk.see(key)).zip(common.risk_after.as_ref())
}

/// What is published although it looks like an identifier, in words.
fn leaks(common: &Common, key: Key) -> (Datum, Option<bool>) {
    let Some(scan) = common.scan.as_ref().map(|scan| scan.see(key)) else {
        return ("no scan was made".into(), None);
    };
    let leaks = scan.leaks().map(|suspect| {
        let values = noun(suspect.hits, "value", "values");
        Datum::say(
            "{} ({}, {} {})",
            [
                key.text(&suspect.column),
                suspect.kind.name().into(),
                key.count(suspect.hits),
                key.text(values),
            ],
        )
    });
    let leaks = Datum::join(leaks, "; ");
    match leaks.is_empty() {
        true => ("none that a name or a pattern tells is published as it is".into(), Some(true)),
        false => (Datum::say("published as they are: {}", [leaks]), Some(false)),
    }
}

/// How the variables are treated, in words.
fn rules(common: &Common, key: Key) -> Datum {
    let rule = |column: &ColumnAccount| key.text(format!("{}: {}", column.name, column.transformation));
    Datum::join(common.columns.iter().map(rule), "; ")
}

fn safe_harbor(common: &Common, key: Key) -> Vec<Asked> {
    let (found, met) = leaks(common, key);
    let coarser = common.scan.iter().flat_map(|scan| &scan.see(key).suspects);
    let coarser =
        coarser.filter(|suspect| suspect.fate == Fate::Changed).map(|suspect| key.text(&suspect.column));
    let coarser = Datum::join(coarser, ", ");
    let levels = common.audit.checks.iter().find(|check| check.name == "least levels");
    let levels = levels.map_or_else(Datum::default, |check| {
        let detail = key.text(check.detail.see(key));
        match check.holds {
            true => Datum::say("; the audit found no cell finer than the policy allows ({})", [detail]),
            false => Datum::say("; the audit found finer cells than the policy allows: {}", [detail]),
        }
    });
    let places = match coarser.is_empty() {
        true => Datum::say("no such column is generalised{}", [levels]),
        false => Datum::say(
            "generalised: {}{}; whether areas have as many people is checked by hand, no census is at hand",
            [coarser, levels],
        ),
    };
    vec![
        ("Eighteen kinds of identifiers are removed (45 CFR 164.514(b)(2)(i))", found, met),
        (
            "Places: at most three digits of a ZIP code, and more than 20,000 people behind them; dates: the year; ages above 89 \
             pooled, and years of birth that tell them",
            places,
            None,
        ),
        (
            "No actual knowledge that the rest could identify somebody",
            "only people can say so; the sections on risk and attacks help".into(),
            None,
        ),
    ]
}

fn ema(common: &Common, key: Key) -> Vec<Asked> {
    let (direct, met) = leaks(common, key);
    let method = Datum::say("{}: {}", [&common.method.name, &common.method.summary].map(Datum::setting));
    let mut rows = vec![
        ("Anonymisation methodology", method, None),
        ("Direct identifiers", direct, met),
        ("Rule for each variable", rules(common, key), None),
    ];
    if let Some((before, after)) = risks(common, key) {
        let highest = |risk: &Risk| key.percent(risk.figures.prosecutor_max.to_f64());
        let (old, new) = (before.in_classes_below(LEAST_CELL), after.in_classes_below(LEAST_CELL));
        let residual = Datum::say(
            "{} at most; share of records above 1/11: {}",
            [highest(after), shares(old, new, key)],
        );
        rows.push(("Initial risk, highest", highest(before), None));
        rows.push(("Threshold", "0.09, which means 1/11: at least eleven people look alike".into(), None));
        rows.push(("Residual risk", residual, Some(new.numerator == 0)));
    }
    let lost = verdict::lost(common, Edition::Steward).map_or_else(Datum::default, |lost| {
        Datum::say("{} {}, {}; see “What analysts still find”", [lost.value, lost.name, lost.note])
    });
    rows.push(("Data utility", lost, None));
    rows
}

fn cms(common: &Common, key: Key) -> Vec<Asked> {
    let mut rows = Vec::new();
    if let Some(after) = &common.risk_after {
        let smallest = after.figures.smallest;
        let counted = if common.counts_people() { "people" } else { "records" };
        rows.push((
            "No cell of 1 to 10 people in the release",
            Datum::say("the smallest class has {} {}", [key.count(smallest), counted.into()]),
            Some(smallest == 0 || smallest >= LEAST_CELL),
        ));
    }
    let suppressed = *common.records.suppressed.see(key);
    rows.push((
        "Nor by subtraction, excluded cases included",
        Datum::say(
            "{} {} suppressed; the public edition has no count of them, only their share in steps of 5 %",
            [key.count(suppressed), key.text(noun(suppressed, "record is", "records are"))],
        ),
        // However little is printed, who knows how many there were before learns how few are missing.
        Some(!(1..LEAST_CELL).contains(&suppressed)),
    ));
    rows.push((
        "Nor in the public report",
        "every count there passes one gate, which hides those from 1 to 10".into(),
        Some(true),
    ));
    rows
}

fn gdpr(common: &Common, key: Key) -> Vec<Asked> {
    let attack = |words: &[&str]| {
        let found =
            common.attacks.see(key).iter().find(|found| words.iter().any(|word| found.name.contains(word)));
        found.map_or_else(
            || "no attack of this kind was run".into(),
            |found| Datum::say("see the attack “{}”", [key.text(&found.name)]),
        )
    };
    let unique = risks(common, key).map_or_else(Datum::default, |(before, after)| {
        Datum::say(
            "alone with their quasi-identifiers: {}; {}",
            [shares(before.figures.unique, after.figures.unique, key), attack(&["singling out"])],
        )
    });
    let review = &common.report.review;
    vec![
        ("Singling out (WP29 opinion 05/2014)", unique, None),
        ("Linkability", attack(&["link", "composition"]), None),
        ("Inference", attack(&["inference", "homogeneity", "definetti", "deFinetti"]), None),
        (
            "Not a one-off exercise: weigh the risk again",
            review
                .as_ref()
                .map_or_else(|| "no date is set: say `review` in `[report]`".into(), Datum::setting),
            Some(review.is_some()),
        ),
    ]
}
