//! Does every released transaction stand for an original one of its own?
//!
//! Under global recoding the release is gen(D, cut): the published nodes are an antichain, every item is replaced by the one
//! published node at or above it, and the transactions are the same, in any order. A node of the cut that no transaction
//! needs does not appear, so the cut is known only where it shows; that is enough. Under item suppression (`mm`) an item is
//! published as itself wherever it occurs, or nowhere. Under local recoding (`lg`) each released transaction has to cover an
//! original one of its own: each original item below exactly one node of it, an item below each of its nodes.
//!
//! Sensitive items are published as they are.

use hashbrown::HashMap;

use super::TransactionFacts;
use super::ledger::{Set, TransactionLedger};
use super::part::Part;
use crate::Check;
use crate::flow;
use crate::render::counted;
use crate::truth::Contested;
use privet_core::Result;
use privet_policy::ItemMethod;
use privet_taxonomy::{ItemTree, Node};

pub(super) const NAME: &str = "truth";

/// How a release was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recoding {
    Global,
    Suppression,
    Local,
}

impl Recoding {
    pub(super) fn of(method: &ItemMethod) -> Recoding {
        match method {
            ItemMethod::Lg(_) => Recoding::Local,
            ItemMethod::Mm(_) => Recoding::Suppression,
            ItemMethod::Og(_) | ItemMethod::Mog(_) | ItemMethod::Aa(_) => Recoding::Global,
        }
    }
}

/// Checks that the release tells the truth.
pub(super) fn check(facts: &TransactionFacts<'_>) -> Result<Check> {
    let recoding = facts.recoding;
    if recoding == Recoding::Local {
        let wanted = without_original(facts.tree, &facts.original, &facts.release)?;
        return Ok(verdict(facts, &wanted, 0, "covers an original one of its own, item by item"));
    }
    let part = match Part::of(facts) {
        Ok(part) => part,
        Err(check) => return Ok(*check),
    };
    let mut expected: HashMap<(Vec<Node>, &[u32]), u64> = HashMap::new();
    for set in &facts.original.sets {
        if let Some(nodes) = part.form(facts, set) {
            *expected.entry((nodes, &set.marks)).or_default() += set.count;
        }
    }
    let mut wanted = Vec::with_capacity(facts.release.sets.len());
    for set in &facts.release.sets {
        let there = expected.get(&(set.nodes.clone(), &set.marks[..])).copied().unwrap_or(0);
        wanted.push(set.count.saturating_sub(there));
    }
    let standing: u64 = facts.release.total - wanted.iter().sum::<u64>();
    // What is missing was removed, where the policy allows that: all transactions that look alike, or none of them.
    let missing = match facts.suppression.removes() {
        true => expected_in_part(&expected, facts),
        false => facts.original.total - standing,
    };
    let rule = match recoding {
        Recoding::Global if facts.suppression.is_allowed() => {
            "is an original one, each item suppressed everywhere or replaced by the one published node at or above it"
        }
        Recoding::Suppression => "is an original one, without the items that are suppressed everywhere",
        _ => "is an original one, each item replaced by the one published node at or above it",
    };
    Ok(verdict(facts, &wanted, missing, rule))
}

/// Of transactions that look alike some are published and others are not: how many are missing so.
fn expected_in_part(expected: &HashMap<(Vec<Node>, &[u32]), u64>, facts: &TransactionFacts<'_>) -> u64 {
    if facts.suppression.is_ambiguous() {
        return 0;
    }
    let mut published: HashMap<&[Node], u64> = HashMap::new();
    facts.release.sets.iter().for_each(|set| *published.entry(&set.nodes).or_default() += set.count);
    let mut alike: HashMap<&[Node], u64> = HashMap::new();
    expected.iter().for_each(|((nodes, _), count)| *alike.entry(nodes).or_default() += count);
    let partly = published.iter().filter_map(|(nodes, count)| alike.get(nodes)?.checked_sub(*count));
    partly.sum()
}

/// What each item of the original is published as, or what is wrong with that.
pub(super) fn shown(facts: &TransactionFacts<'_>) -> std::result::Result<Vec<Option<Node>>, Box<Check>> {
    let (tree, recoding) = (facts.tree, facts.recoding);
    let mut showing = vec![0; tree.len()];
    for set in &facts.release.sets {
        set.nodes.iter().for_each(|node| showing[*node as usize] += set.count);
    }
    let published: Vec<Node> = tree.nodes().filter(|node| showing[*node as usize] > 0).collect();
    // In preorder, what stands below a node follows it directly.
    if let Some(pair) = published.windows(2).find(|pair| tree.contains(pair[0], pair[1])) {
        let (above, below) = (tree.label(pair[0]), tree.label(pair[1]));
        let mut check = Check::new(NAME, false, format!("'{below}' is published as itself and as '{above}'"));
        check.concerned = showing[pair[0] as usize];
        return Err(Box::new(check));
    }
    let mut shown = vec![None; tree.len()];
    for node in published {
        match recoding {
            Recoding::Suppression => shown[node as usize] = Some(node),
            _ => shown[node as usize..tree.end(node) as usize].fill(Some(node)),
        }
    }
    let items = facts.original.sets.iter().flat_map(|set| &set.nodes);
    let is_lost = |item: &Node| shown[*item as usize].is_none() && !facts.suppression.may_lack(tree, *item);
    let lost = items.copied().filter(is_lost).min();
    match lost.filter(|_| recoding == Recoding::Global) {
        Some(item) => {
            let label = tree.label(item);
            let detail = format!(
                "'{label}' is in the original, but neither it nor a group above it is in the release"
            );
            Err(Box::new(Check::new(NAME, false, detail)))
        }
        None => Ok(shown),
    }
}

/// The check, given how many copies of each distinct released transaction stand for no original one.
fn verdict(facts: &TransactionFacts<'_>, wanted: &[u64], missing: u64, rule: &str) -> Check {
    let mut check = Check::new(NAME, true, format!("every released transaction {rule}"));
    let failing = || facts.release.sets.iter().zip(wanted).filter(|(_, wanted)| **wanted > 0);
    check.concerned = wanted.iter().sum();
    check.classes_failing = failing().count() as u64;
    check.holds = check.concerned == 0 && missing == 0;
    let worst = failing().max_by_key(|(set, wanted)| (**wanted, std::cmp::Reverse(set.line)));
    if let Some((set, wanted)) = worst {
        let what = facts.meaning.describe(set);
        check.worst = Some(format!("{what}: {wanted} of {} match no original transaction", set.count));
        let line = failing().map(|(set, _)| set.line).min().unwrap_or(0);
        check.detail = match check.concerned {
            1 => format!("the released transaction in line {line} matches no original one"),
            many => {
                format!("{many} released transactions match no original one; one of them is in line {line}")
            }
        };
    } else if missing > 0 {
        let verb = if missing == 1 { "is" } else { "are" };
        let originals = counted(missing, "original transaction", "original transactions");
        check.detail = format!("{originals} {verb} not in the release");
    }
    check
}

/// How many copies of each distinct released transaction cover no original one of their own.
fn without_original(
    tree: &ItemTree,
    original: &TransactionLedger,
    release: &TransactionLedger,
) -> Result<Vec<u64>> {
    let index = CoverIndex::of(&release.sets);
    let mut wanted: Vec<u64> = release.sets.iter().map(|set| set.count).collect();
    let mut contested = Contested::default();
    for set in &original.sets {
        let covering = index.covering(tree, set);
        match covering[..] {
            [] => {}
            // Nothing else can use these originals, so they go where they fit.
            [only] => wanted[only as usize] = wanted[only as usize].saturating_sub(set.count),
            _ => contested.add(covering, set.count)?,
        }
    }
    if wanted.iter().any(|open| *open > 0) {
        flow::fill(&contested.supplies, &mut wanted);
    }
    Ok(wanted)
}

/// The released transactions as a tree, a node per level, so that those that cover an original are found without trying
/// them all.
pub(super) struct CoverIndex {
    /// From a place by a published node to the next place; place 0 is the beginning.
    next: HashMap<(u32, Node), u32>,
    /// The released transactions that end at a place, by their sensitive items.
    ends: HashMap<(u32, Vec<u32>), u32>,
}

impl CoverIndex {
    pub(super) fn of(sets: &[Set]) -> CoverIndex {
        let mut index = CoverIndex { next: HashMap::new(), ends: HashMap::new() };
        for (id, set) in (0u32..).zip(sets) {
            let mut place = 0;
            for node in &set.nodes {
                let fresh = index.next.len() as u32 + 1;
                place = *index.next.entry((place, *node)).or_insert(fresh);
            }
            index.ends.insert((place, set.marks.clone()), id);
        }
        index
    }

    /// The released transactions that cover an original: in preorder, the next node has to stand at or above the first item
    /// that none covers yet, and then covers all items up to its end. No item may be covered twice, so the node after it
    /// stands at or above an item behind that end, and is not a descendant of it; nor can it be above it, as an ancestor
    /// comes earlier in preorder.
    pub(super) fn covering(&self, tree: &ItemTree, set: &Set) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = vec![(0, 0)];
        while let Some((place, from)) = open.pop() {
            let Some(item) = set.nodes.get(from) else {
                found.extend(self.ends.get(&(place, set.marks.clone())));
                continue;
            };
            for node in std::iter::once(*item).chain(tree.ancestors(*item)) {
                if let Some(next) = self.next.get(&(place, node)) {
                    let end = set.nodes.partition_point(|item| *item < tree.end(node));
                    open.push((*next, end));
                }
            }
        }
        found.sort_unstable();
        found
    }
}
