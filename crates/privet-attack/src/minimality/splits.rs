//! The finer versions that a method is known to have rejected.
//!
//! Mondrian tries to split every class along every column, numbers at the median and others into the children of the lowest
//! node above all of its people; a class is published when all of that failed. A cut through hierarchies could have been
//! specialised at each of its nodes, full-domain levels at each column; that failed in one of the classes concerned.

use std::collections::{BTreeMap, BTreeSet};

use super::sample::{PublishedClass, Rejection};
use crate::groups::Placed;
use crate::view::{TableView, ViewColumn};
use privet_core::Exact;
use privet_policy::method::{Labels, Mondrian};
use privet_policy::{CheckedPolicy, ColumnType, Method, PolicyColumn};
use privet_taxonomy::{NodeId, Taxonomy, number};

/// A failure that concerns more people than this reveals almost nothing about any of them.
const MOST_CONCERNED: usize = 2_000;

/// The classes with their splits, why each was published as it was, and how many people are in no class that a reason is
/// about. Classes with suppressed values are left out: what they had is not known.
pub(super) fn splits(
    policy: &CheckedPolicy,
    view: &TableView,
    placed: &Placed,
) -> (Vec<PublishedClass>, Vec<Rejection>, u64) {
    let groups = &placed.groups;
    let whole: Vec<usize> = (0..groups.groups.len())
        .filter(|at| groups.groups[*at].counts.iter().all(|(value, _)| Some(*value) != groups.hidden))
        .collect();
    let mut lots: Vec<PublishedClass> = whole
        .iter()
        .map(|at| PublishedClass { values: groups.groups[*at].held.clone(), splits: Vec::new() })
        .collect();
    let reasons = match &policy.method {
        Method::Mondrian(own) => local(own, view, placed, &whole, &mut lots),
        _ => by_cuts(view, placed, &whole, &mut lots, &policy.method),
    };
    let mut concerned = vec![false; lots.len()];
    for reason in &reasons {
        match reason {
            Rejection::All(lot) => concerned[*lot] = true,
            Rejection::Any(pairs) => pairs.iter().for_each(|(lot, _)| concerned[*lot] = true),
        }
    }
    let told = lots.iter().zip(&concerned).filter(|(_, concerned)| **concerned);
    let told: u64 = told.map(|(lot, _)| lot.values.len() as u64).sum();
    (lots, reasons, groups.len() - told)
}

/// Every class was tried to be split along every column.
fn local(
    own: &Mondrian,
    view: &TableView,
    placed: &Placed,
    whole: &[usize],
    lots: &mut [PublishedClass],
) -> Vec<Rejection> {
    let quasi = view.columns_where(ViewColumn::is_quasi);
    let people = &placed.groups.people;
    let mut reasons = Vec::new();
    for (lot, at) in whole.iter().enumerate() {
        let members = &placed.groups.groups[*at].members;
        for (attribute, column) in quasi.iter().enumerate() {
            let column_view = &view.columns[*column];
            let numbers: Option<Vec<f64>> = has_medians(own, &column_view.policy)
                .then(|| {
                    let text = |member: &u32| {
                        let row = placed.original[*member as usize] as usize;
                        number(column_view.values.text(view.original.codes[*column].at(row)))
                    };
                    members.iter().map(text).collect()
                })
                .flatten();
            let parts = match numbers {
                Some(numbers) => at_median(&numbers),
                None => {
                    let tree = &people.attributes[attribute].taxonomy;
                    let leaves: Vec<u32> =
                        members.iter().map(|member| people.leaf(attribute, *member as usize)).collect();
                    let ends = leaves.iter().min().zip(leaves.iter().max());
                    let node = ends.map(|(low, high)| tree.lowest_above(*low as usize, *high as usize));
                    node.and_then(|node| below(tree, node, &leaves))
                }
            };
            lots[lot].splits.extend(parts);
        }
        if !lots[lot].splits.is_empty() {
            reasons.push(Rejection::All(lot));
        }
    }
    reasons
}

/// Whether a column is split at medians if its values are numbers.
fn has_medians(own: &Mondrian, column: &PolicyColumn) -> bool {
    let along_tree = own.labels_of(column) == Labels::Hierarchy && column.hierarchy.is_some();
    !column.column_type.is_some_and(ColumnType::is_unordered) && !along_tree
}

/// That a split failed which would have parted several classes, each given with its parts: in one of them at least.
pub(super) fn failed_in_one(
    classes: Vec<(usize, Vec<u32>)>,
    lots: &mut [PublishedClass],
) -> Option<Rejection> {
    let concerned: usize = classes.iter().map(|(lot, _)| lots[*lot].values.len()).sum();
    let pairs = classes.into_iter().map(|(lot, parts)| {
        lots[lot].splits.push(parts);
        (lot, lots[lot].splits.len() - 1)
    });
    (concerned <= MOST_CONCERNED).then(|| Rejection::Any(pairs.collect()))
}

/// Every node of a cut could have been specialised, or every column by a level. Where chance generalises classes further, cells
/// above others may be its work: a node that lies above or below another one that is shown reveals nothing.
fn by_cuts(
    view: &TableView,
    placed: &Placed,
    whole: &[usize],
    lots: &mut [PublishedClass],
    method: &Method,
) -> Vec<Rejection> {
    let (levels, by_chance) = (method.has_levels(), method.extra_generalisation() > Exact::ZERO);
    let Some(nodes) = placed.nodes(view) else { return Vec::new() };
    let people = &placed.groups.people;
    let mut reasons = Vec::new();
    for (attribute, own) in people.attributes.iter().enumerate() {
        let tree = &own.taxonomy;
        let shown: BTreeSet<NodeId> = nodes.iter().map(|nodes| nodes[attribute]).collect();
        let overlaps = |node: NodeId| {
            let above = |above: NodeId, below: NodeId| above != below && tree.contains(above, below);
            shown.iter().any(|other| above(*other, node) || above(node, *other))
        };
        // What would be specialised together: the classes with a node, or all classes for a level.
        let mut together: BTreeMap<Option<NodeId>, Vec<(usize, Vec<u32>)>> = BTreeMap::new();
        for (lot, at) in whole.iter().enumerate() {
            let node = nodes[*at][attribute];
            if by_chance && overlaps(node) {
                continue;
            }
            let members = &placed.groups.groups[*at].members;
            let leaves: Vec<u32> =
                members.iter().map(|member| people.leaf(attribute, *member as usize)).collect();
            if let Some(parts) = below(tree, node, &leaves) {
                together.entry((!levels).then_some(node)).or_default().push((lot, parts));
            }
        }
        reasons.extend(together.into_values().filter_map(|classes| failed_in_one(classes, lots)));
    }
    reasons
}

/// The part of each at or below the median and of each above, as equal as they can be; `None` where all are the same.
fn at_median(numbers: &[f64]) -> Option<Vec<u32>> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ends = (1..sorted.len()).filter(|at| sorted[at - 1] < sorted[*at]);
    let cut = ends.min_by_key(|at| (sorted.len().abs_diff(2 * at), *at))?;
    let last = sorted[cut - 1];
    Some(numbers.iter().map(|number| u32::from(*number > last)).collect())
}

/// The child of a node that each leaf is below; `None` where they are all below the same, or the node has no children.
pub(super) fn below(tree: &Taxonomy, node: NodeId, leaves: &[u32]) -> Option<Vec<u32>> {
    let ends: Vec<usize> = tree.children(node).iter().map(|child| tree.leaves_below(*child).end).collect();
    let place = |leaf: &u32| ends.partition_point(|end| *end <= *leaf as usize) as u32;
    let parts: Vec<u32> = leaves.iter().map(place).collect();
    parts.iter().any(|part| Some(part) != parts.first()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_part_as_evenly_as_they_can() {
        assert_eq!(at_median(&[3.0, 1.0, 2.0, 4.0]), Some(vec![1, 0, 0, 1]));
        assert_eq!(at_median(&[1.0, 1.0, 1.0, 9.0]), Some(vec![0, 0, 0, 1]));
        // Of two equally good cuts the lower.
        assert_eq!(at_median(&[1.0, 2.0, 3.0]), Some(vec![0, 1, 1]));
        assert_eq!(at_median(&[5.0, 5.0]), None);
    }
}
