//! A hierarchy changed by hand: nodes are grouped, moved, renamed, or dissolved into their parent.

use super::{NodeId, Taxonomy};
use privet_core::{Error, Result};

impl Taxonomy {
    /// The same tree, where these nodes stand below a node of this name. An inner node of that name takes them in; else a new one
    /// is made below their lowest common ancestor. Inner nodes that are left without a leaf go.
    ///
    /// ```
    /// use privet_taxonomy::Taxonomy;
    /// let tree = Taxonomy::flat(["single", "married", "widowed"])?;
    /// let tree = tree.grouped(&["single", "widowed"], "alone")?;
    /// assert_eq!(tree.to_text()?, "single;alone;*\nwidowed;alone;*\nmarried;married;*\n");
    /// assert_eq!(tree.dissolved("alone")?.to_text()?, "single;*\nwidowed;*\nmarried;*\n");
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn grouped(&self, nodes: &[&str], group: &str) -> Result<Taxonomy> {
        let nodes = nodes.iter().map(|label| self.movable(label)).collect::<Result<Vec<NodeId>>>()?;
        let (Some(low), Some(high)) = (
            nodes.iter().map(|node| self.leaves_below(*node).start).min(),
            nodes.iter().map(|node| self.leaves_below(*node).end).max(),
        ) else {
            return Err(Error::input("there is nothing to group").help("choose one value or more"));
        };
        let label = group.trim();
        if label.is_empty() {
            return Err(Error::input("the group needs a name"));
        }
        let target = self.find(label);
        if let Some(target) = target {
            if self.is_leaf(target) && target != self.root() {
                return Err(Error::input(format!("'{label}' is a value, and cannot be a group too"))
                    .help("choose another name for the group"));
            }
            if let Some(inside) = nodes.iter().find(|node| self.contains(**node, target)) {
                let inside = self.label(*inside);
                return Err(Error::input(format!("'{inside}' cannot be moved below itself")));
            }
        }
        let above = match target {
            Some(target) => self.upwards(target),
            None => {
                let mut above = self.lowest_above(low, high - 1);
                while nodes.iter().any(|node| self.contains(*node, above)) {
                    above = self.parent(above).unwrap_or(self.root());
                }
                [vec![label.to_string()], self.upwards(above)].concat()
            }
        };
        let moved = |leaf: usize| {
            let node = nodes.iter().find(|node| self.leaves_below(**node).contains(&leaf))?;
            let own = self.path(leaf);
            let kept = self.depth(self.leaf(leaf)) - self.depth(*node) + 1;
            Some([&own[..kept], above.as_slice()].concat())
        };
        // The group stands where the first of its values stood.
        let mut paths: Vec<Vec<String>> = Vec::new();
        let all: Vec<(usize, Option<Vec<String>>)> =
            (0..self.leaves()).map(|leaf| (leaf, moved(leaf))).collect();
        let mut together = all.iter().filter_map(|(_, path)| path.clone()).collect::<Vec<_>>();
        for (leaf, path) in &all {
            match path {
                Some(_) => paths.append(&mut together),
                None => paths.push(self.path(*leaf)),
            }
        }
        Taxonomy::from_paths(&paths)
    }

    /// The same tree without an inner node: what stood below it stands below its parent.
    pub fn dissolved(&self, label: &str) -> Result<Taxonomy> {
        let node = self.movable(label)?;
        if self.is_leaf(node) {
            return Err(Error::input(format!("'{label}' is a value, not a group")).help("choose a group"));
        }
        let without = |leaf: usize| self.path(leaf).into_iter().filter(|name| name != label).collect();
        let paths: Vec<Vec<String>> = (0..self.leaves()).map(without).collect();
        Taxonomy::from_paths(&paths)
    }

    /// The same tree, where an inner node has another name.
    pub fn renamed(&self, label: &str, name: &str) -> Result<Taxonomy> {
        let node = self.find(label).filter(|node| !self.is_leaf(*node));
        if node.is_none() {
            return Err(Error::input(format!("there is no group '{label}'")).help("values keep their names"));
        }
        let name = name.trim();
        if name.is_empty() || (name != label && self.find(name).is_some()) {
            return Err(Error::input(format!("'{name}' cannot be the name of a group"))
                .help("choose one that no other node has"));
        }
        let other = |leaf: usize| {
            let own = self.path(leaf).into_iter().enumerate();
            own.map(|(at, own)| if at > 0 && own == label { name.to_string() } else { own }).collect()
        };
        let paths: Vec<Vec<String>> = (0..self.leaves()).map(other).collect();
        Taxonomy::from_paths(&paths)
    }

    /// A node that can be moved: any but the root.
    fn movable(&self, label: &str) -> Result<NodeId> {
        self.find(label).filter(|node| *node != self.root()).ok_or_else(|| {
            Error::input(format!("the hierarchy has no '{label}' below its root"))
                .help("choose one that it draws")
        })
    }

    /// The labels from a node to the root.
    fn upwards(&self, node: NodeId) -> Vec<String> {
        std::iter::successors(Some(node), |node| self.parent(*node))
            .map(|node| self.label(node).to_string())
            .collect()
    }

    /// The labels from a leaf to the root.
    fn path(&self, leaf: usize) -> Vec<String> {
        self.upwards(self.leaf(leaf))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(lines: &[&str]) -> Taxonomy {
        let paths: Vec<Vec<String>> =
            lines.iter().map(|line| line.split(';').map(String::from).collect()).collect();
        Taxonomy::from_paths(&paths).expect("a tree")
    }

    fn text(tree: Result<Taxonomy>) -> String {
        tree.and_then(|tree| tree.to_text()).expect("a tree")
    }

    #[test]
    fn values_move_between_groups_and_empty_groups_go() {
        let one = tree(&["a;x;*", "b;x;*", "c;y;*"]);
        assert_eq!(text(one.grouped(&["c"], "x")), "a;x;*\nb;x;*\nc;x;*\n");
        assert_eq!(text(one.grouped(&["b", "c"], "z")), "a;x;*\nb;z;*\nc;z;*\n");
        assert_eq!(text(one.grouped(&["a"], "*")), "a;a;*\nb;x;*\nc;y;*\n");
        assert_eq!(text(one.grouped(&["x", "y"], "all")), "a;x;all;*\nb;x;all;*\nc;y;all;*\n");
        assert_eq!(text(one.renamed("x", "w")), "a;w;*\nb;w;*\nc;y;*\n");
    }

    #[test]
    fn what_makes_no_tree_is_refused() {
        let one = tree(&["a;x;*", "b;x;*", "c;y;*"]);
        assert!(one.grouped(&["x"], "a").is_err() && one.grouped(&["x"], "x").is_err());
        assert!(one.grouped(&["*"], "z").is_err() && one.grouped(&["nobody"], "z").is_err());
        assert!(one.grouped(&[], "z").is_err() && one.grouped(&["a"], " ").is_err());
        assert!(one.dissolved("a").is_err() && one.dissolved("*").is_err());
        assert!(one.renamed("x", "y").is_err() && one.renamed("a", "z").is_err());
    }
}
