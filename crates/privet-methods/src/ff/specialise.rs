//! Top-down specialisation: values are specialised as long as that adds no breach and leaves no class below k.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::problem::FfProblem;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::cut::{Amount, Cut, Tree};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::freeform::Classes;

/// What specialising a value should gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GainMeasure {
    /// The decrease in LM.
    Loss,
    /// Information about the class column, as in top-down specialisation: entropy before minus entropy after.
    Information,
}

/// Per tree and node, the gain of specialising it. It does not depend on the other values of the cut.
#[derive(Debug, Clone)]
pub(super) struct NodeGains(pub Vec<Vec<Amount>>);

/// Information is counted in units of 2^-40 bits, so that scores are integers.
const BITS: f64 = (1u64 << 40) as f64;

impl NodeGains {
    pub fn new(problem: &FfProblem, microdata: &Microdata, score: GainMeasure) -> NodeGains {
        let gain = |at: usize| match score {
            GainMeasure::Loss => {
                let (tree, prices) = (&problem.forest.trees[at], &problem.prices[at]);
                let below =
                    |node: u32| tree.children(node).map(|child| prices[child as usize]).sum::<Amount>();
                (0..tree.len() as u32).map(|node| prices[node as usize] - below(node)).collect()
            }
            GainMeasure::Information => information(&problem.forest.trees[at], microdata, at),
        };
        NodeGains((0..problem.forest.trees.len()).map(gain).collect())
    }
}

fn information(tree: &Tree, microdata: &Microdata, column: usize) -> Vec<Amount> {
    let labels = microdata.label().map_or(0, |label| label.values.len());
    let Some(place) = microdata
        .table
        .tracked
        .iter()
        .position(|other| microdata.label().is_some_and(|label| label.index == other.index))
    else {
        return vec![0; tree.len()];
    };
    let mut counts = vec![vec![0u64; labels]; tree.len()];
    for record in 0..microdata.summary.len() {
        let codes = microdata.summary.record(record);
        let leaf = microdata.quasi[column].leaf_of_code[codes[column] as usize];
        let label = codes[microdata.quasi.len() + place];
        counts[tree.leaf(leaf) as usize][label as usize] += microdata.summary.count(record);
    }
    for node in (1..tree.len()).rev() {
        let below = counts[node].clone();
        let above = &mut counts[tree.parent(node as u32) as usize];
        above.iter_mut().zip(below).for_each(|(above, below)| *above += below);
    }
    let size = |node: u32| counts[node as usize].iter().sum::<u64>() as f64;
    let entropy = |node: u32| {
        let shares = counts[node as usize].iter().map(|count| *count as f64 / size(node));
        -shares.filter(|share| *share > 0.0).map(|share| share * share.log2()).sum::<f64>()
    };
    let gain = |node: u32| {
        if tree.is_leaf(node) {
            return 0;
        }
        let after: f64 = tree.children(node).map(|child| size(child) / size(node) * entropy(child)).sum();
        ((entropy(node) - after).max(0.0) * BITS) as Amount
    };
    (0..tree.len() as u32).map(gain).collect()
}

/// A table that is being specialised.
#[derive(Debug, Clone)]
pub(super) struct Specialisation {
    pub classes: Classes,
    /// Per tree and node, whether it was specialised.
    pub opened: Vec<Vec<bool>>,
    /// The number of specialisations tried.
    pub tried: u64,
}

impl Specialisation {
    /// At the roots.
    pub fn new(problem: &FfProblem) -> Specialisation {
        Specialisation {
            classes: Classes::coarsest(&problem.model, &problem.records, problem.k),
            opened: problem.forest.trees.iter().map(|tree| vec![false; tree.len()]).collect(),
            tried: 0,
        }
    }

    /// At a cut that is known to be free of breaches.
    pub fn reaching(problem: &FfProblem, cut: &Cut) -> Specialisation {
        let mut descent = Specialisation::new(problem);
        for (tree, node) in above(problem, cut) {
            let value = problem.forest.trees[tree].taxonomy_node(node).0;
            descent.classes.split(&problem.model, &problem.records, tree, value);
            descent.opened[tree][node as usize] = true;
        }
        descent
    }

    /// Specialises a value unless that causes a breach; returns whether it did.
    pub fn open(&mut self, problem: &FfProblem, tree: usize, node: u32) -> bool {
        self.tried += 1;
        let value = problem.forest.trees[tree].taxonomy_node(node).0;
        let opened = self.classes.open(&problem.model, &problem.records, tree, value);
        self.opened[tree][node as usize] |= opened;
        opened
    }

    /// Whether a value can be specialised without a breach.
    pub fn can_open(&self, problem: &FfProblem, tree: usize, node: u32) -> bool {
        let value = problem.forest.trees[tree].taxonomy_node(node).0;
        self.classes.can_open(&problem.model, &problem.records, tree, value)
    }

    /// Specialises the allowed nodes, the best first. Every node is tried at most once: what causes a breach now always
    /// will.
    pub fn run(
        &mut self,
        problem: &FfProblem,
        scores: &NodeGains,
        may_open: &dyn Fn(usize, u32) -> bool,
        clock: &Clock,
    ) -> Result<()> {
        let mut waiting = BinaryHeap::new();
        let rank = |tree: usize, node: u32| (scores.0[tree][node as usize], Reverse((tree, node)));
        let is_open =
            |tree: usize, node: u32| !problem.forest.trees[tree].is_leaf(node) && may_open(tree, node);
        for (tree, nodes) in self.cut(problem).0.iter().enumerate() {
            waiting.extend(nodes.iter().filter(|node| is_open(tree, **node)).map(|node| rank(tree, *node)));
        }
        while let Some((_, Reverse((tree, node)))) = waiting.pop() {
            clock.check()?;
            if clock.is_over() {
                break;
            }
            if self.open(problem, tree, node) {
                let children = problem.forest.trees[tree].children(node);
                waiting.extend(children.filter(|child| is_open(tree, *child)).map(|child| rank(tree, child)));
            }
        }
        Ok(())
    }

    /// The current cut.
    pub fn cut(&self, problem: &FfProblem) -> Cut {
        let trees = problem.forest.trees.iter().zip(&self.opened);
        Cut(trees.map(|(tree, opened)| tree.cut(|node| opened[node as usize])).collect())
    }
}

/// The nodes above a cut, parents first.
pub(super) fn above(problem: &FfProblem, cut: &Cut) -> Vec<(usize, u32)> {
    let trees = problem.forest.trees.iter().zip(&cut.0).enumerate();
    trees
        .flat_map(|(at, (tree, nodes))| {
            let cover = tree.cover(nodes);
            (0..tree.len() as u32)
                .filter(move |node| cover[*node as usize] == u32::MAX)
                .map(move |node| (at, node))
        })
        .collect()
}
