//! Taxonomies as the cut search sees them.

use privet_taxonomy::{NodeId, Taxonomy};

/// A tree of the values that occur. Nodes are numbered in depth-first preorder; the root is 0.
///
/// As a rule a node with a single occupied child is left out: opening it changes no class, and never costs more. So every
/// inner node is a real decision, and different cuts of this tree give different releases.
#[derive(Debug, Clone)]
pub struct Tree {
    taxonomy: Vec<NodeId>,
    parents: Vec<u32>,
    ends: Vec<u32>,
    /// Per leaf of the taxonomy, its node here; `u32::MAX` where no record has the value.
    leaves: Vec<u32>,
}

/// One tree per column.
#[derive(Debug, Clone)]
pub struct Forest {
    /// The trees.
    pub trees: Vec<Tree>,
}

/// A cut through a forest: per tree its nodes, in rising order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut(pub Vec<Vec<u32>>);

impl Tree {
    /// The tree of a taxonomy's occupied leaves.
    ///
    /// ```
    /// use privet_engine::cut::Tree;
    /// use privet_taxonomy::Taxonomy;
    /// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    /// let taxonomy = Taxonomy::from_paths(&[path("Oslo;Norway;*"), path("Rome;Italy;*")])?;
    /// let tree = Tree::new(&taxonomy, |_| true);
    /// assert_eq!(tree.len(), 3);
    /// assert_eq!(taxonomy.label(tree.taxonomy_node(1)), "Oslo");
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn new(taxonomy: &Taxonomy, occupied: impl Fn(usize) -> bool) -> Tree {
        Tree::grow(taxonomy, occupied, false)
    }

    /// The tree of all nodes above occupied leaves: also those with a single occupied child, for problems in which it
    /// matters whether they are opened.
    pub fn with_every_node(taxonomy: &Taxonomy, occupied: impl Fn(usize) -> bool) -> Tree {
        Tree::grow(taxonomy, occupied, true)
    }

    fn grow(taxonomy: &Taxonomy, occupied: impl Fn(usize) -> bool, every: bool) -> Tree {
        let mut occupied_before = vec![0u32; taxonomy.leaves() + 1];
        for leaf in 0..taxonomy.leaves() {
            occupied_before[leaf + 1] = occupied_before[leaf] + u32::from(occupied(leaf));
        }
        let inside = |node: NodeId| {
            let leaves = taxonomy.leaves_below(node);
            occupied_before[leaves.end] - occupied_before[leaves.start]
        };
        let mut tree = Tree {
            taxonomy: Vec::new(),
            parents: Vec::new(),
            ends: Vec::new(),
            leaves: vec![u32::MAX; taxonomy.leaves()],
        };
        // Kept nodes from the root down to the current one.
        let mut path: Vec<u32> = Vec::new();
        for node in taxonomy.nodes() {
            let all = inside(node);
            let single = taxonomy.children(node).iter().any(|child| inside(*child) == all);
            if all == 0 || (single && !every) {
                continue;
            }
            let id = tree.taxonomy.len() as u32;
            while let Some(last) = path.last() {
                if taxonomy.contains(tree.taxonomy[*last as usize], node) {
                    break;
                }
                path.pop();
            }
            tree.parents.push(path.last().copied().unwrap_or(0));
            tree.taxonomy.push(node);
            tree.ends.push(id + 1);
            for above in &path {
                tree.ends[*above as usize] = id + 1;
            }
            if taxonomy.is_leaf(node) {
                tree.leaves[taxonomy.leaves_below(node).start] = id;
            }
            path.push(id);
        }
        tree
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no value occurs.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The taxonomy's node that a node stands for.
    pub fn taxonomy_node(&self, node: u32) -> NodeId {
        self.taxonomy[node as usize]
    }

    /// The node of a taxonomy's leaf, by its position in depth-first order.
    pub fn leaf(&self, position: u32) -> u32 {
        self.leaves[position as usize]
    }

    /// By node, how many records are below it. `leaves`: by leaf of the taxonomy, how many records have it.
    pub fn totals<'c>(&self, leaves: impl Iterator<Item = (&'c u32, &'c u64)>) -> Vec<u64> {
        let mut totals = vec![0; self.len()];
        for (leaf, count) in leaves {
            totals[self.leaf(*leaf) as usize] += count;
        }
        for node in (1..self.len()).rev() {
            totals[self.parent(node as u32) as usize] += totals[node];
        }
        totals
    }

    /// The parent; the root is its own.
    pub fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize]
    }

    /// One past the last node below this one.
    pub fn end(&self, node: u32) -> u32 {
        self.ends[node as usize]
    }

    /// Whether the node has no children.
    pub fn is_leaf(&self, node: u32) -> bool {
        self.ends[node as usize] == node + 1
    }

    /// Whether `below` is `above` or lies below it.
    pub fn contains(&self, above: u32, below: u32) -> bool {
        above <= below && below < self.ends[above as usize]
    }

    /// The children, from left to right.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end(node);
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.end(child);
                child
            })
        })
    }

    /// The lowest node that contains both.
    pub fn meet(&self, one: u32, other: u32) -> u32 {
        let (low, high) = (one.min(other), one.max(other));
        let mut node = low;
        while !self.contains(node, high) {
            node = self.parent(node);
        }
        node
    }

    /// Per node at or below a cut, the node of the cut above it; `u32::MAX` above the cut.
    pub fn cover(&self, cut: &[u32]) -> Vec<u32> {
        let mut cover = vec![u32::MAX; self.len()];
        for node in cut {
            cover[*node as usize..self.end(*node) as usize].fill(*node);
        }
        cover
    }

    /// The cut that is met on the way down through opened nodes.
    pub fn cut(&self, is_opened: impl Fn(u32) -> bool) -> Vec<u32> {
        let (mut cut, mut node) = (Vec::new(), 0);
        while (node as usize) < self.len() {
            if is_opened(node) {
                node += 1;
            } else {
                cut.push(node);
                node = self.end(node);
            }
        }
        cut
    }

    /// The finest cut: all leaves.
    pub fn finest(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|node| self.is_leaf(*node)).collect()
    }

    /// A cut as nodes of the whole taxonomy: values that do not occur are covered by the highest nodes that hold
    /// nothing else, so that every path is met once.
    pub fn widen(&self, taxonomy: &Taxonomy, cut: &[u32]) -> Vec<NodeId> {
        let chosen: Vec<NodeId> = cut.iter().map(|node| self.taxonomy_node(*node)).collect();
        let mut wide = Vec::new();
        let mut waiting = vec![taxonomy.root()];
        while let Some(node) = waiting.pop() {
            // Preorder numbers: the first chosen node at or after this one tells whether any lies below.
            let next = chosen.partition_point(|other| *other < node);
            let holds_chosen = chosen.get(next).is_some_and(|first| taxonomy.contains(node, *first));
            if chosen.get(next) == Some(&node) || !holds_chosen {
                wide.push(node);
            } else {
                waiting.extend(taxonomy.children(node).iter().rev());
            }
        }
        wide
    }
}

impl Forest {
    /// The cut of all roots.
    pub fn coarsest(&self) -> Cut {
        Cut(self.trees.iter().map(|_| vec![0]).collect())
    }

    /// The cut of all nodes at a depth, and of the leaves above it.
    pub fn at_depth(&self, depth: usize) -> Cut {
        let of_tree = |tree: &Tree| {
            let mut cut = vec![0];
            for _ in 0..depth {
                let opened = |node: u32| {
                    if tree.is_leaf(node) { vec![node] } else { tree.children(node).collect() }
                };
                cut = cut.into_iter().flat_map(opened).collect();
            }
            cut
        };
        Cut(self.trees.iter().map(of_tree).collect())
    }

    /// The cut of all leaves.
    pub fn finest(&self) -> Cut {
        Cut(self.trees.iter().map(Tree::finest).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taxonomy() -> Taxonomy {
        let paths = ["a;x;xx;*", "b;x;xx;*", "c;y;xx;*", "d;z;zz;*", "e;w;zz;*"];
        let paths: Vec<Vec<String>> =
            paths.iter().map(|path| path.split(';').map(String::from).collect()).collect();
        Taxonomy::from_paths(&paths).unwrap()
    }

    #[test]
    fn only_real_decisions_are_nodes() {
        let taxonomy = taxonomy();
        let tree = Tree::new(&taxonomy, |leaf| leaf != 4);
        let labels: Vec<&str> =
            (0..tree.len() as u32).map(|n| taxonomy.label(tree.taxonomy_node(n))).collect();
        assert_eq!(labels, ["*", "xx", "x", "a", "b", "c", "d"]);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 6]);
        assert_eq!(tree.children(1).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(tree.meet(3, 5), 1);
        assert_eq!(tree.meet(3, 6), 0);
        assert_eq!(tree.finest(), [3, 4, 5, 6]);
    }

    #[test]
    fn a_cut_of_what_occurs_widens_to_a_cut_of_everything() {
        let taxonomy = taxonomy();
        let tree = Tree::new(&taxonomy, |leaf| leaf != 4);
        let wide = tree.widen(&taxonomy, &[2, 5, 6]);
        let labels: Vec<&str> = wide.iter().map(|node| taxonomy.label(*node)).collect();
        assert_eq!(labels, ["x", "c", "d", "w"]);
    }
}
