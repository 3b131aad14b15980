//! Transactions of a file as plain numbers: how often each distinct one occurs.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::super::order::Rows;
use super::super::sequence::Sequence;
use privet_core::shortened_values;
use privet_core::{Error, Result};
use privet_data::TransactionSource;
use privet_taxonomy::{ItemTree, Node};

/// How many transactions are read between two looks at the clock.
const ROWS: u64 = 4096;

/// Distinct transactions with their counts.
#[derive(Debug, Default)]
pub(super) struct TransactionLedger {
    /// By rising nodes, then sensitive items.
    pub sets: Vec<Set>,
    /// How many transactions there are.
    pub total: u64,
    /// The number of each transaction's set, in the order of the file.
    pub order: Rows,
    /// Transactions that have an item twice: how many, and where the first is.
    pub repeating: (u64, u64),
    /// Transactions that write the same items in another order than the first with these items does.
    pub differing: (u64, u64),
    /// In which order labels stand within transactions.
    pub sequence: Sequence,
    /// Labels that are neither nodes nor sensitive items, in order of appearance: how often, and where first.
    pub unknown: Vec<(String, u64, u64)>,
    /// Whose the transactions are, where the file says so.
    pub owners: Option<TransactionOwners>,
}

/// Whose transactions are.
#[derive(Debug, Default)]
pub(super) struct TransactionOwners {
    /// How many people there are.
    pub total: u64,
    /// One per transaction: its set and the person, by number.
    pub pairs: Vec<(u32, u32)>,
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
pub(super) struct LabelMeaning<'a> {
    tree: &'a ItemTree,
    sensitive: &'a [String],
    marks: HashMap<&'a str, u32>,
}

impl<'a> LabelMeaning<'a> {
    pub fn new(tree: &'a ItemTree, sensitive: &'a [String]) -> LabelMeaning<'a> {
        LabelMeaning { tree, sensitive, marks: sensitive.iter().map(String::as_str).zip(0u32..).collect() }
    }

    /// A transaction in words.
    pub fn describe(&self, set: &Set) -> String {
        let nodes = set.nodes.iter().map(|node| self.tree.label(*node));
        let marks = set.marks.iter().map(|mark| self.sensitive[*mark as usize].as_str());
        let labels: Vec<&str> = nodes.chain(marks).collect();
        if labels.is_empty() { "no items".into() } else { shortened_values(&labels) }
    }
}

/// A set as it is counted.
struct Counted {
    /// Its number, in the order in which sets come.
    number: u32,
    count: u64,
    /// The line of the first, and how it is written.
    line: u64,
    written: Vec<String>,
}

/// Counts transactions while they are read.
pub(super) struct Entries<'a> {
    meaning: &'a LabelMeaning<'a>,
    counted: HashMap<(Vec<Node>, Vec<u32>), Counted>,
    /// The numbers of the sets, as they come.
    order: Rows,
    unknown: HashMap<String, usize>,
    people: HashMap<String, u32>,
    ledger: TransactionLedger,
}

impl<'a> Entries<'a> {
    pub fn new(meaning: &'a LabelMeaning<'a>) -> Entries<'a> {
        Entries {
            meaning,
            counted: HashMap::new(),
            order: Rows::default(),
            unknown: HashMap::new(),
            people: HashMap::new(),
            ledger: TransactionLedger::default(),
        }
    }

    /// Counts one transaction of somebody.
    pub fn push_of(&mut self, person: &str, line: u64, items: &[&str]) {
        let set = self.push(line, items);
        let next = self.people.len() as u32;
        let person = *self.people.entry_ref(person.trim()).or_insert(next);
        let owners = self.ledger.owners.get_or_insert_default();
        owners.total = self.people.len() as u64;
        owners.pairs.push((set, person));
    }

    /// Counts one transaction; returns the number of its set until the end. An item that is written twice is there once.
    pub fn push(&mut self, line: u64, items: &[&str]) -> u32 {
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
        let written = nodes.len() + marks.len();
        for list in [&mut nodes, &mut marks] {
            list.sort_unstable();
            list.dedup();
        }
        let note = |(count, first): &mut (u64, u64)| {
            *first = if *count == 0 { line } else { *first };
            *count += 1;
        };
        if written > nodes.len() + marks.len() {
            note(&mut self.ledger.repeating);
        }
        self.ledger.total += 1;
        self.ledger.sequence.line(line, items.iter().copied());
        let number = self.counted.len() as u32;
        let counted = self.counted.entry((nodes, marks)).or_insert_with(|| Counted {
            number,
            count: 0,
            line,
            written: items.iter().map(ToString::to_string).collect(),
        });
        if counted.written != items {
            note(&mut self.ledger.differing);
        }
        counted.count += 1;
        let number = counted.number;
        self.order.push(number);
        number
    }

    pub fn finish(mut self) -> TransactionLedger {
        let sets = self.counted.into_iter();
        let mut sets: Vec<(Set, u32)> = sets
            .map(|((nodes, marks), Counted { number, count, line, .. })| {
                (Set { nodes, marks, count, line }, number)
            })
            .collect();
        sets.sort_unstable();
        let mut places = vec![0; sets.len()];
        sets.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
        self.order.iter().for_each(|number| self.ledger.order.push(places[number as usize]));
        let pairs = self.ledger.owners.iter_mut().flat_map(|owners| &mut owners.pairs);
        pairs.for_each(|(set, _)| *set = places[*set as usize]);
        self.ledger.sets = sets.into_iter().map(|(set, _)| set).collect();
        self.ledger
    }
}

/// Reads a file of transactions.
pub(super) fn read(
    source: &TransactionSource,
    meaning: &LabelMeaning<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<TransactionLedger> {
    let mut entries = Entries::new(meaning);
    source.read(&mut |transaction, _| {
        match transaction.person {
            Some(person) => entries.push_of(person, transaction.line, transaction.items),
            None => {
                entries.push(transaction.line, transaction.items);
            }
        }
        if entries.ledger.total.is_multiple_of(ROWS) { tick() } else { Ok(()) }
    })?;
    Ok(entries.finish())
}

/// Refuses an original with items that the policy does not know: nothing could be said about them.
pub(super) fn check_original(
    original: &TransactionLedger,
    tree: &ItemTree,
    source: &TransactionSource,
) -> Result<()> {
    let refuse = |label: &str, line: u64, why: &str| {
        Err(Error::input(format!("'{label}' {why}"))
            .in_file(source.origin())
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
