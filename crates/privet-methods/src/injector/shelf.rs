//! Groups that are still growing, indexed by signature.
//!
//! The signature of a group is the multiset of its classes. Groups with the same signature behave alike, and there are
//! far fewer signatures than groups. A search for the best group goes over signatures, smallest first, and takes the
//! oldest group of the one it chooses.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::RecordClasses;
use super::grouping::ClassSlot;
use privet_core::ValueSet;
use privet_engine::privacy::matching::{Member, Posterior, ValueGraph, posteriors};

/// A signature: the number of records and their classes, sorted.
pub(super) type Signature = (usize, Vec<u32>);

/// The groups.
pub(super) struct GroupShelf<'a> {
    pub classes: &'a RecordClasses,
    groups: Vec<Option<Vec<ClassSlot>>>,
    signatures: BTreeMap<Signature, BTreeSet<u32>>,
}

impl<'a> GroupShelf<'a> {
    /// Indexes groups; without any, starts with one empty group.
    pub fn new(classes: &'a RecordClasses, groups: Vec<Vec<ClassSlot>>) -> GroupShelf<'a> {
        let mut shelf = GroupShelf { classes, groups: Vec::new(), signatures: BTreeMap::new() };
        let groups = if groups.is_empty() { vec![Vec::new()] } else { groups };
        for group in groups {
            shelf.signatures.entry(look_of(&group)).or_default().insert(shelf.groups.len() as u32);
            shelf.groups.push(Some(group));
        }
        shelf
    }

    /// The groups, oldest first.
    pub fn into_groups(self) -> Vec<Vec<ClassSlot>> {
        self.groups.into_iter().flatten().filter(|group| !group.is_empty()).collect()
    }

    /// All signatures, those of small groups first, with their oldest group.
    pub fn signatures(&self) -> impl Iterator<Item = (&[u32], u32)> {
        self.signatures
            .iter()
            .filter_map(|((_, classes), groups)| Some((classes.as_slice(), *groups.first()?)))
    }

    /// All signatures except that of one group.
    pub fn signatures_without(&self, group: u32) -> impl Iterator<Item = (&[u32], u32)> {
        self.signatures.iter().filter_map(move |((_, classes), groups)| {
            Some((classes.as_slice(), *groups.iter().find(|other| **other != group)?))
        })
    }

    /// The numbers of all groups, oldest first.
    pub fn numbers(&self) -> Vec<u32> {
        (0u32..).zip(&self.groups).filter(|(_, group)| group.is_some()).map(|(number, _)| number).collect()
    }

    /// The classes of a group, sorted.
    pub fn signature(&self, group: u32) -> Vec<u32> {
        self.groups[group as usize].as_deref().map_or_else(Vec::new, |slots| look_of(slots).1)
    }

    /// Adds a record to a group.
    pub fn insert(&mut self, group: u32, slot: ClassSlot) {
        let mut slots = self.lift(group);
        slots.push(slot);
        self.put(group, slots);
    }

    /// Moves all records of a group into another.
    pub fn merge(&mut self, group: u32, partner: u32) {
        let mut slots = self.lift(group);
        slots.extend(self.lift(partner));
        self.put(group, slots);
    }

    fn lift(&mut self, group: u32) -> Vec<ClassSlot> {
        let Some(slots) = self.groups[group as usize].take() else { return Vec::new() };
        let signature = look_of(&slots);
        if let Some(groups) = self.signatures.get_mut(&signature) {
            groups.remove(&group);
            if groups.is_empty() {
                self.signatures.remove(&signature);
            }
        }
        slots
    }

    fn put(&mut self, group: u32, slots: Vec<ClassSlot>) {
        self.signatures.entry(look_of(&slots)).or_default().insert(group);
        self.groups[group as usize] = Some(slots);
    }

    /// The values that occur among records of some classes.
    pub fn present(&self, signature: &[u32]) -> ValueSet {
        ValueSet::of(
            self.classes.values,
            signature.iter().map(|class| self.classes.list[*class as usize].value),
        )
    }

    /// The number of values valid for a record of a class in a group of these classes.
    pub fn count_valid(&self, class: u32, signatures: &[&[u32]]) -> usize {
        let class = &self.classes.list[class as usize];
        let mut graph = ValueGraph::new(self.classes.values);
        for other in signatures.iter().copied().flatten() {
            let other = &self.classes.list[*other as usize];
            graph.add(other.value, &other.allowed);
        }
        graph.components().count_valid(class.value, &class.allowed)
    }

    /// The number of valid values of the record that has fewest.
    pub fn least_valid(&self, signature: &[u32]) -> usize {
        let mut graph = ValueGraph::new(self.classes.values);
        let members = || signature.iter().map(|class| &self.classes.list[*class as usize]);
        members().for_each(|class| graph.add(class.value, &class.allowed));
        let components = graph.components();
        members().map(|class| components.count_valid(class.value, &class.allowed)).min().unwrap_or(usize::MAX)
    }
}

fn look_of(slots: &[ClassSlot]) -> Signature {
    let mut classes: Vec<u32> = slots.iter().map(|slot| slot.class).collect();
    classes.sort_unstable();
    (classes.len(), classes)
}

/// The posterior of the likeliest value of any record in a group of these classes (sorted); `None` if computing it
/// takes too long.
pub(super) fn posterior(classes: &RecordClasses, signature: &[u32]) -> Option<Posterior> {
    let mut members: Vec<Member> = Vec::new();
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for run in signature.chunk_by(|one, other| one == other) {
        let class = &classes.list[run[0] as usize];
        *counts.entry(class.value).or_default() += run.len() as u64;
        members.push(Member { allowed: class.allowed.clone(), count: run.len() as u64 });
    }
    let counts: Vec<(u32, u64)> = counts.into_iter().collect();
    posteriors(&members, &counts)?.into_iter().max()
}
