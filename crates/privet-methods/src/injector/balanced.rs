//! Anatomy's groups for an adversary who knows something: the most frequent values first, so that few records remain.
//!
//! A group starts from a random record of a value with most records left. Values join in the order of how many records they
//! have left, each with a random record among those that can be exchanged with all that the group has. Chance decides among
//! equals everywhere: records that are picked for what is barred for them have more in common than chance would give them,
//! and counts over quasi-identifiers come out worse.

use std::cmp::Reverse;
use std::ops::Range;

use rand_chacha::ChaCha20Rng;

use super::classes::RecordClasses;
use super::grouping::{ClassSlot, FormedGroups};
use privet_core::clock::Clock;
use privet_core::{Result, ValueSet, random};

/// Forms groups of `l` records while there are records of l values.
pub(super) fn form(
    classes: &RecordClasses,
    l: usize,
    random: &mut ChaCha20Rng,
    clock: &Clock,
) -> Result<FormedGroups> {
    let mut pool = ClassPool::new(classes);
    let mut phase = FormedGroups::default();
    loop {
        if (phase.groups.len() + phase.remaining.len()).is_multiple_of(256) {
            clock.check()?;
        }
        let mut values: Vec<usize> = (0..classes.values).filter(|value| pool.having[*value] > 0).collect();
        if values.len() < l || values.is_empty() {
            break;
        }
        random::shuffle(&mut values, random);
        // A stable sort keeps ties in their random order.
        values.sort_by_key(|value| Reverse(pool.having[*value]));
        let (group, seed) = pool.grow(&values, l, random);
        if group.len() == l {
            phase.groups.push(group.into_iter().map(|class| pool.take(class)).collect());
        } else {
            phase.remaining.extend(seed.map(|seed| pool.take(seed)));
        }
    }
    for class in 0..classes.list.len() {
        while pool.left[class] > 0 {
            phase.remaining.push(pool.take(class));
        }
    }
    Ok(phase)
}

/// The records without a group, by class.
struct ClassPool<'a> {
    classes: &'a RecordClasses,
    left: Vec<u64>,
    taken: Vec<u32>,
    /// Per value, its classes and how many records are left.
    of_value: Vec<Range<usize>>,
    having: Vec<u64>,
}

impl<'a> ClassPool<'a> {
    fn new(classes: &'a RecordClasses) -> ClassPool<'a> {
        let list = &classes.list;
        // Classes are sorted by value.
        let of_value = (0..classes.values as u32).map(|value| {
            list.partition_point(|class| class.value < value)
                ..list.partition_point(|class| class.value <= value)
        });
        let of_value: Vec<Range<usize>> = of_value.collect();
        let having = |range: &Range<usize>| list[range.clone()].iter().map(|class| class.count).sum();
        ClassPool {
            classes,
            left: list.iter().map(|class| class.count).collect(),
            taken: vec![0; list.len()],
            having: of_value.iter().map(having).collect(),
            of_value,
        }
    }

    fn take(&mut self, class: usize) -> ClassSlot {
        let slot = ClassSlot { class: class as u32, turn: self.taken[class] };
        self.left[class] -= 1;
        self.taken[class] += 1;
        self.having[self.classes.list[class].value as usize] -= 1;
        slot
    }

    /// The classes of a group of up to `l` records, and of its first record. No value occurs twice, so no class does.
    fn grow(&self, values: &[usize], l: usize, random: &mut ChaCha20Rng) -> (Vec<usize>, Option<usize>) {
        let mut group: Vec<usize> = Vec::with_capacity(l);
        let (mut present, mut barred) =
            (ValueSet::none(self.classes.values), ValueSet::none(self.classes.values));
        for value in values {
            if group.len() == l {
                break;
            }
            if barred.contains(*value as u32) {
                continue;
            }
            let fits = |class: &usize| self.classes.list[*class].barred.common(&present) == 0;
            if let Some(class) = self.draw(self.of_value[*value].clone().filter(fits), random) {
                present.insert(*value as u32);
                barred.unite(&self.classes.list[class].barred);
                group.push(class);
            }
        }
        let seed = group.first().copied();
        (group, seed)
    }

    /// The class of a record that is drawn from some classes.
    fn draw(&self, classes: impl Iterator<Item = usize>, random: &mut ChaCha20Rng) -> Option<usize> {
        let some: Vec<usize> = classes.filter(|class| self.left[*class] > 0).collect();
        let total: u64 = some.iter().map(|class| self.left[*class]).sum();
        let mut rank = if total > 0 { random::below(random, total) } else { return None };
        some.into_iter().find(|class| {
            let here = rank < self.left[*class];
            rank = rank.saturating_sub(self.left[*class]);
            here
        })
    }
}
