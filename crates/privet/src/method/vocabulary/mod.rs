//! The methods for bags of terms, after chapter 5 of the thesis, and the baselines that it compares with.

#[cfg(test)]
pub(crate) mod cases;
pub mod lg;
pub mod ssg;
pub mod utility;

use serde_json::Value as Json;

use super::SearchFacts;
use crate::data::{Bags, Term};
use crate::policy::Clause;
use crate::privacy::vocabulary::VocabularyAnonymity;
use crate::taxonomy::Node;
use crate::taxonomy::words::Distances;

/// What a method is to decide.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The data.
    pub bags: &'a Bags,
    /// How far its terms are apart.
    pub distances: &'a Distances,
    /// How far two terms may be apart to stand for each other, in the unit of `distances`.
    pub epsilon: u32,
    /// What an unmatched occurrence costs against distances; `None` for more than any distance.
    pub omega: Option<u32>,
    /// What must hold.
    pub demand: VocabularyAnonymity,
    /// How: the method with its settings.
    pub method: &'a Clause,
}

/// What a method for vocabularies decided.
#[derive(Debug)]
pub struct BagSolution {
    /// Bags that are published alike; every bag is in one of them or withheld.
    pub clusters: Vec<Cluster>,
    /// Bags that are not published.
    pub withheld: Vec<u32>,
    /// The decision as readable data.
    pub plan: Json,
    /// How the search went.
    pub search: SearchFacts,
    /// What the search counted on the way.
    pub counters: Vec<(&'static str, u64)>,
    /// What the user should know before the release leaves the house.
    pub warnings: Vec<String>,
}

/// Bags that are published alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The numbers of the bags.
    pub members: Vec<u32>,
    /// What is published for each of them; empty for a bag without terms.
    pub shown: Vec<Shown>,
}

/// One published occurrence, which stands for one occurrence of every member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// What is printed.
    pub print: Print,
    /// How many distinct terms the occurrence stands for: what bLM charges.
    pub distinct: u32,
}

/// What is printed for an occurrence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Print {
    /// A term of the data.
    Term(Term),
    /// A more general word: a node of the tree behind the distances.
    General(Node),
    /// All terms that it stands for, ascending: one of each member.
    Bag(Vec<Term>),
}
