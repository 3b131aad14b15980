//! What attacks on the release found. For the steward alone.

use serde::Serialize;

use super::super::chart::{self, AttackBar};
use super::super::common::Common;
use super::super::gate::Key;
use super::super::lens::{capital, percent, thousands};
use super::DataTable;
use super::Figure as Drawing;
use privet_attack::{Figure, Finding};

/// The section.
#[derive(Serialize)]
pub(super) struct AttacksView {
    /// All attacks side by side.
    overview: Option<Drawing>,
    each: Vec<AttackView>,
    /// Attacks that were not run, with the reason.
    not_run: Vec<(String, String)>,
}

/// One attack.
#[derive(Serialize)]
struct AttackView {
    name: String,
    /// The headline in a few words.
    told: String,
    /// Whether there is something to warn of.
    succeeds: bool,
    knows: String,
    does: String,
    assumes: String,
    worst: String,
    lines: Vec<String>,
    table: DataTable,
    /// Why there is no control, where that is so for one reason throughout.
    uncontrolled: String,
}

pub(super) fn attacks(common: &Common, key: Key) -> Option<AttacksView> {
    let (found, not_run) = (common.attacks.see(key), common.attacks_not_run.see(key));
    if found.is_empty() && not_run.is_empty() {
        return None;
    }
    Some(AttacksView {
        overview: overview(found),
        each: found.iter().map(attack).collect(),
        not_run: not_run.iter().map(|not_run| (not_run.name.clone(), sentence(&not_run.reason))).collect(),
    })
}

fn title(found: &Finding) -> String {
    capital(if found.title.is_empty() { &found.name } else { &found.title })
}

fn share(count: u64, figure: &Figure) -> f64 {
    count as f64 / figure.targets.max(1) as f64
}

/// Bars of the headlines: what was achieved, between the ends of its interval, beside baseline and control.
fn overview(found: &[Finding]) -> Option<Drawing> {
    let headlines: Vec<(&Finding, Figure)> = found
        .iter()
        .map(|found| (found, found.headline()))
        .filter(|(_, figure)| figure.targets > 0)
        .collect();
    if headlines.is_empty() {
        return None;
    }
    let bar = |(found, figure): &(&Finding, Figure)| AttackBar {
        name: title(found),
        share: figure.share(),
        interval: figure.interval(),
        baseline: share(figure.baseline, figure),
        control: figure.control.map(|control| share(control, figure)),
        text: percent(figure.share()),
    };
    let row = |(found, figure): &(&Finding, Figure)| {
        let (low, high) = figure.interval();
        vec![
            title(found),
            percent(figure.share()),
            format!("{} to {}", percent(low), percent(high)),
            percent(share(figure.baseline, figure)),
            figure.control.map_or_else(|| "–".to_string(), |control| percent(share(control, figure))),
        ]
    };
    let bars: Vec<AttackBar> = headlines.iter().map(bar).collect();
    Some(Drawing {
        title: "How often each attack succeeds".to_string(),
        note: "Bar: achieved, with its 95 % interval; triangle: what is achieved without it; ring: the same attack where the release can tell nothing."
            .to_string(),
        svg: chart::attack_bars(&bars, "Share of targets that each attack hits"),
        table: DataTable {
            head: ["Attack", "Achieved", "95 % interval", "Baseline", "Control"].map(str::to_string).to_vec(),
            rows: headlines.iter().map(row).collect(),
        },
    })
}

fn attack(found: &Finding) -> AttackView {
    let head = ["What counts", "Targets", "Hits", "Share", "95 % interval", "For comparison", "Control"];
    // A reason that holds for several figures is given once, beneath them.
    let reasons = found.figures.iter().filter(|figure| figure.control.is_none());
    let reasons: Vec<&str> = reasons.map(|figure| figure.controlled.as_str()).collect();
    let times = |reason: &str| reasons.iter().filter(|other| **other == reason).count();
    let commonest = reasons.iter().copied().max_by_key(|reason| times(reason));
    let uncontrolled = commonest.filter(|reason| times(reason) > 1).unwrap_or_default();
    let row = |figure: &Figure| {
        let (low, high) = figure.interval();
        let control = match (figure.control, figure.controlled.as_str()) {
            (Some(control), about) => format!("{} ({about})", thousands(control)),
            (None, "") => "–".to_string(),
            (None, why) if why == uncontrolled => "none".to_string(),
            (None, why) => format!("none: {why}"),
        };
        vec![
            figure.what.clone(),
            thousands(figure.targets),
            thousands(figure.hits),
            percent(figure.share()),
            format!("{} to {}", percent(low), percent(high)),
            match figure.instead.as_str() {
                "" => thousands(figure.baseline),
                instead => format!("{} ({instead})", thousands(figure.baseline)),
            },
            control,
        ]
    };
    let headline = found.headline();
    AttackView {
        name: title(found),
        told: format!(
            "{} of {}, {}",
            thousands(headline.hits),
            thousands(headline.targets),
            percent(headline.share())
        ),
        succeeds: found.succeeds(),
        knows: found.knows.clone(),
        does: found.does.clone(),
        assumes: sentence(&found.assumes),
        worst: sentence(&found.worst),
        lines: found.lines.clone(),
        table: DataTable {
            head: head.map(str::to_string).to_vec(),
            rows: found.figures.iter().map(row).collect(),
        },
        uncontrolled: uncontrolled.to_string(),
    }
}

fn sentence(text: &str) -> String {
    let text = capital(text.trim_end_matches('.'));
    if text.is_empty() { text } else { text + "." }
}
