//! The audit of released vocabularies.
//!
//! Released vocabularies are shuffled, and nothing shows which of them was whose. What can be checked from the release and
//! the original alone:
//!
//! 1. *words*: every printed word is a term of the data or a node of the tree;
//! 2. *records*: as many vocabularies as the original has, without those that are withheld;
//! 3. *counts*: the manifest's numbers are right, where there is one;
//! 4. *form* and *order*: vocabularies are written in one way and in an order that gives nothing away;
//! 5. *rare words*: no word is printed that too few people used;
//! 6. *vocabulary k-anonymity*: every distinct published bag occurs k times;
//! 7. *sizes*: the published vocabularies can be given to originals that are at least as large.
//!
//! With the steward's list of which original became which published bag, the rest can be checked as well:
//!
//! - *assignment*: the list and the release agree, bag by bag;
//! - k-anonymity counts different users, where that is asked for;
//! - *sizes*: no vocabulary has grown;
//! - *meaning*: each published occurrence matches a distinct occurrence in every vocabulary of its group;
//! - *use*: a printed term was used by somebody for whom it is printed;
//! - *figures*: what the steward's manifest states in addition to its counts and shares follows from the files.
//!
//! Without the list, what only it can show is undetermined.

mod assignment;
mod classes;
mod demand;
mod figures;
mod file;
mod layout;
mod meaning;
mod order;
#[cfg(test)]
mod tests;

pub use demand::{Demand, Manner};
pub use file::{Claimed, VocabularyOrder, audit_vocabulary_release};

use serde_json::Value as Json;

use self::assignment::{check_assignment, check_each_size, check_meaning, check_use};
use self::classes::{BagClasses, ClassMembers};
use self::meaning::ReleasedWord;
use super::{Audit, AuditRecords, Check, ExpectedCounts};
use privet_core::counted;
use privet_core::{Error, Result};
use privet_data::{Bags, Extraction, Source, Term};
use privet_policy::DataKind;
use privet_taxonomy::words::Distances;

/// Stands between the terms of a bag that is printed as one word.
pub const BAG_SEPARATOR: &str = " | ";

/// The position of the only requirement.
const REQUIREMENT: usize = 0;

/// What cannot be checked without knowing which published vocabulary is whose.
const NOT_LISTED: &str = "whether published words are within epsilon of the original terms can only be checked with \
    steward/assignment.csv, which maps published to original vocabularies, or with a release in the order of the original \
    (--aligned)";

/// A release of vocabularies and what it is judged by.
#[derive(Debug, Clone, Copy)]
pub struct VocabularyRelease<'a> {
    /// The vocabularies that were to be published.
    pub original: &'a Bags,
    /// How far their terms are apart.
    pub distances: &'a Distances,
    /// What was published, in whatever order; its terms are the printed words.
    pub release: &'a Bags,
    /// What must hold.
    pub demand: Demand,
    /// What printed words stand for.
    pub manner: Manner,
    /// Whether a word stands for all terms of its group that are below it.
    pub covers_groups: bool,
    /// How far a term may be from what it stands for.
    pub epsilon: u32,
    /// For each original vocabulary a published one that is its own or equal to it; `None` where it is withheld.
    pub assignment: Option<&'a [Option<u32>]>,
    /// How many vocabularies are withheld, where only that is known.
    pub withheld: Option<u64>,
    /// What the release's manifest says; suppressed records are the withheld ones.
    pub expected: Option<ExpectedCounts>,
    /// The shares of distinct terms and of occurrences that are kept, and bLM, as the manifest states them.
    pub stated: Option<StatedShares>,
    /// What else the steward's manifest states.
    pub filed: Option<Filed<'a>>,
    /// The file, where its columns and numbers are to be checked as well.
    pub file: Option<&'a Source>,
    /// Whether it is in the order of the original, so that the assignment follows from that. Such a file is not published as
    /// it is.
    pub aligned: bool,
}

/// What a manifest says that a release keeps and loses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedShares {
    /// The share of distinct terms that are kept; a more general word counts as one.
    pub distinct_terms: f64,
    /// The share of occurrences that are kept.
    pub size: f64,
    /// The loss by bLM.
    pub blm: f64,
    /// The loss by gLM, where there is a tree.
    pub glm: Option<f64>,
}

/// A steward's manifest, and what is needed to check its figures.
#[derive(Debug, Clone, Copy)]
pub struct Filed<'a> {
    /// The manifest.
    pub manifest: &'a Json,
    /// What reading the original counted.
    pub extraction: &'a Extraction,
    /// The requirement in words.
    pub requirement: &'a str,
}

/// Audits released vocabularies. `tick` is called every now and then, and an error of it ends the audit.
///
/// A violation is not an error: it is a [`Check`] that does not hold.
pub fn audit_vocabularies(
    facts: &VocabularyRelease<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let (original, released) = (facts.original.len() as u64, facts.release.len() as u64);
    let suppressed = original.saturating_sub(released);
    let records = AuditRecords { original, dropped: 0, released, suppressed };
    let classes = BagClasses::of(facts.release);
    let checks = judge(facts, &classes, &records, tick)?;
    // A policy about vocabularies has one requirement, and the demand is what it says.
    let asked = [format!("vocabulary-k-anonymity (k = {})", facts.demand.k)];
    Ok(Audit::of(DataKind::Vocabularies, records, classes.len() as u64, checks, &asked))
}

fn judge(
    facts: &VocabularyRelease<'_>,
    classes: &BagClasses<'_>,
    records: &AuditRecords,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<Check>> {
    if facts.distances.len() != facts.original.terms().len() {
        return Err(Error::internal("the audit's distances are between other terms than the data's"));
    }
    let words = meaning::words(facts);
    let mut checks = Vec::new();
    if let Some(file) = facts.file {
        checks.push(layout::check_columns(file));
        checks.extend(layout::check_form(file, facts.filed.is_some(), tick)?);
    }
    checks.extend([check_words(facts, &words), check_records(facts, records)]);
    let members = facts.assignment.map(|assignment| ClassMembers::of(facts, classes, assignment));
    let listed = members.as_ref().and_then(|members| members.as_ref().ok());
    checks.extend(facts.stated.map(|stated| figures::check_shares(facts, &stated, classes, listed, &words)));
    if let Some(expected) = &facts.expected {
        checks.push(super::check_counts(expected, records, "vocabularies"));
    }
    tick()?;
    checks.push(order::check(facts, classes));
    checks.extend(check_rare_words(facts, &words));
    let members = match members {
        None => {
            checks.push(check_anonymity(facts, classes, None));
            checks.push(check_sizes(facts));
            checks.push(Check::undetermined("meaning", NOT_LISTED));
            return Ok(checks);
        }
        // A list that speaks of other data says nothing: whatever it would vouch for is not proven.
        Some(Err(detail)) => {
            checks.push(Check::new("assignment", false, detail));
            checks.push(check_anonymity(facts, classes, None));
            return Ok(checks);
        }
        Some(Ok(members)) => members,
    };
    checks.push(check_assignment(classes, &members));
    checks.push(check_anonymity(facts, classes, Some(&members)));
    checks.push(check_each_size(facts, classes, &members)?);
    checks.push(check_meaning(facts, classes, &members, &words, tick)?);
    if facts.manner != Manner::General {
        checks.push(check_use(facts, classes, &members, &words));
    }
    checks.extend(facts.filed.map(|filed| figures::check_figures(facts, &filed, classes, &members, &words)));
    Ok(checks)
}

/// Everything printed must mean something.
fn check_words(facts: &VocabularyRelease<'_>, words: &[ReleasedWord]) -> Check {
    let unknown: Vec<&str> = facts
        .release
        .terms()
        .iter()
        .zip(words)
        .filter(|(_, word)| word.is_unknown())
        .map(|(label, _)| label.as_str())
        .collect();
    if unknown.is_empty() {
        return Check::new("words", true, "every printed word is a term of the data or a node of the tree");
    }
    let detail = format!(
        "neither a term of the data nor a node of the tree: {} ({})",
        counted(unknown.len() as u64, "word", "words"),
        privet_core::shortened_values(&unknown)
    );
    let mut check = Check::new("words", false, detail);
    let odd = |bag: &&[Term]| bag.iter().any(|word| words[*word as usize].is_unknown());
    check.concerned = facts.release.iter().filter(odd).count() as u64;
    check
}

/// No vocabulary may be left out or added beyond those that are withheld.
fn check_records(facts: &VocabularyRelease<'_>, records: &AuditRecords) -> Check {
    let listed = facts.assignment.map(|list| list.iter().filter(|place| place.is_none()).count() as u64);
    let withheld = listed.or(facts.withheld);
    let AuditRecords { original, released, .. } = *records;
    let holds = match withheld {
        Some(withheld) => released + withheld == original,
        None => released <= original,
    };
    let withheld = match withheld {
        Some(withheld) => format!("{withheld} withheld"),
        None => "an unknown number withheld".into(),
    };
    let detail = format!(
        "{} in the original, {released} in the release, {withheld}",
        counted(original, "vocabulary", "vocabularies")
    );
    Check::new("records", holds, detail)
}

/// Anyone who sees a word must not learn that one of a few people used it.
fn check_rare_words(facts: &VocabularyRelease<'_>, words: &[ReleasedWord]) -> Option<Check> {
    let least = facts.demand.min_term_users;
    if least <= 1 {
        return None;
    }
    let of_term = facts.original.term_users();
    let of_node = meaning::node_users(facts);
    let users = |word: &ReleasedWord| {
        let below = word.node.and_then(|node| of_node.get(node as usize)).copied();
        let used = word.terms.iter().map(|term| of_term[*term as usize]).min();
        match facts.manner {
            Manner::General => below.or(used),
            Manner::Vote | Manner::Hyper => used.or(below),
        }
    };
    let people = |number: usize| users(&words[number]).unwrap_or(0);
    let rare: Vec<usize> = (0..words.len()).filter(|word| people(*word) < least).collect();
    let name = format!("rare words (min_term_users = {least})");
    let worst = (0..words.len()).min_by_key(|word| people(*word)).map(|word| {
        let used = counted(u64::from(people(word)), "person", "people");
        format!("'{}' was used by {used}; needed are {least}", facts.release.terms()[word])
    });
    let mut check = if rare.is_empty() {
        Check::new(name, true, "every printed word was used by enough people")
    } else {
        Check::new(
            name,
            false,
            format!(
                "{} used by too few people",
                counted(rare.len() as u64, "printed word was", "printed words were")
            ),
        )
    };
    let has_rare = |bag: &&[Term]| bag.iter().any(|word| people(*word as usize) < least);
    if !rare.is_empty() {
        check.concerned = facts.release.iter().filter(has_rare).count() as u64;
    }
    check.worst = worst;
    Some(check.judging(REQUIREMENT))
}

/// Every distinct published bag must be k people's.
fn check_anonymity(
    facts: &VocabularyRelease<'_>,
    classes: &BagClasses<'_>,
    members: Option<&ClassMembers>,
) -> Check {
    let k = u64::from(facts.demand.k);
    let by_users = facts.demand.distinct_users.then_some(members).flatten();
    let people = |class: usize| match by_users {
        Some(members) => members.users(facts.original, class),
        None => classes.size(class),
    };
    let (name, who) = match by_users {
        Some(_) => (format!("vocabulary-k-anonymity (k = {k}, different users)"), "users"),
        None => (format!("vocabulary-k-anonymity (k = {k})"), "vocabularies"),
    };
    let sizes: Vec<u64> = (0..classes.len()).map(people).collect();
    let failing: Vec<usize> = (0..classes.len()).filter(|class| sizes[*class] < k).collect();
    let mut check = if !failing.is_empty() {
        let detail = format!(
            "{} published for fewer than {k} {who}",
            counted(failing.len() as u64, "distinct bag is", "distinct bags are")
        );
        Check::new(name, false, detail)
    } else if facts.demand.distinct_users && members.is_none() && k > 1 {
        let name = format!("vocabulary-k-anonymity (k = {k}, different users)");
        let detail = format!(
            "every published bag occurs at least {k} times; whether for {k} different users can only be checked with \
             steward/assignment.csv, or with a release in the order of the original (--aligned)"
        );
        Check::undetermined(name, detail)
    } else {
        Check::new(name, true, format!("every published bag belongs to at least {k} {who}"))
    };
    check.worst = (0..classes.len()).min_by_key(|class| sizes[*class]).map(|class| {
        let sign = if sizes[class] < k { "<" } else { "≥" };
        format!("{}: {} {who} {sign} {k}", classes.describe(class), sizes[class])
    });
    check.classes_failing = failing.len() as u64;
    check.concerned = failing.iter().map(|class| classes.size(*class)).sum();
    check.judging(REQUIREMENT)
}

/// There must be an original for each published vocabulary that is at least as large: the largest for the largest.
fn check_sizes(facts: &VocabularyRelease<'_>) -> Check {
    let sizes = |bags: &Bags| {
        let mut sizes: Vec<usize> = bags.iter().map(<[Term]>::len).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        sizes
    };
    let (original, released) = (sizes(facts.original), sizes(facts.release));
    let holds =
        released.len() <= original.len() && released.iter().zip(&original).all(|(new, old)| new <= old);
    let detail = format!(
        "{} in the original, {} in the release; {}",
        counted(facts.original.occurrences(), "occurrence", "occurrences"),
        facts.release.occurrences(),
        if holds {
            "every vocabulary fits an original that is at least as large"
        } else {
            "some vocabularies have grown"
        }
    );
    Check::new("sizes", holds, detail)
}
