//! Generalised frequent patterns (Srikant and Agrawal, 1995): sets of taxonomy nodes, none above another, that many
//! transactions hold. What is still to be found in a release says how useful it is.
//!
//! Patterns grow depth first towards smaller nodes, and what may be added to a pattern is found among what may be added to
//! the pattern without its last node (Zaki's Eclat, 2000): the transactions that hold both are an intersection of sets.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use rayon::prelude::*;

use super::bits::{self, Scale};
use super::rows::Rows;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::{ItemTree, Node, append_with_ancestors};

/// How many first nodes are looked at side by side. It bounds what a cut-off search may have found for nothing.
const SIDE_BY_SIDE: usize = 16;

/// Patterns with their supports, in a fixed order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    cells: Vec<Node>,
    ends: Vec<usize>,
    supports: Vec<u64>,
    /// Whether these are all patterns; otherwise there were more than asked for.
    pub complete: bool,
}

impl Patterns {
    /// All patterns that at least `least` transactions hold, or the first `most` of them.
    ///
    /// The patterns include the trivial one-node patterns of roots that every transaction holds. `least` must not be 0.
    ///
    /// ```
    /// use privet_core::clock::Clock;
    /// use privet_engine::itemset::patterns::Patterns;
    /// use privet_taxonomy::ItemTree;
    /// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    /// let tree = ItemTree::from_paths(&[path("a;P"), path("b;P"), path("c;Q")])?;
    /// let node = |label| tree.find(label).unwrap();
    /// let rows = [(vec![node("a"), node("c")], 1), (vec![node("b"), node("c")], 1)];
    /// let found = Patterns::mine(&tree, &rows, 2, 100, &Clock::unlimited())?;
    /// let labels: Vec<Vec<&str>> =
    ///     found.iter().map(|(nodes, _)| nodes.iter().map(|node| tree.label(*node)).collect()).collect();
    /// assert_eq!(labels, [vec!["P"], vec!["Q"], vec!["Q", "P"], vec!["c"], vec!["c", "P"]]);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn mine(
        tree: &ItemTree,
        rows: &[(Vec<Node>, u64)],
        least: u64,
        most: usize,
        clock: &Clock,
    ) -> Result<Patterns> {
        let frequent = FrequentRows::new(tree, rows, least);
        let nodes: Vec<Node> = tree.nodes().filter(|node| !frequent.holders(*node).is_empty()).collect();
        let mut found = Patterns { complete: true, ..Patterns::default() };
        for firsts in nodes.chunks(SIDE_BY_SIDE) {
            let left = most - found.len();
            let mined: Vec<Result<Patterns>> = (firsts.par_iter().with_max_len(1))
                .map_init(
                    || vec![0; tree.len()],
                    |tally, first| {
                        let found = Patterns { complete: true, ..Patterns::default() };
                        let mut search =
                            PatternSearch { tree, least, most: left, clock, pattern: vec![*first], found };
                        if search.note(frequent.support(*first))? {
                            search.grow(&frequent.extensions_of(*first, tally))?;
                        }
                        Ok(search.found)
                    },
                )
                .collect();
            for more in mined {
                found.append(more?, most);
            }
            if !found.complete {
                break;
            }
        }
        Ok(found)
    }

    /// The number of patterns.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The patterns, each with its support. Nodes stand in descending order.
    pub fn iter(&self) -> impl Iterator<Item = (&[Node], u64)> {
        (0..self.len()).map(|at| (self.nodes(at), self.supports[at]))
    }

    fn nodes(&self, at: usize) -> &[Node] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }

    /// The patterns of some nodes only.
    pub fn among(&self, may: impl Fn(Node) -> bool) -> Patterns {
        let mut some = Patterns { complete: self.complete, ..Patterns::default() };
        for (nodes, support) in self.iter().filter(|(nodes, _)| nodes.iter().all(|node| may(*node))) {
            some.push(nodes, support);
        }
        some
    }

    /// Hands the patterns that both have to `each`, with both supports.
    pub fn common(&self, other: &Patterns, mut each: impl FnMut(&[Node], u64, u64)) {
        // Depth-first growth leaves the patterns in lexicographic order.
        let (mut here, mut there) = (0, 0);
        while here < self.len() && there < other.len() {
            match self.nodes(here).cmp(other.nodes(there)) {
                Ordering::Less => here += 1,
                Ordering::Greater => there += 1,
                Ordering::Equal => {
                    each(self.nodes(here), self.supports[here], other.supports[there]);
                    (here, there) = (here + 1, there + 1);
                }
            }
        }
    }

    fn push(&mut self, nodes: &[Node], support: u64) {
        self.cells.extend_from_slice(nodes);
        self.ends.push(self.cells.len());
        self.supports.push(support);
    }

    fn append(&mut self, more: Patterns, most: usize) {
        for (nodes, support) in more.iter() {
            if self.len() == most {
                self.complete = false;
                return;
            }
            self.push(nodes, support);
        }
        self.complete &= more.complete;
    }
}

/// The transactions with the ancestors of their items, as far as these are frequent: equal ones put together, those that
/// occur most often first.
struct FrequentRows<'a> {
    tree: &'a ItemTree,
    least: u64,
    rows: Rows,
    /// Per node the rows that hold it, ascending.
    holders: Vec<Vec<u32>>,
}

impl<'a> FrequentRows<'a> {
    fn new(tree: &'a ItemTree, rows: &[(Vec<Node>, u64)], least: u64) -> FrequentRows<'a> {
        let plain = Rows::merged(rows.iter().map(|(nodes, weight)| (&nodes[..], *weight)));
        let support = plain.supports(tree);
        let mut expanded = Rows::default();
        let mut all = Vec::new();
        for (nodes, weight) in plain.iter() {
            all.clear();
            append_with_ancestors(&mut all, nodes.iter().copied(), |node| tree.parent(node));
            expanded.push(all.iter().copied().filter(|node| support[*node as usize] >= least), weight);
        }
        let merged = Rows::merged(expanded.iter());
        let mut order: Vec<u32> = merged.numbers().collect();
        order.sort_by_key(|row| Reverse(merged.weight(*row)));
        let mut rows = Rows::default();
        let mut holders = vec![Vec::new(); tree.len()];
        for (number, row) in (0..).zip(order) {
            rows.push(merged.nodes(row).iter().copied(), merged.weight(row));
            merged.nodes(row).iter().for_each(|node| holders[*node as usize].push(number));
        }
        FrequentRows { tree, least, rows, holders }
    }

    fn holders(&self, node: Node) -> &[u32] {
        &self.holders[node as usize]
    }

    fn support(&self, node: Node) -> u64 {
        self.holders(node).iter().map(|row| self.rows.weight(*row)).sum()
    }

    /// What may be added to a single node: smaller nodes, none above it. `tally` is empty before and after.
    fn extensions_of(&self, first: Node, tally: &mut [u64]) -> PatternExtensions {
        let held = |row: &u32| self.rows.nodes(*row).iter().take_while(|node| **node < first);
        for row in self.holders(first) {
            held(row).for_each(|node| tally[*node as usize] += self.rows.weight(*row));
        }
        let scale = Scale::new(self.holders(first).iter().map(|row| self.rows.weight(*row)).collect());
        let is_wanted = |node: &Node| tally[*node as usize] >= self.least && self.tree.end(*node) <= first;
        let nodes: Vec<Node> = (0..first).filter(is_wanted).collect();
        let members = nodes.iter().map(|node| (*node, tally[*node as usize])).collect();
        tally[..first as usize].fill(0);
        // From here on, one more than the place of a member.
        (1..).zip(&nodes).for_each(|(place, node)| tally[*node as usize] = place);
        let words = scale.words();
        let mut bits = vec![0; words * nodes.len()];
        for (at, row) in self.holders(first).iter().enumerate() {
            for place in held(row).map(|node| tally[*node as usize] as usize).filter(|place| *place > 0) {
                bits::set(&mut bits[(place - 1) * words..place * words], at);
            }
        }
        nodes.iter().for_each(|node| tally[*node as usize] = 0);
        PatternExtensions { scale: scale.into(), members, bits }
    }
}

/// The frequent patterns that have one more node than another: that node with the support, ascending, and the transactions
/// that hold it as a set of those that hold the other.
struct PatternExtensions {
    scale: Arc<Scale>,
    members: Vec<(Node, u64)>,
    bits: Vec<u64>,
}

/// A set of transactions is determined by so few of the bits that it pays to renumber them.
const SPARSE: usize = 8;

impl PatternExtensions {
    fn bits(&self, at: usize) -> &[u64] {
        &self.bits[at * self.scale.words()..(at + 1) * self.scale.words()]
    }

    /// The patterns with one of the members and a smaller one.
    fn below(&self, at: usize, tree: &ItemTree, least: u64) -> PatternExtensions {
        let own = self.bits(at);
        let rows: usize = own.iter().map(|word| word.count_ones() as usize).sum();
        let chosen = (rows * SPARSE < own.len() * u64::BITS as usize).then(|| bits::places(own));
        let scale = match &chosen {
            Some(places) => Arc::new(self.scale.of(places)),
            None => self.scale.clone(),
        };
        let words = scale.words();
        let mut class = PatternExtensions { scale, members: Vec::new(), bits: Vec::new() };
        for (other, (node, _)) in self.members[..at].iter().enumerate() {
            if tree.contains(*node, self.members[at].0) {
                continue;
            }
            let start = class.bits.len();
            class.bits.resize(start + words, 0);
            let into = &mut class.bits[start..];
            match &chosen {
                Some(places) => bits::picked(self.bits(other), places, into),
                None => bits::both(self.bits(other), own, into),
            }
            let support = class.scale.weigh(into);
            if support >= least {
                class.members.push((*node, support));
            } else {
                class.bits.truncate(start);
            }
        }
        class
    }
}

struct PatternSearch<'a> {
    tree: &'a ItemTree,
    least: u64,
    most: usize,
    clock: &'a Clock,
    pattern: Vec<Node>,
    found: Patterns,
}

impl PatternSearch<'_> {
    /// Takes down the pattern at hand; false if there are too many.
    fn note(&mut self, support: u64) -> Result<bool> {
        self.clock.check()?;
        if self.found.len() == self.most {
            self.found.complete = false;
        } else {
            self.found.push(&self.pattern, support);
        }
        Ok(self.found.complete)
    }

    /// Takes down all patterns that begin with the one at hand and have more nodes.
    fn grow(&mut self, class: &PatternExtensions) -> Result<()> {
        for (at, (node, support)) in class.members.iter().enumerate() {
            self.pattern.push(*node);
            if !self.note(*support)? {
                return Ok(());
            }
            if at > 0 {
                self.grow(&class.below(at, self.tree, self.least))?;
                if !self.found.complete {
                    return Ok(());
                }
            }
            self.pattern.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forest() -> ItemTree {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let lines = ["a;P;R", "b;P;R", "c;R", "d;S", "e;S", "f"];
        ItemTree::from_paths(&lines.map(path)).expect("a forest")
    }

    /// Every set of nodes, tested one by one.
    fn naive(tree: &ItemTree, rows: &[(Vec<Node>, u64)], least: u64) -> Vec<(Vec<Node>, u64)> {
        let mut all = Vec::new();
        for chosen in 1u32..1 << tree.len() {
            let nodes: Vec<Node> = tree.nodes().rev().filter(|node| chosen >> node & 1 == 1).collect();
            let related = |one: &Node| nodes.iter().any(|other| one != other && tree.contains(*one, *other));
            if nodes.iter().any(related) {
                continue;
            }
            let held =
                |row: &[Node]| nodes.iter().all(|node| row.iter().any(|item| tree.contains(*node, *item)));
            let support = rows.iter().filter(|(row, _)| held(row)).map(|(_, weight)| weight).sum();
            if support >= least {
                all.push((nodes, support));
            }
        }
        all.sort();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn patterns_are_those_of_the_definition(
            sets in proptest::collection::vec((proptest::collection::btree_set(0usize..6, 0..5), 1u64..3), 0..9),
            least in 1u64..5,
        ) {
            let tree = forest();
            let leaves: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
            let rows: Vec<(Vec<Node>, u64)> = sets
                .into_iter()
                .map(|(set, weight)| (set.into_iter().map(|leaf| leaves[leaf]).collect(), weight))
                .collect();
            let expected = naive(&tree, &rows, least);
            let clock = Clock::unlimited();
            let found = Patterns::mine(&tree, &rows, least, 1000, &clock).expect("patterns");
            let listed: Vec<(Vec<Node>, u64)> =
                found.iter().map(|(nodes, support)| (nodes.to_vec(), support)).collect();
            prop_assert!(found.complete);
            prop_assert_eq!(&listed, &expected);
            let few = Patterns::mine(&tree, &rows, least, 3, &clock).expect("patterns");
            prop_assert_eq!(few.complete, expected.len() <= 3);
            prop_assert_eq!(few.len(), expected.len().min(3));
        }
    }
}
