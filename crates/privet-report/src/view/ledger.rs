//! Which earlier releases of the same people there are, and what all of them tell together. For the steward alone.

use super::super::block::{Block, Cell, Grid, Mark, Section};
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::ledger::{EarlierRelease, LedgerAccount};
use privet_core::noun;
use privet_ledger::{Composition, Relation};

/// Characters of a hash that are shown: the ledger has all of them.
const SHOWN: usize = 12;

pub(super) fn ledger(common: &Common, key: Key) -> Section {
    let blocks = match common.ledger.as_ref().map(|account| account.see(key)) {
        Some(account) => known(account, key),
        None => vec![Block::words(
            "The policy names no ledger. Whether these people were released before is not known here, and this release was not \
             set against any other: say [ledger] in the policy to have that done.",
        )],
    };
    Section::new("ledger", "Earlier releases", "Earlier releases of the same people", blocks)
}

fn known(account: &LedgerAccount, key: Key) -> Vec<Block> {
    let mut blocks = vec![Block::prose(about(account, key))];
    if !account.earlier.is_empty() {
        let heads = ["Release", "Made by", "For", "People#", "Set against this one", "Hash of its files"];
        let rows = account.earlier.iter().map(|release| earlier(release, key)).collect();
        blocks.push(Block::Grid(Grid::cards("Earlier releases", &heads, rows)));
    }
    let outcome = outcome(account, key);
    if !outcome.is_empty() {
        let adds = account.together.as_ref().is_some_and(|found| found.pinned > 0);
        let mark = if adds { Mark::Fails } else { Mark::None };
        blocks.push(Block::Prose { class: "outcome", mark, text: outcome });
    }
    if let Some(found) = &account.together {
        let heads = ["What can be learnt", "From one release alone#", "From all together#"];
        let grid = Grid::cards("One release alone, and all together", &heads, together(found, key));
        blocks.push(Block::Grid(grid));
    }
    blocks
}

fn about(account: &LedgerAccount, key: Key) -> Datum {
    let by = match &account.person {
        Some(column) => Datum::say("by {}", [key.text(column)]),
        None => "by all that their records hold, so that people whose record changed are not".into(),
    };
    let refuses = if account.refuses {
        "A release that tells more together with earlier ones is refused."
    } else {
        "A release that tells more together with earlier ones is published with a warning."
    };
    let others = match account.earlier.len() {
        0 => "It is the first one there: there was nothing to set it against.".into(),
        1 => "One release came before it.".into(),
        more => Datum::say("{} releases came before it.", [key.count(more as u64)]),
    };
    Datum::say(
        "This release is line {} of the ledger. {} People are found again {}. {}",
        [key.count(account.entry), others, by, refuses.into()],
    )
}

fn earlier(release: &EarlierRelease, key: Key) -> Vec<Cell> {
    let source = if release.same_source { "from the same data" } else { "from other data" };
    let state = if release.state == "published" { String::new() } else { format!(", {}", release.state) };
    let date = format!("{}{state}", release.date.split('T').next().unwrap_or_default());
    let relation = match release.relation {
        Relation::Apart => "nobody is in both",
        Relation::Same => "the same classes: tells nothing more",
        Relation::Coarser => "this one is coarser: it tells nothing more",
        Relation::Finer => "this one is finer: the earlier one adds nothing",
        Relation::Crossing => "classes overlap",
    };
    let hash: String = release.release_sha256.chars().take(SHOWN).collect();
    vec![
        Cell::from(Datum::say("Line {}, {}", [key.count(release.entry), key.text(date)]))
            .small(key.text(&release.folder)),
        Datum::say("{}, {}", [key.text(&release.method), source.into()]).into(),
        Cell::or_dash(release.recipient.as_ref().map(|recipient| key.text(recipient))),
        key.count(release.people).into(),
        relation.into(),
        Cell::from(Datum::say("{}…", [key.text(hash)])).set("code"),
    ]
}

fn together(found: &Composition, key: Key) -> Vec<Vec<Cell>> {
    let row =
        |name: &'static str, alone: Datum, together: Datum| vec![name.into(), alone.into(), together.into()];
    vec![
        row(
            "People whose sensitive value is certain",
            key.count(found.pinned_alone),
            key.count(found.pinned_alone.saturating_add(found.pinned)),
        ),
        row(
            "Values that stay possible, on average",
            key.figure(found.candidates_alone),
            key.figure(found.candidates),
        ),
        row(
            "How sure one can be of a value, at most",
            key.percent(found.posterior_alone),
            key.percent(found.posterior),
        ),
        row("People alone with all their classes", "–".into(), key.count(found.singled)),
    ]
}

fn outcome(account: &LedgerAccount, key: Key) -> Datum {
    let Some(found) = &account.together else {
        return match account.earlier.is_empty() {
            true => Datum::default(),
            false => "Nobody of this release is found in an earlier one, so that nothing can be said about what they tell \
                      together."
                .into(),
        };
    };
    let people = noun(found.people, "person of this release is", "people of this release are");
    let in_both = Datum::say("{} {} in an earlier one too.", [key.count(found.people), key.text(people)]);
    let tells = match (found.pinned, found.added) {
        (0, _) => "All releases together make nobody’s value certain that no single one does.".into(),
        (pinned, 0) => Datum::say(
            "All releases together tell the value of {} of them; that was so before, and this one adds nobody.",
            [key.count(pinned)],
        ),
        (pinned, added) => Datum::say(
            "All releases together tell the value of {} of them, and of {} because of this one.",
            [key.count(pinned), key.count(added)],
        ),
    };
    let changed = (found.contradicted > 0).then(|| {
        Datum::say(
            "{} have another value than before: anyone who has both releases learns that it changed.",
            [key.count(found.contradicted)],
        )
    });
    Datum::join([in_both, tells].into_iter().chain(changed), " ")
}
