//! Every choice of small data: each cut with each set of its nodes suppressed, and what that leaves to be removed.

use super::SuppressionSearch;
use super::part::{Choice, SuppressionProblem};
use privet_core::Result;
use privet_taxonomy::{ItemTree, Node};

/// The number of choices that are all looked at, and of the cells that this may touch: a second, on any machine.
const MOST_CHOICES: u64 = 1 << 13;
const MOST_CELLS: u64 = 1 << 22;

impl SuppressionSearch<'_, '_> {
    /// Where there are few choices, the best of all of them; the local search may miss it, and its bound is loose. False
    /// if there are too many, or if the time is over before all were seen.
    pub(super) fn look_at_every_choice(&mut self) -> Result<bool> {
        let problem = self.problem;
        let baskets = problem.task.baskets;
        let cells: u64 = (0..baskets.len()).map(|basket| baskets.items(basket).len() as u64 + 1).sum();
        let most = MOST_CHOICES.min(MOST_CELLS / cells.max(1));
        if number(problem).is_none_or(|choices| choices > most) {
            return Ok(false);
        }
        for choice in every_choice(problem) {
            if self.clock.is_over() {
                return Ok(false);
            }
            self.clock.check()?;
            if problem.lost(&choice) > problem.limits[0] {
                continue;
            }
            let mut choice = choice;
            self.examined += 1;
            problem.remove(&mut choice, problem.limits[1], self.clock)?;
            let found = self.evaluator.weigh(choice);
            self.keep(found);
        }
        match self.best.as_ref().map(|best| best.cost) {
            Some(least) => self.raise(least),
            // With sensitive items another part of a choice than the one that is looked at may be valid.
            None => self.is_impossible = !problem.task.requirements.iter().any(|asked| asked.guards_marks()),
        }
        Ok(true)
    }
}

/// How many choices there are; `None` if they are too many to count.
fn number(problem: &SuppressionProblem<'_>) -> Option<u64> {
    let here: u64 = if problem.limits[0] > 0 { 2 } else { 1 };
    let mut below = vec![0u64; problem.tree.len()];
    let product = |below: &[u64], nodes: &mut dyn Iterator<Item = Node>| {
        nodes.map(|node| below[node as usize]).try_fold(1u64, u64::checked_mul)
    };
    // Children have higher numbers than their parents.
    for node in (0..problem.tree.len() as Node).rev() {
        let finer = match problem.tree.is_leaf(node) {
            true => 0,
            false => product(&below, &mut problem.tree.children(node))?,
        };
        below[node as usize] = finer.checked_add(here)?;
    }
    product(&below, &mut problem.tree.roots())
}

fn every_choice(problem: &SuppressionProblem<'_>) -> Vec<Choice> {
    let sets = problem.limits[0] > 0;
    let parts = together(problem.tree, sets, &mut problem.tree.roots());
    parts
        .into_iter()
        .map(|mut part| {
            part.sort_unstable();
            let suppressed = part.iter().filter(|(_, is_suppressed)| *is_suppressed).map(|(node, _)| *node);
            let suppressed = suppressed.collect();
            Choice { suppressed, ..Choice::of_cut(part.into_iter().map(|(node, _)| node).collect()) }
        })
        .collect()
}

/// A part of a cut, with what of it is suppressed.
type Part = Vec<(Node, bool)>;

fn together(tree: &ItemTree, sets: bool, nodes: &mut dyn Iterator<Item = Node>) -> Vec<Part> {
    nodes.fold(vec![Vec::new()], |parts, node| {
        let own = below(tree, sets, node);
        let joined = |part: &Part| own.iter().map(|own| [&part[..], own].concat()).collect::<Vec<_>>();
        parts.iter().flat_map(joined).collect()
    })
}

fn below(tree: &ItemTree, sets: bool, node: Node) -> Vec<Part> {
    let mut parts = vec![vec![(node, false)]];
    if sets {
        parts.push(vec![(node, true)]);
    }
    if !tree.is_leaf(node) {
        parts.extend(together(tree, sets, &mut tree.children(node)));
    }
    parts
}
