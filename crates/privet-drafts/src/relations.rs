//! Columns that say the same, or one of which follows from another.
//!
//! A determines B where every value of A has one value of B. The measure is g3 of Kivinen and Mannila (1995): the least share of
//! records that would have to go for it to hold. Columns that mostly hold one value follow from anything; they do not count.

use hashbrown::HashMap;

use super::profile::Profile;

/// Columns with more values than this are compared with no others: whatever tells records apart determines everything.
const MOST_VALUES: u64 = 1_000;
/// Records that are looked at first; most pairs differ within a few of them.
const FIRST_LOOK: usize = 2_000;
/// One record in this many may be an exception.
const EXCEPTIONS: u64 = 100;
/// With fewer records for each value on average, that a value has one partner means nothing.
const LEAST_RECORDS: u64 = 5;
/// What is the same for more than this share of the records, in per mille, is determined only without exceptions,
const MOST_COMMON: u64 = 900;
/// and for more than this share not at all.
const NEARLY_ALL: u64 = 995;

/// What was found about pairs of columns.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// Pairs of columns the first of which determines the second.
    determines: Vec<(usize, usize)>,
}

impl Relations {
    pub fn of(profile: &Profile) -> Relations {
        let records = profile.sample.len();
        let compared = |index: &usize| {
            let column = &profile.columns[*index];
            (2..=MOST_VALUES).contains(&column.distinct()) && column.distinct() * LEAST_RECORDS <= records
        };
        let within =
            |index: usize, share: u64| profile.columns[index].most_common() * 1_000 <= profile.rows * share;
        let columns: Vec<usize> = (0..profile.columns.len()).filter(compared).collect();
        let mut determines = Vec::new();
        for &from in &columns {
            for &to in columns.iter().filter(|to| **to != from && within(**to, NEARLY_ALL)) {
                let finer = profile.columns[from].distinct() >= profile.columns[to].distinct();
                let exceptions = if within(to, MOST_COMMON) { profile.sample.len() / EXCEPTIONS } else { 0 };
                if finer && determined(profile, from, to, exceptions) {
                    determines.push((from, to));
                }
            }
        }
        Relations { determines }
    }

    /// Whether a column determines another.
    pub fn determines(&self, from: usize, to: usize) -> bool {
        self.determines.contains(&(from, to))
    }

    /// The columns that determine this one.
    pub fn sources(&self, to: usize) -> impl Iterator<Item = usize> + '_ {
        self.determines.iter().filter(move |(_, other)| *other == to).map(|(from, _)| *from)
    }

    /// Whether each of two columns determines the other: they say the same.
    pub fn same(&self, one: usize, two: usize) -> bool {
        self.determines(one, two) && self.determines(two, one)
    }
}

fn determined(profile: &Profile, from: usize, to: usize, most: u64) -> bool {
    let (from, to) = (profile.sample.codes(from), profile.sample.codes(to));
    let step = (from.len() / FIRST_LOOK).max(1);
    let first = exceptions(from.iter().zip(to).step_by(step));
    // Twice as many as allowed, for these are few records.
    first * step as u64 <= 2 * most && exceptions(from.iter().zip(to)) <= most
}

/// How many records do not have the most common partner of their value.
fn exceptions<'a>(pairs: impl Iterator<Item = (&'a u32, &'a u32)>) -> u64 {
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    let mut all = 0;
    for (from, to) in pairs {
        *counts.entry((*from, *to)).or_default() += 1;
        all += 1;
    }
    let mut best: HashMap<u32, u64> = HashMap::new();
    for ((from, _), count) in counts {
        let best = best.entry(from).or_default();
        *best = (*best).max(count);
    }
    all - best.values().sum::<u64>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against the definition: the fewest records to remove so that every value has one partner, by trying each choice.
        #[test]
        fn exceptions_are_the_fewest_records_to_remove(
            pairs in proptest::collection::vec((1u32..4, 1u32..4), 1..20)
        ) {
            let mut least = u64::MAX;
            for choice in 0..27u32 {
                let partner = |from: u32| choice / 3u32.pow(from - 1) % 3 + 1;
                let removed = pairs.iter().filter(|(from, to)| partner(*from) != *to).count() as u64;
                least = least.min(removed);
            }
            prop_assert_eq!(exceptions(pairs.iter().map(|(from, to)| (from, to))), least);
        }
    }
}
