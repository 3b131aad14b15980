//! Entropy and mutual information of columns (Cover and Thomas, *Elements of Information Theory*), in nats.
//!
//! With N records, n_i of them with value i of A, n_j with value j of B and n_ij with both:
//! - H(A) = −Σ (n_i/N) log (n_i/N);
//! - I(A, B) = Σ (n_ij/N) log (n_ij·N / (n_i·n_j)): what one column tells about the other, 0 iff they are independent.
//!
//! The terms of I have both signs, and where columns are nearly independent they cancel to far less than their rounding. So
//! each is taken as (n_ij/N) log (n_ij·N / (n_i·n_j)) − n_ij/N + n_i·n_j/N², which is never negative; what is added has the sum
//! 0 over all pairs of values, those that do not occur included.
//!
//! Sums are taken in the order of their terms' sizes, so that columns with the same counts in any order have the same
//! entropy to the last bit, and ties between pairs of columns are ties.

use std::collections::BTreeMap;

/// Pairs of values up to which a joint distribution is counted in a matrix.
const MOST_DENSE: usize = 1 << 22;

/// The entropy of a column whose values occur so often.
///
/// ```
/// use privet_engine::privacy::information::entropy;
/// assert!((entropy(&[2, 2]) - 2f64.ln()).abs() < 1e-15);
/// assert_eq!(entropy(&[4, 0]), 0.0);
/// ```
pub fn entropy(counts: &[u64]) -> f64 {
    let all: u64 = counts.iter().sum();
    let term = |count: &u64| *count as f64 / all as f64 * (all as f64 / *count as f64).ln();
    sum(counts.iter().filter(|count| **count > 0).map(term).collect())
}

/// How often each pair of values of two columns occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint<'a> {
    /// How often each value of the first column occurs.
    first: &'a [u64],
    /// How often each value of the second column occurs.
    second: &'a [u64],
    /// Pairs that occur, with how often.
    pairs: Vec<((u32, u32), u64)>,
}

impl<'a> Joint<'a> {
    /// Counts records, given how often each value of either column occurs in them: the codes of both columns, and how often
    /// the record occurs.
    pub fn count(
        first: &'a [u64],
        second: &'a [u64],
        records: impl Iterator<Item = (u32, u32, u64)>,
    ) -> Joint<'a> {
        Joint { first, second, pairs: count_pairs((first.len(), second.len()), records) }
    }
}

/// Counts the pairs of codes that occur, in their order; `sizes` are the numbers of codes.
pub fn count_pairs(
    sizes: (usize, usize),
    records: impl Iterator<Item = (u32, u32, u64)>,
) -> Vec<((u32, u32), u64)> {
    let width = sizes.1;
    if sizes.0.saturating_mul(width) > MOST_DENSE {
        let mut sparse: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        records.for_each(|(a, b, count)| *sparse.entry((a, b)).or_default() += count);
        return sparse.into_iter().collect();
    }
    let mut matrix = vec![0u64; sizes.0 * width];
    records.for_each(|(a, b, count)| matrix[a as usize * width + b as usize] += count);
    let counted = matrix.into_iter().enumerate().filter(|(_, count)| *count > 0);
    counted.map(|(at, count)| (((at / width) as u32, (at % width) as u32), count)).collect()
}

impl Joint<'_> {
    /// The mutual information of the two columns.
    pub fn mutual_information(&self) -> f64 {
        let all: u64 = self.first.iter().sum();
        let square = u128::from(all) * u128::from(all);
        let (mut terms, mut absent) = (Vec::with_capacity(self.pairs.len() + 1), square);
        for ((first, second), count) in &self.pairs {
            let (first, second) = (self.first[*first as usize], self.second[*second as usize]);
            let (seen, expected) =
                (u128::from(*count) * u128::from(all), u128::from(first) * u128::from(second));
            terms.push(excess(seen, expected) * (expected as f64 / square as f64));
            absent = absent.saturating_sub(expected);
        }
        terms.push(absent as f64 / square.max(1) as f64);
        sum(terms)
    }
}

/// Ratios closer to 1 than this are taken by a series.
const NEAR: f64 = 1e-3;

/// r·log r − r + 1 of the ratio r of what is seen to what is expected: 0 iff they are the same, else positive.
fn excess(seen: u128, expected: u128) -> f64 {
    let difference = seen.abs_diff(expected) as f64 / expected as f64;
    let x = if seen < expected { -difference } else { difference };
    if difference < NEAR {
        // x²/2 − x³/6 + x⁴/12 − …, where the logarithm would lose the digits that count.
        return x * x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 12.0 - x * (0.05 - x / 30.0))));
    }
    let ratio = seen as f64 / expected as f64;
    ratio * ratio.ln() - x
}

fn sum(mut terms: Vec<f64>) -> f64 {
    terms.sort_unstable_by(f64::total_cmp);
    terms.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn information(records: &[(u32, u32)]) -> f64 {
        let (mut first, mut second) = ([0; 4], [0; 5]);
        for (a, b) in records {
            first[*a as usize] += 1;
            second[*b as usize] += 1;
        }
        Joint::count(&first, &second, records.iter().map(|(a, b)| (*a, *b, 1))).mutual_information()
    }

    #[test]
    fn a_copy_tells_everything_and_a_coin_nothing() {
        let copy = information(&[(0, 0), (1, 1), (1, 1), (3, 4)]);
        assert!((copy - entropy(&[1, 2, 0, 1])).abs() < 1e-15);
        assert_eq!(information(&[(0, 0), (0, 1), (1, 0), (1, 1)]), 0.0);
        let constant = information(&[(0, 2), (1, 2), (2, 2)]);
        assert_eq!(constant, 0.0);
    }

    #[test]
    fn pairs_are_the_same_in_a_matrix_and_without_one() {
        let records = || [(3, 1, 2), (0, 4, 1), (3, 1, 5), (2, 0, 1)].into_iter();
        let expected = vec![((0, 4), 1), ((2, 0), 1), ((3, 1), 7)];
        assert_eq!(count_pairs((4, 5), records()), expected);
        assert_eq!(count_pairs((MOST_DENSE, 5), records()), expected);
    }

    #[test]
    fn a_tiny_association_keeps_its_digits() {
        // n_ij·N / (n_i·n_j) is 1 ± 4/N for every pair, so that I = 8/N² but for smaller powers.
        let all = 4_000_000u64;
        let half = [all / 2, all / 2];
        let records = [(0, 0, 1i64), (0, 1, -1), (1, 0, -1), (1, 1, 1)];
        let records = records.into_iter().map(|(a, b, more)| (a, b, (all / 4).saturating_add_signed(more)));
        let found = Joint::count(&half, &half, records).mutual_information();
        assert!((found * (all as f64).powi(2) / 8.0 - 1.0).abs() < 1e-9, "{found}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// I = H(A) + H(B) − H(A, B), the other way to define it; between 0 and the smaller entropy; the same both ways.
        #[test]
        fn mutual_information_is_what_entropies_have_in_common(
            records in prop::collection::vec((0u32..4, 0u32..4), 1..40),
        ) {
            let count = |of: &dyn Fn(&(u32, u32)) -> u32| {
                let mut counts = vec![0u64; 16];
                records.iter().for_each(|record| counts[of(record) as usize] += 1);
                entropy(&counts)
            };
            let (first, second) = (count(&|record| record.0), count(&|record| record.1));
            let both = count(&|record| record.0 * 4 + record.1);
            let found = information(&records);
            prop_assert!((found - (first + second - both)).abs() < 1e-12);
            prop_assert!((0.0..=first.min(second) + 1e-12).contains(&found));
            let turned: Vec<(u32, u32)> = records.iter().rev().map(|(first, second)| (*second, *first)).collect();
            prop_assert_eq!(information(&turned).to_bits(), found.to_bits());
        }
    }
}
