//! The transactions that the experiments run on, and the taxonomies that are drawn for them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use privet::clock::Clock;
use privet::data::{TransactionOptions, TransactionSource};
use privet::engine::baskets::Baskets;
use privet::example::census::draw::Draw;
use privet::taxonomy::{ItemTree, Node};
use privet::{Error, Exact, Result};

/// A data set of the thesis' Table 4.3.
#[derive(Debug, PartialEq)]
pub(super) struct Dataset {
    /// What the thesis calls it.
    pub name: &'static str,
    /// What it is here.
    pub title: &'static str,
    file: &'static str,
    /// How many items an adversary knows where nothing else is said.
    pub default_m: u64,
    /// Transactions, items, and the longest and the mean transaction, as the thesis states them.
    pub stated: (u64, u64, u64, f64),
}

/// The click-stream of a shop.
pub(super) static WV1: Dataset = Dataset {
    name: "WV1",
    title: "BMS-WebView-1",
    file: "bms/BMS-WebView-1.dat",
    default_m: 3,
    stated: (59_602, 497, 267, 2.5),
};
/// Another one.
pub(super) static WV2: Dataset = Dataset {
    name: "WV2",
    title: "BMS-WebView-2",
    file: "bms/BMS-WebView-2.dat",
    default_m: 6,
    stated: (77_512, 3_340, 161, 5.0),
};
/// BMS-POS is not to be had; its stand-in has its size.
pub(super) static POS: Dataset = Dataset {
    name: "POS",
    title: "a synthetic stand-in for BMS-POS, of its size: for times only",
    file: "synthetic/pos_like.dat",
    default_m: 3,
    stated: (515_597, 1_657, 164, 6.5),
};

/// Where the data is looked for, and how it is called there.
pub(super) const ENDINGS: [&str; 2] = [".zst", ""];

/// Transactions as numbers of items.
#[derive(Debug, Default)]
pub(super) struct Transactions {
    /// The names of the items, in the order of their first appearance.
    pub items: Vec<String>,
    cells: Vec<u32>,
    ends: Vec<usize>,
}

impl Transactions {
    fn read(path: &Path, clock: &Clock) -> Result<Transactions> {
        clock.progress().stage("reading", None);
        let source = TransactionSource::open(path, &TransactionOptions::Lines { separator: Some(' ') })?;
        let mut index: HashMap<String, u32, RandomState> = HashMap::default();
        let mut all = Transactions::default();
        source.read(&mut |transaction, _| {
            for item in transaction.items {
                let id = *index.entry_ref(*item).or_insert_with(|| {
                    all.items.push((*item).to_string());
                    all.items.len() as u32 - 1
                });
                all.cells.push(id);
            }
            all.ends.push(all.cells.len());
            clock.check()
        })?;
        Ok(all)
    }

    /// The number of transactions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A transaction.
    pub fn get(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }

    /// The longest and the mean transaction.
    pub fn lengths(&self) -> (u64, f64) {
        let longest = (0..self.len()).map(|at| self.get(at).len()).max().unwrap_or(0);
        (longest as u64, self.cells.len() as f64 / self.len().max(1) as f64)
    }

    /// Draws sensitive items among those that at most a share of all transactions holds: with a more frequent one no
    /// release would do. As many as there are, if these are fewer.
    pub fn draw_sensitive(&self, count: usize, most: Exact, seed: u64) -> Vec<u32> {
        let mut support = vec![0u64; self.items.len()];
        let mut last = vec![usize::MAX; self.items.len()];
        for at in 0..self.len() {
            for item in self.get(at) {
                if std::mem::replace(&mut last[*item as usize], at) != at {
                    support[*item as usize] += 1;
                }
            }
        }
        let most = most.floor_of(self.len() as u64);
        let mut rare: Vec<u32> =
            (0..self.items.len() as u32).filter(|item| support[*item as usize] <= most).collect();
        shuffle(&mut rare, &mut Draw::new(seed));
        rare.truncate(count);
        rare.sort_unstable();
        rare
    }

    /// The transactions below a random balanced taxonomy; some of the items are sensitive. `sample` says which are taken,
    /// or all.
    pub fn baskets(
        &self,
        fan_out: usize,
        seed: u64,
        sensitive: &[u32],
        sample: Option<&[u32]>,
    ) -> Result<Baskets> {
        let is_sensitive = |item: &u32| sensitive.binary_search(item).is_ok();
        let mut public: Vec<u32> = (0..self.items.len() as u32).filter(|item| !is_sensitive(item)).collect();
        shuffle(&mut public, &mut Draw::new(seed));
        let labels: Vec<&str> = public.iter().map(|item| self.items[*item as usize].as_str()).collect();
        let tree = balanced(&labels, fan_out)?;
        let mut node_of: Vec<Node> = vec![0; self.items.len()];
        for (item, label) in public.iter().zip(&labels) {
            node_of[*item as usize] =
                tree.find(label).ok_or_else(|| Error::internal("an item is not in its tree"))?;
        }
        let names = sensitive.iter().map(|item| self.items[*item as usize].clone()).collect();
        let mut baskets = Baskets::new(tree.into(), names);
        let (mut items, mut marks) = (Vec::new(), Vec::new());
        let mut push = |at: usize| {
            items.clear();
            marks.clear();
            for item in self.get(at) {
                match sensitive.binary_search(item) {
                    Ok(mark) => marks.push(mark as u32),
                    Err(_) => items.push(node_of[*item as usize]),
                }
            }
            baskets.push(&mut items, &mut marks);
        };
        match sample {
            Some(sample) => sample.iter().for_each(|at| push(*at as usize)),
            None => (0..self.len()).for_each(push),
        }
        Ok(baskets)
    }

    /// As many transactions as asked for, drawn with replacement.
    pub fn resample(&self, count: usize, seed: u64) -> Vec<u32> {
        let mut draw = Draw::new(seed);
        (0..count).map(|_| draw.below(self.len() as u32)).collect()
    }
}

fn shuffle(list: &mut [u32], draw: &mut Draw) {
    for at in (1..list.len()).rev() {
        list.swap(at, draw.below(at as u32 + 1) as usize);
    }
}

/// The tree over these leaves, in this order, in which every inner node but the last of a level has this many children.
fn balanced(leaves: &[&str], fan_out: usize) -> Result<ItemTree> {
    let path = |at: usize| {
        let mut path = vec![leaves[at].to_string()];
        let (mut place, mut width, mut level) = (at, leaves.len(), 0);
        while width > 1 {
            (place, width, level) = (place / fan_out, width.div_ceil(fan_out), level + 1);
            path.push(format!("group {level}.{place}"));
        }
        path
    };
    ItemTree::from_paths(&(0..leaves.len()).map(path).collect::<Vec<_>>())
}

/// The folder with the data, and what of it was read.
#[derive(Debug)]
pub(super) struct Shelf {
    folder: PathBuf,
    read: RefCell<Vec<(&'static str, Rc<Transactions>)>>,
}

impl Shelf {
    /// Looks for the data; at least one data set must be there.
    pub fn open(folder: &Path) -> Result<Shelf> {
        let folder = std::path::absolute(folder).map_err(|error| Error::io("find", folder, &error))?;
        let shelf = Shelf { folder, read: RefCell::default() };
        if [&WV1, &WV2, &POS].iter().all(|dataset| shelf.path(dataset).is_none()) {
            return Err(shelf.missing(&WV1));
        }
        Ok(shelf)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, dataset: &Dataset) -> Option<PathBuf> {
        let paths = ENDINGS.iter().map(|ending| self.folder.join(format!("{}{ending}", dataset.file)));
        paths.into_iter().find(|path| path.is_file())
    }

    /// Where a data set was looked for in vain, and how to get it.
    pub fn missing(&self, dataset: &Dataset) -> Error {
        let help = "set PRIVET_DATA to a folder with bms/BMS-WebView-1.dat and -2.dat (one transaction of item numbers per \
                    line, plain or .zst); the book's page on experiments says where they come from";
        let path = self.folder.join(dataset.file);
        Error::input("the experiment's data is not there").in_file(&path).help(help)
    }

    /// A data set, if it is there. It is read once.
    pub fn get(&self, dataset: &'static Dataset, clock: &Clock) -> Result<Option<Rc<Transactions>>> {
        if let Some((_, known)) = self.read.borrow().iter().find(|(name, _)| *name == dataset.name) {
            return Ok(Some(known.clone()));
        }
        let Some(path) = self.path(dataset) else { return Ok(None) };
        let transactions = Rc::new(Transactions::read(&path, clock)?);
        self.read.borrow_mut().push((dataset.name, transactions.clone()));
        Ok(Some(transactions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balanced_tree_has_one_root_and_full_nodes() {
        let leaves: Vec<String> = (0..11).map(|leaf| leaf.to_string()).collect();
        let labels: Vec<&str> = leaves.iter().map(String::as_str).collect();
        let tree = balanced(&labels, 3).expect("a tree");
        assert_eq!((tree.roots().count(), tree.total_leaves(), tree.len()), (1, 11, 11 + 4 + 2 + 1));
        assert!(tree.nodes().all(|node| tree.children(node).len() <= 3));
        assert_eq!(balanced(&labels[..1], 3).expect("a tree").len(), 1);
    }

    #[test]
    fn draws_are_the_same_for_a_seed_and_keep_to_rare_items() {
        let transactions = Transactions {
            items: ["a", "b", "c"].map(String::from).to_vec(),
            cells: vec![0, 0, 1, 0, 2, 0],
            ends: vec![3, 5, 6],
        };
        let half = Exact::new(1, 2).expect("a share");
        assert_eq!(transactions.draw_sensitive(5, half, 1), [1, 2]);
        assert_eq!(transactions.resample(4, 7), transactions.resample(4, 7));
        let baskets = transactions.baskets(2, 1, &[1], None).expect("baskets");
        assert_eq!((baskets.total(), baskets.mark_counts(), baskets.tree.total_leaves()), (3, vec![1], 2));
    }
}
