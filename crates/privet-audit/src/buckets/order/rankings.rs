//! Orders in which values may be listed.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::super::super::order::by_number;
use super::super::book::BucketBook;

/// An order of values, the same everywhere or one for each bucket.
pub(super) struct Ranking {
    /// What it goes by.
    pub how: &'static str,
    ranks: Ranks,
}

enum Ranks {
    Everywhere(HashMap<u32, f64>),
    InBucket(HashMap<(u32, u32), f64>),
}

impl Ranking {
    /// The place of a value.
    pub fn of(&self, bucket: u32, value: u32) -> Option<f64> {
        match &self.ranks {
            Ranks::Everywhere(ranks) => ranks.get(&value).copied(),
            Ranks::InBucket(ranks) => ranks.get(&(bucket, value)).copied(),
        }
    }

    /// All orders that are tried, forwards; they are tried backwards as well.
    pub fn all(book: &BucketBook) -> Vec<Ranking> {
        let text = |value: &u32| book.values.text(*value);
        let count = |value: &u32| book.value_counts.get(value).copied().unwrap_or(0);
        let mut first: HashMap<u32, usize> = HashMap::new();
        for (place, (_, value)) in book.trail.original.iter().enumerate() {
            first.entry(*value).or_insert(place);
        }
        let ranked = |how: &'static str, compare: &dyn Fn(&u32, &u32) -> Ordering| {
            let mut values: Vec<u32> = book.value_counts.keys().copied().collect();
            values.sort_by(compare);
            let ranks = values.into_iter().zip(0u32..).map(|(value, rank)| (value, f64::from(rank)));
            Ranking { how, ranks: Ranks::Everywhere(ranks.collect()) }
        };
        let by_text = |one: &u32, other: &u32| text(one).cmp(text(other));
        let mut all = vec![
            ranked("by their texts", &by_text),
            ranked("as numbers", &|one, other| by_number(text(one), text(other))),
            ranked("the most frequent first", &|one, other| {
                count(other).cmp(&count(one)).then_with(|| by_text(one, other))
            }),
            ranked("as they first occur in the original", &|one, other| {
                first.get(one).cmp(&first.get(other))
            }),
        ];
        let listed = book.trail.listed.iter().zip(0u32..);
        let listed: HashMap<(u32, u32), f64> =
            listed.map(|(listed, rank)| ((listed.bucket, listed.value), f64::from(rank))).collect();
        if !listed.is_empty() {
            all.push(Ranking { how: "as they are listed", ranks: Ranks::InBucket(listed) });
        }
        all
    }
}
