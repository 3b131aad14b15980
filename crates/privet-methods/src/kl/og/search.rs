//! OG: eager while threats are cheap to find, then lazy.

use std::sync::Arc;

use super::checker::{CERTIFIED, GeneralisationReach, MinedCuts, MiningQuestion, ThreatChecker};
use super::{OgProblem, SearchState, rounds};
use crate::kl::ItemTask;
use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_engine::conflict::{Conflicts, Solved, cut_of, solve};
use privet_engine::itemset::rows::{Rows, shown_by};
use privet_engine::itemset::{Ended, Lookup, Power, Scope, Threat};
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::method::{Og, Phase};
use privet_taxonomy::{ItemTree, Node};

/// How to search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchManner {
    /// How many cells of rows the eager phase may read per power of the adversary.
    pub eager_cells: u64,
    /// Before itemsets of this many present nodes are counted, those that whole rows suggest are tried.
    pub rows_before: u64,
    pub alpha: Exact,
}

/// Beyond this many cells it is faster to search for the threats of single cuts: a second or two on one core.
const CHEAP: u64 = 400_000_000;

impl SearchManner {
    pub(super) fn of(task: &ItemTask<'_>, own: &Og) -> SearchManner {
        SearchManner {
            eager_cells: match own.phase {
                Phase::Eager => u64::MAX,
                Phase::Lazy => 0,
                // Checking one cut is fast if its own nodes are sufficient.
                Phase::Auto if !task.requirements.iter().any(KlPrivacy::guards_marks) => 0,
                Phase::Auto => CHEAP,
            },
            rows_before: CERTIFIED,
            alpha: own.alpha,
        }
    }
}

/// How [`MinedCuts`] records that whole rows were tried.
const WHOLE_ROWS: Power = Power { present: u64::MAX, absent: 0 };

/// Finds the cheapest valid cut, as far as the clock allows.
///
/// The optimum of the relaxation is not valid before it is *the* optimum, so part of a time limit is reserved: the
/// result so far is then made valid in rounds, which know most threats already.
pub(super) fn run(problem: &OgProblem<'_>, manner: &SearchManner, clock: &Clock) -> Result<SearchState> {
    let mut reached = SearchState::default();
    let mut conflicts = Conflicts::new(problem.tree);
    if manner.alpha > Exact::ZERO {
        // A result that is good enough may be found before any proof.
        let early = clock.with_share(1, 3);
        if let Some(cut) = rounds::quick(problem, &mut conflicts.clone(), &mut reached, &early)? {
            reached.improve(problem, cut, clock);
        }
    }
    let most = clock.with_share(2, 3);
    let mut search = ConflictSearch::new(problem, &mut conflicts, &mut reached, &most);
    search.lock_rare()?;
    let is_complete = search.find_eagerly(manner.eager_cells)?;
    search.find_lazily(manner, is_complete)?;
    reached.conflicts = conflicts.len() as u64;
    reached.locked = conflicts.locks() as u64;
    if !reached.is_found {
        let cut = match rounds::quick(problem, &mut conflicts, &mut reached, clock)? {
            Some(cut) => cut,
            None => rounds::by_level(problem, &mut reached, clock)?,
        };
        reached.improve(problem, cut, clock);
    }
    Ok(reached)
}

/// The steps in which an adversary's power grows: presences one by one while that is cheap and then by a factor of 1.5,
/// then absences in doubling steps. Small powers come first because their threats are the most general; later steps
/// rarely find any, and each repeats the counts of the previous steps.
pub(super) fn powers(privacy: &KlPrivacy) -> impl Iterator<Item = Power> + use<> {
    let (m, n) = (privacy.m, privacy.n);
    let next = |present: u64| if present < CERTIFIED { present + 1 } else { present + present / 2 };
    let growing =
        std::iter::successors(Some(0), move |present| (*present < m).then(|| next(*present).min(m)));
    let doubling = std::iter::successors(Some(1), move |absent| (*absent < n).then(|| (2 * absent).min(n)));
    let absences = doubling.take_while(move |absent| *absent <= n);
    let presences = growing.map(|present| Power { present, absent: 0 });
    presences.chain(absences.map(move |absent| Power { present: m, absent }))
}

/// Conflicts, and the state of the search for them.
pub(super) struct ConflictSearch<'s, 'a> {
    problem: &'s OgProblem<'a>,
    conflicts: &'s mut Conflicts<Threat>,
    reached: &'s mut SearchState,
    clock: &'s Clock,
    mined: MinedCuts,
    /// The rows under the locks known at some time: every later cut is at or above those.
    frontier: Vec<Node>,
    rows: Arc<Rows>,
    /// The same rows or finer ones, to count more general threats.
    lookup: Arc<Lookup>,
}

/// The lookup is rebuilt when merging has left fewer than three in this many rows.
const MERGED: usize = 4;

impl<'s, 'a> ConflictSearch<'s, 'a> {
    pub(super) fn new(
        problem: &'s OgProblem<'a>,
        conflicts: &'s mut Conflicts<Threat>,
        reached: &'s mut SearchState,
        clock: &'s Clock,
    ) -> ConflictSearch<'s, 'a> {
        let rows = problem.rows.clone();
        let lookup = Lookup::new(rows.clone());
        let (mined, frontier) = (MinedCuts::default(), Vec::new());
        ConflictSearch { problem, conflicts, reached, clock, mined, frontier, rows, lookup }
    }

    /// Locks the parents of all nodes that are threats on their own because they are rare: one pass over the rows finds
    /// them.
    pub(super) fn lock_rare(&mut self) -> Result<()> {
        let tree = self.problem.tree;
        let known = self.problem.requirements.iter().filter(|privacy| privacy.m > 0);
        let Some(k) = known.map(|privacy| privacy.k).max() else { return Ok(()) };
        let supports = self.problem.rows.supports(tree);
        let mut rare: Vec<Option<Node>> = vec![None; tree.len()];
        for node in tree.nodes().filter(|node| (1..k).contains(&supports[*node as usize])) {
            self.reached.effort.threats += 1;
            match tree.parent(node) {
                Some(parent) => rare[parent as usize] = Some(node),
                None => {
                    let threat =
                        Threat { present: vec![node], absent: Vec::new(), support: supports[node as usize] };
                    self.conflicts.insert(tree, Vec::new(), threat);
                }
            }
        }
        let locked = cut_of(tree, |node| rare[node as usize].is_none());
        let lock = |node: Node| {
            let child = rare[node as usize]?;
            let threat =
                Threat { present: vec![child], absent: Vec::new(), support: supports[child as usize] };
            Some((node, threat))
        };
        self.conflicts.lock_all(tree, locked.into_iter().filter_map(lock).collect());
        self.stop_if_impossible()
    }

    /// Merges the rows under the locks known by now; returns whether anything changed.
    fn merge_locked(&mut self) -> bool {
        let frontier = self.conflicts.frontier(self.problem.tree);
        let is_changed = frontier != self.frontier;
        if is_changed {
            self.rows = Arc::new(self.rows.under(&shown_by(self.problem.tree, &frontier)));
            self.frontier = frontier;
            if self.rows.len() * MERGED < self.lookup.len() * (MERGED - 1) {
                self.lookup = Lookup::new(self.rows.clone());
            }
        }
        is_changed
    }

    /// Searches for all threats of all cuts, step by step; false once that takes too long.
    fn find_eagerly(&mut self, cells: u64) -> Result<bool> {
        if cells == 0 {
            return Ok(false);
        }
        let mut is_complete = true;
        for privacy in self.problem.requirements {
            let (tree, scope, reach) = (self.problem.tree, Scope::AllCuts, GeneralisationReach::Requirement);
            let question = MiningQuestion { tree, privacy, scope, reach };
            let mut checker = self.checker(question);
            for power in powers(privacy) {
                if checker.is_needless(power) {
                    continue;
                }
                let (ended, effort) = checker.mine(power, cells, None, self.conflicts, self.clock)?;
                self.reached.effort.add(effort);
                self.stop_if_impossible()?;
                if self.clock.is_over() {
                    return Ok(false);
                }
                if self.merge_locked() {
                    checker = self.checker(question);
                }
                if ended == Ended::Early {
                    is_complete = false;
                    break;
                }
            }
        }
        Ok(is_complete)
    }

    /// A checker for all cuts at or above the locks.
    fn checker(&self, question: MiningQuestion<'s>) -> ThreatChecker<'s> {
        ThreatChecker::whole(question, Rows::clone(&self.rows), self.lookup.clone())
    }

    fn stop_if_impossible(&self) -> Result<()> {
        match self.conflicts.impossible() {
            Some(threat) => Err(self.problem.impossible(threat)),
            None => Ok(()),
        }
    }

    /// Takes the best cut for the known conflicts until one has no threat.
    fn find_lazily(&mut self, manner: &SearchManner, is_complete: bool) -> Result<()> {
        loop {
            let solved = self.solve(manner.alpha)?;
            self.reached.raise(self.problem, solved.bound, self.clock);
            if self.is_close_enough(manner.alpha) || self.clock.is_over() {
                return Ok(());
            }
            if is_complete || self.is_valid(&solved.cut, manner)? {
                self.reached.improve(self.problem, solved.cut, self.clock);
                return Ok(());
            }
            if self.clock.is_over() {
                return Ok(());
            }
        }
    }

    fn solve(&mut self, alpha: Exact) -> Result<Solved> {
        let solved = solve(self.problem.tree, &self.problem.prices, self.conflicts, alpha, self.clock)?;
        self.reached.solves += 1;
        self.reached.cuts += solved.examined;
        Ok(solved)
    }

    fn is_close_enough(&self, alpha: Exact) -> bool {
        let (num, den) = (u128::from(alpha.numerator()), u128::from(alpha.denominator()));
        let bound = self.reached.bound.unwrap_or(0);
        self.reached.is_found && self.reached.cost * den <= bound * (den + num)
    }

    /// Whether a cut has no threat; if it has some, their conflicts are known afterwards. Also false if time is up.
    fn is_valid(&mut self, cut: &[Node], manner: &SearchManner) -> Result<bool> {
        let rows_before = Power { present: manner.rows_before, absent: 0 };
        self.merge_locked();
        for (requirement, privacy) in self.problem.requirements.iter().enumerate() {
            let mut current = CurrentCut::new(self.problem.tree, cut.to_vec());
            for power in powers(privacy) {
                if power == rows_before && self.look_at_rows(requirement, &mut current)? != LookOutcome::Clean
                {
                    return Ok(false);
                }
                if self.look(requirement, power, GeneralisationReach::Requirement, &mut current)?
                    != LookOutcome::Clean
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Searches a cut for the threats that whole rows suggest: far fewer itemsets than are within the power. A cut that
    /// passes may still have threats.
    fn look_at_rows(&mut self, requirement: usize, current: &mut CurrentCut<'s>) -> Result<LookOutcome> {
        let privacy = &self.problem.requirements[requirement];
        if privacy.guards_marks() {
            return Ok(LookOutcome::Clean);
        }
        let (scope, reach) = (Scope::OneCut, GeneralisationReach::Requirement);
        let question = MiningQuestion { tree: self.problem.tree, privacy, scope, reach };
        let mined = self.mined.last(requirement, WHOLE_ROWS);
        let Some(checker) = current.checker(mined, question, &self.rows, &self.lookup) else {
            return Ok(LookOutcome::Clean);
        };
        let everything = Power { present: privacy.m, absent: 0 };
        let effort = checker.mine_rows(everything, mined, self.conflicts, self.clock)?;
        self.reached.effort.add(effort);
        self.stop_if_impossible()?;
        self.mined.keep(requirement, WHOLE_ROWS, &current.cut);
        Ok(match effort.threats {
            _ if self.clock.is_over() => LookOutcome::Over,
            0 => LookOutcome::Clean,
            _ => LookOutcome::Threatened,
        })
    }

    /// Searches a cut for threats of one power.
    fn look(
        &mut self,
        requirement: usize,
        power: Power,
        reach: GeneralisationReach,
        current: &mut CurrentCut<'s>,
    ) -> Result<LookOutcome> {
        let privacy = &self.problem.requirements[requirement];
        let question = MiningQuestion { tree: self.problem.tree, privacy, scope: Scope::OneCut, reach };
        let mined = self.mined.last(requirement, power);
        let old = mined.filter(|_| power.absent == 0 && !privacy.guards_marks());
        if old.is_some() && power.present == 0 {
            // The empty itemset is the same in every cut.
            return Ok(LookOutcome::Clean);
        }
        let Some(checker) = current.checker(old, question, &self.rows, &self.lookup) else {
            return Ok(LookOutcome::Clean);
        };
        if checker.is_needless(power) {
            return Ok(LookOutcome::Clean);
        }
        let (ended, effort) = checker.mine(power, u64::MAX, mined, self.conflicts, self.clock)?;
        self.reached.effort.add(effort);
        self.stop_if_impossible()?;
        if ended == Ended::Early {
            return Ok(LookOutcome::Over);
        }
        self.mined.keep(requirement, power, &current.cut);
        Ok(if effort.threats > 0 { LookOutcome::Threatened } else { LookOutcome::Clean })
    }

    /// Whether no knowledge within a power can be a threat in a cut, because its rows are safe.
    pub(super) fn is_needless(
        &self,
        requirement: usize,
        power: Power,
        reach: GeneralisationReach,
        current: &mut CurrentCut<'s>,
    ) -> bool {
        let privacy = &self.problem.requirements[requirement];
        let question = MiningQuestion { tree: self.problem.tree, privacy, scope: Scope::OneCut, reach };
        current.whole(question, &self.rows, &self.lookup).is_needless(power)
    }

    /// The best cut for the known conflicts.
    pub(super) fn best_cut(&mut self) -> Result<Vec<Node>> {
        Ok(self.solve(Exact::ZERO)?.cut)
    }

    /// Marks a node as never to be specialised.
    pub(super) fn lock(&mut self, node: Node) {
        let decided = Threat { present: Vec::new(), absent: Vec::new(), support: 0 };
        self.conflicts.insert(self.problem.tree, vec![node], decided);
    }

    /// Generalises a cut until it has no threat within one power: the best such cut for the known conflicts. False if
    /// time runs out first.
    pub(super) fn settle(
        &mut self,
        requirement: usize,
        power: Power,
        reach: GeneralisationReach,
        current: &mut CurrentCut<'s>,
    ) -> Result<bool> {
        loop {
            match self.look(requirement, power, reach, current)? {
                LookOutcome::Clean => return Ok(true),
                LookOutcome::Over => return Ok(false),
                LookOutcome::Threatened => {}
            }
            self.merge_locked();
            *current = CurrentCut::new(self.problem.tree, self.best_cut()?);
            if self.clock.is_over() {
                return Ok(false);
            }
        }
    }
}

/// The result of a search for threats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookOutcome {
    /// There are none.
    Clean,
    /// There were some, and their conflicts are recorded.
    Threatened,
    /// Time is up.
    Over,
}

/// A cut under examination, for one requirement.
pub(super) struct CurrentCut<'a> {
    pub cut: Vec<Node>,
    shown: Vec<Node>,
    whole: Option<ThreatChecker<'a>>,
    /// The rows with nodes that were not in any cut mined before, and those nodes.
    part: Option<(Vec<Node>, ThreatChecker<'a>)>,
}

impl<'a> CurrentCut<'a> {
    pub(super) fn new(tree: &ItemTree, cut: Vec<Node>) -> CurrentCut<'a> {
        CurrentCut { shown: shown_by(tree, &cut), cut, whole: None, part: None }
    }

    /// For the rows that must be examined if those of another cut have been; `None` if there are none.
    fn checker(
        &mut self,
        mined: Option<&[Node]>,
        question: MiningQuestion<'a>,
        rows: &Rows,
        lookup: &Arc<Lookup>,
    ) -> Option<&mut ThreatChecker<'a>> {
        let Some(mined) = mined else { return Some(self.whole(question, rows, lookup)) };
        let is_new = |node: &Node| mined.binary_search(node).is_err();
        let new: Vec<Node> = self.cut.iter().copied().filter(is_new).collect();
        if new.is_empty() { None } else { Some(self.part(new, question, rows, lookup)) }
    }

    /// All rows.
    fn whole(
        &mut self,
        question: MiningQuestion<'a>,
        rows: &Rows,
        lookup: &Arc<Lookup>,
    ) -> &mut ThreatChecker<'a> {
        let shown = &self.shown;
        self.whole.get_or_insert_with(|| ThreatChecker::whole(question, rows.under(shown), lookup.clone()))
    }

    /// The rows that hold something new: no others match an itemset with a new node.
    fn part(
        &mut self,
        new: Vec<Node>,
        question: MiningQuestion<'a>,
        rows: &Rows,
        lookup: &Arc<Lookup>,
    ) -> &mut ThreatChecker<'a> {
        let part = self.part.take().filter(|(known, _)| *known == new);
        let shown = &self.shown;
        let (_, checker) = self.part.insert(part.unwrap_or_else(|| {
            let part = rows.with_any(|node| new.binary_search(&node).is_ok(), shown);
            (new, ThreatChecker::partial(question, part, lookup.clone()))
        }));
        checker
    }
}
