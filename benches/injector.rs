//! The one-pass check of a group against a matching per pair of its records (Figure 1 of the paper).

#[path = "../crates/privet-engine/src/privacy/matching/figure_one.rs"]
mod figure_one;

use figure_one::Record;
use privet::ValueSet;
use privet::privacy::matching::{Kind, ValueGraph};

/// The values that there are, as many as occupations in Adult.
const VALUES: usize = 14;

fn main() {
    divan::main();
}

/// Thirty records, each of which cannot have two of the values.
fn group() -> Vec<(u32, ValueSet)> {
    let record = |at: u32| {
        let excluded = ValueSet::of(VALUES, [(at + 5) % 14, (at * 3 + 1) % 14]);
        let kind = Kind { value: at % 14, excluded };
        (kind.value, kind.allowed(VALUES))
    };
    (0..30).map(record).collect()
}

#[divan::bench]
fn one_pass(bencher: divan::Bencher<'_, '_>) {
    let group = group();
    bencher.bench(|| {
        let mut graph = ValueGraph::new(VALUES);
        group.iter().for_each(|(value, allowed)| graph.add(*value, allowed));
        let components = graph.components();
        group.iter().map(|(value, allowed)| components.count_valid(*value, allowed)).min()
    });
}

#[divan::bench]
fn a_matching_per_pair(bencher: divan::Bencher<'_, '_>) {
    let record = |(value, allowed): &(u32, ValueSet)| Record {
        value: *value as usize,
        allowed: (0..VALUES as u32).map(|value| allowed.contains(value)).collect(),
    };
    let group: Vec<Record> = group().iter().map(record).collect();
    bencher.bench(|| figure_one::valid_values(&group).iter().map(Vec::len).min());
}
