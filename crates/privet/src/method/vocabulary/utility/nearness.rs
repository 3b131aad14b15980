//! How much of the original's patterns is in the release's, and how far the rest is.

use rayon::prelude::*;

use super::closed::{Closed, Word};
use super::matching;
use super::words::Words;
use crate::Result;
use crate::engine::clock::Clock;

/// What is summed over all patterns of the original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// The words of all patterns.
    pub(super) words: u64,
    /// The most words that a pattern of the release has in common with each.
    pub(super) common: u64,
    /// The least distance to a pattern of the release, unmatched words free of charge.
    pub(super) free: u64,
    /// The same, with unmatched words charged.
    pub(super) charged: u64,
}

/// Compares the patterns of the original with those of the release; a word without a partner costs `omega`.
pub(super) fn compare(
    original: &[Closed],
    release: &[Closed],
    words: &Words<'_>,
    omega: u32,
    clock: &Clock,
) -> Result<Sums> {
    let index = Index::of(release);
    let sums: Vec<Result<Sums>> = original
        .par_iter()
        .map_init(
            || vec![0u32; release.len()],
            |overlaps, (pattern, _)| {
                clock.check()?;
                Ok(index.nearest(pattern, release, words, u64::from(omega), overlaps))
            },
        )
        .collect();
    let mut all = Sums::default();
    for sums in sums {
        let Sums { words, common, free, charged } = sums?;
        all.words += words;
        all.common += common;
        all.free += free;
        all.charged += charged;
    }
    Ok(all)
}

/// The words of the release's patterns and which patterns have each.
struct Index {
    words: Vec<Word>,
    patterns: Vec<Vec<u32>>,
    /// The patterns with their words as positions in `words`.
    places: Vec<Vec<u32>>,
}

impl Index {
    fn of(release: &[Closed]) -> Index {
        let mut words: Vec<Word> = release.iter().flat_map(|(words, _)| words).copied().collect();
        words.sort_unstable();
        words.dedup();
        let mut patterns = vec![Vec::new(); words.len()];
        let mut places = Vec::with_capacity(release.len());
        for (number, (pattern, _)) in (0u32..).zip(release) {
            let place = |word: &Word| words.partition_point(|other| other < word) as u32;
            let held: Vec<u32> = pattern.iter().map(place).collect();
            for place in &held {
                patterns[*place as usize].push(number);
            }
            places.push(held);
        }
        Index { words, patterns, places }
    }

    fn nearest(
        &self,
        pattern: &[Word],
        release: &[Closed],
        words: &Words<'_>,
        omega: u64,
        overlaps: &mut [u32],
    ) -> Sums {
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
        let mut sums = Sums { words: length, common, free: u64::MAX, charged: u64::MAX };
        // A pattern that holds the other, or is held by it, is paired at no cost.
        for (overlap, (other, _)) in overlaps.iter().zip(release) {
            if *overlap as usize == pattern.len().min(other.len()) {
                sums.free = 0;
                sums.charged = sums.charged.min(omega * (length - u64::from(*overlap)));
            }
        }
        if sums.free > 0 || sums.charged > 0 {
            self.search(pattern, words, omega, &mut sums);
        }
        if release.is_empty() {
            (sums.free, sums.charged) = (0, omega * length);
        }
        sums
    }

    /// Looks at every pattern that may be nearer than the nearest so far.
    fn search(&self, pattern: &[Word], words: &Words<'_>, omega: u64, sums: &mut Sums) {
        let rows: Vec<Vec<Option<u32>>> = pattern
            .iter()
            .map(|word| self.words.iter().map(|other| words.distance(*word, *other)).collect())
            .collect();
        // Per word of the release the least distance to the pattern; `None` where some of it is out of all reach.
        let nearest: Vec<Option<u32>> = (0..self.words.len())
            .map(|place| rows.iter().map(|row| row[place]).collect::<Option<Vec<u32>>>()?.into_iter().min())
            .collect();
        for other in &self.places {
            let most = pattern.len().min(other.len()) as u64;
            // Where everything is within reach, all words of the shorter side are paired, with the nearest at best.
            let each: Option<Vec<u32>> = other.iter().map(|place| nearest[*place as usize]).collect();
            let floor: u64 = match each {
                None => 0,
                Some(each) if other.len() <= pattern.len() => each.into_iter().map(u64::from).sum(),
                Some(_) => {
                    let least =
                        |row: &Vec<Option<u32>>| other.iter().filter_map(|place| row[*place as usize]).min();
                    rows.iter().filter_map(least).map(u64::from).sum()
                }
            };
            if floor >= sums.free && floor + omega * (sums.words - most) >= sums.charged {
                continue;
            }
            let (pairs, weight) = matching(&rows, other);
            sums.free = sums.free.min(weight);
            sums.charged = sums.charged.min(weight + omega * (sums.words - pairs));
        }
    }
}
