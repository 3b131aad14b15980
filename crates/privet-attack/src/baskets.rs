//! Released transactions beside their original, as attacks on transactions see them.

use std::collections::BTreeMap;

use super::budget::needs;
use super::haystack::Haystack;
use super::{PolicyRef, Released, Scene};
use privet_audit::transactions::Crowd;
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
    /// Where people have several transactions: per distinct released one, the distinct originals behind it. `None` also where
    /// the release does not tell, as it shows an item in several ways.
    pub behind: Option<Vec<Vec<u32>>>,
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
        let released: Vec<_> =
            counted.into_iter().map(|((nodes, marks), count)| (nodes, marks, count)).collect();
        let behind = behind(&original, &released);
        Ok(Ok(BasketView { original, released, requirements, behind }))
    }

    /// Who is behind the released transactions, one by one, where people have several.
    pub fn crowd(&self) -> Option<Crowd<'_>> {
        let (people, behind) = (self.original.crowd()?, self.behind.as_ref()?);
        let mut next = u32::try_from(people.total()).unwrap_or(u32::MAX);
        let mut owned = Vec::new();
        for ((nodes, marks, _), baskets) in self.released.iter().zip(behind) {
            for basket in baskets.iter().map(|basket| *basket as usize) {
                // Those who have no other need a number of their own only.
                let single = next..next.saturating_add(people.single(basket) as u32);
                next = single.end;
                let all = people.named(basket).iter().copied().chain(single);
                owned.extend(all.map(|person| (person, nodes.clone(), marks.clone())));
            }
        }
        Some(Crowd::new(&self.original.tree, self.original.sensitive.len(), owned))
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
        let haystack = Haystack::new(rows.collect(), baskets.tree.nodes().map(|node| vec![node]).collect());
        match (baskets.crowd(), &self.behind) {
            (Some(people), Some(_)) => {
                let own =
                    (0..baskets.len()).map(|basket| (people.single(basket), people.named(basket).to_vec()));
                haystack.with_people(own.collect())
            }
            _ => haystack,
        }
    }

    /// The release, to look up items in: an item may be shown as itself or as anything above it.
    pub fn after(&self) -> Haystack {
        let tree = &self.original.tree;
        let names = tree.nodes().map(|item| std::iter::once(item).chain(tree.ancestors(item)).collect());
        let rows = self.released.iter().map(|(nodes, _, count)| (nodes.clone(), *count)).collect();
        let haystack = Haystack::new(rows, names.collect());
        let (Some(people), Some(behind)) = (self.original.crowd(), &self.behind) else { return haystack };
        let own = |baskets: &Vec<u32>| {
            let single = baskets.iter().map(|basket| people.single(*basket as usize)).sum();
            let mut named: Vec<u32> =
                baskets.iter().flat_map(|basket| people.named(*basket as usize)).copied().collect();
            named.sort_unstable();
            named.dedup();
            (single, named)
        };
        haystack.with_people(behind.iter().map(own).collect())
    }

    /// What is counted where requirements count: one of them, and several.
    pub fn counted(&self) -> (&'static str, &'static str) {
        let people = self.original.crowd().is_some() && self.behind.is_some();
        if people { ("person", "people") } else { ("transaction", "transactions") }
    }
}

/// The distinct originals behind every released transaction, where one person may have several and every item is shown in
/// one way or never.
pub(super) fn behind(original: &Baskets, released: &[(Vec<Node>, Vec<u32>, u64)]) -> Option<Vec<Vec<u32>>> {
    original.crowd()?;
    let tree = &original.tree;
    let mut published = vec![false; tree.len()];
    released.iter().flat_map(|(nodes, ..)| nodes).for_each(|node| published[*node as usize] = true);
    let shown = |item: Node| -> Vec<Node> {
        std::iter::once(item).chain(tree.ancestors(item)).filter(|node| published[*node as usize]).collect()
    };
    let mut behind = vec![Vec::new(); released.len()];
    for basket in 0..original.len() {
        let mut nodes = Vec::new();
        for item in original.items(basket) {
            match shown(*item)[..] {
                [] => {}
                [node] => nodes.push(node),
                _ => return None,
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        let wanted = (&nodes[..], original.marks(basket));
        let at = released.binary_search_by(|(nodes, marks, _)| (&nodes[..], &marks[..]).cmp(&wanted)).ok()?;
        behind[at].push(basket as u32);
    }
    Some(behind)
}
