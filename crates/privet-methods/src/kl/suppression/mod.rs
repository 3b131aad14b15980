//! OG and mOG with suppression, where no adversary knows absent items (thesis, 4.6.1).
//!
//! A choice is a cut and a set of its nodes that are suppressed: their occurrences are removed from all transactions.
//! Suppression never changes how many transactions hold what remains, so a threat is broken by closing the parent of one
//! of its nodes or by suppressing one of its items. [`cover`] finds the cheapest choice that breaks all known threats;
//! the threats of that choice become new clauses; the first choice without a threat is the optimum, because it is the
//! best even for a subset of the clauses. Groups of items need care where sensitive items are guarded: suppressing an
//! item changes how many published transactions hold a group above it, so that a clause about a group holds only for
//! what is suppressed below it.
//!
//! Given a choice, transactions are removed that hold a threat, and again until none does: for l = 1 what remains is the
//! largest part of the data without a threat. The part depends on the choice alone, so the search remains one over cuts.
//! What it proves is weaker. A removed transaction costs W per occurrence instead of what the cut charges, which is at
//! most W; so at least half of the cut's full cost and half of the removal's full cost are paid, and half of the
//! cheapest cover that may also remove transactions is a bound. Where there are few choices, all of them are looked at.

mod cover;
mod descent;
mod every;
mod part;
#[cfg(test)]
mod tests;

use self::cover::{Cover, Literal};
use self::descent::{Evaluated, Evaluator};
pub(super) use self::part::Choice;
use self::part::{Postings, SuppressionProblem};
use super::moles::Collect;
use super::recoding::{ItemRecoding, cost_of_everything};
use super::{ItemSolution, ItemTask, feasible};
use crate::plan::ItemCutPlan;
use crate::{SearchFacts, TracePoint};
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result};
use privet_engine::conflict::cut_of;
use privet_engine::itemset::rows::{Heads, Rows};
use privet_policy::method::ItemLimits;
use privet_taxonomy::Node;

/// How to search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub limits: ItemLimits,
    /// Whether to look for a proof, and how many literals of clauses may be looked at for it.
    pub proof: Option<u64>,
    /// How much worse than the optimum the answer may be.
    pub alpha: Exact,
}

/// Without a time limit, the work for a proof: some seconds. The same on every machine, so that the result is.
pub(super) const PROOF: u64 = 1 << 31;

/// Clauses that one round adds at most.
const MOST_NEW: usize = 4096;

/// Finds the cheapest choice, starting from cuts that need no suppression, if there are any.
pub(super) fn run(
    task: &ItemTask<'_>,
    manner: Manner,
    cuts: Vec<Vec<Node>>,
    clock: &Clock,
) -> Result<ItemSolution> {
    feasible::check_empty(task)?;
    let problem = SuppressionProblem::new(task, manner.limits);
    let mut search = SuppressionSearch::new(&problem, clock);
    search.start(cuts)?;
    if let Some(work) = manner.proof {
        let is_seen = problem.removes && search.look_at_every_choice()?;
        if !is_seen {
            search.prove(work, manner.alpha)?;
        }
    }
    search.solution()
}

/// What a plan of a cut and suppressed nodes becomes on data: transactions that hold a threat are removed if the policy
/// allows any to be.
pub(super) fn recoding_of(
    task: &ItemTask<'_>,
    limits: ItemLimits,
    mut choice: Choice,
    clock: &Clock,
) -> Result<ItemRecoding> {
    let problem = SuppressionProblem::new(task, limits);
    if problem.removes {
        problem.remove(&mut choice, u64::MAX, clock)?;
    }
    Ok(choice.recoding(problem.tree))
}

struct SuppressionSearch<'p, 'a> {
    problem: &'p SuppressionProblem<'a>,
    evaluator: Evaluator<'p, 'a>,
    best: Option<Evaluated>,
    /// What no choice can cost less than, if anything is proven.
    bound: Option<u128>,
    is_impossible: bool,
    examined: u64,
    clauses: u64,
    trace: Vec<TracePoint>,
    clock: &'p Clock,
}

impl<'p, 'a> SuppressionSearch<'p, 'a> {
    fn new(problem: &'p SuppressionProblem<'a>, clock: &'p Clock) -> SuppressionSearch<'p, 'a> {
        SuppressionSearch {
            problem,
            evaluator: Evaluator::new(problem, clock),
            best: None,
            bound: None,
            is_impossible: false,
            examined: 0,
            clauses: 0,
            trace: Vec::new(),
            clock,
        }
    }

    fn start(&mut self, cuts: Vec<Vec<Node>>) -> Result<()> {
        let found = self.evaluator.search(cuts)?;
        self.keep(found);
        Ok(())
    }

    /// Records a choice if it keeps the limits and is better than the best.
    fn keep(&mut self, found: Evaluated) {
        if found.excess == 0 && self.best.as_ref().is_none_or(|best| found.cost < best.cost) {
            self.best = Some(found);
            self.note();
        }
    }

    fn raise(&mut self, bound: u128) {
        if self.bound.is_none_or(|known| known < bound) {
            self.bound = Some(bound);
            self.note();
        }
    }

    fn note(&mut self) {
        let share = |cost: u128| share(self.problem, cost);
        let (best, bound) = (self.best.as_ref().map(|best| share(best.cost)), self.bound.map(share));
        self.trace.push(TracePoint { seconds: self.clock.elapsed().as_secs_f64(), best, bound });
        self.clock.progress().closing_in(best, bound);
    }

    /// Takes the cheapest choice for the known clauses until one has no threat.
    fn prove(&mut self, mut work: u64, alpha: Exact) -> Result<()> {
        let removes = self.problem.removes;
        let mut clauses = Clauses::new(self.problem);
        loop {
            let upper = match &self.best {
                Some(best) if !removes => best.cost,
                _ => u128::MAX,
            };
            let answer = clauses.cover.solve(upper, &mut work, self.clock)?;
            self.examined += answer.examined;
            self.clauses = clauses.cover.len() as u64;
            let bound = if removes { answer.bound.div_ceil(2) } else { answer.bound };
            match answer.best {
                None if answer.is_complete && upper == u128::MAX => {
                    self.is_impossible = true;
                    return Ok(());
                }
                None => {
                    self.raise(bound);
                    return Ok(());
                }
                Some(taken) => {
                    self.raise(bound);
                    let choice = clauses.choice(&taken);
                    if !removes && self.problem.is_valid(&choice, self.clock)? {
                        let found = self.evaluator.weigh(choice);
                        self.keep(found);
                        return Ok(());
                    }
                    let found = self.evaluator.evaluate(&choice.cut)?;
                    self.keep(found);
                    let is_new = clauses.learn(&choice, self.clock)?;
                    if !is_new || !answer.is_complete || self.is_close(alpha) || self.clock.is_over() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Whether the best choice is proven to be within 1 + `alpha` of the optimum.
    fn is_close(&self, alpha: Exact) -> bool {
        let (num, den) = (u128::from(alpha.numerator()), u128::from(alpha.denominator()));
        let bound = self.bound.unwrap_or(0);
        self.best.as_ref().is_some_and(|best| best.cost * den <= bound * (den + num))
    }

    fn solution(self) -> Result<ItemSolution> {
        let SuppressionProblem { tree, examined, .. } = self.problem;
        let Some(best) = self.best else { return Err(infeasible(self.is_impossible)) };
        let bound = self.bound.map(|bound| bound.min(best.cost));
        let choice = best.choice;
        let mut warnings = Vec::new();
        if self.clock.is_over() && bound != Some(best.cost) {
            warnings.push(super::OUT_OF_TIME.to_string());
        }
        Ok(ItemSolution {
            recoding: choice.recoding(tree),
            plan: ItemCutPlan::with_suppressed(tree, &choice.cut, &choice.suppressed),
            search: SearchFacts {
                space: Some(format!("{} cuts, each with every set of its nodes suppressed", tree.cuts())),
                examined: self.examined,
                seconds: self.clock.elapsed().as_secs_f64(),
                optimal: bound == Some(best.cost),
                bound: bound.map(|bound| share(self.problem, bound)),
                trace: self.trace,
            },
            counters: vec![("itemsets", examined.get()), ("clauses", self.clauses)],
            warnings,
        })
    }
}

/// A cost as a mean per occurrence, from 0 to 1.
fn share(problem: &SuppressionProblem<'_>, cost: u128) -> f64 {
    let all = cost_of_everything(problem.measure, problem.task.baskets);
    if all == 0 { 0.0 } else { cost as f64 / all as f64 }
}

fn infeasible(is_proven: bool) -> Error {
    let wrong = match is_proven {
        true => "no release can meet the policy, even with as much suppressed as it allows",
        false => "no release was found that meets the policy with what it allows to be suppressed",
    };
    Error::infeasible(wrong).help("raise item_suppression_limit or suppression_limit, or lower k, l or m")
}

/// Threats as clauses.
struct Clauses<'p, 'a> {
    problem: &'p SuppressionProblem<'a>,
    cover: Cover<'a>,
    /// The original transactions, and which of them hold each node.
    rows: Rows,
    original: Postings,
}

impl<'p, 'a> Clauses<'p, 'a> {
    fn new(problem: &'p SuppressionProblem<'a>) -> Clauses<'p, 'a> {
        let SuppressionProblem { task, tree, measure, occurrences, limits, .. } = problem;
        let baskets = task.baskets;
        let suppressed = u128::from(measure.suppressed(tree));
        let cost =
            |node: Node| u128::from(occurrences[node as usize]) * u128::from(measure.weight(tree, node));
        let of_node = |node: Node| match tree.is_leaf(node) {
            true => suppressed * u128::from(occurrences[node as usize]),
            false => cost(node).saturating_sub(tree.children(node).map(cost).sum()),
        };
        let mut price: Vec<u128> = tree.nodes().map(of_node).collect();
        let uses = |node: Node| if tree.is_leaf(node) { occurrences[node as usize] } else { 0 };
        let mut amount: Vec<u64> = tree.nodes().map(uses).collect();
        let mut cells = 0;
        for basket in 0..baskets.len() {
            let items = baskets.items(basket).len() as u128 * u128::from(baskets.count(basket));
            cells += items;
            price.push(suppressed * items);
            amount.push(baskets.count(basket));
        }
        let mean = cells / u128::from(baskets.total().max(1));
        let unit = [suppressed, suppressed * mean.max(1)];
        let leaves: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
        let (rows, _) = problem.rows(&Choice::of_cut(leaves));
        Clauses {
            problem,
            cover: Cover::new(tree, price, amount, unit, *limits),
            original: Postings::with_groups(tree, &rows),
            rows,
        }
    }

    /// What an answer stands for.
    fn choice(&self, taken: &[bool]) -> Choice {
        let tree = self.problem.tree;
        let suppressed = tree.nodes().filter(|node| tree.is_leaf(*node) && taken[*node as usize]);
        let removed = (0..self.problem.task.baskets.len()).filter(|basket| taken[tree.len() + basket]);
        Choice {
            cut: cut_of(tree, |node| !taken[node as usize]),
            suppressed: suppressed.collect(),
            removed: removed.map(|basket| basket as u32).collect(),
        }
    }

    /// How many original transactions or people hold all of some nodes.
    fn support(&self, nodes: &[Node]) -> u64 {
        let mut heads = Heads::default();
        self.original.rows(nodes).for_each(|row| heads.add(self.rows.weight(row), self.rows.owner(row)));
        heads.sum
    }

    /// How many must fit the knowledge of some nodes.
    fn least(&self, nodes: &[Node]) -> u64 {
        let asked = self.problem.task.requirements.iter().filter(|asked| asked.reaches(nodes));
        asked.map(|asked| asked.k).max().unwrap_or(0)
    }

    /// Learns from the threats of a choice; false if there is nothing new.
    fn learn(&mut self, choice: &Choice, clock: &Clock) -> Result<bool> {
        let problem = self.problem;
        let moles = problem.moles(choice, Collect::SmallestSets, clock)?;
        let (rows, of) = problem.rows(choice);
        let postings = Postings::of(problem.tree, &rows);
        let mut added = 0;
        for mole in moles.iter() {
            clock.check()?;
            let holding: Vec<u32> = postings.rows(mole).collect();
            let mut heads = Heads::default();
            holding.iter().for_each(|row| heads.add(rows.weight(*row), rows.owner(*row)));
            let before = added;
            if heads.sum < self.least(mole) {
                for row in holding {
                    added += usize::from(self.learn_rare(choice, mole, of[row as usize]));
                }
            }
            let is_rare = heads.sum < self.least(mole) && (added > before || !problem.task.is_measured());
            if !is_rare && !problem.removes {
                added += usize::from(self.learn_sure(choice, mole));
            }
            if added >= MOST_NEW {
                break;
            }
        }
        Ok(added > 0)
    }

    /// Too few transactions hold some nodes, one of them this basket: in every valid choice it is removed, one of its
    /// items below these nodes is suppressed, or one of the nodes is not visible. The more general the nodes, the more
    /// this rules out.
    fn learn_rare(&mut self, choice: &Choice, mole: &[Node], basket: u32) -> bool {
        let SuppressionProblem { task, tree, occurrences, limits, removes, .. } = self.problem;
        let shown = choice.shown(tree);
        let own = |node: Node| {
            let items = task.baskets.items(basket as usize).iter().copied();
            let below = items.filter(|item| tree.contains(node, *item) && shown[*item as usize].is_some());
            below.max_by_key(|item| (occurrences[*item as usize], *item))
        };
        let items: Vec<Node> = mole.iter().filter_map(|node| own(*node)).collect();
        // Published nodes: with what is removed elsewhere, they may be rarer than they were.
        let mut nodes: Vec<Node> = items.iter().filter_map(|item| shown[*item as usize]).collect();
        if nodes.len() < mole.len() || self.support(&nodes) >= self.least(&nodes) {
            return false;
        }
        loop {
            let lifted = (0..nodes.len()).find_map(|at| {
                let mut lifted = nodes.clone();
                lifted[at] = tree.parent(nodes[at])?;
                (self.support(&lifted) < self.least(&lifted)).then_some(lifted)
            });
            match lifted {
                Some(lifted) => nodes = lifted,
                None => break,
            }
        }
        let mut clause: Vec<Literal> =
            nodes.iter().filter_map(|node| tree.parent(*node)).map(Literal::taken).collect();
        if limits[0] > 0 {
            clause.extend(items.iter().copied().map(Literal::taken));
        }
        if *removes {
            clause.push(Literal::taken(tree.len() as u32 + basket));
        }
        self.cover.add(clause)
    }

    /// A sensitive item is too sure among those who hold some nodes: in every valid choice one of the nodes is not
    /// visible, or something else is suppressed below them.
    fn learn_sure(&mut self, choice: &Choice, mole: &[Node]) -> bool {
        let SuppressionProblem { tree, occurrences, limits, .. } = self.problem;
        let mut clause: Vec<Literal> =
            mole.iter().filter_map(|node| tree.parent(*node)).map(Literal::taken).collect();
        if limits[0] > 0 {
            let below = mole.iter().flat_map(|node| *node..tree.end(*node));
            let items = below.filter(|node| tree.is_leaf(*node) && occurrences[*node as usize] > 0);
            let changed = |item: Node| Literal {
                variable: item,
                is_taken: choice.suppressed.binary_search(&item).is_err(),
            };
            clause.extend(items.map(changed));
        }
        self.cover.add(clause)
    }
}
