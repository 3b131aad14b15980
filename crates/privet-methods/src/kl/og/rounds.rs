//! mOG: rounds of growing power, each optimal on the release of the one before.

use std::sync::Arc;

use super::checker::Reach;
use super::search::{Current, Search, powers};
use super::{Problem, Reached};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::Conflicts;
use privet_engine::itemset::rows::shown_by;
use privet_engine::itemset::{Ended, Layout, Lookup, Miner, Power, Scope, Threat};
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::Node;

/// mOG: the cut that the rounds end with.
pub(super) fn run(problem: &Problem<'_>, reached: &mut Reached, clock: &Clock) -> Result<Option<Vec<Node>>> {
    let mut conflicts = Conflicts::new(problem.tree);
    let literal = |privacy: &KlPrivacy| {
        let (m, n) = (privacy.m, privacy.n);
        let presences = (0..=m).map(|present| Power { present, absent: 0 });
        presences.chain((1..=n).map(move |absent| Power { present: m, absent }))
    };
    in_rounds(problem, &mut conflicts, Reach::Power, literal, reached, clock)
}

/// A valid cut for a search in a hurry: rounds in the larger steps of OG, that know the given conflicts and see as far as
/// the requirement. `None` if the time is over before.
pub(super) fn quick(
    problem: &Problem<'_>,
    conflicts: &mut Conflicts<Threat>,
    reached: &mut Reached,
    clock: &Clock,
) -> Result<Option<Vec<Node>>> {
    in_rounds(problem, conflicts, Reach::Requirement, powers, reached, clock)
}

fn in_rounds<P: Iterator<Item = Power>>(
    problem: &Problem<'_>,
    conflicts: &mut Conflicts<Threat>,
    reach: Reach,
    powers: impl Fn(&KlPrivacy) -> P,
    reached: &mut Reached,
    clock: &Clock,
) -> Result<Option<Vec<Node>>> {
    let tree = problem.tree;
    let mut search = Search::new(problem, conflicts, reached, clock);
    search.lock_rare()?;
    let mut cut = search.best_cut()?;
    for (requirement, privacy) in problem.requirements.iter().enumerate() {
        let mut current = Current::new(tree, cut);
        let mut is_changed = true;
        for power in powers(privacy) {
            clock.check()?;
            // Rows that are safe from all absences are safe from a part of them.
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
                // What is general stays general: later rounds know the release of this one only.
                for node in current.cut.iter().filter(|node| !tree.is_leaf(**node)) {
                    search.lock(*node);
                }
            }
            if clock.is_over() {
                return Ok(None);
            }
        }
        Current { cut, .. } = current;
    }
    Ok(Some(cut))
}

/// What is published where there is no time for better: the finest of the cuts through one level of the trees that is seen
/// to be valid at little cost, from the roots down.
pub(super) fn by_level(problem: &Problem<'_>, reached: &mut Reached, clock: &Clock) -> Result<Vec<Node>> {
    let tree = problem.tree;
    let clock = clock.with_limit(None);
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

/// So many cells may be looked at per requirement: a fraction of a second.
const LITTLE: u64 = 50_000_000;

/// Whether a cut is seen to have no threat; an error if no cut is without.
fn withstands(
    problem: &Problem<'_>,
    cut: &[Node],
    cells: u64,
    reached: &mut Reached,
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
