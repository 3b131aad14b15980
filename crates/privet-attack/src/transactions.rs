//! Released transactions next to their original, as attacks on transactions see them.

use std::sync::Arc;

use hashbrown::HashMap;

use super::budget::needs;
use super::haystack::{ItemHaystack, ItemSets};
use super::{PolicyRef, Released, Scene};
use privet_audit::transactions::{Crowd, Demand};
use privet_core::clock::Clock;
use privet_core::lists::Lists;
use privet_core::{Error, Result};
use privet_data::interner::Interner;
use privet_data::{People, PeopleBuilder, Transaction, TransactionSource};
use privet_policy::TransactionPolicy;
use privet_taxonomy::{ItemTree, Node, ROOT_LABEL};

/// How many transactions are read between two looks at the clock.
const BETWEEN: u64 = 1024;

/// The distinct transactions of a file with their counts, by rising nodes, then sensitive items.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransactionSets {
    items: ItemSets,
    marks: Lists,
    total: u64,
}

impl TransactionSets {
    /// The number of distinct transactions.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// The number of transactions.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The nodes of a distinct transaction, ascending; in the original they are leaves.
    pub fn items(&self, set: usize) -> &[Node] {
        self.items.nodes(set)
    }

    /// How many transactions are this one.
    pub fn count(&self, set: usize) -> u64 {
        self.items.counts()[set]
    }

    /// All distinct transactions: nodes, sensitive items and counts.
    pub fn iter(&self) -> impl Iterator<Item = (&[Node], &[u32], u64)> {
        self.items.iter().zip(self.marks.iter()).map(|((items, count), marks)| (items, marks, count))
    }
}

/// Counts transactions while they are read.
#[derive(Default)]
pub(crate) struct SetCounting {
    /// By nodes and sensitive items: the order of appearance, and how often.
    sets: HashMap<(Vec<Node>, Vec<u32>), (u32, u64)>,
}

impl SetCounting {
    /// Counts a transaction; an item that is there twice counts once. Returns the number of the distinct transaction.
    pub fn add(&mut self, mut nodes: Vec<Node>, mut marks: Vec<u32>) -> u32 {
        for list in [&mut nodes, &mut marks] {
            list.sort_unstable();
            list.dedup();
        }
        let next = self.sets.len() as u32;
        let (number, count) = self.sets.entry((nodes, marks)).or_insert((next, 0));
        *count += 1;
        *number
    }

    /// The distinct transactions, and by order of appearance the place of each.
    pub fn finish(self) -> (TransactionSets, Vec<u32>) {
        let mut order: Vec<_> = self.sets.into_iter().collect();
        order.sort_unstable();
        let mut sets = TransactionSets::default();
        let mut places = vec![0; order.len()];
        for (place, ((nodes, marks), (number, count))) in (0u32..).zip(order) {
            sets.items.push(&nodes, count);
            sets.marks.push(&marks);
            sets.total += count;
            places[number as usize] = place;
        }
        (sets, places)
    }
}

/// Tells nodes of the tree and sensitive items apart.
struct Lexicon<'a> {
    tree: &'a ItemTree,
    marks: HashMap<&'a str, u32>,
}

impl<'a> Lexicon<'a> {
    fn new(tree: &'a ItemTree, sensitive: &'a [String]) -> Lexicon<'a> {
        Lexicon { tree, marks: sensitive.iter().map(String::as_str).zip(0..).collect() }
    }

    /// The nodes and the sensitive items of a transaction; or the first item that is neither, or that is a node but not a
    /// leaf where only leaves are allowed.
    fn read<'t>(
        &self,
        transaction: &Transaction<'t>,
        only_leaves: bool,
    ) -> std::result::Result<(Vec<Node>, Vec<u32>), &'t str> {
        let (mut nodes, mut marks) = (Vec::with_capacity(transaction.items.len()), Vec::new());
        for item in transaction.items {
            match (self.marks.get(*item), self.tree.find(item)) {
                (Some(mark), _) => marks.push(*mark),
                (None, Some(node)) if !only_leaves || self.tree.is_leaf(node) => nodes.push(node),
                _ => return Err(item),
            }
        }
        Ok((nodes, marks))
    }
}

/// The tree of a policy without a hierarchy: every item of the data is a child of `*`.
fn flat_tree(policy: &TransactionPolicy, clock: &Clock) -> Result<ItemTree> {
    let sensitive: HashMap<&str, ()> = policy.sensitive.iter().map(|item| (item.as_str(), ())).collect();
    let mut seen = Interner::default();
    let mut each = |transaction: &Transaction<'_>, _| {
        for item in transaction.items.iter().filter(|item| !sensitive.contains_key(**item)) {
            seen.intern(item);
        }
        Ok(())
    };
    policy.source.read_watched(&mut each, &mut |_| clock.check())?;
    let mut items: Vec<&str> = (0..seen.len()).map(|item| seen.text(item)).collect();
    items.sort_unstable();
    ItemTree::flat(items.into_iter().filter(|item| *item != ROOT_LABEL))
}

/// Released transactions next to their original.
#[derive(Debug)]
pub(crate) struct TransactionView {
    /// How items generalise.
    pub tree: Arc<ItemTree>,
    /// The names of the sensitive items.
    pub sensitive: Vec<String>,
    /// The original.
    pub original: TransactionSets,
    /// The release.
    pub released: TransactionSets,
    /// What the policy asks for.
    pub demands: Vec<Demand>,
    /// Who has which original transaction, where the data say so and somebody has several.
    pub people: Option<People>,
    /// Where people have several transactions: per distinct released one, the distinct originals behind it. `None` also where
    /// this cannot be known, because the release shows an item in several ways.
    behind: Option<Vec<Vec<u32>>>,
}

impl TransactionView {
    /// Reads both; a reason where they cannot be looked at like this.
    pub fn read(scene: &Scene<'_>) -> Result<std::result::Result<TransactionView, String>> {
        let (PolicyRef::Transactions(policy), Released::Transactions(source)) =
            (scene.policy, &scene.released)
        else {
            return Ok(Err("the release does not consist of transactions".to_string()));
        };
        // Items take about as much in memory as in the file; what is read is held twice, as it was and as it is.
        let needed = policy.source.bytes().saturating_add(source.bytes());
        if let Some(most) = scene.limits.view_bytes().filter(|most| needed > *most) {
            return Ok(Err(needs(needed, most)));
        }
        let tree = match &policy.tree {
            Some(tree) => tree.clone(),
            None => Arc::new(flat_tree(policy, scene.clock)?),
        };
        let lexicon = Lexicon::new(&tree, &policy.sensitive);
        let (original, people) = read_original(&policy.source, &lexicon, scene.clock)?;
        if original.total() > scene.limits.rows as u64 {
            let most = scene.limits.rows;
            return Ok(Err(format!(
                "there are more than {most} transactions, and this attack holds them in memory"
            )));
        }
        let demands = demands(policy, &tree)?;
        let released = read_released(source, &lexicon, scene.clock)?;
        let sensitive = policy.sensitive.clone();
        Ok(Ok(TransactionView::new(tree.clone(), sensitive, original, people, released, demands)))
    }

    /// A view of what was read.
    pub fn new(
        tree: Arc<ItemTree>,
        sensitive: Vec<String>,
        original: TransactionSets,
        people: Option<People>,
        released: TransactionSets,
        demands: Vec<Demand>,
    ) -> TransactionView {
        let people = people.filter(|people| !people.have_one_record_each());
        let behind = people.as_ref().and_then(|_| behind(&tree, &original, &released));
        TransactionView { tree, sensitive, original, released, demands, people, behind }
    }

    /// The people and the originals behind every released transaction, where requirements count people.
    fn crowds(&self) -> Option<(&People, &[Vec<u32>])> {
        self.people.as_ref().zip(self.behind.as_deref())
    }

    /// Who is behind the released transactions, one by one, where people have several.
    pub fn crowd(&self) -> Option<Crowd<'_>> {
        let (people, behind) = self.crowds()?;
        let mut next = u32::try_from(people.total()).unwrap_or(u32::MAX);
        let mut owned = Vec::new();
        for ((nodes, marks, _), sets) in self.released.iter().zip(behind) {
            for set in sets.iter().map(|set| *set as usize) {
                // Those who have no other need a number of their own only.
                let single = next..next.saturating_add(people.single(set) as u32);
                next = single.end;
                let all = people.named(set).iter().copied().chain(single);
                owned.extend(all.map(|person| (person, nodes.to_vec(), marks.to_vec())));
            }
        }
        Some(Crowd::new(&self.tree, self.sensitive.len(), owned))
    }

    /// How much memory it takes to look up items in both.
    pub fn haystack_bytes(&self) -> u64 {
        let nodes = |sets: &TransactionSets| sets.iter().map(|(nodes, ..)| nodes.len()).sum::<usize>();
        let (nodes, sets) =
            (nodes(&self.original) + nodes(&self.released), self.original.len() + self.released.len());
        8 * nodes as u64 + 24 * sets as u64
    }

    /// The original, to look up items in.
    pub fn before(&self) -> ItemHaystack {
        let themselves = self.tree.nodes().map(|node| vec![node]).collect();
        let haystack = ItemHaystack::new(self.original.items.clone(), themselves);
        let Some((people, _)) = self.crowds() else { return haystack };
        let own = (0..self.original.len()).map(|set| (people.single(set), people.named(set).to_vec()));
        haystack.with_people(own.collect())
    }

    /// The release, to look up items in: an item may be shown as itself or as anything above it.
    pub fn after(&self) -> ItemHaystack {
        let tree = &self.tree;
        let names = tree.nodes().map(|item| std::iter::once(item).chain(tree.ancestors(item)).collect());
        let haystack = ItemHaystack::new(self.released.items.clone(), names.collect());
        let Some((people, behind)) = self.crowds() else { return haystack };
        let own = |sets: &Vec<u32>| {
            let single = sets.iter().map(|set| people.single(*set as usize)).sum();
            let mut named: Vec<u32> =
                sets.iter().flat_map(|set| people.named(*set as usize)).copied().collect();
            named.sort_unstable();
            named.dedup();
            (single, named)
        };
        haystack.with_people(behind.iter().map(own).collect())
    }

    /// What is counted where requirements count: one of them, and several.
    pub fn counted(&self) -> (&'static str, &'static str) {
        if self.crowds().is_some() { ("person", "people") } else { ("transaction", "transactions") }
    }
}

/// What a policy asks for; nobody can know of more items than there are.
fn demands(policy: &TransactionPolicy, tree: &ItemTree) -> Result<Vec<Demand>> {
    let items = u64::from(tree.total_leaves());
    let demand = |(position, clause)| {
        let asked = Demand::of(clause, tree, &policy.sensitive)
            .map_err(|error| policy.written.at_requirement(position, error))?;
        // Attackers know a number of items: as many as the requirement covers whichever they are.
        let asked = asked.by_number();
        Ok(Demand { m: asked.m.min(items), n: asked.n.min(items), ..asked })
    };
    policy.requirements.iter().enumerate().map(demand).collect()
}

/// Reads the original, and whose the transactions are where it says so.
fn read_original(
    source: &TransactionSource,
    lexicon: &Lexicon<'_>,
    clock: &Clock,
) -> Result<(TransactionSets, Option<People>)> {
    let mut people = source.names_people().then(PeopleBuilder::default);
    let mut counting = SetCounting::default();
    let mut each = |transaction: &Transaction<'_>, _| {
        let (nodes, marks) = lexicon.read(transaction, true).map_err(|item| {
            Error::input(format!("the item '{item}' is neither a leaf of the hierarchy nor sensitive"))
                .in_file(source.origin())
                .at_line(source.line_of(transaction, item))
                .help("use the hierarchy and the list of sensitive items that the release was made with")
        })?;
        let set = counting.add(nodes, marks);
        if let (Some(people), Some(person)) = (&mut people, transaction.person) {
            people.add(person, set);
        }
        Ok(())
    };
    source.read_watched(&mut each, &mut |_| clock.check())?;
    let (sets, places) = counting.finish();
    let people = people.map(|people| people.finish(&places, sets.total()));
    Ok((sets, people))
}

fn read_released(
    source: &TransactionSource,
    lexicon: &Lexicon<'_>,
    clock: &Clock,
) -> Result<TransactionSets> {
    let mut counting = SetCounting::default();
    let mut read = 0u64;
    source.read(&mut |transaction: &Transaction<'_>, _| {
        let (nodes, marks) = lexicon.read(transaction, false).map_err(|_| {
            Error::input("an item is neither in the data's tree of items nor sensitive")
                .in_file(source.origin())
                .at_line(transaction.line)
                .help(
                    "released items must be items of the data or nodes above them, spelt as in the hierarchy",
                )
        })?;
        counting.add(nodes, marks);
        read += 1;
        if read.is_multiple_of(BETWEEN) { clock.check() } else { Ok(()) }
    })?;
    Ok(counting.finish().0)
}

/// The distinct originals behind every released transaction, where every item is shown in one way or never.
fn behind(tree: &ItemTree, original: &TransactionSets, released: &TransactionSets) -> Option<Vec<Vec<u32>>> {
    let mut published = vec![false; tree.len()];
    released.iter().flat_map(|(nodes, ..)| nodes).for_each(|node| published[*node as usize] = true);
    let shown = |item: Node| -> Vec<Node> {
        std::iter::once(item).chain(tree.ancestors(item)).filter(|node| published[*node as usize]).collect()
    };
    let places: HashMap<(&[Node], &[u32]), usize> =
        released.iter().map(|(nodes, marks, _)| (nodes, marks)).zip(0..).collect();
    let mut behind = vec![Vec::new(); released.len()];
    for (set, (items, marks, _)) in (0u32..).zip(original.iter()) {
        let mut nodes = Vec::new();
        for item in items {
            match shown(*item)[..] {
                [] => {}
                [node] => nodes.push(node),
                _ => return None,
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        behind[*places.get(&(&nodes[..], marks))?].push(set);
    }
    Some(behind)
}
