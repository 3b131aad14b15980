//! What lies within reach of one bag: for every term the occurrences that it could be matched with. A few look-ups in it
//! bound a matching from above.

use crate::data::Term;
use crate::engine::matching::Match;
use crate::taxonomy::words::Neighbours;

/// For every term the occurrences of one bag within ε, as a bit each, and how near the nearest is.
#[derive(Debug)]
pub(super) struct Reach {
    masks: Vec<u64>,
    least: Vec<u8>,
    /// The distinct terms of the bag with their bits.
    runs: Vec<(Term, u64)>,
    size: usize,
}

impl Reach {
    pub(super) fn new(terms: usize) -> Reach {
        Reach { masks: vec![0; terms], least: vec![0; terms], runs: Vec::new(), size: 0 }
    }

    /// Puts another bag in the place of the last one.
    pub(super) fn set(&mut self, bag: &[Term], neighbours: &Neighbours) {
        for (term, _) in self.runs.drain(..) {
            for near in neighbours.near(term).0 {
                self.masks[*near as usize] = 0;
            }
        }
        self.size = bag.len();
        let mut at = 0;
        for run in bag.chunk_by(|one, other| one == other) {
            // A bag with more occurrences than bits: its masks tell only whether there is anything.
            let bits = if self.size > 64 { u64::MAX } else { ones(run.len()) << at };
            at += run.len();
            self.runs.push((run[0], bits));
            let (terms, distances) = neighbours.near(run[0]);
            for (near, distance) in terms.iter().zip(distances) {
                let near = *near as usize;
                // Distances above what a byte holds are taken for less, which keeps bounds bounds.
                let distance = (*distance).min(255) as u8;
                self.least[near] =
                    if self.masks[near] == 0 { distance } else { self.least[near].min(distance) };
                self.masks[near] |= bits;
            }
        }
    }

    /// The distinct terms of the bag with their bits.
    pub(super) fn runs(&self) -> &[(Term, u64)] {
        &self.runs
    }

    /// The occurrences within reach of a term.
    #[inline]
    pub(super) fn mask(&self, term: Term) -> u64 {
        self.masks[term as usize]
    }

    /// No matching of the bag with these terms has more pairs, and none with as many is lighter.
    #[inline]
    pub(super) fn bound(&self, terms: impl Iterator<Item = Term>) -> Bound {
        let (mut all, mut count, mut weight, mut most) = (0u64, 0u32, 0u32, 0u8);
        for term in terms {
            let mask = self.masks[term as usize];
            if mask != 0 {
                let least = self.least[term as usize];
                all |= mask;
                count += 1;
                weight += u32::from(least);
                most = most.max(least);
            }
        }
        let width = if self.size > 64 { self.size as u32 } else { all.count_ones() };
        let matched = count.min(width);
        // Those left out are at most the heaviest.
        let weight = weight.saturating_sub((count - matched) * u32::from(most));
        Bound { all, best: Match { matched: matched as usize, weight: u64::from(weight) } }
    }
}

/// What [`Reach::bound`] tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    /// All occurrences within reach of any of the terms.
    pub(super) all: u64,
    pub(super) best: Match,
}

fn ones(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
