//! How sensitive and how observable the values of a mixed column are.

use num_bigint::BigUint;
use num_integer::Integer;

use privet_core::Exact;
use privet_policy::{Belief, MixedColumn, ObservabilityModel};
use privet_taxonomy::{NodeId, Taxonomy};

/// A non-negative fraction of any size.
#[derive(Debug, Clone)]
pub(super) struct BigFraction {
    pub over: BigUint,
    pub under: BigUint,
}

impl BigFraction {
    pub fn of(exact: Exact) -> BigFraction {
        BigFraction { over: exact.numerator().into(), under: exact.denominator().into() }
    }

    pub fn one() -> BigFraction {
        BigFraction::of(Exact::ONE)
    }

    pub fn is_below(&self, other: &BigFraction) -> bool {
        &self.over * &other.under < &other.over * &self.under
    }

    pub fn plus(&self, other: &BigFraction) -> BigFraction {
        let (over, under) =
            (&self.over * &other.under + &other.over * &self.under, &self.under * &other.under);
        let divisor = over.gcd(&under);
        BigFraction { over: over / &divisor, under: under / divisor }
    }
}

/// A node of a mixed column's hierarchy, as the definition of FF-anonymity sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MixedNode {
    /// How many leaves are below it.
    pub leaves: u64,
    /// How many of these are at or below a guarded node.
    pub sensitive: u64,
    /// Whether it can be observed on a person. The root always can: it says nothing.
    pub observable: bool,
}

/// The nodes of a mixed column's hierarchy, by number; `least` is the degree from which a value is observable.
pub fn mixed_nodes(tree: &Taxonomy, mixed: &MixedColumn, least: Exact) -> Vec<MixedNode> {
    let least = BigFraction::of(least);
    let counts = count_leaves(tree, mixed);
    let degrees = degrees(tree, mixed, &counts);
    let node = |(node, (counts, degree)): (NodeId, (&(u64, u64), &BigFraction))| MixedNode {
        leaves: counts.0,
        sensitive: counts.1,
        observable: node == tree.root() || !degree.is_below(&least),
    };
    tree.nodes().zip(counts.iter().zip(&degrees)).map(node).collect()
}

/// By node, how many leaves are below it, and how many of these are at or below a guarded node.
pub(super) fn count_leaves(tree: &Taxonomy, mixed: &MixedColumn) -> Vec<(u64, u64)> {
    let mut counts = vec![(0, 0); tree.len()];
    for leaf in tree.nodes().filter(|node| tree.is_leaf(*node)) {
        let path = || std::iter::successors(Some(leaf), |node| tree.parent(*node));
        let guarded = path().any(|node| mixed.guard.iter().any(|label| label == tree.label(node)));
        for node in path() {
            let (all, sensitive) = &mut counts[node.0 as usize];
            *all += 1;
            *sensitive += u64::from(guarded);
        }
    }
    counts
}

/// o(a), by node.
pub(super) fn degrees(tree: &Taxonomy, mixed: &MixedColumn, leaves: &[(u64, u64)]) -> Vec<BigFraction> {
    match &mixed.observability {
        ObservabilityModel::Sensitivity => {
            leaves.iter().map(|counts| degree(mixed, *counts, std::iter::empty())).collect()
        }
        ObservabilityModel::Belief(belief) => believed(tree, belief),
    }
}

/// o(a) of a value, from its leaves, its sensitive leaves, with these degrees right below it.
pub(super) fn degree<'f>(
    mixed: &MixedColumn,
    (all, sensitive): (u64, u64),
    below: impl Iterator<Item = &'f BigFraction>,
) -> BigFraction {
    match &mixed.observability {
        ObservabilityModel::Sensitivity if all == sensitive => BigFraction::of(Exact::ZERO),
        ObservabilityModel::Sensitivity => BigFraction::one(),
        ObservabilityModel::Belief(belief) => {
            raised(below, belief).unwrap_or(BigFraction::of(belief.default))
        }
    }
}

/// min(1, alpha + the greatest of the degrees below), where there are any.
fn raised<'f>(below: impl Iterator<Item = &'f BigFraction>, belief: &Belief) -> Option<BigFraction> {
    let greatest = below.reduce(|most, degree| if most.is_below(degree) { degree } else { most })?;
    let sum = greatest.plus(&BigFraction::of(belief.alpha));
    Some(if BigFraction::one().is_below(&sum) { BigFraction::one() } else { sum })
}

/// o(parent) = min(1, alpha + the greatest o(child)), but for values that are given.
fn believed(tree: &Taxonomy, belief: &Belief) -> Vec<BigFraction> {
    let mut degrees = vec![BigFraction::of(belief.default); tree.len()];
    // Nodes are numbered depth first, so children come before their parents here.
    for node in tree.nodes().rev() {
        let below = tree.children(node).iter().map(|child| &degrees[child.0 as usize]);
        if let Some(degree) = raised(below, belief) {
            degrees[node.0 as usize] = degree;
        }
        if let Some(given) = belief.values.get(tree.label(node)) {
            degrees[node.0 as usize] = BigFraction::of(*given);
        }
    }
    degrees
}
