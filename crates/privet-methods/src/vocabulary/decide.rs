//! From a policy to a decision: reads the data, places its terms in the word network, and runs the method.

use super::{BagSolution, Task, run};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{Bags, Extraction};
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_policy::VocabularyPolicy;
use privet_taxonomy::words::Distances;

/// A decision with all that it was made from.
#[derive(Debug)]
pub struct Decided {
    /// The data.
    pub bags: Bags,
    /// How it came out of the log, where there is one.
    pub extraction: Extraction,
    /// How far its terms are apart.
    pub distances: Distances,
    /// What the policy asks for, as the data lets it be understood.
    pub demand: VocabularyAnonymity,
    /// What the method decided.
    pub solution: BagSolution,
}

/// Makes the policy's decision.
pub fn decide(policy: &VocabularyPolicy, clock: &Clock) -> Result<Decided> {
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
    // A log is read user by user. The order in which a file has vocabularies must not matter: that of their names breaks ties.
    let sorted = bags.sorted();
    let task = Task {
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
    Ok(Decided { bags, extraction, distances, demand, solution })
}

/// The error for data without any term.
fn nothing_to_publish(policy: &VocabularyPolicy, extraction: &Extraction) -> Error {
    let counts: Vec<String> =
        extraction.told().iter().map(|(name, count)| format!("{}: {count}", name.to_lowercase())).collect();
    let why = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    Error::infeasible(format!("the data holds no term that could be published{why}"))
        .in_file(policy.source.path())
        .help(match (extraction.queries, extraction.used_queries) {
            (0, _) => "is there a row for every query or term?",
            (_, 0) => "no query is used: with clicks = \"keep\" those without a click are",
            _ => "is the dictionary the right one for the language of the data?",
        })
}
