//! The split of a part that leaves the least summed loss.
//!
//! A part may be cut in several *ways*. A column of numbers is cut between any two of them. A column with sets as labels
//! that is cut freely has its values put in order, by frequency, by the leaves of its hierarchy and by the mean of the other
//! columns' codes, and is cut at any place of these orders. A column of nodes is split into the children of the lowest node
//! above the part; with `refine` also into one child and the rest, which keeps the node.
//!
//! Of all splits whose parts meet the requirements the one is taken whose parts lose least, each record its part's price
//! in every column; of equal ones the most balanced, then the first.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::axis::AxisKind;
use super::{MOST_DENSE_SLOTS, MondrianSplitter, RecordPart};
use privet_engine::privacy::{Counts, EquivalenceClass, Members};

/// A node with more children than this is split into all that can stand alone and the rest, not into one and the rest. Tests
/// have small trees and try both.
const MOST_SINGLES: usize = if cfg!(test) { 3 } else { 16 };

/// Next to a column of sets, as many splits are priced with their items, those first that lose least without them.
const MOST_PRICED: usize = 24;

/// A split must save this share of the part's loss; less is rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// The values of a column in an order, and where it may be cut.
struct Order {
    column: usize,
    /// The column's values in the part, by rank.
    ranks: Vec<usize>,
    /// The least and greatest number of values before a cut.
    places: (usize, usize),
}

/// A split: a place in an order, or several parts at once.
enum Split<'o> {
    Cut(&'o Order, usize),
    Parts(Vec<RecordPart>),
}

/// What a split would lose, and how unequal its sides are.
struct Candidate<'o> {
    loss: f64,
    imbalance: u64,
    split: Split<'o>,
}

/// A part with its values numbered column by column, smallest position first.
struct RankedPart<'p> {
    mondrian: &'p MondrianSplitter<'p>,
    part: &'p RecordPart,
    /// Per column, the positions that occur.
    positions: Vec<Vec<u32>>,
    /// Per column and record, the rank of its position.
    ranks: Vec<Vec<u32>>,
}

/// The records on one side of a cut, as they are added.
struct Side<'p> {
    whole: &'p RankedPart<'p>,
    /// Per column, the least and greatest rank.
    ends: Vec<(u32, u32)>,
    seen: Vec<Vec<bool>>,
    distinct: Vec<usize>,
    size: u64,
    /// Counts of sensitive values; `None` where requirements are not judged record by record.
    counts: Option<Vec<u64>>,
}

impl<'p> Side<'p> {
    fn new(whole: &'p RankedPart<'p>) -> Side<'p> {
        let columns = whole.positions.len();
        let slots = whole.mondrian.microdata.table.slots();
        let judged = whole.mondrian.crowd.is_none() && slots <= MOST_DENSE_SLOTS;
        Side {
            whole,
            ends: vec![(u32::MAX, 0); columns],
            seen: whole.positions.iter().map(|positions| vec![false; positions.len()]).collect(),
            distinct: vec![0; columns],
            size: 0,
            counts: judged.then(|| vec![0; slots as usize]),
        }
    }

    fn add(&mut self, at: usize) {
        let (record, count) = self.whole.part[at];
        self.size += count;
        for (column, ranks) in self.whole.ranks.iter().enumerate() {
            let rank = ranks[at];
            let seen = &mut self.seen[column][rank as usize];
            if !*seen {
                *seen = true;
                self.distinct[column] += 1;
                let (low, high) = &mut self.ends[column];
                (*low, *high) = ((*low).min(rank), (*high).max(rank));
            }
        }
        if let Some(counts) = &mut self.counts {
            let slots = self.whole.mondrian.microdata.slots(record as usize);
            slots.for_each(|slot| counts[slot as usize] += count);
        }
    }

    /// What all records lose together.
    fn loss(&self) -> f64 {
        let price = |(column, (low, high)): (usize, &(u32, u32))| {
            let positions = &self.whole.positions[column];
            let ends = (positions[*low as usize], positions[*high as usize]);
            let quasi = &self.whole.mondrian.microdata.quasi[column];
            self.whole.mondrian.axes[column].price(quasi, ends, self.distinct[column])
        };
        self.ends.iter().enumerate().map(price).sum::<f64>() * self.size as f64
    }

    /// Whether it may meet the requirements.
    fn may_stand(&self) -> bool {
        let microdata = self.whole.mondrian.microdata;
        // What it stands for beyond its records is asked when it is split.
        if microdata.register.is_some() || microdata.weights.is_some() {
            return true;
        }
        let Some(counts) = &self.counts else { return true };
        let records =
            EquivalenceClass { size: self.size, counts: Counts::Dense(counts), standing: Default::default() };
        let members = Members { records, people: None, add_up: true };
        self.whole.mondrian.requirements.iter().all(|requirement| members.meet(requirement.as_ref()))
    }
}

impl<'p> RankedPart<'p> {
    fn of(mondrian: &'p MondrianSplitter<'p>, part: &'p RecordPart) -> RankedPart<'p> {
        let (mut positions, mut ranks) = (Vec::new(), Vec::new());
        for column in 0..mondrian.axes.len() {
            let places: Vec<u32> =
                part.iter().map(|(record, _)| mondrian.position(*record, column)).collect();
            let mut distinct = places.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let rank = |place: &u32| distinct.partition_point(|other| other < place) as u32;
            ranks.push(places.iter().map(rank).collect());
            positions.push(distinct);
        }
        RankedPart { mondrian, part, positions, ranks }
    }

    fn loss(&self) -> f64 {
        let mut side = Side::new(self);
        (0..self.part.len()).for_each(|at| side.add(at));
        side.loss()
    }

    /// All orders in which columns may be cut.
    fn orders(&self) -> Vec<Order> {
        let many = (0..self.positions.len()).filter(|column| self.positions[*column].len() > 1);
        many.flat_map(|column| self.orders_along(column)).collect()
    }

    fn orders_along(&self, column: usize) -> Vec<Order> {
        let values = self.positions[column].len();
        let anywhere = |ranks: Vec<usize>| Order { column, places: (1, ranks.len() - 1), ranks };
        match &self.mondrian.axes[column].kind {
            AxisKind::Numbers { numbers, .. } => {
                let has_missing = numbers[self.positions[column][0] as usize].is_none();
                let mut order = anywhere((0..values).collect());
                // A part of missing values and some numbers is published as *, which also covers the other numbers. Then
                // nobody could say whose records are where.
                if has_missing && self.mondrian.crowd.is_some() {
                    order.places = (1, 1);
                }
                vec![order]
            }
            AxisKind::Sets { free: true } => {
                let mut orders = vec![anywhere(self.by_frequency(column)), anywhere(self.by_others(column))];
                if self.mondrian.microdata.quasi[column].hierarchy.is_some() {
                    orders.push(anywhere((0..values).collect()));
                }
                orders
            }
            AxisKind::Nodes | AxisKind::Sets { .. } if self.mondrian.refine => self.one_child(column),
            AxisKind::Nodes | AxisKind::Sets { .. } => Vec::new(),
        }
    }

    /// One child of the part's node, then the rest, for every child; none where there are many.
    fn one_child(&self, column: usize) -> Vec<Order> {
        let children = self.children(column);
        if children.len() > MOST_SINGLES {
            return Vec::new();
        }
        // Of two children each is the other's rest.
        let distinct = if children.len() == 2 { 1 } else { children.len() };
        let order = |child: &std::ops::Range<usize>| {
            let rest = (0..self.positions[column].len()).filter(|rank| !child.contains(rank));
            Order { column, ranks: child.clone().chain(rest).collect(), places: (child.len(), child.len()) }
        };
        children[..distinct].iter().map(order).collect()
    }

    /// The ranks below each child of the lowest node above the part.
    fn children(&self, column: usize) -> Vec<std::ops::Range<usize>> {
        let (taxonomy, positions) =
            (&self.mondrian.microdata.quasi[column].taxonomy, &self.positions[column]);
        let (low, high) = (positions[0], positions[positions.len() - 1]);
        let node = taxonomy.lowest_above(low as usize, high as usize);
        let ranks = |child: &privet_taxonomy::NodeId| {
            let leaves = taxonomy.leaves_below(*child);
            let rank = |leaf: usize| positions.partition_point(|position| (*position as usize) < leaf);
            rank(leaves.start)..rank(leaves.end)
        };
        taxonomy.children(node).iter().map(ranks).filter(|ranks| !ranks.is_empty()).collect()
    }

    /// The ranks with the most frequent first.
    fn by_frequency(&self, column: usize) -> Vec<usize> {
        let counts = self.sums(column, |_| 1);
        let mut ranks: Vec<usize> = (0..counts.len()).collect();
        ranks.sort_by_key(|rank| Reverse(counts[*rank]));
        ranks
    }

    /// The ranks by the mean of the other columns' codes, each a share of its column.
    fn by_others(&self, column: usize) -> Vec<usize> {
        const WHOLE: u64 = 1 << 20;
        let others: Vec<(usize, u64)> = (0..self.positions.len())
            .filter(|other| *other != column && self.positions[*other].len() > 1)
            .map(|other| (other, self.positions[other].len() as u64 - 1))
            .collect();
        let codes = |at: usize| -> u64 {
            others.iter().map(|(other, most)| u64::from(self.ranks[*other][at]) * WHOLE / most).sum()
        };
        let (sums, counts) = (self.sums(column, codes), self.sums(column, |_| 1));
        let mut ranks: Vec<usize> = (0..counts.len()).collect();
        ranks.sort_by(|one, other| {
            let (one, other) = (*one, *other);
            (sums[one] * counts[other]).cmp(&(sums[other] * counts[one])).then(one.cmp(&other))
        });
        ranks
    }

    /// Something of every record, added up by the column's rank.
    fn sums(&self, column: usize, of: impl Fn(usize) -> u64) -> Vec<u128> {
        let mut sums = vec![0u128; self.positions[column].len()];
        for (at, (_, count)) in self.part.iter().enumerate() {
            sums[self.ranks[column][at] as usize] += u128::from(of(at)) * u128::from(*count);
        }
        sums
    }

    /// The cuts of an order both of whose sides may meet the requirements.
    fn cuts<'o>(&self, order: &'o Order) -> Vec<Candidate<'o>> {
        let mut place = vec![0; order.ranks.len()];
        order.ranks.iter().enumerate().for_each(|(at, rank)| place[*rank] = at);
        let mut records: Vec<Vec<usize>> = vec![Vec::new(); order.ranks.len()];
        for (at, rank) in self.ranks[order.column].iter().enumerate() {
            records[place[*rank as usize]].push(at);
        }
        let (first, last) = order.places;
        let mut before: Vec<Option<(f64, u64)>> = Vec::new();
        let mut side = Side::new(self);
        for (values, records) in (1..=last).zip(&records) {
            records.iter().for_each(|at| side.add(*at));
            let asked = values >= first && side.may_stand();
            before.push(asked.then(|| (side.loss(), side.size)));
        }
        let mut side = Side::new(self);
        let mut found = Vec::new();
        for values in (first..order.ranks.len()).rev() {
            records[values].iter().for_each(|at| side.add(*at));
            let Some((loss, size)) = before.get(values - 1).copied().flatten() else { continue };
            if side.may_stand() {
                let (loss, imbalance) = (loss + side.loss(), size.abs_diff(side.size));
                found.push(Candidate { loss, imbalance, split: Split::Cut(order, values) });
            }
        }
        found
    }

    /// Several parts at once, along every column of nodes.
    fn at_once(&self) -> Vec<Candidate<'static>> {
        let along = |column: usize| {
            let is_split = match &self.mondrian.axes[column].kind {
                AxisKind::Nodes | AxisKind::Sets { free: false } => self.positions[column].len() > 1,
                AxisKind::Numbers { .. } | AxisKind::Sets { .. } => false,
            };
            let children = if is_split { self.children(column) } else { Vec::new() };
            let parts: Vec<RecordPart> =
                children.into_iter().map(|ranks| self.with_ranks(column, &ranks)).collect();
            match parts.len() {
                0 => None,
                many if !self.mondrian.refine => (many > 1).then_some(parts),
                many if many > MOST_SINGLES => self.those_that_stand(parts),
                _ => None,
            }
        };
        let priced = |parts: Vec<RecordPart>| {
            let loss = parts.iter().map(|part| RankedPart::of(self.mondrian, part).loss()).sum();
            let sizes = || parts.iter().map(|part| part.iter().map(|(_, count)| count).sum::<u64>());
            let imbalance = sizes().max().unwrap_or(0) - sizes().min().unwrap_or(0);
            Candidate { loss, imbalance, split: Split::Parts(parts) }
        };
        (0..self.positions.len()).filter_map(along).map(priced).collect()
    }

    fn with_ranks(&self, column: usize, ranks: &std::ops::Range<usize>) -> RecordPart {
        let own = self.ranks[column].iter().map(|rank| ranks.contains(&(*rank as usize)));
        self.part.iter().zip(own).filter(|(_, own)| *own).map(|(record, _)| *record).collect()
    }

    /// The parts that meet the requirements by themselves, and the rest. As long as the rest fails, the part with the fewest
    /// records joins it; if it never meets them, one part that leaves a good rest will do.
    fn those_that_stand(&self, parts: Vec<RecordPart>) -> Option<Vec<RecordPart>> {
        let (mut good, bad): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| self.mondrian.allowed(part));
        let size = |part: &RecordPart| part.iter().map(|(_, count)| count).sum::<u64>();
        good.sort_by_key(|part| Reverse(size(part)));
        let mut rest: RecordPart = bad.into_iter().flatten().collect();
        let all = good.clone();
        while !rest.is_empty() && !self.mondrian.allowed(&rest) {
            let Some(least) = good.pop() else { break };
            rest.extend(least);
        }
        rest.sort_unstable();
        if good.is_empty() {
            let rest_of = |one: &RecordPart| -> RecordPart {
                self.part.iter().filter(|record| one.binary_search(record).is_err()).copied().collect()
            };
            let single = all.into_iter().find(|one| self.mondrian.allowed(&rest_of(one)))?;
            rest = rest_of(&single);
            good = vec![single];
        }
        good.extend((!rest.is_empty()).then_some(rest));
        (good.len() > 1).then_some(good)
    }

    fn pieces(&self, split: Split<'_>) -> Vec<RecordPart> {
        match split {
            Split::Parts(parts) => parts,
            Split::Cut(order, values) => {
                let mut left = vec![false; order.ranks.len()];
                order.ranks[..values].iter().for_each(|rank| left[*rank] = true);
                let sides = self.part.iter().zip(&self.ranks[order.column]);
                let (one, other): (Vec<_>, Vec<_>) = sides.partition(|(_, rank)| left[**rank as usize]);
                [one, other].map(|side| side.into_iter().map(|(record, _)| *record).collect()).into()
            }
        }
    }
}

impl MondrianSplitter<'_> {
    /// What all records of some parts lose together.
    pub(super) fn loss(&self, parts: &[RecordPart]) -> f64 {
        let losses: Vec<f64> = parts.par_iter().map(|part| RankedPart::of(self, part).loss()).collect();
        losses.iter().sum()
    }

    /// The parts of the split with the least summed loss; `None` where no split meets the requirements and saves something.
    pub(super) fn least_loss(&self, part: &RecordPart) -> Option<Vec<RecordPart>> {
        let ranked = RankedPart::of(self, part);
        let orders = ranked.orders();
        let most = ranked.loss() * (1.0 - ROUNDING);
        let mut found: Vec<Candidate<'_>> = orders
            .par_iter()
            .map(|order| ranked.cuts(order))
            .collect::<Vec<_>>()
            .into_iter()
            .flatten()
            .collect();
        found.extend(ranked.at_once());
        found.retain(|candidate| candidate.loss < most);
        found.sort_by(|one, other| one.loss.total_cmp(&other.loss).then(one.imbalance.cmp(&other.imbalance)));
        let pieces = found.into_iter().map(|candidate| ranked.pieces(candidate.split));
        let mut allowed = pieces.filter(|parts| parts.iter().all(|part| self.allowed(part)));
        match self.items {
            None => allowed.next(),
            Some(_) => allowed.take(MOST_PRICED).find(|parts| self.saves(part, parts)),
        }
    }
}
