//! Does a release lose what its manifest says?
//!
//! NCP charges every occurrence of an item that is published as a node of several leaves with the share of all leaves that
//! are below it; LM with (leaves - 1) / (all leaves - 1). An occurrence that is not published is charged 1. The cost is the
//! mean over all occurrences.

use super::TransactionFacts;
use super::part::Part;
use super::truth::Recoding;
use crate::Check;

/// What a manifest says that a release of transactions loses: a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedCost {
    measure: Measure,
    part: u128,
    whole: u128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Ncp,
    Lm,
}

impl StatedCost {
    /// Reads the measure's name and the exact cost, as in `21/76`; `None` where either has no meaning.
    pub fn parse(measure: &str, exact: &str) -> Option<StatedCost> {
        let measure = match measure {
            "NCP" => Measure::Ncp,
            "LM" => Measure::Lm,
            _ => return None,
        };
        let (part, whole) = exact.split_once('/').unwrap_or((exact, "1"));
        let (part, whole) = (part.parse().ok()?, whole.parse().ok()?);
        (whole > 0).then_some(StatedCost { measure, part, whole })
    }
}

/// Adds up what every occurrence loses. Under local recoding the files do not say which released transaction stands for
/// which original one, so there is no check.
pub(super) fn check(facts: &TransactionFacts<'_>, stated: &StatedCost) -> Option<Check> {
    if facts.recoding == Recoding::Local || facts.suppression.is_ambiguous() {
        return None;
    }
    let published = Part::of(facts).ok()?;
    let (tree, least) = (facts.tree, if stated.measure == Measure::Lm { 1 } else { 0 });
    let charge = |leaves: u32| if leaves > 1 { u128::from(leaves) - least } else { 0 };
    let most = u128::from(tree.total_leaves()) - least;
    let (mut part, mut whole) = (0u128, 0u128);
    for set in &facts.original.sets {
        let is_removed = published.is_removed(facts, set);
        for item in &set.nodes {
            let node = published.shown[*item as usize].filter(|_| !is_removed);
            let loss = node.map_or(most, |node| charge(tree.leaves(node)));
            part += loss * u128::from(set.count);
            whole += most * u128::from(set.count);
        }
    }
    // Where there is nothing to lose, nothing is lost.
    let (part, whole) = if whole == 0 { (0, 1) } else { (part, whole) };
    let holds = match (part.checked_mul(stated.whole), stated.part.checked_mul(whole)) {
        (Some(found), Some(stated)) => found == stated,
        _ => false,
    };
    let name = if stated.measure == Measure::Lm { "LM" } else { "NCP" };
    let share = |part: u128, whole: u128| part as f64 / whole as f64;
    let detail = if holds {
        format!("the manifest's {name} is right")
    } else {
        format!(
            "the manifest states an {name} of {}, it is {}",
            share(stated.part, stated.whole),
            share(part, whole)
        )
    };
    Some(Check::new("cost", holds, detail))
}
