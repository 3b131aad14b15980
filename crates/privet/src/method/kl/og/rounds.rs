//! mOG: rounds of growing power, each optimal on the release of the one before.

use super::checker::{Checker, Reach};
use super::search::{Current, Search};
use super::{Problem, Reached};
use crate::Result;
use crate::engine::clock::Clock;
use crate::engine::conflict::Conflicts;
use crate::engine::itemset::rows::shown_by;
use crate::engine::itemset::{Layout, Miner, Power, Scope, Threat};
use crate::taxonomy::Node;

/// The cut that the rounds end with; `None` if the time is over before.
pub(super) fn run(problem: &Problem<'_>, reached: &mut Reached, clock: &Clock) -> Result<Option<Vec<Node>>> {
    let tree = problem.tree;
    let mut conflicts = Conflicts::new(tree);
    let mut search = Search::new(problem, &mut conflicts, reached, clock);
    let mut cut: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
    let mut rows = problem.rows.clone();
    for (requirement, privacy) in problem.requirements.iter().enumerate() {
        let mut current =
            Current { cut, rows, checker: Checker::new(tree, privacy, Scope::OneCut, Reach::Power) };
        let presences = (0..=privacy.m).map(|present| Power { present, absent: 0 });
        let absences = (1..=privacy.n).map(|absent| Power { present: privacy.m, absent });
        for power in presences.chain(absences) {
            let before = current.cut.clone();
            if !search.settle(requirement, power, &mut current)? {
                return Ok(None);
            }
            if current.cut != before {
                // What is general stays general: later rounds know the release of this one only.
                for node in current.cut.iter().filter(|node| !tree.is_leaf(**node)) {
                    search.lock(*node);
                }
            }
        }
        Current { cut, rows, .. } = current;
    }
    Ok(Some(cut))
}

/// The roots: what is published where there is no time for better. Whether they are valid takes no time worth a limit.
pub(super) fn coarsest(problem: &Problem<'_>, reached: &mut Reached) -> Result<Vec<Node>> {
    let tree = problem.tree;
    let cut: Vec<Node> = tree.roots().collect();
    let rows = problem.rows.merged(&shown_by(tree, &cut));
    for privacy in problem.requirements {
        let mut conflicts = Conflicts::<Threat>::new(tree);
        let layout = Layout { scope: Scope::OneCut, absent: privacy.n, reach: privacy.n, certify: true };
        let miner = Miner::new(tree, &rows, privacy, layout);
        let power = Power { present: privacy.m, absent: privacy.n };
        let (_, effort) = miner.mine(power, u64::MAX, None, &mut conflicts, &Clock::unlimited())?;
        reached.effort.add(effort);
        if let Some(threat) = conflicts.impossible() {
            return Err(problem.impossible(threat));
        }
    }
    Ok(cut)
}
