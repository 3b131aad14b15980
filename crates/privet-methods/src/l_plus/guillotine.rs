//! The guillotine bound: a lower bound on what a set of records loses, over all ways to split it.
//!
//! Every product of cuts can be obtained by splitting a box recursively, one column's node into its children at a time.
//! So the least total over all such splittings, each part paying for its own violation, is a lower bound on what any
//! cut pays. Boxes are cached by the lowest common ancestors of their contents.

use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::{FixedState, RandomState};
use hashbrown::HashMap;

use super::rules::CostRules;
use super::table::FineTable;
use super::tally::ClassTally;
use privet_engine::cut::{Amount, Cut, Forest, Tree};

/// Larger boxes use the quick lower bound.
const MOST_ROWS: usize = 100;
/// If boxes have no short key they are not cached, and only very small ones are split.
const MOST_ROWS_FORGETTING: usize = 12;
const SHARDS: usize = 16;
/// A cache holds at most this many boxes per shard.
const MOST_BOXES: usize = 1 << 16;

type Shard = HashMap<u128, Amount, RandomState>;

/// Boxes and what is at stake in them, for one summary of the table.
#[derive(Debug)]
pub struct BoxCache {
    shards: Vec<Mutex<Shard>>,
    /// Per column, the number of bits of a node; `None` if the key of a box would not fit.
    bits: Option<Vec<u32>>,
}

impl BoxCache {
    pub fn new(forest: &Forest) -> BoxCache {
        let bits: Vec<u32> =
            forest.trees.iter().map(|tree| usize::BITS - tree.len().leading_zeros()).collect();
        let columns = usize::BITS - (bits.len() + 1).leading_zeros();
        let fits = bits.iter().sum::<u32>() + columns <= u128::BITS;
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::default())).collect();
        BoxCache { shards, bits: fits.then_some(bits) }
    }

    /// The entries that remain valid when the table is summarised at a coarser cut: boxes in which no column loses a
    /// split.
    pub fn coarsened(&self, forest: &Forest, from: &Cut, to: &Cut) -> BoxCache {
        let new = BoxCache::new(forest);
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

    /// The memory use in bytes.
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
#[derive(Clone, Copy)]
pub struct Guillotine<'a> {
    pub rules: &'a CostRules,
    pub forest: &'a Forest,
    pub fine: &'a FineTable,
    pub memory: &'a BoxCache,
}

/// A guillotine at work, with its buffers.
pub struct Blade<'a> {
    on: Guillotine<'a>,
    tallies: Vec<ClassTally>,
    rows: Vec<Vec<u32>>,
    ends: Vec<Vec<(u32, u32)>>,
}

impl<'a> Blade<'a> {
    pub fn new(on: Guillotine<'a>) -> Blade<'a> {
        Blade { on, tallies: Vec::new(), rows: Vec::new(), ends: Vec::new() }
    }

    /// The least that is at stake in the rows over all ways to split them, where the first split must not be in a
    /// frozen column. `tally` counts the rows, which violate a threshold.
    pub fn stake(&mut self, rows: &[u32], frozen: Option<usize>, tally: &ClassTally) -> Amount {
        let on = self.on;
        let most = if on.memory.bits.is_none() { MOST_ROWS_FORGETTING } else { MOST_ROWS };
        let least = on.rules.least_stake(tally);
        if rows.len() > most {
            return least;
        }
        let whole = on.rules.stake(tally);
        if whole <= least {
            return whole;
        }
        let ends = self.ends(rows);
        let name = self.name(&ends, frozen);
        let stake = match name.and_then(|name| on.memory.get(name)) {
            Some(stake) => stake,
            None => {
                let stake = self.split(rows, frozen, &ends, whole, least);
                if let Some(name) = name {
                    on.memory.put(name, stake);
                }
                stake
            }
        };
        self.ends.push(ends);
        stake
    }

    /// Per column, the first and the last node of the rows.
    fn ends(&mut self, rows: &[u32]) -> Vec<(u32, u32)> {
        let columns = self.on.forest.trees.len();
        let mut ends = self.ends.pop().unwrap_or_default();
        ends.clear();
        ends.resize(columns, (u32::MAX, 0));
        for row in rows {
            for ((low, high), node) in ends.iter_mut().zip(self.on.fine.tuple(*row)) {
                *low = (*low).min(*node);
                *high = (*high).max(*node);
            }
        }
        ends
    }

    /// The key of a box: the lowest nodes that contain it, and the column in which it must not be split first.
    fn name(&self, ends: &[(u32, u32)], frozen: Option<usize>) -> Option<u128> {
        let bits = self.on.memory.bits.as_ref()?;
        let start = frozen.map_or(0, |column| column as u128 + 1);
        let trees = self.on.forest.trees.iter().zip(ends).zip(bits);
        let name = |name, ((tree, (low, high)), bits): ((&Tree, &(u32, u32)), &u32)| {
            name << bits | u128::from(if low == high { *low } else { tree.meet(*low, *high) })
        };
        Some(trees.fold(start, name))
    }

    fn split(
        &mut self,
        rows: &[u32],
        frozen: Option<usize>,
        ends: &[(u32, u32)],
        whole: Amount,
        least: Amount,
    ) -> Amount {
        let mut best = whole;
        let mut sorted = self.rows.pop().unwrap_or_default();
        for (column, (low, high)) in ends.iter().enumerate() {
            if best <= least {
                break;
            }
            if low == high || Some(column) == frozen {
                continue;
            }
            let tree = &self.on.forest.trees[column];
            let nodes = &self.on.fine.nodes[column];
            sorted.clear();
            sorted.extend_from_slice(rows);
            sorted.sort_unstable_by_key(|row| nodes[*row as usize]);
            let mut total = 0;
            let mut start = 0;
            for child in tree.children(tree.meet(*low, *high)) {
                let end = tree.end(child);
                let size = sorted[start..].iter().take_while(|row| nodes[**row as usize] < end).count();
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
        self.rows.push(sorted);
        best
    }

    /// The least that is at stake in a part over all ways to split it.
    fn part(&mut self, rows: &[u32]) -> Amount {
        let on = self.on;
        if let [row] = rows {
            return on.fine.stakes[*row as usize];
        }
        let ends = self.ends(rows);
        let name = self.name(&ends, None);
        let stake = match name.and_then(|name| on.memory.get(name)) {
            Some(stake) => stake,
            None => {
                let stake = self.part_anew(rows, &ends);
                if let Some(name) = name {
                    on.memory.put(name, stake);
                }
                stake
            }
        };
        self.ends.push(ends);
        stake
    }

    fn part_anew(&mut self, rows: &[u32], ends: &[(u32, u32)]) -> Amount {
        let on = self.on;
        let mut tally = self.tallies.pop().unwrap_or_else(|| on.rules.tally());
        let violates = on.fine.gauge(on.rules, &mut tally, rows);
        let (whole, least) =
            if violates { (on.rules.stake(&tally), on.rules.least_stake(&tally)) } else { (0, 0) };
        tally.clear();
        self.tallies.push(tally);
        if whole <= least { whole } else { self.split(rows, None, ends, whole, least) }
    }
}
