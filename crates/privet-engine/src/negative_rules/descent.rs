//! Mining from the top: conjunctions are specialised one item at a time, and a value is given up as soon as no
//! specialisation can exclude it any more.
//!
//! The records that satisfy a conjunction are a list that is sorted by each further quasi-identifier in turn; a node is
//! then a run of the list. Support only falls on the way down, so a value whose support threshold is missed is given up
//! for the whole subtree. Without exceptions (`min_confidence` 1) a rule implies all its specialisations, and its value is
//! given up as well when only the excluded values are wanted. They come out of the descent: people who satisfy the rule are
//! in the list at hand.

use std::ops::Range;
use std::rc::Rc;

use super::stated::Pattern;
use super::{Item, Observations, Parameters, Rule, TOLERANCE};
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result, ValueSet};
use privet_taxonomy::{NodeId, Taxonomy};

/// More conjunctions than this are not looked at.
const MOST_CONJUNCTIONS: u64 = 20_000_000;

/// More rules than this are not listed.
const MOST_RULES: usize = 1_000_000;

/// Per distinct record, the values that the mined rules exclude; rules that a pattern of `muted` implies do not count.
pub fn exclude(
    observations: &Observations,
    parameters: &Parameters,
    muted: &[Pattern],
    clock: &Clock,
) -> Result<Vec<ValueSet>> {
    let descent = Descent::new(observations, parameters, muted, Purpose::Exclude, clock);
    Ok(descent.run()?.excluded)
}

/// All mined rules, implied ones included: shorter ones first, then by attribute, node and value.
pub fn list(
    observations: &Observations,
    parameters: &Parameters,
    muted: &[Pattern],
    clock: &Clock,
) -> Result<Vec<Rule>> {
    let mut rules = Descent::new(observations, parameters, muted, Purpose::List, clock).run()?.rules;
    rules.sort_by(|one, other| {
        (one.items.len(), &one.items, one.value).cmp(&(other.items.len(), &other.items, other.value))
    });
    Ok(rules)
}

/// What a descent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To know what is excluded for whom.
    Exclude,
    /// To list the rules.
    List,
    /// To count the pairs of conjunction and value that are tested.
    Count,
}

/// A distinct record that satisfies the conjunction at hand, to a degree that is multiplied with how often it occurs.
#[derive(Debug, Clone, Copy)]
struct Row {
    record: u32,
    value: u32,
    support: f64,
}

struct Descent<'a> {
    observations: &'a Observations,
    muted: &'a [Pattern],
    purpose: Purpose,
    clock: &'a Clock,
    parameters: &'a Parameters,
    /// How many records must satisfy a conjunction that excludes a value, by value.
    thresholds: Vec<f64>,
    alpha: f64,
    items: Vec<Item>,
    counts: Vec<f64>,
    conjunctions: u64,
    tested: u64,
    found: MinedKnowledge,
}

struct MinedKnowledge {
    rules: Vec<Rule>,
    excluded: Vec<ValueSet>,
}

/// A node whose children are tried one after the other.
struct Branch {
    node: NodeId,
    /// The rows of the children that were not tried yet.
    rows: Range<usize>,
    alive: ValueSet,
}

impl Branch {
    /// The next child with its rows, by the leaves of all rows. Only children that have rows are visited, however many
    /// there are.
    fn next_child(&mut self, taxonomy: &Taxonomy, leaves: &[u32]) -> Option<(NodeId, Range<usize>)> {
        let leaves = &leaves[self.rows.clone()];
        let first = *leaves.first()? as usize;
        let children = taxonomy.children(self.node);
        let end_of = |child: NodeId| taxonomy.leaves_below(child).end;
        let child = *children.get(children.partition_point(|child| end_of(*child) <= first))?;
        let start = self.rows.start;
        self.rows.start += leaves.partition_point(|leaf| (*leaf as usize) < end_of(child));
        Some((child, start..self.rows.start))
    }
}

/// How many records must satisfy a conjunction before each value is missed in it, where the chance of missing it by
/// accident may be `risk` (1 − `min_expectation`).
pub(super) fn thresholds(observations: &Observations, risk: f64) -> Vec<f64> {
    let threshold = |count: &u64| {
        if risk <= 0.0 {
            return f64::INFINITY;
        }
        let share = *count as f64 / observations.total() as f64;
        (risk.ln() / (-share).ln_1p()).abs()
    };
    observations.value_counts().iter().map(threshold).collect()
}

fn risk_of(parameters: &Parameters) -> f64 {
    let expectation = parameters.min_expectation;
    expectation.denominator().saturating_sub(expectation.numerator()) as f64
        / expectation.denominator() as f64
}

impl<'a> Descent<'a> {
    fn new(
        observations: &'a Observations,
        parameters: &'a Parameters,
        muted: &'a [Pattern],
        purpose: Purpose,
        clock: &'a Clock,
    ) -> Descent<'a> {
        let values = observations.values.len();
        let excluded = match purpose {
            Purpose::Exclude => vec![ValueSet::none(values); observations.len()],
            Purpose::List | Purpose::Count => Vec::new(),
        };
        Descent {
            observations,
            muted,
            purpose,
            clock,
            parameters,
            thresholds: thresholds(observations, risk_of(parameters)),
            alpha: parameters.alpha(),
            items: Vec::new(),
            counts: vec![0.0; values],
            conjunctions: 0,
            tested: 0,
            found: MinedKnowledge { rules: Vec::new(), excluded },
        }
    }

    fn run(mut self) -> Result<MinedKnowledge> {
        if let Some(level) = self.parameters.significance.filter(|_| self.purpose != Purpose::Count) {
            let Descent { observations, parameters, clock, .. } = self;
            let mut count = Descent::new(observations, parameters, &[], Purpose::Count, clock);
            count.descend()?;
            let risk = risk_of(parameters).min(level.to_f64() / count.tested.max(1) as f64);
            self.thresholds = thresholds(observations, risk);
        }
        self.descend()?;
        Ok(self.found)
    }

    fn descend(&mut self) -> Result<()> {
        let observations = self.observations;
        if self.parameters.max_length == 0 {
            return Ok(());
        }
        let rows: Vec<Row> = (0..observations.len())
            .map(|record| Row {
                record: record as u32,
                value: observations.value(record),
                support: observations.weight(record) as f64,
            })
            .collect();
        let occurring = (0u32..).zip(observations.value_counts()).filter(|(_, count)| **count > 0);
        let alive = ValueSet::of(observations.values.len(), occurring.map(|(value, _)| value));
        self.specialise(&rows, 0, &alive)
    }

    /// Adds one item of each quasi-identifier from `first` on. It calls itself once per item of a conjunction at most, of
    /// which there is one per quasi-identifier; how deep the trees are does not matter.
    fn specialise(&mut self, rows: &[Row], first: usize, alive: &ValueSet) -> Result<()> {
        for attribute in first..self.observations.attributes.len() {
            if self.observations.attributes[attribute].is_fuzzy() {
                self.fuzzy_nodes(attribute, rows, alive)?;
            } else {
                let (rows, leaves) = self.sorted(rows, attribute);
                self.nodes(attribute, &rows, &leaves, alive)?;
            }
        }
        Ok(())
    }

    /// The rows by rising leaf of a quasi-identifier, with their leaves.
    fn sorted(&self, rows: &[Row], attribute: usize) -> (Vec<Row>, Vec<u32>) {
        let leaf = |row: &Row| self.observations.leaf(attribute, row.record as usize);
        let leaves = self.observations.attributes[attribute].taxonomy.leaves();
        if leaves > 2 * rows.len() {
            let mut sorted = rows.to_vec();
            sorted.sort_by_key(leaf);
            let leaves = sorted.iter().map(leaf).collect();
            return (sorted, leaves);
        }
        let mut starts = vec![0u32; leaves + 1];
        for row in rows {
            starts[leaf(row) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sorted = rows.to_vec();
        let mut sorted_leaves = vec![0; rows.len()];
        for row in rows {
            let start = &mut starts[leaf(row) as usize];
            sorted[*start as usize] = *row;
            sorted_leaves[*start as usize] = leaf(row);
            *start += 1;
        }
        (sorted, sorted_leaves)
    }

    /// Tries the nodes of a tree on the rows below them, which are sorted by leaf. Trees may be deeper than any stack, so
    /// the way down is a list.
    fn nodes(&mut self, attribute: usize, rows: &[Row], leaves: &[u32], alive: &ValueSet) -> Result<()> {
        let taxonomy = &self.observations.attributes[attribute].taxonomy;
        let mut way = vec![Branch { node: taxonomy.root(), rows: 0..rows.len(), alive: alive.clone() }];
        while let Some(branch) = way.last_mut() {
            let Some((child, below)) = branch.next_child(taxonomy, leaves) else {
                way.pop();
                continue;
            };
            let left = self.attempt(Item { attribute, node: child }, &rows[below.clone()], &branch.alive)?;
            if !left.is_empty() {
                way.push(Branch { node: child, rows: below, alive: left });
            }
        }
        Ok(())
    }

    /// The same where nodes are fuzzy: their rows overlap, and each has a degree of its own.
    fn fuzzy_nodes(&mut self, attribute: usize, rows: &[Row], alive: &ValueSet) -> Result<()> {
        let observations = self.observations;
        let tree = &observations.attributes[attribute];
        let children = |node: NodeId, rows: Vec<Row>, alive: ValueSet| {
            let shared = Rc::new((rows, alive));
            // The last in the list is the next one to be tried.
            tree.taxonomy.children(node).iter().rev().map(move |child| (*child, shared.clone()))
        };
        let mut waiting: Vec<_> = children(tree.taxonomy.root(), rows.to_vec(), alive.clone()).collect();
        while let Some((node, above)) = waiting.pop() {
            let (rows, alive) = &*above;
            let degree = |row: &Row| tree.membership(node, observations.leaf(attribute, row.record as usize));
            // Rows of the child are rows of the node: no other rows are needed further down.
            let within: Vec<Row> = rows.iter().filter(|row| degree(row) > 0.0).copied().collect();
            if within.is_empty() {
                continue;
            }
            let below: Vec<Row> =
                within.iter().map(|row| Row { support: row.support * degree(row), ..*row }).collect();
            let left = self.attempt(Item { attribute, node }, &below, alive)?;
            if !left.is_empty() {
                waiting.extend(children(node, within, left));
            }
        }
        Ok(())
    }

    /// Adds an item to the conjunction at hand, and further ones to both; returns the values that an item further down may
    /// still exclude.
    fn attempt(&mut self, item: Item, rows: &[Row], alive: &ValueSet) -> Result<ValueSet> {
        self.items.push(item);
        let left = self.judge(rows, alive)?;
        if !left.is_empty() && self.items.len() < self.parameters.max_length {
            self.specialise(rows, item.attribute + 1, &left)?;
        }
        self.items.pop();
        Ok(left)
    }

    /// Finds the values that the conjunction at hand excludes; returns those that a specialisation may still exclude.
    fn judge(&mut self, rows: &[Row], alive: &ValueSet) -> Result<ValueSet> {
        self.conjunctions += 1;
        if self.conjunctions.is_multiple_of(1024) {
            self.clock.check()?;
        }
        if self.conjunctions > MOST_CONJUNCTIONS || self.found.rules.len() > MOST_RULES {
            return Err(too_many());
        }
        self.counts.fill(0.0);
        for row in rows {
            self.counts[row.value as usize] += row.support;
        }
        let support: f64 = self.counts.iter().sum();
        let mut left = alive.clone();
        let mut excluded: Option<ValueSet> = None;
        for value in alive.iter() {
            if support < self.thresholds[value as usize] - TOLERANCE {
                left.remove(value);
                continue;
            }
            self.tested += 1;
            let exceptions = self.counts[value as usize];
            if self.purpose == Purpose::Count
                || !self.is_confident(exceptions, support)
                || self.is_muted(value)
            {
                continue;
            }
            match self.purpose {
                Purpose::List => {
                    self.found.rules.push(Rule { items: self.items.clone(), value, support, exceptions });
                }
                _ => {
                    excluded.get_or_insert_with(|| ValueSet::none(self.counts.len())).insert(value);
                    if exceptions == 0.0 && self.parameters.min_confidence == Exact::ONE {
                        left.remove(value);
                    }
                }
            }
        }
        if let Some(excluded) = excluded {
            for row in rows {
                let degree = row.support / self.observations.weight(row.record as usize) as f64;
                if degree >= self.alpha - TOLERANCE {
                    self.found.excluded[row.record as usize].unite(&excluded);
                }
            }
        }
        Ok(left)
    }

    /// Whether this many exceptions are few enough: 1 − exceptions / support ≥ `min_confidence`.
    fn is_confident(&self, exceptions: f64, support: f64) -> bool {
        let confidence = self.parameters.min_confidence;
        let (num, den) = (confidence.numerator(), confidence.denominator());
        if exceptions.fract() == 0.0 && support.fract() == 0.0 {
            let (exceptions, support) = (exceptions as u128, support as u128);
            return exceptions * u128::from(den) <= support * u128::from(den.saturating_sub(num));
        }
        exceptions <= (1.0 - confidence.to_f64()) * support + TOLERANCE
    }

    fn is_muted(&self, value: u32) -> bool {
        let attributes = &self.observations.attributes;
        self.muted.iter().any(|pattern| pattern.value == value && pattern.implies(&self.items, attributes))
    }
}

fn too_many() -> Error {
    Error::input("the knowledge to mine has too many conjunctions").help(
        "lower 'max_length' in [knowledge] (1 is the default), or raise 'min_expectation' or set 'significance'",
    )
}
