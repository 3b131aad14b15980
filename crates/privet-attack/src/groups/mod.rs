//! People in groups, as seen by an attacker who knows everybody's quasi-identifiers.
//!
//! A group is whatever a release puts together: a class of records that look alike, or a group in which
//! quasi-identifiers stay exact and values are listed next to them. Either way the attacker knows who is in it and
//! how often each value occurs. A suppressed value counts here as a value of its own that anybody may have.

mod known;
mod place;

pub use known::{KnownAttribute, KnownPeople};
pub(crate) use place::{Placed, one_table, sensitive, with_values};

use std::collections::BTreeMap;

use super::Scene;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_core::random::{keyed, shuffle};

/// People in groups.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    /// Everybody: leaves of the quasi-identifiers, and the value that is true. People who are alike may be one record.
    pub people: KnownPeople,
    /// The groups.
    pub groups: Vec<Group>,
    /// The value that represents suppressed ones.
    pub hidden: Option<u32>,
}

/// A group of people with the values that the release shows for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Its people, by record; people who are alike may be the same record.
    pub members: Vec<u32>,
    /// How often each value occurs, by rising value; as many values as people, what is suppressed included.
    pub counts: Vec<(u32, u64)>,
    /// Per member a value such that the counts come out: the true one, or `hidden`, or one that a release invents.
    pub held: Vec<u32>,
}

impl Group {
    /// A group of people with the values that a release shows; the rest is hidden. `None` if it shows more than there are
    /// people, or less without a value for what is hidden.
    pub fn new(
        people: &KnownPeople,
        members: Vec<u32>,
        shown: &[(u32, u64)],
        hidden: Option<u32>,
    ) -> Option<Group> {
        let mut left: BTreeMap<u32, u64> = BTreeMap::new();
        for (value, count) in shown {
            *left.entry(*value).or_default() += count;
        }
        let rest = (members.len() as u64).checked_sub(left.values().sum())?;
        if rest > 0 {
            *left.entry(hidden?).or_default() += rest;
        }
        let counts: Vec<(u32, u64)> =
            left.iter().filter(|(_, count)| **count > 0).map(|(value, count)| (*value, *count)).collect();
        let mut take = |value: u32| {
            let count = left.get_mut(&value).filter(|count| **count > 0)?;
            *count -= 1;
            Some(value)
        };
        let held: Vec<Option<u32>> =
            members.iter().map(|member| take(people.value(*member as usize))).collect();
        let mut others = left.into_iter().flat_map(|(value, count)| (0..count).map(move |_| value));
        let held = held.into_iter().map(|held| held.or_else(|| others.next())).collect::<Option<_>>()?;
        Some(Group { members, counts, held })
    }

    /// How many people there are.
    pub fn len(&self) -> u64 {
        self.members.len() as u64
    }

    /// The most frequent value that is not suppressed, with how often it occurs; of equals the first.
    pub fn most_frequent(&self, hidden: Option<u32>) -> Option<(u32, u64)> {
        let told = self.counts.iter().filter(|(value, _)| Some(*value) != hidden).copied();
        told.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}

/// How long it may take.
#[derive(Clone, Copy)]
pub(crate) struct GroupEffort<'c> {
    /// How many steps; then groups are taken in random order until there are none left.
    pub steps: Option<u64>,
    /// Picks the groups.
    pub seed: u64,
    /// Time and interruption.
    pub clock: &'c Clock,
}

impl<'c> GroupEffort<'c> {
    /// What an attack on a scene may take.
    pub fn of(scene: &'c Scene<'_>) -> GroupEffort<'c> {
        GroupEffort { steps: scene.limits.steps, seed: scene.seed, clock: scene.clock }
    }

    /// The groups, in random order where there may not be time for all of them.
    pub fn order<'g>(&self, groups: &'g Groups) -> impl Iterator<Item = &'g Group> + use<'g> {
        let mut order: Vec<u32> = (0..groups.groups.len() as u32).collect();
        if self.steps.is_some() {
            shuffle(&mut order, &mut keyed(self.seed, "groups that are looked at"));
        }
        order.into_iter().map(|at| &groups.groups[at as usize])
    }
}

impl Groups {
    /// Groups of records; nothing is hidden.
    pub fn of_records(people: &KnownPeople, groups: &[Vec<u32>], clock: &Clock) -> Result<Groups> {
        let group = |members: &Vec<u32>| {
            clock.check()?;
            let shown: Vec<(u32, u64)> =
                members.iter().map(|member| (people.value(*member as usize), 1)).collect();
            Ok(Group::new(people, members.clone(), &shown, None))
        };
        let groups = groups.iter().filter_map(|members| group(members).transpose());
        Ok(Groups { people: people.clone(), groups: groups.collect::<Result<_>>()?, hidden: None })
    }

    /// How many people there are in groups.
    pub fn len(&self) -> u64 {
        self.groups.iter().map(Group::len).sum()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use privet_taxonomy::Taxonomy;

    /// People by the positions of their values in flat hierarchies and their sensitive value, in groups.
    pub(crate) fn groups_of(
        widths: &[usize],
        values: usize,
        rows: &[(&[u32], u32)],
        parts: &[&[u32]],
    ) -> Groups {
        let attribute = |(at, width): (usize, &usize)| {
            let labels: Vec<String> = (0..*width).map(|value| format!("a{at}v{value:03}")).collect();
            let tree = Taxonomy::flat(labels.iter().map(String::as_str)).expect("a tree");
            KnownAttribute { name: format!("a{at}"), taxonomy: Arc::new(tree) }
        };
        let attributes = widths.iter().enumerate().map(attribute).collect();
        let names = (0..values).map(|value| format!("s{value}")).collect();
        let mut people = KnownPeople::new(attributes, names);
        rows.iter().for_each(|(leaves, value)| people.push(leaves, *value));
        let group = |part: &&[u32]| {
            let shown: Vec<(u32, u64)> = part.iter().map(|one| (people.value(*one as usize), 1)).collect();
            Group::new(&people, part.to_vec(), &shown, None).expect("as many values as people")
        };
        let groups = parts.iter().map(group).collect();
        Groups { people, groups, hidden: None }
    }

    #[test]
    fn what_is_not_shown_is_hidden() {
        let all = groups_of(&[2], 4, &[(&[0], 0), (&[0], 0), (&[1], 1), (&[1], 2)], &[]);
        let group = Group::new(&all.people, vec![0, 1, 2, 3], &[(0, 1), (2, 1)], Some(3)).expect("a group");
        assert_eq!(group.counts, [(0, 1), (2, 1), (3, 2)]);
        assert_eq!(group.held, [0, 3, 3, 2]);
        assert_eq!(group.most_frequent(Some(3)), Some((0, 1)));
        assert_eq!(Group::new(&all.people, vec![0], &[(0, 2)], Some(3)), None, "more values than people");
        assert_eq!(Group::new(&all.people, vec![0, 1], &[(0, 1)], None), None, "nothing may be hidden");
        // A value that nobody has goes to somebody.
        let odd = Group::new(&all.people, vec![0, 2], &[(0, 1), (2, 1)], None).expect("a group");
        assert_eq!(odd.held, [0, 2]);
    }
}
