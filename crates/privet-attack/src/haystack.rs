//! Looks known items up in sets of items: which released sets match what an attacker knows about a person?
//!
//! A set may show an item under several names: its own, and those of the nodes above it. A set matches if it shows
//! one of the names of every known item, or of all but a few if the attacker may be wrong about these.

use std::ops::ControlFlow::{Break, Continue};

use hashbrown::HashSet;

use privet_core::lists::Lists;
use privet_taxonomy::Node;

/// Sets of nodes, each with how many people have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemSets {
    nodes: Lists,
    counts: Vec<u64>,
}

impl ItemSets {
    /// Adds a set, ascending.
    pub fn push(&mut self, nodes: &[Node], count: u64) {
        self.nodes.push(nodes);
        self.counts.push(count);
    }

    /// What a set shows, ascending.
    pub fn nodes(&self, row: usize) -> &[Node] {
        self.nodes.list(row)
    }

    /// How many people have each.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All sets, with how many people have each.
    pub fn iter(&self) -> impl Iterator<Item = (&[Node], u64)> {
        self.nodes.iter().zip(self.counts.iter().copied())
    }
}

/// Each given ascending.
impl FromIterator<(Vec<Node>, u64)> for ItemSets {
    fn from_iter<I: IntoIterator<Item = (Vec<Node>, u64)>>(all: I) -> ItemSets {
        let mut sets = ItemSets::default();
        for (nodes, count) in all {
            sets.push(&nodes, count);
        }
        sets
    }
}

/// Released sets with an index by what they show.
#[derive(Debug, Clone)]
pub(crate) struct ItemHaystack {
    sets: ItemSets,
    /// Per item, the nodes that may be shown for it and that some set shows.
    names: Vec<Vec<Node>>,
    /// Per node the rows that show it, ascending.
    showing: Lists,
    /// Where people have several sets: per row, how many people have it alone, and those who have others too.
    people: Option<Vec<(u64, Vec<u32>)>>,
}

/// What fits some knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fit {
    /// How many sets, or people who have one, counted until they were enough.
    pub count: u64,
    /// The first of them.
    pub first: Option<u32>,
}

impl ItemHaystack {
    /// Indexes sets. `names` says per item which nodes may be shown for it.
    pub fn new(sets: ItemSets, mut names: Vec<Vec<Node>>) -> ItemHaystack {
        let nodes = sets.nodes.iter().flatten().chain(names.iter().flatten());
        let bound = nodes.max().map_or(0, |most| *most as usize + 1);
        let showing = Lists::holders(bound, sets.nodes.iter());
        // What is shown nowhere, such as a suppressed item, is of no use.
        names.iter_mut().for_each(|names| names.retain(|node| !showing.list(*node as usize).is_empty()));
        ItemHaystack { sets, names, showing, people: None }
    }

    /// Counts people instead of sets: per row, how many have it and no other, and by number those who have others too.
    pub fn with_people(self, people: Vec<(u64, Vec<u32>)>) -> ItemHaystack {
        ItemHaystack { people: Some(people), ..self }
    }

    /// The sets themselves.
    pub fn sets(&self) -> &ItemSets {
        &self.sets
    }

    fn names(&self, item: Node) -> &[Node] {
        self.names.get(item as usize).map_or(&[], |names| &names[..])
    }

    /// How many sets fit some items, all but `wrong` of them; `enough` are not counted further.
    pub fn fitting(&self, known: &[Node], wrong: usize, enough: u64) -> Fit {
        let shown = |item: Node| {
            self.names(item).iter().map(|node| self.showing.list(*node as usize).len()).sum::<usize>()
        };
        let mut known: Vec<Node> =
            known.iter().copied().filter(|item| !self.names(*item).is_empty()).collect();
        known.sort_by_key(|item| (shown(*item), *item));
        if known.len() <= wrong {
            let all = self.sets.counts();
            let first = (!all.is_empty()).then_some(0);
            if let Some(people) = &self.people {
                let several: HashSet<u32> = people.iter().flat_map(|(_, named)| named).copied().collect();
                let single: u64 = people.iter().map(|(single, _)| single).sum();
                return Fit { count: single + several.len() as u64, first };
            }
            return Fit { count: all.iter().fold(0u64, |sum, count| sum.saturating_add(*count)), first };
        }
        let fits = |row: u32| {
            let nodes = self.sets.nodes(row as usize);
            let missed = known
                .iter()
                .filter(|item| !self.names(**item).iter().any(|node| nodes.binary_search(node).is_ok()));
            missed.take(wrong + 1).count() <= wrong
        };
        // A set that misses at most `wrong` items shows one of any `wrong + 1` of them.
        let rarest: Vec<Node> =
            known.iter().take(wrong + 1).flat_map(|item| self.names(*item)).copied().collect();
        let mut fit = Fit::default();
        let mut several: HashSet<u32> = HashSet::new();
        for (place, node) in rarest.iter().enumerate() {
            let earlier = &rarest[..place];
            let rows = self.showing.list(*node as usize).iter().copied();
            let seen = |row: u32| {
                earlier.iter().any(|node| self.sets.nodes(row as usize).binary_search(node).is_ok())
            };
            let flow = rows.filter(|row| !seen(*row) && fits(*row)).try_for_each(|row| {
                fit.count += match &self.people {
                    Some(people) => {
                        let (single, named) = &people[row as usize];
                        single + named.iter().filter(|person| several.insert(**person)).count() as u64
                    }
                    None => self.sets.counts[row as usize],
                };
                fit.first = Some(fit.first.map_or(row, |first| first.min(row)));
                if fit.count >= enough { Break(()) } else { Continue(()) }
            });
            if flow.is_break() {
                break;
            }
        }
        fit
    }

    /// Whether a row may have been made of some items: everything that it shows is a name of one of them.
    pub fn may_show(&self, row: u32, items: &[Node]) -> bool {
        let nodes = self.sets.nodes(row as usize);
        nodes.iter().all(|node| items.iter().any(|item| self.names(*item).contains(node)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn people_with_several_sets_count_once() {
        let sets = ItemSets::from_iter([(vec![0], 2), (vec![0, 1], 1), (vec![1], 3)]);
        let haystack = ItemHaystack::new(sets, vec![vec![0], vec![1]]);
        assert_eq!(haystack.fitting(&[0], 0, 9).count, 3);
        let haystack = haystack.with_people(vec![(1, vec![7]), (0, vec![7]), (2, vec![8])]);
        assert_eq!(
            [&[0][..], &[1], &[0, 1], &[]].map(|known| haystack.fitting(known, 0, 9).count),
            [2, 4, 1, 5]
        );
    }

    proptest! {
        /// Items 0 to 3; node 4 is above 0 and 1, node 5 above 2 and 3.
        #[test]
        fn lookups_count_what_fits(
            rows in prop::collection::vec((0u32..64, 1u64..3), 1..12),
            known in 0u32..16,
            wrong in 0usize..3,
            enough in 1u64..6,
        ) {
            let nodes = |bits: u32| (0..6).filter(|at| bits >> at & 1 == 1).collect::<Vec<Node>>();
            let rows: Vec<(Vec<Node>, u64)> = rows.iter().map(|(bits, count)| (nodes(*bits), *count)).collect();
            let names: Vec<Vec<Node>> = vec![vec![0, 4], vec![1, 4], vec![2, 5], vec![3, 5]];
            let known = nodes(known);
            let useful: Vec<Node> = known.iter().copied()
                .filter(|item| rows.iter().any(|(row, _)| names[*item as usize].iter().any(|name| row.contains(name))))
                .collect();
            let misses = |row: &Vec<Node>| useful.iter()
                .filter(|item| !names[**item as usize].iter().any(|name| row.contains(name))).count();
            let naive: u64 = rows.iter().filter(|(row, _)| misses(row) <= wrong).map(|(_, count)| count).sum();
            let found = ItemHaystack::new(rows.iter().cloned().collect(), names.clone()).fitting(&known, wrong, enough);
            prop_assert_eq!(found.count.min(enough), naive.min(enough));
            prop_assert_eq!(found.first.is_some(), naive > 0);
        }
    }
}
