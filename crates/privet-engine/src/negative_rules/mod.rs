//! Generalised negative association rules: what the data says cannot be (Li and Li, *Injector*, section III).
//!
//! A rule X ⇒ ¬s says that no record that satisfies X has the value s. X is a conjunction of items, at most one per
//! quasi-identifier; an item is a node of that quasi-identifier's hierarchy (the root says nothing and is none), and a
//! record satisfies it when its value lies below the node.
//!
//! A value that is missing where few could have it says little, so a rule counts only if s would be *expected* among the
//! records that satisfy X: 1 − (1 − P(s))^C ≥ `min_expectation`, for C of them. That is a support threshold per value,
//! C ≥ ln(1 − min_expectation) / ln(1 − P(s)): a rare value takes a large X. Here, and only here, floating point decides
//! (with a tolerance of 10⁻⁹): it says which rules the adversary is taken to know, not whether a group is safe from them.

mod attribute;
mod descent;
mod fold;
mod knowledge;
mod stated;
#[cfg(test)]
pub(crate) mod tests;

pub use attribute::{Attribute, Trapezoid};
pub use descent::{exclude, list};
pub use fold::most_general;
pub use knowledge::{Knowledge, KnownRule, Origin, Shown, gather};
pub use stated::{Pattern, Stated, StatedRule};

use super::microdata::Microdata;
use privet_core::{Exact, Result};
use privet_policy::RuleText;
use privet_taxonomy::NodeId;

/// How near a support may come to its threshold from below.
const TOLERANCE: f64 = 1e-9;

/// What rules are mined from: distinct records, each with its leaves, its sensitive value and how often it occurs.
#[derive(Debug, Clone)]
pub struct Observations {
    /// The quasi-identifiers.
    pub attributes: Vec<Attribute>,
    /// The sensitive values, by code.
    pub values: Vec<String>,
    /// Per quasi-identifier, the leaf of every distinct record.
    leaves: Vec<Vec<u32>>,
    value_of: Vec<u32>,
    weights: Vec<u64>,
    counts: Vec<u64>,
    total: u64,
}

impl Observations {
    /// No records yet.
    pub fn new(attributes: Vec<Attribute>, values: Vec<String>) -> Observations {
        Observations {
            leaves: vec![Vec::new(); attributes.len()],
            value_of: Vec::new(),
            weights: Vec::new(),
            counts: vec![0; values.len()],
            total: 0,
            attributes,
            values,
        }
    }

    /// The records of a table. `spreads` says, by position, which quasi-identifiers are fuzzy; `column` is the position
    /// of the sensitive column in the data.
    pub fn of_table(microdata: &Microdata, column: usize, spreads: &[Option<Exact>]) -> Result<Observations> {
        let attributes = (microdata.quasi.iter().enumerate())
            .map(|(position, quasi)| {
                let (name, taxonomy) = (quasi.name.clone(), quasi.taxonomy.clone());
                match spreads.get(position).copied().flatten().filter(|spread| *spread > Exact::ZERO) {
                    Some(spread) => Attribute::spread(name, taxonomy, spread),
                    None => Ok(Attribute::crisp(name, taxonomy)),
                }
            })
            .collect::<Result<Vec<_>>>()?;
        let tracked = microdata.table.column(column)?;
        let mut observations = Observations::new(attributes, tracked.values.clone());
        let mut leaves = vec![0; microdata.quasi.len()];
        for record in 0..microdata.summary.len() {
            for ((leaf, quasi), code) in
                leaves.iter_mut().zip(&microdata.quasi).zip(microdata.quasi_codes(record))
            {
                *leaf = quasi.leaf_of_code[*code as usize];
            }
            let slot = microdata
                .slots(record)
                .find(|slot| tracked.slots.contains(slot))
                .unwrap_or(tracked.slots.start);
            observations.push(&leaves, slot - tracked.slots.start, microdata.summary.count(record));
        }
        Ok(observations)
    }

    /// Adds a record that occurs `weight` times: a leaf per quasi-identifier, and a value.
    pub fn push(&mut self, leaves: &[u32], value: u32, weight: u64) {
        self.leaves.iter_mut().zip(leaves).for_each(|(column, leaf)| column.push(*leaf));
        self.value_of.push(value);
        self.weights.push(weight);
        self.counts[value as usize] += weight;
        self.total += weight;
    }

    /// The number of distinct records.
    pub fn len(&self) -> usize {
        self.value_of.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.value_of.is_empty()
    }

    /// The number of records.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The value of a distinct record.
    pub fn value(&self, record: usize) -> u32 {
        self.value_of[record]
    }

    /// How often a distinct record occurs.
    pub fn weight(&self, record: usize) -> u64 {
        self.weights[record]
    }

    /// The leaf of a distinct record in a quasi-identifier.
    pub fn leaf(&self, attribute: usize, record: usize) -> u32 {
        self.leaves[attribute][record]
    }

    /// The leaves of all distinct records in a quasi-identifier.
    pub fn leaves(&self, attribute: usize) -> &[u32] {
        &self.leaves[attribute]
    }

    /// How many records have each value, by code.
    pub fn value_counts(&self) -> &[u64] {
        &self.counts
    }

    /// To what degree a distinct record satisfies a conjunction: the product of memberships, 0 or 1 without fuzzy nodes.
    pub fn degree(&self, items: &[Item], record: usize) -> f64 {
        let item = |item: &Item| {
            self.attributes[item.attribute].membership(item.node, self.leaf(item.attribute, record))
        };
        items.iter().map(item).product()
    }
}

/// When a rule counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// How likely the value must have been to occur, were it not excluded.
    pub min_expectation: Exact,
    /// The least share of the records satisfying X that do not have the value; 1 allows no exception.
    pub min_confidence: Exact,
    /// The most items of a rule.
    pub max_length: usize,
    /// The chance that one mined rule or more is an accident, if `min_expectation` is to be raised until it is that small
    /// (Bonferroni's correction over all pairs of X and s that are tested).
    pub significance: Option<Exact>,
    /// The degree from which a record satisfies a fuzzy X; by default any positive one without exceptions, a half with.
    pub alpha: Option<Exact>,
}

impl Parameters {
    fn alpha(&self) -> f64 {
        match self.alpha {
            Some(alpha) => alpha.to_f64(),
            None if self.min_confidence == Exact::ONE => 0.0,
            None => 0.5,
        }
    }
}

/// An item of a rule: a node of a quasi-identifier's hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Item {
    /// The quasi-identifier's position.
    pub attribute: usize,
    /// The node, not the root.
    pub node: NodeId,
}

/// A mined rule: the records that satisfy all items do not have the value.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The conjunction, by rising attribute.
    pub items: Vec<Item>,
    /// The value that is excluded.
    pub value: u32,
    /// How many records satisfy the conjunction.
    pub support: f64,
    /// How many of them have the value all the same.
    pub exceptions: f64,
}

impl Rule {
    /// The share of the records satisfying the conjunction that do not have the value.
    pub fn confidence(&self) -> f64 {
        1.0 - self.exceptions / self.support
    }

    /// The chance that the value would have occurred by accident.
    pub fn expectation(&self, observations: &Observations) -> f64 {
        let share = observations.counts[self.value as usize] as f64 / observations.total as f64;
        -(self.support * (-share).ln_1p()).exp_m1()
    }
}

/// A rule as a rules file has it.
pub fn spell(observations: &Observations, items: &[Item], value: u32) -> RuleText {
    let item = |item: &Item| {
        let attribute = &observations.attributes[item.attribute];
        (attribute.name.clone(), attribute.taxonomy.label(item.node).to_string())
    };
    let value = observations.values.get(value as usize).cloned().unwrap_or_default();
    RuleText { items: items.iter().map(item).collect(), value, usually: false, line: None }
}
