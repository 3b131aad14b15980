//! Good choices, quickly: a local search over cuts, with what each cut needs to have suppressed.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::part::{Choice, SuppressionProblem};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::{ItemTree, Node};

/// A choice without threats, and how far it is beyond the limits.
#[derive(Debug, Clone)]
pub(super) struct Evaluated {
    pub choice: Choice,
    /// What it suppresses beyond the limits; 0 if it keeps them.
    pub excess: u64,
    pub cost: u128,
}

impl Evaluated {
    fn key(&self) -> (u64, u128) {
        (self.excess, self.cost)
    }
}

/// The number of cells of transactions that may be looked at: some seconds.
const MOST_CELLS: u64 = 1 << 31;

/// Evaluates cuts and remembers what it found.
pub(super) struct Evaluator<'p, 'a> {
    problem: &'p SuppressionProblem<'a>,
    known: HashMap<Vec<Node>, Evaluated>,
    /// How many more cuts may be evaluated.
    left: u64,
    clock: &'p Clock,
}

impl<'p, 'a> Evaluator<'p, 'a> {
    pub(super) fn new(problem: &'p SuppressionProblem<'a>, clock: &'p Clock) -> Evaluator<'p, 'a> {
        let baskets = problem.task.baskets;
        let cells: u64 = (0..baskets.len()).map(|basket| baskets.items(basket).len() as u64 + 1).sum();
        let left = (MOST_CELLS / cells.max(1)).max(32);
        Evaluator { problem, known: HashMap::new(), left, clock }
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.clock.is_over()
    }

    /// The cheapest choice for a cut of those that are tried: items are suppressed; transactions are removed; or as many
    /// items as the limit allows, those of fewest occurrences first, and then transactions.
    pub(super) fn evaluate(&mut self, cut: &[Node]) -> Result<Evaluated> {
        if let Some(known) = self.known.get(cut) {
            return Ok(known.clone());
        }
        self.left = self.left.saturating_sub(1);
        let [items, transactions] = self.problem.limits;
        let mut tried = Vec::new();
        let mut suppressed = Vec::new();
        if items > 0 || !self.problem.removes {
            let choice = self.problem.suppress(cut, self.clock)?;
            suppressed = choice.suppressed.clone();
            tried.push(self.weigh(choice));
        }
        if self.problem.removes {
            suppressed.sort_by_key(|node| self.problem.occurrences[*node as usize]);
            let mut used = 0;
            suppressed.retain(|node| {
                used += self.problem.occurrences[*node as usize];
                used <= items
            });
            suppressed.sort_unstable();
            let mut parts = vec![Vec::new()];
            if !suppressed.is_empty() {
                parts.push(suppressed);
            }
            for suppressed in parts {
                let mut choice = Choice { suppressed, ..Choice::of_cut(cut.to_vec()) };
                self.problem.remove(&mut choice, transactions, self.clock)?;
                tried.push(self.weigh(choice));
            }
        }
        let best = tried.into_iter().min_by_key(Evaluated::key);
        let best = best.ok_or_else(|| privet_core::Error::internal("a cut without any choice"))?;
        self.known.insert(cut.to_vec(), best.clone());
        Ok(best)
    }

    /// Prices a choice without threats, or one that removes too much.
    pub(super) fn weigh(&self, choice: Choice) -> Evaluated {
        let SuppressionProblem { task, tree, measure, limits: [items, transactions], removes, .. } =
            self.problem;
        let recoding = choice.recoding(tree);
        // A transaction that lost all its items counts as removed where there is a limit on these.
        let emptied = if *removes { recoding.emptied(task.baskets) } else { 0 };
        let gone = recoding.removed(task.baskets) + emptied;
        let over = self.problem.lost(&choice).saturating_sub(*items) + gone.saturating_sub(*transactions);
        Evaluated { excess: over, cost: recoding.cost(*measure, task.baskets), choice }
    }

    /// Improves a cut step by step: a node is specialised, or its children are closed. Nodes whose occurrences lose most
    /// come first.
    pub(super) fn improve(&mut self, start: &[Node]) -> Result<Evaluated> {
        let tree = self.problem.tree;
        let mut best = self.evaluate(start)?;
        // Where only transactions are removed and only k is asked for, a finer cut removes what a coarser one does, and more: a
        // node that takes too many stays out of reach.
        let mut is_out = vec![false; tree.len()];
        loop {
            let before = best.key();
            let mut moves = moves(tree, &best.choice.cut);
            let loss = |node: Node| {
                u128::from(self.problem.occurrences[node as usize])
                    * u128::from(self.problem.measure.weight(tree, node))
            };
            moves.sort_by_key(|node| (Reverse(loss(*node)), *node));
            for node in moves {
                if self.is_over() {
                    return Ok(best);
                }
                self.clock.check()?;
                let Some(cut) = moved(tree, &best.choice.cut, node).filter(|_| !is_out[node as usize]) else {
                    continue;
                };
                let next = self.evaluate(&cut)?;
                if next.key() < best.key() {
                    if cut.len() < best.choice.cut.len() {
                        is_out.fill(false);
                    }
                    best = next;
                } else if self.problem.is_monotone() && best.excess == 0 && next.excess > 0 {
                    is_out[node as usize] = true;
                }
            }
            if best.key() == before {
                return Ok(best);
            }
        }
    }

    /// The best choice that the local search reaches from every level of the tree and from some other cuts.
    pub(super) fn search(&mut self, others: Vec<Vec<Node>>) -> Result<Evaluated> {
        let starts: Vec<Vec<Node>> = others.into_iter().chain(levels(self.problem.tree)).collect();
        let mut reached = Vec::new();
        for start in &starts {
            reached.push(self.evaluate(start)?);
        }
        // Cuts that keep the limits are worth improving; if there are none, the one that is nearest to it.
        let least = reached.iter().map(|start| start.excess).min().unwrap_or(0);
        reached.retain(|start| start.excess == least);
        reached.sort_by_key(Evaluated::key);
        let mut best: Option<Evaluated> = None;
        for start in reached {
            let found = self.improve(&start.choice.cut)?;
            if best.as_ref().is_none_or(|best| found.key() < best.key()) {
                best = Some(found);
            }
        }
        best.ok_or_else(|| privet_core::Error::internal("a tree without a cut"))
    }
}

/// The cuts through each level of the trees, the roots first.
fn levels(tree: &ItemTree) -> Vec<Vec<Node>> {
    let mut levels = vec![tree.roots().collect::<Vec<Node>>()];
    while let Some(cut) = levels.last() {
        let next: Vec<Node> = (cut.iter())
            .flat_map(|node| if tree.is_leaf(*node) { vec![*node] } else { tree.children(*node).collect() })
            .collect();
        if next == *cut {
            break;
        }
        levels.push(next);
    }
    levels
}

/// The inner nodes of a cut, which can be specialised, and those whose children are all in the cut, which can be closed.
fn moves(tree: &ItemTree, cut: &[Node]) -> Vec<Node> {
    let parents = cut.iter().filter_map(|node| tree.parent(*node));
    let closing = parents.filter(|node| tree.children(*node).all(|child| cut.binary_search(&child).is_ok()));
    let mut moves: Vec<Node> =
        cut.iter().copied().filter(|node| !tree.is_leaf(*node)).chain(closing).collect();
    moves.sort_unstable();
    moves.dedup();
    moves
}

/// The cut with a node specialised or closed; `None` if it is out of reach.
fn moved(tree: &ItemTree, cut: &[Node], node: Node) -> Option<Vec<Node>> {
    let mut next: Vec<Node> = cut.iter().copied().filter(|other| !tree.contains(node, *other)).collect();
    if cut.binary_search(&node).is_ok() {
        next.extend(tree.children(node));
    } else if tree.children(node).all(|child| cut.binary_search(&child).is_ok()) {
        next.push(node);
    } else {
        return None;
    }
    next.sort_unstable();
    Some(next)
}
