//! From a policy to a decision: reads the data, looks up its terms in the word network, and runs the method.

use super::{BagSolution, BagTask, run};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{Bags, Extraction};
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_policy::VocabularyPolicy;
use privet_taxonomy::words::Distances;

/// A decision with everything it was made from.
#[derive(Debug)]
pub struct VocabularyDecision {
    /// The data.
    pub bags: Bags,
    /// How it was extracted from the log, if there is one.
    pub extraction: Extraction,
    /// The distances between its terms.
    pub distances: Distances,
    /// The requirement, as resolved against the data.
    pub demand: VocabularyAnonymity,
    /// The outcome of the method.
    pub solution: BagSolution,
}

/// Runs the method of the policy.
pub fn decide(policy: &VocabularyPolicy, clock: &Clock) -> Result<VocabularyDecision> {
    clock.progress().stage("reading", Some(policy.source.bytes()));
    let (bags, extraction) = policy.source.read(&mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    if bags.occurrences() == 0 {
        return Err(nothing_to_publish(policy, &extraction));
    }
    let demand = VocabularyAnonymity::of(&policy.requirement, bags.users().is_some())
        .map_err(|error| policy.written.at_requirement(0, error))?;
    let distances = policy.semantics.between(bags.terms());
    clock.progress().stage("searching", None);
    // Sort by name so that input order cannot influence tie-breaking.
    let sorted = bags.sorted();
    let task = BagTask {
        bags: sorted.as_ref().map_or(&bags, |(sorted, _)| sorted),
        distances: &distances,
        epsilon: policy.epsilon,
        omega: policy.omega,
        demand,
        method: &policy.method,
    };
    let mut solution = run(&task, clock).map_err(|error| policy.written.at_method("name", error))?;
    if let Some((_, numbers)) = sorted {
        solution.renumber(numbers);
    }
    clock.check()?;
    Ok(VocabularyDecision { bags, extraction, distances, demand, solution })
}

/// The error for data without any term.
fn nothing_to_publish(policy: &VocabularyPolicy, extraction: &Extraction) -> Error {
    let counts: Vec<String> =
        extraction.counts().iter().map(|(name, count)| format!("{}: {count}", name.to_lowercase())).collect();
    let why = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    Error::infeasible(format!("the data contains no term that could be published{why}"))
        .in_file(policy.source.origin())
        .help(match (extraction.queries, extraction.used_queries) {
            (0, _) => "check that the data has a row for every query or term",
            (_, 0) => "no query is used; clicks = \"keep\" also uses queries without a click",
            _ => "check that the dictionary matches the language of the data",
        })
}
