//! The worst that an attacker within reach may know about a release of transactions.
//!
//! Every combination of nodes that are present and nodes that are absent is looked at that leaves other transactions than a
//! shorter one: a node that all fitting transactions hold adds nothing, nor does one below a node that is absent. Absences of
//! shown nodes suffice, for whatever is not there has none of those at or below it, and these have no more leaves together.
//! For the fewest transactions that fit, presences of shown nodes suffice as well: in the place of a more general node, the
//! one that a fitting transaction shows below it leaves no more. How sure one can become may grow with the general one.

use std::collections::BTreeMap;

use privet_core::Exact;
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::KlPrivacy;
use privet_methods::kl::recoding::ItemRecoding;
use privet_taxonomy::{ItemTree, Node};

/// At most this many looks at a node of a transaction are spent: a fraction of a second.
const LOOKS: usize = 30_000_000;
/// More counts of sensitive items next to nodes than this are not kept.
const MOST_COUNTS: usize = 1 << 22;

/// The place of a node that has none.
const NOWHERE: usize = usize::MAX;

/// What the worst case is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// The fewest transactions that fit.
    Fewest,
    /// The largest share with a sensitive item, compared with what is allowed of it.
    Surest,
}

/// How much an attacker knows at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// Nodes that are present.
    pub present: u64,
    /// Leaves of nodes that are absent.
    pub absent: u64,
}

impl Reach {
    /// As far as a requirement promises.
    pub(super) fn of(limit: &KlPrivacy) -> Reach {
        Reach { present: limit.surely(), absent: limit.n }
    }

    fn at_most(self, present: u64, absent: u64) -> Reach {
        Reach { present: self.present.min(present), absent: self.absent.min(absent) }
    }
}

/// What is known in the worst case, and what follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Worst {
    pub present: Vec<Node>,
    pub absent: Vec<Node>,
    /// How many transactions fit.
    pub support: u64,
    /// A sensitive item and how many of these hold it; nothing where only their number matters.
    pub mark: Option<(u32, u64)>,
}

/// Released transactions with the same nodes.
struct Cell {
    /// All nodes that they hold, ascending; those above shown ones only where it matters.
    held: Vec<Node>,
    /// Those of them that others may be known to lack, ascending.
    deniable: Vec<Node>,
    weight: u64,
    /// How many of them have each sensitive item that is guarded.
    marks: Vec<(u32, u64)>,
}

/// The worst case, and how far it was looked for: as far as the requirement reaches, or as far as effort allows. Nothing
/// where there is no case at all.
pub(super) fn worst(
    baskets: &Baskets,
    recoding: &ItemRecoding,
    limit: &KlPrivacy,
    aim: Aim,
) -> Option<(Worst, Reach)> {
    let promised = Reach::of(limit);
    let mut reaches = vec![promised];
    for (present, absent) in [(3, 1), (2, 1), (2, 0), (1, 0)] {
        let reach = promised.at_most(present, absent);
        reaches.extend((!reaches.contains(&reach)).then_some(reach));
    }
    let mut search = WorstSearch::new(baskets, recoding, limit, aim);
    if search.knows_everything(promised) {
        search.weigh_cells();
        return search.found.map(|found| (found, promised));
    }
    for reach in reaches {
        search.found = None;
        search.looks = LOOKS;
        let all: Vec<usize> = (0..search.cells.len()).collect();
        if search.below(&all, 0, reach).is_some() {
            return search.found.map(|found| (found, reach));
        }
        search.known = (Vec::new(), Vec::new());
    }
    None
}

struct WorstSearch<'a> {
    tree: &'a ItemTree,
    theta: &'a [Exact],
    aim: Aim,
    cells: Vec<Cell>,
    /// What is present and what is absent at this place of the search.
    known: (Vec<Node>, Vec<Node>),
    found: Option<Worst>,
    looks: usize,
    /// Per node, where its sum stands while sums are made.
    places: Vec<usize>,
}

/// Transactions, and how many of them have each sensitive item.
struct Sum {
    weight: u64,
    marks: Vec<u64>,
}

impl<'a> WorstSearch<'a> {
    fn new(baskets: &'a Baskets, recoding: &ItemRecoding, limit: &'a KlPrivacy, aim: Aim) -> WorstSearch<'a> {
        let tree = &*baskets.tree;
        let guarded = |mark: u32| limit.theta.get(mark as usize).is_some_and(|theta| *theta < Exact::ONE);
        let mut alike: BTreeMap<Vec<Node>, (u64, BTreeMap<u32, u64>)> = BTreeMap::new();
        let mut shown = vec![false; tree.len()];
        for row in (0..baskets.len()).flat_map(|basket| recoding.shown(baskets, basket)) {
            row.nodes.iter().for_each(|node| shown[*node as usize] = true);
            let (weight, marks) = alike.entry(row.nodes).or_default();
            *weight += row.count;
            for mark in row.marks.iter().filter(|mark| aim == Aim::Surest && guarded(**mark)) {
                *marks.entry(*mark).or_default() += row.count;
            }
        }
        let cells =
            alike.into_iter().filter(|(_, (weight, _))| *weight > 0).map(|(nodes, (weight, marks))| {
                let mut held = tree.with_ancestors(&nodes);
                held.retain(|node| aim == Aim::Surest || shown[*node as usize]);
                held.sort_unstable();
                held.dedup();
                let within = |node: &&Node| u64::from(tree.leaves(**node)) <= limit.n;
                let deniable = |node: &&Node| shown[**node as usize] && within(node);
                let deniable = held.iter().filter(deniable).copied().collect();
                Cell { held, deniable, weight, marks: marks.into_iter().collect() }
            });
        let cells = cells.collect();
        let known = (Vec::new(), Vec::new());
        let places = vec![NOWHERE; tree.len()];
        WorstSearch { tree, theta: &limit.theta, aim, cells, known, found: None, looks: LOOKS, places }
    }

    /// Whether every transaction can be distinguished from all that hold other nodes. Then nothing is worse than such a group: whatever
    /// else is known fits several of them together, which are more, and of which no larger share has an item.
    fn knows_everything(&self, reach: Reach) -> bool {
        let longest = self.cells.iter().map(|cell| cell.held.len() as u64).max().unwrap_or(0);
        reach.present >= longest && reach.absent >= u64::from(self.tree.total_leaves())
    }

    fn weigh_cells(&mut self) {
        for at in 0..self.cells.len() {
            let sum = self.sum(&[at]);
            let held = &self.cells[at].held;
            // What stands above another one goes without saying.
            let below =
                |node: Node, next: Option<&Node>| next.is_some_and(|next| self.tree.contains(node, *next));
            let lowest = held.iter().enumerate().filter(|(place, node)| !below(**node, held.get(place + 1)));
            self.known.0 = lowest.map(|(_, node)| *node).collect();
            self.weigh(&sum);
        }
    }

    /// Looks at what is known here, at absences besides, and at all that adds presences of nodes from `from` on; `None` where
    /// the looks do not suffice.
    fn below(&mut self, rows: &[usize], from: Node, left: Reach) -> Option<()> {
        let sum = self.sum(rows);
        self.spend(rows.len() + self.marks())?;
        // Of what none of these transactions has, none of fewer does.
        if sum.weight == 0 || (self.aim == Aim::Surest && sum.marks.iter().all(|count| *count == 0)) {
            return Some(());
        }
        self.weigh(&sum);
        self.without(rows, &sum, 0, left.absent)?;
        if left.present == 0 {
            return Some(());
        }
        let from_here = |cell: &Cell| cell.held.partition_point(|node| *node < from);
        let mut holding: Vec<(Node, usize)> = Vec::new();
        for row in rows {
            let cell = &self.cells[*row];
            holding.extend(cell.held[from_here(cell)..].iter().map(|node| (*node, *row)));
        }
        self.spend(holding.len())?;
        holding.sort_unstable();
        for group in holding.chunk_by(|one, next| one.0 == next.0) {
            let Some((node, _)) = group.first().copied().filter(|_| group.len() < rows.len()) else {
                continue;
            };
            // Next to a node below it, one that is present goes without saying.
            if self.known.0.iter().any(|above| self.tree.contains(*above, node)) {
                continue;
            }
            let fitting: Vec<usize> = group.iter().map(|(_, row)| *row).collect();
            self.known.0.push(node);
            self.below(&fitting, node + 1, Reach { present: left.present - 1, ..left })?;
            self.known.0.pop();
        }
        Some(())
    }

    /// Looks at all absences of nodes from `from` on with up to `left` leaves.
    fn without(&mut self, rows: &[usize], sum: &Sum, from: Node, left: u64) -> Option<()> {
        if left == 0 {
            return Some(());
        }
        for (node, held) in self.held_in(rows, from, left)? {
            if held.weight == sum.weight {
                continue;
            }
            let rest = Sum {
                weight: sum.weight - held.weight,
                marks: sum.marks.iter().zip(&held.marks).map(|(all, held)| all - held).collect(),
            };
            self.known.1.push(node);
            self.weigh(&rest);
            let left = left - u64::from(self.tree.leaves(node));
            if left > 0 {
                let lacks = |row: &&usize| self.cells[**row].held.binary_search(&node).is_err();
                let fitting: Vec<usize> = rows.iter().filter(lacks).copied().collect();
                self.spend(rows.len())?;
                // What stands below an absent node is absent with it.
                self.without(&fitting, &rest, self.tree.end(node), left)?;
            }
            self.known.1.pop();
        }
        Some(())
    }

    /// Per shown node of at most `leaves` leaves, from `from` on, the transactions among these rows that hold it.
    fn held_in(&mut self, rows: &[usize], from: Node, leaves: u64) -> Option<Vec<(Node, Sum)>> {
        let width = self.marks();
        if self.tree.len().saturating_mul(width) > MOST_COUNTS {
            return None;
        }
        let mut sums: Vec<(Node, Sum)> = Vec::new();
        let mut looks = 0;
        for row in rows {
            let cell = &self.cells[*row];
            looks += cell.deniable.len();
            for node in cell.deniable.iter().filter(|node| **node >= from) {
                if u64::from(self.tree.leaves(*node)) > leaves {
                    continue;
                }
                let place = &mut self.places[*node as usize];
                if *place == NOWHERE {
                    *place = sums.len();
                    sums.push((*node, Sum { weight: 0, marks: vec![0; width] }));
                }
                let sum = &mut sums[*place].1;
                sum.weight += cell.weight;
                cell.marks.iter().for_each(|(mark, count)| sum.marks[*mark as usize] += count);
            }
        }
        sums.iter().for_each(|(node, _)| self.places[*node as usize] = NOWHERE);
        self.spend(looks)?;
        sums.sort_unstable_by_key(|(node, _)| *node);
        Some(sums)
    }

    fn marks(&self) -> usize {
        if self.aim == Aim::Surest { self.theta.len() } else { 0 }
    }

    fn sum(&self, rows: &[usize]) -> Sum {
        let mut sum = Sum { weight: 0, marks: vec![0; self.marks()] };
        for cell in rows.iter().map(|row| &self.cells[*row]) {
            sum.weight += cell.weight;
            cell.marks.iter().for_each(|(mark, count)| sum.marks[*mark as usize] += count);
        }
        sum
    }

    fn spend(&mut self, looks: usize) -> Option<()> {
        self.looks = self.looks.checked_sub(looks)?;
        Some(())
    }

    /// Keeps what is known here if nothing was worse.
    fn weigh(&mut self, sum: &Sum) {
        let mark = match self.aim {
            Aim::Fewest => {
                if self.found.as_ref().is_some_and(|found| found.support <= sum.weight) {
                    return;
                }
                None
            }
            Aim::Surest => {
                let held = (0u32..).zip(sum.marks.iter().copied()).filter(|(_, count)| *count > 0);
                let surest = held.max_by(|a, b| {
                    self.strain(*a, sum.weight).total_cmp(&self.strain(*b, sum.weight)).then(b.0.cmp(&a.0))
                });
                let Some(surest) = surest else { return };
                let before =
                    self.found.as_ref().and_then(|found| Some(self.strain(found.mark?, found.support)));
                if before.is_some_and(|before| before >= self.strain(surest, sum.weight)) {
                    return;
                }
                Some(surest)
            }
        };
        let (present, absent) = self.known.clone();
        self.found = Some(Worst { present, absent, support: sum.weight, mark });
    }

    /// How much of what is allowed a sensitive item uses up.
    fn strain(&self, (mark, count): (u32, u64), support: u64) -> f64 {
        let allowed = self.theta.get(mark as usize).map_or(1.0, |theta| theta.to_f64());
        count as f64 / support as f64 / allowed.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sample::tree;
    use super::*;
    use privet_engine::testing::any_instance;

    fn holds(tree: &ItemTree, items: &[Node], node: Node) -> bool {
        items.iter().any(|item| tree.contains(node, *item))
    }

    /// Every set of nodes that are present or absent, by brute force: the fewest that fit and the largest strain.
    fn by_force(baskets: &Baskets, limit: &KlPrivacy) -> (Option<u64>, f64) {
        let tree = &*baskets.tree;
        let (mut fewest, mut surest) = (None, 0.0_f64);
        let all: Vec<usize> = (0..baskets.len()).collect();
        let mut waiting = vec![(0, limit.m, limit.n, all)];
        while let Some((node, m, n, fitting)) = waiting.pop() {
            let support: u64 = fitting.iter().map(|basket| baskets.count(*basket)).sum();
            if support == 0 {
                continue;
            }
            if node as usize == tree.len() {
                fewest = Some(fewest.map_or(support, |fewest: u64| fewest.min(support)));
                for (mark, theta) in (0u32..).zip(&limit.theta).filter(|(_, theta)| **theta < Exact::ONE) {
                    let marked = fitting.iter().filter(|basket| baskets.marks(**basket).contains(&mark));
                    let count: u64 = marked.map(|basket| baskets.count(*basket)).sum();
                    surest = surest.max(count as f64 / support as f64 / theta.to_f64());
                }
                continue;
            }
            let (with, without): (Vec<usize>, Vec<usize>) =
                fitting.iter().partition(|basket| holds(tree, baskets.items(**basket), node));
            let leaves = u64::from(tree.leaves(node));
            if m > 0 {
                waiting.push((node + 1, m - 1, n, with));
            }
            if leaves <= n {
                waiting.push((node + 1, m, n - leaves, without));
            }
            waiting.push((node + 1, m, n, fitting));
        }
        (fewest, surest)
    }

    fn as_they_are(baskets: &Baskets) -> ItemRecoding {
        let leaves: Vec<Node> = baskets.tree.nodes().filter(|node| baskets.tree.is_leaf(*node)).collect();
        ItemRecoding::of_cut(&baskets.tree, &leaves)
    }

    proptest! {
        #![proptest_config(privet_core::testing::cases(64))]

        #[test]
        fn nothing_within_reach_is_worse((baskets, limit) in any_instance()) {
            let recoding = as_they_are(&baskets);
            let (fewest, surest) = by_force(&baskets, &limit);
            let found = worst(&baskets, &recoding, &limit, Aim::Fewest);
            prop_assert_eq!(found.as_ref().map(|(found, _)| found.support), fewest);
            prop_assert!(found.is_none_or(|(_, reach)| reach == Reach::of(&limit)));
            let found = worst(&baskets, &recoding, &limit, Aim::Surest);
            let strain = found.and_then(|(found, _)| {
                let (mark, count) = found.mark?;
                Some(count as f64 / found.support as f64 / limit.theta[mark as usize].to_f64())
            });
            prop_assert!((strain.unwrap_or(0.0) - surest).abs() < 1e-9, "{strain:?} {surest}");
        }
    }

    #[test]
    fn what_is_absent_counts() {
        let tree = tree("kombucha;all\npets;all\nbread;all");
        let node = |label: &str| tree.find(label).expect("a node");
        let (kombucha, pets, bread) = (node("kombucha"), node("pets"), node("bread"));
        let mut baskets = Baskets::new(std::sync::Arc::new(tree.clone()), Vec::new());
        baskets.add(&mut vec![kombucha, pets], &mut Vec::new(), 9);
        baskets.add(&mut vec![kombucha, pets, bread], &mut Vec::new(), 11);
        baskets.add(&mut vec![bread], &mut Vec::new(), 50);
        let limit = |n| KlPrivacy { k: 5, m: 2, n, theta: Vec::new(), power: None };
        let recoding = as_they_are(&baskets);
        let fewest = |n| worst(&baskets, &recoding, &limit(n), Aim::Fewest).map(|(found, _)| found);
        assert_eq!(fewest(0).map(|found| found.support), Some(11), "both and bread");
        let found = fewest(1).expect("a worst case");
        assert_eq!((found.support, found.absent), (9, vec![bread]));
    }
}
