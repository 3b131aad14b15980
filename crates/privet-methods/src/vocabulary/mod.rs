//! The methods for bags of terms, after chapter 5 of the thesis, and the baselines of that chapter.

#[cfg(test)]
use privet_engine::testing::vocabularies as cases;
mod decide;
mod height;
mod lg;
pub mod loss;
mod ssg;
pub mod utility;

pub use decide::{VocabularyDecision, decide};
pub use height::generalisation_height;

use super::SearchFacts;
use crate::plan::Plan;
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result};
use privet_data::{Bags, Term};
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_policy::VocabularyMethod;
use privet_policy::method::Centre;
use privet_taxonomy::Node;
use privet_taxonomy::words::Distances;

/// The measure by which releases are compared.
pub const COST: &str = "bLM";

/// Runs the method.
pub fn run(task: &BagTask<'_>, clock: &Clock) -> Result<BagSolution> {
    check_enough(task)?;
    check_separable(task)?;
    match task.method {
        VocabularyMethod::Ssg(own) => ssg::run(task, own, clock),
        VocabularyMethod::LgBag(_) => lg::run(task, lg::PrintedAs::Bags, clock),
        VocabularyMethod::Lg(_) => lg::run(task, lg::PrintedAs::Sets, clock),
    }
}

/// Rejects data with fewer than k vocabularies, or users if these count.
fn check_enough(task: &BagTask<'_>) -> Result<()> {
    let VocabularyAnonymity { k, distinct_users, .. } = task.demand;
    let (found, one, many) = match task.bags.users() {
        Some(users) if distinct_users => (u64::from(users), "user", "users"),
        _ => (task.bags.len() as u64, "vocabulary", "vocabularies"),
    };
    if found >= u64::from(k) {
        return Ok(());
    }
    let what = if found == 1 { format!("is only 1 {one}") } else { format!("are only {found} {many}") };
    Err(Error::infeasible(format!("no release can meet the policy: k is {k}, but there {what}"))
        .help(format!("lower k, or provide the data of more {many}; the extraction may have dropped some")))
}

/// Rejects terms that contain the separator, because a reader must see where each term ends.
fn check_separable(task: &BagTask<'_>) -> Result<()> {
    if task.method.centre() != Some(Centre::Hyper) {
        return Ok(());
    }
    match task.bags.terms().iter().find(|term| term.contains(Print::BETWEEN.trim())) {
        None => Ok(()),
        Some(term) => Err(Error::input(format!(
            "centre = \"hyper\" separates terms with '{}', but the term '{term}' contains it",
            Print::BETWEEN.trim()
        ))
        .help("rename the term, or choose another centre")),
    }
}

/// The input of a method.
#[derive(Debug, Clone, Copy)]
pub struct BagTask<'a> {
    /// The data.
    pub bags: &'a Bags,
    /// The distances between its terms.
    pub distances: &'a Distances,
    /// The largest distance of two terms that may stand for each other, in the unit of `distances`.
    pub epsilon: u32,
    /// The cost of an unmatched occurrence relative to distances, in the same unit; `None` for more than any distance.
    pub omega: Option<Exact>,
    /// The requirement.
    pub demand: VocabularyAnonymity,
    /// The method with its settings.
    pub method: &'a VocabularyMethod,
}

/// The outcome of a method for vocabularies.
#[derive(Debug)]
pub struct BagSolution {
    /// Bags that are published alike; every bag is in one of these or withheld.
    pub clusters: Vec<Cluster>,
    /// Bags that are not published.
    pub withheld: Vec<u32>,
    /// The decision as readable data.
    pub plan: Plan,
    /// How the search went.
    pub search: SearchFacts,
    /// What the search counted along the way.
    pub counters: Vec<(&'static str, u64)>,
    /// Warnings to read before publishing the release.
    pub warnings: Vec<String>,
}

impl BagSolution {
    /// Renumbers the bags.
    fn renumber(&mut self, numbers: &[u32]) {
        let members = self.clusters.iter_mut().flat_map(|cluster| &mut cluster.members);
        members.chain(&mut self.withheld).for_each(|bag| *bag = numbers[*bag as usize]);
    }
}

/// Bags that are published alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The numbers of the bags.
    pub members: Vec<u32>,
    /// The published occurrences of each member; empty for bags without terms.
    pub shown: Vec<PublishedOccurrence>,
}

/// One published occurrence, which stands for one occurrence of every member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedOccurrence {
    /// The published text.
    pub print: Print,
    /// The number of distinct terms that the occurrence stands for, which bLM charges.
    pub distinct: u32,
}

/// The published form of an occurrence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Print {
    /// A term of the data.
    Term(Term),
    /// A more general word: a node of the tree behind the distances.
    General(Node),
    /// All terms that it stands for, ascending: one of each member.
    Bag(Vec<Term>),
}

impl Print {
    /// The separator of the terms of a bag that is published as a whole.
    pub const BETWEEN: &'static str = " | ";

    /// The terms of the data that it names.
    pub fn terms(&self) -> &[Term] {
        match self {
            Print::Term(term) => std::slice::from_ref(term),
            Print::Bag(terms) => terms,
            Print::General(_) => &[],
        }
    }

    /// The text that a reader of the release sees.
    pub fn label(&self, bags: &Bags, distances: &Distances) -> String {
        let term = |term: &Term| bags.terms()[*term as usize].as_str();
        match self {
            Print::Term(one) => term(one).to_string(),
            Print::General(node) => {
                distances.tree().map(|tree| tree.label(*node).to_string()).unwrap_or_default()
            }
            Print::Bag(terms) => terms.iter().map(term).collect::<Vec<_>>().join(Print::BETWEEN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::ErrorKind;

    #[test]
    fn every_method_reports_too_few_vocabularies_or_users() {
        let users = ["u", "u", "v"].map(String::from);
        let bags = cases::bags(&vec![vec!["Wine".to_string()]; 3], Some(&users));
        let distances = cases::distances(cases::goods(), &bags);
        for (k, distinct_users, why) in [
            (4, false, "k is 4, but there are only 3 vocabularies"),
            (3, true, "k is 3, but there are only 2 users"),
        ] {
            for method in privet_policy::method::VOCABULARIES.methods {
                let method = VocabularyMethod::with_defaults(method).expect("a method");
                let demand = VocabularyAnonymity { k, distinct_users, min_term_users: 1 };
                let (bags, distances) = (&bags, &distances);
                let task = BagTask { bags, distances, epsilon: 2, omega: None, demand, method: &method };
                let error = run(&task, &Clock::unlimited()).expect_err("too few");
                assert_eq!(error.kind(), ErrorKind::Infeasible);
                assert_eq!(error.message(), format!("no release can meet the policy: {why}"));
                assert!(error.remedy().is_some());
            }
        }
    }
}
