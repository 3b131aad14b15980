//! mOG: rounds of growing power, each optimal on the release of the one before.

use super::checker::Checker;
use super::{Problem, Reached};
use crate::engine::clock::Clock;
use crate::engine::conflict::{Conflicts, solve};
use crate::engine::itemset::rows::shown_by;
use crate::engine::itemset::{Ended, Layout, Miner, Power, Scope, Threat};
use crate::taxonomy::Node;
use crate::{Exact, Result};

/// The cut that the rounds end with; `None` if the time is over before.
pub(super) fn run(problem: &Problem<'_>, reached: &mut Reached, clock: &Clock) -> Result<Option<Vec<Node>>> {
    let tree = problem.tree;
    let mut cut: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
    let mut rows = problem.rows.clone();
    for privacy in problem.requirements {
        let presences = (0..=privacy.m).map(|present| Power { present, absent: 0 });
        let absences = (1..=privacy.n).map(|absent| Power { present: privacy.m, absent });
        let mut checker = Checker::new(tree, privacy, Scope::AllCuts);
        for power in presences.chain(absences) {
            if checker.is_needless(&rows, power) {
                continue;
            }
            // What is general stays general: later rounds know the release of this one only.
            let mut conflicts = Conflicts::new(tree);
            for node in cut.iter().filter(|node| !tree.is_leaf(**node)) {
                let settled = Threat { present: Vec::new(), absent: Vec::new(), support: 0 };
                conflicts.insert(tree, vec![*node], settled);
            }
            let (ended, effort) = checker.mine(&rows, power, u64::MAX, &mut conflicts, clock)?;
            reached.effort.add(effort);
            if let Some(threat) = conflicts.impossible() {
                return Err(problem.impossible(threat));
            }
            if ended == Ended::Early {
                return Ok(None);
            }
            if effort.threats == 0 {
                continue;
            }
            let solved = solve(tree, &problem.prices, &conflicts, Exact::ZERO, clock)?;
            reached.solves += 1;
            reached.cuts += solved.examined;
            cut = solved.cut;
            rows = rows.merged(&shown_by(tree, &cut));
            checker.forget();
        }
    }
    Ok(Some(cut))
}

/// The roots: what is published where there is no time for better. Whether they are valid takes no time worth a limit.
pub(super) fn coarsest(problem: &Problem<'_>, reached: &mut Reached) -> Result<Vec<Node>> {
    let tree = problem.tree;
    let cut: Vec<Node> = tree.roots().collect();
    let rows = problem.rows.merged(&shown_by(tree, &cut));
    for privacy in problem.requirements {
        let mut conflicts = Conflicts::new(tree);
        let layout = Layout { scope: Scope::OneCut, absent: privacy.n, certify: true };
        let miner = Miner::new(tree, &rows, privacy, layout);
        let power = Power { present: privacy.m, absent: privacy.n };
        let (_, effort) = miner.mine(power, u64::MAX, &mut conflicts, &Clock::unlimited())?;
        reached.effort.add(effort);
        if let Some(threat) = conflicts.impossible() {
            return Err(problem.impossible(threat));
        }
    }
    Ok(cut)
}
