//! Transactions of a file as plain numbers: how often each distinct one occurs.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::data::TransactionSource;
use crate::error::shortened_values;
use crate::taxonomy::{ItemTree, Node};
use crate::{Error, Result};

/// How many transactions are read between two looks at the clock.
const ROWS: u64 = 4096;

/// Distinct transactions with their counts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// By rising nodes, then sensitive items.
    pub sets: Vec<Set>,
    /// How many transactions there are.
    pub total: u64,
    /// Labels that are neither nodes nor sensitive items, in order of appearance: how often, and where first.
    pub unknown: Vec<(String, u64, u64)>,
}

/// A distinct transaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Set {
    /// The nodes that it shows, ascending.
    pub nodes: Vec<Node>,
    /// Its sensitive items, ascending.
    pub marks: Vec<u32>,
    /// How many there are.
    pub count: u64,
    /// The line of the first.
    pub line: u64,
}

/// What labels mean.
pub(super) struct Meaning<'a> {
    tree: &'a ItemTree,
    sensitive: &'a [String],
    marks: HashMap<&'a str, u32>,
}

impl<'a> Meaning<'a> {
    pub fn new(tree: &'a ItemTree, sensitive: &'a [String]) -> Meaning<'a> {
        Meaning { tree, sensitive, marks: sensitive.iter().map(String::as_str).zip(0u32..).collect() }
    }

    /// A transaction in words.
    pub fn describe(&self, set: &Set) -> String {
        let nodes = set.nodes.iter().map(|node| self.tree.label(*node));
        let marks = set.marks.iter().map(|mark| self.sensitive[*mark as usize].as_str());
        let labels: Vec<&str> = nodes.chain(marks).collect();
        if labels.is_empty() { "no items".into() } else { shortened_values(&labels) }
    }
}

/// Counts transactions while they are read.
pub(super) struct Entries<'a> {
    meaning: &'a Meaning<'a>,
    counted: HashMap<(Vec<Node>, Vec<u32>), (u64, u64)>,
    unknown: HashMap<String, usize>,
    ledger: Ledger,
}

impl<'a> Entries<'a> {
    pub fn new(meaning: &'a Meaning<'a>) -> Entries<'a> {
        Entries { meaning, counted: HashMap::new(), unknown: HashMap::new(), ledger: Ledger::default() }
    }

    /// Counts one transaction. An item that is written twice is there once.
    pub fn push(&mut self, line: u64, items: &[&str]) {
        let (mut nodes, mut marks) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            if let Some(mark) = self.meaning.marks.get(item) {
                marks.push(*mark);
            } else if let Some(node) = self.meaning.tree.find(item) {
                nodes.push(node);
            } else {
                let list = &mut self.ledger.unknown;
                let place = *self.unknown.entry_ref(*item).or_insert_with(|| {
                    list.push((item.to_string(), 0, line));
                    list.len() - 1
                });
                self.ledger.unknown[place].1 += 1;
            }
        }
        for list in [&mut nodes, &mut marks] {
            list.sort_unstable();
            list.dedup();
        }
        self.ledger.total += 1;
        self.counted.entry((nodes, marks)).or_insert((0, line)).0 += 1;
    }

    pub fn finish(mut self) -> Ledger {
        let sets = self.counted.into_iter();
        let sets = sets.map(|((nodes, marks), (count, line))| Set { nodes, marks, count, line });
        self.ledger.sets = sets.collect();
        self.ledger.sets.sort_unstable();
        self.ledger
    }
}

/// Reads a file of transactions.
pub(super) fn read(
    source: &TransactionSource,
    meaning: &Meaning<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Ledger> {
    let mut entries = Entries::new(meaning);
    source.read(&mut |transaction, _| {
        entries.push(transaction.line, transaction.items);
        if entries.ledger.total.is_multiple_of(ROWS) { tick() } else { Ok(()) }
    })?;
    Ok(entries.finish())
}

/// Refuses an original with items that the policy does not know: nothing could be said about them.
pub(super) fn check_original(original: &Ledger, tree: &ItemTree, source: &TransactionSource) -> Result<()> {
    let refuse = |label: &str, line: u64, why: &str| {
        Err(Error::input(format!("'{label}' {why}"))
            .in_file(source.path())
            .at_line(line)
            .help("audit with the hierarchy and the list of sensitive items that the release was made with"))
    };
    if let Some((label, _, line)) = original.unknown.first() {
        return refuse(label, *line, "is neither an item of the hierarchy nor a sensitive item");
    }
    for set in &original.sets {
        if let Some(group) = set.nodes.iter().find(|node| !tree.is_leaf(**node)) {
            return refuse(tree.label(*group), set.line, "is a group of the hierarchy, not an item");
        }
    }
    Ok(())
}

/// The tree of a policy without a hierarchy: every item of the original is a child of `*`.
pub(super) fn flat_tree(
    source: &TransactionSource,
    sensitive: &[String],
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<ItemTree> {
    let mut items = BTreeSet::new();
    let mut rows = 0u64;
    source.read(&mut |transaction, _| {
        for item in transaction.items {
            if !items.contains(*item) && !sensitive.iter().any(|name| name == item) {
                items.insert(item.to_string());
            }
        }
        rows += 1;
        if rows.is_multiple_of(ROWS) { tick() } else { Ok(()) }
    })?;
    const TOP: &str = "*";
    let mut paths: Vec<Vec<String>> = items.into_iter().map(|item| vec![item, TOP.to_string()]).collect();
    if paths.is_empty() {
        // A tree has a leaf; nothing can be below it.
        paths.push(vec![TOP.to_string()]);
    }
    ItemTree::from_paths(&paths)
}
