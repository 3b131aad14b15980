//! Distances in a tree, for terms that are at most a few steps apart.
//!
//! Growing a cluster asks for distances more often than for anything else. Within a short reach, only the lower end of
//! the path from a term to its root can matter, so only that is stored, by position: terms near each other, which are
//! the ones asked for, are adjacent in memory.

use super::stretch::Stretches;
use privet_taxonomy::words::Distances;

/// The number of nodes of the path to the root that are stored, including the term's own.
const KEPT: usize = 8;

/// Two terms within this distance meet at a node that is stored for both: it is at most this many steps above the
/// deeper one, and the other is at most this many steps higher.
const FARTHEST: u32 = KEPT as u32 - 1;

/// For every position, the lower end of the path to the root.
#[derive(Debug)]
pub(super) struct KinDistances {
    ends: Vec<LowerEnd>,
    reach: u32,
}

#[derive(Debug, Clone, Copy)]
struct LowerEnd {
    /// The nodes, each at its depth modulo their number.
    nodes: [u16; KEPT],
    /// The number of nodes on the whole path; 0 for a term that is not in a tree.
    length: u16,
}

impl KinDistances {
    /// The distances of a tree; `None` without a tree, if it is large, or if terms farther apart count as near.
    pub(super) fn new(distances: &Distances, stretches: &Stretches, epsilon: u32) -> Option<KinDistances> {
        let tree = distances.tree()?;
        if epsilon > FARTHEST || u16::try_from(tree.len()).is_err() {
            return None;
        }
        let end = |term| {
            let mut end = LowerEnd { nodes: [0; KEPT], length: 0 };
            if let Some(node) = distances.place(term) {
                let depth = tree.depth(node) as usize;
                // There are fewer nodes than a half can represent, so none is deeper.
                end.length = depth as u16 + 1;
                let up = std::iter::once(node).chain(tree.ancestors(node)).take(KEPT);
                for (steps, node) in up.enumerate() {
                    end.nodes[(depth - steps) % KEPT] = node as u16;
                }
            }
            end
        };
        Some(KinDistances { ends: stretches.order().iter().map(|term| end(*term)).collect(), reach: epsilon })
    }

    /// The distance of the terms at two positions; `None` if it is more than ε.
    #[inline]
    pub(super) fn between(&self, one: u32, other: u32) -> Option<u32> {
        if one == other {
            return Some(0);
        }
        let (one, other) = (&self.ends[one as usize], &self.ends[other as usize]);
        let (mine, theirs) = (u32::from(one.length), u32::from(other.length));
        let both = mine + theirs;
        // The number of nodes, from the root on, that they must share; paths that share a node share all nodes above
        // it.
        let least = both.saturating_sub(self.reach).div_ceil(2).max(1);
        let most = mine.min(theirs);
        let shares = |depth: u32| one.nodes[depth as usize % KEPT] == other.nodes[depth as usize % KEPT];
        if least > most || !shares(least - 1) {
            return None;
        }
        let deeper = (least..most).take_while(|depth| shares(*depth)).count() as u32;
        Some(both - 2 * (least + deeper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::cases;

    #[test]
    fn distances_are_those_of_the_tree() {
        let words = "Boots Goods Homo-milk Jackets Milk Pants Raw-milk Tea Vino Water Wine";
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        let bags = cases::bags(&[words], None);
        let distances = cases::distances(cases::goods(), &bags);
        for epsilon in 0..=FARTHEST {
            let neighbours = distances.neighbours(epsilon).expect("few");
            let stretches = Stretches::of(&distances, &neighbours);
            let kin = KinDistances::new(&distances, &stretches, epsilon).expect("a small tree");
            for (at, one) in (0..).zip(stretches.order()) {
                for (to, other) in (0..).zip(stretches.order()) {
                    assert_eq!(kin.between(at, to), distances.within(*one, *other, epsilon), "{at} {to}");
                }
            }
        }
        let neighbours = distances.neighbours(8).expect("few");
        assert!(KinDistances::new(&distances, &Stretches::of(&distances, &neighbours), 8).is_none());
    }
}
