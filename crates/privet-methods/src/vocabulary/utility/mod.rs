//! The patterns that can still be found in released vocabularies, and how near they come to those of the original (Liu,
//! 2010, section 5.6).
//!
//! Bags count as sets here. Patterns are *closed*: sets of words that no further word can join without losing a holder.
//! The patterns of highest support of the original and of the release are compared.

mod closed;
mod nearness;
#[cfg(test)]
mod tests;
mod words;

use self::closed::ClosedSet;
use self::words::WordTable;
use super::BagSolution;
use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_data::Bags;
use privet_engine::loss::items::Share;
use privet_taxonomy::words::Distances;

/// A closed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPattern {
    /// Its words, in bytewise order.
    pub words: Vec<String>,
    /// The number of vocabularies that hold all of them.
    pub support: u64,
}

/// How many of the original's patterns a release keeps, and its distance from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternUtility {
    /// The top patterns of the original: by support, longer ones first among equals, then in bytewise order.
    pub original: Vec<WordPattern>,
    /// The top patterns of the release, in the same order.
    pub released: Vec<WordPattern>,
    /// Recall: summed over the original's patterns, the largest number of words shared with a pattern of the release,
    /// as a share of all their words.
    pub recall: Share,
    /// sDist as defined in the thesis: per word, the distance to the nearest pattern of the release. Words without a
    /// partner are free, so that a single word can be near anything; `None` if one side has no patterns.
    pub distance: Option<Exact>,
    /// sDist with a cost of `omega` for every word of the original without a partner; `None` if the original has no
    /// patterns.
    pub strict_distance: Option<Exact>,
    /// The cost of a word without a partner.
    pub omega: u32,
}

impl PatternUtility {
    /// Compares the `most` top patterns. A word without a partner costs `omega`, by default the largest distance
    /// between words.
    pub fn measure(
        bags: &Bags,
        solution: &BagSolution,
        distances: &Distances,
        most: usize,
        omega: Option<u32>,
        clock: &Clock,
    ) -> Result<PatternUtility> {
        clock.progress().stage("finding patterns", None);
        let words = WordTable::of(bags, solution, distances);
        let published = solution.clusters.iter().map(|cluster| cluster.members.len() as u64).sum();
        let original = words.original(bags).top_closed(most, bags.len() as u64, clock)?;
        let released = words.published(solution).top_closed(most, published, clock)?;
        let omega = omega.unwrap_or_else(|| distances.diameter());
        clock.progress().stage("comparing patterns", None);
        let sums = nearness::compare(&original, &released, &words, omega, clock)?;
        let named = |patterns: &[ClosedSet]| -> Vec<WordPattern> {
            let labels = |held: &[u32]| held.iter().map(|word| words.label(*word).to_string()).collect();
            patterns
                .iter()
                .map(|(held, support)| WordPattern { words: labels(held), support: *support })
                .collect()
        };
        Ok(PatternUtility {
            recall: Share::new(u128::from(sums.common), u128::from(sums.words)),
            distance: Exact::new(sums.free, sums.words).filter(|_| !released.is_empty()),
            strict_distance: Exact::new(sums.charged, sums.words),
            original: named(&original),
            released: named(&released),
            omega,
        })
    }
}
