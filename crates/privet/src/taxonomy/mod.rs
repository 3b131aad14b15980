//! Trees of values, from the leaves that data holds up to one root: how a value may be generalised.

use std::ops::Range;
use std::path::Path;

use crate::Result;

/// A node of a taxonomy. Nodes are numbered in depth-first order, so the root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A tree of values. Leaves are numbered 0… in depth-first order, and every node covers a range of them.
#[derive(Debug, Clone)]
pub struct Taxonomy {}

impl Taxonomy {
    /// Reads a hierarchy file: one line per leaf, `leaf;…;root`.
    pub fn read(_path: &Path) -> Result<Taxonomy> {
        todo!()
    }

    /// Builds a tree from paths `[leaf, …, root]`, one per leaf.
    pub fn from_paths(_paths: &[Vec<String>]) -> Result<Taxonomy> {
        todo!()
    }

    /// The tree in which every value is a child of the root `*`.
    pub fn flat<'a>(_values: impl IntoIterator<Item = &'a str>) -> Result<Taxonomy> {
        todo!()
    }

    /// The same tree with one more leaf directly below the root (a missing value kept as a value of its own).
    pub fn with_leaf(&self, _label: &str) -> Result<Taxonomy> {
        todo!()
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Never: a taxonomy has at least a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        todo!()
    }

    /// The node of the `leaf`-th leaf in depth-first order.
    pub fn leaf(&self, _leaf: usize) -> NodeId {
        todo!()
    }

    /// The label of a node.
    pub fn label(&self, _node: NodeId) -> &str {
        todo!()
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, _node: NodeId) -> Option<NodeId> {
        todo!()
    }

    /// The children, in the file's order.
    pub fn children(&self, _node: NodeId) -> &[NodeId] {
        todo!()
    }

    /// Whether the node has no children.
    pub fn is_leaf(&self, _node: NodeId) -> bool {
        todo!()
    }

    /// The leaves below a node, as positions in depth-first order.
    pub fn leaves_below(&self, _node: NodeId) -> Range<usize> {
        todo!()
    }

    /// Steps from the root.
    pub fn depth(&self, _node: NodeId) -> usize {
        todo!()
    }

    /// Most steps from the node down to a leaf.
    pub fn height(&self, _node: NodeId) -> usize {
        todo!()
    }

    /// Whether `below` is `above` or one of its descendants.
    pub fn contains(&self, _above: NodeId, _below: NodeId) -> bool {
        todo!()
    }

    /// The node with this label.
    pub fn find(&self, _label: &str) -> Option<NodeId> {
        todo!()
    }

    /// The leaf a value of the data belongs to: the leaf with that label, or the range leaf that holds the number.
    pub fn leaf_of(&self, _value: &str) -> Result<Option<NodeId>> {
        todo!()
    }

    /// The number of generalisation levels, the leaf level (0) and the root level included.
    pub fn levels(&self) -> usize {
        todo!()
    }

    /// The node that stands for a leaf (by position) at a level. Each level is a cut, and level `l + 1` is coarser than `l`.
    pub fn at_level(&self, _leaf: usize, _level: usize) -> NodeId {
        todo!()
    }
}
