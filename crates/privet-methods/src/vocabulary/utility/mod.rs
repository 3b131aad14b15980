//! What can still be found in released vocabularies: the patterns of the original, and how near the release's come to them
//! (Liu, 2010, section 5.6).
//!
//! Bags count as sets here. Patterns are *closed*: sets of words that no further word can join without losing a holder. Of
//! the original's and of the release's, those of highest support are compared.

mod closed;
mod nearness;
#[cfg(test)]
mod tests;
mod words;

use self::closed::Closed;
use self::words::Words;
use super::BagSolution;
use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_data::Bags;
use privet_engine::loss::items::Share;
use privet_taxonomy::words::Distances;

/// A closed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Its words, in bytewise order.
    pub words: Vec<String>,
    /// How many vocabularies hold all of them.
    pub support: u64,
}

/// How many of the original's patterns a release keeps, and how far it is from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternUtility {
    /// The top patterns of the original: by support, longer ones first among equals, then in bytewise order.
    pub original: Vec<Pattern>,
    /// The top patterns of the release, in the same order.
    pub released: Vec<Pattern>,
    /// Recall: over the original's patterns, the most words that one of the release has of each, as a share of all their
    /// words.
    pub recall: Share,
    /// sDist as the thesis has it: per word, the distance to the nearest pattern of the release. Words without a partner are
    /// free, so that a single word can be near anything; `None` where one side has no patterns.
    pub distance: Option<Exact>,
    /// The same, where every word of the original without a partner costs `omega`; `None` where the original has no patterns.
    pub strict_distance: Option<Exact>,
    /// What a word without a partner costs.
    pub omega: u32,
}

impl PatternUtility {
    /// Compares the `most` top patterns. A word without a partner costs `omega`, by default as much as the words that are
    /// farthest apart.
    pub fn measure(
        bags: &Bags,
        solution: &BagSolution,
        distances: &Distances,
        most: usize,
        omega: Option<u32>,
        clock: &Clock,
    ) -> Result<PatternUtility> {
        clock.progress().stage("finding patterns", None);
        let words = Words::of(bags, solution, distances);
        let published = solution.clusters.iter().map(|cluster| cluster.members.len() as u64).sum();
        let original = words.original(bags).top_closed(most, bags.len() as u64, clock)?;
        let released = words.published(solution).top_closed(most, published, clock)?;
        let omega = omega.unwrap_or_else(|| distances.diameter());
        clock.progress().stage("comparing patterns", None);
        let sums = nearness::compare(&original, &released, &words, omega, clock)?;
        let named = |patterns: &[Closed]| -> Vec<Pattern> {
            let labels = |held: &[u32]| held.iter().map(|word| words.label(*word).to_string()).collect();
            patterns
                .iter()
                .map(|(held, support)| Pattern { words: labels(held), support: *support })
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
