//! Trees of values, from the leaves that data holds up to one root: how a value may be generalised.
//!
//! A label denotes one node. Nodes are numbered in depth-first preorder, so the nodes of a subtree, and the
//! leaves below a node, are one run of numbers each; every walk is a loop over a vector, whatever the depth.

mod build;
mod check;
mod draw;
mod edit;
mod grow;
mod items;
mod lookup;
mod range;
mod read;
mod ready;
mod remarks;
#[cfg(test)]
mod tests;
pub mod words;
mod write;

use std::hash::BuildHasher;
use std::path::Path;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

pub use build::Builder;
pub use check::{Fit, Misfit, Occurrence, check};
pub use draw::{DrawOptions, draw};
use grow::{Grower, Origin};
pub use items::append_with_ancestors;
pub use items::{ItemTree, Node};
use lookup::NumberIndex;
use privet_core::{Error, Result};
pub use range::Range;
pub use range::number;
pub use ready::{READY, Ready};
pub use remarks::remarks;

/// The label of the root where Privet makes the tree itself.
pub const ROOT_LABEL: &str = "*";

/// A node of a taxonomy. Nodes are numbered in depth-first order, so the root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree of values. Leaves are numbered 0… in depth-first order, and every node covers a range of them.
///
/// Methods that take a [`NodeId`], a leaf or a level expect one of this taxonomy and panic on any other.
///
/// ```
/// use privet_taxonomy::Taxonomy;
/// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
/// let tree = Taxonomy::from_paths(&[path("Oslo;Norway;*"), path("Bergen;Norway;*"), path("Rome;Italy;*")])?;
/// let norway = tree.find("Norway").unwrap();
/// assert_eq!(tree.leaves_below(norway), 0..2);
/// assert_eq!(tree.levels(), 3);
/// assert_eq!(tree.label(tree.at_level(2, 1)), "Italy");
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Taxonomy {
    /// All labels in one piece of text; `label_ends[v]` is where the label of node `v` ends.
    text: String,
    label_ends: Vec<usize>,
    /// The root is its own parent here.
    parents: Vec<NodeId>,
    /// Children of all nodes one after the other; those of `v` end at `child_ends[v]`.
    children: Vec<NodeId>,
    child_ends: Vec<u32>,
    /// One past the last node of the subtree.
    subtree_ends: Vec<u32>,
    /// How many leaves come before node `v`; one entry more than there are nodes.
    leaves_before: Vec<u32>,
    leaf_nodes: Vec<NodeId>,
    depths: Vec<u32>,
    heights: Vec<u32>,
    /// The highest level at which a node stands for the leaves below it. It grows strictly towards the root, so the
    /// node for a leaf at a level is the first one on the way up that reaches the level.
    tops: Vec<u32>,
    by_label: HashTable<NodeId>,
    hasher: RandomState,
    numbers: NumberIndex,
}

impl Taxonomy {
    /// Reads a hierarchy file: one line per leaf, `leaf;…;root`.
    ///
    /// The delimiter is `;`, tab or `,`; there is no header line. Lines may differ in length.
    pub fn read(path: &Path) -> Result<Taxonomy> {
        read::read(path)
    }

    /// Builds a tree from paths `[leaf, …, root]`, one per leaf.
    pub fn from_paths(paths: &[Vec<String>]) -> Result<Taxonomy> {
        let mut grower = Grower::new(Origin::Path);
        for (number, path) in (1..).zip(paths) {
            grower.add(number, path.iter().map(String::as_str))?;
        }
        grower.finish()
    }

    /// The tree in which every value is a child of the root `*`.
    pub fn flat<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Taxonomy> {
        let mut grower = Grower::new(Origin::Path);
        for (number, value) in (1..).zip(values) {
            grower.add(number, [value, ROOT_LABEL].into_iter())?;
        }
        grower.finish()
    }

    /// The same tree with one more leaf directly below the root (a missing value kept as a value of its own).
    ///
    /// A tree that has this leaf already stays as it is. The label may be empty.
    pub fn with_leaf(&self, label: &str) -> Result<Taxonomy> {
        if let Some(node) = self.find(label) {
            if self.is_leaf(node) && node != self.root() {
                return Ok(self.clone());
            }
            return Err(Error::input(format!(
                "'{label}' cannot be a leaf: it is an inner node of the hierarchy"
            ))
            .help("rename that node in the hierarchy, or spell the value differently"));
        }
        let Some(sibling) = self.children(self.root()).first() else {
            let root = self.label(self.root());
            return Err(Error::input(format!("the hierarchy has no value but its root '{root}'"))
                .help("write at least one line 'value;root'"));
        };
        let mut labels: Vec<&str> = (0..self.parents.len()).map(|v| self.label_at(v)).collect();
        let mut parents: Vec<u32> = self.parents.iter().map(|parent| parent.0).collect();
        let mut tops = self.tops.clone();
        labels.push(label);
        parents.push(0);
        tops.push(self.tops[sibling.index()]);
        Taxonomy::assemble(&labels, &parents, 0, Some(&tops))
    }

    /// The same tree, where a leaf has another label, which may be empty; `None` where there is no such leaf, or the label is
    /// taken.
    ///
    /// ```
    /// use privet_taxonomy::Taxonomy;
    ///
    /// let tree = Taxonomy::flat(["a", "?"])?.relabelled("?", "")?.expect("a leaf");
    /// assert!(tree.find("").is_some() && tree.find("?").is_none());
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn relabelled(&self, leaf: &str, label: &str) -> Result<Option<Taxonomy>> {
        let Some(node) = self.find(leaf).filter(|node| self.is_leaf(*node) && *node != self.root()) else {
            return Ok(None);
        };
        if self.find(label).is_some() {
            return Ok(None);
        }
        let mut labels: Vec<&str> = (0..self.parents.len()).map(|v| self.label_at(v)).collect();
        labels[node.index()] = label;
        let parents: Vec<u32> = self.parents.iter().map(|parent| parent.0).collect();
        Taxonomy::assemble(&labels, &parents, 0, Some(&self.tops)).map(Some)
    }

    /// Numbers the nodes of a tree in depth-first preorder and derives everything else.
    ///
    /// `parents[root]` is `root`; siblings keep the order of the input. Without `tops`, levels are aligned at the root.
    fn assemble(labels: &[&str], parents: &[u32], root: u32, tops: Option<&[u32]>) -> Result<Taxonomy> {
        let count = labels.len();
        if u32::try_from(count).is_err() {
            return Err(Error::input(format!("a hierarchy of {count} nodes is too large")));
        }
        let order = preorder(parents, root);
        let mut new_id = vec![0u32; count];
        for (new, &old) in (0u32..).zip(&order) {
            new_id[old as usize] = new;
        }
        let parents: Vec<NodeId> =
            order.iter().map(|&old| NodeId(new_id[parents[old as usize] as usize])).collect();

        let mut depths = vec![0u32; count];
        for v in 1..count {
            depths[v] = depths[parents[v].index()] + 1;
        }
        let mut heights = vec![0u32; count];
        let mut subtree_ends: Vec<u32> = (1..).take(count).collect();
        let mut child_counts = vec![0u32; count];
        for v in (1..count).rev() {
            let parent = parents[v].index();
            heights[parent] = heights[parent].max(heights[v] + 1);
            subtree_ends[parent] = subtree_ends[parent].max(subtree_ends[v]);
            child_counts[parent] += 1;
        }
        let mut child_ends = vec![0u32; count];
        let mut next = 0;
        for v in 0..count {
            child_ends[v] = next;
            next += child_counts[v];
        }
        let mut children = vec![NodeId(0); count - 1];
        for (id, parent) in (1u32..).zip(&parents[1..]) {
            let slot = &mut child_ends[parent.index()];
            children[*slot as usize] = NodeId(id);
            *slot += 1;
        }
        let mut leaf_nodes = Vec::new();
        let mut leaves_before = Vec::with_capacity(count + 1);
        for (id, &height) in (0u32..).zip(&heights) {
            leaves_before.push(leaf_nodes.len() as u32);
            if height == 0 {
                leaf_nodes.push(NodeId(id));
            }
        }
        leaves_before.push(leaf_nodes.len() as u32);
        let tops = match tops {
            Some(tops) if count > 1 => order.iter().map(|&old| tops[old as usize]).collect(),
            _ => depths.iter().map(|depth| heights[0] - depth).collect(),
        };

        let mut text = String::with_capacity(labels.iter().map(|label| label.len()).sum());
        let mut label_ends = Vec::with_capacity(count);
        let hasher = RandomState::default();
        let mut by_label = HashTable::with_capacity(count);
        for (new, &old) in (0u32..).zip(&order) {
            let label = labels[old as usize];
            text.push_str(label);
            label_ends.push(text.len());
            by_label.insert_unique(hasher.hash_one(label), NodeId(new), |node: &NodeId| {
                hasher.hash_one(labels[order[node.index()] as usize])
            });
        }
        let numbers =
            NumberIndex::new(leaf_nodes.iter().map(|leaf| (*leaf, labels[order[leaf.index()] as usize])));
        Ok(Taxonomy {
            text,
            label_ends,
            parents,
            children,
            child_ends,
            subtree_ends,
            leaves_before,
            leaf_nodes,
            depths,
            heights,
            tops,
            by_label,
            hasher,
            numbers,
        })
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Never: a taxonomy has at least a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All nodes, parents before their children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.parents.len() as u32).map(NodeId)
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaf_nodes.len()
    }

    /// The node of the `leaf`-th leaf in depth-first order.
    pub fn leaf(&self, leaf: usize) -> NodeId {
        self.leaf_nodes[leaf]
    }

    /// The label of a node.
    pub fn label(&self, node: NodeId) -> &str {
        self.label_at(node.index())
    }

    fn label_at(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.label_ends[index - 1] };
        &self.text[start..self.label_ends[index]]
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node != self.root()).then(|| self.parents[node.index()])
    }

    /// The children, in the file's order.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let index = node.index();
        let start = if index == 0 { 0 } else { self.child_ends[index - 1] };
        &self.children[start as usize..self.child_ends[index] as usize]
    }

    /// Whether the node has no children.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.heights[node.index()] == 0
    }

    /// The leaves below a node, as positions in depth-first order.
    pub fn leaves_below(&self, node: NodeId) -> std::ops::Range<usize> {
        let end = self.subtree_ends[node.index()] as usize;
        self.leaves_before[node.index()] as usize..self.leaves_before[end] as usize
    }

    /// Steps from the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.depths[node.index()] as usize
    }

    /// Most steps from the node down to a leaf.
    pub fn height(&self, node: NodeId) -> usize {
        self.heights[node.index()] as usize
    }

    /// Whether `below` is `above` or one of its descendants.
    pub fn contains(&self, above: NodeId, below: NodeId) -> bool {
        above <= below && below.0 < self.subtree_ends[above.index()]
    }

    /// The lowest node above two leaves (by position) and all between them.
    pub fn lowest_above(&self, low: usize, high: usize) -> NodeId {
        let mut node = self.leaf_nodes[low];
        while !self.leaves_below(node).contains(&high) {
            match self.parent(node) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        node
    }

    /// The node with this label.
    pub fn find(&self, label: &str) -> Option<NodeId> {
        self.by_label.find(self.hasher.hash_one(label), |node| self.label(*node) == label).copied()
    }

    /// The leaf a value of the data belongs to: the leaf with that label, or the range leaf that holds the number.
    ///
    /// A leaf whose label is the same number in another spelling (`5` for `5.0`) holds it too. An error if several
    /// leaves hold the number: the hierarchy then does not say how to generalise it.
    ///
    /// ```
    /// use privet_taxonomy::Taxonomy;
    /// let tree = Taxonomy::flat(["15-19", "[20,25)", ">=25", "unknown"])?;
    /// assert_eq!(tree.leaf_of("17")?, tree.find("15-19"));
    /// assert_eq!(tree.leaf_of("24.9")?, tree.find("[20,25)"));
    /// assert_eq!(tree.leaf_of("19.5")?, None);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn leaf_of(&self, value: &str) -> Result<Option<NodeId>> {
        if let Some(node) = self.find(value)
            && self.is_leaf(node)
        {
            return Ok(Some(node));
        }
        let Some(number) = range::number(value) else { return Ok(None) };
        match self.numbers.holding(number) {
            (Some(one), Some(two)) => {
                let (one, two) = (self.label(one), self.label(two));
                Err(Error::input(format!(
                    "'{one}' and '{two}' of the hierarchy both hold the value '{value}'"
                ))
                .help("make the ranges of the leaves disjoint, such as [10,20) and [20,30)"))
            }
            (Some(leaf), None) => {
                let label = self.label(leaf);
                let holds = Range::parse(label).is_some() || range::same_decimal(label, value);
                Ok(holds.then_some(leaf))
            }
            (None, _) => Ok(None),
        }
    }

    /// The number of generalisation levels, the leaf level (0) and the root level included.
    ///
    /// Where all lines of the file have the same length and every column is a cut, level `i` is column `i`. In any
    /// other tree levels are aligned at the root: level `l` of a tree of height `h` holds the nodes at depth `h - l`
    /// and the leaves above them.
    pub fn levels(&self) -> usize {
        self.tops[0] as usize + 1
    }

    /// The node that stands for a leaf (by position) at a level. Each level is a cut, and level `l + 1` is coarser than `l`.
    pub fn at_level(&self, leaf: usize, level: usize) -> NodeId {
        assert!(level < self.levels(), "a level of this taxonomy");
        let mut node = self.leaf_nodes[leaf];
        while (self.tops[node.index()] as usize) < level {
            node = self.parents[node.index()];
        }
        node
    }

    /// The nodes of a level from left to right, together covering every leaf once.
    ///
    /// One pass over the tree, where [`at_level`](Self::at_level) climbs from each leaf.
    pub fn level(&self, level: usize) -> Vec<NodeId> {
        assert!(level < self.levels(), "a level of this taxonomy");
        let mut cut = Vec::new();
        let mut next = 0;
        while next < self.parents.len() {
            // The first node on the way down that has a child below the level, or none at all, stands for its leaves.
            let below = self.children(NodeId(next as u32)).first().map(|child| self.tops[child.index()]);
            if below.is_none_or(|top| (top as usize) < level) {
                cut.push(NodeId(next as u32));
                next = self.subtree_ends[next] as usize;
            } else {
                next += 1;
            }
        }
        cut
    }
}

/// The nodes of a tree, each before its children and siblings in the order of their numbers.
fn preorder(parents: &[u32], root: u32) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    // Linked lists of siblings, first to last.
    let mut first_child = vec![NONE; parents.len()];
    let mut next_sibling = vec![NONE; parents.len()];
    for id in (0..parents.len() as u32).rev().filter(|id| *id != root) {
        let parent = parents[id as usize] as usize;
        next_sibling[id as usize] = first_child[parent];
        first_child[parent] = id;
    }
    let mut order = Vec::with_capacity(parents.len());
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        order.push(node);
        if next_sibling[node as usize] != NONE {
            waiting.push(next_sibling[node as usize]);
        }
        if first_child[node as usize] != NONE {
            waiting.push(first_child[node as usize]);
        }
    }
    order
}
