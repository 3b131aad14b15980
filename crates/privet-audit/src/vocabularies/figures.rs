//! Whether the figures that a manifest states are those of the files.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::classes::{BagClasses, ClassMembers};
use super::meaning::{self, ReleasedWord};
use super::{Filed, StatedShares, VocabularyRelease};
use crate::Check;
use privet_data::Term;
use privet_taxonomy::Node;

/// How far a stated number may be from the one that was found: both were rounded on the way.
const ROUNDING: f64 = 1e-9;

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * other.abs().max(1.0)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// How many distinct words are printed; a bag of terms is all of them.
fn distinct_words(facts: &VocabularyRelease<'_>, words: &[ReleasedWord]) -> u64 {
    let mut printed: BTreeSet<&str> = BTreeSet::new();
    for (label, word) in facts.release.terms().iter().zip(words) {
        if word.terms.is_empty() {
            printed.insert(label);
        }
        printed.extend(word.terms.iter().map(|term| facts.original.terms()[*term as usize].as_str()));
    }
    printed.len() as u64
}

/// The least and the most that a loss can be.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LossBounds {
    least: f64,
    most: f64,
}

impl LossBounds {
    fn add(&mut self, least: f64, most: f64) {
        self.least += least;
        self.most += most;
    }

    fn hold(&self, stated: f64) -> bool {
        (self.least - ROUNDING..=self.most + ROUNDING).contains(&stated)
    }
}

/// What bLM and gLM can be. They depend on which terms were put together, which no file tells: a word stands for one term at
/// least, and at most for all terms of its class that it may stand for. For a method whose words stand for all of them, a class
/// that is too small to be two groups tells it exactly; and general words cost gLM what they cover.
fn loss_bounds(
    facts: &VocabularyRelease<'_>,
    classes: &BagClasses<'_>,
    members: Option<&ClassMembers>,
    words: &[ReleasedWord],
) -> (LossBounds, LossBounds) {
    let all = facts.original.occurrences();
    let left_out = share(all.saturating_sub(facts.release.occurrences()), all);
    let Some(members) = members else {
        let open = LossBounds { least: left_out, most: 1.0 };
        return (open, open);
    };
    let tree = facts.distances.tree();
    let others = (facts.original.terms().len() as u64).saturating_sub(1);
    let other_leaves = tree.map_or(0, |tree| u64::from(tree.total_leaves()).saturating_sub(1));
    let (mut blm, mut glm) =
        (LossBounds { least: left_out, most: left_out }, LossBounds { least: left_out, most: left_out });
    for class in 0..classes.len() {
        let held = members.of_class(class);
        let mut terms: Vec<Term> =
            held.iter().flat_map(|member| facts.original.bag(*member as usize)).copied().collect();
        terms.sort_unstable();
        terms.dedup();
        let is_one_group = facts.covers_groups && (held.len() as u64) < 2 * u64::from(facts.demand.k);
        for kind in classes.bag(class).chunk_by(|one, other| one == other) {
            let Some(word) = kind.first().and_then(|word| words.get(*word as usize)) else { continue };
            let weight = share(kind.len() as u64 * classes.size(class), all);
            // Where distances are slow to tell, whatever is there may be meant.
            let may_stand = |term: &&Term| tree.is_none() || meaning::stands_for(facts, word, **term);
            let covered = terms.iter().filter(may_stand).count() as u64;
            let most = weight * share(covered.saturating_sub(1), others);
            let node = word.node.zip(tree).filter(|(node, tree)| !tree.is_leaf(*node));
            let general = node.map(|(node, tree): (Node, _)| {
                weight * share(u64::from(tree.leaves(node)).saturating_sub(1), other_leaves)
            });
            // A term that is a node as well may be printed as either.
            let is_either = general.is_some() && !word.terms.is_empty();
            let least = if is_one_group && !is_either { most } else { 0.0 };
            blm.add(least, most);
            match general {
                Some(general) if is_either => glm.add(0.0, most.max(general)),
                Some(general) => glm.add(general, general),
                None => glm.add(least, most),
            }
        }
    }
    (blm, glm)
}

/// The shares that are kept follow from the two files, and losses within bounds.
pub(super) fn check_shares(
    facts: &VocabularyRelease<'_>,
    stated: &StatedShares,
    classes: &BagClasses<'_>,
    members: Option<&ClassMembers>,
    words: &[ReleasedWord],
) -> Check {
    let size = share(facts.release.occurrences(), facts.original.occurrences());
    let terms = share(distinct_words(facts, words), facts.original.terms().len() as u64);
    let mut wrong = Vec::new();
    if !near(size, stated.size) {
        wrong
            .push(format!("{:.6} of the occurrences are kept, the manifest states {:.6}", size, stated.size));
    }
    if !near(terms, stated.distinct_terms) {
        wrong.push(format!(
            "{:.6} of the distinct terms are kept, the manifest states {:.6}",
            terms, stated.distinct_terms
        ));
    }
    let (blm, glm) = loss_bounds(facts, classes, members, words);
    for (name, bounds, stated) in [("bLM", blm, Some(stated.blm)), ("gLM", glm, stated.glm)] {
        if let Some(stated) = stated.filter(|stated| !bounds.hold(*stated)) {
            wrong.push(format!(
                "{name} is stated as {stated:.6}, by the files it is {:.6} to {:.6}",
                bounds.least, bounds.most
            ));
        }
    }
    let detail = if wrong.is_empty() {
        "the manifest's shares are those of the files".to_string()
    } else {
        wrong.join("; ")
    };
    Check::new("shares", wrong.is_empty(), detail)
}

/// What else a steward's manifest states must follow from the files: what was read, what is left of it, and the classes.
pub(super) fn check_figures(
    facts: &VocabularyRelease<'_>,
    filed: &Filed<'_>,
    classes: &BagClasses<'_>,
    members: &ClassMembers,
    words: &[ReleasedWord],
) -> Check {
    let mut found = of_extraction(filed);
    found.extend(of_policy(facts, filed));
    found.extend(of_utility(facts, words));
    found.extend(of_classes(facts, classes, members));
    let mut wrong: Vec<String> = (found.iter())
        .filter_map(|(path, found)| {
            let stated = filed.manifest.pointer(path).unwrap_or(&Json::Null);
            let name = path.trim_start_matches('/').replace('/', ".");
            (!is_same(stated, found)).then(|| format!("{name} is stated as {stated}, the files give {found}"))
        })
        .collect();
    wrong.extend(faults_of_cost(filed.manifest));
    wrong.extend(faults_of_patterns(filed.manifest));
    let detail = if wrong.is_empty() {
        "the manifest's other figures are those of the files; those of frequent patterns are not computed again"
            .to_string()
    } else {
        wrong.join("; ")
    };
    Check::new("figures", wrong.is_empty(), detail)
}

/// Whether two values are the same, numbers apart from their rounding.
fn is_same(one: &Json, other: &Json) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => near(one, other),
        _ => one == other,
    }
}

/// Figures by where the manifest has them.
type Figures = Vec<(String, Json)>;

/// What was read, counted again.
fn of_extraction(filed: &Filed<'_>) -> Figures {
    let read = json!(filed.extraction);
    let fields = read.as_object().into_iter().flatten();
    fields.map(|(name, value)| (format!("/extraction/{name}"), value.clone())).collect()
}

/// What the policy asks for, as far as the manifest repeats it.
fn of_policy(facts: &VocabularyRelease<'_>, filed: &Filed<'_>) -> Figures {
    let demand = &facts.demand;
    let plan = [
        ("k", json!(demand.k)),
        ("distinct_users", json!(demand.distinct_users)),
        ("min_term_users", json!(demand.min_term_users)),
        ("epsilon", json!(facts.epsilon)),
    ];
    let plan = plan.into_iter().map(|(name, value)| (format!("/plan/{name}"), value));
    // Not every method has a plan that says so.
    let said = plan.filter(|(path, _)| filed.manifest.pointer(path).is_some());
    std::iter::once(("/requirements".to_string(), json!([filed.requirement]))).chain(said).collect()
}

/// What is left to analyse.
fn of_utility(facts: &VocabularyRelease<'_>, words: &[ReleasedWord]) -> Figures {
    let (original, release) = (facts.original, facts.release);
    let printed: BTreeSet<Term> = words.iter().flat_map(|word| word.terms.iter().copied()).collect();
    let figures = [
        ("terms_before", json!(original.terms().len())),
        ("terms_after", json!(distinct_words(facts, words))),
        ("terms_hidden", json!(original.terms().len() - printed.len())),
        ("size_before", json!(share(original.occurrences(), original.len() as u64))),
        ("size_after", json!(share(release.occurrences(), release.len() as u64))),
        ("kept", json!(share(release.occurrences(), original.occurrences()))),
    ];
    let read = ("/records/read".to_string(), json!(original.len()));
    let figures = figures.into_iter().map(|(name, value)| (format!("/utility/{name}"), value));
    std::iter::once(read).chain(figures).collect()
}

/// Vocabularies that are published alike.
fn of_classes(facts: &VocabularyRelease<'_>, classes: &BagClasses<'_>, members: &ClassMembers) -> Figures {
    let mut sizes: Vec<u64> = (0..classes.len()).map(|class| classes.size(class)).collect();
    sizes.sort_unstable();
    let at = |place: usize| sizes.get(place).copied().unwrap_or(0);
    let users = (0..classes.len()).map(|class| members.users(facts.original, class)).min();
    let empty = (0..classes.len()).find(|class| classes.bag(*class).is_empty());
    let figures = [
        ("count", json!(classes.len())),
        ("smallest", json!(at(0))),
        ("median", json!(at(sizes.len() / 2))),
        ("largest", json!(at(sizes.len().saturating_sub(1)))),
        ("fewest_users", json!(users.filter(|_| facts.original.users().is_some()))),
        ("empty", json!(empty.map_or(0, |class| classes.size(class)))),
    ];
    figures.into_iter().map(|(name, value)| (format!("/classes/{name}"), value)).collect()
}

/// The cost is the loss by bLM, stated once more as a number, as a fraction and as a share of the worst.
fn faults_of_cost(manifest: &Json) -> Vec<String> {
    let cost = &manifest["cost"];
    let Some(blm) = manifest["loss"]["bLM"].as_f64() else {
        return vec!["loss.bLM is not stated".to_string()];
    };
    let fraction = |text: &str| {
        let (part, whole) = text.split_once('/').unwrap_or((text, "1"));
        Some(part.parse::<f64>().ok()? / whole.parse::<f64>().ok()?)
    };
    let stated = [
        ("cost.value", &cost["value"], cost["value"].as_f64()),
        ("cost.normalised", &cost["normalised"], cost["normalised"].as_f64()),
        ("cost.exact", &cost["exact"], cost["exact"].as_str().and_then(fraction)),
    ];
    let mut wrong: Vec<String> = (stated.iter())
        .filter(|(.., number)| !number.is_some_and(|number| near(number, blm)))
        .map(|(name, stated, _)| format!("{name} is stated as {stated}, loss.bLM as {blm}"))
        .collect();
    if cost["metric"] != "bLM" {
        wrong.push(format!("cost.metric is stated as {}, the cost is bLM", cost["metric"]));
    }
    wrong
}

/// What patterns were kept is not found again; but a share is one, and a distance that charges more is no less.
fn faults_of_patterns(manifest: &Json) -> Vec<String> {
    let utility = &manifest["utility"];
    let mut wrong = Vec::new();
    if !utility["recall"].as_f64().is_some_and(|recall| (0.0..=1.0).contains(&recall)) {
        wrong.push(format!("utility.recall is stated as {}, which is not a share", utility["recall"]));
    }
    if let (Some(free), Some(strict)) = (utility["distance"].as_f64(), utility["strict_distance"].as_f64())
        && !(free >= 0.0 && free <= strict + ROUNDING)
    {
        wrong.push(format!("utility.distance is stated as {free}, utility.strict_distance as {strict}"));
    }
    wrong
}
