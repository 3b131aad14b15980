//! The limited search for candidates: which rows may join a cluster that a seed begins.
//!
//! Rows are found by terms within ε of the seed's. A row of size s + δ that leaves at most u occurrences unmatched, its own
//! and the seed's, misses at most q = ⌊(u - δ) / 2⌋ of the seed's s. So it holds a term within reach of one of any q + 1
//! of them, and looking up the rarest is enough. Levels u = 0, 1, 2, … are completed one after the other until there are
//! enough good candidates.

use std::ops::Range;

use super::index::Class;
use super::live::Live;
use super::reach::{Reach, Table};
use super::rows::{Row, Rows};
use super::scan::Scan;
use super::stretch::Stretches;
use privet_data::Term;
use privet_engine::matching::Match;

/// A row that may join, and what its matching with the seed cannot be better than.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) row: Row,
    pub(super) best: Match,
}

/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// After so many looks: one at each row and at each of its terms.
    pub(super) looks: usize,
    /// With so many candidates left.
    pub(super) pool: usize,
    /// As soon as so many cannot be beaten by those not looked at.
    pub(super) enough: usize,
}

impl Limits {
    /// Looks at everything within reach.
    pub(super) const NONE: Limits = Limits { looks: usize::MAX, pool: usize::MAX, enough: usize::MAX };
}

/// What a search looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) rows: &'a Rows,
    pub(super) stretches: &'a Stretches,
    pub(super) live: &'a Live,
    pub(super) classes: &'a [Class],
    /// Where the terms of all rows stand.
    pub(super) places: &'a [u32],
    /// How many rows hold something near a term.
    pub(super) commonness: &'a [u64],
}

/// Buffers of a search.
#[derive(Debug)]
pub(super) struct Gatherer {
    reach: Reach,
    drivers: Vec<Driver>,
    /// How many drivers were followed in each class.
    followed: Vec<usize>,
    finds: Finds,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Finds {
    /// How often rows and their terms were looked at, those included that are not live any more.
    pub(super) looks: usize,
    /// Where they were looked for, kept for its room.
    pub(super) lists: Vec<Range<usize>>,
    /// Each as one number to be compared: unmatched occurrences, weight, row.
    keys: Vec<u64>,
    /// How many leave so many occurrences unmatched.
    by_unmatched: Vec<u32>,
    /// Rows that leave more unmatched are not kept any more, as there are enough others.
    most_unmatched: usize,
}

/// A term of the seed by which rows are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Driver {
    pub(super) term: Term,
    pub(super) bits: u64,
    /// The bits of those before it, and how many occurrences they have.
    pub(super) before: u64,
    occurrences_before: usize,
}

/// The most that unmatched occurrences and weight can be in a key; what is more counts as this, which keeps bounds bounds.
const FIELD: u64 = 0xffff;

impl Gatherer {
    pub(super) fn new(terms: usize) -> Gatherer {
        Gatherer {
            reach: Reach::new(terms),
            drivers: Vec::new(),
            followed: Vec::new(),
            finds: Finds::default(),
        }
    }

    /// What is within reach of the last seed.
    pub(super) fn reach(&self) -> &Reach {
        &self.reach
    }

    /// The candidates for a seed, and whether they are all there are.
    pub(super) fn gather(&mut self, seed: Row, field: &Field<'_>, limits: &Limits) -> (Vec<Candidate>, bool) {
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
        // Where the best come first, few of the others are looked at.
        self.finds.keys.sort_unstable();
        let candidates = self.finds.keys.iter().map(|key| {
            let (unmatched, weight, row) = (key >> 48, key >> 32 & FIELD, *key as Row);
            let size = field.rows.size(row);
            // Of huge bags the key says only that very many are without a partner.
            let matched = (bag.len() + size).saturating_sub(unmatched as usize) / 2;
            let matched = matched.min(bag.len()).min(size);
            Candidate { row, best: Match { matched, weight } }
        });
        (candidates.collect(), complete)
    }

    fn set_drivers(&mut self, bag: &[Term], field: &Field<'_>) {
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

    /// Completes one level after the other; `false` when it ended before the last.
    fn levels(&mut self, seed: Row, field: &Field<'_>, limits: &Limits) -> bool {
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
                    // Needed as soon as more occurrences may be missed than the drivers before have.
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
        seed: Row,
        field: &Field<'_>,
        class: &Class,
        limits: &Limits,
    ) -> bool {
        let (user, size) = (field.rows.user(seed), field.rows.size(seed));
        match self.reach.table() {
            Table::Narrow(table) => {
                Scan { field, table, driver, seed, user, size, limits, level }.class(class, &mut self.finds)
            }
            Table::Wide(table) => {
                Scan { field, table, driver, seed, user, size, limits, level }.class(class, &mut self.finds)
            }
        }
    }
}

impl Finds {
    /// Makes room for rows that have so many occurrences together with the seed.
    #[inline]
    pub(super) fn expect(&mut self, size: usize) {
        if self.by_unmatched.len() <= size {
            self.by_unmatched.resize(size + 1, 0);
        }
    }

    /// How many leave at most so many occurrences unmatched.
    pub(super) fn within(&self, unmatched: usize) -> usize {
        self.by_unmatched.iter().take(unmatched.saturating_add(1)).map(|count| *count as usize).sum()
    }

    /// Notes which rows are still worth keeping where so many are kept in the end.
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

    /// Keeps a row that was expected. `size` is what it and the seed have together.
    #[inline]
    pub(super) fn add(&mut self, row: Row, bound: Match, size: usize) {
        let unmatched = size - 2 * bound.matched;
        self.by_unmatched[unmatched] += 1;
        if unmatched > self.most_unmatched {
            return;
        }
        let key = (unmatched as u64).min(FIELD) << 48 | bound.weight.min(FIELD) << 32 | u64::from(row);
        self.keys.push(key);
    }
}
