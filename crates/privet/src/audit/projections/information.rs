//! Association loss and information exposure, worked out again: I(A, B) = H(A) + H(B) − H(A, B).

use std::collections::BTreeMap;

use super::book::Book;

/// Mutual and exposable information of all pairs of attributes.
pub(super) struct Ratios {
    attributes: usize,
    /// By two attributes, the first smaller.
    pairs: BTreeMap<(usize, usize), Pair>,
}

struct Pair {
    information: f64,
    exposable: f64,
}

/// Up to so many pairs of values are counted in a matrix; beyond, only those that occur.
const MOST_COUNTED: usize = 1 << 22;

/// −Σ p log p; values that do not occur count for nothing.
fn entropy(counts: &[u64]) -> f64 {
    let all: u64 = counts.iter().sum();
    let share = |count: &u64| *count as f64 / all as f64;
    -counts.iter().filter(|count| **count > 0).map(|count| share(count) * share(count).ln()).sum::<f64>()
}

impl Ratios {
    pub fn of(book: &Book) -> Ratios {
        let (quasi, records) = (book.quasi.len(), &book.table.records);
        let attributes = book.attributes.len();
        let people: Vec<u64> = records.ids().map(|id| records.count(id)).collect();
        let codes: Vec<Vec<u32>> = (0..attributes)
            .map(|attribute| records.ids().map(|id| records.get(id)[quasi + attribute]).collect())
            .collect();
        let own: Vec<(f64, f64)> = (0..attributes)
            .map(|attribute| {
                let texts = book.values[attribute].texts();
                let insensitive = &book.attributes[attribute].insensitive;
                let mut counts = vec![0u64; book.values[attribute].len()];
                codes[attribute].iter().zip(&people).for_each(|(code, n)| counts[*code as usize] += n);
                let sensitive = counts.iter().zip(texts).filter(|(_, text)| !insensitive.contains(*text));
                let sensitive: u64 = sensitive.map(|(count, _)| count).sum();
                (entropy(&counts), sensitive as f64 / book.rows().max(1) as f64)
            })
            .collect();
        let together = |a: usize, b: usize| {
            let both = codes[a].iter().zip(&codes[b]).zip(&people);
            let width = book.values[b].len();
            if book.values[a].len().saturating_mul(width) > MOST_COUNTED {
                let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
                both.for_each(|((a, b), n)| *counts.entry((*a, *b)).or_default() += n);
                return entropy(&counts.into_values().collect::<Vec<u64>>());
            }
            let mut counts = vec![0u64; book.values[a].len() * width];
            both.for_each(|((a, b), n)| counts[*a as usize * width + *b as usize] += n);
            entropy(&counts)
        };
        let mut pairs = BTreeMap::new();
        for a in 0..attributes {
            for b in a + 1..attributes {
                let information = own[a].0 + own[b].0 - together(a, b);
                // Independent columns share nothing; what is left is rounding.
                let information = if information < 1e-13 { 0.0 } else { information };
                let new = |(entropy, sensitive): (f64, f64)| sensitive * (entropy - information);
                let exposable = (new(own[a]) + new(own[b])).max(0.0);
                let exposable = if exposable < 1e-13 { 0.0 } else { exposable };
                pairs.insert((a, b), Pair { information, exposable });
            }
        }
        Ratios { attributes, pairs }
    }

    /// Σ I over pairs in different tables / Σ I over all pairs.
    pub fn association_loss(&self, plan: &[Vec<usize>]) -> f64 {
        let together = |a: &usize, b: &usize| plan.iter().any(|table| table.contains(a) && table.contains(b));
        let all: f64 = self.pairs.values().map(|pair| pair.information).sum();
        let split = self.pairs.iter().filter(|((a, b), _)| !together(a, b));
        let split: f64 = split.map(|(_, pair)| pair.information).sum();
        if all == 0.0 { 0.0 } else { split / all }
    }

    /// Σ over tables of Σ E over their pairs / Σ E over all pairs · the share of attributes that they have.
    pub fn information_exposure(&self, plan: &[Vec<usize>]) -> f64 {
        let all: f64 = self.pairs.values().map(|pair| pair.exposable).sum();
        if all == 0.0 {
            return 0.0;
        }
        let exposed = |table: &Vec<usize>| -> f64 {
            let inside = self.pairs.iter().filter(|((a, b), _)| table.contains(a) && table.contains(b));
            inside.map(|(_, pair)| pair.exposable).sum()
        };
        plan.iter().map(|table| exposed(table) / all * table.len() as f64 / self.attributes as f64).sum()
    }
}
