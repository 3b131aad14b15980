//! SSG (Liu, 2010, chapter 5): vocabularies are clustered by the meaning of their terms, and each cluster publishes one
//! typical vocabulary.
//!
//! Phase 1 forms clusters of k ([`clusters`]): the smallest remaining vocabulary starts one, and again and again the
//! vocabulary joins that leaves the fewest occurrences unmatched and, among those, the one with the nearest partners.
//! What the members have in common is kept as a hyper-vocabulary ([`hyper`]): bags with one occurrence of each member,
//! all within ε of each other. Phase 2 ([`assign`]) adds the rest to the clusters that lose least by it. Finally each
//! bag elects its published word ([`elect`]); occurrences in no bag are suppressed.
//!
//! Every member of a cluster is published as the same bag, and a cluster has at least k members, or k different people
//! if that is required: that is the whole guarantee, and it holds whatever the search found. Up to 3,000 vocabularies
//! the search decides as the quadratic algorithm does. Beyond 20,000 it examines a limited number of candidates for
//! each cluster ([`gather`]), found by their rarest terms; and for people who have far more vocabularies than clusters
//! can take, most go directly to phase 2 ([`surplus`]).

mod assign;
mod clusters;
mod crowd;
mod elect;
mod gather;
mod grow;
mod hyper;
mod index;
mod kin;
mod live;
mod reach;
mod residual;
mod rows;
mod scan;
mod settings;
mod stretch;
mod surplus;
#[cfg(test)]
mod tests;
mod twins;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::json;

use super::{BagSolution, BagTask, Cluster};
use crate::SearchFacts;
use crate::plan::Plan;
use assign::Assigner;
use clusters::{ClusteringOutcome, ClusteringPhase, SearchEffort, TermNeighbourhood};
use elect::Election;
use grow::GrownCluster;
use hyper::{HyperVocabulary, Matchmaker, Tariff};
use kin::KinDistances;
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::{Exact, Result};
use privet_policy::method::Ssg;
use reach::BagReach;
use rows::{BagRow, BagRows};
use settings::{Penalty, SsgSettings};
use stretch::Stretches;

/// Runs the method.
pub fn run(task: &BagTask<'_>, own: &Ssg, clock: &Clock) -> Result<BagSolution> {
    run_with(task, own, SearchEffort::for_rows(task.bags.len()), clock)
}

fn run_with(task: &BagTask<'_>, own: &Ssg, effort: SearchEffort, clock: &Clock) -> Result<BagSolution> {
    let settings = SsgSettings::of(task, own)?;
    let clock = &clock.without_limit();
    clock.progress().stage("finding terms that are near each other", None);
    // List the neighbours of every term only if there is no other way to get them.
    let (stretches, neighbours) = match task.distances.by_depth(task.epsilon) {
        Some(order) => (Stretches::by_depth(&order), None),
        None => {
            let neighbours = task.distances.neighbours(task.epsilon)?;
            (Stretches::of(task.distances, &neighbours), Some(neighbours))
        }
    };
    clock.check()?;
    let rows = BagRows::new(task.bags, settings.distinct_users);
    let tariff = Tariff {
        distances: task.distances,
        epsilon: task.epsilon,
        neighbours: neighbours.as_ref(),
        has_tree: task.distances.tree().is_some(),
        omega: task.omega.map(Exact::numerator),
        unit: task.omega.map_or(1, Exact::denominator),
        penalty: settings.penalty,
        matching: settings.matching,
    };
    let ground = TermNeighbourhood {
        stretches: &stretches,
        kin: KinDistances::new(task.distances, &stretches, task.epsilon),
    };
    let mut outcome = ClusteringPhase::new(&rows, tariff, &ground, &settings, effort).run(clock)?;
    drop(ground);
    // One unusual vocabulary can empty a whole centre, so left-over rows are always charged for every occurrence.
    let by_occurrence = Tariff { penalty: Penalty::Occurrence, ..tariff };
    let mut assigner = Assigner {
        rows: &rows,
        tariff: by_occurrence,
        stretches: &stretches,
        reach: BagReach::new(task.distances.len()),
        matchmaker: Matchmaker::default(),
    };
    let placed = place_rest(&mut outcome, &mut assigner, &settings, clock)?;
    outcome.coarse += assigner.matchmaker.coarse;
    drop(assigner);
    clock.progress().stage("choosing what is printed", None);
    clock.check()?;
    let election = Election::new(task, &settings, tariff);
    let wider =
        settings.residual.map(|epsilon| Tariff { epsilon, neighbours: None, omega: None, unit: 1, ..tariff });
    let publish = |matchmaker: &mut Matchmaker, cluster: GrownCluster| {
        let mut shown = election.shown(&cluster);
        if let Some(wider) = &wider {
            shown.extend(residual::shown(&cluster, &rows, wider, &election, matchmaker));
            shown.sort_unstable_by(|one, other| {
                (&one.print, one.distinct).cmp(&(&other.print, other.distinct))
            });
        }
        let members = cluster.members.iter().map(|row| rows.bag_number(*row)).collect();
        (Cluster { members, shown }, std::mem::take(&mut matchmaker.coarse))
    };
    let grown = std::mem::take(&mut outcome.clusters);
    let published = grown.into_par_iter().map_init(Matchmaker::default, publish);
    let (clusters, coarse): (Vec<Cluster>, Vec<u64>) = published.unzip();
    outcome.coarse += coarse.iter().sum::<u64>();
    clock.check()?;
    let decided = PhaseResults { clusters, outcome, placed };
    Ok(solution(task, &settings, effort, decided, &rows, clock))
}

/// The fate of rows that phase 1 left.
#[derive(Debug, Default)]
struct PlacedRows {
    left: u64,
    aside: u64,
    withheld: Vec<BagRow>,
}

/// Phase 2, after the seeds that were set aside: those that lose less in a cluster join it, and the rest are published
/// without any term, if there are enough.
fn place_rest(
    outcome: &mut ClusteringOutcome,
    assigner: &mut Assigner<'_>,
    settings: &SsgSettings,
    clock: &Clock,
) -> Result<PlacedRows> {
    let rows = assigner.rows;
    let aside = std::mem::take(&mut outcome.aside);
    let mut placed = PlacedRows { aside: aside.len() as u64, ..PlacedRows::default() };
    let mut people: Vec<u32> = aside.iter().map(|row| rows.user(*row)).collect();
    people.sort_unstable();
    people.dedup();
    let mut left = std::mem::take(&mut outcome.left);
    if people.len() >= settings.k {
        outcome.clusters.push(without_terms(aside));
    } else {
        left.extend(aside);
        left.sort_unstable();
    }
    if outcome.clusters.is_empty() {
        // Too little in common for a single cluster: only their number can be published.
        outcome.clusters.push(without_terms(std::mem::take(&mut left)));
    }
    placed.left = left.len() as u64;
    placed.withheld = assigner.assign(&mut outcome.clusters, &left, settings.withhold, clock)?;
    Ok(placed)
}

/// A cluster that publishes only the number of its members.
fn without_terms(members: Vec<BagRow>) -> GrownCluster {
    let mut hyper = HyperVocabulary::of(&[]);
    for _ in 1..members.len() {
        hyper.extend(&[], &[]);
    }
    GrownCluster { members, hyper }
}

/// The results of all phases.
struct PhaseResults {
    clusters: Vec<Cluster>,
    outcome: ClusteringOutcome,
    placed: PlacedRows,
}

/// The solution with its warnings.
fn solution(
    task: &BagTask<'_>,
    settings: &SsgSettings,
    effort: SearchEffort,
    PhaseResults { clusters, outcome, placed }: PhaseResults,
    rows: &BagRows,
    clock: &Clock,
) -> BagSolution {
    let mut sizes: BTreeMap<usize, u64> = BTreeMap::new();
    for cluster in &clusters {
        *sizes.entry(cluster.members.len()).or_default() += 1;
    }
    let empty = clusters.iter().filter(|cluster| cluster.shown.is_empty()).count() as u64;
    let counters = vec![
        ("clusters", clusters.len() as u64),
        ("fallback", outcome.fallback),
        ("outliers", placed.aside),
        ("empty_centres", empty),
        ("placed_last", placed.left - placed.withheld.len() as u64),
        ("withheld", placed.withheld.len() as u64),
        ("regrown", outcome.regrown),
        ("matched_greedily", outcome.coarse),
    ];
    let sizes: serde_json::Map<String, serde_json::Value> =
        sizes.into_iter().map(|(size, count)| (size.to_string(), json!(count))).collect();
    let figures = json!({
        "k": settings.k,
        "distinct_users": settings.distinct_users,
        "min_term_users": task.demand.min_term_users,
        "epsilon": task.epsilon,
        "omega": task.omega.map_or(json!("lexicographic"), shown_number),
        "matching": settings.matching.name(),
        "centre": settings.centre.name(),
        "penalty": settings.penalty.name(),
        "residual": settings.residual.map(|reach| if reach == u32::MAX { json!("any") } else { json!(reach) }),
        "search": match effort {
            SearchEffort::Reference => "quadratic",
            SearchEffort::Full => "all within reach",
            SearchEffort::Limited => "limited",
        },
        "clusters": clusters.len(),
        "clusters_by_size": sizes,
        "fallback": outcome.fallback,
        "outliers": placed.aside,
        "empty_centres": empty,
        "withheld": placed.withheld.len(),
        "matched_greedily": outcome.coarse,
    });
    let mut warnings = Vec::new();
    if settings.k == 1 {
        warnings.push("k is 1: every vocabulary is published unchanged, except for rare terms; raise k to protect anybody".to_string());
    }
    if empty > 0 {
        let members =
            clusters.iter().filter(|cluster| cluster.shown.is_empty()).map(|cluster| cluster.members.len());
        let members: usize = members.sum();
        let members = counted(members as u64, "vocabulary is", "vocabularies are");
        warnings.push(format!(
            "{members} published without any term; a larger epsilon or a larger residual may keep some"
        ));
    }
    if outcome.surplus > 0 {
        warnings.push(format!(
            "{} of people who have far more vocabularies than can be clustered with those of others: these joined last, where they \
             do least harm, or lost their terms. Fewer vocabularies of such people would avoid it",
            counted(outcome.surplus, "vocabulary is", "vocabularies are")
        ));
    }
    if !placed.withheld.is_empty() {
        let withheld = counted(placed.withheld.len() as u64, "vocabulary is", "vocabularies are");
        warnings.push(format!(
            "{withheld} withheld because they fit nowhere; a larger epsilon or a lower k may keep some"
        ));
    }
    if outcome.coarse > 0 {
        warnings.push(format!(
            "{} of large vocabularies too large to be exact, so the release may lose more than necessary; smaller vocabularies, as \
             by max_occurrences in [vocabulary], avoid it",
            counted(outcome.coarse, "matching was", "matchings were")
        ));
    }
    let withheld = placed.withheld.iter().map(|row| rows.bag_number(*row)).collect();
    let search = SearchFacts::unproven(clusters.len() as u64, clock);
    let plan = Plan::Clusters(figures.into());
    BagSolution { clusters, withheld, plan, search, counters, warnings }
}

/// A JSON number if it is an integer, otherwise a fraction.
fn shown_number(number: Exact) -> serde_json::Value {
    if number.denominator() == 1 { json!(number.numerator()) } else { json!(number.to_string()) }
}
