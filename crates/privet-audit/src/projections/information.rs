//! Association loss and information exposure, worked out again from what pairs of attributes tell about each other.
//!
//! With N records, n_a of them with one value of A, n_b with one of B and n_ab with both:
//! - I(A, B) = Σ p·ln(p/q) with p = n_ab/N and q = n_a·n_b/N². Over all cells p and q have the same sum, so this is
//!   Σ (p·ln(p/q) − p + q), of which no term is negative: nothing cancels, and the sum is 0 exactly where all cells are as
//!   independence has them;
//! - H(A) − I(A, B) = H(A | B) = Σ p·ln(n_b/n_ab), of which no term is negative either: 0 exactly where A follows from B.

use std::collections::BTreeMap;

use super::book::ProjectionBook;

/// Mutual and exposable information of all pairs of attributes.
pub(super) struct Ratios {
    attributes: usize,
    /// By two attributes, the first smaller.
    pairs: BTreeMap<(usize, usize), AttributePair>,
}

struct AttributePair {
    information: f64,
    exposable: f64,
}

/// Up to this many pairs of values are counted in a matrix; beyond, only those that occur.
const MOST_COUNTED: usize = 1 << 22;

/// Not `sum`, which is −0 where there is nothing.
fn total(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |sum, term| sum + term)
}

/// An attribute of the records.
struct AttributeColumn<'a> {
    /// The value of every distinct record, by number.
    codes: Vec<u32>,
    /// How often each value occurs.
    counts: Vec<u64>,
    /// The share of records whose value needs protection.
    sensitive: f64,
    /// How often each distinct record occurs.
    people: &'a [u64],
}

/// A pair of values that occurs: how often, and how often each of the two does.
struct Met {
    both: u64,
    first: u64,
    second: u64,
}

impl<'a> AttributeColumn<'a> {
    fn of(book: &ProjectionBook, attribute: usize, people: &'a [u64]) -> AttributeColumn<'a> {
        let (place, records) = (book.quasi.len() + attribute, &book.table.records);
        let codes: Vec<u32> = records.ids().map(|id| records.get(id)[place]).collect();
        let mut counts = vec![0u64; book.values[attribute].len()];
        codes.iter().zip(people).for_each(|(code, n)| counts[*code as usize] += n);
        let insensitive = &book.attributes[attribute].insensitive;
        let texts = book.values[attribute].texts();
        let sensitive: u64 =
            counts.iter().zip(texts).filter(|(_, text)| !insensitive.contains(*text)).map(|(n, _)| n).sum();
        AttributeColumn { codes, counts, sensitive: sensitive as f64 / book.rows().max(1) as f64, people }
    }

    /// The pairs of values that occur.
    fn meet(&self, other: &AttributeColumn<'_>) -> Vec<Met> {
        let records = self.codes.iter().zip(&other.codes).zip(self.people);
        let width = other.counts.len();
        let met = |a: usize, b: usize, both| Met { both, first: self.counts[a], second: other.counts[b] };
        if self.counts.len().saturating_mul(width) > MOST_COUNTED {
            let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            records.for_each(|((a, b), n)| *counts.entry((*a, *b)).or_default() += n);
            return counts.into_iter().map(|((a, b), both)| met(a as usize, b as usize, both)).collect();
        }
        let mut counts = vec![0u64; self.counts.len() * width];
        records.for_each(|((a, b), n)| counts[*a as usize * width + *b as usize] += n);
        let found = counts.into_iter().enumerate().filter(|(_, both)| *both > 0);
        found.map(|(at, both)| met(at / width, at % width, both)).collect()
    }
}

/// (1 + x)·ln(1 + x) − x, which near 0 is about x²/2.
fn divergence(x: f64) -> f64 {
    if x.abs() < 1e-3 {
        return x * x * (1.0 / 2.0 - x * (1.0 / 6.0 - x * (1.0 / 12.0 - x * (1.0 / 20.0 - x / 30.0))));
    }
    (1.0 + x) * x.ln_1p() - x
}

/// I of two attributes, from how many records have each pair of values.
fn information(met: &[Met], records: u64) -> f64 {
    let all = u128::from(records) * u128::from(records);
    let mut unmet = all;
    let terms: Vec<f64> = (met.iter())
        .map(|cell| {
            let by_chance = u128::from(cell.first) * u128::from(cell.second);
            unmet = unmet.saturating_sub(by_chance);
            let found = u128::from(cell.both) * u128::from(records);
            // p/q − 1, from a difference of whole numbers.
            let above = if found < by_chance { -1.0 } else { 1.0 } * found.abs_diff(by_chance) as f64;
            by_chance as f64 / all as f64 * divergence(above / by_chance as f64)
        })
        .collect();
    // Cells that nobody is in: each adds its q.
    total(terms.into_iter().chain([unmet as f64 / all.max(1) as f64]))
}

/// H of the attribute that `given` does not count, where the other is known.
fn left_open(met: &[Met], records: u64, given: impl Fn(&Met) -> u64) -> f64 {
    let term = |cell: &Met| cell.both as f64 / records as f64 * (given(cell) as f64 / cell.both as f64).ln();
    total(met.iter().map(term))
}

impl Ratios {
    pub fn of(book: &ProjectionBook) -> Ratios {
        let (records, rows) = (&book.table.records, book.rows());
        let attributes = book.attributes.len();
        let people: Vec<u64> = records.ids().map(|id| records.count(id)).collect();
        let columns: Vec<AttributeColumn<'_>> =
            (0..attributes).map(|attribute| AttributeColumn::of(book, attribute, &people)).collect();
        let mut pairs = BTreeMap::new();
        for (a, first) in columns.iter().enumerate() {
            for (b, second) in columns.iter().enumerate().skip(a + 1) {
                let met = first.meet(second);
                let exposable = first.sensitive * left_open(&met, rows, |cell| cell.second)
                    + second.sensitive * left_open(&met, rows, |cell| cell.first);
                pairs.insert((a, b), AttributePair { information: information(&met, rows), exposable });
            }
        }
        Ratios { attributes, pairs }
    }

    /// Σ I over pairs in different tables / Σ I over all pairs.
    pub fn association_loss(&self, plan: &[Vec<usize>]) -> f64 {
        let together = |a: &usize, b: &usize| plan.iter().any(|table| table.contains(a) && table.contains(b));
        let all = total(self.pairs.values().map(|pair| pair.information));
        let split = self.pairs.iter().filter(|((a, b), _)| !together(a, b));
        let split = total(split.map(|(_, pair)| pair.information));
        if all == 0.0 { 0.0 } else { split / all }
    }

    /// Σ over tables of Σ E over their pairs / Σ E over all pairs · the share of attributes that they have.
    pub fn information_exposure(&self, plan: &[Vec<usize>]) -> f64 {
        let all = total(self.pairs.values().map(|pair| pair.exposable));
        if all == 0.0 {
            return 0.0;
        }
        let exposed = |table: &Vec<usize>| {
            let inside = self.pairs.iter().filter(|((a, b), _)| table.contains(a) && table.contains(b));
            total(inside.map(|(_, pair)| pair.exposable))
        };
        total(plan.iter().map(|table| exposed(table) / all * table.len() as f64 / self.attributes as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of a matrix of counts.
    fn met(matrix: &[&[u64]]) -> (Vec<Met>, u64) {
        let row = |at: usize| matrix[at].iter().sum::<u64>();
        let column = |at: usize| matrix.iter().map(|row| row[at]).sum::<u64>();
        let cells = (matrix.iter().enumerate())
            .flat_map(|(a, cells)| cells.iter().enumerate().map(move |(b, both)| (a, b, *both)))
            .filter(|(_, _, both)| *both > 0);
        let met = cells.map(|(a, b, both)| Met { both, first: row(a), second: column(b) }).collect();
        (met, matrix.iter().flat_map(|row| row.iter()).sum())
    }

    #[test]
    fn what_is_independent_tells_nothing_and_what_follows_leaves_nothing_open() {
        for (a, b) in [(2u64, 3u64), (7, 100), (31, 31), (1, 5)] {
            let rows: Vec<Vec<u64>> = (1..=a).map(|i| (1..=b).map(|j| i * j * j).collect()).collect();
            let (met, records) = met(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
            assert_eq!(information(&met, records), 0.0, "{a} by {b}");
        }
        // The second follows from the first, not the other way round.
        let (met, records) = met(&[&[3, 0], &[0, 5], &[7, 0]]);
        assert_eq!(left_open(&met, records, |cell| cell.first), 0.0);
        let open = left_open(&met, records, |cell| cell.second);
        let entropy = |share: f64| -share * share.ln();
        assert!((open - 10.0 / 15.0 * (entropy(0.3) + entropy(0.7))).abs() < 1e-14);
        // What the second tells is all that there is of it.
        let whole = entropy(10.0 / 15.0) + entropy(5.0 / 15.0);
        assert!((information(&met, records) - whole).abs() < 1e-14);
    }

    #[test]
    fn a_tiny_association_keeps_its_digits() {
        // p/q − 1 = ±4/N in every cell, so that I = 8/N² but for smaller powers.
        let n = 4_000_000u64;
        let (more, less) = (n / 4 + 1, n / 4 - 1);
        let (met, records) = met(&[&[more, less], &[less, more]]);
        let expected = 8.0 / (n as f64).powi(2);
        assert!((information(&met, records) / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_series_meets_the_logarithm() {
        for x in [0.999e-3, -0.999e-3] {
            let exact = (1.0 + x) * f64::ln_1p(x) - x;
            assert!((divergence(x) / exact - 1.0).abs() < 1e-9);
        }
        assert_eq!(divergence(0.0), 0.0);
        assert!((divergence(1.0) - (2.0 * 2f64.ln() - 1.0)).abs() < 1e-15);
    }
}
