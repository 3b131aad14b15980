//! The utility of a release of transactions: the generalised patterns that remain, the accuracy of their supports, and
//! the share of items published unchanged.

use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::itemset::patterns::Patterns;
use privet_taxonomy::Node;

use super::recoding::ItemRecoding;

/// The largest number of patterns that are mined, before and after.
pub const MOST_PATTERNS: usize = 200_000;

/// The utility of a release of transactions.
///
/// If every item is published as one node everywhere (in all methods except local recoding and suppression), each
/// original pattern that the release can still express keeps its support, and the release has no others.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemUtility {
    /// The least number of transactions of a frequent pattern.
    pub least_support: u64,
    /// The number of generalised frequent patterns in the original. This includes the one-node patterns of the roots,
    /// although they carry almost no information.
    pub patterns_before: u64,
    /// The number in the release.
    pub patterns_after: u64,
    /// The number of patterns in both.
    pub patterns_common: u64,
    /// Whether all patterns were found; otherwise there are more than [`MOST_PATTERNS`], and only the first of them are
    /// compared.
    pub complete: bool,
    /// The sum of the errors of the supports of common patterns.
    pub support_off: u128,
    /// The sum of the supports of the common patterns in the original.
    pub support_before: u128,
    /// The number of items in the original.
    pub distinct_before: u64,
    /// The number of published nodes.
    pub distinct_after: u64,
    /// Items per transaction in the original.
    pub mean_length_before: f64,
    /// Published nodes per transaction.
    pub mean_length_after: f64,
    /// The share of all occurrences of items that are published as the item itself.
    pub kept_share: f64,
}

impl ItemUtility {
    /// Measures a release; a pattern is frequent if at least the share `threshold` of all transactions holds it (1 % in
    /// the thesis).
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
            mean_length_after: share(length(&after), after.iter().map(|(_, count)| u128::from(*count)).sum()),
            kept_share: recoding.exactly(baskets),
        })
    }

    /// The mean relative error of the supports of common patterns; 0 if there are none.
    pub fn support_error(&self) -> f64 {
        if self.support_before == 0 { 0.0 } else { self.support_off as f64 / self.support_before as f64 }
    }
}

/// Per node, whether the release shows which transactions hold it, if every item that occurs is published as one node
/// everywhere and these nodes are a cut. Then the transactions that hold some visible nodes are those of the original,
/// and the release reveals no other nodes.
fn visible(baskets: &Baskets, recoding: &ItemRecoding) -> Option<Vec<bool>> {
    let ItemRecoding::Global { shown, removed } = recoding else { return None };
    if !removed.is_empty() {
        return None;
    }
    let tree = &baskets.tree;
    let mut published = Vec::new();
    for (item, count) in tree.nodes().zip(baskets.occurrences()) {
        if tree.is_leaf(item) && count > 0 {
            published.push(shown[item as usize]?);
        }
    }
    published.sort_unstable();
    published.dedup();
    // In preorder, the descendants of a node follow it directly.
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
