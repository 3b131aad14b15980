//! Transactions as methods see them: how often each distinct set of items occurs, with the item tree.

mod people;
mod read;

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use sha2::{Digest as _, Sha256};

pub use people::Crew;
pub use read::Lexicon;

use privet_core::Digest;
use privet_core::RunKey;
use privet_data::People;
use privet_taxonomy::{ItemTree, Node};

/// The distinct transactions with their counts, in the order in which they were counted first until they are
/// [sorted](Self::sort).
///
/// ```
/// use privet_engine::baskets::Baskets;
/// use privet_taxonomy::ItemTree;
/// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
/// let tree = ItemTree::from_paths(&[path("beer;Drinks"), path("milk;Drinks")])?;
/// let (beer, milk) = (tree.find("beer").unwrap(), tree.find("milk").unwrap());
/// let mut baskets = Baskets::new(tree.into(), vec!["test".to_string()]);
/// baskets.push(&mut vec![milk, beer, milk], &mut vec![0]);
/// baskets.push(&mut vec![beer, milk], &mut vec![0]);
/// baskets.push(&mut vec![], &mut vec![]);
/// assert_eq!((baskets.len(), baskets.total()), (2, 3));
/// assert_eq!((baskets.items(0), baskets.marks(0), baskets.count(0)), (&[beer, milk][..], &[0][..], 2));
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Baskets {
    /// How items generalise.
    pub tree: Arc<ItemTree>,
    /// The names of the sensitive items; a *mark* is a position here.
    pub sensitive: Vec<String>,
    /// Items and marks of all distinct baskets, one after the other.
    cells: Vec<u32>,
    /// Per distinct basket, where its marks begin and where they end in `cells`.
    bounds: Vec<(usize, usize)>,
    counts: Vec<u64>,
    total: u64,
    /// Who has which distinct basket, where the data say so.
    people: Option<People>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl Baskets {
    /// No transactions yet.
    pub fn new(tree: Arc<ItemTree>, sensitive: Vec<String>) -> Baskets {
        Baskets {
            tree,
            sensitive,
            cells: Vec::new(),
            bounds: Vec::new(),
            counts: Vec::new(),
            total: 0,
            people: None,
            index: HashTable::new(),
            hasher: RandomState::default(),
        }
    }

    /// The key of a run with this seed on these transactions.
    pub fn key(&self, seed: u64) -> RunKey {
        let mut digest = Digest::default();
        for basket in 0..self.len() {
            let mut hash = Sha256::new();
            let items = self.items(basket).iter().map(|node| self.tree.label(*node));
            let marks = self.marks(basket).iter().map(|mark| self.sensitive[*mark as usize].as_str());
            for text in items.chain(marks) {
                hash.update(text.as_bytes());
                // No text contains this byte, so it ends an item.
                hash.update([0xff]);
            }
            digest.add_hash(&hash.finalize().into(), self.count(basket));
        }
        RunKey::of(seed, &digest)
    }

    /// Counts one transaction; returns the number of its distinct basket until they are [sorted](Self::sort). Both lists
    /// are put in order and rid of duplicates: an item counts once.
    pub fn push(&mut self, items: &mut Vec<Node>, marks: &mut Vec<u32>) -> u32 {
        self.add(items, marks, 1)
    }

    /// Counts several equal transactions; returns the number of their distinct basket.
    pub fn add(&mut self, items: &mut Vec<Node>, marks: &mut Vec<u32>, count: u64) -> u32 {
        normalise(items);
        normalise(marks);
        self.total += count;
        let hash = self.hasher.hash_one((items.as_slice(), marks.as_slice()));
        if let Some(basket) = self.find(hash, items, marks) {
            self.counts[basket as usize] += count;
            return basket;
        }
        let basket = self.counts.len() as u32;
        self.cells.extend_from_slice(items);
        let start = self.cells.len();
        self.cells.extend_from_slice(marks);
        self.bounds.push((start, self.cells.len()));
        self.counts.push(count);
        let Baskets { index, hasher, cells, bounds, .. } = self;
        index.insert_unique(hash, basket, |basket| {
            let (items, marks) = split(cells, bounds, *basket as usize);
            hasher.hash_one((items, marks))
        });
        basket
    }

    fn find(&self, hash: u64, items: &[Node], marks: &[u32]) -> Option<u32> {
        let same = |basket: &u32| split(&self.cells, &self.bounds, *basket as usize) == (items, marks);
        self.index.find(hash, same).copied()
    }

    /// Puts the distinct baskets in the order of what they hold, so that nothing that goes by their numbers depends on the
    /// order of the data. Returns where each of them stands now.
    pub fn sort(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|basket| split(&self.cells, &self.bounds, *basket as usize));
        let (mut cells, mut bounds) = (Vec::with_capacity(self.cells.len()), Vec::with_capacity(order.len()));
        let mut place = vec![0u32; order.len()];
        for (new, old) in (0u32..).zip(&order) {
            let (items, marks) = split(&self.cells, &self.bounds, *old as usize);
            cells.extend_from_slice(items);
            let start = cells.len();
            cells.extend_from_slice(marks);
            bounds.push((start, cells.len()));
            place[*old as usize] = new;
        }
        self.counts = order.iter().map(|old| self.counts[*old as usize]).collect();
        self.index.iter_mut().for_each(|basket| *basket = place[*basket as usize]);
        (self.cells, self.bounds) = (cells, bounds);
        place
    }

    /// The distinct basket that a transaction belongs to; both lists as [`push`](Self::push) leaves them.
    pub fn locate(&self, items: &[Node], marks: &[u32]) -> Option<usize> {
        self.find(self.hasher.hash_one((items, marks)), items, marks).map(|basket| basket as usize)
    }

    /// The number of distinct baskets.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no transactions.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The number of transactions.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The items of a distinct basket: leaves of the tree, ascending.
    pub fn items(&self, basket: usize) -> &[Node] {
        split(&self.cells, &self.bounds, basket).0
    }

    /// The sensitive items of a distinct basket, ascending.
    pub fn marks(&self, basket: usize) -> &[u32] {
        split(&self.cells, &self.bounds, basket).1
    }

    /// How many transactions are this basket.
    pub fn count(&self, basket: usize) -> u64 {
        self.counts[basket]
    }

    /// Per node, how many occurrences of items there are below it: `occ` of the specification, section 7.
    pub fn occurrences(&self) -> Vec<u64> {
        let mut occurrences = vec![0; self.tree.len()];
        for basket in 0..self.len() {
            for item in self.items(basket) {
                occurrences[*item as usize] += self.counts[basket];
            }
        }
        for node in self.tree.nodes().rev() {
            if let Some(parent) = self.tree.parent(node) {
                occurrences[parent as usize] += occurrences[node as usize];
            }
        }
        occurrences
    }

    /// How many transactions hold each sensitive item.
    pub fn mark_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.sensitive.len()];
        for basket in 0..self.len() {
            for mark in self.marks(basket) {
                counts[*mark as usize] += self.counts[basket];
            }
        }
        counts
    }
}

fn split<'a>(cells: &'a [u32], bounds: &[(usize, usize)], basket: usize) -> (&'a [u32], &'a [u32]) {
    let start = if basket == 0 { 0 } else { bounds[basket - 1].1 };
    let (middle, end) = bounds[basket];
    (&cells[start..middle], &cells[middle..end])
}

fn normalise(list: &mut Vec<u32>) {
    if !list.is_sorted_by(|one, next| one < next) {
        list.sort_unstable();
        list.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_marks_are_not_confused() {
        let tree = ItemTree::from_paths(&[vec!["a".into()], vec!["b".into()]]).expect("a forest");
        let mut baskets = Baskets::new(tree.into(), vec!["s".into(), "t".into()]);
        baskets.push(&mut vec![0, 1], &mut vec![]);
        baskets.push(&mut vec![0], &mut vec![1]);
        baskets.push(&mut vec![], &mut vec![1, 0, 1]);
        baskets.push(&mut vec![1, 0, 0], &mut vec![]);
        assert_eq!((baskets.len(), baskets.total()), (3, 4));
        assert_eq!(baskets.locate(&[0], &[1]), Some(1));
        assert_eq!(baskets.locate(&[0, 1], &[1]), None);
        assert_eq!(baskets.occurrences(), [3, 2]);
        assert_eq!(baskets.mark_counts(), [1, 2]);
    }

    #[test]
    fn sorted_baskets_do_not_tell_in_which_order_they_came() {
        let tree = || ItemTree::from_paths(&[vec!["a".into()], vec!["b".into()]]).expect("a forest");
        let lots: [(&[u32], &[u32]); 5] =
            [(&[1], &[]), (&[0, 1], &[0]), (&[], &[0]), (&[0], &[]), (&[0, 1], &[0])];
        let sorted = |turn: usize| {
            let mut baskets = Baskets::new(tree().into(), vec!["s".into()]);
            for at in 0..lots.len() {
                let (items, marks) = lots[(at + turn) % lots.len()];
                baskets.push(&mut items.to_vec(), &mut marks.to_vec());
            }
            baskets.sort();
            baskets
        };
        for turn in 0..lots.len() {
            let mut baskets = sorted(turn);
            let held: Vec<_> = (0..baskets.len())
                .map(|at| (baskets.items(at), baskets.marks(at), baskets.count(at)))
                .collect();
            let expected: [(&[u32], &[u32], u64); 4] =
                [(&[], &[0], 1), (&[0], &[], 1), (&[0, 1], &[0], 2), (&[1], &[], 1)];
            assert_eq!(held, expected, "turn {turn}");
            // They are found under their new numbers, and can be added to.
            assert_eq!((baskets.locate(&[0, 1], &[0]), baskets.locate(&[1], &[])), (Some(2), Some(3)));
            baskets.push(&mut vec![1], &mut vec![]);
            baskets.push(&mut vec![1], &mut vec![0]);
            assert_eq!((baskets.len(), baskets.count(3), baskets.locate(&[1], &[0])), (5, 2, Some(4)));
        }
    }
}
