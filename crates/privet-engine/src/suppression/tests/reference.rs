//! The straightforward version: sets of terms, fractions of any size, a pass over the whole knowledge for every try.

use std::collections::BTreeSet;

use hashbrown::HashSet;
use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::Zero;

use super::{Case, name};
use crate::privacy::quasi_sensitive::PriorKind;

/// A fraction of any size.
pub(super) type BigRational = Ratio<BigInt>;

fn fraction(over: u64, under: u64) -> BigRational {
    BigRational::new(BigInt::from(over), BigInt::from(under))
}

/// The case with its terms spelt out.
pub(crate) struct Naive {
    labels: Vec<BTreeSet<String>>,
    mentioned: BTreeSet<String>,
    pub records: Vec<Vec<String>>,
    case: Case,
    prior: Vec<BigRational>,
}

impl Naive {
    pub fn of(case: &Case) -> Naive {
        let labels: Vec<BTreeSet<String>> =
            case.labels.iter().map(|terms| terms.iter().copied().map(name).collect()).collect();
        let mentioned = labels.iter().flatten().cloned().collect();
        let record = |(terms, unknown): &(Vec<u8>, u32)| {
            let ghosts = (0..*unknown).map(|ghost| format!("ghost{ghost}"));
            terms.iter().copied().map(name).chain(ghosts).collect()
        };
        let records: Vec<Vec<String>> = case.records.iter().map(record).collect();
        let mut naive = Naive { labels, mentioned, records, case: case.clone(), prior: Vec::new() };
        let uniform = || vec![fraction(1, naive.labels.len() as u64); naive.labels.len()];
        naive.prior = match case.closeness {
            Some((_, PriorKind::Microdata)) => {
                let mut all = naive.records.clone();
                all.push(Vec::new());
                naive.posterior(&all)
            }
            _ => uniform(),
        };
        naive
    }

    fn links(&self, record: &[String]) -> Vec<usize> {
        let relevant: Vec<&String> =
            record.iter().filter(|term| self.case.strict || self.mentioned.contains(*term)).collect();
        (0..self.labels.len())
            .filter(|label| relevant.iter().all(|term| self.labels[*label].contains(*term)))
            .collect()
    }

    fn posterior(&self, records: &[Vec<String>]) -> Vec<BigRational> {
        let mut posterior = vec![BigRational::zero(); self.labels.len()];
        for record in records {
            let links = self.links(record);
            for label in &links {
                posterior[*label] += fraction(1, links.len() as u64) * fraction(1, records.len() as u64);
            }
        }
        posterior
    }

    /// Whether the requirements hold for these records.
    pub fn holds(&self, records: &[Vec<String>]) -> bool {
        let posterior = self.posterior(records);
        let diverse = self.case.diversity.is_none_or(|((over, under), l)| {
            let mut positive: Vec<&BigRational> = posterior.iter().filter(|p| !p.is_zero()).collect();
            positive.sort_by(|a, b| b.cmp(a));
            let tail = positive.iter().skip(l - 1).fold(BigRational::zero(), |sum, p| sum + *p);
            positive.is_empty() || positive.len() >= l && *positive[0] <= fraction(over, under) * tail
        });
        let close = self.case.closeness.is_none_or(|((over, under), _)| {
            let squares = self.prior.iter().zip(&posterior).map(|(a, b)| (a - b) * (a - b));
            squares.fold(BigRational::zero(), |sum, square| sum + square)
                <= fraction(over, under) * fraction(over, under)
        });
        diverse && close
    }

    /// The least cost of all removals that are enough.
    pub fn optimum(&self) -> Option<BigRational> {
        let occurrences: Vec<(usize, usize)> = (self.records.iter().enumerate())
            .flat_map(|(record, terms)| (0..terms.len()).map(move |place| (record, place)))
            .collect();
        (0u32..1 << occurrences.len())
            .filter_map(|choice| {
                let mut records: Vec<Vec<Option<&String>>> =
                    self.records.iter().map(|terms| terms.iter().map(Some).collect()).collect();
                let mut cost = BigRational::zero();
                for (at, (record, place)) in occurrences.iter().enumerate() {
                    if choice >> at & 1 == 1 {
                        let left = records[*record].iter().flatten().count();
                        cost += fraction(1, left as u64);
                        records[*record][*place] = None;
                    }
                }
                let records: Vec<Vec<String>> = records
                    .iter()
                    .map(|terms| terms.iter().flatten().map(|term| (*term).clone()).collect())
                    .collect();
                self.holds(&records).then_some(cost)
            })
            .min()
    }
}

/// Whether a group of records is diverse, in floating point and by a pass over the whole knowledge: what one would write
/// first. For comparing speeds only.
pub(crate) fn is_diverse_by_passes(labels: &[HashSet<u8>], records: &[Vec<u8>], c: f64, l: usize) -> bool {
    let mut posterior = vec![0.0; labels.len()];
    for record in records {
        let links: Vec<usize> = (0..labels.len())
            .filter(|label| record.iter().all(|term| labels[*label].contains(term)))
            .collect();
        for label in &links {
            posterior[*label] += 1.0 / (links.len() * records.len()) as f64;
        }
    }
    posterior.retain(|p| *p > 0.0);
    posterior.sort_by(|a, b| b.total_cmp(a));
    let tail: f64 = posterior.iter().skip(l - 1).sum();
    posterior.is_empty() || posterior.len() >= l && posterior[0] <= c * tail
}
