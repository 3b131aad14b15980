//! CODIP* (section 5 of the paper): starting with one table per attribute, repeatedly merges the two subsets with the
//! most mutual information, until a merged plan would exceed a limit.

use super::ratios::{PairInformation, ProjectionPlan};
use privet_core::Result;

/// Relative difference below which two means are equal; they differ only by the order of summation.
const TIE: f64 = 1e-12;

/// A plan in progress, with what is needed to find the next merge.
#[derive(Debug, Clone)]
pub(super) struct Merging {
    /// The subsets, in the order of their first attributes.
    pub plan: ProjectionPlan,
    /// Σ I over the pairs inside each subset.
    inside: Vec<f64>,
    /// Σ I over the pairs between two subsets.
    between: Vec<Vec<f64>>,
}

/// Two subsets that could be merged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SubsetMerge {
    first: usize,
    second: usize,
    /// The merged subset.
    pub union: Vec<usize>,
}

impl Merging {
    /// One table per attribute.
    pub fn new(ratios: &PairInformation) -> Merging {
        let attributes = ratios.attributes();
        let row = |a: usize| (0..attributes).map(|b| ratios.information(a, b)).collect();
        Merging {
            plan: ratios.singletons(),
            inside: vec![0.0; attributes],
            between: (0..attributes).map(row).collect(),
        }
    }

    /// The merge with the largest mean mutual information over the pairs of the union, excluding refused ones; among
    /// equals, the one with the lexicographically first union.
    pub fn best(&self, is_refused: impl Fn(&[usize]) -> bool) -> Option<SubsetMerge> {
        let mut best: Option<(f64, SubsetMerge)> = None;
        for first in 0..self.plan.len() {
            for second in first + 1..self.plan.len() {
                let mean = self.mean(first, second);
                let margin = |best: f64| TIE * best.abs().max(f64::MIN_POSITIVE);
                if best.as_ref().is_some_and(|(most, _)| mean < most - margin(*most)) {
                    continue;
                }
                let union = self.union(first, second);
                let wins = best
                    .as_ref()
                    .is_none_or(|(most, merge)| mean > most + margin(*most) || union < merge.union);
                if wins && !is_refused(&union) {
                    best = Some((mean, SubsetMerge { first, second, union }));
                }
            }
        }
        best.map(|(_, merge)| merge)
    }

    fn mean(&self, first: usize, second: usize) -> f64 {
        let attributes = (self.plan[first].len() + self.plan[second].len()) as f64;
        let sum = self.inside[first] + self.inside[second] + self.between[first][second];
        sum / (attributes * (attributes - 1.0) / 2.0)
    }

    fn union(&self, first: usize, second: usize) -> Vec<usize> {
        let mut union = [self.plan[first].as_slice(), &self.plan[second]].concat();
        union.sort_unstable();
        union
    }

    /// The plan after a merge.
    pub fn merged(&self, merge: &SubsetMerge) -> Merging {
        let SubsetMerge { first, second, union } = merge;
        let mut next = self.clone();
        next.inside[*first] += self.inside[*second] + self.between[*first][*second];
        for other in 0..self.plan.len() {
            let sum = self.between[*first][other] + self.between[*second][other];
            next.between[*first][other] = sum;
            next.between[other][*first] = sum;
        }
        // The union begins with the first attribute of its first subset, so the order of the subsets does not change.
        next.plan[*first] = union.clone();
        next.plan.remove(*second);
        next.inside.remove(*second);
        next.between.remove(*second);
        next.between.iter_mut().for_each(|row| {
            row.remove(*second);
        });
        next
    }
}

/// The result of CODIP*.
#[derive(Debug, Clone, PartialEq)]
pub struct GreedyPlan {
    /// The last plan within the limits.
    pub plan: ProjectionPlan,
    /// How many plans were examined, including the first.
    pub tried: u64,
}

/// Whether a plan with a new subset is within the limits.
pub type AcceptsPlan<'a> = &'a mut dyn FnMut(&[Vec<usize>], &[usize]) -> Result<bool>;

/// Merges as long as `accepts` (called with the plan and its new subset) agrees. With `persist`, a refused merge is
/// followed by the next best one instead of ending the search.
///
/// A refused merge is never tried again: later plans expose more, and a subset that cannot be anonymised now cannot be
/// anonymised later.
pub fn merge(ratios: &PairInformation, persist: bool, accepts: AcceptsPlan<'_>) -> Result<GreedyPlan> {
    let mut merging = Merging::new(ratios);
    let mut refused: Vec<Vec<usize>> = Vec::new();
    let mut tried = 1;
    while let Some(merge) = merging.best(|union| refused.iter().any(|refused| refused == union)) {
        let next = merging.merged(&merge);
        tried += 1;
        if accepts(&next.plan, &merge.union)? {
            merging = next;
        } else if persist {
            refused.push(merge.union);
        } else {
            break;
        }
    }
    Ok(GreedyPlan { plan: merging.plan, tried })
}

/// All plans from one table per attribute to a single table, as if there were no limit.
pub fn path(ratios: &PairInformation) -> Vec<ProjectionPlan> {
    let mut merging = Merging::new(ratios);
    let mut plans = vec![merging.plan.clone()];
    while let Some(merge) = merging.best(|_| false) {
        merging = merging.merged(&merge);
        plans.push(merging.plan.clone());
    }
    plans
}
