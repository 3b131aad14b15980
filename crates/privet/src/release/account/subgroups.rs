//! Who was left out: suppressed records by subgroup, so that a reader sees whether some people bear more of it.

use crate::release::report::{Subgroup, Subgroups};
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_taxonomy::NodeId;

/// More subgroups of a column than this are put together.
const MOST: usize = 12;

/// Suppressed records by the values of each column, or by what lies right below the root of its taxonomy. `released` says how
/// many of a distinct record's records are in the release; `is_shown` whether the release shows a label of a quasi-identifier,
/// or something below it.
pub(crate) fn subgroups(
    microdata: &Microdata,
    released: &dyn Fn(usize) -> u64,
    is_shown: &dyn Fn(usize, &str) -> bool,
) -> Vec<Subgroups> {
    let left: Vec<u64> = (0..microdata.summary.len())
        .map(|record| microdata.summary.count(record).saturating_sub(released(record)))
        .collect();
    if left.iter().all(|count| *count == 0) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (at, quasi) in microdata.quasi.iter().enumerate() {
        let (labels, group_of) = groups(quasi, microdata.summary.columns()[at].dictionary.values());
        let group = |record: usize| group_of[microdata.quasi_codes(record)[at] as usize];
        let counted = count(microdata, &left, labels.len(), group);
        let inhabited = |(all, left): &(u64, u64)| all > left;
        let shown = labels
            .iter()
            .zip(&counted)
            .map(|(label, counts)| inhabited(counts) && is_shown(at, label))
            .collect();
        all.push(named(&quasi.name, labels, shown, counted));
    }
    for (at, tracked) in microdata.carried().iter().enumerate() {
        let group = |record: usize| microdata.tracked_code(record, at) as usize;
        let counted = count(microdata, &left, tracked.values.len(), group);
        let shown = counted.iter().map(|(all, left)| all > left).collect();
        all.push(named(&tracked.name, tracked.values.clone(), shown, counted));
    }
    all
}

/// The subgroups of a column, and the one that each code is in.
fn groups(quasi: &QuasiIdentifier, values: &[String]) -> (Vec<String>, Vec<usize>) {
    let taxonomy = &quasi.taxonomy;
    let children = taxonomy.children(taxonomy.root());
    if quasi.hierarchy.is_none() || children.len() < 2 {
        return (values.to_vec(), (0..values.len()).collect());
    }
    let labels = children.iter().map(|child| taxonomy.label(*child).to_string()).collect();
    let place = |leaf: &u32| {
        let holds = |child: &NodeId| taxonomy.leaves_below(*child).contains(&(*leaf as usize));
        children.iter().position(holds).unwrap_or(0)
    };
    (labels, quasi.leaf_of_code.iter().map(place).collect())
}

/// Records and suppressed records per subgroup.
fn count(
    microdata: &Microdata,
    left: &[u64],
    groups: usize,
    group: impl Fn(usize) -> usize,
) -> Vec<(u64, u64)> {
    let mut counted = vec![(0, 0); groups];
    for (record, left) in left.iter().enumerate() {
        let (all, suppressed) = &mut counted[group(record)];
        *all += microdata.summary.count(record);
        *suppressed += left;
    }
    counted
}

fn named(column: &str, labels: Vec<String>, shown: Vec<bool>, counted: Vec<(u64, u64)>) -> Subgroups {
    let mut groups: Vec<(String, bool, (u64, u64))> = (labels.into_iter().zip(shown).zip(counted))
        .map(|((label, shown), counts)| (label, shown, counts))
        .collect();
    if groups.len() > MOST {
        groups.sort_by_key(|(_, _, (records, _))| std::cmp::Reverse(*records));
        let rest = groups.split_off(MOST - 1);
        let sum = rest.iter().fold((0, 0), |sum, (_, _, counts)| (sum.0 + counts.0, sum.1 + counts.1));
        groups.push(("all others".to_string(), rest.iter().all(|(_, shown, _)| *shown), sum));
    }
    let groups = groups.into_iter().map(|(label, shown, (records, suppressed))| Subgroup {
        label,
        shown,
        records: records.into(),
        suppressed: suppressed.into(),
    });
    Subgroups { column: column.to_string(), groups: groups.collect() }
}
