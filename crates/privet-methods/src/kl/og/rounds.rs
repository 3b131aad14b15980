//! mOG: rounds of growing power, each optimal on the release of the previous one.

use std::sync::Arc;

use super::checker::GeneralisationReach;
use super::search::{ConflictSearch, CurrentCut, powers};
use super::{OgProblem, SearchState};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::Conflicts;
use privet_engine::itemset::rows::shown_by;
use privet_engine::itemset::{Ended, Layout, Lookup, Miner, Power, Scope, Threat};
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::Node;

/// mOG: the cut of the last round.
pub(super) fn run(
    problem: &OgProblem<'_>,
    reached: &mut SearchState,
    clock: &Clock,
) -> Result<Option<Vec<Node>>> {
    let mut conflicts = Conflicts::new(problem.tree);
    let literal = |privacy: &KlPrivacy| {
        let (m, n) = (privacy.m, privacy.n);
        let presences = (0..=m).map(|present| Power { present, absent: 0 });
        presences.chain((1..=n).map(move |absent| Power { present: m, absent }))
    };
    in_rounds(problem, &mut conflicts, GeneralisationReach::Power, literal, reached, clock)
}

/// A valid cut for a search that is short of time: rounds in the larger steps of OG that start with the given conflicts
/// and look as far as the requirement. `None` if time runs out first.
pub(super) fn quick(
    problem: &OgProblem<'_>,
    conflicts: &mut Conflicts<Threat>,
    reached: &mut SearchState,
    clock: &Clock,
) -> Result<Option<Vec<Node>>> {
    in_rounds(problem, conflicts, GeneralisationReach::Requirement, powers, reached, clock)
}

fn in_rounds<P: Iterator<Item = Power>>(
    problem: &OgProblem<'_>,
    conflicts: &mut Conflicts<Threat>,
    reach: GeneralisationReach,
    powers: impl Fn(&KlPrivacy) -> P,
    reached: &mut SearchState,
    clock: &Clock,
) -> Result<Option<Vec<Node>>> {
    let tree = problem.tree;
    let mut search = ConflictSearch::new(problem, conflicts, reached, clock);
    search.lock_rare()?;
    let mut cut = search.best_cut()?;
    for (requirement, privacy) in problem.requirements.iter().enumerate() {
        let mut current = CurrentCut::new(tree, cut);
        let mut is_changed = true;
        for power in powers(privacy) {
            clock.check()?;
            // Rows that are safe from all absences are safe from some of them.
            let everything = Power { present: privacy.m, absent: privacy.n };
            if power.absent > 0
                && std::mem::take(&mut is_changed)
                && search.is_needless(requirement, everything, reach, &mut current)
            {
                break;
            }
            let before = current.cut.clone();
            if !search.settle(requirement, power, reach, &mut current)? {
                return Ok(None);
            }
            if current.cut != before {
                is_changed = true;
                // Generalised nodes stay generalised: later rounds see only the release of this one.
                for node in current.cut.iter().filter(|node| !tree.is_leaf(**node)) {
                    search.lock(*node);
                }
            }
            if clock.is_over() {
                return Ok(None);
            }
        }
        CurrentCut { cut, .. } = current;
    }
    Ok(Some(cut))
}

/// The fallback if there is no time for a better cut: going down from the roots, the finest cut through one level of
/// the trees that can be shown to be valid cheaply.
pub(super) fn by_level(
    problem: &OgProblem<'_>,
    reached: &mut SearchState,
    clock: &Clock,
) -> Result<Vec<Node>> {
    let tree = problem.tree;
    let clock = clock.without_limit();
    let mut cut: Vec<Node> = tree.roots().collect();
    withstands(problem, &cut, u64::MAX, reached, &clock)?;
    loop {
        let next: Vec<Node> = (cut.iter())
            .flat_map(|node| if tree.is_leaf(*node) { vec![*node] } else { tree.children(*node).collect() })
            .collect();
        if next == cut || !withstands(problem, &next, LITTLE, reached, &clock)? {
            return Ok(cut);
        }
        cut = next;
    }
}

/// The number of cells that may be read per requirement: a fraction of a second.
const LITTLE: u64 = 50_000_000;

/// Whether a cut can be shown to have no threat; an error if every cut has one.
fn withstands(
    problem: &OgProblem<'_>,
    cut: &[Node],
    cells: u64,
    reached: &mut SearchState,
    clock: &Clock,
) -> Result<bool> {
    let tree = problem.tree;
    let rows = Arc::new(problem.rows.under(&shown_by(tree, cut)));
    for privacy in problem.requirements {
        let mut conflicts = Conflicts::<Threat>::new(tree);
        let (absent, reach) = (privacy.n, privacy.n);
        let layout = Layout { scope: Scope::OneCut, absent, reach, certify: true, is_partial: false };
        let miner = Miner::new(tree, &rows, Lookup::new(rows.clone()), privacy, layout);
        let power = Power { present: privacy.m, absent: privacy.n };
        let (ended, effort) = miner.mine(power, cells, None, &mut conflicts, clock)?;
        reached.effort.add(effort);
        if let Some(threat) = conflicts.impossible() {
            return Err(problem.impossible(threat));
        }
        if ended == Ended::Early || effort.threats > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
