//! What an adversary believes before they see the release, as exact shares with one denominator.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use super::links::{Linked, ones};
use privet_data::Knowledge;

/// Each label's prior.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// Per label.
    pub numerators: Vec<BigUint>,
    /// For all of them.
    pub denominator: BigUint,
}

impl Prior {
    /// All labels are equally likely.
    pub fn uniform(labels: usize) -> Prior {
        Prior { numerators: vec![BigUint::from(1u8); labels], denominator: BigUint::from(labels.max(1)) }
    }

    /// What the knowledge file says; `None` where it has no weights.
    pub fn weighted(knowledge: &Knowledge) -> Option<Prior> {
        let weights = knowledge.weights()?;
        let common = weights
            .iter()
            .fold(BigUint::from(1u8), |common, weight| common.lcm(&BigUint::from(weight.denominator())));
        let numerators: Vec<BigUint> = (weights.iter())
            .map(|weight| &common / BigUint::from(weight.denominator()) * weight.numerator())
            .collect();
        let denominator: BigUint = numerators.iter().sum();
        (!denominator.is_zero()).then_some(Prior { numerators, denominator })
    }

    /// The largest whole numbers of `1/scale` that are not above the priors.
    pub fn scaled(&self, scale: u64) -> Vec<u64> {
        let scaled = |numerator: &BigUint| (numerator * scale / &self.denominator).to_u64().unwrap_or(scale);
        self.numerators.iter().map(scaled).collect()
    }

    /// The priors as floating point: for display only.
    pub fn to_f64(&self) -> Vec<f64> {
        const SCALE: u64 = 1 << 52;
        self.scaled(SCALE).into_iter().map(|share| share as f64 / SCALE as f64).collect()
    }
}

/// Counts what the records of a table link to, for the prior that is the mean over it.
#[derive(Debug, Clone)]
pub struct PriorCounter {
    records: u64,
    unlinked: u64,
    labels: usize,
    /// By |K|: per label, how many records with a K of that size link to it.
    by_size: BTreeMap<u32, Vec<u64>>,
}

impl PriorCounter {
    /// Nothing counted yet.
    pub fn new(labels: usize) -> PriorCounter {
        PriorCounter { records: 0, unlinked: 0, labels, by_size: BTreeMap::new() }
    }

    /// Counts this many records that link to the same labels.
    pub fn add(&mut self, linked: &Linked, records: u64) {
        self.records += records;
        if linked.size > 0 {
            let counts = self.by_size.entry(linked.size).or_insert_with(|| vec![0; self.labels]);
            ones(&linked.bits).for_each(|label| counts[label] += records);
        } else {
            self.unlinked += records;
        }
    }

    /// How many records link to nothing.
    pub fn unlinked(&self) -> u64 {
        self.unlinked
    }

    /// The mean over all records.
    pub fn finish(self) -> Prior {
        let common =
            self.by_size.keys().fold(BigUint::from(1u8), |common, size| common.lcm(&BigUint::from(*size)));
        let mut numerators = vec![BigUint::zero(); self.labels];
        for (size, counts) in &self.by_size {
            let share = &common / size;
            for (numerator, count) in numerators.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
                *numerator += &share * count;
            }
        }
        Prior { numerators, denominator: common * self.records.max(1) }
    }
}
