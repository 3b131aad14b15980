//! The audit of released vocabularies.
//!
//! Released vocabularies are shuffled, and nothing tells which of them was whose. What can be checked from the release and
//! the original alone:
//!
//! 1. *words*: every printed word is a term of the data or a node of the tree;
//! 2. *records*: as many vocabularies as the original has, without those that are withheld;
//! 3. *counts*: the manifest's numbers are right, where there is one;
//! 4. *form* and *order*: vocabularies are written in one way and in an order that tells nothing;
//! 5. *rare words*: no word is printed that too few people used;
//! 6. *vocabulary k-anonymity*: every distinct published bag occurs k times;
//! 7. *sizes*: the published vocabularies can be given to originals that are at least as large.
//!
//! With the steward's list of which original became which published bag, the rest can be checked as well:
//!
//! - *assignment*: the list and the release agree, bag by bag;
//! - k-anonymity counts different users, where that is asked for;
//! - *sizes*: no vocabulary has grown;
//! - *meaning*: every published occurrence stands for an occurrence of its own of every vocabulary that is published so;
//! - *use*: a printed term was used by somebody for whom it is printed;
//! - *figures*: what the steward's manifest states beside its counts and shares follows from the files.
//!
//! Without the list, what only it can tell is said to be undetermined.

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

use self::classes::{Classes, Members};
use self::meaning::Word;
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

/// What nobody can tell who does not know which published vocabulary is whose.
const NOT_LISTED: &str = "whether published words are within epsilon of what they stand for cannot be told without knowing which \
    published vocabulary stands for which of the original: only the steward's list tells, or a release in the order of the \
    original (--aligned)";

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
    let classes = Classes::of(facts.release);
    let checks = judge(facts, &classes, &records, tick)?;
    // A policy about vocabularies has one requirement, and the demand is what it says.
    let asked = [format!("vocabulary-k-anonymity (k = {})", facts.demand.k)];
    Ok(Audit::of(DataKind::Vocabularies, records, classes.len() as u64, checks, &asked))
}

fn judge(
    facts: &VocabularyRelease<'_>,
    classes: &Classes<'_>,
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
    let members = facts.assignment.map(|assignment| Members::of(facts, classes, assignment));
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
fn check_words(facts: &VocabularyRelease<'_>, words: &[Word]) -> Check {
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

/// Whoever sees a word must not learn that one of a few people used it.
fn check_rare_words(facts: &VocabularyRelease<'_>, words: &[Word]) -> Option<Check> {
    let least = facts.demand.min_term_users;
    if least <= 1 {
        return None;
    }
    let of_term = facts.original.term_users();
    let of_node = meaning::node_users(facts);
    let users = |word: &Word| {
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
fn check_anonymity(facts: &VocabularyRelease<'_>, classes: &Classes<'_>, members: Option<&Members>) -> Check {
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
            "every published bag occurs at least {k} times; whether for {k} different users cannot be told without knowing which \
             published vocabulary is whose: only the steward's list tells, or a release in the order of the original (--aligned)"
        );
        Check::undetermined(name, detail)
    } else {
        Check::new(name, true, format!("every published bag is that of at least {k} {who}"))
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
            "every vocabulary may be one that was no smaller"
        } else {
            "some vocabularies have grown"
        }
    );
    Check::new("sizes", holds, detail)
}

/// The list must give every published bag to as many originals as there are copies of it.
fn check_assignment(classes: &Classes<'_>, members: &Members) -> Check {
    let wrong = |class: &usize| members.of_class(*class).len() as u64 != classes.size(*class);
    let failing: Vec<usize> = (0..classes.len()).filter(wrong).collect();
    let Some(first) = failing.first() else {
        return Check::new("assignment", true, "the list of originals and the release agree");
    };
    let detail = format!(
        "{} listed for another number of originals than published",
        counted(failing.len() as u64, "distinct bag is", "distinct bags are")
    );
    let mut check = Check::new("assignment", false, detail);
    check.classes_failing = failing.len() as u64;
    check.concerned = failing.iter().map(|class| classes.size(*class)).sum();
    check.worst = Some(format!(
        "{}: published {}, listed for {}",
        classes.describe(*first),
        counted(classes.size(*first), "time", "times"),
        members.of_class(*first).len()
    ));
    check
}

/// Counts the originals for which something fails, and says where first.
fn count_failing(
    classes: &Classes<'_>,
    members: &Members,
    mut fails: impl FnMut(usize, u32) -> Result<bool>,
) -> Result<(u64, u64, Option<usize>)> {
    let (mut originals, mut failing, mut first) = (0, 0, None);
    for class in 0..classes.len() {
        let before = originals;
        for member in members.of_class(class) {
            originals += u64::from(fails(class, *member)?);
        }
        if originals > before {
            failing += 1;
            first = first.or(Some(class));
        }
    }
    Ok((originals, failing, first))
}

fn per_original(
    classes: &Classes<'_>,
    name: &str,
    (originals, failing, first): (u64, u64, Option<usize>),
    good: &str,
    bad: &str,
) -> Check {
    let Some(first) = first else { return Check::new(name, true, good) };
    let mut check =
        Check::new(name, false, format!("{} {bad}", counted(originals, "vocabulary", "vocabularies")));
    check.concerned = originals;
    check.classes_failing = failing;
    check.worst = Some(format!("some that are published as {}", classes.describe(first)));
    check
}

/// |t*| ≤ |t|.
fn check_each_size(facts: &VocabularyRelease<'_>, classes: &Classes<'_>, members: &Members) -> Result<Check> {
    let grown =
        |class: usize, member: u32| Ok(classes.bag(class).len() > facts.original.bag(member as usize).len());
    let counts = count_failing(classes, members, grown)?;
    let good = "no vocabulary is published with more occurrences than it had";
    Ok(per_original(classes, "sizes", counts, good, "published with more occurrences than it had"))
}

/// The published bag injects into every member's occurrences.
fn check_meaning(
    facts: &VocabularyRelease<'_>,
    classes: &Classes<'_>,
    members: &Members,
    words: &[Word],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Check> {
    let mut looked_at = 0u32;
    let counts = count_failing(classes, members, |class, member| {
        looked_at = looked_at.wrapping_add(1);
        if looked_at.is_multiple_of(4096) {
            tick()?;
        }
        Ok(!meaning::injects(facts, words, classes.bag(class), facts.original.bag(member as usize)))
    })?;
    let good =
        "every published occurrence stands for one of its own in every vocabulary that is published so";
    let bad = "published with words that stand for nothing in it";
    Ok(per_original(classes, "meaning", counts, good, bad))
}

/// A printed term must be one of somebody for whom it is printed. Words that are nodes above terms are no claim about terms.
fn check_use(
    facts: &VocabularyRelease<'_>,
    classes: &Classes<'_>,
    members: &Members,
    words: &[Word],
) -> Check {
    let is_general = |word: &Word| match (word.node, facts.distances.tree()) {
        (Some(node), Some(tree)) => !tree.is_leaf(node),
        _ => false,
    };
    let (mut unused, mut failing, mut concerned, mut first) = (0, 0, 0, None);
    for class in 0..classes.len() {
        let has =
            |term: &Term, member: &u32| facts.original.bag(*member as usize).binary_search(term).is_ok();
        let used = |term: &Term| members.of_class(class).iter().any(|member| has(term, member));
        let kinds = classes.bag(class).chunk_by(|one, other| one == other).filter_map(<[Term]>::first);
        let alien = |number: &&Term| {
            let word = &words[**number as usize];
            !is_general(word) && !word.terms.iter().all(used)
        };
        let here = kinds.filter(alien).count() as u64;
        unused += here;
        if here > 0 {
            failing += 1;
            concerned += classes.size(class);
            first = first.or(Some(class));
        }
    }
    let Some(first) = first else {
        return Check::new("use", true, "every printed term was used in a vocabulary that is published so");
    };
    let detail = format!(
        "{} of no vocabulary that is published so",
        counted(unused, "printed term is one", "printed terms are those")
    );
    let mut check = Check::new("use", false, detail);
    check.classes_failing = failing;
    check.concerned = concerned;
    check.worst = Some(classes.describe(first));
    check
}
