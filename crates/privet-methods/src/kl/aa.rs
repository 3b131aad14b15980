//! AA, the Apriori-based anonymisation (Terrovitis, Mamoulis and Kalnis, 2008): k^m-anonymity by greedy global recoding.
//!
//! First all sets of one item are made frequent, then all sets of two, up to m. A set held by fewer than k transactions
//! is repaired by the cheapest way to lift its items in the tree that makes it frequent; lifting an item lifts
//! everything below the same node, everywhere.
//!
//! A lift creates new sets, which must be tested at the same level: a single pass would publish data that is not
//! anonymous. Here a node is tested together with those that passed before it, and nodes created by a lift are queued
//! for testing. So at the end of a level every set of the cut has been tested in its published form. Smaller sets need
//! no second test: a transaction that holds a set of a coarser cut also holds one of the finer cut that is at most as
//! large and was frequent.

mod lift;

use std::collections::VecDeque;

use self::lift::LiftedCut;
use super::recoding::ItemRecoding;
use super::{ItemSolution, ItemTask, feasible};
use crate::SearchFacts;
use crate::plan::ItemCutPlan;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::itemset::rows::Heads;
use privet_engine::itemset::spread::{Held, Spread, Spreader};
use privet_taxonomy::Node;

/// From this level on, whole rows are repaired before their sets are tested.
const WHOLE_ROWS_FROM: usize = 4;
/// How many rare sets of one node are collected before they are repaired.
const MOST_AT_ONCE: usize = 1024;

pub(super) fn run(task: &ItemTask<'_>, clock: &Clock) -> Result<ItemSolution> {
    feasible::check(task)?;
    let clock = clock.without_limit();
    clock.progress().stage("making combinations common", task.requirements.iter().map(|asked| asked.m).max());
    let mut cut = LiftedCut::new(task.baskets, task.measure());
    let mut level =
        SetLevel { size: 0, least: 0, passed: Vec::new(), safe: Vec::new(), examined: 0, lifts: 0 };
    let mut spreader = Spreader::new(task.baskets.tree.len());
    loop {
        level.size += 1;
        clock.progress().at(level.size as u64 - 1);
        // Knowledge of this many items must fit as many transactions as the strictest requirement demands.
        let asked = task.requirements.iter().filter(|asked| asked.m >= level.size as u64);
        let least = asked.map(|asked| asked.k).max().unwrap_or(1);
        let eased = std::mem::replace(&mut level.least, least) != least;
        if least < 2 || cut.longest_row() < level.size {
            break;
        }
        if level.size <= WHOLE_ROWS_FROM || eased {
            cut.merge_rows();
            let reach = task.requirements.iter().filter(|asked| asked.k == least).map(|asked| asked.m).max();
            level.certify(&mut cut, reach.unwrap_or(0), &clock)?;
        }
        let before = level.examined;
        level.clean(&mut cut, &mut spreader, &clock)?;
        if level.examined == before {
            // A rare set would have been found here without one of its nodes, because all its subsets differ in
            // support.
            break;
        }
    }
    let nodes = cut.nodes();
    let tree = &task.baskets.tree;
    let search = SearchFacts {
        space: Some(tree.cuts().to_string()),
        examined: level.examined,
        seconds: clock.elapsed().as_secs_f64(),
        optimal: false,
        bound: None,
        trace: Vec::new(),
    };
    Ok(ItemSolution {
        recoding: ItemRecoding::of_cut(tree, &nodes),
        plan: ItemCutPlan::of(tree, &nodes),
        search,
        counters: vec![("itemsets", level.examined), ("lifts", level.lifts)],
        warnings: Vec::new(),
    })
}

/// One level: the sets of one size.
struct SetLevel {
    size: usize,
    /// How many transactions must hold a set that occurs at all: k.
    least: u64,
    /// Per node, whether all its sets with other nodes that passed are frequent.
    passed: Vec<bool>,
    /// Per row, whether k transactions hold all of it, so that all its sets are frequent; this stays true when rows are
    /// generalised.
    safe: Vec<bool>,
    examined: u64,
    lifts: u64,
}

impl SetLevel {
    /// Finds rows all of whose sets are frequent: on the first levels those that occur k times, later all that k
    /// transactions hold.
    ///
    /// A rare row that an adversary of power `reach` can know as a whole is then repaired at once: searching for its
    /// rare sets level by level would take exponential time.
    fn certify(&mut self, cut: &mut LiftedCut<'_>, reach: u64, clock: &Clock) -> Result<()> {
        self.safe = cut.rows.iter().map(|(_, weight)| weight >= self.least).collect();
        if self.size < WHOLE_ROWS_FROM {
            return Ok(());
        }
        for row in 0..cut.rows.len() as u32 {
            clock.check()?;
            while !self.safe[row as usize] {
                let nodes = cut.rows.nodes(row).to_vec();
                if cut.is_frequent(&nodes, self.least) {
                    self.safe[row as usize] = true;
                } else if nodes.len() as u64 <= reach {
                    self.make_frequent(cut, &cut.smallest_rare(nodes, self.least))?;
                } else {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Lifts nodes until every set of this size is frequent.
    fn clean(&mut self, cut: &mut LiftedCut<'_>, spreader: &mut Spreader, clock: &Clock) -> Result<()> {
        self.passed = vec![false; cut.tree.len()];
        let mut waiting: VecDeque<Node> = cut.occurring();
        while let Some(node) = waiting.pop_front() {
            while cut.is_in(node) {
                clock.check()?;
                let mut rare = RareSets { sets: Vec::new(), full: false };
                let held: Vec<Held> =
                    cut.holders(node).iter().map(|row| Held::whole(&cut.rows, *row)).collect();
                if self.size == 1 {
                    self.examined += 1;
                    let mut support = Heads::default();
                    held.iter()
                        .for_each(|held| support.add(cut.rows.weight(held.row), cut.rows.owner(held.row)));
                    if support.sum < self.least {
                        rare.sets.push(vec![node]);
                    }
                } else {
                    let mut grown = RareSetSearch { level: self, cut, spreader, clock, rare: &mut rare };
                    grown.grow(&mut vec![node], &held)?;
                }
                for set in &rare.sets {
                    if set.iter().all(|node| cut.is_in(*node)) {
                        waiting.extend(self.make_frequent(cut, set)?);
                    }
                }
                if !rare.full {
                    break;
                }
            }
            self.passed[node as usize] = cut.is_in(node);
        }
        Ok(())
    }

    /// Makes a rare set frequent; returns the nodes that are new in the cut.
    fn make_frequent(&mut self, cut: &mut LiftedCut<'_>, set: &[Node]) -> Result<Vec<Node>> {
        let targets = cut.cheapest_lift(set, self.least)?;
        for target in &targets {
            cut.lift(*target);
        }
        self.lifts += targets.len() as u64;
        Ok(targets)
    }
}

/// Rare sets of one node.
struct RareSets {
    sets: Vec<Vec<Node>>,
    /// Whether there may be more.
    full: bool,
}

/// The search for rare sets of one node with others that passed.
struct RareSetSearch<'a, 'b> {
    level: &'a mut SetLevel,
    cut: &'a LiftedCut<'b>,
    spreader: &'a mut Spreader,
    clock: &'a Clock,
    rare: &'a mut RareSets,
}

impl RareSetSearch<'_, '_> {
    fn grow(&mut self, set: &mut Vec<Node>, held: &[Held]) -> Result<()> {
        if self.rare.full || held.iter().all(|held| self.level.safe[held.row as usize]) {
            return Ok(());
        }
        let rows = &self.cut.rows;
        let SetLevel { size, least, passed, examined, .. } = &mut *self.level;
        let may = |node: Node| passed[node as usize];
        if set.len() + 1 == *size {
            let RareSets { sets, full } = &mut *self.rare;
            self.spreader.weigh(rows, held, may, |node, support| {
                *examined += 1;
                if support < *least && !*full {
                    sets.push(set.iter().copied().chain([node]).collect());
                    *full = sets.len() == MOST_AT_ONCE;
                }
            });
            return Ok(());
        }
        self.clock.check()?;
        let mut spread = Spread::default();
        // A node that all transactions of the set hold adds nothing: its sets are as frequent as smaller ones.
        self.spreader.spread(rows, held, may, |_, _, with| with < held.len(), &mut spread);
        *examined += spread.branches().len() as u64;
        for branch in spread.branches() {
            set.push(branch.node);
            self.grow(set, spread.rows(branch))?;
            set.pop();
        }
        Ok(())
    }
}
