//! The search described in the thesis, through the cut enumeration tree; the interval search is compared with it.

use super::bound::LPlusProblem;
use super::partition::Partition;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::cut::enumeration;
use privet_engine::cut::enumeration::{Enumerable, Order};
use privet_engine::cut::{Amount, Cut, CutOutcome, Limits};
use privet_policy::method::{CutOrder, CutSearch, LPlusOptimize};

/// The techniques of the thesis in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnumerationTechniques {
    /// Frequent values come first.
    pub descending: bool,
    /// Recompute the bound of a cut when one of its values is locked.
    pub tighten: bool,
}

/// The techniques, if the policy asks for this search.
pub fn asked(own: &LPlusOptimize) -> Option<EnumerationTechniques> {
    let descending = own.order == CutOrder::Descending;
    match own.search {
        CutSearch::Interval => None,
        CutSearch::Enumeration => Some(EnumerationTechniques { descending, tighten: own.tighten }),
    }
}

/// Finds the best cut. If time runs out, returns the best so far.
pub fn enumerate(
    problem: &LPlusProblem,
    techniques: EnumerationTechniques,
    limits: &Limits,
    clock: &Clock,
) -> Result<CutOutcome> {
    let order = if techniques.descending { Order::Descending } else { Order::Ascending };
    let techniques = enumeration::Techniques { by_cost: true, order, tighten: techniques.tighten };
    enumeration::enumerate(&mut Partition::new(problem), techniques, limits, clock)
}

/// Values are pairs of column and node, ordered by their number of records. Every cut is a solution.
impl Enumerable for Partition<'_> {
    type Value = (usize, u32);

    fn first(&self) -> Vec<(usize, u32)> {
        let trees = self.problem.forest.trees.iter().enumerate();
        trees.filter(|(_, tree)| !tree.is_leaf(0)).map(|(column, _)| (column, 0)).collect()
    }

    fn open_children(&self, (column, node): (usize, u32), open: &mut Vec<(usize, u32)>) {
        let tree = &self.problem.forest.trees[column];
        let inner = tree.children(node).filter(|child| !tree.is_leaf(*child));
        open.extend(inner.map(|child| (column, child)));
    }

    fn rank(&self, (column, node): (usize, u32)) -> u128 {
        u128::from(self.problem.counts[column][node as usize])
    }

    fn specialise(&mut self, (column, node): (usize, u32)) {
        Partition::specialise(self, column, node);
    }

    fn generalise(&mut self) {
        Partition::generalise(self);
    }

    fn lock(&mut self, (column, node): (usize, u32), tighten: bool) {
        Partition::lock(self, column, node, tighten);
    }

    fn changes(&self) -> usize {
        Partition::changes(self)
    }

    fn unlock(&mut self, values: &[(usize, u32)], changes: usize) {
        Partition::unlock(self, values, changes);
    }

    fn is_valid(&self) -> bool {
        true
    }

    fn cost(&self) -> Amount {
        Partition::cost(self)
    }

    fn bound(&self) -> Amount {
        Partition::bound(self)
    }

    fn cut(&self) -> Cut {
        Partition::cut(self)
    }

    fn shown(&self, cost: Amount) -> Option<f64> {
        Some(super::value(&self.problem.rules, cost))
    }
}
