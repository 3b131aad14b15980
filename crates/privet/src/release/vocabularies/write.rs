//! Writes the release: every published vocabulary under a fresh number, in an order that only the key gives.

use std::fmt::Write;

use super::RELEASE;
use privet_core::clock::Clock;
use privet_core::random::{below, keyed};
use privet_core::{Result, RunKey};
use privet_data::{Bags, Destination, FileKind, Formulas, NewTable, VocabularySink};
use privet_methods::vocabulary::{BagSolution, Cluster};
use privet_taxonomy::words::Distances;

/// Writes the released table. Returns which published vocabulary stands for which of the original: a secret.
///
/// Publishing users or sessions under any name of their own would link the sessions of one person again, so numbers are
/// drawn anew.
pub(super) fn release(
    (to, formulas): (&dyn Destination, Formulas),
    bags: &Bags,
    distances: &Distances,
    solution: &BagSolution,
    key: RunKey,
    clock: &Clock,
) -> Result<String> {
    let lines: Vec<Vec<(String, u32)>> =
        solution.clusters.iter().map(|cluster| line(cluster, bags, distances)).collect();
    // Before the draw they stand in the order of what is published: neither how the method found the clusters nor how the
    // data was sorted decides anything.
    let mut by_line: Vec<u32> = (0..lines.len() as u32).collect();
    by_line.sort_unstable_by_key(|cluster| &lines[*cluster as usize]);
    let mut order: Vec<(u32, u32)> = Vec::with_capacity(bags.len());
    for cluster in by_line {
        let members = &solution.clusters[cluster as usize].members;
        order.extend(members.iter().map(|bag| (*bag, cluster)));
    }
    let mut random = keyed(key, "vocabularies");
    for last in (1..order.len()).rev() {
        order.swap(last, below(&mut random, last as u64 + 1) as usize);
    }
    let mut published = vec![0u32; bags.len()];
    let mut terms: Vec<(&str, u32)> = Vec::new();
    let columns = VocabularySink::columns();
    let kind = FileKind::of_path(RELEASE.as_ref())?;
    let table = NewTable { name: RELEASE, kind, delimiter: ',', columns: &columns, formulas };
    let mut sink = VocabularySink::new(to.table(&table)?);
    for (number, (bag, cluster)) in (1u32..).zip(&order) {
        if number.is_multiple_of(1 << 16) {
            clock.check()?;
        }
        published[*bag as usize] = number;
        terms.clear();
        terms.extend(lines[*cluster as usize].iter().map(|(label, count)| (label.as_str(), *count)));
        sink.write(number.into(), &terms)?;
    }
    sink.finish()?;
    let mut text = String::from("original,vocabulary\n");
    for (bag, number) in (1..).zip(&published) {
        // Writing to a String cannot fail.
        let _ = match number {
            0 => writeln!(text, "{bag},"),
            number => writeln!(text, "{bag},{number}"),
        };
    }
    Ok(text)
}

/// What is published for each member of a cluster: labels with counts, in alphabetical order.
fn line(cluster: &Cluster, bags: &Bags, distances: &Distances) -> Vec<(String, u32)> {
    let mut labels: Vec<String> =
        cluster.shown.iter().map(|shown| shown.print.label(bags, distances)).collect();
    labels.sort_unstable();
    let mut line: Vec<(String, u32)> = Vec::new();
    for label in labels {
        match line.last_mut() {
            Some((last, count)) if *last == label => *count += 1,
            _ => line.push((label, 1)),
        }
    }
    line
}
