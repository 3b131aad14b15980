//! What lies within reach of one bag: for every term the occurrences that it could be matched with. A few look-ups in it
//! bound a matching from above.

use crate::data::Term;
use crate::engine::matching::Match;
use crate::taxonomy::words::Neighbours;

/// For every term the occurrences of one bag within ε, as a bit each, and how near the nearest is.
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
struct Near<Mask> {
    mask: Mask,
    least: u8,
}

/// Up to so many occurrences fit into narrow masks.
const NARROW: usize = 8;

impl Reach {
    pub(super) fn new(terms: usize) -> Reach {
        Reach { narrow: vec![Near::default(); terms], wide: Vec::new(), runs: Vec::new(), size: 0 }
    }

    /// Puts another bag in the place of the last one.
    pub(super) fn set(&mut self, bag: &[Term], neighbours: &Neighbours) {
        for (term, _) in self.runs.drain(..) {
            for near in neighbours.near(term).0 {
                if self.size <= NARROW {
                    self.narrow[*near as usize] = Near::default();
                } else {
                    self.wide[*near as usize] = Near::default();
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
            let (terms, distances) = neighbours.near(run[0]);
            for (near, distance) in terms.iter().zip(distances) {
                // Distances above what a byte holds are taken for less, which keeps bounds bounds.
                let distance = (*distance).min(255) as u8;
                if self.size <= NARROW {
                    let entry = &mut self.narrow[*near as usize];
                    entry.least = if entry.mask == 0 { distance } else { entry.least.min(distance) };
                    entry.mask |= bits as u8;
                } else {
                    let entry = &mut self.wide[*near as usize];
                    entry.least = if entry.mask == 0 { distance } else { entry.least.min(distance) };
                    entry.mask |= bits;
                }
            }
        }
    }

    /// The distinct terms of the bag with their bits.
    pub(super) fn runs(&self) -> &[(Term, u64)] {
        &self.runs
    }

    /// The occurrences within reach of a term, and how near the nearest is.
    #[inline]
    fn near(&self, term: Term) -> Near<u64> {
        if self.size <= NARROW {
            let Near { mask, least } = self.narrow[term as usize];
            Near { mask: u64::from(mask), least }
        } else {
            self.wide[term as usize]
        }
    }

    /// The occurrences within reach of a term.
    #[inline]
    pub(super) fn mask(&self, term: Term) -> u64 {
        self.near(term).mask
    }

    /// Begins a bound.
    #[inline]
    pub(super) fn tally(&self) -> Tally<'_> {
        Tally { reach: self, all: 0, count: 0, weight: 0, most: 0 }
    }

    /// No matching of the bag with these terms has more pairs, and none with as many is lighter.
    pub(super) fn bound(&self, terms: impl Iterator<Item = Term>) -> Match {
        let mut tally = self.tally();
        for term in terms {
            tally.add(term);
        }
        tally.bound()
    }
}

/// Adds up what is within reach of some terms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tally<'a> {
    reach: &'a Reach,
    /// All occurrences within reach of any of the terms.
    pub(super) all: u64,
    count: u32,
    weight: u32,
    most: u8,
}

impl Tally<'_> {
    /// Adds a term, and tells what is within its reach.
    #[inline]
    pub(super) fn add(&mut self, term: Term) -> u64 {
        let Near { mask, least } = self.reach.near(term);
        // Without a branch: the least distance of a term without reach is 0.
        self.all |= mask;
        self.count += u32::from(mask != 0);
        self.weight += u32::from(least);
        self.most = self.most.max(least);
        mask
    }

    /// No matching of the bag with the terms has more pairs, and none with as many is lighter.
    #[inline]
    pub(super) fn bound(&self) -> Match {
        let width = if self.reach.size > 64 { self.reach.size as u32 } else { self.all.count_ones() };
        let matched = self.count.min(width);
        // Those left out are at most the heaviest.
        let weight = self.weight.saturating_sub((self.count - matched) * u32::from(self.most));
        Match { matched: matched as usize, weight: u64::from(weight) }
    }
}

fn ones(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
