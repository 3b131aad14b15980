//! Looks for threats step by step, as an adversary's power grows, and skips the steps that cannot find any.

use crate::Result;
use crate::engine::clock::Clock;
use crate::engine::conflict::Conflicts;
use crate::engine::itemset::rows::Rows;
use crate::engine::itemset::{Effort, Ended, Layout, Miner, Power, Scope, Threat};
use crate::privacy::kl::KlPrivacy;
use crate::taxonomy::ItemTree;

/// From this many known items on it pays to look for rows that others vouch for.
const CERTIFIED: u64 = 3;

/// Mines the rows of one cut for growing powers.
pub(super) struct Checker<'a> {
    tree: &'a ItemTree,
    privacy: &'a KlPrivacy,
    scope: Scope,
    laid_out: Option<(Layout, Miner<'a>)>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(tree: &'a ItemTree, privacy: &'a KlPrivacy, scope: Scope) -> Checker<'a> {
        Checker { tree, privacy, scope, laid_out: None }
    }

    /// Has to be called when the rows have changed.
    pub(super) fn forget(&mut self) {
        self.laid_out = None;
    }

    fn miner(&mut self, rows: &Rows, power: Power) -> &Miner<'a> {
        let certify = power.present >= CERTIFIED || power.absent > 0;
        let layout = Layout { scope: self.scope, absent: power.absent, certify };
        if self.laid_out.as_ref().is_none_or(|(known, _)| *known != layout) {
            self.laid_out = None;
        }
        &self.laid_out.get_or_insert_with(|| (layout, Miner::new(self.tree, rows, self.privacy, layout))).1
    }

    /// Whether a step cannot find anything that the steps before it did not.
    pub(super) fn is_needless(&mut self, rows: &Rows, power: Power) -> bool {
        let miner = self.miner(rows, power);
        match (power.present, power.absent) {
            // Nothing is known: the empty itemset has to be tested all the same.
            (0, 0) => false,
            (present, 0) => miner.is_safe() || present > miner.longest(),
            (_, absent) => miner.is_safe() || absent < miner.least_absence(),
        }
    }

    /// Adds the conflicts of all threats within the power.
    pub(super) fn mine(
        &mut self,
        rows: &Rows,
        power: Power,
        cells: u64,
        conflicts: &mut Conflicts<Threat>,
        clock: &Clock,
    ) -> Result<(Ended, Effort)> {
        self.miner(rows, power).mine(power, cells, conflicts, clock)
    }
}
