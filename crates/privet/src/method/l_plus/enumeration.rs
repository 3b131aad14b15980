//! The thesis' own search: depth first through the cut enumeration tree (sections 3.2.3 and 3.4). It is what the interval
//! search is compared with.
//!
//! A node of the tree is a cut whose values are open or locked; its child i specialises the i-th open value and locks
//! those before it, so every cut is reached once, whatever the order of the open values.

use std::cmp::Reverse;

use super::bound::LPlus;
use super::partition::Partition;
use crate::engine::clock::Clock;
use crate::engine::cut::{Amount, FORBIDDEN, Found, Incumbents, Limits, note};
use crate::policy::{CheckedPolicy, Key, KeyKind};
use crate::{Error, Result};

pub const SEARCH: Key = Key::with_default(
    "search",
    KeyKind::Choice(&["interval", "enumeration"]),
    "interval",
    "how the best cut is searched for: on intervals of cuts, or by the thesis' enumeration tree, for comparison",
);
pub const ORDER: Key = Key::with_default(
    "order",
    KeyKind::Choice(&["descending", "ascending"]),
    "descending",
    "for search = \"enumeration\": whether values of many or of few records are specialised first",
);
pub const TIGHTEN: Key = Key::with_default(
    "tighten",
    KeyKind::Flag,
    "true",
    "for search = \"enumeration\": bound a cut anew each time one of its values has been locked",
);

/// Which of the thesis' techniques are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Techniques {
    /// Values that many records have come first.
    pub descending: bool,
    /// A cut is bounded anew when one of its values is locked.
    pub tighten: bool,
}

/// The techniques, if the policy asks for this search.
pub fn asked(policy: &CheckedPolicy) -> Result<Option<Techniques>> {
    let settings = &policy.method.settings;
    let descending = settings.choice("order") != Some("ascending");
    let techniques = Techniques { descending, tighten: settings.flag("tighten") };
    if settings.choice("search") != Some("enumeration") {
        for (key, is_default) in [("order", techniques.descending), ("tighten", techniques.tighten)] {
            if !is_default {
                let wrong = format!("'{key}' means nothing to search = \"interval\"");
                let help = format!("remove it, or set search = \"enumeration\" to measure what '{key}' does");
                return Err(policy.at_method(key, Error::input(wrong).help(help)));
            }
        }
        return Ok(None);
    }
    let several = settings.count("top").is_some_and(|top| top > 1);
    for (key, is_set) in [("top", several), ("break_minimality", settings.flag("break_minimality"))] {
        if is_set {
            let wrong = format!("search = \"enumeration\" finds one cut, and '{key}' needs several");
            let help = "remove it, or set search = \"interval\"";
            return Err(policy.at_method(key, Error::input(wrong).help(help)));
        }
    }
    Ok(Some(techniques))
}

/// A cut on the way down to the current one.
struct Visit {
    /// Its open values, in the order in which they are specialised.
    open: Vec<(usize, u32)>,
    /// How many of them have been: their children are searched, or the last one's are being searched.
    taken: usize,
    /// What no cut can beat that is reached from the rest.
    bound: Amount,
    /// The partition's changes before any of the values was locked.
    changes: usize,
}

/// Finds the best cut. Ends early, with what it has, when the clock's time is over.
pub fn enumerate(problem: &LPlus, techniques: Techniques, limits: &Limits, clock: &Clock) -> Result<Found> {
    let mut partition = Partition::new(problem);
    let mut incumbents = Incumbents::new(limits);
    let (cost, bound) = (partition.cost(), partition.bound());
    incumbents.offer(cost, &partition.cut());
    let mut found =
        Found { best: Vec::new(), bound: 0, complete: false, examined: 1, intervals: 1, trace: Vec::new() };
    let mut discarded = FORBIDDEN;
    let inner = |column: usize, node: u32| !problem.forest.trees[column].is_leaf(node);
    let roots = (0..problem.forest.trees.len()).map(|column| (column, 0));
    let mut open: Vec<(usize, u32)> = roots.filter(|(column, node)| inner(*column, *node)).collect();
    sort(problem, techniques, &mut open);
    let mut visits = vec![Visit { open, taken: 0, bound, changes: 0 }];
    while let Some(visit) = visits.last_mut() {
        clock.check()?;
        visit.bound = partition.bound();
        if visit.bound >= incumbents.cutoff && visit.taken < visit.open.len() {
            discarded = discarded.min(visit.bound);
            visit.open.truncate(visit.taken);
        }
        let next = visit.open.get(visit.taken).copied();
        found.bound = found.bound.max(proven(&visits, discarded, &incumbents));
        note(&mut found, &incumbents, clock);
        if clock.is_over() {
            break;
        }
        let Some((column, node)) = next else {
            if let Some(done) = visits.pop() {
                partition.unlock(&done.open[..done.taken], done.changes);
            }
            // The value whose specialisation led here.
            if let Some((column, node)) = visits.last().and_then(|visit| visit.open.get(visit.taken - 1)) {
                partition.generalise();
                partition.lock(*column, *node, techniques.tighten);
            }
            continue;
        };
        let Some(visit) = visits.last_mut() else { break };
        visit.taken += 1;
        partition.specialise(column, node);
        found.examined += 1;
        let (cost, bound) = (partition.cost(), partition.bound());
        if incumbents.best.first().is_none_or(|(best, _)| cost <= *best) {
            incumbents.offer(cost, &partition.cut());
        }
        if bound >= incumbents.cutoff {
            discarded = discarded.min(bound);
            partition.generalise();
            partition.lock(column, node, techniques.tighten);
            continue;
        }
        let children = problem.forest.trees[column].children(node).map(|child| (column, child));
        let mut open: Vec<(usize, u32)> = children.filter(|(column, node)| inner(*column, *node)).collect();
        open.extend_from_slice(&visit.open[visit.taken..]);
        sort(problem, techniques, &mut open);
        visits.push(Visit { open, taken: 0, bound, changes: partition.changes() });
    }
    found.complete = visits.is_empty();
    found.intervals = found.examined;
    found.bound = found.bound.max(proven(&visits, discarded, &incumbents));
    note(&mut found, &incumbents, clock);
    found.best = incumbents.best;
    Ok(found)
}

/// What no cut can beat: the least bound of what is still to be visited or was given up, and the best cost.
fn proven(visits: &[Visit], discarded: Amount, incumbents: &Incumbents) -> Amount {
    let waiting = visits.iter().filter(|visit| visit.taken < visit.open.len());
    let best = incumbents.best.first().map_or(FORBIDDEN, |(cost, _)| *cost);
    waiting.map(|visit| visit.bound).fold(discarded.min(best), Amount::min)
}

fn sort(problem: &LPlus, techniques: Techniques, open: &mut [(usize, u32)]) {
    let records = |(column, node): &(usize, u32)| problem.counts[*column][*node as usize];
    if techniques.descending {
        open.sort_unstable_by_key(|value| (Reverse(records(value)), *value));
    } else {
        open.sort_unstable_by_key(|value| (records(value), *value));
    }
}
