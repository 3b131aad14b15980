//! The second phase of Figure 2: groups of l mutually exchangeable records.
//!
//! A group starts from the class that clashes with most of the remaining records, and repeatedly adds the compatible class
//! that blocks the fewest candidates. That counts records of the same value as blocked, so it uses up rare values first and
//! strands the frequent ones.

use super::blocked::ClashSums;
use super::classes::RecordClasses;
use privet_core::clock::Clock;
use privet_core::{Result, ValueSet};

/// A record of a class: the `turn`-th that was taken from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassSlot {
    /// The class.
    pub class: u32,
    /// How many records of the class were taken before.
    pub turn: u32,
}

/// Groups, and the records without a group, in the order in which they were given up.
#[derive(Debug, Default)]
pub(super) struct FormedGroups {
    pub groups: Vec<Vec<ClassSlot>>,
    pub remaining: Vec<ClassSlot>,
}

/// Forms groups of `l` records while possible.
pub(super) fn form(classes: &RecordClasses, l: usize, clock: &Clock) -> Result<FormedGroups> {
    let mut pool = UngroupedRecords {
        classes,
        left: classes.list.iter().map(|class| class.count).collect(),
        taken: vec![0; classes.list.len()],
        all: ClashSums::new(classes),
        candidates: ClashSums::new(classes),
        some_left: ClassSet::of(classes.list.len(), with_records(classes)),
        clashing: vec![None; classes.list.len()],
    };
    let mut phase = FormedGroups::default();
    let mut total = classes.total();
    while total >= l as u64 {
        if phase.groups.len().is_multiple_of(256) {
            clock.check()?;
        }
        let Some(seed) = pool.most_clashing() else { break };
        let (group, complete) = pool.grow(seed, l);
        let seed = group[0];
        if complete {
            total -= group.len() as u64;
            phase.groups.push(group);
        } else {
            group[1..].iter().rev().for_each(|slot| pool.put_back(*slot));
            total -= 1;
            phase.remaining.push(seed);
        }
    }
    for class in 0..classes.list.len() {
        while pool.left[class] > 0 {
            phase.remaining.push(pool.take(class));
        }
    }
    Ok(phase)
}

struct UngroupedRecords<'a> {
    classes: &'a RecordClasses,
    left: Vec<u64>,
    taken: Vec<u32>,
    /// Sums over the remaining records.
    all: ClashSums,
    /// Sums over the remaining records that are compatible with the group being formed.
    candidates: ClashSums,
    /// The classes with records left.
    some_left: ClassSet,
    /// Per class, the classes that it clashes with; computed when it first joins a group.
    clashing: Vec<Option<ClassSet>>,
}

/// A set of classes, by position.
type ClassSet = ValueSet;

fn with_records(classes: &RecordClasses) -> impl Iterator<Item = u32> {
    (0u32..).zip(&classes.list).filter(|(_, class)| class.count > 0).map(|(at, _)| at)
}

impl UngroupedRecords<'_> {
    fn take(&mut self, class: usize) -> ClassSlot {
        let slot = ClassSlot { class: class as u32, turn: self.taken[class] };
        self.left[class] -= 1;
        if self.left[class] == 0 {
            self.some_left.remove(slot.class);
        }
        self.taken[class] += 1;
        self.all.take(class, 1);
        slot
    }

    fn put_back(&mut self, slot: ClassSlot) {
        let class = slot.class as usize;
        self.left[class] += 1;
        self.some_left.insert(slot.class);
        self.taken[class] -= 1;
        self.all.add(class, 1);
        self.candidates.add(class, 1);
    }

    /// The first class that clashes with most of the remaining records.
    fn most_clashing(&self) -> Option<usize> {
        let mut best: Option<(u64, usize)> = None;
        for class in self.some_left.iter().map(|class| class as usize) {
            let clashing = self.all.clashing(class);
            if best.is_none_or(|(most, _)| clashing > most) {
                best = Some((clashing, class));
            }
        }
        best.map(|(_, class)| class)
    }

    /// Grows a group from a class; returns whether it reached `l` records.
    fn grow(&mut self, seed: usize, l: usize) -> (Vec<ClassSlot>, bool) {
        let mut candidates = self.some_left.clone();
        let mut dropped: Vec<u32> = Vec::new();
        let mut group = Vec::with_capacity(l);
        let mut next = Some(seed);
        while let Some(class) = next {
            group.push(self.take(class));
            self.candidates.take(class, 1);
            if group.len() == l {
                break;
            }
            let clashing = self.clashing[class].get_or_insert_with(|| {
                let joined = &self.classes.list[class];
                let others = (0u32..).zip(&self.classes.list).filter(|(_, other)| joined.clashes(other));
                ClassSet::of(self.classes.list.len(), others.map(|(at, _)| at))
            });
            let before = dropped.len();
            dropped.extend(candidates.iter().filter(|other| clashing.contains(*other)));
            candidates.subtract(clashing);
            for other in &dropped[before..] {
                self.candidates.take(*other as usize, self.left[*other as usize]);
            }
            next = self.fewest_blocked(&candidates);
        }
        for class in dropped {
            self.candidates.add(class as usize, self.left[class as usize]);
        }
        let complete = group.len() == l;
        (group, complete)
    }

    fn fewest_blocked(&self, candidates: &ClassSet) -> Option<usize> {
        let blocked = |class: &usize| self.candidates.clashing(*class);
        candidates.iter().map(|class| class as usize).min_by_key(blocked)
    }
}
