//! How much of the original's patterns is in the release's, and the distance of the rest.

use rayon::prelude::*;

use super::closed::{ClosedSet, WordIndex};
use super::words::WordTable;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::matching::{Aim, Matcher};

/// No distance: the two words are unrelated.
const FAR: u32 = u32::MAX;

/// Sums over all patterns of the original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NearnessSums {
    /// The words of all patterns.
    pub(super) words: u64,
    /// The largest number of words that a pattern of the release shares with each.
    pub(super) common: u64,
    /// The least distance to a pattern of the release, with unmatched words free.
    pub(super) free: u64,
    /// The least distance, with unmatched words charged.
    pub(super) charged: u64,
}

/// Compares the patterns of the original with those of the release; a word without a partner costs `omega`.
pub(super) fn compare(
    original: &[ClosedSet],
    release: &[ClosedSet],
    words: &WordTable<'_>,
    omega: u32,
    clock: &Clock,
) -> Result<NearnessSums> {
    let index = PatternIndex::of(release);
    let mut asked: Vec<WordIndex> = original.iter().flat_map(|(words, _)| words).copied().collect();
    asked.sort_unstable();
    asked.dedup();
    let far = |one: WordIndex, other: &WordIndex| words.distance(one, *other).unwrap_or(FAR);
    let rows: Vec<Vec<u32>> =
        asked.par_iter().map(|one| index.words.iter().map(|other| far(*one, other)).collect()).collect();
    let sums: Vec<Result<NearnessSums>> = original
        .par_iter()
        .map_init(
            || (vec![0u32; release.len()], Matcher::default()),
            |(overlaps, matcher), (pattern, _)| {
                clock.check()?;
                let place = |word: &WordIndex| &rows[asked.partition_point(|other| other < word)][..];
                let rows: Vec<&[u32]> = pattern.iter().map(place).collect();
                Ok(index.nearest(pattern, &rows, release, u64::from(omega), overlaps, matcher))
            },
        )
        .collect();
    let mut all = NearnessSums::default();
    for sums in sums {
        let NearnessSums { words, common, free, charged } = sums?;
        all.words += words;
        all.common += common;
        all.free += free;
        all.charged += charged;
    }
    Ok(all)
}

/// The words of the release's patterns, with the patterns that have each.
struct PatternIndex {
    words: Vec<WordIndex>,
    patterns: Vec<Vec<u32>>,
    /// The patterns, with their words as indices into `words`.
    places: Vec<Vec<u32>>,
}

impl PatternIndex {
    fn of(release: &[ClosedSet]) -> PatternIndex {
        let mut words: Vec<WordIndex> = release.iter().flat_map(|(words, _)| words).copied().collect();
        words.sort_unstable();
        words.dedup();
        let mut patterns = vec![Vec::new(); words.len()];
        let mut places = Vec::with_capacity(release.len());
        for (number, (pattern, _)) in (0u32..).zip(release) {
            let place = |word: &WordIndex| words.partition_point(|other| other < word) as u32;
            let held: Vec<u32> = pattern.iter().map(place).collect();
            for place in &held {
                patterns[*place as usize].push(number);
            }
            places.push(held);
        }
        PatternIndex { words, patterns, places }
    }

    fn nearest(
        &self,
        pattern: &[WordIndex],
        rows: &[&[u32]],
        release: &[ClosedSet],
        omega: u64,
        overlaps: &mut [u32],
        matcher: &mut Matcher,
    ) -> NearnessSums {
        overlaps.fill(0);
        for word in pattern {
            if let Ok(place) = self.words.binary_search(word) {
                for number in &self.patterns[place] {
                    overlaps[*number as usize] += 1;
                }
            }
        }
        let length = pattern.len() as u64;
        let common = u64::from(overlaps.iter().max().copied().unwrap_or(0));
        let mut sums = NearnessSums { words: length, common, free: u64::MAX, charged: u64::MAX };
        // A pattern that contains the other, or is contained in it, is paired at no cost.
        for (overlap, (other, _)) in overlaps.iter().zip(release) {
            if *overlap as usize == pattern.len().min(other.len()) {
                sums.free = 0;
                sums.charged = sums.charged.min(omega * (length - u64::from(*overlap)));
            }
        }
        if sums.free > 0 || sums.charged > 0 {
            self.search(rows, omega, matcher, &mut sums);
        }
        if release.is_empty() {
            (sums.free, sums.charged) = (0, omega * length);
        }
        sums
    }

    /// Examines every pattern that may be nearer than the nearest so far.
    fn search(&self, rows: &[&[u32]], omega: u64, matcher: &mut Matcher, sums: &mut NearnessSums) {
        // Per word of the release, the least distance to the pattern; `FAR` if some of it is out of reach.
        let nearest: Vec<u32> = (0..self.words.len())
            .map(|place| {
                let column = rows.iter().map(|row| row[place]);
                if column.clone().any(|far| far == FAR) { FAR } else { column.min().unwrap_or(FAR) }
            })
            .collect();
        for other in &self.places {
            let most = rows.len().min(other.len());
            // If everything is within reach, all words of the shorter side are paired, at best with the nearest.
            let in_reach = other.iter().all(|place| nearest[*place as usize] != FAR);
            let floor: u64 = if !in_reach {
                0
            } else if other.len() <= rows.len() {
                other.iter().map(|place| u64::from(nearest[*place as usize])).sum()
            } else {
                let least = |row: &&[u32]| other.iter().map(|place| row[*place as usize]).min();
                rows.iter().filter_map(least).map(u64::from).sum()
            };
            if floor >= sums.free && floor + omega * (sums.words - most as u64) >= sums.charged {
                continue;
            }
            // A single word is paired with the nearest.
            let (pairs, weight) = if in_reach && most == 1 {
                (1, floor)
            } else {
                let distance = |row: usize, column: usize| {
                    let far = rows[row][other[column] as usize];
                    (far != FAR).then_some(u64::from(far))
                };
                let found = matcher.exact(rows.len(), other.len(), Aim::MostPairs, distance);
                (found.matched as u64, found.weight)
            };
            sums.free = sums.free.min(weight);
            sums.charged = sums.charged.min(weight + omega * (sums.words - pairs));
        }
    }
}
