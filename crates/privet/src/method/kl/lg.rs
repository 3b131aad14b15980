//! LG (He and Naughton, 2009): transactional k-anonymity by partitioning from the top, with local recoding.
//!
//! A part is a number of transactions that are published as the same set of nodes; at first that set is what the roots
//! show. A node of the set is specialised by splitting the part according to which of the node's children its
//! transactions hold. Splits with fewer than k transactions stay behind together, at the level of the node; if those are
//! fewer than k themselves, transactions that lose least by it join them.
//!
//! Every part has at least k transactions at any time, so every published transaction looks like k - 1 others. All that
//! anybody could know about a published transaction then holds of k of them: k-anonymity against any number of items
//! known present or absent follows.

use serde_json::json;

use super::recoding::ItemRecoding;
use super::{COST, ItemSolution, Task, feasible};
use crate::engine::baskets::Baskets;
use crate::engine::clock::Clock;
use crate::engine::partition::{Splitter, partition};
use crate::loss::items::ItemMeasure;
use crate::method::SearchFacts;
use crate::policy::Declaration;
use crate::taxonomy::Node;
use crate::{Error, Result};

pub(super) static DECLARATION: Declaration = Declaration {
    name: "lg",
    summary: "every transaction looks like k - 1 others, by splitting from the top: very quick, items at mixed levels",
    help: "The local generalisation of He and Naughton (2009). All transactions begin as the most general set and are \
           split, node by node, by which children of the node they hold, as long as k look alike. The same item may be \
           published at different levels in different transactions, so counts of items are not exact any more. It \
           guards against any number of items known, present or absent, but knows nothing of sensitive items.",
    keys: &[COST],
};

pub(super) fn run(task: &Task<'_>, clock: &Clock) -> Result<ItemSolution> {
    if task.requirements.iter().any(|requirement| requirement.guards_marks()) {
        let wrong = "the method 'lg' cannot limit the confidence in sensitive items (l above 1)";
        return Err(Error::input(wrong)
            .help("take name = \"og\" or \"mog\" in [method], or ask for transactional-k-anonymity"));
    }
    feasible::check(task)?;
    let clock = clock.with_limit(None);
    let baskets = task.baskets;
    clock.progress().stage("splitting transactions", Some(baskets.total()));
    let splitter = Lg {
        baskets,
        measure: task.measure(),
        k: task.requirements.iter().map(|requirement| requirement.k).max().unwrap_or(1),
    };
    let mut parts = Vec::new();
    for whole in wholes(task, splitter.k)? {
        parts.extend(partition(&splitter, whole, &clock)?);
    }
    let recoding = recoding(baskets, &parts);
    let sets = match &recoding {
        ItemRecoding::Local { sets, .. } => sets.len(),
        ItemRecoding::Global(_) => 0,
    };
    let search = SearchFacts {
        space: None,
        examined: parts.len() as u64,
        seconds: clock.elapsed().as_secs_f64(),
        optimal: false,
        bound: None,
        trace: Vec::new(),
    };
    Ok(ItemSolution {
        recoding,
        plan: json!({ "parts": parts.len(), "sets": sets }),
        search,
        counters: vec![("parts", parts.len() as u64), ("sets", sets as u64)],
        warnings: Vec::new(),
    })
}

/// Transactions that are published alike.
struct Part {
    /// Distinct baskets, ascending, with how many of each.
    rows: Vec<(u32, u64)>,
    /// What they are published as, ascending; each node with whether it may still be specialised.
    set: Vec<(Node, bool)>,
}

impl Part {
    fn size(&self) -> u64 {
        self.rows.iter().map(|(_, count)| count).sum()
    }
}

/// The parts at the start: transactions that hold something of the same roots.
fn wholes(task: &Task<'_>, k: u64) -> Result<Vec<Part>> {
    let baskets = task.baskets;
    let rows = (0..baskets.len()).map(|basket| (basket as u32, baskets.count(basket))).collect();
    let roots: Vec<Node> = baskets.tree.roots().collect();
    let wholes = by_held(baskets, &roots, rows);
    // Somebody who knows only items that are there knows nothing about a transaction without any.
    let empty_counts = task.requirements.iter().any(|requirement| requirement.n > 0);
    for whole in &wholes {
        if whole.size() < k && (empty_counts || !whole.set.is_empty()) {
            let labels: Vec<&str> = whole.set.iter().map(|(node, _)| baskets.tree.label(*node)).collect();
            let held = if labels.is_empty() {
                "no item".to_string()
            } else {
                format!("something of {} and of nothing else", crate::error::shortened_values(&labels))
            };
            return Err(Error::infeasible(format!(
                "k is {k}, but only {} {held}, and 'lg' makes every transaction look like k - 1 others",
                if whole.size() == 1 {
                    "1 transaction holds".into()
                } else {
                    format!("{} transactions hold", whole.size())
                }
            ))
            .help("lower k, give the trees a common root, or take name = \"og\" in [method]"));
        }
    }
    Ok(wholes)
}

/// Splits rows by which of some unrelated nodes they hold. The parts come in the order of what they hold.
fn by_held(baskets: &Baskets, nodes: &[Node], rows: Vec<(u32, u64)>) -> Vec<Part> {
    let tree = &baskets.tree;
    let mut keyed: Vec<(Vec<Node>, (u32, u64))> = rows
        .into_iter()
        .map(|row| {
            let items = baskets.items(row.0 as usize);
            let from = nodes.first().map_or(0, |first| items.partition_point(|item| item < first));
            let of = |item: &Node| nodes[nodes.partition_point(|node| node <= item) - 1];
            let below = items[from..]
                .iter()
                .take_while(|item| nodes.last().is_some_and(|last| **item < tree.end(*last)));
            let mut held: Vec<Node> = below.map(of).collect();
            held.dedup();
            (held, row)
        })
        .collect();
    keyed.sort();
    let mut parts: Vec<Part> = Vec::new();
    let mut last: Option<Vec<Node>> = None;
    for (held, row) in keyed {
        match parts.last_mut() {
            Some(part) if last.as_ref() == Some(&held) => part.rows.push(row),
            _ => {
                let set = held.iter().map(|node| (*node, !tree.is_leaf(*node))).collect();
                parts.push(Part { rows: vec![row], set });
                last = Some(held);
            }
        }
    }
    parts
}

struct Lg<'a> {
    baskets: &'a Baskets,
    measure: ItemMeasure,
    k: u64,
}

impl Splitter for Lg<'_> {
    type Part = Part;

    fn split(&self, mut part: Part) -> std::result::Result<Vec<Part>, Part> {
        while let Some(at) = self.best_node(&part) {
            let mut parts = self.specialise(part, at);
            match parts.pop() {
                Some(last) if parts.is_empty() => part = last,
                Some(last) => {
                    parts.push(last);
                    return Ok(parts);
                }
                None => return Ok(parts),
            }
        }
        Err(part)
    }

    fn size(&self, part: &Part) -> u64 {
        part.size()
    }
}

impl Lg<'_> {
    /// The position of the node whose occurrences cost most, of those that may be specialised.
    fn best_node(&self, part: &Part) -> Option<usize> {
        let gain = |node: Node| {
            let of =
                |(basket, count): &(u32, u64)| self.below(*basket, node).len() as u128 * u128::from(*count);
            part.rows.iter().map(of).sum::<u128>() * u128::from(self.measure.weight(&self.baskets.tree, node))
        };
        let open = part.set.iter().enumerate().filter(|(_, (_, open))| *open);
        // Of equal ones the first.
        open.map(|(at, (node, _))| (at, gain(*node))).rev().max_by_key(|(_, gain)| *gain).map(|(at, _)| at)
    }

    /// The items of a basket below a node.
    fn below(&self, basket: u32, node: Node) -> &[Node] {
        let items = self.baskets.items(basket as usize);
        let from = items.partition_point(|item| *item < node);
        let to = items.partition_point(|item| *item < self.baskets.tree.end(node));
        &items[from..to]
    }

    /// Splits a part by the children of one node of its set. What is left over keeps the node, closed.
    fn specialise(&self, part: Part, at: usize) -> Vec<Part> {
        let (node, _) = part.set[at];
        let children: Vec<Node> = self.baskets.tree.children(node).collect();
        let (mut parts, few): (Vec<Part>, Vec<Part>) =
            by_held(self.baskets, &children, part.rows).into_iter().partition(|part| part.size() >= self.k);
        let mut left: Vec<(u32, u64)> = few.into_iter().flat_map(|part| part.rows).collect();
        self.fill_up(&mut left, &mut parts, node);
        // Preorder: what is below the node stands where the node stood.
        for split in &mut parts {
            let mut set = part.set[..at].to_vec();
            set.append(&mut split.set);
            set.extend_from_slice(&part.set[at + 1..]);
            split.set = set;
        }
        if !left.is_empty() {
            left.sort_unstable();
            left.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            let mut set = part.set;
            set[at].1 = false;
            parts.push(Part { rows: left, set });
        }
        parts
    }

    /// Brings what is left over to k transactions, if there are any: from parts that can spare some those that lose least,
    /// or, where that is not enough, whole parts.
    fn fill_up(&self, left: &mut Vec<(u32, u64)>, parts: &mut Vec<Part>, node: Node) {
        let mut missing = match left.iter().map(|(_, count)| count).sum::<u64>() {
            0 => 0,
            some => self.k.saturating_sub(some),
        };
        while missing > 0 && !parts.is_empty() {
            let spare: u64 = parts.iter().map(|part| part.size() - self.k).sum();
            if spare >= missing {
                self.move_rows(left, parts, node, missing);
                return;
            }
            let cheapest = (0..parts.len()).min_by_key(|at| {
                let rows = parts[*at].rows.iter();
                rows.map(|(basket, count)| self.gain(*basket, node, &parts[*at].set) * u128::from(*count))
                    .sum::<u128>()
            });
            if let Some(cheapest) = cheapest {
                let part = parts.remove(cheapest);
                missing = missing.saturating_sub(part.size());
                left.extend(part.rows);
            }
        }
    }

    fn move_rows(&self, left: &mut Vec<(u32, u64)>, parts: &mut [Part], node: Node, mut missing: u64) {
        let mut offers: Vec<(u128, usize, usize)> = Vec::new();
        let mut spare: Vec<u64> = parts.iter().map(|part| part.size() - self.k).collect();
        for (at, part) in parts.iter().enumerate().filter(|(at, _)| spare[*at] > 0) {
            let rows = part.rows.iter().enumerate();
            offers.extend(rows.map(|(row, (basket, _))| (self.gain(*basket, node, &part.set), at, row)));
        }
        offers.sort_unstable();
        for (_, at, row) in offers {
            let (basket, count) = &mut parts[at].rows[row];
            let moved = missing.min(spare[at]).min(*count);
            if moved > 0 {
                left.push((*basket, moved));
                *count -= moved;
                spare[at] -= moved;
                missing -= moved;
            }
        }
        for part in parts {
            part.rows.retain(|(_, count)| *count > 0);
        }
    }

    /// What a transaction gains when a node is replaced by its children.
    fn gain(&self, basket: u32, node: Node, children: &[(Node, bool)]) -> u128 {
        let tree = &self.baskets.tree;
        let whole = u128::from(self.measure.weight(tree, node));
        let gain_at = |item: &Node| {
            let child = children.iter().find(|(child, _)| tree.contains(*child, *item));
            whole - child.map_or(whole, |(child, _)| u128::from(self.measure.weight(tree, *child)))
        };
        self.below(basket, node).iter().map(gain_at).sum()
    }
}

/// The parts as a recoding, with equal sets made one.
fn recoding(baskets: &Baskets, parts: &[Part]) -> ItemRecoding {
    let published = |part: &Part| part.set.iter().map(|(node, _)| *node).collect::<Vec<Node>>();
    let mut sets: Vec<Vec<Node>> = parts.iter().map(published).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut ways: Vec<Vec<(u32, u64)>> = vec![Vec::new(); baskets.len()];
    for part in parts {
        let set = sets.partition_point(|set| *set < published(part)) as u32;
        for (basket, count) in &part.rows {
            let ways = &mut ways[*basket as usize];
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
