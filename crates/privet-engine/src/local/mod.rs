//! Local generalisation from the top (LG: He and Naughton, 2009): rows of items are split as long as enough of them look
//! alike.
//!
//! A part is a number of rows that are published as the same set of nodes; at first that set is what the roots show. A
//! node of the set is specialised by splitting the part according to which of the node's children its rows hold. Splits
//! that are too small stay behind together, at the level of the node, where it is not tried again; if those are too few
//! themselves, rows that lose least by it join them.
//!
//! Whatever is published is large enough at any time: that is all the proof that k-anonymity needs here.

mod leftover;
mod paths;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::{HashSet, HashTable};

use self::paths::Paths;
use super::partition::Splitter;
use crate::loss::items::ItemMeasure;
use privet_taxonomy::{ItemTree, Node};

/// Rows of items.
pub trait Itemsets: Sync {
    /// The items of a row: leaves of the tree, ascending, each once.
    fn items(&self, row: u32) -> &[Node];
}

/// By what the next node is chosen: where most is to be gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steering {
    /// What the occurrences below a node cost as long as they are published as the node.
    Whole,
    /// How much less they cost as the node's children.
    Step,
}

/// What makes a part large enough.
#[derive(Debug, Clone, Copy)]
pub struct Crowd<'a> {
    /// How many people each part must have.
    pub k: u64,
    /// Whose each row is, where several may be one person's; without it, every row is somebody else's.
    pub users: Option<&'a [u32]>,
}

impl Crowd<'_> {
    /// Whether the rows are of k people.
    pub fn is_met(&self, rows: &[(u32, u64)]) -> bool {
        let Some(users) = self.users else { return count(rows) >= self.k };
        if (rows.len() as u64) < self.k {
            return false;
        }
        let mut seen: HashSet<u32> = HashSet::new();
        rows.iter().any(|(row, _)| {
            seen.insert(users[*row as usize]);
            seen.len() as u64 >= self.k
        })
    }
}

/// Rows that are published alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The numbers of the rows, ascending, each with how often it occurs.
    pub rows: Vec<(u32, u64)>,
    /// What they are published as, ascending; each node with whether it may still be specialised.
    pub set: Vec<(Node, bool)>,
}

impl Part {
    /// How many rows there are.
    pub fn size(&self) -> u64 {
        count(&self.rows)
    }

    /// The nodes that are published.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> + '_ {
        self.set.iter().map(|(node, _)| *node)
    }
}

/// Children of a node, and the rows that hold something of just these.
type Split = (Vec<Node>, Vec<(u32, u64)>);

fn count(rows: &[(u32, u64)]) -> u64 {
    rows.iter().map(|(_, count)| count).sum()
}

/// Splits rows from the top.
pub struct Local<'a, R> {
    tree: &'a ItemTree,
    rows: &'a R,
    crowd: Crowd<'a>,
    steering: Steering,
    /// What an occurrence costs that is published as the node.
    prices: Vec<u64>,
    paths: Paths,
}

impl<'a, R: Itemsets> Local<'a, R> {
    /// Prepares the splitting of rows over a tree.
    pub fn new(
        tree: &'a ItemTree,
        rows: &'a R,
        measure: ItemMeasure,
        steering: Steering,
        crowd: Crowd<'a>,
    ) -> Local<'a, R> {
        let price = |node: Node| match steering {
            Steering::Whole => measure.weight(tree, node),
            // NCP to the letter: only leaves are free, an inner node above one leaf is not.
            Steering::Step if tree.is_leaf(node) => 0,
            Steering::Step => u64::from(tree.leaves(node)),
        };
        let prices = tree.nodes().map(price).collect();
        Local { tree, rows, crowd, steering, prices, paths: Paths::of(tree) }
    }

    /// The parts at the start: rows that hold something of the same roots, in the order of what they hold. They may be
    /// too small.
    pub fn wholes(&self, rows: Vec<(u32, u64)>) -> Vec<Part> {
        self.by_child(None, rows)
    }

    /// The items of a row below a node; all of them above the roots.
    fn below(&self, row: u32, node: Option<Node>) -> &[Node] {
        let items = self.rows.items(row);
        let Some(node) = node else { return items };
        let from = items.partition_point(|item| *item < node);
        let to = items.partition_point(|item| *item < self.tree.end(node));
        &items[from..to]
    }

    /// Splits rows by which of a node's children they hold. The parts come in the order of what they hold.
    fn by_child(&self, node: Option<Node>, rows: Vec<(u32, u64)>) -> Vec<Part> {
        let depth = node.map_or(0, |node| self.paths.depth(node) + 1);
        let hasher = RandomState::default();
        let mut index: HashTable<usize> = HashTable::new();
        let mut parts: Vec<Split> = Vec::new();
        let mut held: Vec<Node> = Vec::new();
        for row in rows {
            held.clear();
            held.extend(self.below(row.0, node).iter().map(|item| self.paths.at(*item, depth)));
            // Items of one child stand side by side.
            held.dedup();
            let hash = hasher.hash_one(&held);
            match index.find(hash, |part| parts[*part].0 == held) {
                Some(part) => parts[*part].1.push(row),
                None => {
                    index.insert_unique(hash, parts.len(), |part| hasher.hash_one(&parts[*part].0));
                    parts.push((held.clone(), vec![row]));
                }
            }
        }
        parts.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let open = |node: Node| (node, !self.tree.is_leaf(node));
        let part = |(held, rows): Split| Part { rows, set: held.into_iter().map(open).collect() };
        parts.into_iter().map(part).collect()
    }

    /// What one occurrence of an item gains when a node is replaced by its children.
    fn step(&self, node: Node, item: Node) -> u64 {
        let child = self.paths.at(item, self.paths.depth(node) + 1);
        self.prices[node as usize] - self.prices[child as usize]
    }

    /// What a row gains when a node is replaced by its children.
    fn gain(&self, row: u32, node: Node) -> u64 {
        self.below(row, Some(node)).iter().map(|item| self.step(node, *item)).sum()
    }

    /// The position of the node that gains most, of those that may be specialised; of equal ones that with the first
    /// label.
    fn best_node(&self, part: &Part) -> Option<usize> {
        let open = || part.set.iter().enumerate().filter(|(_, (_, open))| *open);
        if open().count() < 2 {
            return open().next().map(|(at, _)| at);
        }
        let mut gains = vec![0u128; part.set.len()];
        for (row, count) in &part.rows {
            let mut at = 0;
            for item in self.rows.items(*row) {
                while at < part.set.len() && self.tree.end(part.set[at].0) <= *item {
                    at += 1;
                }
                let Some((node, open)) = part.set.get(at) else { break };
                if *open && item >= node {
                    let gain = match self.steering {
                        Steering::Whole => self.prices[*node as usize],
                        Steering::Step => self.step(*node, *item),
                    };
                    gains[at] += u128::from(gain) * u128::from(*count);
                }
            }
        }
        open().max_by_key(|(at, (node, _))| (gains[*at], Reverse(self.tree.label(*node)))).map(|(at, _)| at)
    }

    /// Splits a part by the children of one node of its set. What is left over keeps the node, closed.
    fn specialise(&self, part: Part, at: usize) -> Vec<Part> {
        let (node, _) = part.set[at];
        let split = self.by_child(Some(node), part.rows);
        let (mut parts, few): (Vec<Part>, Vec<Part>) =
            split.into_iter().partition(|part| self.crowd.is_met(&part.rows));
        let mut left: Vec<(u32, u64)> = few.into_iter().flat_map(|part| part.rows).collect();
        self.fill_up(&mut left, &mut parts, node);
        // Preorder: what is below the node stands where the node stood.
        for split in &mut parts {
            let mut set = part.set[..at].to_vec();
            set.append(&mut split.set);
            set.extend_from_slice(&part.set[at + 1..]);
            split.set = set;
        }
        if !left.is_empty() {
            left.sort_unstable();
            left.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            let mut set = part.set;
            set[at].1 = false;
            parts.push(Part { rows: left, set });
        }
        parts
    }
}

impl<R: Itemsets> Splitter for Local<'_, R> {
    type Part = Part;

    fn split(&self, mut part: Part) -> std::result::Result<Vec<Part>, Part> {
        while let Some(at) = self.best_node(&part) {
            let mut parts = self.specialise(part, at);
            match parts.pop() {
                Some(last) if parts.is_empty() => part = last,
                Some(last) => {
                    parts.push(last);
                    return Ok(parts);
                }
                None => return Ok(parts),
            }
        }
        Err(part)
    }

    fn size(&self, part: &Part) -> u64 {
        part.size()
    }
}
