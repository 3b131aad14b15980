//! Accounts for a release of transactions: gathers the figures that its reports show.

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
mod tightness;
mod worst;

use std::collections::BTreeMap;
use std::path::Path;

use self::tightness::tightness;
use crate::release::manifest::Claims;
use crate::release::report::transactions::{
    ItemLoss, KnowledgeLimit, Patterns, RecodingKind, SensitiveItem, SuppressedPart, Utility,
};
use crate::release::report::{
    Fidelity, Loss, Original, Scan, SuppressedItem, TaxonomyDrawing, TaxonomyNode, TransactionReport,
};
use crate::release::{account as shared, scan, why};
use privet_core::clock::Clock;
use privet_core::{Exact, Result, RunKey};
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_methods::kl::ItemSolution;
use privet_methods::kl::recoding::ItemRecoding;
use privet_methods::kl::utility::ItemUtility;
use privet_methods::plan::Plan;
use privet_policy::method::ItemLimits;
use privet_policy::{ItemMethod, ItemRequirement};
use privet_taxonomy::{ItemTree, Node};

/// A tree with more nodes than this is not filed whole: only its most frequent nodes.
const MOST_NODES: usize = 3000;

/// At most this many of the items that lose most are shown.
const MOST_COSTLY: usize = 20;

/// All that is known about a release of transactions, in addition to what its manifest claims.
#[derive(Clone, Copy)]
pub(crate) struct ItemFacts<'a> {
    /// What the policy asks for, as written.
    pub requirements: &'a [ItemRequirement],
    /// How the release was made.
    pub method: &'a ItemMethod,
    /// The same as understood, in the same order.
    pub limits: &'a [KlPrivacy],
    /// The original.
    pub baskets: &'a Baskets,
    /// What the method decided.
    pub solution: &'a ItemSolution,
    /// What is left to analyse, and the least share of transactions that makes a pattern frequent.
    pub utility: (&'a ItemUtility, Exact),
    /// The files that went in with the data.
    pub inputs: &'a [&'a Path],
}

/// What a pass over all transactions counts.
struct Counts {
    /// Per node, the transactions of the original that hold it.
    holding: Vec<u64>,
    /// Per node, the released transactions that show it.
    showing: Vec<u64>,
    /// Transactions by how many items they have, before and after.
    lengths: BTreeMap<usize, (u64, u64)>,
    released: u64,
}

/// All figures of a release.
pub(in crate::release) fn account(
    claims: &Claims<'_>,
    facts: &ItemFacts<'_>,
    clock: &Clock,
) -> Result<TransactionReport> {
    let ItemFacts { baskets, solution, .. } = *facts;
    let counts = count(baskets, &solution.recoding);
    let left_out = solution.recoding.suppressed(baskets);
    let (tree, undrawn) = drawing(&baskets.tree, &solution.recoding, &counts);
    let particulars = shared::Particulars {
        columns: &[],
        starred: left_out,
        losses: losses(facts),
        inputs: facts.inputs.to_vec(),
    };
    let mut common = shared::common(claims, particulars)?;
    common.records.suppressed = baskets.total().saturating_sub(counts.released).into();
    common.records.released = counts.released;
    common.scan = Some(suspects(baskets, &counts).into());
    // The worst case is looked for among transactions: it would say nothing about people who have several.
    if baskets.crowd().is_none() {
        common.tightness = tightness(baskets, &solution.recoding, facts.limits);
    }
    let before =
        shared::risk(alike(baskets, |basket| vec![(baskets.items(basket).to_vec(), baskets.count(basket))]));
    common.risk_before = Some(before.into());
    common.risk_after = Some(shared::risk(alike(baskets, |basket| {
        let shown = solution.recoding.shown(baskets, basket);
        shown.into_iter().map(|shown| (shown.nodes, shown.count)).collect()
    })));
    common.fidelity = Some(fidelity(baskets, &solution.recoding, baskets.key(claims.seed)).into());
    Ok(TransactionReport {
        common,
        requirements: facts
            .requirements
            .iter()
            .zip(facts.limits)
            .map(|(clause, limit)| knowledge_limit(clause, limit, baskets))
            .collect(),
        recoding: match &solution.recoding {
            ItemRecoding::Local { .. } => RecodingKind::Local,
            // By the method, and not by whether it left anything out: that is not for the public.
            ItemRecoding::Global { .. } => match facts.method {
                ItemMethod::Mm(_) => RecodingKind::Suppression,
                method if method.limits() != ItemLimits::NONE => RecodingKind::Part,
                ItemMethod::Og(_) | ItemMethod::Mog(_) | ItemMethod::Aa(_) | ItemMethod::Lg(_) => {
                    RecodingKind::Cut
                }
            },
        },
        tree,
        undrawn: undrawn.into(),
        sensitive: sensitive(facts),
        utility: utility(facts.utility),
        costliest: costliest(baskets, &solution.recoding, MOST_COSTLY).into(),
        lengths: shared::bands("Items per transaction", &counts.lengths),
        suppression: suppressed_part(facts.method, baskets, solution),
        reasons: why::of_groups(facts, clock)?.into(),
    })
}

/// What is suppressed, where the policy allows that.
pub(in crate::release) fn suppressed_part(
    method: &ItemMethod,
    baskets: &Baskets,
    solution: &ItemSolution,
) -> Option<SuppressedPart> {
    let limits = Some(method.limits()).filter(|limits| *limits != ItemLimits::NONE)?;
    let tree = &baskets.tree;
    let occurrences = baskets.occurrences();
    let labels = match &solution.plan {
        Plan::ItemCut(plan) => plan.suppressed.as_slice(),
        _ => &[],
    };
    let mut items: Vec<SuppressedItem> = labels
        .iter()
        .filter_map(|label| {
            let occurrences = occurrences[tree.find(label)? as usize];
            Some(SuppressedItem { item: label.clone(), occurrences })
        })
        .collect();
    items.sort_by(|one, other| {
        other.occurrences.cmp(&one.occurrences).then_with(|| one.item.cmp(&other.item))
    });
    let all: u64 = tree.roots().map(|root| occurrences[root as usize]).sum();
    Some(SuppressedPart {
        occurrences: items.iter().map(|item| item.occurrences).sum::<u64>().into(),
        of: all.into(),
        emptied: solution.recoding.emptied(baskets).into(),
        removes: limits.transactions > Exact::ZERO,
        items: items.into(),
    })
}

/// What an analyst still finds of the items that are not sensitive: these are published as they are.
fn fidelity(baskets: &Baskets, recoding: &ItemRecoding, key: RunKey) -> Fidelity {
    let tree = &baskets.tree;
    let step = shared::step(baskets.len());
    let looked_at = || (0..baskets.len()).step_by(step);
    let original = looked_at().map(|basket| (baskets.items(basket).to_vec(), baskets.count(basket)));
    let released = looked_at().flat_map(|basket| recoding.shown(baskets, basket));
    let below = |node: Node| (node..tree.end(node)).filter(|node| tree.is_leaf(*node)).collect();
    let original = shared::Holdings::plain(tree.len(), original.collect());
    let released = shared::Holdings {
        labels: tree.nodes().map(below).collect(),
        sets: released.map(|shown| (shown.nodes, shown.count)).collect(),
    };
    let names: Vec<&str> = tree.nodes().map(|node| tree.label(node)).collect();
    let sampled = (step > 1).then_some(original.sets.len() as u64);
    shared::of_sets(("items", &names), (&original, &released), sampled, key)
}

/// What looks like an identifier among the items.
fn suspects(baskets: &Baskets, counts: &Counts) -> Scan {
    let tree = &baskets.tree;
    let items = tree.nodes().filter(|node| tree.is_leaf(*node)).map(|leaf| {
        let at = leaf as usize;
        (tree.label(leaf), counts.holding[at], counts.showing[at] > 0)
    });
    let marks = baskets.sensitive.iter().zip(baskets.mark_counts());
    let marks: Vec<(&str, u64, bool)> = marks.map(|(name, count)| (name.as_str(), count, true)).collect();
    scan::labels("items", items.chain(marks))
}

/// How many transactions have the same items, per set of items; sensitive ones left aside.
fn alike(baskets: &Baskets, shown: impl Fn(usize) -> Vec<(Vec<Node>, u64)>) -> impl Iterator<Item = u64> {
    let mut sets: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
    for (nodes, count) in (0..baskets.len()).flat_map(shown) {
        *sets.entry(nodes).or_default() += count;
    }
    sets.into_values()
}

fn knowledge_limit(clause: &ItemRequirement, limit: &KlPrivacy, baskets: &Baskets) -> KnowledgeLimit {
    let items = u64::from(baskets.tree.total_leaves());
    let most = limit.theta.iter().max();
    KnowledgeLimit {
        name: clause.name().to_string(),
        description: clause.describe(&[]),
        k: limit.k,
        m: limit.surely(),
        n: limit.n,
        everything: limit.surely() >= items && limit.n >= items,
        confidence: most.filter(|most| **most < Exact::ONE).map(Exact::to_string),
        guards: limit.guards_marks(),
        people: baskets.people().is_some(),
    }
}

fn count(baskets: &Baskets, recoding: &ItemRecoding) -> Counts {
    let tree = &baskets.tree;
    let mut counts = Counts {
        holding: vec![0; tree.len()],
        showing: vec![0; tree.len()],
        lengths: BTreeMap::new(),
        released: 0,
    };
    for basket in 0..baskets.len() {
        let (items, count) = (baskets.items(basket), baskets.count(basket));
        tree.with_ancestors(items).iter().for_each(|node| counts.holding[*node as usize] += count);
        counts.lengths.entry(items.len()).or_default().0 += count;
        for shown in recoding.shown(baskets, basket) {
            counts.released += shown.count;
            counts.lengths.entry(shown.nodes.len()).or_default().1 += shown.count;
            shown.nodes.iter().for_each(|node| counts.showing[*node as usize] += shown.count);
        }
    }
    counts
}

/// The trees with what is published. An ancestor counts at least as often as what lies below it and comes before it, so the
/// most frequent nodes always form trees of their own.
fn drawing(tree: &ItemTree, recoding: &ItemRecoding, counts: &Counts) -> (TaxonomyDrawing, u64) {
    let mut published: Vec<bool> = counts.showing.iter().map(|count| *count > 0).collect();
    if let ItemRecoding::Global { shown, .. } = recoding {
        let leaves = tree.nodes().filter(|node| tree.is_leaf(*node));
        leaves.filter_map(|leaf| shown[leaf as usize]).for_each(|node| published[node as usize] = true);
    }
    let mut wanted: Vec<Node> = tree.nodes().collect();
    if wanted.len() > MOST_NODES {
        // What the release shows comes first, by how often it shows it: the rest is for the steward.
        let mut showing = counts.showing.clone();
        for node in tree.nodes().rev() {
            if let Some(parent) = tree.parent(node) {
                showing[parent as usize] = showing[parent as usize].max(showing[node as usize]);
            }
        }
        wanted.sort_by_key(|node| {
            let (shown, held) = (showing[*node as usize], counts.holding[*node as usize]);
            (std::cmp::Reverse(shown), std::cmp::Reverse(if shown > 0 { 0 } else { held }), *node)
        });
        wanted.truncate(MOST_NODES);
        wanted.sort_unstable();
    }
    let mut height = vec![0; tree.len()];
    for node in tree.nodes().rev() {
        if let Some(parent) = tree.parent(node) {
            height[parent as usize] = height[parent as usize].max(height[node as usize] + 1);
        }
    }
    let node = |node: &Node| {
        let at = *node as usize;
        TaxonomyNode {
            label: tree.label(*node).to_string(),
            parent: tree.parent(*node).and_then(|parent| wanted.binary_search(&parent).ok()),
            records: counts.holding[at].into(),
            released: counts.showing[at],
            in_cut: published[at],
            level: height[at],
            mark: None,
        }
    };
    (TaxonomyDrawing { nodes: wanted.iter().map(node).collect() }, (tree.len() - wanted.len()) as u64)
}

fn sensitive(facts: &ItemFacts<'_>) -> Vec<SensitiveItem> {
    let ItemFacts { baskets, limits, solution, .. } = *facts;
    let mut items: Vec<SensitiveItem> = baskets
        .sensitive
        .iter()
        .zip(solution.recoding.released_marks(baskets))
        .enumerate()
        .map(|(mark, (name, transactions))| {
            let thresholds = limits.iter().filter_map(|limit| limit.theta.get(mark));
            let threshold = thresholds.min().copied().unwrap_or(Exact::ONE);
            SensitiveItem {
                name: name.clone(),
                transactions,
                threshold: threshold.to_f64(),
                threshold_text: threshold.to_string(),
            }
        })
        .collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.transactions));
    items
}

fn utility((measured, threshold): (&ItemUtility, Exact)) -> Utility {
    Utility {
        items_before: measured.distinct_before.into(),
        items_after: measured.distinct_after,
        length_before: measured.mean_length_before.into(),
        length_after: measured.mean_length_after,
        at_leaves: measured.kept_share.into(),
        patterns: Original::from(Patterns {
            threshold: threshold.to_f64(),
            before: measured.patterns_before,
            after: measured.patterns_after,
            common: measured.patterns_common,
            error: measured.support_error(),
            complete: measured.complete,
        }),
    }
}

/// The items that lose most by NCP, the costliest first; those that lose nothing are left out.
pub(crate) fn costliest(baskets: &Baskets, recoding: &ItemRecoding, most: usize) -> Vec<ItemLoss> {
    let (tree, measure) = (&baskets.tree, ItemMeasure::Ncp);
    let costs = recoding.item_costs(measure, baskets);
    let total: u128 = costs.iter().sum();
    let occurrences = baskets.occurrences();
    let mut items: Vec<Node> = tree.nodes().filter(|node| costs[*node as usize] > 0).collect();
    items.sort_by_key(|item| (std::cmp::Reverse(costs[*item as usize]), *item));
    items.truncate(most);
    let loss = |item: &Node| {
        let at = *item as usize;
        let published = match recoding {
            ItemRecoding::Global { shown, .. } => shown[at].map(|node| tree.label(node).to_string()),
            ItemRecoding::Local { .. } => None,
        };
        let everything = u128::from(occurrences[at]) * u128::from(measure.suppressed(tree));
        ItemLoss {
            item: tree.label(*item).to_string(),
            published,
            occurrences: occurrences[at],
            ncp: costs[at] as f64 / everything as f64,
            share: costs[at] as f64 / total as f64,
        }
    };
    items.iter().map(loss).collect()
}

/// What was lost, the measure that steered first.
fn losses(facts: &ItemFacts<'_>) -> Vec<Loss> {
    let ItemFacts { baskets, solution, .. } = *facts;
    let steering = ItemMeasure::from(facts.method.cost());
    let mut measures = ItemMeasure::ALL.to_vec();
    measures.sort_by_key(|measure| *measure != steering);
    let loss = |measure: &ItemMeasure| {
        let share = solution.recoding.loss(*measure, baskets).value();
        Loss {
            name: measure.name().to_string(),
            value: share.into(),
            normalised: Some(share.into()),
            formula: match measure {
                ItemMeasure::Ncp => {
                    "mean, over all occurrences of items, of leaves below the published one / all leaves; 0 for a leaf"
                }
                ItemMeasure::Lm => {
                    "mean, over all occurrences of items, of (leaves below the published one − 1) / (all leaves − 1)"
                }
            }
            .to_string(),
            range: "0 … 1".to_string(),
            direction: "lower is better".to_string(),
        }
    };
    measures.iter().map(loss).collect()
}
