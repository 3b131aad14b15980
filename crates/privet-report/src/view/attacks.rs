//! What attacks on the release found. For the steward alone.

use super::super::block::{Block, Cell, Chart, Grid, Mark, Section};
use super::super::chart::{self, AttackBar};
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::numbers::percent;
use privet_attack::{Figure, Finding, NotRun};

pub(super) fn attacks(common: &Common, key: Key) -> Option<Section> {
    let (found, not_run) = (common.attacks.see(key), common.attacks_not_run.see(key));
    if found.is_empty() && not_run.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    blocks.extend(overview(found, key).map(|chart| Block::Charts { class: "", charts: vec![chart] }));
    blocks.extend(found.iter().map(|found| attack(found, key)));
    blocks.extend(left_out(not_run, key));
    Some(Section::new("attacks", "Attacks", "Attacks that were tried", blocks))
}

/// Attacks that were not run, with the reason. Those that can be run if somebody asks for them are seen at once; those that
/// have nothing to work on in this release are folded away.
fn left_out(not_run: &[NotRun], key: Key) -> Vec<Block> {
    let terms = |for_cost: bool| -> Vec<(Datum, Datum)> {
        let these = not_run.iter().filter(|attack| attack.for_cost == for_cost);
        these.map(|attack| (key.text(&attack.name), key.text(&attack.reason).sentence())).collect()
    };
    let (costly, never) = (terms(true), terms(false));
    let mut blocks = Vec::new();
    if !costly.is_empty() {
        blocks.push(Block::Heading("Not run, for they take long".into()));
        blocks.push(Block::Terms { class: "not-run", terms: costly });
    }
    if !never.is_empty() {
        blocks.push(Block::Folded {
            class: "more",
            title: Datum::default(),
            summary: Datum::say(
                "Attacks that cannot be tried on this release: {}",
                [key.count(never.len() as u64)],
            ),
            warn: "",
            blocks: vec![Block::Terms { class: "not-run", terms: never }],
        });
    }
    blocks
}

fn title(found: &Finding, key: Key) -> Datum {
    key.text(if found.title.is_empty() { &found.name } else { &found.title }).capital()
}

fn share(count: u64, figure: &Figure) -> f64 {
    count as f64 / figure.targets.max(1) as f64
}

fn interval(figure: &Figure, key: Key) -> Datum {
    let (low, high) = figure.interval();
    Datum::say("{} to {}", [key.percent(low), key.percent(high)])
}

/// Bars of the headlines: what was achieved, between the ends of its interval, next to baseline and control.
fn overview(found: &[Finding], key: Key) -> Option<Chart> {
    let headlines: Vec<(&Finding, Figure)> = found
        .iter()
        .map(|found| (found, found.headline()))
        .filter(|(_, figure)| figure.targets > 0)
        .collect();
    if headlines.is_empty() {
        return None;
    }
    let bar = |(found, figure): &(&Finding, Figure)| AttackBar {
        name: title(found, key).text().to_string(),
        share: figure.share(),
        interval: figure.interval(),
        baseline: share(figure.baseline, figure),
        control: figure.control.map(|control| share(control, figure)),
        text: percent(figure.share()),
    };
    let row = |(found, figure): &(&Finding, Figure)| {
        let control = figure.control.map(|control| key.percent(share(control, figure)));
        vec![
            title(found, key),
            key.percent(figure.share()),
            interval(figure, key),
            key.percent(share(figure.baseline, figure)),
            control.unwrap_or_else(|| "–".into()),
        ]
    };
    let bars: Vec<AttackBar> = headlines.iter().map(bar).collect();
    let chart = Chart::new(
        "How often each attack succeeds",
        "Bar: achieved, with its 95 % interval; triangle: what is achieved without it; ring: the same attack where the release \
         can tell nothing.",
        chart::attack_bars(&bars, "Share of targets that each attack hits"),
        &["Attack", "Achieved", "95 % interval", "Baseline", "Control"],
        headlines.iter().map(row).collect(),
    );
    Some(Chart { class: "overview", summary: "", ..chart })
}

fn attack(found: &Finding, key: Key) -> Block {
    // A reason that holds for several figures is given once, below them.
    let reasons = found.figures.iter().filter(|figure| figure.control.is_none());
    let reasons: Vec<&str> = reasons.map(|figure| figure.controlled.as_str()).collect();
    let times = |reason: &str| reasons.iter().filter(|other| **other == reason).count();
    let commonest = reasons.iter().copied().max_by_key(|reason| times(reason));
    let uncontrolled = commonest.filter(|reason| times(reason) > 1).unwrap_or_default();
    let headline = found.headline();
    let counts = [headline.hits, headline.targets].map(|count| key.count(count));
    let [hits, targets] = counts;
    let text = |text: &str| key.text(text);
    let mut blocks = vec![Block::prose(Datum::say(
        "The attacker knows {}. The attacker {}. {}",
        [text(&found.knows), text(&found.does), text(&found.rests_on()).sentence()],
    ))];
    if !found.worst.is_empty() {
        blocks.push(Block::prose(Datum::say("Worst case: {}", [text(&found.worst).sentence()])));
    }
    let heads = ["What counts", "Targets", "Hits", "Share", "95 % interval", "For comparison", "Control"];
    let rows = found.figures.iter().map(|figure| row(figure, uncontrolled, key)).collect();
    blocks.push(Block::Grid(Grid {
        class: "data cards",
        label: Datum::say("Figures of the attack {}", [title(found, key)]),
        ..Grid::cards("", &heads, rows)
    }));
    if !uncontrolled.is_empty() {
        let why = Datum::say("No control where it says none: {}.", [text(uncontrolled)]);
        blocks.push(Block::aside(why));
    }
    if !found.lines.is_empty() {
        let items = found.lines.iter().map(|line| (Mark::None, text(line), Datum::default())).collect();
        blocks.push(Block::List { class: "lines", items });
    }
    Block::Folded {
        class: "attack",
        title: title(found, key),
        summary: Datum::say("{} of {}, {}", [hits, targets, key.percent(headline.share())]),
        warn: if found.succeeds() { "to be weighed" } else { "" },
        blocks,
    }
}

fn row(figure: &Figure, uncontrolled: &str, key: Key) -> Vec<Cell> {
    let control = match (figure.control, figure.controlled.as_str()) {
        (Some(control), about) => Datum::say("{} ({})", [key.count(control), key.text(about)]),
        (None, "") => "–".into(),
        (None, why) if why == uncontrolled => "none".into(),
        (None, why) => Datum::say("none: {}", [key.text(why)]),
    };
    let baseline = match figure.instead.as_str() {
        "" => key.count(figure.baseline),
        instead => Datum::say("{} ({})", [key.count(figure.baseline), key.text(instead)]),
    };
    vec![
        key.text(&figure.what).into(),
        key.count(figure.targets).into(),
        key.count(figure.hits).into(),
        key.percent(figure.share()).into(),
        interval(figure, key).into(),
        baseline.into(),
        control.into(),
    ]
}
