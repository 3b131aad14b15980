//! Whether any release can be matching l-diverse, and which records stand in the way.
//!
//! Adding records to a group only adds nodes and edges to its value graph, so what is valid for a record stays valid when
//! groups grow. Hence a valid partition exists iff the whole table as one group is matching l-diverse, and the records
//! that fail there can never be published. Taking them out may make others fail; repeating until nothing fails leaves
//! the largest publishable set, which is unique.

use super::ValueGraph;
use privet_core::ValueSet;

/// How a table fares as one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feasibility {
    /// Per kind of records, the values that are valid for it.
    pub valid: Vec<ValueSet>,
    /// The kinds that have fewer than l valid values.
    pub failing: Vec<usize>,
    /// The largest l that all records meet.
    pub largest_l: usize,
}

/// Judges kinds of records, given as what they have and what they may have, as one group.
pub fn judge(values: usize, kinds: &[(u32, ValueSet)], l: usize) -> Feasibility {
    let valid = valid_among(values, kinds, &vec![true; kinds.len()]);
    let failing = (0..kinds.len()).filter(|kind| valid[*kind].len() < l).collect();
    let largest_l = valid.iter().map(ValueSet::len).min().unwrap_or(0);
    Feasibility { valid, failing, largest_l }
}

/// The kinds that can be published together: the largest set of which every record has l valid values.
pub fn peel(values: usize, kinds: &[(u32, ValueSet)], l: usize) -> Vec<bool> {
    let mut kept = vec![true; kinds.len()];
    loop {
        let valid = valid_among(values, kinds, &kept);
        let mut moved = false;
        for (kept, valid) in kept.iter_mut().zip(&valid) {
            if *kept && valid.len() < l {
                *kept = false;
                moved = true;
            }
        }
        if !moved {
            return kept;
        }
    }
}

fn valid_among(values: usize, kinds: &[(u32, ValueSet)], kept: &[bool]) -> Vec<ValueSet> {
    let mut graph = ValueGraph::new(values);
    for ((value, allowed), _) in kinds.iter().zip(kept).filter(|(_, kept)| **kept) {
        graph.add(*value, allowed);
    }
    let components = graph.components();
    kinds.iter().map(|(value, allowed)| components.valid(*value, allowed)).collect()
}
