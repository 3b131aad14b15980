//! Rules that do not come from the original: those that the release itself teaches, and those that the steward
//! states.

use super::mine::least_support;
use crate::groups::{Groups, KnownPeople};
use privet_core::clock::Clock;
use privet_core::{Result, ValueSet};
use privet_policy::RuleText;
use privet_taxonomy::NodeId;

/// A rule that the steward states: nobody below all of these nodes has the value.
pub(super) struct StatedRule {
    /// Quasi-identifiers, by position, each with a node.
    items: Vec<(usize, NodeId)>,
    value: u32,
}

impl StatedRule {
    /// The rules that say something about these people. One about a value or a node that nobody has excludes nothing.
    pub fn all(texts: &[RuleText], people: &KnownPeople) -> Vec<StatedRule> {
        let item = |(name, label): &(String, String)| {
            let at = people.attributes.iter().position(|attribute| attribute.name == *name)?;
            let tree = &people.attributes[at].taxonomy;
            let node = tree.find(label)?;
            let below = tree.leaves_below(node);
            let is_below = |record: usize| below.contains(&(people.leaf(at, record) as usize));
            (0..people.len()).any(is_below).then_some((at, node))
        };
        let rule = |text: &RuleText| {
            let value = people.values.iter().position(|value| *value == text.value)?;
            let items = text.items.iter().map(item).collect::<Option<Vec<_>>>()?;
            (people.value_counts()[value] > 0).then_some(StatedRule { items, value: value as u32 })
        };
        texts.iter().filter_map(rule).collect()
    }

    fn applies_to(&self, record: usize, people: &KnownPeople) -> bool {
        self.items.iter().all(|(at, node)| {
            let tree = &people.attributes[*at].taxonomy;
            tree.leaves_below(*node).contains(&(people.leaf(*at, record) as usize))
        })
    }
}

/// What the steward's statements rule out for each record. The attacker does not know that some have exceptions.
pub(crate) fn from_statements(groups: &Groups, stated: &[StatedRule]) -> Vec<ValueSet> {
    let people = &groups.people;
    let mut excluded = vec![ValueSet::none(people.values.len()); people.len()];
    for rule in stated {
        for (record, excluded) in excluded.iter_mut().enumerate() {
            if rule.applies_to(record, people) {
                excluded.insert(rule.value);
            }
        }
    }
    excluded
}

/// What the release teaches about one quasi-identifier at a time.
///
/// The attacker takes the groups whose members are all below a node, so their values belong to people below it. A value
/// that occurs in none of them, although it would be expected there, is taken to be impossible for everybody below the node, the
/// people in wider groups included. This may be wrong; the conclusions are compared with the truth.
pub(crate) fn from_release(groups: &Groups, min_expectation: f64, clock: &Clock) -> Result<Vec<ValueSet>> {
    let people = &groups.people;
    let values = people.values.len();
    let hides = |counts: &[(u32, u64)]| counts.iter().any(|(value, _)| Some(*value) == groups.hidden);
    let told = || groups.groups.iter().filter(|group| !hides(&group.counts) && !group.members.is_empty());
    let mut totals = vec![0u64; values];
    told().flat_map(|group| &group.counts).for_each(|(value, count)| totals[*value as usize] += count);
    let all: u64 = totals.iter().sum();
    let least: Vec<f64> =
        totals.iter().map(|total| least_support(*total, all, 1.0 - min_expectation)).collect();
    let mut excluded = vec![ValueSet::none(values); people.len()];
    for (at, attribute) in people.attributes.iter().enumerate() {
        let tree = &attribute.taxonomy;
        let mut support = vec![0u64; tree.len()];
        let mut counts = vec![0u64; tree.len() * values];
        for group in told() {
            clock.check()?;
            let leaves = group.members.iter().map(|member| people.leaf(at, *member as usize));
            let (low, high) = leaves.fold((u32::MAX, 0), |(low, high), leaf| (low.min(leaf), high.max(leaf)));
            let node = tree.lowest_above(low as usize, high as usize).0 as usize;
            support[node] += group.len();
            group.counts.iter().for_each(|(value, count)| counts[node * values + *value as usize] += count);
        }
        // Children come behind their parents, so sums travel upwards from the last node.
        for node in tree.nodes().rev() {
            clock.check()?;
            let Some(parent) = tree.parent(node) else { continue };
            let (node, parent) = (node.0 as usize, parent.0 as usize);
            support[parent] += support[node];
            for value in 0..values {
                counts[parent * values + value] += counts[node * values + value];
            }
        }
        let mut impossible: Vec<ValueSet> = Vec::with_capacity(tree.len());
        for node in tree.nodes() {
            clock.check()?;
            let mut own = match tree.parent(node) {
                Some(parent) => impossible[parent.0 as usize].clone(),
                None => ValueSet::none(values),
            };
            if tree.parent(node).is_some() {
                let place = node.0 as usize;
                let missed = (0..values).filter(|value| {
                    Some(*value as u32) != groups.hidden
                        && counts[place * values + value] == 0
                        && support[place] as f64 >= least[*value] - 1e-9
                });
                missed.for_each(|value| own.insert(value as u32));
            }
            impossible.push(own);
        }
        for (record, excluded) in excluded.iter_mut().enumerate() {
            let leaf = tree.leaf(people.leaf(at, record) as usize);
            excluded.unite(&impossible[leaf.0 as usize]);
        }
    }
    Ok(excluded)
}
