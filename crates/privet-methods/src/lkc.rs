//! LKC-privacy of vectors of levels.
//!
//! The groups that decide are the classes at other vectors, with all but L columns at the top. Many vectors share these, so
//! each is judged once. See [`privacy::LkcPrivacy`] for why this is enough, and why a search may prune by it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::levels::Levelling;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::privacy::{Counts, EquivalenceClass, LkcPrivacy};
use privet_engine::rollup::{Grouping, Levels};

/// Vectors whose groups were judged and are remembered, at most: with many columns there are more than memory holds.
const MOST_KNOWN: usize = 1 << 20;

/// The policy's requirements of LKC-privacy, with what is known about the groups of a table.
pub(super) struct LkcTests {
    tests: Vec<KnownProjections>,
}

/// One requirement, and whether all groups at a vector meet it.
struct KnownProjections {
    notion: LkcPrivacy,
    known: Mutex<HashMap<Levels, bool>>,
}

impl KnownProjections {
    fn known(&self) -> MutexGuard<'_, HashMap<Levels, bool>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn holds_at(&self, projection: Levels, levelling: &Levelling<'_>) -> bool {
        if let Some(holds) = self.known().get(&projection) {
            return *holds;
        }
        let groups = levelling.groupings.at(&projection);
        let holds = self.holds_in_all(&groups);
        let mut known = self.known();
        if known.len() < MOST_KNOWN {
            known.insert(projection, holds);
        }
        holds
    }

    /// Whether some classes, taken together, meet the requirement.
    fn holds_in(&self, grouping: &Grouping, classes: &[usize]) -> bool {
        let [size, share] = self.notion.tests();
        let records = classes.iter().map(|class| grouping.outline(*class).size).sum();
        if !size.holds(&EquivalenceClass {
            size: records,
            counts: Counts::Sparse(&[]),
            standing: Default::default(),
        }) {
            return false;
        }
        // Slots are numbered from the start of the range.
        let slots = 0..self.notion.slots().end;
        let mut counts = vec![0; slots.end as usize];
        for class in classes {
            grouping.class(*class).counts.for_each(&slots, |slot, count| counts[slot as usize] += count);
        }
        share.holds(&EquivalenceClass {
            size: records,
            counts: Counts::Dense(&counts),
            standing: Default::default(),
        })
    }

    /// Sizes come first: most vectors fail by them, and they need no counts of values.
    fn holds_in_all(&self, groups: &Grouping) -> bool {
        let [size, share] = self.notion.tests();
        (0..groups.len()).all(|group| size.holds(&groups.outline(group)))
            && (0..groups.len()).all(|group| share.holds(&groups.class(group)))
    }
}

impl LkcTests {
    pub fn new(notions: Vec<LkcPrivacy>) -> LkcTests {
        let test = |notion| KnownProjections { notion, known: Mutex::default() };
        LkcTests { tests: notions.into_iter().map(test).collect() }
    }

    /// Whether all groups meet every requirement at some levels; `None` if time is up. The most general vector, with its single
    /// group, is always judged, so that a search has an answer if there is one.
    pub fn hold(&self, levels: &[u8], levelling: &Levelling<'_>, clock: &Clock) -> Option<bool> {
        for test in &self.tests {
            for (judged, projection) in
                test.notion.projections(levels, &levelling.tops).into_iter().enumerate()
            {
                if judged > 0 && (clock.is_over() || clock.check().is_err()) {
                    return None;
                }
                if !test.holds_at(projection, levelling) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Suppresses classes of a vector of levels until every group of those that are kept meets every requirement.
    ///
    /// The classes of a group that fails go, all such groups at once, and again until none fails. A group whose size alone is
    /// asked for never recovers when others lose records, so what remains is then the largest part that meets K. With C it is a
    /// part that meets both, the same whatever the order of the classes.
    pub fn suppress(
        &self,
        levelling: &Levelling<'_>,
        grouping: &Grouping,
        kept: &mut [bool],
        clock: &Clock,
    ) -> Result<()> {
        let columns: Vec<usize> = (0..levelling.tops.len()).collect();
        let ladders = levelling.groupings.ladders();
        let values: Vec<Vec<u32>> =
            (0..grouping.len()).map(|class| ladders.values(grouping.key(class)).collect()).collect();
        loop {
            let mut failing: Vec<usize> = Vec::new();
            let mut order: Vec<usize> = (0..grouping.len()).filter(|class| kept[*class]).collect();
            for test in &self.tests {
                for known in test.notion.combinations(&columns) {
                    clock.check()?;
                    let cells = |class: usize| {
                        known.iter().map(|column| values[class][*column]).collect::<Vec<u32>>()
                    };
                    order.sort_by_cached_key(|class| cells(*class));
                    let groups = order.chunk_by(|a, b| cells(*a) == cells(*b));
                    failing.extend(groups.filter(|group| !test.holds_in(grouping, group)).flatten());
                }
            }
            if failing.is_empty() {
                return Ok(());
            }
            failing.into_iter().for_each(|class| kept[class] = false);
        }
    }

    /// Why the whole table as one group fails, one reason per requirement.
    pub fn failures(&self, whole: &EquivalenceClass<'_>) -> Vec<String> {
        self.tests.iter().filter_map(|test| test.notion.why_impossible(whole)).collect()
    }
}
