//! OG: eager while threats are cheap to find, lazy from there on.

use super::checker::Checker;
use super::{Problem, Reached, rounds};
use crate::engine::clock::Clock;
use crate::engine::conflict::{Conflicts, solve};
use crate::engine::itemset::rows::{Rows, shown_by};
use crate::engine::itemset::{Ended, Power, Scope, Threat};
use crate::method::kl::Task;
use crate::privacy::kl::KlPrivacy;
use crate::taxonomy::Node;
use crate::{Exact, Result};

/// How to search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// How many cells of rows the eager phase may look at per power of the adversary.
    pub eager_cells: u64,
    pub alpha: Exact,
    /// Whether a valid cut is wanted before the optimum is known: there is a time limit, or an approximation will do.
    pub is_anytime: bool,
}

/// Beyond this many cells it is quicker to look at the threats of single cuts: a second or two on one core.
const CHEAP: u64 = 400_000_000;

impl Manner {
    pub(super) fn of(task: &Task<'_>) -> Manner {
        let settings = &task.method.settings;
        let alpha = settings.exact("alpha").unwrap_or(Exact::ZERO);
        Manner {
            eager_cells: match settings.choice("phase") {
                Some("eager") => u64::MAX,
                Some("lazy") => 0,
                // One cut is quickly checked where its own nodes are enough.
                _ if !task.requirements.iter().any(KlPrivacy::guards_marks) => 0,
                _ => CHEAP,
            },
            alpha,
            is_anytime: alpha > Exact::ZERO || settings.duration("time_limit").is_some(),
        }
    }
}

/// Finds the cheapest valid cut, as far as the clock allows.
pub(super) fn run(problem: &Problem<'_>, manner: &Manner, clock: &Clock) -> Result<Reached> {
    let mut reached = Reached::default();
    let mut conflicts = Conflicts::new(problem.tree);
    if manner.is_anytime {
        if let Some(cut) = rounds::run(problem, &mut reached, clock)? {
            reached.improve(problem, cut, clock);
        }
    }
    let mut search = Search { problem, conflicts: &mut conflicts, reached: &mut reached, clock };
    let is_complete = search.find_eagerly(manner.eager_cells)?;
    search.find_lazily(manner, is_complete)?;
    reached.conflicts = conflicts.len() as u64;
    reached.locked = conflicts.locks() as u64;
    if !reached.is_found {
        let cut = rounds::coarsest(problem, &mut reached)?;
        reached.improve(problem, cut, clock);
    }
    Ok(reached)
}

struct Search<'s, 'a> {
    problem: &'s Problem<'a>,
    conflicts: &'s mut Conflicts<Threat>,
    reached: &'s mut Reached,
    clock: &'s Clock,
}

/// The steps in which an adversary's power grows: presences one by one, then absences in doubling steps. Small powers go
/// first because their threats are the most general ones.
fn powers(privacy: &KlPrivacy) -> impl Iterator<Item = Power> {
    let (m, n) = (privacy.m, privacy.n);
    let doubling = std::iter::successors(Some(1), move |absent| (*absent < n).then(|| (2 * absent).min(n)));
    let absences = doubling.take_while(move |absent| *absent <= n);
    let presences = (0..=m).map(|present| Power { present, absent: 0 });
    presences.chain(absences.map(move |absent| Power { present: m, absent }))
}

impl Search<'_, '_> {
    /// Looks for all threats of all cuts, step by step; false once that takes too long.
    fn find_eagerly(&mut self, cells: u64) -> Result<bool> {
        if cells == 0 {
            return Ok(false);
        }
        let tree = self.problem.tree;
        let mut rows = self.problem.rows.clone();
        let mut is_complete = true;
        for privacy in self.problem.requirements {
            let mut checker = Checker::new(tree, privacy, Scope::AllCuts);
            for power in powers(privacy) {
                if checker.is_needless(&rows, power) {
                    continue;
                }
                let locked = self.conflicts.locks();
                let (ended, effort) = checker.mine(&rows, power, cells, self.conflicts, self.clock)?;
                self.reached.effort.add(effort);
                self.stop_if_impossible()?;
                if self.clock.is_over() {
                    return Ok(false);
                }
                if self.conflicts.locks() != locked {
                    rows = rows.merged(&shown_by(tree, &self.conflicts.frontier(tree)));
                    checker.forget();
                }
                if ended == Ended::Early {
                    is_complete = false;
                    break;
                }
            }
        }
        Ok(is_complete)
    }

    fn stop_if_impossible(&self) -> Result<()> {
        match self.conflicts.impossible() {
            Some(threat) => Err(self.problem.impossible(threat)),
            None => Ok(()),
        }
    }

    /// Takes the best cut for the known conflicts, until one has no threat.
    fn find_lazily(&mut self, manner: &Manner, mut is_complete: bool) -> Result<()> {
        let mut rows = Located { frontier: Vec::new(), rows: self.problem.rows.clone() };
        loop {
            let solved =
                solve(self.problem.tree, &self.problem.prices, self.conflicts, manner.alpha, self.clock)?;
            self.reached.solves += 1;
            self.reached.cuts += solved.examined;
            self.reached.raise(self.problem, solved.bound, self.clock);
            if self.is_close_enough(manner.alpha) || self.clock.is_over() {
                return Ok(());
            }
            if is_complete || self.is_valid(&solved.cut, &mut rows)? {
                self.reached.improve(self.problem, solved.cut, self.clock);
                return Ok(());
            }
            if self.clock.is_over() {
                return Ok(());
            }
            is_complete = false;
        }
    }

    fn is_close_enough(&self, alpha: Exact) -> bool {
        let (num, den) = (u128::from(alpha.numerator()), u128::from(alpha.denominator()));
        let bound = self.reached.bound.unwrap_or(0);
        self.reached.is_found && self.reached.cost * den <= bound * (den + num)
    }

    /// Whether a cut has no threat; if it has some, their conflicts are known afterwards. False also where the time is over.
    fn is_valid(&mut self, cut: &[Node], located: &mut Located) -> Result<bool> {
        let tree = self.problem.tree;
        let frontier = self.conflicts.frontier(tree);
        if frontier != located.frontier {
            located.rows = located.rows.merged(&shown_by(tree, &frontier));
            located.frontier = frontier;
        }
        let rows = located.rows.merged(&shown_by(tree, cut));
        for privacy in self.problem.requirements {
            let mut checker = Checker::new(tree, privacy, Scope::OneCut);
            for power in powers(privacy) {
                if checker.is_needless(&rows, power) {
                    continue;
                }
                let (ended, effort) = checker.mine(&rows, power, u64::MAX, self.conflicts, self.clock)?;
                self.reached.effort.add(effort);
                self.stop_if_impossible()?;
                if effort.threats > 0 || ended == Ended::Early {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// The rows as the locks known at some time show them; every later cut is at or above those.
struct Located {
    frontier: Vec<Node>,
    rows: Rows,
}
