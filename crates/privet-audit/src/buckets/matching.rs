//! Valid values by the definition: a value is valid for a record iff, with the value given to the record, the other values
//! of the bucket can still be given to the other records.

use std::collections::HashMap;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::super::flow;

/// How many states the count of assignments may take.
const MOST_STATES: usize = 1 << 20;

/// Records that may have the same values of the bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RecordKind {
    /// The values, in rising order.
    pub allowed: Vec<u32>,
    /// How many records there are.
    pub count: u64,
}

/// Per kind, how many values are valid for its records; `None` if no assignment of the values agrees with the rules.
pub(super) fn valid_values(kinds: &[RecordKind], values: &[(u32, u64)]) -> Option<Vec<usize>> {
    let supplies = |without: Option<usize>| -> Vec<(u64, Vec<u32>)> {
        let supply = |(at, kind): (usize, &RecordKind)| {
            let takers = (0u32..).zip(values).filter(|(_, (value, _))| kind.allowed.contains(value));
            (kind.count - u64::from(without == Some(at)), takers.map(|(place, _)| place).collect())
        };
        kinds.iter().enumerate().map(supply).collect()
    };
    let is_filled = |without: Option<usize>, given: Option<u32>| {
        let want = |(value, count): &(u32, u64)| count - u64::from(given == Some(*value));
        let mut wanted: Vec<u64> = values.iter().map(want).collect();
        flow::fill(&supplies(without), &mut wanted);
        wanted.iter().all(|open| *open == 0)
    };
    let records: u64 = kinds.iter().map(|kind| kind.count).sum();
    if records != values.iter().map(|(_, count)| count).sum::<u64>() || !is_filled(None, None) {
        return None;
    }
    let valid = |(at, kind): (usize, &RecordKind)| {
        kind.allowed.iter().filter(|value| is_filled(Some(at), Some(**value))).count()
    };
    Some(kinds.iter().enumerate().map(valid).collect())
}

/// The share of the assignments in which the likeliest value of any record is its own, as two numbers of assignments;
/// `None` where there are too many ways to go through.
pub(super) fn likeliest(kinds: &[RecordKind], values: &[(u32, u64)]) -> Option<(BigUint, BigUint)> {
    let records: u64 = kinds.iter().map(|kind| kind.count).sum();
    if kinds.iter().all(|kind| values.iter().all(|(value, _)| kind.allowed.contains(value))) {
        // Everybody may have everything: a value's share is its probability.
        let most = values.iter().map(|(_, count)| *count).max()?;
        return Some((most.into(), records.into()));
    }
    let mut states = 1usize;
    for (_, count) in values {
        states =
            states.checked_mul(usize::try_from(*count).ok()? + 1).filter(|states| *states <= MOST_STATES)?;
    }
    let all = assignments(kinds, values);
    let mut most = BigUint::zero();
    for at in 0..kinds.len() {
        for value in &kinds[at].allowed {
            let mut fewer = kinds.to_vec();
            fewer[at].count -= 1;
            let left = |(other, count): &(u32, u64)| (*other, count - u64::from(other == value));
            most = most.max(assignments(&fewer, &values.iter().map(left).collect::<Vec<_>>()));
        }
    }
    (!all.is_zero()).then_some((most, all))
}

/// In how many ways the values can be given to the records, equal values not told apart.
fn assignments(kinds: &[RecordKind], values: &[(u32, u64)]) -> BigUint {
    let order: Vec<&RecordKind> =
        kinds.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.count as usize)).collect();
    let mut reached: HashMap<Vec<u64>, BigUint> = HashMap::new();
    reached.insert(values.iter().map(|(_, count)| *count).collect(), BigUint::one());
    for kind in order {
        let mut next: HashMap<Vec<u64>, BigUint> = HashMap::new();
        for (left, ways) in &reached {
            for (at, (value, _)) in values.iter().enumerate() {
                if left[at] > 0 && kind.allowed.contains(value) {
                    let mut fewer = left.clone();
                    fewer[at] -= 1;
                    *next.entry(fewer).or_default() += ways;
                }
            }
        }
        reached = next;
    }
    reached.into_values().sum()
}
