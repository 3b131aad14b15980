//! Looks for threats step by step, as an adversary's power grows, and skips the steps that cannot find any.

use std::sync::Arc;

use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::Conflicts;
use privet_engine::itemset::rows::Rows;
use privet_engine::itemset::{Effort, Ended, Layout, Lookup, Miner, Power, Scope, Threat};
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node};

/// From this many known items on it pays to look for rows that others vouch for.
pub(super) const CERTIFIED: u64 = 4;

/// How far a threat may be made more general.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// As far as the requirement goes: what is found early rules out more.
    Requirement,
    /// Within the power that is looked at, as rounds of growing power have it.
    Power,
}

/// Mines the rows of one cut for growing powers.
pub(super) struct Checker<'a> {
    question: Question<'a>,
    /// All rows, or those that hold something new.
    is_partial: bool,
    rows: Rows,
    lookup: Arc<Lookup>,
    laid_out: Option<(Layout, Miner<'a>)>,
}

/// What is mined for.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub tree: &'a ItemTree,
    pub privacy: &'a KlPrivacy,
    pub scope: Scope,
    pub reach: Reach,
}

/// Per requirement and power, the last cut whose threats all have known conflicts.
#[derive(Debug, Default)]
pub(super) struct Mined(Vec<(usize, Power, Vec<Node>)>);

impl Mined {
    pub(super) fn last(&self, requirement: usize, power: Power) -> Option<&[Node]> {
        let same = |(other, known, _): &&(usize, Power, Vec<Node>)| (*other, *known) == (requirement, power);
        self.0.iter().find(same).map(|(_, _, cut)| cut.as_slice())
    }

    pub(super) fn keep(&mut self, requirement: usize, power: Power, cut: &[Node]) {
        self.0.retain(|(other, known, _)| (*other, *known) != (requirement, power));
        self.0.push((requirement, power, cut.to_vec()));
    }
}

impl<'a> Checker<'a> {
    /// For all rows, as the cut shows them; `lookup` as for [`Miner::new`].
    pub(super) fn whole(question: Question<'a>, rows: Rows, lookup: Arc<Lookup>) -> Checker<'a> {
        Checker { question, is_partial: false, rows, lookup, laid_out: None }
    }

    /// For those rows that hold a node which is not in a cut mined before.
    pub(super) fn partial(question: Question<'a>, rows: Rows, lookup: Arc<Lookup>) -> Checker<'a> {
        Checker { question, is_partial: true, rows, lookup, laid_out: None }
    }

    fn miner(&mut self, power: Power) -> &Miner<'a> {
        let Question { tree, privacy, scope, reach } = self.question;
        let certify = power.present >= CERTIFIED || power.absent > 0;
        let reach = if reach == Reach::Power { power.absent } else { privacy.n };
        let layout = Layout { scope, absent: power.absent, reach, certify, is_partial: self.is_partial };
        if self.laid_out.as_ref().is_none_or(|(known, _)| *known != layout) {
            self.laid_out = None;
        }
        let lay_out = || (layout, Miner::new(tree, &self.rows, self.lookup.clone(), privacy, layout));
        &self.laid_out.get_or_insert_with(lay_out).1
    }

    /// Whether a step cannot find anything that the steps before it did not.
    pub(super) fn is_needless(&mut self, power: Power) -> bool {
        let miner = self.miner(power);
        match (power.present, power.absent) {
            // Nothing is known: the empty itemset has to be tested all the same.
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

    /// Adds the conflicts of threats that whole rows point at; `mined` as for [`Miner::mine_rows`].
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
