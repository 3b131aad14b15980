//! The limited search for candidates: which rows may join a cluster that a seed starts.
//!
//! Rows are found by terms within ε of the seed's. A row of size s + δ that leaves at most u occurrences unmatched, its
//! own and the seed's, misses at most q = ⌊(u - δ) / 2⌋ of the seed's s. So it holds a term within reach of at least
//! one of any q + 1 of them, and looking up the rarest is enough. Levels u = 0, 1, 2, … are completed one after the
//! other until there are enough good candidates.

use std::ops::Range;

use super::index::SizeClass;
use super::live::LiveRows;
use super::reach::{BagReach, ReachTable};
use super::rows::{BagRow, BagRows};
use super::scan::ClassScan;
use super::stretch::Stretches;
use privet_data::Term;
use privet_engine::matching::Match;

/// A row that may join, and an upper bound on its matching with the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClusterCandidate {
    pub(super) row: BagRow,
    pub(super) best: Match,
}

/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct GatherLimits {
    /// After this many looks: one at each row and at each of its terms.
    pub(super) looks: usize,
    /// With this many candidates left.
    pub(super) pool: usize,
    /// As soon as this many cannot be beaten by rows not examined yet.
    pub(super) enough: usize,
}

impl GatherLimits {
    /// Examines everything within reach.
    pub(super) const NONE: GatherLimits =
        GatherLimits { looks: usize::MAX, pool: usize::MAX, enough: usize::MAX };
}

/// The data that a search examines.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchField<'a> {
    pub(super) rows: &'a BagRows,
    pub(super) stretches: &'a Stretches,
    pub(super) live: &'a LiveRows,
    pub(super) classes: &'a [SizeClass],
    /// The positions of the terms of all rows.
    pub(super) places: &'a [u32],
    /// Per term, the number of rows that hold something near it.
    pub(super) commonness: &'a [u64],
}

/// Buffers of a search.
#[derive(Debug)]
pub(super) struct Gatherer {
    reach: BagReach,
    drivers: Vec<Driver>,
    /// The number of drivers followed in each class.
    followed: Vec<usize>,
    finds: Finds,
}

/// The candidates found.
#[derive(Debug, Default)]
pub(super) struct Finds {
    /// The number of looks at rows and their terms, including rows that are no longer live.
    pub(super) looks: usize,
    /// The index ranges to search, kept to reuse the buffer.
    pub(super) lists: Vec<Range<usize>>,
    /// Each as one comparable number: unmatched occurrences, weight, row.
    keys: Vec<u64>,
    /// The number of rows by unmatched occurrences.
    by_unmatched: Vec<u32>,
    /// Rows with more unmatched occurrences are no longer kept, because there are enough others.
    most_unmatched: usize,
}

/// A term of the seed by which rows are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Driver {
    pub(super) term: Term,
    pub(super) bits: u64,
    /// The bits of the drivers before it, and their number of occurrences.
    pub(super) before: u64,
    occurrences_before: usize,
}

/// The largest value of unmatched occurrences and weight in a key; larger values are clamped, which keeps bounds valid.
const FIELD: u64 = 0xffff;

impl Gatherer {
    pub(super) fn new(terms: usize) -> Gatherer {
        Gatherer {
            reach: BagReach::new(terms),
            drivers: Vec::new(),
            followed: Vec::new(),
            finds: Finds::default(),
        }
    }

    /// What is within reach of the last seed.
    pub(super) fn reach(&self) -> &BagReach {
        &self.reach
    }

    /// The candidates for a seed, and whether they are complete.
    pub(super) fn gather(
        &mut self,
        seed: BagRow,
        field: &SearchField<'_>,
        limits: &GatherLimits,
    ) -> (Vec<ClusterCandidate>, bool) {
        let bag = field.rows.bag(seed);
        self.reach.set(bag, field.stretches);
        self.set_drivers(bag, field);
        self.finds.keys.clear();
        self.finds.by_unmatched.clear();
        self.finds.looks = 0;
        self.finds.most_unmatched = usize::MAX;
        let mut complete = self.levels(seed, field, limits) && self.finds.most_unmatched == usize::MAX;
        if self.finds.keys.len() > limits.pool {
            self.finds.keys.select_nth_unstable(limits.pool - 1);
            self.finds.keys.truncate(limits.pool);
            complete = false;
        }
        // With the best first, few of the others are examined.
        self.finds.keys.sort_unstable();
        let candidates = self.finds.keys.iter().map(|key| {
            let (unmatched, weight, row) = (key >> 48, key >> 32 & FIELD, *key as BagRow);
            let size = field.rows.size(row);
            // For very large bags the key only shows that very many are unmatched.
            let matched = (bag.len() + size).saturating_sub(unmatched as usize) / 2;
            let matched = matched.min(bag.len()).min(size);
            ClusterCandidate { row, best: Match { matched, weight } }
        });
        (candidates.collect(), complete)
    }

    fn set_drivers(&mut self, bag: &[Term], field: &SearchField<'_>) {
        self.drivers.clear();
        let runs = self.reach.runs().iter();
        self.drivers.extend(runs.map(|(term, bits)| Driver {
            term: *term,
            bits: *bits,
            before: 0,
            occurrences_before: 0,
        }));
        self.drivers.sort_unstable_by_key(|driver| (field.commonness[driver.term as usize], driver.term));
        let (mut before, mut occurrences) = (0, 0);
        for driver in &mut self.drivers {
            (driver.before, driver.occurrences_before) = (before, occurrences);
            before |= driver.bits;
            let end = bag.partition_point(|term| *term <= driver.term);
            occurrences += end - bag.partition_point(|term| *term < driver.term);
        }
    }

    /// Completes one level after the other; `false` if it stopped before the last.
    fn levels(&mut self, seed: BagRow, field: &SearchField<'_>, limits: &GatherLimits) -> bool {
        let size = field.rows.size(seed);
        self.followed.clear();
        self.followed.resize(field.classes.len(), 0);
        let mut level = 0;
        loop {
            // The next level at which there is anything more to follow.
            let mut next = usize::MAX;
            for (at, class) in field.classes.iter().enumerate() {
                let larger = class.size.saturating_sub(size);
                if class.is_empty() {
                    continue;
                }
                while let Some(driver) = self.drivers.get(self.followed[at]).copied() {
                    // Needed as soon as more occurrences may be missed than the previous drivers have.
                    let needed_at = larger.saturating_add(2 * driver.occurrences_before);
                    if needed_at > level {
                        next = next.min(needed_at);
                        break;
                    }
                    if !self.follow((driver, level), seed, field, class, limits) {
                        return false;
                    }
                    self.followed[at] += 1;
                }
                if larger > level {
                    break;
                }
            }
            if next == usize::MAX {
                return true;
            }
            if self.finds.within(next - 1) >= limits.enough {
                return false;
            }
            level = next;
        }
    }

    fn follow(
        &mut self,
        (driver, level): (Driver, usize),
        seed: BagRow,
        field: &SearchField<'_>,
        class: &SizeClass,
        limits: &GatherLimits,
    ) -> bool {
        let (user, size) = (field.rows.user(seed), field.rows.size(seed));
        match self.reach.table() {
            ReachTable::Narrow(table) => ClassScan { field, table, driver, seed, user, size, limits, level }
                .class(class, &mut self.finds),
            ReachTable::Wide(table) => ClassScan { field, table, driver, seed, user, size, limits, level }
                .class(class, &mut self.finds),
        }
    }
}

impl Finds {
    /// Prepares for rows that have this many occurrences together with the seed.
    #[inline]
    pub(super) fn expect(&mut self, size: usize) {
        if self.by_unmatched.len() <= size {
            self.by_unmatched.resize(size + 1, 0);
        }
    }

    /// The number of rows that leave at most this many occurrences unmatched.
    pub(super) fn within(&self, unmatched: usize) -> usize {
        self.by_unmatched.iter().take(unmatched.saturating_add(1)).map(|count| *count as usize).sum()
    }

    /// Updates which rows are still worth keeping if `pool` are kept in the end.
    pub(super) fn set_most_unmatched(&mut self, pool: usize) {
        let mut kept = 0;
        for (unmatched, count) in self.by_unmatched.iter().enumerate().take(self.most_unmatched) {
            kept += *count as usize;
            if kept >= pool {
                self.most_unmatched = unmatched;
                return;
            }
        }
    }

    /// Keeps a row of an expected size; `size` is the number of occurrences of it and the seed together.
    #[inline]
    pub(super) fn add(&mut self, row: BagRow, bound: Match, size: usize) {
        let unmatched = size - 2 * bound.matched;
        self.by_unmatched[unmatched] += 1;
        if unmatched > self.most_unmatched {
            return;
        }
        let key = (unmatched as u64).min(FIELD) << 48 | bound.weight.min(FIELD) << 32 | u64::from(row);
        self.keys.push(key);
    }
}
