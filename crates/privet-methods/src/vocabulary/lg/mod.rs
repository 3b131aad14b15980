//! LG and LG(bag): the baselines of chapter 5 of the thesis.
//!
//! LG (He and Naughton, 2009) sees sets of terms: it splits them from the top of the tree as long as k look alike, see
//! [`engine::local`](privet_engine::local), and publishes the nodes that all of a group touch. LG(bag) publishes a node
//! as often as every member of the group has an occurrence below it; further occurrences of a member are suppressed.
//! Every member touches every node of its group, so each node is published at least once.
//!
//! Two guards go beyond the published method: a group has k different users if that is required, and a word is not
//! published if too few people used anything below it.

mod places;
#[cfg(test)]
mod tests;

use serde_json::json;

use self::places::LeafPlaces;
use super::{BagSolution, BagTask, Cluster, PublishedOccurrence};
use crate::SearchFacts;
use crate::plan::Plan;
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::{Error, Result};
use privet_engine::local::{Crowd, Local, Part, Steering};
use privet_engine::loss::items::ItemMeasure;
use privet_engine::partition::partition;
use privet_taxonomy::{ItemTree, Node};

/// The published form of a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintedAs {
    /// Words, as often as every member of the group has them: `lg-bag`.
    Bags,
    /// Every word once: `lg`.
    Sets,
}

/// Runs `lg-bag` or `lg`.
pub fn run(task: &BagTask<'_>, as_what: PrintedAs, clock: &Clock) -> Result<BagSolution> {
    let Some(tree) = task.distances.tree() else {
        return Err(Error::input(format!(
            "method '{}' generalises words, but these distances have no tree",
            task.method.name()
        ))
        .help("use distances from a taxonomy or from WordNet's tree in [semantics], or set name = \"ssg\" in [method]"));
    };
    let bags = task.bags;
    let users = users(task)?;
    let clock = clock.without_limit();
    clock.progress().stage("splitting vocabularies", Some(bags.len() as u64));
    let crowd = Crowd { k: u64::from(task.demand.k), users: users.as_deref() };
    let places = LeafPlaces::of(bags, task.distances, tree)?;
    let local = Local::new(places.tree(), &places, ItemMeasure::Ncp, Steering::Step, crowd);
    let (wholes, withheld) = begin(&local, &crowd, places.tree(), bags.len() as u32);
    let mut parts = Vec::new();
    for whole in wholes {
        parts.extend(partition(&local, whole, &clock)?);
    }

    let people = (task.demand.min_term_users > 1).then(|| places.people(bags));
    let printed =
        |node: Node| people.as_ref().is_none_or(|people| people[node as usize] >= task.demand.min_term_users);
    let counted = as_what == PrintedAs::Bags;
    let mut rare = 0;
    let mut clusters = Vec::with_capacity(parts.len());
    for part in &parts {
        clock.check()?;
        let (cluster, unprinted) = publish(part, &places, &printed, counted);
        rare += unprinted;
        clusters.push(cluster);
    }

    let empty = clusters.iter().filter(|cluster| cluster.shown.is_empty());
    let empty: usize = empty.map(|cluster| cluster.members.len()).sum();
    let search = SearchFacts::unproven(parts.len() as u64, &clock);
    Ok(BagSolution {
        plan: Plan::Clusters(json!({ "groups": clusters.len(), "withheld": withheld.len() }).into()),
        search,
        counters: vec![
            ("groups", clusters.len() as u64),
            ("published_empty", empty as u64),
            ("unplaced_terms", places.unplaced_terms),
            ("unplaced_occurrences", places.unplaced_occurrences),
            ("rare_word_occurrences", rare),
        ],
        warnings: warnings(task, &places, withheld.len()),
        clusters,
        withheld,
    })
}

/// The user of each bag, if users are counted.
fn users(task: &BagTask<'_>) -> Result<Option<Vec<u32>>> {
    if !task.demand.distinct_users {
        return Ok(None);
    }
    let users: Option<Vec<u32>> = (0..task.bags.len()).map(|bag| task.bags.user(bag)).collect();
    users.map(Some).ok_or_else(|| Error::internal("different users are required, but they are not known"))
}

/// The initial groups, and the bags that cannot be in any.
///
/// With one root there is one group, plus the bags without a term below it. With several roots, bags that touch the
/// same roots form a group; bags with too few similar ones are grouped by the roots that they share.
fn begin(
    local: &Local<'_, LeafPlaces<'_>>,
    crowd: &Crowd<'_>,
    tree: &ItemTree,
    bags: u32,
) -> (Vec<Part>, Vec<u32>) {
    let wholes = local.wholes((0..bags).map(|bag| (bag, 1)).collect());
    let (mut parts, few): (Vec<Part>, Vec<Part>) =
        wholes.into_iter().partition(|whole| crowd.is_met(&whole.rows));
    let (rest, bare): (Vec<Part>, Vec<Part>) = few.into_iter().partition(|whole| !whole.set.is_empty());
    let mut withheld: Vec<u32> = bare.iter().flat_map(|whole| &whole.rows).map(|(bag, _)| *bag).collect();
    let shared = |node: &Node| rest.iter().all(|whole| whole.nodes().any(|other| other == *node));
    let set: Vec<(Node, bool)> =
        tree.roots().filter(shared).map(|node| (node, !tree.is_leaf(node))).collect();
    let mut rows: Vec<(u32, u64)> = rest.iter().flat_map(|whole| whole.rows.iter().copied()).collect();
    rows.sort_unstable();
    if crowd.is_met(&rows) {
        parts.push(Part { rows, set });
    } else {
        withheld.extend(rows.iter().map(|(bag, _)| *bag));
    }
    withheld.sort_unstable();
    (parts, withheld)
}

/// The published words of a group, and the number of occurrences that its members lose because a word is too rare.
fn publish(
    part: &Part,
    places: &LeafPlaces<'_>,
    printed: &impl Fn(Node) -> bool,
    counted: bool,
) -> (Cluster, u64) {
    let tree = places.tree();
    let nodes: Vec<Node> = part.nodes().collect();
    let mut least = vec![u32::MAX; nodes.len()];
    let mut held: Vec<Node> = Vec::new();
    let mut below = vec![0u32; nodes.len()];
    for (bag, _) in &part.rows {
        below.fill(0);
        for (leaf, count) in places.occurrences(*bag) {
            let at = nodes.partition_point(|node| *node <= leaf);
            if at > 0 && tree.contains(nodes[at - 1], leaf) {
                below[at - 1] += count;
                held.push(leaf);
            }
        }
        least.iter_mut().zip(&below).for_each(|(least, count)| *least = (*least).min(*count));
    }
    held.sort_unstable();
    held.dedup();
    let mut shown = Vec::new();
    let mut rare = 0;
    for (node, least) in nodes.iter().zip(least) {
        let times = if counted { least } else { 1 };
        if !printed(*node) {
            rare += u64::from(times) * part.rows.len() as u64;
            continue;
        }
        let from = held.partition_point(|leaf| leaf < node);
        let to = held.partition_point(|leaf| *leaf < tree.end(*node));
        let one = PublishedOccurrence { print: places.print(*node), distinct: (to - from) as u32 };
        shown.extend(std::iter::repeat_n(one, times as usize));
    }
    (Cluster { members: part.rows.iter().map(|(bag, _)| *bag).collect(), shown }, rare)
}

fn warnings(task: &BagTask<'_>, places: &LeafPlaces<'_>, withheld: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if task.demand.k == 1 {
        warnings.push(
            "k is 1: every vocabulary may be published unchanged, and nobody is protected; raise k"
                .to_string(),
        );
    }
    if places.unplaced_terms > 0 {
        warnings.push(format!(
            "suppressed because they are not in the tree of words: {} with {}; add them to the tree to keep them",
            counted(places.unplaced_terms, "term", "terms"),
            counted(places.unplaced_occurrences, "occurrence", "occurrences")
        ));
    }
    if withheld > 0 {
        let withheld = counted(withheld as u64, "vocabulary is", "vocabularies are");
        warnings.push(format!("{withheld} withheld: too few others use words of the same trees; a common root, or a lower k, may keep them"));
    }
    warnings
}
