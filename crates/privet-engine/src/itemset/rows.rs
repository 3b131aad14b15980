//! Transactions as a cut shows them: distinct sets of nodes, how many transactions each stands for, and how many of
//! those hold each sensitive item.
//!
//! Where the data say whose transactions they are, a row stands for people. Those who have several rows stand behind the
//! others: each has rows of their own, one after the other, marked by the same *owner*, and a count of people counts
//! an owner once. People who have the same rows are one owner of that weight.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::baskets::Baskets;
use privet_taxonomy::{ItemTree, Node};

/// Rows of nodes.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    cells: Vec<Node>,
    /// Per row, where its nodes begin and how many they are.
    bounds: Vec<(usize, u32)>,
    weights: Vec<u64>,
    /// Sensitive items and how many of a row's transactions hold them.
    marks: Vec<(u32, u64)>,
    mark_ends: Vec<usize>,
    /// The owners of the last rows; the rows before have none.
    owners: Vec<u32>,
}

/// The owner of a row whose people have no other.
pub const NOBODY: u32 = u32::MAX;

/// A sum of weights in which an owner of several rows, which come one after the other, counts once.
#[derive(Debug, Clone, Copy)]
pub struct Heads {
    /// The sum.
    pub sum: u64,
    last: u32,
}

impl Default for Heads {
    fn default() -> Heads {
        Heads { sum: 0, last: NOBODY }
    }
}

impl Heads {
    /// Adds a row.
    pub fn add(&mut self, weight: u64, owner: u32) {
        if owner == NOBODY || owner != self.last {
            self.sum += weight;
            self.last = owner;
        }
    }
}

/// The node that stands for each node of the tree in a cut: its ancestor or itself; nodes above the cut stay.
pub fn shown_by(tree: &ItemTree, cut: &[Node]) -> Vec<Node> {
    let mut shown: Vec<Node> = tree.nodes().collect();
    for node in cut {
        shown[*node as usize..tree.end(*node) as usize].fill(*node);
    }
    shown
}

impl Rows {
    /// The rows of all baskets, merged where they differ in sensitive items only; `shown` as [`shown_by`] gives it.
    pub fn of(baskets: &Baskets, shown: &[Node]) -> Rows {
        Rows::counted(baskets, |item| shown[item as usize], true)
    }

    /// The rows of all baskets without their sensitive items, merged.
    pub fn of_items(baskets: &Baskets) -> Rows {
        Rows::counted(baskets, |item| item, false)
    }

    fn counted(baskets: &Baskets, shown: impl Fn(Node) -> Node, with_marks: bool) -> Rows {
        let mut merger = Merger::default();
        let marks = |basket: usize| if with_marks { baskets.marks(basket) } else { &[] };
        for basket in 0..baskets.len() {
            let count = baskets.single(basket);
            if count > 0 {
                let marks = marks(basket).iter().map(|mark| (*mark, count));
                merger.add(baskets.items(basket).iter().map(|item| shown(*item)), count, marks);
            }
        }
        for crew in baskets.crews() {
            let own = crew.baskets.iter().map(|basket| *basket as usize).map(|basket| {
                let nodes = baskets.items(basket).iter().map(|item| shown(*item)).collect();
                (nodes, marks(basket).to_vec())
            });
            merger.add_owner(own.collect(), crew.people);
        }
        merger.finish()
    }

    /// The same rows as a coarser cut shows them, equal ones merged.
    pub fn under(&self, shown: &[Node]) -> Rows {
        self.some_under(|node| shown[node as usize], |_| true)
    }

    /// The same rows, those merged that have become equal.
    pub fn merged_again(&self) -> Rows {
        self.some_under(|node| node, |_| true)
    }

    /// Those rows that hold a wanted node of a coarser cut, as this shows them, equal ones merged.
    pub fn with_any(&self, wanted: impl Fn(Node) -> bool, shown: &[Node]) -> Rows {
        let shown = |node: Node| shown[node as usize];
        self.some_under(shown, |nodes| nodes.iter().any(|node| wanted(shown(*node))))
    }

    fn some_under(&self, shown: impl Fn(Node) -> Node, wanted: impl Fn(&[Node]) -> bool) -> Rows {
        let mut merger = Merger::default();
        let first = self.first_owned();
        for row in (0..first).filter(|row| wanted(self.nodes(*row))) {
            let nodes = self.nodes(row).iter().map(|node| shown(*node));
            merger.add(nodes, self.weight(row), self.marks(row).iter().copied());
        }
        let mut begin = first;
        for own in self.owners.chunk_by(|one, other| one == other) {
            let end = begin + own.len() as u32;
            let rows = (begin..end).filter(|row| wanted(self.nodes(*row))).map(|row| {
                let nodes = self.nodes(row).iter().map(|node| shown(*node)).collect();
                (nodes, self.marks(row).iter().map(|(mark, _)| *mark).collect())
            });
            merger.add_owner(rows.collect(), self.weight(begin));
            begin = end;
        }
        merger.finish()
    }

    /// The first row that has an owner.
    fn first_owned(&self) -> u32 {
        (self.weights.len() - self.owners.len()) as u32
    }

    /// Whether some rows have owners.
    pub fn has_owners(&self) -> bool {
        !self.owners.is_empty()
    }

    /// The owner of a row, or [`NOBODY`].
    pub fn owner(&self, row: u32) -> u32 {
        match row.checked_sub(self.first_owned()) {
            Some(at) => self.owners[at as usize],
            None => NOBODY,
        }
    }

    /// Adds the rows of an owner, without sensitive items, behind all others; the nodes must be ascending.
    pub fn push_owned(&mut self, owner: u32, rows: impl IntoIterator<Item = Vec<Node>>, weight: u64) {
        for nodes in rows {
            self.push(nodes, weight);
            self.owners.push(owner);
        }
    }

    /// Rows without sensitive items, equal ones merged, in the order in which they first appear.
    pub fn merged<'a>(rows: impl Iterator<Item = (&'a [Node], u64)>) -> Rows {
        let mut merger = Merger::default();
        for (nodes, weight) in rows {
            merger.add(nodes.iter().copied(), weight, std::iter::empty());
        }
        merger.finish()
    }

    /// Adds a row without sensitive items, whether or not there is one like it; the nodes must be ascending.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = Node>, weight: u64) {
        let start = self.cells.len();
        self.cells.extend(nodes);
        self.bounds.push((start, (self.cells.len() - start) as u32));
        self.weights.push(weight);
        self.mark_ends.push(self.marks.len());
    }

    /// Replaces all that a row holds below a node by that node.
    pub fn lift(&mut self, row: u32, tree: &ItemTree, node: Node) {
        let (start, length) = self.bounds[row as usize];
        let nodes = &mut self.cells[start..start + length as usize];
        let from = nodes.partition_point(|other| *other < node);
        let to = nodes.partition_point(|other| *other < tree.end(node));
        if from < to {
            nodes[from] = node;
            nodes.copy_within(to.., from + 1);
            self.bounds[row as usize].1 = length - (to - from - 1) as u32;
        }
    }

    /// Per node of the tree, how many transactions or people hold it or something below it.
    pub fn supports(&self, tree: &ItemTree) -> Vec<u64> {
        let mut supports = vec![0; tree.len()];
        // Per node, one more than the last row that was counted; all rows of an owner count as the first of them.
        let mut counted = vec![0; tree.len()];
        let (mut turn, mut last) = (0, NOBODY);
        for row in self.numbers() {
            let owner = self.owner(row);
            if owner == NOBODY || owner != last {
                (turn, last) = (row + 1, owner);
            }
            for node in self.nodes(row) {
                let mut at = Some(*node);
                // Above a node that was counted in this turn, all were.
                while let Some(node) = at.filter(|node| counted[*node as usize] != turn) {
                    counted[node as usize] = turn;
                    supports[node as usize] += self.weight(row);
                    at = tree.parent(node);
                }
            }
        }
        supports
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The numbers of all rows.
    pub fn numbers(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// All rows with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[Node], u64)> {
        self.numbers().map(|row| (self.nodes(row), self.weight(row)))
    }

    /// The nodes of a row, ascending.
    pub fn nodes(&self, row: u32) -> &[Node] {
        let (start, length) = self.bounds[row as usize];
        &self.cells[start..start + length as usize]
    }

    /// How many transactions or people a row stands for.
    pub fn weight(&self, row: u32) -> u64 {
        self.weights[row as usize]
    }

    /// How many of them hold each sensitive item that any of them holds, ascending.
    pub fn marks(&self, row: u32) -> &[(u32, u64)] {
        &self.marks[start(&self.mark_ends, row as usize)..self.mark_ends[row as usize]]
    }

    /// Whether a row holds a node: the node itself or something below it.
    pub fn holds(&self, row: u32, tree: &ItemTree, node: Node) -> bool {
        self.first_below(row, tree, node).is_some()
    }

    /// The first node of a row that is the given one or below it.
    pub fn first_below(&self, row: u32, tree: &ItemTree, node: Node) -> Option<Node> {
        let nodes = self.nodes(row);
        let found = nodes.get(nodes.partition_point(|other| *other < node)).copied();
        found.filter(|found| *found < tree.end(node))
    }
}

fn start(ends: &[usize], at: usize) -> usize {
    if at == 0 { 0 } else { ends[at - 1] }
}

/// A row that somebody has: nodes, and sensitive items.
type OwnRow = (Vec<Node>, Vec<u32>);

/// Collects rows and adds up equal ones.
#[derive(Default)]
struct Merger {
    rows: Rows,
    index: HashTable<u32>,
    hasher: RandomState,
    /// Pairs of row and mark with counts, in the order of arrival.
    marks: Vec<(u32, u32, u64)>,
    /// What people with several rows have, and how many have it.
    several: BTreeMap<Vec<OwnRow>, u64>,
}

impl Merger {
    /// `nodes` are ascending but may repeat: a cut keeps the order of what it stands for.
    fn add(
        &mut self,
        nodes: impl Iterator<Item = Node>,
        weight: u64,
        marks: impl Iterator<Item = (u32, u64)>,
    ) {
        let Merger { rows, index, hasher, marks: pairs, .. } = self;
        let begin = rows.cells.len();
        for node in nodes {
            if rows.cells.len() == begin || rows.cells.last() != Some(&node) {
                rows.cells.push(node);
            }
        }
        let hash = hasher.hash_one(&rows.cells[begin..]);
        let known = index.find(hash, |row| rows.nodes(*row) == &rows.cells[begin..]).copied();
        let row = match known {
            Some(row) => {
                rows.cells.truncate(begin);
                rows.weights[row as usize] += weight;
                row
            }
            None => {
                let row = rows.weights.len() as u32;
                rows.bounds.push((begin, (rows.cells.len() - begin) as u32));
                rows.weights.push(weight);
                index.insert_unique(hash, row, |row| hasher.hash_one(rows.nodes(*row)));
                row
            }
        };
        pairs.extend(marks.map(|(mark, count)| (row, mark, count)));
    }

    /// Adds all rows that some people have: nodes, ascending but repeated where a cut makes them one, and sensitive items.
    fn add_owner(&mut self, mut own: Vec<OwnRow>, people: u64) {
        own.iter_mut().for_each(|(nodes, _)| nodes.dedup());
        own.sort_unstable();
        // Rows that look alike are one, with the sensitive items of all.
        own.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1.append(&mut next.1);
            }
            is_same
        });
        for (_, marks) in &mut own {
            marks.sort_unstable();
            marks.dedup();
        }
        match &own[..] {
            [] => {}
            [(nodes, marks)] => {
                self.add(nodes.iter().copied(), people, marks.iter().map(|mark| (*mark, people)));
            }
            _ => *self.several.entry(own).or_default() += people,
        }
    }

    fn finish(self) -> Rows {
        let Merger { mut rows, mut marks, several, .. } = self;
        marks.sort_unstable();
        let mut row = 0;
        for (at, mark, count) in marks {
            while row < at as usize {
                rows.mark_ends.push(rows.marks.len());
                row += 1;
            }
            let first = start(&rows.mark_ends, row);
            match rows.marks[first..].last_mut() {
                Some((last, sum)) if *last == mark => *sum += count,
                _ => rows.marks.push((mark, count)),
            }
        }
        rows.mark_ends.resize(rows.weights.len(), rows.marks.len());
        for (owner, (own, people)) in (0..).zip(several) {
            for (nodes, marks) in own {
                rows.marks.extend(marks.iter().map(|mark| (*mark, people)));
                rows.push_owned(owner, [nodes], people);
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_merged_as_a_cut_shows_them() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = ItemTree::from_paths(&[path("a;P;R"), path("b;P;R"), path("c;R")]).expect("a tree");
        let find = |label: &str| tree.find(label).expect("a node");
        let (a, b, c, p) = (find("a"), find("b"), find("c"), find("P"));
        let mut baskets = Baskets::new(tree.clone().into(), vec!["s".into(), "t".into()]);
        baskets.add(&mut vec![a, c], &mut vec![1], 2);
        baskets.add(&mut vec![b, c], &mut vec![0, 1], 3);
        baskets.add(&mut vec![], &mut vec![0], 4);
        baskets.add(&mut vec![a, b, c], &mut vec![], 5);
        let leaves = Rows::of(&baskets, &tree.nodes().collect::<Vec<_>>());
        assert_eq!((leaves.len(), leaves.nodes(1), leaves.marks(1)), (4, &[b, c][..], &[(0, 3), (1, 3)][..]));
        let supports = leaves.supports(&tree);
        assert_eq!([a, b, c, p].map(|node| supports[node as usize]), [7, 8, 10, 10]);
        let rows = leaves.under(&shown_by(&tree, &[p, c]));
        assert_eq!(rows.len(), 2);
        assert_eq!((rows.nodes(0), rows.weight(0), rows.marks(0)), (&[p, c][..], 10, &[(0, 3), (1, 5)][..]));
        assert_eq!((rows.nodes(1), rows.weight(1), rows.marks(1)), (&[][..], 4, &[(0, 4)][..]));
    }

    #[test]
    fn people_with_several_rows_count_once() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = ItemTree::from_paths(&[path("a;P;R"), path("b;P;R"), path("c;R")]).expect("a tree");
        let find = |label: &str| tree.find(label).expect("a node");
        let (a, b, c, p) = (find("a"), find("b"), find("c"), find("P"));
        let mut baskets = Baskets::new(tree.clone().into(), vec!["s".into()]);
        let rows: [(&str, &[Node], &[u32]); 8] = [
            ("ann", &[a], &[]),
            ("ann", &[b], &[0]),
            ("bob", &[a], &[]),
            ("bob", &[b], &[0]),
            ("cy", &[a], &[]),
            ("dan", &[a], &[0]),
            ("dan", &[a], &[]),
            ("dan", &[c], &[]),
        ];
        let whose: Vec<(&str, usize)> = rows
            .iter()
            .map(|(name, items, marks)| {
                (*name, baskets.push(&mut items.to_vec(), &mut marks.to_vec()) as usize)
            })
            .collect();
        baskets.name_people(whose);
        let leaves = Rows::of(&baskets, &tree.nodes().collect::<Vec<_>>());
        type RowFacts = (Vec<Node>, u64, Vec<(u32, u64)>, u32);
        let all = |rows: &Rows| -> Vec<RowFacts> {
            rows.numbers()
                .map(|row| {
                    (rows.nodes(row).to_vec(), rows.weight(row), rows.marks(row).to_vec(), rows.owner(row))
                })
                .collect()
        };
        let own = vec![
            (vec![a], 1, vec![], NOBODY),
            (vec![a], 2, vec![], 0),
            (vec![b], 2, vec![(0, 2)], 0),
            (vec![a], 1, vec![(0, 1)], 1),
            (vec![c], 1, vec![], 1),
        ];
        assert_eq!(all(&leaves), own);
        let supports = leaves.supports(&tree);
        assert_eq!([a, b, c, p, 0].map(|node| supports[node as usize]), [4, 2, 1, 4, 4]);
        // Where a cut makes all rows of somebody one, they are counted like others.
        let rows = leaves.under(&shown_by(&tree, &[p, c]));
        let expected =
            [(vec![p], 3, vec![(0, 2)], NOBODY), (vec![p], 1, vec![(0, 1)], 0), (vec![c], 1, vec![], 0)];
        assert_eq!(all(&rows), expected);
        assert_eq!(all(&leaves.with_any(|node| node == c, &tree.nodes().collect::<Vec<_>>())).len(), 1);
    }

    #[test]
    fn lifting_replaces_what_is_below() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree = ItemTree::from_paths(&[path("a;P;R"), path("b;P;R"), path("c;R")]).expect("a tree");
        let mut rows = Rows::merged([(&[2, 3, 4][..], 1), (&[4], 1), (&[2, 3, 4], 1)].into_iter());
        assert_eq!((rows.len(), rows.weight(0)), (2, 2));
        rows.lift(0, &tree, 1);
        rows.lift(1, &tree, 1);
        assert_eq!((rows.nodes(0), rows.nodes(1)), (&[1, 4][..], &[4][..]));
        assert!(rows.holds(0, &tree, 0) && !rows.holds(1, &tree, 1));
    }
}
