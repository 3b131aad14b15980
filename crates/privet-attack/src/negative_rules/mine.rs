//! What the original teaches: every rule without exceptions that is unlikely to be an accident.
//!
//! A rule says that nobody who satisfies a conjunction of nodes, at most one per quasi-identifier, has a value. It
//! counts if the value would be expected among the C people who satisfy the conjunction: 1 − (1 − P)^C ≥ e, for the
//! share P of people who have the value. That is a least C per value. C only falls when a conjunction becomes longer
//! or goes down a tree, so a value is given up below a conjunction that too few people satisfy. A rule implies all
//! rules below it, so its value is given up there as well.

use std::ops::Range;

use crate::groups::KnownPeople;
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result, ValueSet};
use privet_policy::MiningPolicy;
use privet_taxonomy::{NodeId, Taxonomy};

/// How near C may come to its least from below.
const TOLERANCE: f64 = 1e-9;

/// More conjunctions than this are not looked at.
const MOST_CONJUNCTIONS: u64 = 20_000_000;

/// Per record, the values that the rules exclude. Rules with exceptions are not looked for, whatever the policy allows.
pub(super) fn excluded(people: &KnownPeople, mining: &MiningPolicy, clock: &Clock) -> Result<Vec<ValueSet>> {
    let mut risk = complement(mining.min_expectation);
    if let Some(level) = mining.significance {
        // Bonferroni's correction over all pairs of conjunction and value that can be tested.
        let mut count = Miner::new(people, mining, risk, None, clock);
        count.mine()?;
        risk = risk.min(level.to_f64() / count.tested.max(1) as f64);
    }
    let none = vec![ValueSet::none(people.values.len()); people.len()];
    let mut miner = Miner::new(people, mining, risk, Some(none), clock);
    miner.mine()?;
    Ok(miner.excluded.unwrap_or_default())
}

/// 1 − share, rounded once.
fn complement(share: Exact) -> f64 {
    share.denominator().saturating_sub(share.numerator()) as f64 / share.denominator() as f64
}

/// How many people must satisfy a conjunction before a value is missed in it that `count` of `total` people have. The chance
/// to miss it by accident may be `risk`.
pub(super) fn least_support(count: u64, total: u64, risk: f64) -> f64 {
    let share = count as f64 / total.max(1) as f64;
    if risk > 0.0 && share > 0.0 { (risk.ln() / (-share).ln_1p()).abs() } else { f64::INFINITY }
}

struct Miner<'a> {
    people: &'a KnownPeople,
    max_length: usize,
    /// Per value.
    least: Vec<f64>,
    clock: &'a Clock,
    /// Per value, how many people of the conjunction at hand have it; for other values, what is left of earlier ones.
    having: Vec<u64>,
    conjunctions: u64,
    /// Pairs of conjunction and value that could be a rule.
    tested: u64,
    /// What rules exclude per record; `None` where pairs are only counted.
    excluded: Option<Vec<ValueSet>>,
}

impl<'a> Miner<'a> {
    fn new(
        people: &'a KnownPeople,
        mining: &MiningPolicy,
        risk: f64,
        excluded: Option<Vec<ValueSet>>,
        clock: &'a Clock,
    ) -> Miner<'a> {
        let total = people.len() as u64;
        let least = people.value_counts().iter().map(|count| least_support(*count, total, risk)).collect();
        let having = vec![0; people.values.len()];
        let max_length = mining.max_length;
        Miner { people, max_length, least, clock, having, conjunctions: 0, tested: 0, excluded }
    }

    fn mine(&mut self) -> Result<()> {
        let all: Vec<u32> = (0..self.people.len() as u32).collect();
        let reachable = |value: &u32| all.len() as f64 >= self.least[*value as usize] - TOLERANCE;
        let values = self.people.values.len();
        let open = ValueSet::of(values, (0..values as u32).filter(reachable));
        if open.is_empty() || self.max_length == 0 { Ok(()) } else { self.lengthen(&all, 0, 0, &open) }
    }

    /// Adds a node of each quasi-identifier from `first` on to a conjunction of this length, which `records` satisfy. `open` are
    /// the values that a longer one may still exclude.
    fn lengthen(&mut self, records: &[u32], length: usize, first: usize, open: &ValueSet) -> Result<()> {
        let people = self.people;
        for attribute in first..people.attributes.len() {
            let tree = &people.attributes[attribute].taxonomy;
            let leaf = |record: &u32| (people.leaf(attribute, *record as usize), *record);
            let mut sorted: Vec<(u32, u32)> = records.iter().map(leaf).collect();
            sorted.sort_unstable();
            let (leaves, sorted): (Vec<u32>, Vec<u32>) = sorted.into_iter().unzip();
            let mut nodes = vec![(tree.root(), 0..sorted.len(), open.clone())];
            while let Some((node, within, open)) = nodes.pop() {
                for (child, below) in children(tree, node, &leaves, within) {
                    let left = self.judge(&sorted[below.clone()], &open)?;
                    if left.is_empty() {
                        continue;
                    }
                    if length + 1 < self.max_length {
                        self.lengthen(&sorted[below.clone()], length + 1, attribute + 1, &left)?;
                    }
                    nodes.push((child, below, left));
                }
            }
        }
        Ok(())
    }

    /// Finds the values that the conjunction at hand excludes. Returns those that another one below it may still exclude.
    fn judge(&mut self, records: &[u32], open: &ValueSet) -> Result<ValueSet> {
        self.clock.check()?;
        self.conjunctions += 1;
        if self.conjunctions > MOST_CONJUNCTIONS {
            return Err(Error::input("there are too many conjunctions to learn rules from").help(
                "lower 'max_length' in [knowledge], or raise 'min_expectation' or set 'significance'",
            ));
        }
        let values = || records.iter().map(|record| self.people.value(*record as usize) as usize);
        open.iter().for_each(|value| self.having[value as usize] = 0);
        values().for_each(|value| self.having[value] += 1);
        let (mut left, mut missed) = (open.clone(), ValueSet::none(self.having.len()));
        for value in open.iter() {
            if (records.len() as f64) < self.least[value as usize] - TOLERANCE {
                left.remove(value);
                continue;
            }
            self.tested += 1;
            if self.having[value as usize] == 0 && self.excluded.is_some() {
                missed.insert(value);
                left.remove(value);
            }
        }
        if let Some(excluded) = self.excluded.as_mut().filter(|_| !missed.is_empty()) {
            records.iter().for_each(|record| excluded[*record as usize].unite(&missed));
        }
        Ok(left)
    }
}

/// The children of a node that have somebody below them, with where these are in a list that is sorted by leaf.
fn children(
    tree: &Taxonomy,
    node: NodeId,
    leaves: &[u32],
    within: Range<usize>,
) -> Vec<(NodeId, Range<usize>)> {
    let all = tree.children(node);
    let end_of = |child: NodeId| tree.leaves_below(child).end;
    let (mut found, mut start) = (Vec::new(), within.start);
    while start < within.end {
        let leaf = leaves[start] as usize;
        let Some(child) = all.get(all.partition_point(|child| end_of(*child) <= leaf)) else { break };
        let end = end_of(*child);
        let below = leaves[start..within.end].partition_point(|leaf| (*leaf as usize) < end);
        found.push((*child, start..start + below));
        start += below;
    }
    found
}
