//! What lies within reach of one bag: for every term, the occurrences that it could be matched with. A few lookups give
//! an upper bound on a matching.

use super::stretch::Stretches;
use privet_data::Term;
use privet_engine::matching::Match;

/// For every term, by position, the occurrences of one bag within ε, one bit each, and the distance of the nearest. In
/// the order of positions, the terms near another are a few stretches, which are written one after the other.
///
/// Bags of up to eight occurrences, the usual case, use two bytes per term, which fits into the first-level cache.
#[derive(Debug)]
pub(super) struct BagReach {
    /// A bit for each occurrence in the lower half, and the least distance in the upper; `None` if there are too many
    /// terms.
    narrow: Option<Box<Narrow>>,
    wide: Vec<Near>,
    terms: usize,
    /// The distinct terms of the bag with their bits.
    runs: Vec<(Term, u64)>,
    size: usize,
}

/// As many positions as 16 bits can address, so that no index can be out of bounds.
type Narrow = [u16; 1 << 16];

/// What is within reach of a term: a bit for each occurrence, and the least distance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Near {
    mask: u64,
    least: u8,
}

/// Returns for every position of a term what is within its reach.
pub(super) trait Chart: Copy {
    fn near(self, place: usize) -> Near;
}

impl Chart for &Narrow {
    #[inline(always)]
    fn near(self, place: usize) -> Near {
        let entry = self[place % (1 << 16)];
        Near { mask: u64::from(entry & 0xff), least: (entry >> 8) as u8 }
    }
}

impl Chart for &[Near] {
    #[inline(always)]
    fn near(self, place: usize) -> Near {
        self[place]
    }
}

/// For every position of a term, what is within its reach.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReachTable<'a> {
    Narrow(&'a Narrow),
    Wide(&'a [Near]),
}

/// Up to this many occurrences fit into narrow masks.
const NARROW: usize = 8;

/// The largest distance that a table can store.
const FARTHEST: u8 = u8::MAX;

impl BagReach {
    pub(super) fn new(terms: usize) -> BagReach {
        let narrow = vec![0; 1 << 16].into_boxed_slice().try_into().ok().filter(|_| terms <= 1 << 16);
        BagReach { narrow, wide: Vec::new(), terms, runs: Vec::new(), size: 0 }
    }

    /// The narrow table, if the bag uses it.
    fn narrow(&mut self) -> Option<&mut Narrow> {
        self.narrow.as_deref_mut().filter(|_| self.size <= NARROW)
    }

    /// Replaces the bag.
    pub(super) fn set(&mut self, bag: &[Term], stretches: &Stretches) {
        let mut runs = std::mem::take(&mut self.runs);
        for near in runs.drain(..).flat_map(|(term, _)| stretches.near(term)) {
            match self.narrow() {
                Some(table) => table[near.places()].fill(0),
                None => self.wide[near.places()].fill(Near::default()),
            }
        }
        self.size = bag.len();
        if self.narrow().is_none() && self.wide.is_empty() {
            self.wide.resize(self.terms, Near::default());
        }
        let mut at = 0;
        for run in bag.chunk_by(|one, other| one == other) {
            // A bag with more occurrences than bits: its masks only show whether there is anything.
            let bits = if self.size > 64 { u64::MAX } else { ones(run.len()) << at };
            at += run.len();
            runs.push((run[0], bits));
            for near in stretches.near(run[0]) {
                // Distances that do not fit in a byte are clamped, which keeps bounds valid.
                let distance = near.distance().min(FARTHEST.into());
                match self.narrow() {
                    Some(table) => {
                        let bits = bits as u16;
                        for entry in &mut table[near.places()] {
                            let least = if *entry == 0 { distance } else { distance.min(*entry >> 8) };
                            *entry = least << 8 | *entry & 0xff | bits;
                        }
                    }
                    None => {
                        for entry in &mut self.wide[near.places()] {
                            let distance = distance as u8;
                            entry.least = if entry.mask == 0 { distance } else { entry.least.min(distance) };
                            entry.mask |= bits;
                        }
                    }
                }
            }
        }
        self.runs = runs;
    }

    /// The distinct terms of the bag with their bits.
    pub(super) fn runs(&self) -> &[(Term, u64)] {
        &self.runs
    }

    /// For every position of a term, what is within its reach.
    pub(super) fn table(&self) -> ReachTable<'_> {
        match self.narrow.as_deref().filter(|_| self.size <= NARROW) {
            Some(table) => ReachTable::Narrow(table),
            None => ReachTable::Wide(&self.wide),
        }
    }

    #[inline]
    fn near(&self, place: usize) -> Near {
        match self.table() {
            ReachTable::Narrow(table) => table.near(place),
            ReachTable::Wide(table) => table.near(place),
        }
    }

    /// What is within reach of the term at a position: a bit for each of the first 64 occurrences, and the least
    /// distance, unless it is larger than tables can store.
    #[inline]
    pub(super) fn at(&self, place: usize) -> (u64, Option<u8>) {
        let Near { mask, least } = self.near(place);
        (mask, Some(least).filter(|least| *least < FARTHEST))
    }

    /// No matching of the bag with the terms at these positions has more pairs, and none with as many is lighter.
    pub(super) fn bound(&self, places: impl Iterator<Item = usize>) -> Match {
        let mut tally = ReachTally::default();
        for place in places {
            tally.add(self.near(place));
        }
        tally.bound(self.size)
    }
}

/// Sums up what is within reach of some terms.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReachTally {
    /// All occurrences within reach of any of the terms.
    pub(super) all: u64,
    /// The number of terms with anything within reach and, in the lower half, the sum of their least distances.
    sums: u64,
    most: u8,
}

impl ReachTally {
    /// Adds a term, and returns what is within its reach.
    #[inline(always)]
    pub(super) fn add(&mut self, Near { mask, least }: Near) -> u64 {
        // Without a branch: the least distance of a term without anything in reach is 0.
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
        // The omitted ones are at most the heaviest.
        let weight = weight.saturating_sub(u64::from(count - matched) * u64::from(self.most));
        Match { matched: matched as usize, weight }
    }
}

fn ones(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
