//! Why a release is not finer: which threat forced a group of items, which class forced a level.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::account::transactions::ItemFacts;
use super::again::EarlierPlan;
use super::report::LevelReason;
use super::report::transactions::GroupReason;
use privet_audit::ReleaseFolder;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_methods::kl::ItemTask;
use privet_methods::kl::why::{self as groups, GroupThreat};
use privet_methods::why::LevelThreat;
use privet_taxonomy::Node;

/// Where the steward's manifest has the reasons.
pub(super) const WHY: &str = "why";

/// Why groups are published and not what is below them.
pub(super) fn of_groups(facts: &ItemFacts<'_>, clock: &Clock) -> Result<Vec<GroupReason>> {
    let ItemFacts { baskets, limits, method, solution, .. } = *facts;
    let task = ItemTask { baskets, requirements: limits, method };
    let label = |node: &Node| baskets.tree.label(*node).to_string();
    let reason = |found: GroupThreat| GroupReason {
        item: label(&found.group),
        present: found.present.iter().map(label).collect(),
        absent: found.absent.iter().map(label).collect(),
        support: found.support,
        people: baskets.people().is_some(),
        asked: match found.sensitive {
            Some((mark, _)) => format!("at most {}", limits[found.requirement].theta[mark as usize]),
            None => format!("k = {}", limits[found.requirement].k),
        },
        sensitive: found.sensitive.map(|(mark, count)| (baskets.sensitive[mark as usize].clone(), count)),
    };
    Ok(groups::reasons(&task, &solution.recoding, clock)?.into_iter().map(reason).collect())
}

/// Why a column is not published one level finer.
pub(super) fn of_level(threat: LevelThreat) -> LevelReason {
    let LevelThreat { column, level, class, requirement, figure, at_most, failing } = threat;
    LevelReason {
        column,
        level,
        class,
        requirement,
        figure: figure.0,
        threshold: figure.1,
        at_most,
        classes: failing.0,
        records: failing.1,
    }
}

/// What a release says about one of its items or columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Questioned<'a> {
    /// An item or a group of items.
    Item(&'a str),
    /// A column.
    Column(&'a str),
}

/// An answer in words, and as data. It speaks of the original: it is for the steward.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// In words.
    pub text: String,
    /// As data.
    pub json: Json,
}

/// Says how a release publishes an item or a column, and why not finer, from what is filed in its directory.
pub fn explain_release(folder: &Path, questioned: Questioned<'_>) -> Result<Explanation> {
    let plan = EarlierPlan::read(folder)?.plan;
    let folder = ReleaseFolder::open(folder)?;
    let reasons = folder.stated()[WHY].as_array().cloned().unwrap_or_default();
    match questioned {
        Questioned::Item(item) => {
            let known = || Error::input(format!("the release knows no item or group '{item}'"));
            let applied = plan.applied()?;
            let items = applied.iter().find(|column| column.name.is_none());
            let items = items.ok_or_else(|| {
                Error::input("this release is not one of transactions")
                    .help("ask for a column: --column NAME")
            })?;
            let shown = items.cells.iter().find(|(leaf, _)| leaf == item).map(|(_, shown)| shown.first());
            let published = items.cells.iter().any(|(_, shown)| shown.iter().any(|label| label == item));
            let shown = match shown {
                Some(shown) => shown.map(String::as_str),
                None if published => Some(item),
                None => {
                    return Err(
                        known().help("name an item of the hierarchy, or a group that the release publishes")
                    );
                }
            };
            let reason = reasons.iter().find(|reason| reason["item"].as_str() == shown);
            let text = match (shown, read::<GroupReason>(reason)) {
                (None, _) => format!("'{item}' is suppressed in all transactions"),
                (Some(shown), Some(reason)) if shown == item => {
                    format!("'{item}' is published as a group, because of {}", reason.in_words())
                }
                (Some(shown), Some(reason)) => {
                    format!("'{item}' is published as '{shown}', because of {}", reason.in_words())
                }
                (Some(shown), None) if shown == item => {
                    format!("'{item}' is published as it is, wherever its transaction is released")
                }
                (Some(shown), None) => {
                    format!("'{item}' is published as '{shown}'; no single threat of its children is filed")
                }
            };
            let json = json!({ "item": item, "published": shown, "why": reason, "text": text });
            Ok(Explanation { text, json })
        }
        Questioned::Column(column) => {
            let reason = reasons.iter().find(|reason| reason["column"].as_str() == Some(column));
            let level = plan.level(column);
            let text = match (level, read::<LevelReason>(reason)) {
                (Some(level), Some(reason)) => {
                    format!("'{column}' is published at level {level}: {}", reason.in_words())
                }
                (Some(0), None) => format!("'{column}' is published as it is"),
                (Some(level), None) => format!(
                    "'{column}' is published at level {level}; one level lower no class fails by itself: a lower level \
                     was not allowed, costs more, or fails by a requirement on groups of classes"
                ),
                (None, _) => {
                    return Err(Error::input(format!("this release has no level for a column '{column}'"))
                        .help(
                            "name a quasi-identifier of a release that method \"full-domain\" made without refine: others have no levels",
                        ));
                }
            };
            let json = json!({ "column": column, "level": level, "why": reason, "text": text });
            Ok(Explanation { text, json })
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(reason: Option<&Json>) -> Option<T> {
    serde_json::from_value(reason?.clone()).ok()
}
