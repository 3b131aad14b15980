//! Which rows hold a node or something below it, for any node of the tree: what is asked when threats are made more general.

use std::sync::{Arc, OnceLock};

use super::field::{Lists, NONE, bitmaps, holders, is_set};
use super::rows::Rows;
use privet_taxonomy::{ItemTree, Node};

/// Rows to look up; the cuts that are looked at may be coarser than the one they show. Sorted out when first asked.
#[derive(Debug)]
pub struct Lookup {
    rows: Arc<Rows>,
    index: OnceLock<Index>,
}

/// The rows by growing weight, and what holds what.
#[derive(Debug)]
struct Index {
    order: Vec<u32>,
    holders: Lists<u32>,
    /// Of nodes that many rows hold, those rows as bits.
    bitmaps: Vec<Option<Vec<u64>>>,
}

impl Lookup {
    /// A place to look rows up.
    pub fn new(rows: Arc<Rows>) -> Arc<Lookup> {
        Arc::new(Lookup { rows, index: OnceLock::new() })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn index(&self, tree: &ItemTree) -> &Index {
        self.index.get_or_init(|| {
            let mut order: Vec<u32> = self.rows.numbers().collect();
            order.sort_by_key(|row| self.rows.weight(*row));
            let parent: Vec<u32> = tree.nodes().map(|node| tree.parent(node).unwrap_or(NONE)).collect();
            let mut cells = Lists::new();
            for row in &order {
                cells.add_with_ancestors(self.rows.nodes(*row).iter().copied(), &parent);
            }
            let holders = holders(&cells, tree.len(), 0..order.len() as u32);
            let bitmaps = bitmaps(&holders, order.len());
            Index { order, holders, bitmaps }
        })
    }

    /// The places of the rows that hold a node or something below it, light rows first.
    pub(super) fn holding(&self, tree: &ItemTree, node: Node) -> &[u32] {
        self.index(tree).holders.get(node)
    }

    /// Whether the row at a place holds a node or something below it.
    pub(super) fn holds(&self, tree: &ItemTree, place: u32, node: Node) -> bool {
        let index = self.index(tree);
        match &index.bitmaps[node as usize] {
            Some(bitmap) => is_set(bitmap, place),
            None => self.rows.holds(index.order[place as usize], tree, node),
        }
    }

    /// How many transactions or people the row at a place stands for, and whose it is. The rows of an owner follow each
    /// other.
    pub(super) fn weight(&self, tree: &ItemTree, place: u32) -> (u64, u32) {
        let row = self.index(tree).order[place as usize];
        (self.rows.weight(row), self.rows.owner(row))
    }
}
