//! Released transactions beside their original, as attacks on transactions see them.

use std::collections::BTreeMap;

use super::budget::needs;
use super::haystack::Haystack;
use super::{PolicyRef, Released, Scene};
use privet_core::{Error, Result};
use privet_data::Transaction;
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::{KlPrivacy, requirements};
use privet_taxonomy::Node;

/// Released transactions beside their original.
#[derive(Debug)]
pub(crate) struct BasketView {
    /// The original.
    pub original: Baskets,
    /// The distinct released transactions, by rising nodes: what each shows, its sensitive items, and how many there are.
    pub released: Vec<(Vec<Node>, Vec<u32>, u64)>,
    /// What is promised.
    pub requirements: Vec<KlPrivacy>,
}

impl BasketView {
    /// Reads both; a reason where they cannot be looked at like this.
    pub fn read(scene: &Scene<'_>) -> Result<std::result::Result<BasketView, String>> {
        let (PolicyRef::Transactions(policy), Released::Transactions(source)) =
            (scene.policy, &scene.released)
        else {
            return Ok(Err("the release is not one of transactions".to_string()));
        };
        // Items take about as much in memory as in the file; what is read is held twice, as it was and as it is.
        let needed = policy.source.bytes().saturating_add(source.bytes());
        if scene.limits.view_bytes().is_some_and(|most| needed > most) {
            return Ok(Err(needs(needed)));
        }
        let original = Baskets::read(policy, &mut |_| scene.clock.check())?;
        if original.total() > scene.limits.rows as u64 {
            let most = scene.limits.rows;
            return Ok(Err(format!(
                "there are more than {most} transactions, and this attack holds them in memory"
            )));
        }
        let requirements = requirements(policy, u64::from(original.tree.total_leaves()))?;
        let mut counted: BTreeMap<(Vec<Node>, Vec<u32>), u64> = BTreeMap::new();
        let mut strange = None;
        source.read(&mut |transaction: &Transaction<'_>, _| {
            let (mut nodes, mut marks) = (Vec::new(), Vec::new());
            for item in transaction.items {
                let mark = original.sensitive.iter().position(|name| name == item);
                match (original.tree.find(item), mark) {
                    (_, Some(mark)) => marks.push(mark as u32),
                    (Some(node), None) => nodes.push(node),
                    (None, None) => strange = strange.or(Some(transaction.line)),
                }
            }
            nodes.sort_unstable();
            nodes.dedup();
            marks.sort_unstable();
            marks.dedup();
            *counted.entry((nodes, marks)).or_default() += 1;
            scene.clock.check()
        })?;
        if let Some(line) = strange {
            return Err(Error::input("an item is neither in the data's tree of items nor a sensitive one")
                .in_file(source.path())
                .at_line(line)
                .help("a released item is one of the data, or a node above it, spelt as in the hierarchy"));
        }
        let released = counted.into_iter().map(|((nodes, marks), count)| (nodes, marks, count)).collect();
        Ok(Ok(BasketView { original, released, requirements }))
    }

    /// How much memory it takes to look up items in both.
    pub fn haystack_bytes(&self) -> u64 {
        let before: usize = (0..self.original.len()).map(|basket| self.original.items(basket).len()).sum();
        let after: usize = self.released.iter().map(|(nodes, ..)| nodes.len()).sum();
        8 * (before + after) as u64 + 24 * (self.original.len() + self.released.len()) as u64
    }

    /// The original, to look up items in.
    pub fn before(&self) -> Haystack {
        let baskets = &self.original;
        let rows = (0..baskets.len()).map(|basket| (baskets.items(basket).to_vec(), baskets.count(basket)));
        Haystack::new(rows.collect(), baskets.tree.nodes().map(|node| vec![node]).collect())
    }

    /// The release, to look up items in: an item may be shown as itself or as anything above it.
    pub fn after(&self) -> Haystack {
        let tree = &self.original.tree;
        let names = tree.nodes().map(|item| std::iter::once(item).chain(tree.ancestors(item)).collect());
        let rows = self.released.iter().map(|(nodes, _, count)| (nodes.clone(), *count)).collect();
        Haystack::new(rows, names.collect())
    }
}
