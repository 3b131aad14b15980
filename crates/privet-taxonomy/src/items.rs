//! Trees of items: like a [`Taxonomy`], but there may be several trees side by side, and nodes are plain numbers that the
//! searches over itemsets compute with.

use std::path::Path;

use super::grow::{Grower, Origin};
use super::{NodeId, ROOT_LABEL, Taxonomy, read};
use privet_core::Result;

/// Stands above every root while the file is read. No file can hold it: NUL bytes are refused.
const ABOVE: &str = "\0";

/// A node of an item tree, numbered in depth-first preorder over all trees: a node's descendants are the numbers behind it
/// up to its end.
pub type Node = u32;

/// A forest of items. Leaves are items, inner nodes are what they generalise to.
///
/// Methods that take a [`Node`] expect one of this tree and panic on any other.
///
/// ```
/// use privet_taxonomy::ItemTree;
/// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
/// let tree = ItemTree::from_paths(&[path("Beer;Liquor"), path("Wine;Liquor"), path("Milk;Dairy;Food")])?;
/// let liquor = tree.find("Liquor").unwrap();
/// assert_eq!(tree.roots().map(|root| tree.label(root)).collect::<Vec<_>>(), ["Liquor", "Food"]);
/// assert_eq!(tree.children(liquor).map(|child| tree.label(child)).collect::<Vec<_>>(), ["Beer", "Wine"]);
/// assert_eq!((tree.leaves(liquor), tree.total_leaves()), (2, 3));
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ItemTree {
    /// All trees below one node that nobody sees: node `v` here is node `v + 1` there.
    taxonomy: Taxonomy,
    /// Roots are their own parents.
    parent: Vec<Node>,
    end: Vec<Node>,
    leaves: Vec<u32>,
}

impl ItemTree {
    /// Reads a hierarchy file: one line per item, `item;…;root`. Lines may end in different roots; an item that has two is
    /// an error.
    pub fn read(path: &Path) -> Result<ItemTree> {
        read::read_below(path, ABOVE).map(ItemTree::new)
    }

    /// Builds a forest from paths `[item, …, root]`, one per item; an item that has two is an error.
    pub fn from_paths(paths: &[Vec<String>]) -> Result<ItemTree> {
        let mut grower = Grower::new(Origin::Path).once();
        for (number, path) in (1..).zip(paths) {
            grower.add(number, path.iter().map(String::as_str).chain([ABOVE]))?;
        }
        grower.finish().map(ItemTree::new)
    }

    /// The tree in which every item is a child of the root `*`; without items, the root alone.
    pub fn flat<'a>(items: impl IntoIterator<Item = &'a str>) -> Result<ItemTree> {
        let mut grower = Grower::new(Origin::Path);
        for (number, item) in (1..).zip(items) {
            grower.add(number, [item, ROOT_LABEL, ABOVE].into_iter())?;
        }
        if grower.is_empty() {
            grower.add(1, [ROOT_LABEL, ABOVE].into_iter())?;
        }
        grower.finish().map(ItemTree::new)
    }

    fn new(taxonomy: Taxonomy) -> ItemTree {
        let nodes = || taxonomy.nodes().skip(1);
        let parent = nodes().map(|node| match taxonomy.parent(node) {
            Some(NodeId(above)) if above > 0 => above - 1,
            _ => node.0 - 1,
        });
        let parent = parent.collect();
        let leaves: Vec<u32> = nodes().map(|node| taxonomy.leaves_below(node).len() as u32).collect();
        let mut end: Vec<Node> = (1..taxonomy.len() as u32).collect();
        for node in nodes().collect::<Vec<_>>().into_iter().rev() {
            if let Some(last) = taxonomy.children(node).last() {
                end[node.index() - 1] = end[last.index() - 1];
            }
        }
        ItemTree { taxonomy, parent, end, leaves }
    }

    /// The trees without some of their leaves, and without groups that nothing is left of; an error if nothing is left at all.
    pub fn without(&self, leaves: &[Node]) -> Result<ItemTree> {
        let kept = self.nodes().filter(|node| self.is_leaf(*node) && !leaves.contains(node));
        let path = |leaf: Node| {
            let nodes = std::iter::once(leaf).chain(self.ancestors(leaf));
            nodes.map(|node| self.label(node).to_string()).collect()
        };
        ItemTree::from_paths(&kept.map(path).collect::<Vec<Vec<String>>>())
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// All nodes, parents before their children.
    pub fn nodes(&self) -> std::ops::Range<Node> {
        0..self.len() as Node
    }

    /// The roots, from left to right.
    pub fn roots(&self) -> impl Iterator<Item = Node> + '_ {
        self.taxonomy.children(self.taxonomy.root()).iter().map(|node| node.0 - 1)
    }

    /// The children of a node, from left to right.
    pub fn children(&self, node: Node) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + '_ {
        self.taxonomy.children(NodeId(node + 1)).iter().map(|child| child.0 - 1)
    }

    /// The parent; `None` for a root.
    pub fn parent(&self, node: Node) -> Option<Node> {
        let above = self.parent[node as usize];
        (above != node).then_some(above)
    }

    /// The proper ancestors, nearest first.
    pub fn ancestors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.parent(node), |above| self.parent(*above))
    }

    /// How many edges lie between a node and its root.
    pub fn depth(&self, node: Node) -> u32 {
        self.taxonomy.depth(NodeId(node + 1)) as u32 - 1
    }

    /// The lowest node that is above both or one of the two; `None` if they are in different trees.
    pub fn lowest_common(&self, one: Node, other: Node) -> Option<Node> {
        let mut node = one;
        while !self.contains(node, other) {
            node = self.parent(node)?;
        }
        Some(node)
    }

    /// The number of edges between two nodes; `None` if they are in different trees.
    pub fn distance(&self, one: Node, other: Node) -> Option<u32> {
        let common = self.lowest_common(one, other)?;
        Some(self.depth(one) + self.depth(other) - 2 * self.depth(common))
    }

    /// Ascending nodes with all that is above them, ascending, each once.
    pub fn with_ancestors(&self, nodes: &[Node]) -> Vec<Node> {
        let mut all = Vec::new();
        append_with_ancestors(&mut all, nodes.iter().copied(), |node| self.parent(node));
        all
    }

    /// One past the last descendant.
    pub fn end(&self, node: Node) -> Node {
        self.end[node as usize]
    }

    /// Whether `below` is `above` or one of its descendants.
    pub fn contains(&self, above: Node, below: Node) -> bool {
        (above..self.end(above)).contains(&below)
    }

    /// Whether the node is an item.
    pub fn is_leaf(&self, node: Node) -> bool {
        self.end(node) == node + 1
    }

    /// How many items are below the node; 1 for an item.
    pub fn leaves(&self, node: Node) -> u32 {
        self.leaves[node as usize]
    }

    /// How many items there are, whether or not the data holds them.
    pub fn total_leaves(&self) -> u32 {
        self.taxonomy.leaves() as u32
    }

    /// The label of a node.
    pub fn label(&self, node: Node) -> &str {
        self.taxonomy.label(NodeId(node + 1))
    }

    /// The node with this label.
    pub fn find(&self, label: &str) -> Option<Node> {
        self.taxonomy.find(label).filter(|node| node.0 > 0).map(|node| node.0 - 1)
    }

    /// The number of cuts: ways to choose, in each tree, nodes that cover every item once.
    pub fn cuts(&self) -> num_bigint::BigUint {
        let mut below = vec![num_bigint::BigUint::from(1u32); self.len()];
        for node in self.nodes().rev().filter(|node| !self.is_leaf(*node)) {
            let product: num_bigint::BigUint =
                self.children(node).map(|child| &below[child as usize]).product();
            below[node as usize] = product + 1u32;
        }
        self.roots().map(|root| &below[root as usize]).product()
    }
}

/// Appends ascending nodes with all that is above them, ascending, each once. Works for any numbering in preorder, whose
/// parents `parent` knows.
pub fn append_with_ancestors(
    into: &mut Vec<Node>,
    nodes: impl Iterator<Item = Node>,
    parent: impl Fn(Node) -> Option<Node>,
) {
    let begin = into.len();
    for node in nodes {
        // Ancestors come in preorder before their descendants: those that an earlier node shares are in already.
        let last = into[begin..].last().copied();
        let from = into.len();
        let mut next = Some(node);
        while let Some(node) = next.filter(|node| last.is_none_or(|last| *node > last)) {
            into.push(node);
            next = parent(node);
        }
        into[from..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(lines: &[&str]) -> ItemTree {
        let paths: Vec<Vec<String>> =
            lines.iter().map(|line| line.split(';').map(String::from).collect()).collect();
        ItemTree::from_paths(&paths).expect("a forest")
    }

    #[test]
    fn nodes_are_numbered_in_preorder_over_all_trees() {
        let forest = tree(&["a;P;R", "b;P;R", "c;R", "d;S"]);
        let labels: Vec<&str> = forest.nodes().map(|node| forest.label(node)).collect();
        assert_eq!(labels, ["R", "P", "a", "b", "c", "S", "d"]);
        let ends: Vec<Node> = forest.nodes().map(|node| forest.end(node)).collect();
        assert_eq!(ends, [5, 4, 3, 4, 5, 7, 7]);
        assert_eq!(forest.parent(0), None);
        assert_eq!(forest.parent(5), None);
        assert_eq!(forest.ancestors(2).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(forest.with_ancestors(&[2, 3, 6]), [0, 1, 2, 3, 5, 6]);
        assert_eq!(forest.nodes().map(|node| forest.leaves(node)).collect::<Vec<_>>(), [3, 2, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn a_flat_tree_has_one_root_even_without_items() {
        let flat = ItemTree::flat(["b", "a"]).expect("a tree");
        assert_eq!(flat.nodes().map(|node| flat.label(node)).collect::<Vec<_>>(), ["*", "b", "a"]);
        let bare = ItemTree::flat([]).expect("a tree");
        assert_eq!((bare.len(), bare.label(0), bare.total_leaves()), (1, "*", 1));
    }

    #[test]
    fn an_item_is_listed_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("items.csv");
        std::fs::write(&path, "a;G\n\nb;G\na;G\n").expect("written");
        let error = ItemTree::read(&path).expect_err("twice");
        assert_eq!((error.line(), error.message()), (Some(4), "'a' is listed twice, first on line 1"));
        assert!(error.remedy().is_some() && error.file() == Some(path.as_path()), "{error}");
        std::fs::write(&path, "a;G\na;H\n").expect("written");
        let error = ItemTree::read(&path).expect_err("two parents");
        assert!(error.message().contains("two parents"), "{error}");
        let paths = [vec!["a".to_string()], vec!["b".to_string()], vec!["a".to_string()]];
        let error = ItemTree::from_paths(&paths).expect_err("twice");
        assert_eq!(error.message(), "path 3: 'a' is listed twice, first on path 1");
    }

    #[test]
    fn cuts_are_counted() {
        assert_eq!(tree(&["a;P;R", "b;P;R", "c;R", "d;S"]).cuts(), 6u32.into());
        assert_eq!(tree(&["a"]).cuts(), 1u32.into());
    }
}
