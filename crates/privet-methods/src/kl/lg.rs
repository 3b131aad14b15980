//! LG (He and Naughton, 2009): transactional k-anonymity by top-down partitioning, with local recoding.
//!
//! Every part always has at least k transactions, so every published transaction looks like at least k - 1 others.
//! Anything that could be known about a published transaction then holds for k of them: k-anonymity follows, against
//! any number of items known to be present or absent.

use super::recoding::ItemRecoding;
use super::{ItemSolution, ItemTask, feasible};
use crate::SearchFacts;
use crate::plan::{PartPlan, Plan};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::baskets::Baskets;
use privet_engine::local::{Crowd, Itemsets, Local, Part, Steering};
use privet_engine::partition::partition;
use privet_taxonomy::Node;

pub(super) fn run(task: &ItemTask<'_>, clock: &Clock) -> Result<ItemSolution> {
    feasible::check(task)?;
    let clock = clock.without_limit();
    let baskets = task.baskets;
    clock.progress().stage("splitting transactions", Some(baskets.total()));
    let k = task.requirements.iter().map(|requirement| requirement.k).max().unwrap_or(1);
    let crowd = Crowd { k, users: None };
    let sorted = SortedBaskets::of(baskets);
    let local = Local::new(&baskets.tree, &sorted, task.measure(), Steering::Whole, crowd);
    let mut parts = Vec::new();
    for whole in wholes(task, &local, &sorted, k)? {
        parts.extend(partition(&local, whole, &clock)?);
    }
    let recoding = recoding(&sorted, &parts);
    let sets = match &recoding {
        ItemRecoding::Local { sets, .. } => sets.len(),
        ItemRecoding::Global { .. } => 0,
    };
    let search = SearchFacts::unproven(parts.len() as u64, &clock);
    Ok(ItemSolution {
        recoding,
        plan: Plan::ItemParts(PartPlan { parts: parts.len(), sets }),
        search,
        counters: vec![("parts", parts.len() as u64), ("sets", sets as u64)],
        warnings: Vec::new(),
    })
}

/// The initial parts: transactions that hold items of the same roots.
fn wholes(
    task: &ItemTask<'_>,
    local: &Local<'_, SortedBaskets<'_>>,
    sorted: &SortedBaskets<'_>,
    k: u64,
) -> Result<Vec<Part>> {
    let baskets = task.baskets;
    let counts = sorted.order.iter().map(|basket| baskets.count(*basket as usize));
    let rows = (0..).zip(counts).collect();
    let wholes = local.wholes(rows);
    // An adversary who only knows items that are present knows nothing about a transaction without any.
    let empty_counts = task.requirements.iter().any(|requirement| requirement.n > 0);
    for whole in &wholes {
        if whole.size() < k && (empty_counts || !whole.set.is_empty()) {
            // Which trees these are would be what somebody has, all of it.
            let held =
                if whole.set.is_empty() { "no item" } else { "items of the same trees and of no others" };
            return Err(Error::infeasible(format!(
                "k is {k}, but only {} {held}, and 'lg' makes every transaction look like k - 1 others",
                if whole.size() == 1 {
                    "1 transaction holds".into()
                } else {
                    format!("{} transactions hold", whole.size())
                }
            ))
            .help("lower k, give the trees a common root, or set name = \"og\" in [method]"));
        }
    }
    Ok(wholes)
}

/// Baskets in the order of their contents. If several rows could join others at the same loss, the row number decides,
/// and that must not be the order in which the data happens to list them.
struct SortedBaskets<'a> {
    baskets: &'a Baskets,
    order: Vec<u32>,
}

impl SortedBaskets<'_> {
    fn of(baskets: &Baskets) -> SortedBaskets<'_> {
        let mut order: Vec<u32> = (0..baskets.len() as u32).collect();
        order.sort_unstable_by_key(|basket| {
            (baskets.items(*basket as usize), baskets.marks(*basket as usize))
        });
        SortedBaskets { baskets, order }
    }
}

impl Itemsets for SortedBaskets<'_> {
    fn items(&self, row: u32) -> &[Node] {
        self.baskets.items(self.order[row as usize] as usize)
    }
}

/// The parts as a recoding, with equal sets merged.
fn recoding(sorted: &SortedBaskets<'_>, parts: &[Part]) -> ItemRecoding {
    let published = |part: &Part| part.nodes().collect::<Vec<Node>>();
    let mut sets: Vec<Vec<Node>> = parts.iter().map(published).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut ways: Vec<Vec<(u32, u64)>> = vec![Vec::new(); sorted.order.len()];
    for part in parts {
        let set = sets.partition_point(|set| *set < published(part)) as u32;
        for (row, count) in &part.rows {
            let ways = &mut ways[sorted.order[*row as usize] as usize];
            match ways.iter_mut().find(|(other, _)| *other == set) {
                Some((_, others)) => *others += count,
                None => ways.push((set, *count)),
            }
        }
    }
    for ways in &mut ways {
        ways.sort_unstable();
    }
    ItemRecoding::Local { sets, ways }
}
