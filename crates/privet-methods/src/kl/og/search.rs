//! OG: eager while threats are cheap to find, lazy from there on.

use std::sync::Arc;

use super::checker::{CERTIFIED, Checker, Mined, Question, Reach};
use super::{Problem, Reached, rounds};
use crate::kl::Task;
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
pub(super) struct Manner {
    /// How many cells of rows the eager phase may look at per power of the adversary.
    pub eager_cells: u64,
    /// Before itemsets of so many present nodes are counted, those are tried that whole rows point at.
    pub rows_before: u64,
    pub alpha: Exact,
}

/// Beyond this many cells it is quicker to look at the threats of single cuts: a second or two on one core.
const CHEAP: u64 = 400_000_000;

impl Manner {
    pub(super) fn of(task: &Task<'_>, own: &Og) -> Manner {
        Manner {
            eager_cells: match own.phase {
                Phase::Eager => u64::MAX,
                Phase::Lazy => 0,
                // One cut is quickly checked where its own nodes are enough.
                Phase::Auto if !task.requirements.iter().any(KlPrivacy::guards_marks) => 0,
                Phase::Auto => CHEAP,
            },
            rows_before: CERTIFIED,
            alpha: own.alpha,
        }
    }
}

/// What [`Mined`] knows the trying of whole rows as.
const WHOLE_ROWS: Power = Power { present: u64::MAX, absent: 0 };

/// Finds the cheapest valid cut, as far as the clock allows.
///
/// A relaxed optimum is not valid before it is *the* optimum, so part of a time limit is kept back: what is known by then
/// is made valid in rounds, which know most threats already.
pub(super) fn run(problem: &Problem<'_>, manner: &Manner, clock: &Clock) -> Result<Reached> {
    let mut reached = Reached::default();
    let mut conflicts = Conflicts::new(problem.tree);
    if manner.alpha > Exact::ZERO {
        // An answer that is close enough may be at hand before any proof is.
        let early = clock.with_share(1, 3);
        if let Some(cut) = rounds::quick(problem, &mut conflicts.clone(), &mut reached, &early)? {
            reached.improve(problem, cut, clock);
        }
    }
    let most = clock.with_share(2, 3);
    let mut search = Search::new(problem, &mut conflicts, &mut reached, &most);
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

/// The steps in which an adversary's power grows: presences one by one while that is cheap and then by half as many more,
/// then absences in doubling steps. Small powers go first because their threats are the most general ones; later steps
/// seldom find any, and each counts again what the steps before it counted.
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

/// Conflicts, and what has been done to find them.
pub(super) struct Search<'s, 'a> {
    problem: &'s Problem<'a>,
    conflicts: &'s mut Conflicts<Threat>,
    reached: &'s mut Reached,
    clock: &'s Clock,
    mined: Mined,
    /// The rows as the locks known at some time show them: every later cut is at or above those.
    frontier: Vec<Node>,
    rows: Arc<Rows>,
    /// The same rows or finer ones, to count more general threats.
    lookup: Arc<Lookup>,
}

/// Rows are sorted out for looking up again when merging has left less than three in so many of them.
const MERGED: usize = 4;

impl<'s, 'a> Search<'s, 'a> {
    pub(super) fn new(
        problem: &'s Problem<'a>,
        conflicts: &'s mut Conflicts<Threat>,
        reached: &'s mut Reached,
        clock: &'s Clock,
    ) -> Search<'s, 'a> {
        let rows = problem.rows.clone();
        let lookup = Lookup::new(rows.clone());
        let (mined, frontier) = (Mined::default(), Vec::new());
        Search { problem, conflicts, reached, clock, mined, frontier, rows, lookup }
    }

    /// Locks the parents of all nodes that are threats by themselves for their rarity: one look at every row tells them.
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

    /// Brings the rows to the locks that are known by now; whether anything changed.
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

    /// Looks for all threats of all cuts, step by step; false once that takes too long.
    fn find_eagerly(&mut self, cells: u64) -> Result<bool> {
        if cells == 0 {
            return Ok(false);
        }
        let mut is_complete = true;
        for privacy in self.problem.requirements {
            let (tree, scope, reach) = (self.problem.tree, Scope::AllCuts, Reach::Requirement);
            let question = Question { tree, privacy, scope, reach };
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
    fn checker(&self, question: Question<'s>) -> Checker<'s> {
        Checker::whole(question, Rows::clone(&self.rows), self.lookup.clone())
    }

    fn stop_if_impossible(&self) -> Result<()> {
        match self.conflicts.impossible() {
            Some(threat) => Err(self.problem.impossible(threat)),
            None => Ok(()),
        }
    }

    /// Takes the best cut for the known conflicts, until one has no threat.
    fn find_lazily(&mut self, manner: &Manner, is_complete: bool) -> Result<()> {
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

    /// Whether a cut has no threat; if it has some, their conflicts are known afterwards. False also where the time is over.
    fn is_valid(&mut self, cut: &[Node], manner: &Manner) -> Result<bool> {
        let rows_before = Power { present: manner.rows_before, absent: 0 };
        self.merge_locked();
        for (requirement, privacy) in self.problem.requirements.iter().enumerate() {
            let mut current = Current::new(self.problem.tree, cut.to_vec());
            for power in powers(privacy) {
                if power == rows_before && self.look_at_rows(requirement, &mut current)? != Look::Clean {
                    return Ok(false);
                }
                if self.look(requirement, power, Reach::Requirement, &mut current)? != Look::Clean {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Looks for the threats in a cut that whole rows point at: far fewer itemsets than there are within the power. A cut
    /// that is found clean may have threats all the same.
    fn look_at_rows(&mut self, requirement: usize, current: &mut Current<'s>) -> Result<Look> {
        let privacy = &self.problem.requirements[requirement];
        if privacy.guards_marks() {
            return Ok(Look::Clean);
        }
        let (scope, reach) = (Scope::OneCut, Reach::Requirement);
        let question = Question { tree: self.problem.tree, privacy, scope, reach };
        let mined = self.mined.last(requirement, WHOLE_ROWS);
        let Some(checker) = current.checker(mined, question, &self.rows, &self.lookup) else {
            return Ok(Look::Clean);
        };
        let everything = Power { present: privacy.m, absent: 0 };
        let effort = checker.mine_rows(everything, mined, self.conflicts, self.clock)?;
        self.reached.effort.add(effort);
        self.stop_if_impossible()?;
        self.mined.keep(requirement, WHOLE_ROWS, &current.cut);
        Ok(match effort.threats {
            _ if self.clock.is_over() => Look::Over,
            0 => Look::Clean,
            _ => Look::Threatened,
        })
    }

    /// Looks for threats of one power in a cut.
    fn look(
        &mut self,
        requirement: usize,
        power: Power,
        reach: Reach,
        current: &mut Current<'s>,
    ) -> Result<Look> {
        let privacy = &self.problem.requirements[requirement];
        let question = Question { tree: self.problem.tree, privacy, scope: Scope::OneCut, reach };
        let mined = self.mined.last(requirement, power);
        let old = mined.filter(|_| power.absent == 0 && !privacy.guards_marks());
        if old.is_some() && power.present == 0 {
            // The empty itemset is the same in every cut.
            return Ok(Look::Clean);
        }
        let Some(checker) = current.checker(old, question, &self.rows, &self.lookup) else {
            return Ok(Look::Clean);
        };
        if checker.is_needless(power) {
            return Ok(Look::Clean);
        }
        let (ended, effort) = checker.mine(power, u64::MAX, mined, self.conflicts, self.clock)?;
        self.reached.effort.add(effort);
        self.stop_if_impossible()?;
        if ended == Ended::Early {
            return Ok(Look::Over);
        }
        self.mined.keep(requirement, power, &current.cut);
        Ok(if effort.threats > 0 { Look::Threatened } else { Look::Clean })
    }

    /// Whether no knowledge within a power can be a threat in a cut, as its rows are safe.
    pub(super) fn is_needless(
        &self,
        requirement: usize,
        power: Power,
        reach: Reach,
        current: &mut Current<'s>,
    ) -> bool {
        let privacy = &self.problem.requirements[requirement];
        let question = Question { tree: self.problem.tree, privacy, scope: Scope::OneCut, reach };
        current.whole(question, &self.rows, &self.lookup).is_needless(power)
    }

    /// The best cut for the known conflicts.
    pub(super) fn best_cut(&mut self) -> Result<Vec<Node>> {
        Ok(self.solve(Exact::ZERO)?.cut)
    }

    /// Never specialises a node, whatever the reason.
    pub(super) fn lock(&mut self, node: Node) {
        let decided = Threat { present: Vec::new(), absent: Vec::new(), support: 0 };
        self.conflicts.insert(self.problem.tree, vec![node], decided);
    }

    /// Makes a cut coarser until it has no threat within one power: the best such cut for the known conflicts. False if the
    /// time is over before.
    pub(super) fn settle(
        &mut self,
        requirement: usize,
        power: Power,
        reach: Reach,
        current: &mut Current<'s>,
    ) -> Result<bool> {
        loop {
            match self.look(requirement, power, reach, current)? {
                Look::Clean => return Ok(true),
                Look::Over => return Ok(false),
                Look::Threatened => {}
            }
            self.merge_locked();
            *current = Current::new(self.problem.tree, self.best_cut()?);
            if self.clock.is_over() {
                return Ok(false);
            }
        }
    }
}

/// What looking for threats came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// There are none.
    Clean,
    /// There were some, and their conflicts are known.
    Threatened,
    /// The time is over.
    Over,
}

/// A cut that is looked at, by one requirement.
pub(super) struct Current<'a> {
    pub cut: Vec<Node>,
    shown: Vec<Node>,
    whole: Option<Checker<'a>>,
    /// The rows with nodes that were not in a cut mined before, and those nodes.
    part: Option<(Vec<Node>, Checker<'a>)>,
}

impl<'a> Current<'a> {
    pub(super) fn new(tree: &ItemTree, cut: Vec<Node>) -> Current<'a> {
        Current { shown: shown_by(tree, &cut), cut, whole: None, part: None }
    }

    /// For the rows that have to be looked at if those of another cut have been; nothing if there are none.
    fn checker(
        &mut self,
        mined: Option<&[Node]>,
        question: Question<'a>,
        rows: &Rows,
        lookup: &Arc<Lookup>,
    ) -> Option<&mut Checker<'a>> {
        let Some(mined) = mined else { return Some(self.whole(question, rows, lookup)) };
        let is_new = |node: &Node| mined.binary_search(node).is_err();
        let new: Vec<Node> = self.cut.iter().copied().filter(is_new).collect();
        if new.is_empty() { None } else { Some(self.part(new, question, rows, lookup)) }
    }

    /// All rows.
    fn whole(&mut self, question: Question<'a>, rows: &Rows, lookup: &Arc<Lookup>) -> &mut Checker<'a> {
        let shown = &self.shown;
        self.whole.get_or_insert_with(|| Checker::whole(question, rows.under(shown), lookup.clone()))
    }

    /// Those rows that hold something new: no others fit an itemset with something new in it.
    fn part(
        &mut self,
        new: Vec<Node>,
        question: Question<'a>,
        rows: &Rows,
        lookup: &Arc<Lookup>,
    ) -> &mut Checker<'a> {
        let part = self.part.take().filter(|(known, _)| *known == new);
        let shown = &self.shown;
        let (_, checker) = self.part.insert(part.unwrap_or_else(|| {
            let part = rows.with_any(|node| new.binary_search(&node).is_ok(), shown);
            (new, Checker::partial(question, part, lookup.clone()))
        }));
        checker
    }
}
