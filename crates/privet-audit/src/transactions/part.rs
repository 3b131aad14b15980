//! The part of the original that a release with suppression shows.
//!
//! Items may be suppressed in all transactions, and transactions may be removed, each within a limit and only where nobody
//! knows absences. An item that is in the original and that no published node is at or above is suppressed if the plan
//! lists it; otherwise every transaction with it must have been removed. Transactions are removed because of the nodes
//! that they would show, so of those that would look alike all are removed or none.

use hashbrown::HashMap;

use super::TransactionFacts;
use super::ledger::Set;
use super::truth;
use crate::render::counted;
use crate::{AuditOptions, AuditRecords, Check};
use privet_core::Exact;
use privet_policy::method::ItemLimits;
use privet_taxonomy::{ItemTree, Node};

/// What may be suppressed, and what a manifest says is.
#[derive(Debug, Clone, Default)]
pub(super) struct Suppression {
    limits: Option<ItemLimits>,
    /// Whether the limits do not bind: an earlier plan was applied.
    is_free: bool,
    /// The nodes that the manifest lists, ascending; `None` without a manifest.
    listed: Option<Vec<Node>>,
}

impl Suppression {
    pub(super) fn of(limits: ItemLimits, options: &AuditOptions, tree: &ItemTree) -> Suppression {
        let listed = options.suppressed.as_ref().map(|labels| {
            let mut nodes: Vec<Node> = labels.iter().filter_map(|label| tree.find(label)).collect();
            nodes.sort_unstable();
            nodes
        });
        let limits = Some(limits).filter(|limits| *limits != ItemLimits::NONE);
        Suppression { limits, is_free: options.allow_suppression && !options.foreign, listed }
    }

    /// Whether anything may be suppressed.
    pub(super) fn is_allowed(&self) -> bool {
        self.limits.is_some()
    }

    /// Whether transactions may be removed.
    pub(super) fn removes(&self) -> bool {
        self.limits.is_some_and(|limits| limits.transactions > Exact::ZERO)
    }

    fn suppresses_items(&self) -> bool {
        self.limits.is_some_and(|limits| limits.items > Exact::ZERO)
    }

    /// Whether the files do not say if a missing item is suppressed or all its transactions are removed.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.listed.is_none() && self.removes() && self.suppresses_items()
    }

    /// Whether a release may lack an item altogether: it is suppressed, or all transactions with it may be removed.
    pub(super) fn may_lack(&self, tree: &ItemTree, item: Node) -> bool {
        self.removes() || self.is_suppressed(tree, item)
    }

    /// Whether an item that is not published counts as suppressed.
    fn is_suppressed(&self, tree: &ItemTree, item: Node) -> bool {
        match &self.listed {
            Some(listed) if self.suppresses_items() => listed.iter().any(|node| tree.contains(*node, item)),
            _ => self.suppresses_items(),
        }
    }
}

/// What becomes of the original transactions.
pub(super) struct Part {
    /// Per item, the node that it is published as.
    pub shown: Vec<Option<Node>>,
    /// Whether the files decide which transactions are removed; then, what is published of each form.
    published: Option<HashMap<Vec<Node>, u64>>,
}

impl Part {
    /// Reads it off the release, or says what is wrong.
    pub(super) fn of(facts: &TransactionFacts<'_>) -> Result<Part, Box<Check>> {
        let published = facts.suppression.removes().then(|| {
            let mut published: HashMap<Vec<Node>, u64> = HashMap::new();
            for set in &facts.release.sets {
                *published.entry(set.nodes.clone()).or_default() += set.count;
            }
            published
        });
        Ok(Part { shown: truth::shown(facts)?, published })
    }

    /// What a transaction shows, unless it must have been removed: it has an item that is neither published nor suppressed.
    pub(super) fn form(&self, facts: &TransactionFacts<'_>, set: &Set) -> Option<Vec<Node>> {
        let is_gone = |item: &Node| {
            self.shown[*item as usize].is_none() && !facts.suppression.is_suppressed(facts.tree, *item)
        };
        if facts.suppression.removes() && set.nodes.iter().any(is_gone) {
            return None;
        }
        let mut nodes: Vec<Node> = set.nodes.iter().filter_map(|item| self.shown[*item as usize]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }

    /// Whether a transaction is not in the release.
    pub(super) fn is_removed(&self, facts: &TransactionFacts<'_>, set: &Set) -> bool {
        match (self.form(facts, set), &self.published) {
            (None, _) => true,
            (Some(nodes), Some(published)) => !published.contains_key(&nodes),
            (Some(_), None) => false,
        }
    }
}

/// No transaction may be added, and no more may be removed than the policy allows. A transaction that lost all its items
/// counts as removed where there is a limit on these.
pub(super) fn check_records(facts: &TransactionFacts<'_>, records: &AuditRecords) -> Check {
    let AuditRecords { original, released, .. } = *records;
    let detail = format!(
        "{} in the original, {released} in the release",
        counted(original, "transaction", "transactions")
    );
    let Some(limits) = facts.suppression.limits.filter(|_| facts.suppression.removes()) else {
        return Check::new("records", original == released, detail);
    };
    let emptied: u64 = match Part::of(facts) {
        Ok(part) => {
            let is_empty = |set: &&Set| {
                !set.nodes.is_empty() && part.form(facts, set).is_some_and(|nodes| nodes.is_empty())
            };
            facts.original.sets.iter().filter(is_empty).map(|set| set.count).sum()
        }
        Err(_) => 0,
    };
    let most = limits.transactions.floor_of(original);
    let gone = original.saturating_sub(released) + emptied;
    let holds = released <= original && (facts.suppression.is_free || gone <= most);
    Check::new(
        "records",
        holds,
        format!("{detail}; {gone} removed or left without items ({})", allowed(facts, most)),
    )
}

/// Suppressed items appear nowhere, and do not make up more occurrences than the policy allows. Nothing to check where it
/// allows none.
pub(super) fn check_items(facts: &TransactionFacts<'_>) -> Option<Check> {
    const NAME: &str = "suppressed items";
    let limits = facts.suppression.limits?;
    let tree = facts.tree;
    let listed = facts.suppression.listed.as_deref().unwrap_or_default();
    let related = |node: &Node| {
        listed.iter().find(|other| tree.contains(**other, *node) || tree.contains(*node, **other))
    };
    let shows = |set: &Set| set.nodes.iter().find_map(related).map(|node| (*node, set.line));
    if let Some((node, line)) = facts.release.sets.iter().find_map(shows) {
        let wrong = format!("'{}' is listed as suppressed, but line {line} shows it", tree.label(node));
        return Some(Check::new(NAME, false, wrong));
    }
    let part = Part::of(facts).ok()?;
    let (mut lost, mut all) = (0, 0);
    for set in &facts.original.sets {
        let gone = set.nodes.iter().filter(|item| {
            part.shown[**item as usize].is_none() && facts.suppression.is_suppressed(tree, **item)
        });
        lost += gone.count() as u64 * set.count;
        all += set.nodes.len() as u64 * set.count;
    }
    let most = limits.items.floor_of(all);
    let detail = format!(
        "{lost} of {} of items are suppressed ({})",
        counted(all, "occurrence", "occurrences"),
        allowed(facts, most)
    );
    Some(Check::new(NAME, facts.suppression.is_free || lost <= most, detail))
}

fn allowed(facts: &TransactionFacts<'_>, most: u64) -> String {
    if facts.suppression.is_free { "no limit".to_string() } else { format!("at most {most} allowed") }
}
