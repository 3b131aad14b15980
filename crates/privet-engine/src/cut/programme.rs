//! The tree programme: the cheapest cut of one tree when every node has a price for being in the cut.

use super::forest::Tree;
use super::interval::Place;
use super::{Amount, FORBIDDEN, plus};

/// A solved tree programme, f(v) = min(keep(v), Σ f(children)) over the nodes that may be in a cut, together with what
/// the best cut costs when a node is forced one way or the other.
#[derive(Debug, Clone)]
pub struct Programme {
    best: Vec<Amount>,
    split: Vec<Amount>,
}

/// What the best cut costs when a node must be opened, and when it must not.
#[derive(Debug, Clone)]
pub struct Forced {
    /// Per node, the cost when it is opened.
    pub open: Vec<Amount>,
    /// Per node, the cost when it or an ancestor is in the cut.
    pub lock: Vec<Amount>,
}

impl Programme {
    /// Solves the programme; `keep` prices nodes, and is looked at only where a node may be in a cut.
    ///
    /// ```
    /// use privet_engine::cut::{Place, Programme, Tree};
    /// use privet_taxonomy::Taxonomy;
    /// let tree = Tree::new(&Taxonomy::flat(["a", "b"])?, |_| true);
    /// let places = [Place::Between, Place::Floor, Place::Floor];
    /// let programme = Programme::solve(&tree, &places, |node| [5, 1, 2][node as usize]);
    /// assert_eq!(programme.least(), 3);
    /// assert_eq!(programme.cut(&tree, &places, |node| [5, 1, 2][node as usize]), [1, 2]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn solve(tree: &Tree, places: &[Place], keep: impl Fn(u32) -> Amount) -> Programme {
        let mut best = vec![0; tree.len()];
        let mut split = vec![0; tree.len()];
        for node in (0..tree.len() as u32).rev() {
            let at = node as usize;
            best[at] = match places[at] {
                Place::Below => continue,
                Place::Above => split[at],
                Place::Between => keep(node).min(split[at]),
                Place::Floor => keep(node),
            };
            if node > 0 {
                let parent = tree.parent(node) as usize;
                split[parent] = plus(split[parent], best[at]);
            }
        }
        Programme { best, split }
    }

    /// The cost of the best cut.
    pub fn least(&self) -> Amount {
        self.best.first().copied().unwrap_or(0).min(FORBIDDEN)
    }

    /// The best cut; of equals the more specific.
    pub fn cut(&self, tree: &Tree, places: &[Place], keep: impl Fn(u32) -> Amount) -> Vec<u32> {
        tree.cut(|node| match places[node as usize] {
            Place::Above => true,
            Place::Between => self.split[node as usize] <= keep(node),
            Place::Floor | Place::Below => false,
        })
    }

    /// What the best cut costs with each node forced.
    pub fn forced(&self, tree: &Tree, places: &[Place], keep: impl Fn(u32) -> Amount) -> Forced {
        let mut outside = vec![0; tree.len()];
        let mut open = vec![FORBIDDEN; tree.len()];
        let mut lock = vec![FORBIDDEN; tree.len()];
        for node in 0..tree.len() as u32 {
            let at = node as usize;
            if places[at] == Place::Below {
                continue;
            }
            let above = if node == 0 { FORBIDDEN } else { lock[tree.parent(node) as usize] };
            let here = if places[at] == Place::Above { FORBIDDEN } else { plus(outside[at], keep(node)) };
            lock[at] = above.min(here);
            if places[at] == Place::Floor {
                continue;
            }
            open[at] = plus(outside[at], self.split[at]);
            // What the siblings cost together, which cannot be had by subtraction when one of them is forbidden.
            let forbidden =
                tree.children(node).filter(|child| self.best[*child as usize] >= FORBIDDEN).count();
            let finite: Amount = tree
                .children(node)
                .map(|child| self.best[child as usize])
                .filter(|best| *best < FORBIDDEN)
                .sum();
            for child in tree.children(node) {
                let own = self.best[child as usize];
                let siblings = match (forbidden, own >= FORBIDDEN) {
                    (0, _) => finite - own,
                    (1, true) => finite,
                    _ => FORBIDDEN,
                };
                outside[child as usize] = plus(outside[at], siblings);
            }
        }
        Forced { open, lock }
    }
}
