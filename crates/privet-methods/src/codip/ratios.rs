//! The mutual information of all pairs of attributes, counted once. The association loss and information exposure of
//! any plan follow from it.

use rayon::prelude::*;

use super::attributes::SensitiveAttribute;
use privet_engine::loss::association::association_loss;
use privet_engine::microdata::Microdata;
use privet_engine::privacy::exposure::{Exposable, information_exposure};
use privet_engine::privacy::information::{Joint, count_pairs};

/// A plan: the sensitive attributes, by position, in disjoint subsets. The subsets and their members are sorted.
pub type ProjectionPlan = Vec<Vec<usize>>;

/// Attributes with few values are packed together, up to this many combined values.
const PACK: usize = 256;

/// Several attributes with few values that are counted as one. Two packs have far fewer pairs of values than there are
/// records, and the pairs of all their attributes follow from these. So the records are scanned once per pair of packs
/// instead of once per pair of attributes.
struct AttributePack {
    /// The attributes, each with its code for every code of the pack.
    members: Vec<(usize, Vec<u32>)>,
    /// How often each code of the pack occurs.
    counts: Vec<u64>,
    /// The code of every distinct record.
    codes: Vec<u32>,
}

/// Distributes attributes over packs: those with most values first, each into the first pack with enough space.
fn packs(attributes: usize, values: impl Fn(usize) -> usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..attributes).collect();
    order.sort_by_key(|at| std::cmp::Reverse(values(*at)));
    let mut packs: Vec<(usize, Vec<usize>)> = Vec::new();
    for at in order {
        match packs.iter_mut().find(|(size, _)| size.saturating_mul(values(at)) <= PACK) {
            Some((size, members)) => {
                *size *= values(at);
                members.push(at);
            }
            None => packs.push((values(at), vec![at])),
        }
    }
    packs.into_iter().map(|(_, members)| members).collect()
}

/// The contribution of a summary column to the code of a pack: the column, and an amount per code.
type Amounts = (usize, Vec<u32>);

/// The contributions of the summary's columns to the code of a pack with these members. Attributes derived from one
/// column contribute together.
fn amounts(microdata: &Microdata, attributes: &[SensitiveAttribute], members: &[usize]) -> Vec<Amounts> {
    let mut step = 1;
    let mut all: Vec<Amounts> = Vec::new();
    for at in members {
        let tracked = attributes[*at].tracked;
        let coding = microdata.coding(tracked);
        let place = all.iter().position(|(column, _)| *column == coding.column).unwrap_or_else(|| {
            let values = microdata.summary.columns()[coding.column].dictionary.len();
            all.push((coding.column, vec![0; values]));
            all.len() - 1
        });
        for (code, amount) in (0..).zip(&mut all[place].1) {
            *amount += step * coding.code(code);
        }
        step *= microdata.table.tracked[tracked].values.len() as u32;
    }
    all
}

impl AttributePack {
    /// Packs of attributes, filled in one pass over the records.
    fn all(
        microdata: &Microdata,
        attributes: &[SensitiveAttribute],
        packs: Vec<Vec<usize>>,
    ) -> Vec<AttributePack> {
        let summary = &microdata.summary;
        let size = |at: usize| microdata.table.tracked[attributes[at].tracked].values.len();
        let empty = |members: &Vec<usize>| {
            let values: usize = members.iter().map(|at| size(*at)).product();
            let mut step = 1;
            let own = members.iter().map(|at| {
                let own = (0..values).map(|code| (code / step % size(*at)) as u32).collect();
                step *= size(*at);
                (*at, own)
            });
            AttributePack {
                members: own.collect(),
                counts: vec![0; values],
                codes: Vec::with_capacity(summary.len()),
            }
        };
        let mut filled: Vec<(Vec<Amounts>, AttributePack)> =
            packs.iter().map(|members| (amounts(microdata, attributes, members), empty(members))).collect();
        for record in 0..summary.len() {
            let (codes, count) = (summary.record(record), summary.count(record));
            for (amounts, pack) in &mut filled {
                let code = amounts.iter().map(|(column, amounts)| amounts[codes[*column] as usize]).sum();
                pack.counts[code as usize] += count;
                pack.codes.push(code);
            }
        }
        filled.into_iter().map(|(_, pack)| pack).collect()
    }

    /// The pairs of codes of two packs that occur, with counts; for a pack and itself, its codes.
    fn pairs_with(&self, other: &AttributePack, counts: &[u64]) -> Vec<((u32, u32), u64)> {
        if std::ptr::eq(self, other) {
            let codes = (0u32..).zip(&self.counts).filter(|(_, count)| **count > 0);
            return codes.map(|(code, count)| ((code, code), *count)).collect();
        }
        let records = self.codes.iter().zip(&other.codes).zip(counts);
        let records = records.map(|((a, b), count)| (*a, *b, *count));
        count_pairs((self.counts.len(), other.counts.len()), records)
    }

    /// The mutual information of each attribute with each of the other pack, or of all pairs within this one.
    fn information_with<'t>(
        &self,
        other: &AttributePack,
        counts: &[u64],
        totals: &impl Fn(usize) -> &'t [u64],
    ) -> Vec<((usize, usize), f64)> {
        let cells = self.pairs_with(other, counts);
        let mut found = Vec::new();
        for (a, of_first) in &self.members {
            for (b, of_second) in &other.members {
                // Within a pack every pair occurs twice.
                if std::ptr::eq(self, other) && a >= b {
                    continue;
                }
                let records = cells.iter().map(|((first, second), count)| {
                    (of_first[*first as usize], of_second[*second as usize], *count)
                });
                found.push(((*a, *b), Joint::count(totals(*a), totals(*b), records).mutual_information()));
            }
        }
        found
    }
}

/// Mutual and exposable information of all pairs of attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct PairInformation {
    attributes: usize,
    /// I of each pair, as a square matrix.
    information: Vec<f64>,
    /// E of each pair, as a square matrix.
    exposable: Vec<f64>,
}

impl PairInformation {
    /// Counts the pairs of a table's attributes.
    pub fn of(microdata: &Microdata, attributes: &[SensitiveAttribute]) -> PairInformation {
        let totals = |at: usize| microdata.table.tracked[attributes[at].tracked].totals.as_slice();
        let own: Vec<Exposable> = (0..attributes.len())
            .map(|at| Exposable::of(totals(at), |value| attributes[at].sensitive[value]))
            .collect();
        let packs = AttributePack::all(microdata, attributes, packs(attributes.len(), |at| totals(at).len()));
        let counts: Vec<u64> =
            (0..microdata.summary.len()).map(|record| microdata.summary.count(record)).collect();
        let both: Vec<(usize, usize)> =
            (0..packs.len()).flat_map(|a| (a..packs.len()).map(move |b| (a, b))).collect();
        let shared = |&(a, b): &(usize, usize)| packs[a].information_with(&packs[b], &counts, &totals);
        let shared: Vec<Vec<((usize, usize), f64)>> = both.par_iter().map(shared).collect();
        let pairs = shared.into_iter().flatten();
        PairInformation::new(
            attributes.len(),
            pairs.map(|((a, b), shared)| ((a, b), shared, own[a].with(&own[b], shared))),
        )
    }

    /// Builds the table from pairs of attributes with their mutual and exposable information.
    pub fn new(
        attributes: usize,
        pairs: impl Iterator<Item = ((usize, usize), f64, f64)>,
    ) -> PairInformation {
        let mut information = vec![0.0; attributes * attributes];
        let mut exposable = information.clone();
        for ((a, b), shared, exposed) in pairs {
            for at in [a * attributes + b, b * attributes + a] {
                information[at] = shared;
                exposable[at] = exposed;
            }
        }
        PairInformation { attributes, information, exposable }
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

    /// One table per attribute, where every search begins.
    pub fn singletons(&self) -> ProjectionPlan {
        (0..self.attributes).map(|attribute| vec![attribute]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_stay_small_and_large_attributes_are_alone() {
        let values = [300, 2, 16, 2, 8, 1000];
        let found = packs(values.len(), |at| values[at]);
        assert_eq!(found, vec![vec![5], vec![0], vec![2, 4, 1], vec![3]]);
    }
}
