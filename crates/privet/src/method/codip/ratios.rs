//! What pairs of attributes tell about each other, counted once; association loss and information exposure of any plan
//! follow from it.

use rayon::prelude::*;

use super::attributes::Attribute;
use crate::engine::microdata::Microdata;
use crate::loss::association::association_loss;
use crate::privacy::exposure::{Exposable, information_exposure};
use crate::privacy::information::Joint;

/// A plan: the sensitive attributes, by their positions, in disjoint subsets. Subsets and what is in them are sorted.
pub type Plan = Vec<Vec<usize>>;

/// Mutual and exposable information of all pairs of attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratios {
    attributes: usize,
    /// I of each pair, as a square matrix.
    information: Vec<f64>,
    /// E of each pair, likewise.
    exposable: Vec<f64>,
}

impl Ratios {
    /// Counts the pairs of a table's attributes.
    pub fn of(microdata: &Microdata, attributes: &[Attribute]) -> Ratios {
        let records = microdata.summary.len();
        let codes = |attribute: &Attribute| -> Vec<u32> {
            (0..records).map(|record| microdata.tracked_code(record, attribute.tracked)).collect()
        };
        let codes: Vec<Vec<u32>> = attributes.par_iter().map(codes).collect();
        let counts: Vec<u64> = (0..records).map(|record| microdata.summary.count(record)).collect();
        let totals = |at: usize| &microdata.table.tracked[attributes[at].tracked].totals;
        let own: Vec<Exposable> = (0..attributes.len())
            .map(|at| Exposable::of(totals(at), |value| attributes[at].sensitive[value]))
            .collect();
        let all: Vec<(usize, usize)> =
            (0..attributes.len()).flat_map(|a| (a + 1..attributes.len()).map(move |b| (a, b))).collect();
        let pair = |&(a, b): &(usize, usize)| {
            let records = codes[a].iter().zip(&codes[b]).zip(&counts);
            let records = records.map(|((a, b), count)| (*a, *b, *count));
            Joint::count(totals(a), totals(b), records).mutual_information()
        };
        let shared: Vec<f64> = all.par_iter().map(pair).collect();
        let pairs = all.into_iter().zip(shared);
        Ratios::new(
            attributes.len(),
            pairs.map(|((a, b), shared)| ((a, b), shared, own[a].with(&own[b], shared))),
        )
    }

    /// From the pairs themselves: two attributes with their mutual and their exposable information.
    pub fn new(attributes: usize, pairs: impl Iterator<Item = ((usize, usize), f64, f64)>) -> Ratios {
        let mut information = vec![0.0; attributes * attributes];
        let mut exposable = information.clone();
        for ((a, b), shared, exposed) in pairs {
            for at in [a * attributes + b, b * attributes + a] {
                information[at] = shared;
                exposable[at] = exposed;
            }
        }
        Ratios { attributes, information, exposable }
    }

    /// The number of attributes.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// The mutual information of two attributes.
    pub fn information(&self, a: usize, b: usize) -> f64 {
        self.information[a * self.attributes + b]
    }

    /// The exposable information of two attributes.
    pub fn exposable(&self, a: usize, b: usize) -> f64 {
        self.exposable[a * self.attributes + b]
    }

    /// Γα, the association loss of a plan.
    pub fn association_loss(&self, plan: &[Vec<usize>]) -> f64 {
        association_loss(plan, self.attributes, |a, b| self.information(a, b))
    }

    /// Γβ, the information exposure of a plan.
    pub fn information_exposure(&self, plan: &[Vec<usize>]) -> f64 {
        information_exposure(plan, self.attributes, |a, b| self.exposable(a, b))
    }

    /// A table per attribute, where every search begins.
    pub fn singletons(&self) -> Plan {
        (0..self.attributes).map(|attribute| vec![attribute]).collect()
    }
}
