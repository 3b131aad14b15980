//! Groups while records are still added to them, kept by what they look like.
//!
//! Groups with the same classes behave alike, and there are far fewer looks than groups; a search for the best group goes
//! over looks, smallest first, and takes the oldest group of the look it chooses.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::Classes;
use super::grouping::Slot;
use privet_engine::privacy::matching::{Member, Posterior, ValueGraph, ValueSet, posteriors};

/// A look: the number of records and their classes, sorted.
pub(super) type Look = (usize, Vec<u32>);

/// The groups.
pub(super) struct Shelf<'a> {
    pub classes: &'a Classes,
    groups: Vec<Option<Vec<Slot>>>,
    looks: BTreeMap<Look, BTreeSet<u32>>,
}

impl<'a> Shelf<'a> {
    /// Puts groups on a shelf; without any, one empty group stands there.
    pub fn new(classes: &'a Classes, groups: Vec<Vec<Slot>>) -> Shelf<'a> {
        let mut shelf = Shelf { classes, groups: Vec::new(), looks: BTreeMap::new() };
        let groups = if groups.is_empty() { vec![Vec::new()] } else { groups };
        for group in groups {
            shelf.looks.entry(look_of(&group)).or_default().insert(shelf.groups.len() as u32);
            shelf.groups.push(Some(group));
        }
        shelf
    }

    /// The groups, oldest first.
    pub fn into_groups(self) -> Vec<Vec<Slot>> {
        self.groups.into_iter().flatten().filter(|group| !group.is_empty()).collect()
    }

    /// All looks, those of small groups first, with their oldest group.
    pub fn looks(&self) -> impl Iterator<Item = (&[u32], u32)> {
        self.looks.iter().filter_map(|((_, classes), groups)| Some((classes.as_slice(), *groups.first()?)))
    }

    /// The same without a group.
    pub fn looks_without(&self, group: u32) -> impl Iterator<Item = (&[u32], u32)> {
        self.looks.iter().filter_map(move |((_, classes), groups)| {
            Some((classes.as_slice(), *groups.iter().find(|other| **other != group)?))
        })
    }

    /// The numbers of all groups, oldest first.
    pub fn numbers(&self) -> Vec<u32> {
        (0u32..).zip(&self.groups).filter(|(_, group)| group.is_some()).map(|(number, _)| number).collect()
    }

    /// The classes of a group, sorted.
    pub fn look(&self, group: u32) -> Vec<u32> {
        self.groups[group as usize].as_deref().map_or_else(Vec::new, |slots| look_of(slots).1)
    }

    /// Adds a record to a group.
    pub fn insert(&mut self, group: u32, slot: Slot) {
        let mut slots = self.lift(group);
        slots.push(slot);
        self.put(group, slots);
    }

    /// Empties a group into another.
    pub fn merge(&mut self, group: u32, partner: u32) {
        let mut slots = self.lift(group);
        slots.extend(self.lift(partner));
        self.put(group, slots);
    }

    fn lift(&mut self, group: u32) -> Vec<Slot> {
        let Some(slots) = self.groups[group as usize].take() else { return Vec::new() };
        let look = look_of(&slots);
        if let Some(groups) = self.looks.get_mut(&look) {
            groups.remove(&group);
            if groups.is_empty() {
                self.looks.remove(&look);
            }
        }
        slots
    }

    fn put(&mut self, group: u32, slots: Vec<Slot>) {
        self.looks.entry(look_of(&slots)).or_default().insert(group);
        self.groups[group as usize] = Some(slots);
    }

    /// The values that occur among records of some classes.
    pub fn present(&self, look: &[u32]) -> ValueSet {
        ValueSet::of(self.classes.values, look.iter().map(|class| self.classes.list[*class as usize].value))
    }

    /// How many values are valid for a record of a class in a group of these classes.
    pub fn count_valid(&self, class: u32, looks: &[&[u32]]) -> usize {
        let class = &self.classes.list[class as usize];
        let mut graph = ValueGraph::new(self.classes.values);
        for other in looks.iter().copied().flatten() {
            let other = &self.classes.list[*other as usize];
            graph.add(other.value, &other.allowed);
        }
        graph.components().count_valid(class.value, &class.allowed)
    }

    /// How many values are valid for the record that has fewest.
    pub fn least_valid(&self, look: &[u32]) -> usize {
        let mut graph = ValueGraph::new(self.classes.values);
        let members = || look.iter().map(|class| &self.classes.list[*class as usize]);
        members().for_each(|class| graph.add(class.value, &class.allowed));
        let components = graph.components();
        members().map(|class| components.count_valid(class.value, &class.allowed)).min().unwrap_or(usize::MAX)
    }
}

fn look_of(slots: &[Slot]) -> Look {
    let mut classes: Vec<u32> = slots.iter().map(|slot| slot.class).collect();
    classes.sort_unstable();
    (classes.len(), classes)
}

/// How sure an adversary can be of the likeliest value of any record in a group of these classes (sorted); `None` when
/// that takes too long to tell.
pub(super) fn posterior(classes: &Classes, look: &[u32]) -> Option<Posterior> {
    let mut members: Vec<Member> = Vec::new();
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for run in look.chunk_by(|one, other| one == other) {
        let class = &classes.list[run[0] as usize];
        *counts.entry(class.value).or_default() += run.len() as u64;
        members.push(Member { allowed: class.allowed.clone(), count: run.len() as u64 });
    }
    let counts: Vec<(u32, u64)> = counts.into_iter().collect();
    posteriors(&members, &counts)?.into_iter().max()
}
