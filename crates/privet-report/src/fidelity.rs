//! What an analyst still finds in a release, as data: distributions, associations and counts, before and after.

use serde::{Deserialize, Serialize};

use super::gate::InSteps;
use super::model::Distribution;

/// Smaller figures are those of rounding.
const NOISE: f64 = 1e-9;

/// What became of distributions, associations and counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// Distinct records that the figures rest on, where these are not all.
    pub sampled: Option<u64>,
    /// Whether records are sets of items: what is compared are items, then, and not columns.
    #[serde(default)]
    pub of_sets: bool,
    /// Each column by itself.
    pub marginals: Vec<Marginal>,
    /// Columns two by two.
    pub associations: Associations,
    /// How far answers to COUNT queries are off, by the number of conditions.
    pub queries: Vec<QueryErrors>,
}

/// A column by itself, as an analyst would estimate it who takes all values below a released label for equally likely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marginal {
    /// The total variation distance of the estimate to the original, from 0 (the same) to 1 (nothing in common).
    pub distance: f64,
    /// Both distributions, in groups where there are many values. Steward only: the release may hide these values.
    pub values: Distribution,
}

/// How strongly columns go together: Cramér's V of every two, with the correction for bias by Bergsma (2013), where a label is
/// shared out among the values it stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Associations {
    /// The columns.
    pub columns: Vec<String>,
    /// In the original, as a square matrix, row by row; `None` where there are too many values to tell.
    pub before: Vec<Option<f64>>,
    /// In the release; `None` also where no table has both columns.
    pub after: Vec<Option<f64>>,
}

/// How far answers to queries of one kind are off, relative to the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryErrors {
    /// How many columns each query has a condition on.
    pub conditions: u64,
    /// How many queries were asked.
    pub queries: u64,
    /// The least true answer among them that was allowed.
    pub least: u64,
    /// The error that 5, 25, 50, 75 and 95 in a hundred queries do not exceed.
    pub quantiles: [f64; 5],
    /// The mean error.
    pub mean: f64,
    /// The same errors as shares of all records instead of the truth, which is what the public may have of them.
    #[serde(default)]
    pub of_records: Option<Spread>,
}

/// How errors are spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The error that 5, 25, 50, 75 and 95 in a hundred queries do not exceed.
    pub quantiles: [f64; 5],
    /// The mean error.
    pub mean: f64,
}

/// What the public may have: shares of the records, in steps.
#[derive(Debug, Clone, PartialEq)]
pub struct CoarseFidelity {
    /// Whether records are sets of items.
    pub of_sets: bool,
    /// How far each column is off, by its name.
    pub marginals: Vec<(String, f64)>,
    /// How far counts are off, by the number of conditions.
    pub queries: Vec<(u64, Spread)>,
}

impl InSteps for Fidelity {
    type Coarse = CoarseFidelity;

    fn in_steps(self, step: &dyn Fn(f64) -> Option<f64>) -> Option<CoarseFidelity> {
        let marginal = |marginal: Marginal| Some((marginal.values.column, step(marginal.distance)?));
        let errors = |(conditions, spread): (u64, Spread)| {
            let [a, b, c, d, e] = spread.quantiles.map(step);
            Some((conditions, Spread { quantiles: [a?, b?, c?, d?, e?], mean: step(spread.mean)? }))
        };
        // Items are values: how far they are off has no name that could be given.
        let marginals = if self.of_sets { Vec::new() } else { self.marginals };
        let queries =
            self.queries.into_iter().filter_map(|errors| Some((errors.conditions, errors.of_records?)));
        Some(CoarseFidelity {
            of_sets: self.of_sets,
            marginals: marginals.into_iter().map(marginal).collect::<Option<_>>()?,
            queries: queries.map(errors).collect::<Option<_>>()?,
        })
    }
}

impl Marginal {
    /// The distance of two distributions with the same total, as shares.
    pub fn distance(differences: impl Iterator<Item = f64>) -> f64 {
        let distance = differences.map(f64::abs).sum::<f64>() / 2.0;
        if distance < NOISE { 0.0 } else { distance }
    }
}

impl Associations {
    /// Keeps the columns with some names, and what is known about two of them.
    pub(super) fn retain_columns(&mut self, keeps: &dyn Fn(&String) -> bool) {
        let width = self.columns.len();
        let kept: Vec<usize> = (0..width).filter(|at| keeps(&self.columns[*at])).collect();
        if kept.len() == width {
            return;
        }
        let part = |matrix: &[Option<f64>]| {
            let pairs = kept.iter().flat_map(|a| kept.iter().map(move |b| a * width + b));
            pairs.map(|pair| matrix.get(pair).copied().flatten()).collect()
        };
        (self.before, self.after) = (part(&self.before), part(&self.after));
        self.columns.retain(keeps);
    }
}

impl QueryErrors {
    /// Sums up the errors of queries with this many conditions and a true answer of at least `least`, among this many records at
    /// most; `None` where there are none. An error is a difference and the truth.
    pub fn of(conditions: usize, least: f64, errors: &[(f64, f64)], records: f64) -> Option<QueryErrors> {
        let relative = Spread::of(errors.iter().map(|(difference, truth)| difference / truth).collect())?;
        let of_records = errors.iter().map(|(difference, _)| difference / records.max(1.0)).collect();
        Some(QueryErrors {
            conditions: conditions as u64,
            queries: errors.len() as u64,
            least: least as u64,
            quantiles: relative.quantiles,
            mean: relative.mean,
            of_records: Spread::of(of_records),
        })
    }
}

impl Spread {
    fn of(mut errors: Vec<f64>) -> Option<Spread> {
        // Sums of floats are off in their last bits; that is not an error of the release.
        errors.iter_mut().filter(|error| **error < NOISE).for_each(|error| *error = 0.0);
        errors.sort_by(f64::total_cmp);
        let last = errors.len().checked_sub(1)?;
        let quantile = |percent: usize| errors[(last * percent + 50) / 100];
        Some(Spread {
            quantiles: [5, 25, 50, 75, 95].map(quantile),
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
        })
    }
}
