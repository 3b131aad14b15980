//! Classes by the people who have a record in them, where one person may have several records.
//!
//! People who have one distinct record add up over classes. Those who have several are named, and a class counts each of
//! them once: in its size, and in every value that they have there.

use super::microdata::Microdata;
use super::rollup::Tallies;
use crate::privacy::EquivalenceClass;
use privet_data::People;

/// Stands for the values of a table that tracks none.
const NO_SLOT: u32 = u32::MAX;

/// The people of classes.
#[derive(Debug)]
pub struct Heads {
    /// What adds up: people with one distinct record, and the values that they have.
    single: Vec<u64>,
    single_tallies: Tallies,
    /// Per class, who else has a record in it, with the slots of their values there; sorted, each once.
    named: Vec<Vec<(u32, u32)>>,
    /// Both together.
    sizes: Vec<u64>,
    tallies: Tallies,
}

impl Heads {
    /// Counts the people of distinct records that go to classes as a whole.
    pub fn count(
        microdata: &Microdata,
        people: &People,
        classes: usize,
        placed: impl Iterator<Item = (usize, u32)>,
    ) -> Heads {
        let slots = microdata.table.slots() as usize;
        let mut single = vec![0; classes];
        let mut single_tallies = Tallies::of_classes(slots, classes);
        let mut named: Vec<Vec<(u32, u32)>> = vec![Vec::new(); classes];
        for (record, class) in placed {
            let (class, alone) = (class as usize, people.single(record));
            single[class] += alone;
            if alone > 0 {
                single_tallies.add_all(class, microdata.slots(record), alone);
            }
            for person in people.named(record) {
                match slots {
                    0 => named[class].push((*person, NO_SLOT)),
                    _ => named[class].extend(microdata.slots(record).map(|slot| (*person, slot))),
                }
            }
        }
        Heads::of_parts(single, single_tallies, named)
    }

    /// The same people in classes that these are part of.
    pub fn rolled(&self, class_of: &[u32], classes: usize) -> Heads {
        let mut single = vec![0; classes];
        let mut single_tallies = Tallies::of_classes(self.single_tallies.slots(), classes);
        let mut named: Vec<Vec<(u32, u32)>> = vec![Vec::new(); classes];
        for (part, class) in class_of.iter().enumerate() {
            let class = *class as usize;
            single[class] += self.single[part];
            single_tallies.merge(class, &self.single_tallies, part);
            named[class].extend_from_slice(&self.named[part]);
        }
        Heads::of_parts(single, single_tallies, named)
    }

    fn of_parts(single: Vec<u64>, single_tallies: Tallies, mut named: Vec<Vec<(u32, u32)>>) -> Heads {
        let (mut sizes, mut tallies) = (single.clone(), single_tallies.clone());
        for (class, pairs) in named.iter_mut().enumerate() {
            pairs.sort_unstable();
            pairs.dedup();
            sizes[class] += pairs.chunk_by(|a, b| a.0 == b.0).count() as u64;
            for (_, slot) in pairs.iter().filter(|(_, slot)| *slot != NO_SLOT) {
                tallies.add(class, *slot, 1);
            }
        }
        Heads { single, single_tallies, named, sizes, tallies }
    }

    /// A class as privacy notions see it: its people, and how many of them have each value.
    pub fn class(&self, class: usize) -> EquivalenceClass<'_> {
        EquivalenceClass {
            size: self.sizes[class],
            counts: self.tallies.counts(class),
            standing: Default::default(),
        }
    }

    /// The number of people in each class.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Whether everybody in a class has one distinct record only, so that people add up.
    pub fn add_up(&self, class: usize) -> bool {
        self.named[class].is_empty()
    }

    /// How many people there are in all classes together.
    pub fn total(&self) -> u64 {
        let mut named: Vec<u32> = self.named.iter().flatten().map(|(person, _)| *person).collect();
        named.sort_unstable();
        named.dedup();
        self.single.iter().sum::<u64>() + named.len() as u64
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let pairs: usize = self.named.iter().map(|pairs| 24 + pairs.len() * size_of::<(u32, u32)>()).sum();
        2 * self.sizes.len() * size_of::<u64>() + pairs + 2 * self.tallies.bytes()
    }
}
