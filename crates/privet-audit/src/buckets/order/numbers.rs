//! Do the numbers of buckets follow the original?

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::super::super::order::{Arrangement, Evidence, OrderView, ShownColumn, by_number, ranked};
use super::super::book::{Bucket, BucketBook};
use super::keys::Keys;

/// Where people are in the original.
#[derive(Debug, Clone, Copy)]
struct MeanPlace {
    first: f64,
    sum: f64,
    count: f64,
}

/// Bets on the numbers of buckets next to the places of their people in these orders, and the logarithm of the share of a coin that is bet.
pub(super) fn evidence(book: &BucketBook, orders: &[&Keys]) -> (Evidence, f64) {
    let trail = &book.trail;
    let mut named: Vec<usize> = (0..trail.buckets.len()).collect();
    named.sort_by(|one, other| by_number(&trail.buckets[*one], &trail.buckets[*other]));
    // One list for both: the rows of all views are the same buckets.
    let named = named.iter().map(|bucket| trail.buckets[*bucket].as_str());
    let (names, buckets): (Vec<&str>, Vec<&Bucket>) =
        named.filter_map(|name| Some((name, book.buckets.get(name)?))).unzip();
    let arrangement = arrangement(book, &buckets);
    let mut evidence = Evidence::default();
    for keys in orders {
        let mut found = Evidence::default();
        let mut all = vec![places(book, &buckets, &keys.records)];
        all.extend((!book.assigned.is_empty()).then(|| listed_places(book, &names, &keys.records)));
        for places in all {
            for by_mean in [false, true] {
                let key = |place: &Option<MeanPlace>| {
                    place.map(|MeanPlace { first, sum, count }| if by_mean { sum / count } else { first })
                };
                let released = ranked(&places.iter().map(key).collect::<Vec<_>>());
                let mut reference = released.clone();
                reference.sort_unstable();
                let what =
                    format!("the original {} (the rows are buckets in the order of their numbers)", keys.how);
                found.group(arrangement.evidence(&OrderView { released, reference }, &[], &what), 0.0);
            }
        }
        evidence.group(found, 0.0);
    }
    (evidence, arrangement.handicap)
}

/// What the numbers of buckets may follow: their sizes, their values, and the least and greatest cells of every column.
fn arrangement(book: &BucketBook, buckets: &[&Bucket]) -> Arrangement {
    let sizes: Vec<u32> = buckets.iter().map(|bucket| bucket.records() as u32).collect();
    let largest = sizes.iter().max().copied().unwrap_or(0) as usize;
    let size_texts: Vec<String> = (0..=largest).map(|size| size.to_string()).collect();
    let values = |bucket: &&Bucket| {
        let texts =
            bucket.values.iter().map(|(value, count)| format!("{}\u{1}{count}", book.values.text(*value)));
        let mut texts: Vec<String> = texts.collect();
        texts.sort_unstable();
        texts.join("\u{1}")
    };
    let cells = |bucket: &&Bucket| {
        let texts = |person: &Vec<u32>| -> Vec<&str> {
            person.iter().zip(&book.quasi).map(|(code, column)| column.text(*code)).collect()
        };
        bucket.people.keys().map(texts).min().unwrap_or_default().join("\u{1}")
    };
    let whole: [Vec<String>; 2] = [buckets.iter().map(values).collect(), buckets.iter().map(cells).collect()];
    let whole_codes = whole.each_ref().map(|texts| {
        let mut known: HashMap<&str, u32> = HashMap::new();
        texts
            .iter()
            .zip(0u32..)
            .map(|(text, at)| *known.entry(text.as_str()).or_insert(at))
            .collect::<Vec<u32>>()
    });
    let mut columns: Vec<ShownColumn<'_>> = vec![ShownColumn {
        code: Box::new(|row| sizes[row]),
        text: Box::new(|code| size_texts[code as usize].as_str()),
    }];
    for (texts, codes) in whole.iter().zip(&whole_codes) {
        columns.push(ShownColumn {
            code: Box::new(move |row| codes[row]),
            text: Box::new(move |code| texts[code as usize].as_str()),
        });
    }
    for (column, texts) in book.quasi.iter().enumerate() {
        for compare in [Ord::cmp, by_number as fn(&str, &str) -> Ordering] {
            let ordered = move |one: &u32, other: &u32| compare(texts.text(*one), texts.text(*other));
            for least in [true, false] {
                let outer = |bucket: &&Bucket| {
                    let cells = bucket.people.keys().map(|person| person[column]);
                    let found = if least { cells.min_by(ordered) } else { cells.max_by(ordered) };
                    found.unwrap_or_default()
                };
                let codes: Vec<u32> = buckets.iter().map(outer).collect();
                columns.push(ShownColumn {
                    code: Box::new(move |row| codes[row]),
                    text: Box::new(move |code| texts.text(code)),
                });
            }
        }
    }
    Arrangement::of(buckets.len(), &columns, &[])
}

impl MeanPlace {
    /// Adds people who are there so often.
    fn add(into: &mut Option<MeanPlace>, other: Option<&MeanPlace>, times: f64) {
        let Some(MeanPlace { first, sum, count }) = other else { return };
        let into = into.get_or_insert(MeanPlace { first: f64::INFINITY, sum: 0.0, count: 0.0 });
        into.first = into.first.min(*first);
        into.sum += sum / count * times;
        into.count += times;
    }
}

/// By key of its records the places that they have.
fn found<K: std::hash::Hash + Eq>(records: impl Iterator<Item = K>, places: &[f64]) -> HashMap<K, MeanPlace> {
    let mut found: HashMap<K, MeanPlace> = HashMap::new();
    for (key, at) in records.zip(places) {
        let place = found.entry(key).or_insert(MeanPlace { first: *at, sum: 0.0, count: 0.0 });
        place.first = place.first.min(*at);
        place.sum += at;
        place.count += 1.0;
    }
    found
}

/// The places of people who could be in each bucket.
fn places(book: &BucketBook, buckets: &[&Bucket], order: &[f64]) -> Vec<Option<MeanPlace>> {
    let found = found(book.trail.original.iter().map(|(person, _)| &book.persons[*person as usize]), order);
    let of = |bucket: &&Bucket| {
        let mut place = None;
        bucket
            .people
            .iter()
            .for_each(|(person, count)| MeanPlace::add(&mut place, found.get(person), *count as f64));
        place
    };
    buckets.iter().map(of).collect()
}

/// The places of people who are in each bucket by the steward's list. People who share everything are not told apart: which of
/// them is listed in which bucket says nothing about anybody, and lists put them there in the order of the original.
fn listed_places(book: &BucketBook, names: &[&str], order: &[f64]) -> Vec<Option<MeanPlace>> {
    let found = found(
        book.trail.original.iter().map(|(person, value)| (&book.persons[*person as usize], *value)),
        order,
    );
    let of = |name: &&str| {
        let mut place = None;
        for ((person, value), count) in book.assigned.get(*name).into_iter().flatten() {
            MeanPlace::add(&mut place, found.get(&(person, *value)), *count as f64);
        }
        place
    };
    names.iter().map(of).collect()
}
