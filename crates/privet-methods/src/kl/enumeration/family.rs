//! Sets of unrelated nodes, and whether one of them is a *generalisation* of a given set: each of its members is in the
//! set or is an ancestor of a member (section 4.2.4).
//!
//! The sets are stored as a trie with members in descending order. Let E be the given set with all ancestors; a
//! generalisation is a subset of E. Unrelated nodes keep their order when they are replaced by unrelated ancestors, so
//! a walk through the given set in descending order meets the members of every generalisation in the order of the trie.

use hashbrown::HashMap;

use privet_taxonomy::{ItemTree, Node};

/// The trie's root: the empty prefix.
pub const ROOT: u32 = 0;
/// No prefix.
const NONE: u32 = u32::MAX;

/// A family of sets of unrelated nodes.
#[derive(Debug)]
pub struct Family {
    children: HashMap<(u32, Node), u32>,
    prefixes: Vec<Prefix>,
}

#[derive(Debug)]
struct Prefix {
    last: Node,
    /// Whether it is a complete set.
    is_set: bool,
    /// The latest complete set that extends this prefix by one member, and the previous sibling of this prefix.
    longer: u32,
    before: u32,
}

impl Family {
    /// An empty family.
    pub fn new() -> Family {
        let root = Prefix { last: 0, is_set: false, longer: NONE, before: NONE };
        Family { children: HashMap::new(), prefixes: vec![root] }
    }

    /// Adds a set, its members in descending order. Reports for each of its prefixes, the shortest first, which one it
    /// is and whether it is new.
    pub fn insert(&mut self, set: &[Node], beginnings: &mut Vec<(u32, bool)>) {
        beginnings.clear();
        let mut at = ROOT;
        for (depth, node) in set.iter().enumerate() {
            let new = self.prefixes.len() as u32;
            let next = *self.children.entry((at, *node)).or_insert(new);
            if next == new {
                self.prefixes.push(Prefix { last: *node, is_set: false, longer: NONE, before: NONE });
            }
            if depth + 1 == set.len() && !self.prefixes[next as usize].is_set {
                self.prefixes[next as usize].is_set = true;
                self.prefixes[next as usize].before =
                    std::mem::replace(&mut self.prefixes[at as usize].longer, next);
            }
            beginnings.push((next, next == new));
            at = next;
        }
    }

    /// The prefix extended by a node, if some set begins that way.
    pub fn child(&self, prefix: u32, node: Node) -> Option<u32> {
        self.children.get(&(prefix, node)).copied()
    }

    /// Whether a prefix is a complete set.
    pub fn is_set(&self, prefix: u32) -> bool {
        self.prefixes[prefix as usize].is_set
    }

    /// The nodes that complete a prefix to a set.
    pub fn last_members(&self, prefix: u32) -> impl Iterator<Item = Node> + '_ {
        let after = |at: u32| (at != NONE).then_some(at);
        let first = after(self.prefixes[prefix as usize].longer);
        std::iter::successors(first, move |at| after(self.prefixes[*at as usize].before))
            .map(|at| self.prefixes[at as usize].last)
    }

    /// Adds the prefixes that a member extends from those of the set without it.
    pub fn lengthen(&self, tree: &ItemTree, prefix: u32, member: Node, longer: &mut Vec<u32>) {
        let up = std::iter::once(member).chain(tree.ancestors(member));
        longer.extend(up.filter_map(|node| self.child(prefix, node)));
    }
}
