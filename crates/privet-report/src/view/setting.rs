//! Who answers for the release, to whom it goes, and what the rule it was drafted after asks for.

use serde::Serialize;

use super::super::Edition;
use super::super::common::Common;
use super::super::gate::Key;
use super::super::lens::{percent, thousands};
use super::super::risk::{Fraction, Risk};
use super::super::scan::Fate;
use super::verdict;
use privet_core::noun;
use privet_policy::ReportKeys;

/// The least class of a release in which no cell has 1 to 10 people.
const LEAST_CELL: u64 = 11;

/// What a rule asks for, and what this release has of it.
#[derive(Serialize)]
pub(super) struct PresetView {
    name: String,
    /// What a preset can and cannot do.
    caveat: &'static str,
    sections: Vec<PresetRow>,
}

/// One thing that a rule asks for.
#[derive(Serialize)]
struct PresetRow {
    asked: &'static str,
    found: String,
    /// `yes` or `no` where it can be checked whether it is met; `not printed` where that depends on whether the finished
    /// public page prints a small count; otherwise nothing.
    met: &'static str,
}

/// What may be said about the release in both editions, as name and text.
pub(super) fn facts(common: &Common) -> Vec<(&'static str, String)> {
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
pub(super) fn scenario(common: &Common) -> Vec<(&'static str, String)> {
    let keys = &common.report;
    listed([
        ("Recipient", &keys.recipient),
        ("Purpose", &keys.purpose),
        ("Who might attack, and how", &keys.scenario),
        ("Legal basis", &keys.legal_basis),
    ])
}

fn listed<const N: usize>(given: [(&'static str, &Option<String>); N]) -> Vec<(&'static str, String)> {
    given.into_iter().filter_map(|(name, text)| Some((name, text.clone()?))).collect()
}

/// What the rule that the policy was drafted after asks for. The public reads its name alone: the rest speaks of risk.
pub(super) fn preset(common: &Common, edition: Edition) -> Option<PresetView> {
    let name = common.report.preset.clone()?;
    let rows = |key: Key| match name.as_str() {
        "hipaa-safe-harbor" => safe_harbor(common, key),
        "ema" => ema(common, key),
        "cms" => cms(common, key),
        "gdpr" => gdpr(common, key),
        _ => Vec::new(),
    };
    let sections = edition.key().map(rows).unwrap_or_default();
    Some(PresetView { name, caveat: ReportKeys::NO_CERTIFICATE, sections })
}

fn row(asked: &'static str, found: String, met: Option<bool>) -> PresetRow {
    let met = match met {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    };
    PresetRow { asked, found, met }
}

fn shares(before: Fraction, after: Fraction) -> String {
    format!("{} before, {} after", percent(before.to_f64()), percent(after.to_f64()))
}

fn risks(common: &Common, key: Key) -> Option<(&Risk, &Risk)> {
    common.risk_before.as_ref().map(|risk| risk.see(key)).zip(common.risk_after.as_ref())
}

/// What is published although it looks like an identifier, in words.
fn leaks(common: &Common, key: Key) -> (String, Option<bool>) {
    let Some(scan) = common.scan.as_ref().map(|scan| scan.see(key)) else {
        return ("no scan was made".to_string(), None);
    };
    let leaks: Vec<String> = (scan.leaks())
        .map(|suspect| {
            let (hits, values) = (thousands(suspect.hits), noun(suspect.hits, "value", "values"));
            format!("{} ({}, {hits} {values})", suspect.column, suspect.kind.name())
        })
        .collect();
    match leaks.as_slice() {
        [] => ("none that a name or a pattern tells is published as it is".to_string(), Some(true)),
        leaks => (format!("published as they are: {}", leaks.join("; ")), Some(false)),
    }
}

/// How the variables are treated, in words.
fn rules(common: &Common) -> String {
    let rule = |column: &super::super::model::Column| format!("{}: {}", column.name, column.transformation);
    common.columns.iter().map(rule).collect::<Vec<_>>().join("; ")
}

fn safe_harbor(common: &Common, key: Key) -> Vec<PresetRow> {
    let (found, met) = leaks(common, key);
    let coarser = common.scan.iter().flat_map(|scan| &scan.see(key).suspects);
    let coarser =
        coarser.filter(|suspect| suspect.fate == Fate::Changed).map(|suspect| suspect.column.as_str());
    let coarser: Vec<&str> = coarser.collect();
    let levels = common.audit.checks.iter().find(|check| check.name == "least levels");
    let levels = levels.map_or_else(String::new, |check| match check.holds {
        true => format!("; the audit found no cell finer than the policy allows ({})", check.detail),
        false => format!("; the audit found finer cells than the policy allows: {}", check.detail),
    });
    vec![
        row("Eighteen kinds of identifiers are removed (45 CFR 164.514(b)(2)(i))", found, met),
        row(
            "Places: at most three digits of a ZIP code, and more than 20,000 people behind them; dates: the year; ages above 89 \
             pooled, and years of birth that tell them",
            if coarser.is_empty() {
                format!("no such column is generalised{levels}")
            } else {
                format!(
                    "generalised: {}{levels}; whether areas have as many people is checked by hand, no census is at hand",
                    coarser.join(", ")
                )
            },
            None,
        ),
        row(
            "No actual knowledge that the rest could identify somebody",
            "only people can say so; the sections on risk and attacks help".to_string(),
            None,
        ),
    ]
}

fn ema(common: &Common, key: Key) -> Vec<PresetRow> {
    let (direct, met) = leaks(common, key);
    let mut rows = vec![
        row("Anonymisation methodology", format!("{}: {}", common.method.name, common.method.summary), None),
        row("Direct identifiers", direct, met),
        row("Rule for each variable", rules(common), None),
    ];
    if let Some((before, after)) = risks(common, key) {
        rows.push(row("Initial risk, highest", percent(before.figures.prosecutor_max.to_f64()), None));
        rows.push(row(
            "Threshold",
            "0.09, which means 1/11: at least eleven people look alike".to_string(),
            None,
        ));
        let (old, new) = (before.in_classes_below(LEAST_CELL), after.in_classes_below(LEAST_CELL));
        rows.push(row(
            "Residual risk",
            format!(
                "{} at most; share of records above 1/11: {}",
                percent(after.figures.prosecutor_max.to_f64()),
                shares(old, new)
            ),
            Some(new.numerator == 0),
        ));
    }
    rows.push(row(
        "Data utility",
        verdict::lost(common, Edition::Steward).map_or_else(String::new, |lost| {
            format!("{} {}, {}; see “What analysts still find”", lost.value, lost.name, lost.note)
        }),
        None,
    ));
    rows
}

fn cms(common: &Common, key: Key) -> Vec<PresetRow> {
    let mut rows = Vec::new();
    if let Some(after) = &common.risk_after {
        let smallest = after.figures.smallest;
        let counted = if common.counts_people() { "people" } else { "records" };
        rows.push(row(
            "No cell of 1 to 10 people in the release",
            format!("the smallest class has {} {counted}", thousands(smallest)),
            Some(smallest == 0 || smallest >= LEAST_CELL),
        ));
    }
    let suppressed = *common.records.suppressed.see(key);
    rows.push(row(
        "Nor by subtraction, excluded cases included",
        format!(
            "{} {} suppressed; the public edition has no count of them, only their share in steps of 5 %",
            thousands(suppressed),
            noun(suppressed, "record is", "records are")
        ),
        // However little is printed, who knows how many there were before learns how few are missing.
        Some(!(1..LEAST_CELL).contains(&suppressed)),
    ));
    rows.push(PresetRow {
        asked: "Nor in the public report",
        found: "see “Whether the figures agree”: every count printed there was read again".to_string(),
        met: "not printed",
    });
    rows
}

fn gdpr(common: &Common, key: Key) -> Vec<PresetRow> {
    let attack = |words: &[&str]| {
        let found =
            common.attacks.see(key).iter().find(|found| words.iter().any(|word| found.name.contains(word)));
        found.map_or_else(
            || "no attack of this kind was run".to_string(),
            |found| format!("see the attack “{}”", found.name),
        )
    };
    let unique =
        risks(common, key).map(|(before, after)| shares(before.figures.unique, after.figures.unique));
    vec![
        row(
            "Singling out (WP29 opinion 05/2014)",
            unique.map_or_else(String::new, |unique| {
                format!("alone with their quasi-identifiers: {unique}; {}", attack(&["singling out"]))
            }),
            None,
        ),
        row("Linkability", attack(&["link", "composition"]), None),
        row("Inference", attack(&["inference", "homogeneity", "definetti", "deFinetti"]), None),
        row(
            "Not a one-off exercise: weigh the risk again",
            common
                .report
                .review
                .clone()
                .unwrap_or_else(|| "no date is set: say `review` in `[report]`".to_string()),
            Some(common.report.review.is_some()),
        ),
    ]
}
