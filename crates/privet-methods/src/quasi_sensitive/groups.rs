//! The groups of the first phase, and how they are merged when nothing else helps.

use std::collections::BTreeMap;

use super::super::mondrian::{MondrianSplitter, RecordPart};
use super::GroupFate;
use privet_engine::partition::Tree;

/// The groups. Each consists of one or more leaves of Mondrian's tree: several if they were merged, or if they look
/// alike in the release.
pub(super) struct MondrianGroups {
    /// Mondrian's tree: per node its parent, …
    parents: Vec<u32>,
    /// … and the leaves below it, as a range in depth-first order.
    below: Vec<(u32, u32)>,
    /// Per leaf, in depth-first order, its node.
    nodes: Vec<u32>,
    groups: Vec<MondrianGroup>,
    merged: u64,
}

struct MondrianGroup {
    /// In depth-first order.
    leaves: Vec<u32>,
    part: RecordPart,
    fate: Option<GroupFate>,
}

impl MondrianGroups {
    /// One group per leaf; leaves that look alike in the release share one.
    pub fn new(tree: Tree<RecordPart>, mondrian: &MondrianSplitter<'_>) -> MondrianGroups {
        let (below, place) = depth_first(&tree);
        let mut leaves = tree.leaves;
        leaves.sort_by_key(|(node, _)| place[*node as usize]);
        let nodes = leaves.iter().map(|(node, _)| *node).collect();
        let groups = (0u32..)
            .zip(leaves)
            .map(|(leaf, (_, part))| MondrianGroup { leaves: vec![leaf], part, fate: None })
            .collect();
        let mut groups = MondrianGroups { parents: tree.parents, below, nodes, groups, merged: 0 };
        groups.join_lookalikes(mondrian);
        groups
    }

    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn part(&self, group: usize) -> &RecordPart {
        &self.groups[group].part
    }

    /// The number of groups that were merged because nothing else helped.
    pub fn merged(&self) -> u64 {
        self.merged
    }

    pub fn is_settled(&self, group: usize) -> bool {
        self.groups[group].fate.is_some()
    }

    pub fn settle(&mut self, group: usize, fate: GroupFate) {
        self.groups[group].fate = Some(fate);
    }

    /// The fates of all groups, which are final.
    pub fn take_fates(&mut self) -> Vec<GroupFate> {
        self.groups.iter_mut().map(|group| group.fate.take().unwrap_or(GroupFate::Withheld)).collect()
    }

    /// Merges each of the given groups with its siblings: all groups below the lowest node of the tree that contains
    /// more than the group become one. False if a group is already the whole table.
    pub fn merge(&mut self, hopeless: &[usize], mondrian: &MondrianSplitter<'_>) -> bool {
        let mut owner = vec![0; self.nodes.len()];
        for (at, group) in self.groups.iter().enumerate() {
            group.leaves.iter().for_each(|leaf| owner[*leaf as usize] = at);
        }
        // Groups that are merged get the same root in this forest.
        let mut joined: Vec<usize> = (0..self.groups.len()).collect();
        for group in hopeless {
            let leaves = &self.groups[*group].leaves;
            let (Some(first), Some(last)) = (leaves.first(), leaves.last()) else { continue };
            let mut node = self.nodes[*first as usize];
            let holds_more = |node: u32| {
                let (from, to) = self.below[node as usize];
                *last < to && (to - from) as usize > leaves.len()
            };
            while !holds_more(node) {
                let parent = self.parents[node as usize];
                if parent == node {
                    return false;
                }
                node = parent;
            }
            let (from, to) = self.below[node as usize];
            let root = find(&mut joined, *group);
            for leaf in from..to {
                let other = find(&mut joined, owner[leaf as usize]);
                joined[other.max(root)] = other.min(root);
            }
            self.merged += 1;
        }
        self.join(joined);
        self.join_lookalikes(mondrian);
        true
    }

    /// Merges groups that are published with the same cells, because they are one in the release.
    fn join_lookalikes(&mut self, mondrian: &MondrianSplitter<'_>) {
        let parts: Vec<RecordPart> =
            self.groups.iter_mut().map(|group| std::mem::take(&mut group.part)).collect();
        let mut first = BTreeMap::new();
        let shown = mondrian.shown(&parts);
        let joined: Vec<usize> =
            shown.into_iter().enumerate().map(|(at, cells)| *first.entry(cells).or_insert(at)).collect();
        self.groups.iter_mut().zip(parts).for_each(|(group, part)| group.part = part);
        self.join(joined);
    }

    /// Merges groups with the same root.
    fn join(&mut self, mut joined: Vec<usize>) {
        let roots: Vec<usize> = (0..joined.len()).map(|group| find(&mut joined, group)).collect();
        if roots.iter().enumerate().all(|(group, root)| group == *root) {
            return;
        }
        let mut kept: BTreeMap<usize, MondrianGroup> = BTreeMap::new();
        for (root, group) in roots.into_iter().zip(std::mem::take(&mut self.groups)) {
            match kept.get_mut(&root) {
                None => {
                    kept.insert(root, group);
                }
                Some(known) => {
                    known.leaves.extend(group.leaves);
                    known.part.extend(group.part);
                    known.fate = None;
                }
            }
        }
        self.groups = kept.into_values().collect();
        for group in self.groups.iter_mut().filter(|group| group.leaves.len() > 1) {
            group.leaves.sort_unstable();
            group.part.sort_unstable();
            // Relaxed partitioning may have separated the records of one distinct record.
            group.part.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    earlier.1 += later.1;
                }
                same
            });
        }
    }
}

/// The root of a group in the forest of merged groups.
fn find(joined: &mut [usize], mut group: usize) -> usize {
    while joined[group] != group {
        joined[group] = joined[joined[group]];
        group = joined[group];
    }
    group
}

/// Per node the range of its leaves in depth-first order, and per node its position in that order.
fn depth_first(tree: &Tree<RecordPart>) -> (Vec<(u32, u32)>, Vec<u32>) {
    let nodes = tree.parents.len();
    let mut leaves_below = vec![0u32; nodes];
    tree.leaves.iter().for_each(|(node, _)| leaves_below[*node as usize] = 1);
    // Children come after their parents.
    for node in (1..nodes).rev() {
        leaves_below[tree.parents[node] as usize] += leaves_below[node];
    }
    let mut next = vec![0u32; nodes];
    let mut below = vec![(0, leaves_below[0]); nodes];
    for node in 1..nodes {
        let parent = tree.parents[node] as usize;
        let start = below[parent].0 + next[parent];
        next[parent] += leaves_below[node];
        below[node] = (start, start + leaves_below[node]);
    }
    let place = below.iter().map(|(start, _)| *start).collect();
    (below, place)
}
