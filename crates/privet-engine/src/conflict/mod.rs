//! Conflicts between specialisations: the form in which a search over cuts remembers what must not happen.
//!
//! A node is visible in a cut iff its parent is *specialised*, that is neither in the cut nor below it. So whatever needs
//! certain nodes to be visible needs their parents to be specialised, and "these nodes must not all be visible" becomes
//! "these parents must not all be specialised". Millions of forbidden sets of nodes collapse into a few conflicts between
//! families of siblings.

mod solve;
#[cfg(test)]
mod tests;

pub use solve::{Prices, Solved, solve};

use privet_taxonomy::{ItemTree, Node};

/// Inner nodes that must not all be specialised, with what forbids it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict<W> {
    /// The nodes, ascending; none is above another.
    pub members: Vec<Node>,
    /// Why they are in conflict.
    pub witness: W,
}

/// The minimal conflicts known so far.
#[derive(Debug, Clone)]
pub struct Conflicts<W> {
    /// Conflicts of one member: *permanently locked* nodes, never specialised. There may be very many.
    locks: Vec<Conflict<W>>,
    /// Conflicts between several.
    sets: Vec<Conflict<W>>,
    /// Per node, whether it is locked.
    locked: Vec<bool>,
    /// What forbids even the coarsest cut.
    impossible: Option<W>,
}

/// The conflict of nodes that must not all be visible: their parents, without those above others.
///
/// Empty where all of them are roots, which every cut shows.
pub fn between(tree: &ItemTree, nodes: impl IntoIterator<Item = Node>) -> Vec<Node> {
    let mut parents: Vec<Node> = nodes.into_iter().filter_map(|node| tree.parent(node)).collect();
    parents.sort_unstable();
    parents.dedup();
    lowest(tree, &parents)
}

/// The members of an ascending list that are above no other.
fn lowest(tree: &ItemTree, nodes: &[Node]) -> Vec<Node> {
    let above_next = |at: usize| nodes.get(at + 1).is_some_and(|next| tree.contains(nodes[at], *next));
    (0..nodes.len()).filter(|at| !above_next(*at)).map(|at| nodes[at]).collect()
}

impl<W> Conflicts<W> {
    /// None yet.
    pub fn new(tree: &ItemTree) -> Conflicts<W> {
        Conflicts { locks: Vec::new(), sets: Vec::new(), locked: vec![false; tree.len()], impossible: None }
    }

    /// Takes a conflict in, unless a known one covers it; those that it covers go.
    pub fn insert(&mut self, tree: &ItemTree, members: Vec<Node>, witness: W) -> bool {
        if members.is_empty() {
            self.impossible.get_or_insert(witness);
            return true;
        }
        if members.iter().any(|node| self.is_hidden(tree, *node))
            || self.sets.iter().any(|known| covers(tree, &known.members, &members))
        {
            return false;
        }
        if let [node] = members[..] {
            self.lock_all(tree, vec![(node, witness)]);
        } else {
            self.sets.retain(|known| !covers(tree, &members, &known.members));
            self.sets.push(Conflict { members, witness });
        }
        true
    }

    /// Locks nodes that no known conflict covers, and that are unrelated to each other.
    pub fn lock_all(&mut self, tree: &ItemTree, nodes: Vec<(Node, W)>) {
        let known = self.locks.len();
        for (node, witness) in nodes {
            self.locked[node as usize] = true;
            self.locks.push(Conflict { members: vec![node], witness });
        }
        // What was known and is at or below a new lock is covered by it.
        let new: Vec<Node> = {
            let mut new: Vec<Node> = self.locks[known..].iter().map(|lock| lock.members[0]).collect();
            new.sort_unstable();
            new
        };
        let is_covered = |conflict: &Conflict<W>| {
            conflict.members.iter().any(|member| {
                let last = new.partition_point(|node| node <= member);
                last > 0 && tree.contains(new[last - 1], *member)
            })
        };
        let mut at = 0;
        self.locks.retain(|lock| {
            at += 1;
            at > known || !is_covered(lock)
        });
        self.sets.retain(|set| !is_covered(set));
    }

    /// Whether a node or one above it is locked.
    fn is_hidden(&self, tree: &ItemTree, node: Node) -> bool {
        self.is_locked(node) || tree.ancestors(node).any(|above| self.is_locked(above))
    }

    /// The minimal conflicts, locks first.
    pub fn iter(&self) -> impl Iterator<Item = &Conflict<W>> {
        self.locks.iter().chain(&self.sets)
    }

    /// Whether a node must never be specialised.
    pub fn is_locked(&self, node: Node) -> bool {
        self.locked[node as usize]
    }

    /// What forbids every cut, if something does.
    pub fn impossible(&self) -> Option<&W> {
        self.impossible.as_ref()
    }

    /// How many nodes are permanently locked by a minimal conflict of their own.
    pub fn locks(&self) -> usize {
        self.locks.len()
    }

    /// How many conflicts there are between several nodes.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there are no conflicts at all.
    pub fn is_empty(&self) -> bool {
        self.locks.is_empty() && self.sets.is_empty()
    }

    /// The finest cut as far as locks go: locked nodes and the leaves that no locked node is above.
    pub fn frontier(&self, tree: &ItemTree) -> Vec<Node> {
        cut_of(tree, |node| !self.is_locked(node))
    }
}

/// Whether one conflict forbids all that another forbids: each of its members is at or above one of the other's.
fn covers(tree: &ItemTree, conflict: &[Node], other: &[Node]) -> bool {
    conflict.iter().all(|above| {
        let first = other.partition_point(|node| node < above);
        other.get(first).is_some_and(|node| tree.contains(*above, *node))
    })
}

/// The cut in which just these inner nodes are specialised, as far as their parents are; ascending.
pub fn cut_of(tree: &ItemTree, specialised: impl Fn(Node) -> bool) -> Vec<Node> {
    let mut cut = Vec::new();
    let mut node = 0;
    while node < tree.len() as Node {
        if !tree.is_leaf(node) && specialised(node) {
            node += 1;
        } else {
            cut.push(node);
            node = tree.end(node);
        }
    }
    cut
}
