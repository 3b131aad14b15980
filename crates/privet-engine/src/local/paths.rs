//! The way from its root to each item, so that the child of a node towards an item is one look-up.

use privet_taxonomy::{ItemTree, Node};

pub(super) struct Paths {
    depths: Vec<u32>,
    /// Where a leaf's path begins among the steps; meaningless for other nodes.
    begins: Vec<usize>,
    steps: Vec<Node>,
}

impl Paths {
    pub(super) fn of(tree: &ItemTree) -> Paths {
        let depths = tree.nodes().map(|node| tree.depth(node)).collect();
        let mut paths = Paths { depths, begins: vec![0; tree.len()], steps: Vec::new() };
        // Preorder: the nodes above the current one, from the root down.
        let mut above: Vec<Node> = Vec::new();
        for node in tree.nodes() {
            above.truncate(paths.depths[node as usize] as usize);
            above.push(node);
            if tree.is_leaf(node) {
                paths.begins[node as usize] = paths.steps.len();
                paths.steps.extend_from_slice(&above);
            }
        }
        paths
    }

    /// How many edges are between a node and its root.
    pub(super) fn depth(&self, node: Node) -> usize {
        self.depths[node as usize] as usize
    }

    /// The node above an item, or the item itself, that is this deep.
    pub(super) fn at(&self, item: Node, depth: usize) -> Node {
        self.steps[self.begins[item as usize] + depth]
    }
}
