//! Downcoding of released transactions: an attacker who knows which sets of items occur knows which items can be
//! behind a released node.
//!
//! A released set can come from a transaction if each of its nodes is at or above an item of the transaction, and
//! each item of the transaction is below one of its nodes, or below no node that the release shows anywhere (it was
//! suppressed). If all such transactions have an item below the same child of a node, that child is certain.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::Downcoded;
use crate::transactions::TransactionView;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::{ItemTree, Node};

/// At most this many transactions are compared with released sets, in all.
const MOST_TRIED: u64 = 50_000_000;

/// What is gone back on, and how many distinct released sets there was no time for.
pub(super) fn downcode(view: &TransactionView, clock: &Clock) -> Result<(Downcoded, u64)> {
    let tree = &view.tree;
    let below = Below::of(view);
    let mut sets: BTreeMap<&[Node], u64> = BTreeMap::new();
    for (nodes, _, count) in view.released.iter() {
        *sets.entry(nodes).or_default() += count;
    }
    let shown: HashSet<Node> = sets.keys().flat_map(|nodes| nodes.iter().copied()).collect();
    let usual = usual(view, &below, &shown);
    let inner = |nodes: &&[Node]| nodes.iter().any(|node| !tree.is_leaf(*node));
    let mut left = MOST_TRIED;
    let (mut tried, mut untried) = (Vec::new(), 0);
    for (nodes, count) in sets.iter().filter(|(nodes, _)| inner(nodes)) {
        let cost = nodes.iter().map(|node| below.sets[*node as usize].len() as u64).min().unwrap_or(0);
        match left.checked_sub(cost) {
            Some(rest) => {
                left = rest;
                tried.push((*nodes, *count));
            }
            None => untried += 1,
        }
    }
    let one = |(nodes, count): &(&[Node], u64)| {
        clock.check()?;
        Ok(one_set(view, &below, &shown, &usual, nodes, *count))
    };
    let all: Vec<Downcoded> = tried.par_iter().map(one).collect::<Result<_>>()?;
    let sum = all.into_iter().fold(Downcoded::default(), Downcoded::plus);
    Ok((sum, untried))
}

/// Which distinct transactions have an item at or below each node, ascending.
struct Below {
    sets: Vec<Vec<u32>>,
}

impl Below {
    fn of(view: &TransactionView) -> Below {
        let tree = &view.tree;
        let mut sets: Vec<Vec<u32>> = vec![Vec::new(); tree.len()];
        for set in 0..view.original.len() as u32 {
            for node in tree.with_ancestors(view.original.items(set as usize)) {
                let own = &mut sets[node as usize];
                if own.last() != Some(&set) {
                    own.push(set);
                }
            }
        }
        Below { sets }
    }
}

/// Of every inner node that is shown, the child that most transactions have an item below; of equals the first.
fn usual(view: &TransactionView, below: &Below, shown: &HashSet<Node>) -> BTreeMap<Node, Node> {
    let tree = &view.tree;
    let people = |child: &Node| -> u64 {
        below.sets[*child as usize].iter().map(|set| view.original.count(*set as usize)).sum()
    };
    let most =
        |node: &Node| tree.children(*node).max_by_key(|child| (people(child), std::cmp::Reverse(*child)));
    shown.iter().filter_map(|node| Some((*node, most(node)?))).collect()
}

/// The transactions that a released set can have been made of.
fn candidates(view: &TransactionView, below: &Below, shown: &HashSet<Node>, nodes: &[Node]) -> Vec<u32> {
    let tree: &ItemTree = &view.tree;
    let Some(rarest) = nodes.iter().min_by_key(|node| below.sets[**node as usize].len()) else {
        return Vec::new();
    };
    let has_all =
        |set: &&u32| nodes.iter().all(|node| below.sets[*node as usize].binary_search(*set).is_ok());
    let is_told = |item: &Node| {
        let within = |node: &Node| tree.contains(*node, *item);
        nodes.iter().any(within)
            || !std::iter::once(*item).chain(tree.ancestors(*item)).any(|node| shown.contains(&node))
    };
    let fits = |set: &&u32| view.original.items(**set as usize).iter().all(is_told);
    below.sets[*rarest as usize].iter().filter(has_all).filter(fits).copied().collect()
}

fn one_set(
    view: &TransactionView,
    below: &Below,
    shown: &HashSet<Node>,
    usual: &BTreeMap<Node, Node>,
    nodes: &[Node],
    count: u64,
) -> Downcoded {
    let tree = &view.tree;
    let mut found = Downcoded::default();
    let candidates = candidates(view, below, shown, nodes);
    let people = |set: &u32| view.original.count(*set as usize);
    let all: u64 = candidates.iter().map(people).sum();
    if all == 0 {
        return found;
    }
    for node in nodes.iter().filter(|node| !tree.is_leaf(**node)) {
        let Some(usual) = usual.get(node).copied() else { continue };
        let having = |child: Node| -> u64 {
            let own = &below.sets[child as usize];
            candidates.iter().filter(|set| own.binary_search(set).is_ok()).map(people).sum()
        };
        // Where more transactions fit than were released, it is not known whose they are.
        let scaled = |people: u64| (u128::from(people) * u128::from(count) / u128::from(all)) as u64;
        // Most children are ruled out by their size, or by the first candidate that lacks them.
        let is_certain = |child: &Node| {
            let own = &below.sets[*child as usize];
            own.len() >= candidates.len() && candidates.iter().all(|set| own.binary_search(set).is_ok())
        };
        let forced = tree.children(*node).find(is_certain);
        found.cells += count;
        found.usual += scaled(having(usual));
        match forced {
            Some(_) => {
                found.forced += count;
                found.forced_usual += if having(usual) == all { count } else { 0 };
                found.right += count;
            }
            None => found.right += scaled(having(usual)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::Finding;
    use crate::testing::{Stage, attacked};

    const POLICY: &str = "[data]\nkind = \"transactions\"\npath = \"table.csv\"\n[items]\nhierarchy = \"items.csv\"\n\
                          [privacy.km-anonymity]\nk = 2\nm = 1\n";

    fn found(original: &str, released: &str) -> Finding {
        let stage = Stage::with(POLICY, original);
        stage.write("items.csv", "beer;drink\nwine;drink\nmilk;dairy\ncheese;dairy\n");
        stage.write("release.txt", released);
        stage.on("release.txt", |scene| attacked("downcoding", &scene).expect("run"))
    }

    #[test]
    fn what_all_sets_that_fit_have_in_common_is_certain() {
        // Everybody with drink and cheese has wine; drink alone is beer or wine.
        let original = "wine,cheese\nwine,cheese\nbeer\nwine\nbeer\n";
        let leak = found(original, "drink,cheese\ndrink,cheese\ndrink\ndrink\ndrink\n");
        let headline = leak.headline();
        assert_eq!((headline.targets, headline.hits, leak.succeeds()), (5, 2, true), "{leak:?}");
        // wine is the usual drink, and right for the certain two and one of the others.
        assert_eq!(
            (headline.baseline, leak.figures[1].hits, leak.figures[1].baseline),
            (2, 3, 3),
            "{leak:?}"
        );
    }

    #[test]
    fn sets_that_may_be_either_tell_nothing() {
        let safe = found("beer\nwine\nmilk\ncheese\n", "drink\ndrink\ndairy\ndairy\n");
        assert_eq!(
            (safe.headline().targets, safe.headline().hits, safe.succeeds()),
            (4, 0, false),
            "{safe:?}"
        );
    }

    #[test]
    fn what_is_suppressed_everywhere_may_be_in_any_set() {
        // Beer is never shown: the one who has milk and beer fits dairy as well as who has cheese.
        let safe = found("milk,beer\ncheese\n", "dairy\ndairy\n");
        assert_eq!((safe.headline().targets, safe.headline().hits), (2, 0), "{safe:?}");
    }
}
