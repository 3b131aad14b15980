//! Where rules come from: the original data, the release itself, or the steward.

use crate::groups::Groups;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::negative_rules::{Parameters, Stated, exclude};
use privet_engine::privacy::matching::ValueSet;

/// What all rules without exception that the original teaches rule out for each record.
pub(crate) fn from_source(groups: &Groups, parameters: &Parameters, clock: &Clock) -> Result<Vec<ValueSet>> {
    exclude(&groups.people, parameters, &[], clock)
}

/// What the steward's statements rule out for each record. That some have exceptions the adversary does not know.
pub(crate) fn from_statements(groups: &Groups, stated: &Stated) -> Vec<ValueSet> {
    let people = &groups.people;
    let mut excluded = vec![ValueSet::none(people.values.len()); people.len()];
    for rule in &stated.rules {
        for (record, excluded) in excluded.iter_mut().enumerate() {
            if people.degree(&rule.pattern.items, record) > 0.0 {
                excluded.insert(rule.pattern.value);
            }
        }
    }
    excluded
}

/// What the release teaches about one quasi-identifier at a time.
///
/// He takes the groups that lie below a node as a whole, whose values he therefore knows to belong to people below it. A value
/// that occurs in none of them though it would be expected there he holds to be impossible for everybody below the node, the
/// people in wider groups included. This may be wrong; what follows is held against the truth.
pub(crate) fn from_release(groups: &Groups, min_expectation: f64, clock: &Clock) -> Result<Vec<ValueSet>> {
    let people = &groups.people;
    let values = people.values.len();
    let hides = |counts: &[(u32, u64)]| counts.iter().any(|(value, _)| Some(*value) == groups.hidden);
    let told = || groups.groups.iter().filter(|group| !hides(&group.counts) && !group.members.is_empty());
    let mut totals = vec![0u64; values];
    told().flat_map(|group| &group.counts).for_each(|(value, count)| totals[*value as usize] += count);
    let all: u64 = totals.iter().sum();
    // 1 − (1 − P)^C ≥ e, as in the miner of rules.
    let least = |value: usize| match totals[value] as f64 / all.max(1) as f64 {
        share if share > 0.0 => ((1.0 - min_expectation).ln() / (-share).ln_1p()).abs(),
        _ => f64::INFINITY,
    };
    let least: Vec<f64> = (0..values).map(least).collect();
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
