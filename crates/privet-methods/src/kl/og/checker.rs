//! Searches for threats step by step, as an adversary's power grows, and skips the steps that cannot find any.

use std::sync::Arc;

use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::Conflicts;
use privet_engine::itemset::rows::Rows;
use privet_engine::itemset::{Effort, Ended, Layout, Lookup, Miner, Power, Scope, Threat};
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node};

/// From this many known items on, it pays to search for rows that are certified by others.
pub(super) const CERTIFIED: u64 = 4;

/// How far a threat may be generalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeneralisationReach {
    /// As far as the requirement goes: what is found early rules out more.
    Requirement,
    /// Within the current power, as in rounds of growing power.
    Power,
}

/// Mines the rows of one cut for growing powers.
pub(super) struct ThreatChecker<'a> {
    question: MiningQuestion<'a>,
    /// Whether these are only the rows that hold something new.
    is_partial: bool,
    rows: Rows,
    lookup: Arc<Lookup>,
    laid_out: Option<(Layout, Miner<'a>)>,
}

/// What to mine for.
#[derive(Clone, Copy)]
pub(super) struct MiningQuestion<'a> {
    pub tree: &'a ItemTree,
    pub privacy: &'a KlPrivacy,
    pub scope: Scope,
    pub reach: GeneralisationReach,
}

/// Per requirement and power, the last cut whose threats all have known conflicts.
#[derive(Debug, Default)]
pub(super) struct MinedCuts(Vec<(usize, Power, Vec<Node>)>);

impl MinedCuts {
    pub(super) fn last(&self, requirement: usize, power: Power) -> Option<&[Node]> {
        let same = |(other, known, _): &&(usize, Power, Vec<Node>)| (*other, *known) == (requirement, power);
        self.0.iter().find(same).map(|(_, _, cut)| cut.as_slice())
    }

    pub(super) fn keep(&mut self, requirement: usize, power: Power, cut: &[Node]) {
        self.0.retain(|(other, known, _)| (*other, *known) != (requirement, power));
        self.0.push((requirement, power, cut.to_vec()));
    }
}

impl<'a> ThreatChecker<'a> {
    /// For all rows as published under the cut; `lookup` as for [`Miner::new`].
    pub(super) fn whole(question: MiningQuestion<'a>, rows: Rows, lookup: Arc<Lookup>) -> ThreatChecker<'a> {
        ThreatChecker { question, is_partial: false, rows, lookup, laid_out: None }
    }

    /// For the rows that hold a node that is not in any cut mined before.
    pub(super) fn partial(
        question: MiningQuestion<'a>,
        rows: Rows,
        lookup: Arc<Lookup>,
    ) -> ThreatChecker<'a> {
        ThreatChecker { question, is_partial: true, rows, lookup, laid_out: None }
    }

    fn miner(&mut self, power: Power) -> &Miner<'a> {
        let MiningQuestion { tree, privacy, scope, reach } = self.question;
        let certify = power.present >= CERTIFIED || power.absent > 0;
        let reach = if reach == GeneralisationReach::Power { power.absent } else { privacy.n };
        let layout = Layout { scope, absent: power.absent, reach, certify, is_partial: self.is_partial };
        if self.laid_out.as_ref().is_none_or(|(known, _)| *known != layout) {
            self.laid_out = None;
        }
        let lay_out = || (layout, Miner::new(tree, &self.rows, self.lookup.clone(), privacy, layout));
        &self.laid_out.get_or_insert_with(lay_out).1
    }

    /// Whether a step cannot find anything beyond the previous steps.
    pub(super) fn is_needless(&mut self, power: Power) -> bool {
        let miner = self.miner(power);
        match (power.present, power.absent) {
            // Nothing is known, but the empty itemset must be tested nevertheless.
            (0, 0) => false,
            (present, 0) => miner.is_safe() || present > miner.longest(),
            (_, absent) => miner.is_safe() || absent < miner.least_absence(),
        }
    }

    /// Adds the conflicts of all threats within the power; `mined` as for [`Miner::mine`].
    pub(super) fn mine(
        &mut self,
        power: Power,
        cells: u64,
        mined: Option<&[Node]>,
        conflicts: &mut Conflicts<Threat>,
        clock: &Clock,
    ) -> Result<(Ended, Effort)> {
        self.miner(power).mine(power, cells, mined, conflicts, clock)
    }

    /// Adds the conflicts of threats that whole rows reveal; `mined` as for [`Miner::mine_rows`].
    pub(super) fn mine_rows(
        &mut self,
        power: Power,
        mined: Option<&[Node]>,
        conflicts: &mut Conflicts<Threat>,
        clock: &Clock,
    ) -> Result<Effort> {
        self.miner(power).mine_rows(power.present, mined, conflicts, clock)
    }
}
