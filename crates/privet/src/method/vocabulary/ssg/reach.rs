//! What lies within reach of one bag: for every term the occurrences that it could be matched with. A few look-ups in it
//! bound a matching from above.

use std::ops::BitOrAssign;

use super::stretch::Stretches;
use crate::data::Term;
use crate::engine::matching::Match;

/// For every term, by its place, the occurrences of one bag within ε, as a bit each, and how near the nearest is. In the
/// order of places what is near a term is a few stretches, which are written one after the other.
///
/// Bags of up to eight occurrences, which most are, use two bytes a term: that stays in the nearest cache.
#[derive(Debug)]
pub(super) struct Reach {
    narrow: Vec<Near<u8>>,
    wide: Vec<Near<u64>>,
    /// The distinct terms of the bag with their bits.
    runs: Vec<(Term, u64)>,
    size: usize,
}

/// What is within reach of a term: a bit for each occurrence, and the least distance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Near<Mask> {
    pub(super) mask: Mask,
    least: u8,
}

impl<Mask: Copy + PartialEq + Default + BitOrAssign> Near<Mask> {
    /// Adds occurrences at a distance.
    #[inline]
    fn add(&mut self, bits: Mask, distance: u8) {
        self.least = if self.mask == Mask::default() { distance } else { self.least.min(distance) };
        self.mask |= bits;
    }
}

/// For every place of a term what is within its reach.
#[derive(Debug, Clone, Copy)]
pub(super) enum Table<'a> {
    Narrow(&'a [Near<u8>]),
    Wide(&'a [Near<u64>]),
}

/// Up to so many occurrences fit into narrow masks.
const NARROW: usize = 8;

/// The farthest that a table tells.
const FARTHEST: u8 = u8::MAX;

impl Reach {
    pub(super) fn new(terms: usize) -> Reach {
        Reach { narrow: vec![Near::default(); terms], wide: Vec::new(), runs: Vec::new(), size: 0 }
    }

    /// Puts another bag in the place of the last one.
    pub(super) fn set(&mut self, bag: &[Term], stretches: &Stretches) {
        for (term, _) in self.runs.drain(..) {
            for near in stretches.near(term) {
                if self.size <= NARROW {
                    self.narrow[near.places()].fill(Near::default());
                } else {
                    self.wide[near.places()].fill(Near::default());
                }
            }
        }
        self.size = bag.len();
        if self.size > NARROW && self.wide.is_empty() {
            self.wide.resize(self.narrow.len(), Near::default());
        }
        let mut at = 0;
        for run in bag.chunk_by(|one, other| one == other) {
            // A bag with more occurrences than bits: its masks tell only whether there is anything.
            let bits = if self.size > 64 { u64::MAX } else { ones(run.len()) << at };
            at += run.len();
            self.runs.push((run[0], bits));
            for near in stretches.near(run[0]) {
                // Distances above what a byte holds are taken for less, which keeps bounds bounds.
                let distance = near.distance().min(FARTHEST.into()) as u8;
                if self.size <= NARROW {
                    let bits = bits as u8;
                    self.narrow[near.places()].iter_mut().for_each(|entry| entry.add(bits, distance));
                } else {
                    self.wide[near.places()].iter_mut().for_each(|entry| entry.add(bits, distance));
                }
            }
        }
    }

    /// The distinct terms of the bag with their bits.
    pub(super) fn runs(&self) -> &[(Term, u64)] {
        &self.runs
    }

    /// For every place of a term what is within its reach.
    pub(super) fn table(&self) -> Table<'_> {
        if self.size <= NARROW { Table::Narrow(&self.narrow) } else { Table::Wide(&self.wide) }
    }

    /// What is within reach of the term at a place: a bit for each occurrence, as far as there are 64, and the least distance,
    /// unless that is more than tables tell.
    #[inline]
    pub(super) fn at(&self, place: usize) -> (u64, Option<u8>) {
        let told = |least: u8| Some(least).filter(|least| *least < FARTHEST);
        match self.table() {
            Table::Narrow(table) => (table[place].mask.into(), told(table[place].least)),
            Table::Wide(table) => (table[place].mask, told(table[place].least)),
        }
    }

    /// No matching of the bag with the terms at these places has more pairs, and none with as many is lighter.
    pub(super) fn bound(&self, places: impl Iterator<Item = usize>) -> Match {
        let mut tally = Tally::default();
        for place in places {
            match self.table() {
                Table::Narrow(table) => tally.add(table[place]),
                Table::Wide(table) => tally.add(table[place]),
            };
        }
        tally.bound(self.size)
    }
}

/// Adds up what is within reach of some terms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    /// All occurrences within reach of any of the terms.
    pub(super) all: u64,
    /// How many terms have anything within reach, and in the lower half the sum of their least distances.
    sums: u64,
    most: u8,
}

impl Tally {
    /// Adds a term, and tells what is within its reach.
    #[inline]
    pub(super) fn add<Mask: Into<u64>>(&mut self, Near { mask, least }: Near<Mask>) -> u64 {
        let mask: u64 = mask.into();
        // Without a branch: the least distance of a term without reach is 0.
        self.all |= mask;
        self.sums += u64::from(mask != 0) << 32 | u64::from(least);
        self.most = self.most.max(least);
        mask
    }

    /// No matching of a bag of this size with the terms has more pairs, and none with as many is lighter.
    #[inline]
    pub(super) fn bound(&self, size: usize) -> Match {
        let width = if size > 64 { size as u32 } else { self.all.count_ones() };
        let (count, weight) = ((self.sums >> 32) as u32, self.sums & u64::from(u32::MAX));
        let matched = count.min(width);
        // Those left out are at most the heaviest.
        let weight = weight.saturating_sub(u64::from(count - matched) * u64::from(self.most));
        Match { matched: matched as usize, weight }
    }
}

fn ones(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
