//! Pruning I: which nodes would make an itemset a specialisation of a known threat.
//!
//! The answer is stored as bits for every itemset on the current path, so a query is a single lookup. When an itemset
//! is entered, the prefixes of threats that generalise it follow from those of the itemsets above; when a threat is
//! found, only the itemsets on the path to it need an update.

use super::family::ROOT;
use super::threats::{InverseTree, PathFrame};
use privet_taxonomy::Node;

/// What pruning I knows about an itemset.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// The prefixes of threats that generalise this itemset but not the previous one.
    reached: Vec<u32>,
    /// The nodes that cannot be added without specialising a threat, as bits.
    covered: Vec<u64>,
}

impl Shadow {
    /// Whether the itemset with this node specialises a threat.
    pub fn covers(&self, node: Node) -> bool {
        self.covered[node as usize / 64] >> (node % 64) & 1 == 1
    }

    fn cover(&mut self, start: Node, end: Node) {
        let (start, end) = (start as usize, end as usize);
        let (first, last) = (start / 64, (end - 1) / 64);
        for word in first..=last {
            let from = if word == first { u64::MAX << (start % 64) } else { u64::MAX };
            let to = if word == last { u64::MAX >> (63 - (end - 1) % 64) } else { u64::MAX };
            self.covered[word] |= from & to;
        }
    }
}

impl InverseTree<'_> {
    /// Computes the shadow of an itemset that is about to be entered.
    pub(super) fn cast_shadow(&mut self, frame: &PathFrame) {
        let (tree, family) = (self.tree, &self.known.family);
        let depth = self.frames.len();
        if self.shadows.len() == depth {
            self.shadows.push(Shadow::default());
        }
        let (before, rest) = self.shadows.split_at_mut(depth);
        let shadow = &mut rest[0];
        shadow.reached.clear();
        shadow.covered.clear();
        match before.last() {
            None => {
                shadow.covered.resize(tree.len().div_ceil(64), 0);
                shadow.reached.push(ROOT);
            }
            Some(last) => {
                shadow.covered.extend_from_slice(&last.covered);
                // An ancestor of a member adds nothing to the member.
                if self.above[frame.node as usize] == 0 {
                    for prefix in before.iter().flat_map(|shadow| &shadow.reached) {
                        family.lengthen(tree, *prefix, frame.node, &mut shadow.reached);
                    }
                }
            }
        }
        for at in 0..shadow.reached.len() {
            let prefix = shadow.reached[at];
            if family.is_set(prefix) {
                shadow.covered.fill(u64::MAX);
            }
            for last in family.last_members(prefix) {
                shadow.cover(last, tree.end(last));
            }
        }
    }

    /// Updates the itemsets on the path to a new threat. They contain all its members except the last.
    pub(super) fn spread_shadows(&mut self, threat: &[Node]) {
        let mut beginnings = Vec::new();
        self.known.family.insert(threat, &mut beginnings);
        let Some(last) = threat.last() else { return };
        let mut included = 0;
        for (frame, shadow) in self.frames.iter().zip(&mut self.shadows) {
            if threat.get(included) == Some(&frame.node) {
                let (prefix, is_new) = beginnings[included];
                included += 1;
                if is_new && included < threat.len() {
                    shadow.reached.push(prefix);
                }
            }
            if included + 1 == threat.len() {
                shadow.cover(*last, self.tree.end(*last));
            } else if included == threat.len() {
                shadow.covered.fill(u64::MAX);
            }
        }
    }
}
