//! What was done to each column of a table.

use std::collections::{BTreeMap, HashSet};

use crate::release::report::{ColumnAccount, TaxonomyDrawing, TaxonomyNode};
use privet_core::counted;
use privet_engine::loss::Extent;
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_methods::recoding::{ClassTable, RecodedColumn, Recoding, ReleasedCell, STAR};
use privet_policy::PolicyColumn;
use privet_taxonomy::{NodeId, Taxonomy};

/// A taxonomy with more nodes than this is not filed whole: only what the release shows and what lies above.
const MOST_NODES: usize = 2000;

/// A column of one generalised table: what was done to it, and what that lost.
pub(crate) fn account_column(
    column: &PolicyColumn,
    microdata: &Microdata,
    recoding: &Recoding,
    classes: &ClassTable,
) -> ColumnAccount {
    let quasi = microdata.quasi.iter().position(|quasi| quasi.index == column.index);
    let mut account = ColumnAccount::new(column, "unchanged");
    if !crate::release::is_published(column) {
        account.transformation = "removed".to_string();
    }
    if microdata.sets.as_ref().is_some_and(|sets| sets.index == column.index) {
        account.transformation = "terms removed where needed".to_string();
    }
    if column.items.is_some() {
        account.transformation = "items replaced by groups where needed".to_string();
    }
    if let Some(tracked) = microdata.carried().iter().find(|tracked| tracked.index == column.index) {
        account.distinct_before = Some((tracked.values.len() as u64).into());
        let after = counts_after(&tracked.slots, classes);
        account.distinct_after = Some(after.iter().filter(|count| **count > 0).count() as u64);
        let kept: u64 = after.iter().sum();
        let all: u64 = classes.sizes.iter().sum();
        account.suppressed = Some(1.0 - kept as f64 / all.max(1) as f64).filter(|_| all > 0);
        if recoding.stars_any(&tracked.slots) {
            let some = if account.distinct_after == Some(0) { "all" } else { "some" };
            account.transformation = format!("{some} cells replaced by *");
        }
    }
    let Some(position) = quasi else { return account };
    let (quasi, recoded) = (&microdata.quasi[position], &recoding.columns[position]);
    let mut released = vec![0u64; recoded.cells.len()];
    for class in 0..recoding.len() {
        released[recoding.cells(class)[position] as usize] += classes.sizes[class];
    }
    let total: u64 = released.iter().sum();
    let share = |weight: &dyn Fn(&ReleasedCell) -> f64| {
        let sum: f64 = recoded.cells.iter().zip(&released).map(|(cell, n)| weight(cell) * *n as f64).sum();
        if total == 0 { 0.0 } else { sum / total as f64 }
    };
    // A cell is changed when it no longer shows an original value, even if it stands for only one: a reader must not
    // learn from this figure that it does.
    let values: HashSet<&String> = microdata.summary.columns()[position].dictionary.values().iter().collect();
    let changed = |cell: &ReleasedCell| if values.contains(&cell.label) { 0.0 } else { 1.0 };
    account.distinct_before = Some((quasi.counts.len() as u64).into());
    account.distinct_after = Some(released.iter().filter(|count| **count > 0).count() as u64);
    account.loss = Some(share(&|cell| covered(cell.measure.extent)).into());
    account.generalised = Some(share(&changed).into());
    account.suppressed = Some(share(&|cell| if cell.label == STAR { 1.0 } else { 0.0 }));
    account.transformation = transformation(quasi, recoded, &released);
    if recoded.cells.iter().all(|cell| cell.node.is_some()) {
        account.taxonomy = Some(drawing(quasi, recoded, &released));
    }
    account
}

/// The share of its domain that a cell covers, from 0 (one value) to 1 (all).
fn covered(extent: Extent) -> f64 {
    match extent {
        Extent::Leaves(_, all) if all <= 1 => 0.0,
        Extent::Leaves(leaves, all) => (leaves - 1) as f64 / (all - 1) as f64,
        Extent::Span(share) => share,
    }
}

fn transformation(quasi: &QuasiIdentifier, recoded: &RecodedColumn, released: &[u64]) -> String {
    if let Some(cell) = recoded.cells.iter().find(|cell| cell.node.is_none()) {
        let shown = match cell.measure.extent {
            Extent::Leaves(..) => "sets of values",
            Extent::Span(_) => "ranges",
        };
        return shown.to_string();
    }
    let levels: Vec<Option<(u64, u64)>> = recoded
        .cells
        .iter()
        .zip(released)
        .filter(|(_, n)| **n > 0)
        .map(|(cell, _)| cell.measure.level)
        .collect();
    if levels.is_empty() {
        return "nothing is released".to_string();
    }
    match levels.first().copied().flatten() {
        Some((0, _)) if levels.iter().all(|level| level.is_some_and(|(level, _)| level == 0)) => {
            "unchanged".to_string()
        }
        Some((level, highest)) if levels.iter().all(|other| *other == Some((level, highest))) => {
            if level == highest { "replaced by *".to_string() } else { format!("level {level} of {highest}") }
        }
        _ if quasi.hierarchy.is_some() => {
            format!("cut of {}", counted(levels.len() as u64, "value", "values"))
        }
        _ => "kept, or replaced by *".to_string(),
    }
}

fn drawing(quasi: &QuasiIdentifier, recoded: &RecodedColumn, released: &[u64]) -> TaxonomyDrawing {
    let taxonomy: &Taxonomy = &quasi.taxonomy;
    let mut shown: BTreeMap<NodeId, u64> = BTreeMap::new();
    for (cell, count) in recoded.cells.iter().zip(released) {
        if let Some(node) = cell.node {
            *shown.entry(node).or_default() += count;
        }
    }
    let mut below = vec![0u64; taxonomy.leaves() + 1];
    for (leaf, count) in quasi.leaf_of_code.iter().zip(&quasi.counts) {
        below[*leaf as usize + 1] += count;
    }
    (1..below.len()).for_each(|at| below[at] += below[at - 1]);
    let all = taxonomy.len() <= MOST_NODES;
    let mut wanted: Vec<NodeId> = (0..taxonomy.len() as u32).map(NodeId).collect();
    if !all {
        // Nodes are numbered depth first, so the first shown node from here on tells whether any lies below.
        wanted.retain(|node| {
            shown.range(*node..).next().is_some_and(|(next, _)| taxonomy.contains(*node, *next))
        });
        wanted.truncate(MOST_NODES);
    }
    let place: BTreeMap<NodeId, usize> = wanted.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let node = |node: &NodeId| {
        let leaves = taxonomy.leaves_below(*node);
        TaxonomyNode {
            label: taxonomy.label(*node).to_string(),
            parent: taxonomy.parent(*node).and_then(|parent| place.get(&parent).copied()),
            records: (below[leaves.end] - below[leaves.start]).into(),
            released: shown.get(node).copied().unwrap_or(0),
            in_cut: shown.contains_key(node),
            level: taxonomy.height(*node),
            mark: None,
        }
    };
    TaxonomyDrawing { nodes: wanted.iter().map(node).collect() }
}

pub(crate) fn counts_after(slots: &std::ops::Range<u32>, classes: &ClassTable) -> Vec<u64> {
    let mut counts = vec![0; slots.len()];
    for class in 0..classes.sizes.len() {
        classes.class(class).counts.for_each(slots, |value, count| counts[value as usize] += count);
    }
    counts
}
