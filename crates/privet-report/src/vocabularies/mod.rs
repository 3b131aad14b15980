//! Everything a report can say about a release of vocabularies, as data.
//!
//! As with tables, the model is filed as JSON in `steward/`; what the public may see of it is decided when it is rendered.

mod protection;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use protection::{promise, protections};

use super::common::Common;
use super::gate::Original;
use super::model::Distribution;

/// All that both editions of the report draw from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VocabularyReport {
    /// What all reports have in common.
    #[serde(flatten)]
    pub common: Common,
    /// Whether they were made from a query log.
    #[serde(default)]
    pub from_log: bool,
    /// What the policy asked for.
    pub requirement: VocabularyLimit,
    /// What is printed for an occurrence.
    pub centre: Centre,
    /// How the log became vocabularies, as name and number. Steward only; empty where bags were given.
    pub extraction: Original<Vec<(String, u64)>>,
    /// Vocabularies without a term, which are left out before anything is decided. Steward only.
    #[serde(default)]
    pub without_terms: Original<u64>,
    /// The most frequent words that the dictionary does not have, with how often they were dropped. Steward only.
    pub unknown: Original<Vec<(String, u64)>>,
    /// Vocabularies that are published alike.
    pub classes: VocabularyClasses,
    /// Terms that fewer people used than the floor. Steward only.
    pub rare: Original<RareTerms>,
    /// How many terms vocabularies hold, in bands.
    pub sizes: Distribution,
    /// The most frequent terms, before and after.
    pub frequent: Vec<TermCount>,
    /// Some classes, before and after. Steward only.
    pub samples: Original<Vec<ClassSample>>,
    /// What is left to analyse.
    pub utility: Utility,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VocabularyLimit {
    /// The requirement as the policy describes it. Printed in both editions.
    pub description: String,
    /// The least number of identical vocabularies.
    pub k: u64,
    /// Whether they are of different users.
    pub distinct_users: bool,
    /// Whether it is known whose vocabulary is whose.
    pub users_known: bool,
    /// By how many people a printed term was used at least.
    pub min_term_users: u64,
    /// Whether a vocabulary is all that a user typed, and not one session.
    pub whole_users: bool,
}

/// What is printed for an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Centre {
    /// The most typical term of the members.
    Vote,
    /// The terms of all members.
    Hyper,
    /// A more general word that covers the terms of all members.
    Generalise,
}

/// Vocabularies that are published alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VocabularyClasses {
    /// How many distinct vocabularies the release holds.
    pub count: u64,
    /// The smallest number of identical vocabularies.
    pub smallest: u64,
    /// The median.
    pub median: u64,
    /// The largest.
    pub largest: u64,
    /// The least number of users behind identical vocabularies, where users are known.
    pub fewest_users: Option<Original<u64>>,
    /// Vocabularies that are published without any term.
    pub empty: u64,
}

/// Terms that fewer people used than may be printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RareTerms {
    /// How many there are.
    pub terms: u64,
    /// How often they occur.
    pub occurrences: u64,
    /// How many of them the release prints.
    pub printed: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// How often a term occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermCount {
    /// The term, or a more general word.
    pub term: String,
    /// In the original.
    pub before: Original<u64>,
    /// In the release.
    pub after: u64,
}

/// A class, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassSample {
    /// The members' terms.
    pub members: Vec<Vec<String>>,
    /// How many more members there are.
    pub more: u64,
    /// What is published for each of them.
    pub published: Vec<String>,
}

/// What is left to analyse, before and after. Figures about the original are for the steward only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utility {
    /// Distinct terms of the original.
    pub terms_before: Original<u64>,
    /// Distinct terms of the release, general words included.
    pub terms_after: u64,
    /// Distinct terms of the original that the release does not print.
    #[serde(default)]
    pub terms_hidden: Original<u64>,
    /// Terms per vocabulary in the original.
    pub size_before: Original<f64>,
    /// Terms per vocabulary in the release.
    pub size_after: f64,
    /// The share of occurrences that are published, as a term of somebody or as a more general word.
    pub kept: Original<f64>,
    /// How many of the most frequent closed patterns were compared.
    pub patterns: Original<u64>,
    /// The share of their terms that the release's patterns hold.
    pub recall: Original<f64>,
    /// How far their terms are from those of the release's patterns, per term; `None` where the release has no pattern.
    pub distance: Original<Option<f64>>,
    /// The same, where a term that is missing costs the longest way; `None` where the original has no pattern.
    pub strict_distance: Original<Option<f64>>,
}
