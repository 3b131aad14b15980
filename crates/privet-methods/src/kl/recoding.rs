//! Where every item goes: the common result of all methods for transactions.

use std::collections::{BTreeMap, VecDeque};

use crate::recoding::RemainingRows;
use privet_core::RunKey;
use privet_core::random::keyed;
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::{ItemMeasure, Share};
use privet_taxonomy::{ItemTree, Node};

/// The published form of every transaction's items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemRecoding {
    /// The same everywhere.
    Global {
        /// For each node of the tree that is an item, the node published for it; `None` if the item is suppressed. The
        /// entries of inner nodes are meaningless.
        shown: Vec<Option<Node>>,
        /// The distinct baskets whose transactions are removed, ascending.
        removed: Vec<u32>,
    },
    /// Transaction by transaction.
    Local {
        /// The published sets of nodes, ascending.
        sets: Vec<Vec<Node>>,
        /// Per distinct basket, the sets that its transactions are published as, each with a count.
        ways: Vec<Vec<(u32, u64)>>,
    },
}

/// A published transaction and how often it is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedTransaction<'a> {
    /// The nodes, ascending.
    pub nodes: Vec<Node>,
    /// The distinct basket that it represents.
    pub basket: usize,
    /// The sensitive items.
    pub marks: &'a [u32],
    /// The number of such transactions.
    pub count: u64,
}

impl ItemRecoding {
    /// Publishes every item as its node in a cut, an antichain that covers every item exactly once.
    pub fn of_cut(tree: &ItemTree, cut: &[Node]) -> ItemRecoding {
        let mut shown = vec![None; tree.len()];
        for node in cut {
            shown[*node as usize..tree.end(*node) as usize].fill(Some(*node));
        }
        ItemRecoding::everywhere(shown)
    }

    /// Publishes every item of all transactions as these nodes, or not at all.
    pub fn everywhere(shown: Vec<Option<Node>>) -> ItemRecoding {
        ItemRecoding::Global { shown, removed: Vec::new() }
    }

    /// Whether the transactions of a distinct basket are removed.
    pub fn is_removed(&self, basket: usize) -> bool {
        match self {
            ItemRecoding::Global { removed, .. } => removed.binary_search(&(basket as u32)).is_ok(),
            ItemRecoding::Local { .. } => false,
        }
    }

    /// The number of removed transactions.
    pub fn removed(&self, baskets: &Baskets) -> u64 {
        match self {
            ItemRecoding::Global { removed, .. } => {
                removed.iter().map(|basket| baskets.count(*basket as usize)).sum()
            }
            ItemRecoding::Local { .. } => 0,
        }
    }

    /// The number of published transactions that lost all their items; those that never had any are not among them.
    pub fn emptied(&self, baskets: &Baskets) -> u64 {
        let had_items = (0..baskets.len()).filter(|basket| !baskets.items(*basket).is_empty());
        let published = had_items.flat_map(|basket| self.shown(baskets, basket));
        published.filter(|shown| shown.nodes.is_empty()).map(|shown| shown.count).sum()
    }

    /// How many released transactions hold each sensitive item. What the original has more of is about people who are not in
    /// the release.
    pub fn released_marks(&self, baskets: &Baskets) -> Vec<u64> {
        let mut counts = vec![0; baskets.sensitive.len()];
        for shown in (0..baskets.len()).flat_map(|basket| self.shown(baskets, basket)) {
            shown.marks.iter().for_each(|mark| counts[*mark as usize] += shown.count);
        }
        counts
    }

    /// The published form of the transactions of a distinct basket: the nodes, ascending, with counts.
    pub fn shown<'a>(&'a self, baskets: &'a Baskets, basket: usize) -> Vec<PublishedTransaction<'a>> {
        let marks = baskets.marks(basket);
        match self {
            ItemRecoding::Global { .. } if self.is_removed(basket) => Vec::new(),
            ItemRecoding::Global { shown, .. } => {
                let mut nodes: Vec<Node> =
                    baskets.items(basket).iter().filter_map(|item| shown[*item as usize]).collect();
                nodes.sort_unstable();
                nodes.dedup();
                vec![PublishedTransaction { nodes, basket, marks, count: baskets.count(basket) }]
            }
            ItemRecoding::Local { sets, ways } => ways[basket]
                .iter()
                .map(|(set, count)| PublishedTransaction {
                    nodes: sets[*set as usize].clone(),
                    basket,
                    marks,
                    count: *count,
                })
                .collect(),
        }
    }

    /// The loss of the release under a measure: the numerator, over [`cost_of_everything`].
    pub fn cost(&self, measure: ItemMeasure, baskets: &Baskets) -> u128 {
        self.item_costs(measure, baskets).iter().sum()
    }

    /// The loss by item: for each node of the tree that is an item, the total loss of its occurrences.
    pub fn item_costs(&self, measure: ItemMeasure, baskets: &Baskets) -> Vec<u128> {
        let tree = &baskets.tree;
        let price = |node: Option<Node>| match node {
            Some(node) => u128::from(measure.weight(tree, node)),
            None => u128::from(measure.suppressed(tree)),
        };
        let mut costs = vec![0; tree.len()];
        match self {
            ItemRecoding::Global { shown, .. } => {
                for basket in 0..baskets.len() {
                    let (count, is_removed) = (u128::from(baskets.count(basket)), self.is_removed(basket));
                    for item in baskets.items(basket) {
                        let at = *item as usize;
                        costs[at] += price(shown[at].filter(|_| !is_removed)) * count;
                    }
                }
            }
            ItemRecoding::Local { .. } => {
                for shown in (0..baskets.len()).flat_map(|basket| self.shown(baskets, basket)) {
                    for item in baskets.items(shown.basket) {
                        let covering = shown.nodes.iter().copied().find(|node| tree.contains(*node, *item));
                        costs[*item as usize] += price(covering) * u128::from(shown.count);
                    }
                }
            }
        }
        costs
    }
}

impl ItemRecoding {
    /// The loss of a release as a share of the worst, under a measure: the mean per occurrence.
    pub fn loss(&self, measure: ItemMeasure, baskets: &Baskets) -> Share {
        Share::new(self.cost(measure, baskets), cost_of_everything(measure, baskets))
    }

    /// The number of occurrences of items that are suppressed in published transactions.
    pub fn suppressed(&self, baskets: &Baskets) -> u64 {
        let all = (0..baskets.len()).flat_map(|basket| self.shown(baskets, basket));
        let hidden = |shown: &PublishedTransaction<'_>, item: Node| match self {
            ItemRecoding::Global { shown, .. } => shown[item as usize].is_none(),
            ItemRecoding::Local { .. } => !shown.nodes.iter().any(|node| baskets.tree.contains(*node, item)),
        };
        all.map(|shown| {
            let items = baskets.items(shown.basket).iter();
            items.filter(|item| hidden(&shown, **item)).count() as u64 * shown.count
        })
        .sum()
    }

    /// The share of all occurrences of items that are published as the item itself; 1 if there are none.
    pub fn exactly(&self, baskets: &Baskets) -> f64 {
        let tree = &baskets.tree;
        let all = (0..baskets.len()).flat_map(|basket| self.shown(baskets, basket));
        let leaves =
            |shown: &PublishedTransaction<'_>| shown.nodes.iter().filter(|node| tree.is_leaf(**node)).count();
        let exact: u128 = all.map(|shown| leaves(&shown) as u128 * u128::from(shown.count)).sum();
        let items =
            (0..baskets.len()).map(|at| baskets.items(at).len() as u128 * u128::from(baskets.count(at)));
        match items.sum::<u128>() {
            0 => 1.0,
            items => exact as f64 / items as f64,
        }
    }

    /// The number of distinct published nodes.
    pub fn distinct(&self, baskets: &Baskets) -> usize {
        let all = (0..baskets.len()).flat_map(|basket| self.shown(baskets, basket));
        let mut seen = vec![false; baskets.tree.len()];
        all.flat_map(|shown| shown.nodes).for_each(|node| seen[node as usize] = true);
        seen.into_iter().filter(|seen| *seen).count()
    }

    /// Assigns published sets transaction by transaction.
    ///
    /// If the transactions of one distinct basket are published in different ways, the key decides which goes where,
    /// and every assignment is equally likely.
    pub fn dispatcher(&self, key: impl Into<RunKey>, baskets: &Baskets) -> ItemDispatcher<'_> {
        let mut left: BTreeMap<usize, VecDeque<u32>> = BTreeMap::new();
        let mut random = keyed(key, "privet: transactions that part ways");
        if let ItemRecoding::Local { ways, .. } = self {
            for (basket, ways) in ways.iter().enumerate().filter(|(_, ways)| ways.len() > 1) {
                // Drawn in advance, so that the order of transactions does not matter.
                let mut parting = RemainingRows { rows: baskets.count(basket), classes: ways.clone() };
                left.insert(basket, (0..parting.rows).filter_map(|_| parting.next(&mut random)).collect());
            }
        }
        ItemDispatcher { recoding: self, left }
    }
}

/// What becomes of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// It is published.
    Published,
    /// It is removed.
    Removed,
    /// Nothing was decided for it.
    Undecided,
}

/// Assigns published sets transaction by transaction.
#[derive(Debug)]
pub struct ItemDispatcher<'a> {
    recoding: &'a ItemRecoding,
    /// By basket, the sets still to be assigned to its transactions.
    left: BTreeMap<usize, VecDeque<u32>>,
}

impl ItemDispatcher<'_> {
    /// Puts the published nodes of the next transaction of a distinct basket into `nodes`, ascending, if it is published.
    pub fn next(&mut self, baskets: &Baskets, basket: usize, nodes: &mut Vec<Node>) -> Dispatch {
        nodes.clear();
        match self.recoding {
            ItemRecoding::Global { .. } if self.recoding.is_removed(basket) => Dispatch::Removed,
            ItemRecoding::Global { shown, .. } => {
                nodes.extend(baskets.items(basket).iter().filter_map(|item| shown[*item as usize]));
                nodes.sort_unstable();
                nodes.dedup();
                Dispatch::Published
            }
            ItemRecoding::Local { sets, ways } => {
                let set = match (self.left.get_mut(&basket), ways[basket].first()) {
                    (Some(left), _) => left.pop_front(),
                    (None, only) => only.map(|(set, _)| *set),
                };
                let Some(set) = set else { return Dispatch::Undecided };
                nodes.extend_from_slice(&sets[set as usize]);
                Dispatch::Published
            }
        }
    }
}

/// The cost of suppressing every occurrence, in the units of [`ItemRecoding::cost`].
pub fn cost_of_everything(measure: ItemMeasure, baskets: &Baskets) -> u128 {
    let occurrences = baskets.occurrences();
    let all: u128 = baskets.tree.roots().map(|root| u128::from(occurrences[root as usize])).sum();
    all * u128::from(measure.suppressed(&baskets.tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_priced_by_occurrence() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = ItemTree::from_paths(&[path("a;P;R"), path("b;P;R"), path("c;R")]).expect("a tree");
        let find = |label: &str| tree.find(label).expect("a node");
        let (a, b, c, p) = (find("a"), find("b"), find("c"), find("P"));
        let mut baskets = Baskets::new(tree.clone().into(), Vec::new());
        baskets.push(&mut vec![a, b], &mut vec![]);
        baskets.push(&mut vec![a, c], &mut vec![]);
        let recoding = ItemRecoding::of_cut(&tree, &[p, c]);
        assert_eq!(recoding.shown(&baskets, 0)[0].nodes, [p]);
        assert_eq!(recoding.shown(&baskets, 1)[0].nodes, [p, c]);
        assert_eq!(recoding.cost(ItemMeasure::Ncp, &baskets), 6);
        assert_eq!(cost_of_everything(ItemMeasure::Ncp, &baskets), 12);
        assert_eq!(
            (recoding.cost(ItemMeasure::Lm, &baskets), cost_of_everything(ItemMeasure::Lm, &baskets)),
            (3, 8)
        );
        let local =
            ItemRecoding::Local { sets: vec![vec![p], vec![p, c]], ways: vec![vec![(0, 1)], vec![(1, 1)]] };
        assert_eq!(local.cost(ItemMeasure::Ncp, &baskets), 6);
        let costs = local.item_costs(ItemMeasure::Ncp, &baskets);
        assert_eq!((costs[a as usize], costs[b as usize], costs[c as usize]), (4, 2, 0));
        assert_eq!(local.loss(ItemMeasure::Ncp, &baskets).to_string(), "1/2");
        assert_eq!((local.distinct(&baskets), local.suppressed(&baskets)), (2, 0));
        let mut without = vec![None; tree.len()];
        without[a as usize] = Some(a);
        let without = ItemRecoding::everywhere(without);
        assert_eq!((without.distinct(&baskets), without.suppressed(&baskets)), (1, 2));
        let part = ItemRecoding::Global { shown: vec![None; tree.len()], removed: vec![1] };
        assert_eq!((part.removed(&baskets), part.emptied(&baskets), part.suppressed(&baskets)), (1, 1, 2));
        assert_eq!(part.cost(ItemMeasure::Ncp, &baskets), 12);
    }

    #[test]
    fn transactions_part_ways_as_decided() {
        let tree = ItemTree::flat(["a", "b"]).expect("a tree");
        let (root, a, b) = (0, 1, 2);
        let mut baskets = Baskets::new(tree.into(), Vec::new());
        baskets.add(&mut vec![a], &mut vec![], 20);
        baskets.add(&mut vec![b], &mut vec![], 2);
        let sets = vec![vec![a], vec![root]];
        let recoding = ItemRecoding::Local { sets, ways: vec![vec![(0, 15), (1, 5)], vec![(1, 2)]] };
        let dispatched = |seed| {
            let mut dispatcher = recoding.dispatcher(seed, &baskets);
            let mut nodes = Vec::new();
            let mut next = |basket| match dispatcher.next(&baskets, basket, &mut nodes) {
                Dispatch::Published => Some(nodes.clone()),
                Dispatch::Removed | Dispatch::Undecided => None,
            };
            assert_eq!(next(1), Some(vec![root]));
            (0..21).map(|_| next(0)).collect::<Vec<_>>()
        };
        let one = dispatched(1);
        assert_eq!(one.iter().filter(|nodes| **nodes == Some(vec![a])).count(), 15);
        assert_eq!((one[20].clone(), one == dispatched(1), one == dispatched(2)), (None, true, false));
    }
}
