//! Which earlier releases of the same people there are, and what all of them tell together. For the steward alone.

use serde::Serialize;

use super::super::common::Common;
use super::super::gate::Key;
use super::super::ledger::{EarlierRelease, LedgerAccount};
use super::super::lens::{figure, percent, thousands};
use privet_core::noun;
use privet_ledger::{Composition, Relation};

/// Characters of a hash that are shown: the ledger has all of them.
const SHOWN: usize = 12;

/// The section.
#[derive(Serialize)]
pub(super) struct LedgerView {
    told: String,
    earlier: Vec<EarlierView>,
    /// One release alone against all together.
    together: Vec<TogetherRow>,
    /// What follows from it.
    outcome: String,
    /// Whether all releases together tell what none tells alone.
    tells: bool,
}

#[derive(Serialize)]
struct EarlierView {
    entry: String,
    date: String,
    made: String,
    recipient: String,
    people: String,
    relation: &'static str,
    folder: String,
    hash: String,
}

#[derive(Serialize)]
struct TogetherRow {
    name: &'static str,
    alone: String,
    together: String,
}

pub(super) fn ledger(common: &Common, key: Key) -> Option<LedgerView> {
    let Some(account) = common.ledger.as_ref().map(|account| account.see(key)) else {
        return Some(LedgerView {
            told: "The policy names no ledger. Whether these people were released before is not known here, and this release was \
                   not set against any other: say [ledger] in the policy to have that done."
                .to_string(),
            earlier: Vec::new(),
            together: Vec::new(),
            outcome: String::new(),
            tells: false,
        });
    };
    Some(LedgerView {
        told: told(account),
        earlier: account.earlier.iter().map(earlier).collect(),
        together: account.together.as_ref().map(together).unwrap_or_default(),
        outcome: outcome(account),
        tells: account.together.as_ref().is_some_and(|found| found.pinned > 0),
    })
}

fn told(account: &LedgerAccount) -> String {
    let by = match &account.person {
        Some(column) => format!("by {column}"),
        None => "by all that their records hold, so that whoever’s record changed is not".to_string(),
    };
    let refuses = if account.refuses {
        "A release that tells more together with earlier ones is refused."
    } else {
        "A release that tells more together with earlier ones is published with a warning."
    };
    let others = match account.earlier.len() {
        0 => "It is the first one there: there was nothing to set it against.".to_string(),
        1 => "One release came before it.".to_string(),
        more => format!("{} releases came before it.", thousands(more as u64)),
    };
    format!(
        "This release is line {} of the ledger. {others} People are found again {by}. {refuses}",
        thousands(account.entry)
    )
}

fn earlier(release: &EarlierRelease) -> EarlierView {
    let source = if release.same_source { "from the same data" } else { "from other data" };
    let state = if release.state == "published" { String::new() } else { format!(", {}", release.state) };
    EarlierView {
        entry: thousands(release.entry),
        date: format!("{}{state}", release.date.split('T').next().unwrap_or_default()),
        made: format!("{}, {source}", release.method),
        recipient: release.recipient.clone().unwrap_or_else(|| "–".to_string()),
        people: thousands(release.people),
        relation: match release.relation {
            Relation::Apart => "nobody is in both",
            Relation::Same => "the same classes: tells nothing more",
            Relation::Coarser => "this one is coarser: it tells nothing more",
            Relation::Finer => "this one is finer: the earlier one adds nothing",
            Relation::Crossing => "classes overlap",
        },
        folder: release.folder.clone(),
        hash: release.release_sha256.chars().take(SHOWN).collect(),
    }
}

fn together(found: &Composition) -> Vec<TogetherRow> {
    let row = |name, alone: String, together: String| TogetherRow { name, alone, together };
    vec![
        row(
            "People whose sensitive value is certain",
            thousands(found.pinned_alone),
            thousands(found.pinned_alone.saturating_add(found.pinned)),
        ),
        row(
            "Values that stay possible, on average",
            figure(found.candidates_alone),
            figure(found.candidates),
        ),
        row(
            "How sure one can be of a value, at most",
            percent(found.posterior_alone),
            percent(found.posterior),
        ),
        row("People alone with all their classes", "–".to_string(), thousands(found.singled)),
    ]
}

fn outcome(account: &LedgerAccount) -> String {
    let Some(found) = &account.together else {
        return match account.earlier.is_empty() {
            true => String::new(),
            false => "Nobody of this release is found in an earlier one, so that nothing can be said about what they tell \
                      together."
                .to_string(),
        };
    };
    let people = noun(found.people, "person of this release is", "people of this release are");
    let mut text = format!("{} {people} in an earlier one too. ", thousands(found.people));
    text += &match (found.pinned, found.added) {
        (0, _) => "All releases together make nobody’s value certain that no single one does.".to_string(),
        (pinned, 0) => format!(
            "All releases together tell the value of {} of them; that was so before, and this one adds nobody.",
            thousands(pinned)
        ),
        (pinned, added) => format!(
            "All releases together tell the value of {} of them, and of {} because of this one.",
            thousands(pinned),
            thousands(added)
        ),
    };
    if found.contradicted > 0 {
        text += &format!(
            " {} have another value than before: whoever has both releases learns that it changed.",
            thousands(found.contradicted)
        );
    }
    text
}
