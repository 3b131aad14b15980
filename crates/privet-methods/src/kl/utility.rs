//! What can still be done with a release of transactions: the generalised patterns that remain, how true their supports
//! are, and how much of the items is published as it was.

use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::itemset::patterns::Patterns;
use privet_taxonomy::Node;

use super::recoding::ItemRecoding;

/// How many patterns are looked for, before and after.
pub const MOST_PATTERNS: usize = 200_000;

/// How useful a release of transactions is.
///
/// Where every item is published as one node everywhere (all but local recoding and suppression), each pattern of the
/// original that the release can still name has the support it had, and the release has no others.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemUtility {
    /// How many transactions had to hold a pattern.
    pub least_support: u64,
    /// The number of generalised frequent patterns in the original. The one-node patterns of the roots are among them,
    /// although they tell next to nothing.
    pub patterns_before: u64,
    /// The number in the release.
    pub patterns_after: u64,
    /// How many patterns both have.
    pub patterns_common: u64,
    /// Whether all patterns were found; otherwise there are more than [`MOST_PATTERNS`], and the numbers compare the first
    /// of them only.
    pub complete: bool,
    /// How far the supports of common patterns are off, all together.
    pub support_off: u128,
    /// The supports of the common patterns in the original, all together.
    pub support_before: u128,
    /// How many items the original has.
    pub distinct_before: u64,
    /// How many nodes are published.
    pub distinct_after: u64,
    /// Items per transaction in the original.
    pub mean_length_before: f64,
    /// Published nodes per transaction.
    pub mean_length_after: f64,
    /// The share of all occurrences of items that are published as the item itself.
    pub kept_share: f64,
}

impl ItemUtility {
    /// Measures a release; patterns are what at least the share `threshold` of all transactions holds (1 % in the thesis).
    pub fn measure(
        baskets: &Baskets,
        recoding: &ItemRecoding,
        threshold: Exact,
        clock: &Clock,
    ) -> Result<ItemUtility> {
        let tree = &baskets.tree;
        let before: Vec<(Vec<Node>, u64)> = (0..baskets.len())
            .map(|basket| (baskets.items(basket).to_vec(), baskets.count(basket)))
            .collect();
        let mut after: Vec<(Vec<Node>, u64)> = Vec::new();
        for basket in 0..baskets.len() {
            for shown in recoding.shown(baskets, basket) {
                after.push((shown.nodes, shown.count));
            }
        }
        let least_support = least_support(threshold, baskets.total());
        clock.progress().stage("finding patterns", None);
        let mine =
            |rows: &[(Vec<Node>, u64)]| Patterns::mine(tree, rows, least_support, MOST_PATTERNS, clock);
        let patterns_before = mine(&before)?;
        let after_patterns = match visible(baskets, recoding).filter(|_| patterns_before.complete) {
            Some(visible) => patterns_before.among(|node| visible[node as usize]),
            None => mine(&after)?,
        };
        let (mut common, mut support_off, mut support_before) = (0, 0, 0);
        patterns_before.common(&after_patterns, |_, before, after| {
            common += 1;
            support_off += u128::from(before.abs_diff(after));
            support_before += u128::from(before);
        });
        let share = |part: u128, whole: u128| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let total = u128::from(baskets.total());
        Ok(ItemUtility {
            least_support,
            patterns_before: patterns_before.len() as u64,
            patterns_after: after_patterns.len() as u64,
            patterns_common: common,
            complete: patterns_before.complete && after_patterns.complete,
            support_off,
            support_before,
            distinct_before: distinct(tree.len(), &before),
            distinct_after: distinct(tree.len(), &after),
            mean_length_before: share(length(&before), total),
            mean_length_after: share(length(&after), total),
            kept_share: recoding.exactly(baskets),
        })
    }

    /// The mean relative error of the supports of common patterns; 0 where there are none.
    pub fn support_error(&self) -> f64 {
        if self.support_before == 0 { 0.0 } else { self.support_off as f64 / self.support_before as f64 }
    }
}

/// Per node, whether transactions can be seen to hold it, where every item that occurs is published as one node everywhere
/// and these are a cut: then the transactions that hold some visible nodes are those of the original, and no other nodes
/// can be told.
fn visible(baskets: &Baskets, recoding: &ItemRecoding) -> Option<Vec<bool>> {
    let ItemRecoding::Global(shown) = recoding else { return None };
    let tree = &baskets.tree;
    let mut published = Vec::new();
    for (item, count) in tree.nodes().zip(baskets.occurrences()) {
        if tree.is_leaf(item) && count > 0 {
            published.push(shown[item as usize]?);
        }
    }
    published.sort_unstable();
    published.dedup();
    // In preorder, what stands below a node follows it directly.
    if published.windows(2).any(|pair| tree.contains(pair[0], pair[1])) {
        return None;
    }
    let mut visible = vec![false; tree.len()];
    tree.with_ancestors(&published).into_iter().for_each(|node| visible[node as usize] = true);
    Some(visible)
}

/// The least number of transactions that is at least this share of all, and at least one.
fn least_support(threshold: Exact, total: u64) -> u64 {
    let product = u128::from(threshold.numerator()) * u128::from(total);
    let least = product.div_ceil(u128::from(threshold.denominator()));
    u64::try_from(least).unwrap_or(u64::MAX).max(1)
}

fn distinct(nodes: usize, rows: &[(Vec<Node>, u64)]) -> u64 {
    let mut occurs = vec![false; nodes];
    rows.iter().flat_map(|(nodes, _)| nodes).for_each(|node| occurs[*node as usize] = true);
    occurs.into_iter().filter(|occurs| *occurs).count() as u64
}

fn length(rows: &[(Vec<Node>, u64)]) -> u128 {
    rows.iter().map(|(nodes, count)| nodes.len() as u128 * u128::from(*count)).sum()
}
