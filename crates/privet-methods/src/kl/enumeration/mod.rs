//! OG as described in the thesis: materialise the most general threats with the inverse itemset enumeration tree, then
//! search the cut enumeration tree for the cheapest cut that realises none. We compare our own search with it.
//!
//! Every technique has a switch, and the figures of Tables 4.4 and 4.5 are counted. Where the thesis is imprecise, the
//! definitions decide: the empty itemset is tested, itemsets may hold a present ancestor together with an absent
//! descendant, and the first cut is not assumed to be valid.

mod counting;
mod cuts;
mod family;
mod rows;
mod shadow;
#[cfg(test)]
mod tests;
mod threats;

use std::time::{Duration, Instant};

use self::rows::FullRows;
pub use self::threats::Prunings;
use self::threats::{InverseTree, KnownThreats};
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::conflict::Conflicts;
use privet_engine::cut::{Amount, Step};
use privet_engine::itemset::rows::{Rows, shown_by};
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::Node;

/// The techniques of phase 2, in addition to pruning invalid cuts (section 4.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutSwitches {
    /// Prune subtrees that cannot beat the best cut so far.
    pub by_cost: bool,
    /// Specialise costly nodes first.
    pub ordered: bool,
    /// Recompute the bound of a cut each time one of its nodes is locked.
    pub tightened: bool,
    /// Never go below permanently locked nodes, and start with a cut from which every step is a decision.
    pub reduced: bool,
}

impl CutSwitches {
    /// Only validity.
    pub const NONE: CutSwitches =
        CutSwitches { by_cost: false, ordered: false, tightened: false, reduced: false };
    /// All of them.
    pub const ALL: CutSwitches = CutSwitches { by_cost: true, ordered: true, tightened: true, reduced: true };
}

/// The techniques in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// In phase 1.
    pub prunings: Prunings,
    /// In phase 2.
    pub cuts: CutSwitches,
}

impl Switches {
    /// All of them: what the thesis calls OG.
    pub const ALL: Switches = Switches { prunings: Prunings::ALL, cuts: CutSwitches::ALL };
}

/// The figures that the thesis reports, over all rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EnumerationFacts {
    /// Examined nodes of the inverse itemset enumeration tree: supported itemsets within the adversary's power.
    pub nodes: u64,
    /// Materialised threats, including those that pruning IV removed again.
    pub threats: u64,
    /// Threats that were kept.
    pub kept: u64,
    /// Valid cuts that were examined.
    pub cuts: u64,
    /// Duration of phase 1.
    pub threat_seconds: f64,
    /// Duration of phase 2, including the step from threats to conflicts.
    pub cut_seconds: f64,
}

/// The result of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumerated {
    /// The best cut, its nodes ascending.
    pub cut: Vec<Node>,
    /// Its cost, in the units of [`ItemRecoding::cost`](super::recoding::ItemRecoding::cost).
    pub cost: u128,
    /// A lower bound on the cost of any cut; trivial for the multi-round search.
    pub bound: u128,
    /// Whether the search finished.
    pub complete: bool,
    /// The counted figures.
    pub facts: EnumerationFacts,
    /// How the best cost and the bound changed in phase 2.
    pub trace: Vec<Step>,
}

/// Finds the cheapest valid cut. If time runs out, returns the best valid cut so far; while not all threats are known,
/// that is the cut of the roots.
pub fn solve(
    baskets: &Baskets,
    requirements: &[KlPrivacy],
    measure: ItemMeasure,
    switches: Switches,
    clock: &Clock,
) -> Result<Enumerated> {
    let search = EnumerationSearch { baskets, measure, prunings: switches.prunings, clock };
    let mut facts = EnumerationFacts::default();
    match search.round(requirements, &search.items(), switches.cuts, &mut facts)? {
        Some(found) => Ok(found),
        None => search.give_up(requirements, facts),
    }
}

/// Runs phase 1 once, and phase 2 with each of several sets of techniques, each within the limit, to compare the
/// techniques. Returns the results in the same order; `None` if phase 1 did not finish in time.
pub fn solve_each(
    baskets: &Baskets,
    requirements: &[KlPrivacy],
    measure: ItemMeasure,
    techniques: &[CutSwitches],
    limit: Option<Duration>,
    clock: &Clock,
) -> Result<Option<Vec<Enumerated>>> {
    let clock = clock.with_limit(limit);
    let search = EnumerationSearch { baskets, measure, prunings: Prunings::ALL, clock: &clock };
    let (items, mut facts) = (search.items(), EnumerationFacts::default());
    let conflicts = search.conflicts(requirements, &items, &mut facts)?;
    let Some(conflicts) = conflicts else { return Ok(None) };
    let each = |cuts: &CutSwitches| {
        let limited = clock.with_limit(limit);
        EnumerationSearch { clock: &limited, ..search }.cheapest(
            &conflicts,
            &items,
            *cuts,
            &mut facts.clone(),
        )
    };
    techniques.iter().map(each).collect::<Result<_>>().map(Some)
}

/// The multi-round search, mOG (section 4.4.2): meets the requirements for adversaries of growing power, one after the
/// other, each time on the data that the previous round would publish. The result is valid, but need not be the
/// cheapest.
pub fn solve_in_rounds(
    baskets: &Baskets,
    requirements: &[KlPrivacy],
    measure: ItemMeasure,
    switches: Switches,
    clock: &Clock,
) -> Result<Enumerated> {
    let search = EnumerationSearch { baskets, measure, prunings: switches.prunings, clock };
    let tree = &baskets.tree;
    // Knowing more items than a transaction can hold, or than exist, adds no power.
    let longest = (0..baskets.len()).map(|basket| baskets.items(basket).len()).max().unwrap_or(0) as u64;
    let present = requirements.iter().map(|one| one.m).max().unwrap_or(0).min(longest);
    let absent = requirements.iter().map(|one| one.n).max().unwrap_or(0).min(u64::from(tree.total_leaves()));
    let with_absences = (1..=absent).map(|n| (present, n));
    let mut rounds: Vec<(u64, u64)> = (1..=present).map(|m| (m, 0)).chain(with_absences).collect();
    if rounds.is_empty() {
        rounds.push((0, 0));
    }
    let mut facts = EnumerationFacts::default();
    let mut best = None;
    let mut shown = search.items();
    for (m, n) in rounds {
        let limit = |one: &KlPrivacy| KlPrivacy { m: one.m.min(m), n: one.n.min(n), ..one.clone() };
        let limited: Vec<KlPrivacy> = requirements.iter().map(limit).collect();
        let Some(found) = search.round(&limited, &shown, switches.cuts, &mut facts)? else {
            return search.give_up(requirements, facts);
        };
        shown = found.cut.clone();
        best = Some(found);
    }
    match best {
        Some(found) => Ok(Enumerated { bound: 0, ..found }),
        None => search.give_up(requirements, facts),
    }
}

/// One search with everything it needs.
#[derive(Clone, Copy)]
struct EnumerationSearch<'a> {
    baskets: &'a Baskets,
    measure: ItemMeasure,
    prunings: Prunings,
    clock: &'a Clock,
}

impl EnumerationSearch<'_> {
    /// The finest cut.
    fn items(&self) -> Vec<Node> {
        self.baskets.tree.nodes().filter(|node| self.baskets.tree.is_leaf(*node)).collect()
    }

    /// Both phases on the data as published under a cut; `None` if time ran out before all threats were known.
    fn round(
        &self,
        requirements: &[KlPrivacy],
        shown: &[Node],
        cuts: CutSwitches,
        facts: &mut EnumerationFacts,
    ) -> Result<Option<Enumerated>> {
        let conflicts = self.conflicts(requirements, shown, facts)?;
        conflicts.map(|conflicts| self.cheapest(&conflicts, shown, cuts, facts)).transpose()
    }

    /// Phase 1, as conflicts; `None` if time ran out before all threats were known.
    fn conflicts(
        &self,
        requirements: &[KlPrivacy],
        shown: &[Node],
        facts: &mut EnumerationFacts,
    ) -> Result<Option<Conflicts<()>>> {
        let start = Instant::now();
        let (known, complete) = self.threats(requirements, shown)?;
        facts.nodes += known.nodes;
        facts.threats += known.materialised;
        facts.kept += known.threats().count() as u64;
        facts.threat_seconds += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let conflicts = (complete && !known.impossible).then(|| cuts::conflicts(&self.baskets.tree, &known));
        facts.cut_seconds += start.elapsed().as_secs_f64();
        if known.impossible { Err(impossible()) } else { Ok(conflicts) }
    }

    /// Phase 2.
    fn cheapest(
        &self,
        conflicts: &Conflicts<()>,
        shown: &[Node],
        cuts: CutSwitches,
        facts: &mut EnumerationFacts,
    ) -> Result<Enumerated> {
        let tree = &self.baskets.tree;
        let start = Instant::now();
        let mut is_final = vec![false; tree.len()];
        shown.iter().for_each(|node| is_final[*node as usize] = true);
        let found = cuts::cheapest(tree, &self.prices(), is_final, conflicts, cuts, self.clock)?;
        facts.cuts += found.examined;
        facts.cut_seconds += start.elapsed().as_secs_f64();
        let (cost, cut) = found.best.into_iter().next().ok_or_else(impossible)?;
        Ok(Enumerated {
            cut: cut.0.into_iter().next().unwrap_or_default(),
            cost: cost.unsigned_abs(),
            bound: found.bound.min(cost).max(0).unsigned_abs(),
            complete: found.complete,
            facts: *facts,
            trace: found.trace,
        })
    }

    /// Phase 1 for all requirements, and whether it finished.
    fn threats(&self, requirements: &[KlPrivacy], shown: &[Node]) -> Result<(KnownThreats, bool)> {
        let tree = &self.baskets.tree;
        let mut dead = vec![false; tree.len()];
        for node in shown {
            dead[*node as usize + 1..tree.end(*node) as usize].fill(true);
        }
        let guarded = |mark: usize| requirements.iter().any(|one| one.theta[mark] < Exact::ONE);
        let matters: Vec<bool> = (0..self.baskets.sensitive.len()).map(guarded).collect();
        let rows = Rows::of(self.baskets, &shown_by(tree, shown));
        let mut rows = FullRows::new(tree, &rows, &matters);
        let mut known = KnownThreats::new(dead);
        for privacy in requirements {
            let complete =
                InverseTree::new(tree, &mut rows, privacy, self.prunings, &mut known).search(self.clock)?;
            if !complete || known.impossible {
                return Ok((known, complete));
            }
        }
        Ok((known, true))
    }

    /// The fallback if time runs out before all threats are known: the roots, if they may be published.
    fn give_up(&self, requirements: &[KlPrivacy], facts: EnumerationFacts) -> Result<Enumerated> {
        let cut: Vec<Node> = self.baskets.tree.roots().collect();
        let all = EnumerationSearch { prunings: Prunings::ALL, clock: &self.clock.without_limit(), ..*self };
        let (known, _) = all.threats(requirements, &cut)?;
        if known.impossible || known.threats().next().is_some() {
            return Err(impossible());
        }
        let prices = self.prices();
        let cost: Amount = cut.iter().map(|root| prices[*root as usize]).sum();
        let cost = cost.unsigned_abs();
        Ok(Enumerated { cut, cost, bound: 0, complete: false, facts, trace: Vec::new() })
    }

    /// Per node, the cost of publishing it for all items below.
    fn prices(&self) -> Vec<Amount> {
        let tree = &self.baskets.tree;
        let occurrences = self.baskets.occurrences();
        let price = |node: Node| {
            Amount::from(occurrences[node as usize]) * Amount::from(self.measure.weight(tree, node))
        };
        tree.nodes().map(price).collect()
    }
}

/// The error for requirements that even the roots do not meet.
fn impossible() -> Error {
    let wrong = "no release can meet the policy: even with every item published as its root, the adversary learns too much";
    Error::infeasible(wrong).help("lower k, l, m or n, or provide more transactions")
}
