//! Generalised frequent patterns (Srikant and Agrawal, 1995): sets of taxonomy nodes, none above another, that many
//! transactions hold. What is still to be found in a release says how useful it is.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::rows::Rows;
use super::spread::{Held, Spread, Spreader};
use crate::Result;
use crate::engine::clock::Clock;
use crate::taxonomy::{ItemTree, Node};

/// How many first nodes are looked at side by side. It bounds what a cut-off search may have found for nothing.
const SIDE_BY_SIDE: usize = 8;

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
    /// use privet::engine::clock::Clock;
    /// use privet::engine::itemset::patterns::Patterns;
    /// use privet::taxonomy::ItemTree;
    /// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    /// let tree = ItemTree::from_paths(&[path("a;P"), path("b;P"), path("c;Q")])?;
    /// let node = |label| tree.find(label).unwrap();
    /// let rows = [(vec![node("a"), node("c")], 1), (vec![node("b"), node("c")], 1)];
    /// let found = Patterns::mine(&tree, &rows, 2, 100, &Clock::unlimited())?;
    /// let labels: Vec<Vec<&str>> =
    ///     found.iter().map(|(nodes, _)| nodes.iter().map(|node| tree.label(*node)).collect()).collect();
    /// assert_eq!(labels, [vec!["P"], vec!["Q"], vec!["Q", "P"], vec!["c"], vec!["c", "P"]]);
    /// # Ok::<(), privet::Error>(())
    /// ```
    pub fn mine(
        tree: &ItemTree,
        rows: &[(Vec<Node>, u64)],
        least: u64,
        most: usize,
        clock: &Clock,
    ) -> Result<Patterns> {
        let mut support = vec![0; tree.len()];
        for (nodes, weight) in rows {
            for node in tree.with_ancestors(nodes) {
                support[node as usize] += *weight;
            }
        }
        let mut expanded = Rows::default();
        for (nodes, weight) in rows {
            let frequent =
                tree.with_ancestors(nodes).into_iter().filter(|node| support[*node as usize] >= least);
            expanded.push(frequent, *weight);
        }
        let rows = Rows::merged(expanded.iter());
        let mut first = Spread::default();
        Spreader::new(tree.len()).spread(&rows, &Held::all(&rows), |_| true, |_, _| true, &mut first);

        let mut found = Patterns { complete: true, ..Patterns::default() };
        for branches in first.branches().chunks(SIDE_BY_SIDE) {
            let room = most - found.len();
            let mined: Vec<Result<Patterns>> = branches
                .par_iter()
                .map_init(
                    || Spreader::new(tree.len()),
                    |spreader, branch| {
                        let mut grown = Patterns { complete: true, ..Patterns::default() };
                        let mut search = Search { tree, rows: &rows, least, most: room, spreader, clock };
                        search.grow(
                            &mut vec![branch.node],
                            branch.support,
                            first.rows(branch),
                            &mut grown,
                        )?;
                        Ok(grown)
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

struct Search<'a> {
    tree: &'a ItemTree,
    rows: &'a Rows,
    least: u64,
    most: usize,
    spreader: &'a mut Spreader,
    clock: &'a Clock,
}

impl Search<'_> {
    fn grow(
        &mut self,
        pattern: &mut Vec<Node>,
        support: u64,
        held: &[Held],
        found: &mut Patterns,
    ) -> Result<()> {
        if found.len() == self.most {
            found.complete = false;
        }
        if !found.complete {
            return Ok(());
        }
        self.clock.check()?;
        found.push(pattern, support);
        let mut spread = Spread::default();
        let tree = self.tree;
        let wanted = |node: Node, support: u64| {
            support >= self.least && !pattern.iter().any(|below| tree.contains(node, *below))
        };
        self.spreader.spread(self.rows, held, |_| true, wanted, &mut spread);
        for branch in spread.branches() {
            pattern.push(branch.node);
            self.grow(pattern, branch.support, spread.rows(branch), found)?;
            pattern.pop();
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
