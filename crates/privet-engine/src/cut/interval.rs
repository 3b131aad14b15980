//! Intervals of cuts: what a branch of the search has decided.

use super::forest::{Cut, Forest, Tree};

/// What is decided about an inner node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Free,
    /// Its value will be specialised; so will those of its ancestors.
    Open,
    /// It or an ancestor is in the cut.
    Locked,
}

/// Where a node lies between the coarsest and the finest cut of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Above the coarsest cut: it is opened.
    Above,
    /// In or below the coarsest cut and above the finest: it may be in a cut, and may be opened.
    Between,
    /// In the finest cut: where no ancestor is in a cut, it is.
    Floor,
    /// Below the finest cut.
    Below,
}

/// A set of cuts: those between a coarsest and a finest one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    decisions: Vec<Vec<Decision>>,
}

impl Interval {
    /// All cuts.
    pub fn everything(forest: &Forest) -> Interval {
        let decide = |tree: &Tree| {
            let decision = |node| if tree.is_leaf(node) { Decision::Locked } else { Decision::Free };
            (0..tree.len() as u32).map(decision).collect()
        };
        Interval { decisions: forest.trees.iter().map(decide).collect() }
    }

    /// The cuts of a subtree of the cut enumeration tree: `cut` itself with some of its values open, and all that
    /// specialises open values.
    pub fn below(forest: &Forest, cut: &Cut, open: &[Vec<u32>]) -> Interval {
        let mut interval = Interval::everything(forest);
        for (tree, (nodes, open)) in cut.0.iter().zip(open).enumerate() {
            for node in nodes {
                let parent = forest.trees[tree].parent(*node);
                if *node > 0 {
                    interval.open(forest, tree, parent);
                }
                if !open.contains(node) {
                    interval.lock(tree, *node);
                }
            }
        }
        interval
    }

    /// Decides that a node, and with it its ancestors, is opened.
    pub fn open(&mut self, forest: &Forest, tree: usize, node: u32) {
        let mut node = node;
        while self.decisions[tree][node as usize] != Decision::Open {
            self.decisions[tree][node as usize] = Decision::Open;
            node = forest.trees[tree].parent(node);
        }
    }

    /// Decides that a node is not opened.
    pub fn lock(&mut self, tree: usize, node: u32) {
        self.decisions[tree][node as usize] = Decision::Locked;
    }

    /// Where the nodes of a tree lie.
    pub fn places(&self, forest: &Forest, tree: usize) -> Vec<Place> {
        let (shape, decisions) = (&forest.trees[tree], &self.decisions[tree]);
        let mut places = vec![Place::Below; shape.len()];
        let mut node = 0u32;
        while (node as usize) < shape.len() {
            match decisions[node as usize] {
                Decision::Locked => {
                    places[node as usize] = Place::Floor;
                    node = shape.end(node);
                    continue;
                }
                Decision::Open => places[node as usize] = Place::Above,
                Decision::Free => places[node as usize] = Place::Between,
            }
            node += 1;
        }
        places
    }

    /// The coarsest cut: stops at the first node that need not be opened.
    pub fn top(&self, forest: &Forest) -> Cut {
        self.stop(forest, |decision| decision != Decision::Open)
    }

    /// The finest cut: stops only at locked nodes.
    pub fn bottom(&self, forest: &Forest) -> Cut {
        self.stop(forest, |decision| decision == Decision::Locked)
    }

    fn stop(&self, forest: &Forest, stops: impl Fn(Decision) -> bool) -> Cut {
        let cut =
            |(tree, decisions): (&Tree, &Vec<Decision>)| tree.cut(|node| !stops(decisions[node as usize]));
        Cut(forest.trees.iter().zip(&self.decisions).map(cut).collect())
    }

    /// Whether a single cut is left.
    pub fn is_single(&self, forest: &Forest) -> bool {
        (0..forest.trees.len()).all(|tree| !self.places(forest, tree).contains(&Place::Between))
    }

    /// The free nodes whose parents are opened: where a branch can begin.
    pub fn frontier(&self, forest: &Forest) -> Vec<(usize, u32)> {
        let mut frontier = Vec::new();
        for (tree, nodes) in self.top(forest).0.iter().enumerate() {
            let free = nodes.iter().filter(|node| self.decisions[tree][**node as usize] == Decision::Free);
            frontier.extend(free.map(|node| (tree, *node)));
        }
        frontier
    }
}
