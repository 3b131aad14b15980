//! The guillotine bound: what a set of records must lose, over all ways to split it.
//!
//! Every product of cuts can be had by splitting a box recursively, one column's node into its children at a time. So
//! the least total over all such splittings, each part paying for its own violation, is a floor under what any cut
//! pays. Boxes are remembered by the lowest common ancestors of what they hold.

use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::{FixedState, RandomState};
use hashbrown::HashMap;

use super::rules::{Rules, Tally};
use super::table::Fine;
use crate::engine::cut::{Amount, Cut, Forest};

/// Larger boxes fall back to the quick floor.
const MOST_ROWS: usize = 300;
/// Where boxes have no short name they are not remembered, and only tiny ones are split.
const MOST_ROWS_FORGETTING: usize = 12;
const SHARDS: usize = 16;
/// A memory remembers at most this many boxes per shard.
const MOST_BOXES: usize = 1 << 16;

type Shard = HashMap<u128, Amount, RandomState>;

/// Boxes and what is at stake in them, for one summary of the table.
#[derive(Debug)]
pub struct Memory {
    shards: Vec<Mutex<Shard>>,
    /// Per column, how many bits name a node; `None` when a box's name would not fit.
    bits: Option<Vec<u32>>,
}

impl Memory {
    pub fn new(forest: &Forest) -> Memory {
        let bits: Vec<u32> =
            forest.trees.iter().map(|tree| usize::BITS - tree.len().leading_zeros()).collect();
        let fits = bits.iter().sum::<u32>() <= u128::BITS;
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::default())).collect();
        Memory { shards, bits: fits.then_some(bits) }
    }

    /// What is still right when the table is summarised at a coarser cut: boxes in which no column loses a split.
    pub fn coarsened(&self, forest: &Forest, from: &Cut, to: &Cut) -> Memory {
        let new = Memory::new(forest);
        let Some(bits) = &self.bits else { return new };
        // Nodes at or above a newly locked node can no longer be split as before.
        let touched: Vec<Vec<bool>> = (forest.trees.iter().zip(&from.0).zip(&to.0))
            .map(|((tree, from), to)| {
                let mut touched = vec![false; tree.len()];
                for node in to.iter().filter(|node| from.binary_search(node).is_err()) {
                    let mut node = *node;
                    while !touched[node as usize] {
                        touched[node as usize] = true;
                        node = tree.parent(node);
                    }
                }
                touched
            })
            .collect();
        for (shard, new) in self.shards.iter().zip(&new.shards) {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let mut new = new.lock().unwrap_or_else(PoisonError::into_inner);
            for (name, stake) in shard.iter() {
                let mut rest = *name;
                let valid = bits.iter().zip(&touched).rev().all(|(bits, touched)| {
                    let node = (rest & ((1 << bits) - 1)) as usize;
                    rest >>= bits;
                    !touched[node]
                });
                if valid {
                    new.insert(*name, *stake);
                }
            }
        }
        new
    }

    /// The memory it takes, in bytes.
    pub fn weight(&self) -> usize {
        let boxes = |shard: &Mutex<Shard>| shard.lock().unwrap_or_else(PoisonError::into_inner).capacity();
        self.shards.iter().map(boxes).sum::<usize>() * (size_of::<(u128, Amount)>() + 1)
    }

    fn shard(&self, name: u128) -> &Mutex<Shard> {
        &self.shards[FixedState::default().hash_one(name) as usize % SHARDS]
    }

    fn get(&self, name: u128) -> Option<Amount> {
        self.shard(name).lock().unwrap_or_else(PoisonError::into_inner).get(&name).copied()
    }

    fn put(&self, name: u128, stake: Amount) {
        let mut shard = self.shard(name).lock().unwrap_or_else(PoisonError::into_inner);
        if shard.len() < MOST_BOXES {
            shard.insert(name, stake);
        }
    }
}

/// Splits boxes of one summary of the table.
pub struct Guillotine<'a> {
    pub rules: &'a Rules,
    pub forest: &'a Forest,
    pub fine: &'a Fine,
    pub memory: &'a Memory,
}

impl Guillotine<'_> {
    /// The least that is at stake in the rows over all ways to split them, the first split not in the frozen column.
    /// `tally` counts the rows, and violates.
    pub fn stake(&self, rows: &[u32], frozen: Option<usize>, tally: &Tally) -> Amount {
        let most = if self.memory.bits.is_some() { MOST_ROWS } else { MOST_ROWS_FORGETTING };
        let least = self.rules.least_stake(tally);
        if rows.len() > most {
            return least;
        }
        let ends: Vec<(u32, u32)> = self.ends(rows);
        self.split(rows, frozen, &ends, self.rules.stake(tally), least)
    }

    /// Per column, the first and the last node of the rows.
    fn ends(&self, rows: &[u32]) -> Vec<(u32, u32)> {
        let ends = |nodes: &Vec<u32>| {
            rows.iter().fold((u32::MAX, 0), |(low, high), row| {
                let node = nodes[*row as usize];
                (low.min(node), high.max(node))
            })
        };
        self.fine.nodes.iter().map(ends).collect()
    }

    fn split(
        &self,
        rows: &[u32],
        frozen: Option<usize>,
        ends: &[(u32, u32)],
        whole: Amount,
        least: Amount,
    ) -> Amount {
        let mut best = whole;
        let mut sorted: Vec<u32> = Vec::new();
        for (column, (low, high)) in ends.iter().enumerate() {
            if best <= least {
                break;
            }
            if low == high || Some(column) == frozen {
                continue;
            }
            let (tree, nodes) = (&self.forest.trees[column], &self.fine.nodes[column]);
            sorted.clear();
            sorted.extend_from_slice(rows);
            sorted.sort_unstable_by_key(|row| nodes[*row as usize]);
            let mut total = 0;
            let mut start = 0;
            for child in tree.children(tree.meet(*low, *high)) {
                let end = tree.end(child);
                let size = sorted[start..].partition_point(|row| nodes[*row as usize] < end);
                if size > 0 {
                    total += self.part(&sorted[start..start + size]);
                    start += size;
                }
                if total >= best {
                    break;
                }
            }
            best = best.min(total);
        }
        best
    }

    /// The least that is at stake in a part over all ways to split it.
    fn part(&self, rows: &[u32]) -> Amount {
        let ends = self.ends(rows);
        let name = self.memory.bits.as_ref().map(|bits| {
            let trees = self.forest.trees.iter().zip(&ends).zip(bits);
            trees.fold(0u128, |name, ((tree, (low, high)), bits)| {
                name << bits | u128::from(tree.meet(*low, *high))
            })
        });
        if let Some(stake) = name.and_then(|name| self.memory.get(name)) {
            return stake;
        }
        let mut tally = self.rules.tally();
        rows.iter().for_each(|row| self.fine.add_to(&mut tally, *row));
        let stake = if !self.rules.violates(&tally) {
            0
        } else {
            let whole = self.rules.stake(&tally);
            let least = self.rules.least_stake(&tally);
            if rows.len() == 1 || whole <= least {
                whole
            } else {
                self.split(rows, None, &ends, whole, least)
            }
        };
        if let Some(name) = name {
            self.memory.put(name, stake);
        }
        stake
    }
}
