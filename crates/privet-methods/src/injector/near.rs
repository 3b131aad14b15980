//! Groups of people who are near each other, so that a question about a few quasi-identifiers concerns whole groups.
//!
//! A group starts from a random record of a value with most records left. It takes the nearest record of each other value
//! that can be exchanged with all it has, nearest values first, until it has l. A value that would otherwise become too
//! frequent for the rest (more than one record in l) comes before nearer ones, as in Anatomy. If fewer than l records can
//! be found, the first one waits. Records that wait join a random group that they can be exchanged with as a whole; what
//! cannot is placed as for other strategies.

use std::cmp::Reverse;

use rand_chacha::ChaCha20Rng;

use super::GroupLimits;
use super::classes::RecordClasses;
use super::grouping::ClassSlot;
use super::index::{self, NearestFirst, RecordIndex};
use super::remaining;
use privet_core::clock::Clock;
use privet_core::{Result, ValueSet, random};
use privet_engine::negative_rules::Observations;

/// Forms groups of distinct records, each as often as it occurs.
pub(super) fn form(
    observations: &Observations,
    classes: &RecordClasses,
    class_of: &[u32],
    records: &[u32],
    limits: GroupLimits,
    random: &mut ChaCha20Rng,
    clock: &Clock,
) -> Result<Vec<Vec<u32>>> {
    let mut pool = UngroupedPeople::new(observations, classes, class_of, records);
    let (mut groups, waiting) = pool.group(limits.l, random, clock)?;
    let stranded = join(classes, class_of, &mut groups, waiting, random);
    let ranks = if limits.k > limits.l as u64 { index::ranks(observations, records) } else { Vec::new() };
    let groups = super::enlarge(groups, limits.k, |group| group.first().map(|seed| ranks[*seed as usize]));
    // From here on only classes matter. Slots refer to the records of a class in the order in which they come.
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes.list.len()];
    let mut slot = |record: u32| {
        let class = class_of[record as usize];
        let taken = &mut members[class as usize];
        taken.push(record);
        ClassSlot { class, turn: taken.len() as u32 - 1 }
    };
    let groups = groups.into_iter().map(|group| group.into_iter().map(&mut slot).collect()).collect();
    let stranded = stranded.into_iter().map(&mut slot).collect();
    let placed = remaining::place_sparingly(classes, groups, stranded, limits, clock)?;
    Ok(super::deal(&placed, &members))
}

/// The records without a group.
pub(super) struct UngroupedPeople<'a> {
    classes: &'a RecordClasses,
    class_of: &'a [u32],
    index: RecordIndex,
    search: NearestFirst,
    left: u64,
}

impl<'a> UngroupedPeople<'a> {
    /// Distinct records, with all their copies.
    pub fn new(
        observations: &Observations,
        classes: &'a RecordClasses,
        class_of: &'a [u32],
        records: &[u32],
    ) -> UngroupedPeople<'a> {
        let index = RecordIndex::by_value(observations, records);
        UngroupedPeople { classes, class_of, index, search: NearestFirst::default(), left: classes.total() }
    }

    /// Forms groups of l while l values are left; returns them, and the records that wait.
    pub fn group(
        &mut self,
        l: usize,
        random: &mut ChaCha20Rng,
        clock: &Clock,
    ) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
        let (mut groups, mut waiting) = (Vec::new(), Vec::new());
        loop {
            if (groups.len() + waiting.len()).is_multiple_of(256) {
                clock.check()?;
            }
            let values: Vec<u32> = (0..self.classes.values as u32)
                .filter(|value| self.index.left(*value as usize) > 0)
                .collect();
            if values.len() < l || values.is_empty() {
                break;
            }
            let most = values.iter().map(|value| self.index.left(*value as usize)).max().unwrap_or(0);
            let tied: Vec<u32> =
                values.iter().copied().filter(|value| self.index.left(*value as usize) == most).collect();
            let value = tied[random::below(random, tied.len() as u64) as usize];
            let Some(seed) = self.index.draw(value as usize, random) else { break };
            match self.grow(seed, &values, l, random) {
                Some(group) => {
                    group.iter().for_each(|record| self.take(*record));
                    groups.push(group);
                }
                None => {
                    self.take(seed);
                    waiting.push(seed);
                }
            }
        }
        waiting.extend(self.index.rest());
        Ok((groups, waiting))
    }

    fn take(&mut self, record: u32) {
        self.index.take(record);
        self.left -= 1;
    }

    /// A group of l around a record, if there is one.
    fn grow(&mut self, seed: u32, values: &[u32], l: usize, random: &mut ChaCha20Rng) -> Option<Vec<u32>> {
        let mut group = GrowingGroup::new(self.classes, self.class_of);
        group.add(seed);
        let left = |value: u32| self.index.left(value as usize);
        let rest = self.left.saturating_sub(l as u64);
        // Those that would be too frequent for what remains without this group.
        let is_due = |value: &u32| u128::from(left(*value)) * l as u128 > u128::from(rest);
        let mut due: Vec<u32> =
            values.iter().copied().filter(|value| is_due(value) && !group.excludes(*value)).collect();
        due.sort_by_key(|value| Reverse(left(*value)));
        for value in due {
            if group.members.len() < l && !group.excludes(value) {
                self.index.search(&mut self.search, seed, std::iter::once(value), random);
                group.grow(&self.index, &mut self.search, group.members.len() + 1, random);
            }
        }
        if group.members.len() < l {
            let others = values.iter().copied().filter(|value| !group.excludes(*value));
            self.index.search(&mut self.search, seed, others, random);
            group.grow(&self.index, &mut self.search, l, random);
        }
        (group.members.len() == l).then_some(group.members)
    }
}

/// A group of records that can all be exchanged for one another.
struct GrowingGroup<'a> {
    classes: &'a RecordClasses,
    class_of: &'a [u32],
    members: Vec<u32>,
    values: ValueSet,
    /// The values that no further record may have: those of the group, and those barred for a member.
    closed: ValueSet,
}

impl<'a> GrowingGroup<'a> {
    fn new(classes: &'a RecordClasses, class_of: &'a [u32]) -> GrowingGroup<'a> {
        let none = ValueSet::none(classes.values);
        GrowingGroup { classes, class_of, members: Vec::new(), values: none.clone(), closed: none }
    }

    fn add(&mut self, record: u32) {
        let class = &self.classes.list[self.class_of[record as usize] as usize];
        self.members.push(record);
        self.values.insert(class.value);
        self.closed.insert(class.value);
        self.closed.unite(&class.barred);
    }

    fn excludes(&self, value: u32) -> bool {
        self.closed.contains(value)
    }

    /// Adds the nearest records that it can have until it has a number of them.
    fn grow(
        &mut self,
        index: &RecordIndex,
        search: &mut NearestFirst,
        size: usize,
        random: &mut ChaCha20Rng,
    ) {
        while self.members.len() < size {
            let Some(record) = index.next(search, |value| !self.closed.contains(value), random) else {
                return;
            };
            let class = &self.classes.list[self.class_of[record as usize] as usize];
            if class.barred.common(&self.values) == 0 {
                self.add(record);
            }
        }
    }
}

/// Adds records to random groups with all of whose members they can be exchanged; returns those for which there is none.
fn join(
    classes: &RecordClasses,
    class_of: &[u32],
    groups: &mut [Vec<u32>],
    waiting: Vec<u32>,
    random: &mut ChaCha20Rng,
) -> Vec<u32> {
    // Per class, the groups that may still be open to it: what a group once excludes it excludes for good.
    let mut open: Vec<Option<Vec<u32>>> = vec![None; classes.list.len()];
    let mut stranded = Vec::new();
    for record in waiting {
        let own = &classes.list[class_of[record as usize] as usize];
        let open = open[class_of[record as usize] as usize]
            .get_or_insert_with(|| (0..groups.len() as u32).collect());
        let found = loop {
            if open.is_empty() {
                break None;
            }
            let at = random::below(random, open.len() as u64) as usize;
            let group = &mut groups[open[at] as usize];
            if group.iter().all(|other| !own.clashes(&classes.list[class_of[*other as usize] as usize])) {
                break Some(group);
            }
            open.swap_remove(at);
        };
        match found {
            Some(group) => group.push(record),
            None => stranded.push(record),
        }
    }
    stranded
}
