//! Accounts for a release of vocabularies: gathers the figures that its reports show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::release::manifest::Claims;
use crate::release::report::vocabularies::{
    Centre, ClassSample, RareTerms, TermCount, Utility, VocabularyClasses, VocabularyLimit,
};
use crate::release::report::{
    Distribution, Fidelity, Loss, Original, Scan, Side, Sourced, Tightness, VocabularyReport,
};
use crate::release::{account as shared, scan};
use privet_core::counted;
use privet_core::{Exact, Result, RunKey};
use privet_data::{Bags, Extraction};
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_methods::vocabulary::loss::BagLoss;
use privet_methods::vocabulary::utility::PatternUtility;
use privet_methods::vocabulary::{BagSolution, Cluster, Print};
use privet_policy::{DataKind, Stated, VocabularyPolicy, method};
use privet_taxonomy::words::Distances;

/// At most this many of the most frequent terms are shown.
const MOST_FREQUENT: usize = 20;
/// At most this many of the terms that hardly anybody used are named.
const MOST_RARE: usize = 200;
/// At most this many classes are shown before and after, and this many members of each.
const SAMPLES: (usize, usize) = (6, 6);

/// All that is known about a release of vocabularies, in addition to what its manifest claims.
#[derive(Clone, Copy)]
pub(crate) struct VocabularyFacts<'a> {
    /// The policy.
    pub policy: &'a VocabularyPolicy,
    /// What it asks for, as understood.
    pub demand: VocabularyAnonymity,
    /// The original.
    pub bags: &'a Bags,
    /// How it came out of the log, where there is one.
    pub extraction: &'a Extraction,
    /// How far its terms are apart.
    pub distances: &'a Distances,
    /// What the method decided.
    pub solution: &'a BagSolution,
    /// What was lost.
    pub loss: &'a BagLoss,
    /// What became of frequent patterns.
    pub patterns: &'a PatternUtility,
    /// The files that went in with the data.
    pub inputs: &'a [&'a Path],
}

/// All figures of a release.
pub(in crate::release) fn account(
    claims: &Claims<'_>,
    facts: &VocabularyFacts<'_>,
) -> Result<VocabularyReport> {
    let VocabularyFacts { policy, bags, .. } = *facts;
    let particulars = shared::Particulars {
        columns: &[],
        starred: facts.loss.suppressed,
        losses: losses(facts.loss),
        inputs: facts.inputs.to_vec(),
    };
    let mut common = shared::common(claims, particulars)?;
    common.scan = Some(suspects(facts).into());
    let alike = alike(facts);
    common.risk_before = Some(shared::risk(bags.distinct().into_iter().map(|(_, same)| same)).into());
    common.risk_after = Some(shared::risk(alike.values().map(|clusters| members(clusters))));
    let users = fewest_users(bags, &alike);
    let classes = classes(&alike, users);
    let requirement = VocabularyLimit {
        description: policy.requirement.describe(&[]),
        k: facts.demand.k.into(),
        distinct_users: facts.demand.distinct_users,
        users_known: bags.users().is_some(),
        min_term_users: facts.demand.min_term_users.into(),
        whole_users: policy.whole_users(),
    };
    let rare = rare(facts);
    common.tightness = tightness(&requirement, &classes, users, &rare);
    common.fidelity = Some(fidelity(facts, facts.bags.key(claims.seed)).into());
    Ok(VocabularyReport {
        from_log: policy.kind == DataKind::QueryLog,
        common,
        requirement,
        centre: match policy.method.centre() {
            Some(method::Centre::Vote) => Centre::Vote,
            Some(method::Centre::Hyper) => Centre::Hyper,
            Some(method::Centre::Generalise) | None => Centre::Generalise,
        },
        extraction: facts.extraction.counts().into(),
        without_terms: facts.extraction.groups.saturating_sub(bags.len() as u64).into(),
        unknown: facts.extraction.unknown.clone().into(),
        classes,
        rare: rare.into(),
        sizes: sizes(facts),
        frequent: frequent(facts),
        samples: samples(facts).into(),
        utility: utility(facts),
    })
}

/// Clusters by what a reader sees of them.
type Alike<'a> = BTreeMap<Vec<String>, Vec<&'a Cluster>>;

fn alike<'a>(facts: &VocabularyFacts<'a>) -> Alike<'a> {
    let mut alike = Alike::new();
    for cluster in &facts.solution.clusters {
        let mut labels: Vec<String> = cluster.shown.iter().map(|shown| label(facts, &shown.print)).collect();
        labels.sort_unstable();
        alike.entry(labels).or_default().push(cluster);
    }
    alike
}

fn members(clusters: &[&Cluster]) -> u64 {
    clusters.iter().map(|cluster| cluster.members.len() as u64).sum()
}

/// What an analyst still finds of the terms.
fn fidelity(facts: &VocabularyFacts<'_>, key: RunKey) -> Fidelity {
    let VocabularyFacts { bags, solution, distances, .. } = *facts;
    let step = shared::step(bags.len());
    let clusters = || solution.clusters.iter().step_by(step);
    let mut prints: Vec<&Print> =
        clusters().flat_map(|cluster| &cluster.shown).map(|shown| &shown.print).collect();
    prints.sort_unstable();
    prints.dedup();
    let terms = || 0..bags.terms().len() as u32;
    let below = |print: &&Print| match (print, distances.tree()) {
        (Print::General(node), Some(tree)) => {
            terms().filter(|term| distances.place(*term).is_some_and(|at| tree.contains(*node, at))).collect()
        }
        (print, _) => print.terms().to_vec(),
    };
    let once = |mut labels: Vec<u32>| {
        labels.sort_unstable();
        labels.dedup();
        labels
    };
    let members = clusters().flat_map(|cluster| &cluster.members);
    let members = members.chain(solution.withheld.iter().step_by(step));
    let original = members.map(|bag| (once(bags.bag(*bag as usize).to_vec()), 1)).collect();
    let released = clusters().map(|cluster| {
        let labels = cluster.shown.iter().filter_map(|shown| prints.binary_search(&&shown.print).ok());
        (once(labels.map(|label| label as u32).collect()), cluster.members.len() as u64)
    });
    let original = shared::Holdings::plain(bags.terms().len(), original);
    let released = shared::Holdings { labels: prints.iter().map(below).collect(), sets: released.collect() };
    let names: Vec<&str> = bags.terms().iter().map(String::as_str).collect();
    let sampled = (step > 1).then_some(original.sets.len() as u64);
    shared::of_sets(("terms", &names), (&original, &released), sampled, key)
}

/// What looks like an identifier among the terms.
fn suspects(facts: &VocabularyFacts<'_>) -> Scan {
    let seen = seen(facts);
    let terms = facts.bags.terms().iter().zip(facts.bags.frequencies()).zip(&seen);
    scan::labels("terms", terms.map(|((term, count), seen)| (term.as_str(), u64::from(count), *seen)))
}

/// How near the smallest class comes to what was asked for.
fn tightness(
    limit: &VocabularyLimit,
    classes: &VocabularyClasses,
    users: Option<u64>,
    rare: &RareTerms,
) -> Vec<Tightness> {
    let at_least =
        |requirement: &str, inequality: String, worst: String, value: u64, of_users: bool| Tightness {
            requirement: requirement.to_string(),
            column: None,
            inequality,
            worst: worst.into(),
            exact: value.to_string().into(),
            // Whose vocabularies they are is not in the release.
            value: match of_users {
                true => Sourced::Original((value as f64).into()),
                false => Sourced::Released(value as f64),
            },
            threshold: limit.k as f64,
            side: Side::AtLeast,
            counted: true,
            from_data: false,
            holds: value >= limit.k || classes.count == 0,
        };
    let mut all = vec![at_least(
        "identical vocabularies",
        format!("n(class) ≥ {}", limit.k),
        format!("{} in the smallest class", counted(classes.smallest, "vocabulary", "vocabularies")),
        classes.smallest,
        false,
    )];
    if let (true, Some(users)) = (limit.distinct_users, users) {
        let worst = format!("{} behind the class with fewest", counted(users, "user", "users"));
        all.push(at_least(
            "users of identical vocabularies",
            format!("users(class) ≥ {}", limit.k),
            worst,
            users,
            true,
        ));
    }
    if limit.min_term_users > 1 {
        let below = "printed terms that too few people used".to_string();
        all.push(Tightness {
            requirement: below.clone(),
            column: None,
            inequality: format!("printed terms of fewer than {} users = 0", limit.min_term_users),
            worst: format!("{} printed", counted(rare.printed, "such term is", "such terms are")).into(),
            exact: rare.printed.to_string().into(),
            value: Sourced::Original((rare.printed as f64).into()),
            threshold: 0.0,
            side: Side::AtMost,
            counted: true,
            from_data: false,
            holds: rare.printed == 0,
        });
    }
    all
}

/// The fewest users behind clusters that are published alike.
fn fewest_users(bags: &Bags, alike: &Alike<'_>) -> Option<u64> {
    let users = |clusters: &Vec<&Cluster>| {
        let all = clusters.iter().flat_map(|cluster| &cluster.members);
        let mut users: Vec<u32> = all.filter_map(|bag| bags.user(*bag as usize)).collect();
        users.sort_unstable();
        users.dedup();
        users.len() as u64
    };
    bags.users().and_then(|_| alike.values().map(users).min())
}

/// Clusters that are published alike are one class.
fn classes(alike: &Alike<'_>, users: Option<u64>) -> VocabularyClasses {
    let mut sizes: Vec<u64> = alike.values().map(|clusters| members(clusters)).collect();
    sizes.sort_unstable();
    VocabularyClasses {
        count: sizes.len() as u64,
        smallest: sizes.first().copied().unwrap_or(0),
        median: sizes.get(sizes.len() / 2).copied().unwrap_or(0),
        largest: sizes.last().copied().unwrap_or(0),
        fewest_users: users.map(Original::from),
        empty: alike.get(&Vec::new()).map_or(0, |clusters| members(clusters)),
    }
}

fn rare(facts: &VocabularyFacts<'_>) -> RareTerms {
    let VocabularyFacts { bags, solution, demand, .. } = *facts;
    let (people, occurrences) = (bags.term_users(), bags.frequencies());
    let mut rare: Vec<usize> =
        (0..people.len()).filter(|term| people[*term] < demand.min_term_users).collect();
    let mut printed: Vec<usize> = solution
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.shown)
        .flat_map(|shown| shown.print.terms())
        .map(|term| *term as usize)
        .filter(|term| people[*term] < demand.min_term_users)
        .collect();
    printed.sort_unstable();
    printed.dedup();
    let count = (rare.len() as u64, rare.iter().map(|term| u64::from(occurrences[*term])).sum());
    rare.sort_by_key(|term| std::cmp::Reverse(occurrences[*term]));
    rare.retain(|term| printed.binary_search(term).is_err());
    rare.truncate(MOST_RARE);
    rare.sort_unstable();
    RareTerms {
        terms: count.0,
        occurrences: count.1,
        printed: printed.len() as u64,
        examples: rare.iter().map(|term| bags.terms()[*term].clone()).collect(),
    }
}

/// What an occurrence is published as.
fn label(facts: &VocabularyFacts<'_>, print: &Print) -> String {
    print.label(facts.bags, facts.distances)
}

fn frequent(facts: &VocabularyFacts<'_>) -> Vec<TermCount> {
    let VocabularyFacts { bags, solution, .. } = *facts;
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (term, before) in bags.terms().iter().zip(bags.frequencies()) {
        counts.insert(term.clone(), (before.into(), 0));
    }
    let mut prints: BTreeMap<&Print, u64> = BTreeMap::new();
    for cluster in &solution.clusters {
        for shown in &cluster.shown {
            *prints.entry(&shown.print).or_default() += cluster.members.len() as u64;
        }
    }
    for (print, after) in prints {
        counts.entry(label(facts, print)).or_default().1 += after;
    }
    let mut all: Vec<TermCount> = counts
        .into_iter()
        .map(|(term, (before, after))| TermCount { term, before: before.into(), after })
        .collect();
    all.sort_by_key(|term| std::cmp::Reverse(term.after));
    all.truncate(MOST_FREQUENT);
    all
}

/// Classes that show what the method does: with several terms, and members that differ, from all over the data.
fn samples(facts: &VocabularyFacts<'_>) -> Vec<ClassSample> {
    let VocabularyFacts { bags, solution, .. } = *facts;
    let differs = |cluster: &&Cluster| {
        let mut members = cluster.members.iter().map(|bag| bags.bag(*bag as usize));
        let first = members.next();
        (2..=6).contains(&cluster.shown.len()) && members.any(|member| Some(member) != first)
    };
    let mut fitting: Vec<&Cluster> = solution.clusters.iter().filter(differs).collect();
    if fitting.is_empty() {
        fitting = solution.clusters.iter().filter(|cluster| !cluster.shown.is_empty()).collect();
    }
    let step = fitting.len().div_ceil(SAMPLES.0).max(1);
    let words = |bag: u32| bags.bag(bag as usize).iter().map(|term| bags.terms()[*term as usize].clone());
    let sample = |cluster: &&Cluster| {
        let mut published: Vec<String> =
            cluster.shown.iter().map(|shown| label(facts, &shown.print)).collect();
        published.sort_unstable();
        ClassSample {
            members: cluster.members.iter().take(SAMPLES.1).map(|bag| words(*bag).collect()).collect(),
            more: cluster.members.len().saturating_sub(SAMPLES.1) as u64,
            published,
        }
    };
    fitting.iter().step_by(step).map(sample).collect()
}

/// Vocabularies in bands of sizes: 0, 1, 2, 3–4, 5–8, and so on, as far as there are any.
fn sizes(facts: &VocabularyFacts<'_>) -> Distribution {
    let mut sizes: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for bag in facts.bags.iter() {
        sizes.entry(bag.len()).or_default().0 += 1;
    }
    for cluster in &facts.solution.clusters {
        sizes.entry(cluster.shown.len()).or_default().1 += cluster.members.len() as u64;
    }
    shared::bands("Terms per vocabulary", &sizes)
}

fn utility(facts: &VocabularyFacts<'_>) -> Utility {
    let VocabularyFacts { bags, loss, patterns, .. } = *facts;
    let occurrences = bags.occurrences();
    let mean = |all: u64, of: usize| all as f64 / (of as f64).max(1.0);
    let released = bags.len() - facts.solution.withheld.len();
    let published = occurrences - loss.suppressed;
    let steps = |distance: Exact| distance.to_f64() / f64::from(facts.distances.scale());
    Utility {
        terms_before: (bags.terms().len() as u64).into(),
        terms_after: printed(facts),
        terms_hidden: hidden(facts).into(),
        size_before: mean(occurrences, bags.len()).into(),
        size_after: mean(published, released),
        kept: (published as f64 / (occurrences as f64).max(1.0)).into(),
        patterns: (patterns.original.len() as u64).into(),
        recall: patterns.recall.value().into(),
        distance: patterns.distance.map(steps).into(),
        strict_distance: patterns.strict_distance.map(steps).into(),
    }
}

/// Different words in the release; a bag of terms is all of them.
fn printed(facts: &VocabularyFacts<'_>) -> u64 {
    let seen = seen(facts).iter().filter(|seen| **seen).count() as u64;
    let other = general(facts).filter(|label| named(facts.bags, label).is_none());
    seen + other.collect::<BTreeSet<&str>>().len() as u64
}

/// The general words of the release.
fn general<'a>(facts: &VocabularyFacts<'a>) -> impl Iterator<Item = &'a str> {
    let VocabularyFacts { solution, distances, .. } = *facts;
    let shown = solution.clusters.iter().flat_map(|cluster| &cluster.shown);
    shown.filter_map(move |shown| match &shown.print {
        Print::General(node) => Some(distances.tree()?.label(*node)),
        Print::Term(_) | Print::Bag(_) => None,
    })
}

/// The term of this name.
fn named(bags: &Bags, label: &str) -> Option<usize> {
    bags.terms().binary_search_by(|term| term.as_str().cmp(label)).ok()
}

/// Which terms are printed somewhere. A reader cannot tell a general word from a term of the same name.
fn seen(facts: &VocabularyFacts<'_>) -> Vec<bool> {
    let mut seen = vec![false; facts.bags.terms().len()];
    for shown in facts.solution.clusters.iter().flat_map(|cluster| &cluster.shown) {
        for term in shown.print.terms() {
            seen[*term as usize] = true;
        }
    }
    for term in general(facts).filter_map(|label| named(facts.bags, label)) {
        seen[term] = true;
    }
    seen
}

/// Distinct terms that are printed nowhere.
fn hidden(facts: &VocabularyFacts<'_>) -> u64 {
    seen(facts).iter().filter(|seen| !**seen).count() as u64
}

fn losses(loss: &BagLoss) -> Vec<Loss> {
    let share = |name: &str, value: f64, formula: &str| Loss {
        name: name.to_string(),
        value: value.into(),
        normalised: Some(value.into()),
        formula: formula.to_string(),
        range: "0 … 1".to_string(),
        direction: "lower is better".to_string(),
    };
    let mut losses = vec![share(
        "bLM",
        loss.blm.value(),
        "mean, over all occurrences of terms, of (distinct terms it stands for − 1) / (all distinct terms − 1); 1 for one \
         that is left out",
    )];
    losses.extend(loss.glm.map(|glm| {
        share(
            "gLM",
            glm.value(),
            "the same, but a general word stands for all terms below it in the word network, used or not",
        )
    }));
    losses
}
