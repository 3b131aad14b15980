//! Groups of similar people: the table is split before groups are formed, so that a question about a few
//! quasi-identifiers concerns whole groups.
//!
//! A part is split along a quasi-identifier, between two leaves, where the split is most informative about the
//! sensitive value (information gain). Both halves must satisfy these conditions: no value belongs to more than one
//! record in l, every record can still have l valid values, there are at least 4·l records and at least k, and the
//! groups formed in it keep every value at one record in l.

use std::collections::BTreeMap;

use super::classes::RecordClasses;
use super::grouping::ClassSlot;
use super::{GroupLimits, balanced};
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_engine::negative_rules::Observations;
use privet_engine::partition;
use privet_engine::partition::Splitter;
use privet_engine::privacy::matching::judge;

/// How many of the most informative cuts of a part are tried.
const MOST_CUTS: usize = 12;

/// A part of the table with its groups.
pub(super) struct GroupedPart {
    /// Distinct records, with all their copies.
    pub records: Vec<u32>,
    pub groups: Vec<Vec<ClassSlot>>,
}

/// Splits a table as far as possible.
pub(super) fn split(
    observations: &Observations,
    classes: &RecordClasses,
    class_of: &[u32],
    records: Vec<u32>,
    limits: GroupLimits,
    key: RunKey,
    clock: &Clock,
) -> Result<Vec<GroupedPart>> {
    let groups = balanced(classes, limits, key, clock)?;
    let local = LocalSplitter { observations, classes, class_of, limits, key, clock };
    partition::partition(&local, GroupedPart { records, groups }, clock)
}

struct LocalSplitter<'a> {
    observations: &'a Observations,
    classes: &'a RecordClasses,
    class_of: &'a [u32],
    limits: GroupLimits,
    key: RunKey,
    clock: &'a Clock,
}

/// Where a part may be split: records whose leaf is below `leaf` go to the left.
#[derive(Debug, Clone, Copy)]
struct LeafCut {
    gain: f64,
    attribute: usize,
    leaf: u32,
}

impl Splitter for LocalSplitter<'_> {
    type Part = GroupedPart;

    fn split(&self, part: GroupedPart) -> std::result::Result<Vec<GroupedPart>, GroupedPart> {
        for cut in self.cuts(&part.records) {
            if self.clock.is_over() {
                break;
            }
            let leaf = |record: &u32| self.observations.leaf(cut.attribute, *record as usize);
            let (left, right): (Vec<u32>, Vec<u32>) =
                part.records.iter().copied().partition(|record| leaf(record) < cut.leaf);
            if let (Some(left), Some(right)) = (self.accept(left), self.accept(right)) {
                return Ok(vec![left, right]);
            }
        }
        Err(part)
    }

    fn size(&self, part: &GroupedPart) -> u64 {
        part.records.iter().map(|record| self.observations.weight(*record as usize)).sum()
    }
}

impl LocalSplitter<'_> {
    /// The most informative cuts whose halves are large and diverse enough.
    fn cuts(&self, records: &[u32]) -> Vec<LeafCut> {
        let values = self.classes.values;
        let mut cuts = Vec::new();
        for attribute in 0..self.observations.attributes.len() {
            let mut by_leaf: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            let mut right = vec![0u64; values];
            for record in records {
                let (record, value) = (*record as usize, self.observations.value(*record as usize) as usize);
                let weight = self.observations.weight(record);
                let leaf = self.observations.leaf(attribute, record);
                by_leaf.entry(leaf).or_insert_with(|| vec![0; values])[value] += weight;
                right[value] += weight;
            }
            let whole = entropy(&right);
            let mut left = vec![0u64; values];
            let mut leaves = by_leaf.into_iter();
            let mut before = leaves.next().map(|(_, counts)| counts);
            for (leaf, counts) in leaves {
                for (value, count) in before.replace(counts).into_iter().flatten().enumerate() {
                    left[value] += count;
                    right[value] -= count;
                }
                if self.is_mixed(&left) && self.is_mixed(&right) {
                    cuts.push(LeafCut { gain: whole - entropy(&left) - entropy(&right), attribute, leaf });
                }
            }
        }
        cuts.sort_by(|one, other| other.gain.total_cmp(&one.gain));
        cuts.truncate(MOST_CUTS);
        cuts
    }

    fn is_mixed(&self, counts: &[u64]) -> bool {
        let total: u64 = counts.iter().sum();
        let most = counts.iter().max().copied().unwrap_or(0);
        let GroupLimits { l, k, .. } = self.limits;
        total >= (4 * l as u64).max(k) && u128::from(most) * l as u128 <= u128::from(total)
    }

    /// A half with its groups, if it meets the requirements on its own.
    fn accept(&self, records: Vec<u32>) -> Option<GroupedPart> {
        let mut counts = vec![0; self.classes.list.len()];
        for record in &records {
            counts[self.class_of[*record as usize] as usize] += self.observations.weight(*record as usize);
        }
        let classes = self.classes.with_counts(&counts);
        let (_, kinds) = classes.kinds();
        if !judge(classes.values, &kinds, self.limits.l).failing.is_empty() {
            return None;
        }
        let groups = balanced(&classes, self.limits, self.key, self.clock).ok()?;
        let is_even = |group: &Vec<ClassSlot>| {
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            for slot in group {
                *counts.entry(classes.list[slot.class as usize].value).or_default() += 1;
            }
            counts.values().all(|count| count * self.limits.l <= group.len())
        };
        groups.iter().all(is_even).then_some(GroupedPart { records, groups })
    }
}

/// The entropy of a distribution times its size, in bits.
fn entropy(counts: &[u64]) -> f64 {
    let log = |count: u64| if count == 0 { 0.0 } else { count as f64 * (count as f64).log2() };
    log(counts.iter().sum()) - counts.iter().map(|count| log(*count)).sum::<f64>()
}
