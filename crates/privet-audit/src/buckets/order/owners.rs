//! What can be known about whose a row is, and what its order then tells.

use hashbrown::HashMap;

use super::super::super::order::{Arrangement, Evidence, Gambler, OrderView, UNKNOWN, rank_evidence};
use super::super::book::BucketBook;
use super::keys::Keys;
use super::rankings::Ranking;

/// People who cannot be told apart have the same number: with the steward's list, or without it.
pub(super) struct RowOwners<'a> {
    pub book: &'a BucketBook,
    /// Whether the list was used.
    pub with_list: bool,
    /// By record of the original, in its order.
    original: Vec<u32>,
    /// By row.
    pub rows: Vec<u32>,
    pub urns: Urns,
}

/// How often people have each value.
#[derive(Clone)]
pub(super) struct Urns {
    /// Where the values of each number begin.
    begins: Vec<usize>,
    /// Values in rising order, each with how many are left.
    values: Vec<(u32, u32)>,
}

impl Urns {
    fn of(drawers: usize, records: impl Iterator<Item = (u32, u32)>) -> Urns {
        let mut records: Vec<(u32, u32)> = records.collect();
        records.sort_unstable();
        let mut urns = Urns { begins: vec![0; drawers + 1], values: Vec::new() };
        for same in records.chunk_by(|one, other| one == other) {
            urns.values.push((same[0].1, same.len() as u32));
            urns.begins[same[0].0 as usize + 1] += 1;
        }
        (1..=drawers).for_each(|drawer| urns.begins[drawer] += urns.begins[drawer - 1]);
        urns
    }

    /// The values of somebody, with how many there are of each.
    pub fn get(&self, drawer: u32) -> &[(u32, u32)] {
        &self.values[self.begins[drawer as usize]..self.begins[drawer as usize + 1]]
    }

    /// How many values somebody has.
    pub fn size(&self, drawer: u32) -> f64 {
        self.get(drawer).iter().map(|(_, count)| f64::from(*count)).sum()
    }

    /// How many there are of a value.
    pub fn count(&self, drawer: u32, value: u32) -> u32 {
        let urn = self.get(drawer);
        urn.binary_search_by_key(&value, |(value, _)| *value).map_or(0, |at| urn[at].1)
    }

    /// Takes a value out.
    pub fn take(&mut self, drawer: u32, value: u32) {
        let found = self.get(drawer).binary_search_by_key(&value, |(value, _)| *value);
        if let Ok(at) = found {
            let left = &mut self.values[self.begins[drawer as usize] + at].1;
            *left = left.saturating_sub(1);
        }
    }
}

impl<'a> RowOwners<'a> {
    /// Without the list, then with it where there is one.
    pub fn all(book: &'a BucketBook) -> Vec<RowOwners<'a>> {
        let trail = &book.trail;
        let names: HashMap<&str, u32> = trail.buckets.iter().map(String::as_str).zip(0..).collect();
        let listed: Vec<u32> = (trail.assigned_names.iter())
            .map(|name| names.get(name.as_str()).copied().unwrap_or(UNKNOWN))
            .collect();
        let assigned =
            trail.assigned.iter().map(|name| listed.get(*name as usize).copied().unwrap_or(UNKNOWN));
        let assigned: Vec<u32> = assigned.collect();
        let mut all = vec![RowOwners::of(book, None)];
        all.extend((!listed.is_empty()).then(|| RowOwners::of(book, Some(&assigned))));
        all
    }

    /// `assigned` is the bucket of every record of the original.
    fn of(book: &'a BucketBook, assigned: Option<&[u32]>) -> RowOwners<'a> {
        let trail = &book.trail;
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        let mut number = |person: u32, bucket: u32| {
            let next = numbers.len() as u32;
            *numbers.entry((person, bucket)).or_insert(next)
        };
        let bucket_of = |record: usize| assigned.map_or(UNKNOWN, |assigned| assigned[record]);
        let original: Vec<u32> = (trail.original.iter().enumerate())
            .map(|(record, (person, _))| number(*person, bucket_of(record)))
            .collect();
        let own = |bucket: u32| if assigned.is_some() { bucket } else { UNKNOWN };
        let rows: Vec<u32> = trail.rows.iter().map(|row| number(row.person, own(row.bucket))).collect();
        let values = original.iter().zip(&trail.original).map(|(people, (_, value))| (*people, *value));
        let urns = Urns::of(numbers.len(), values);
        RowOwners { book, with_list: assigned.is_some(), original, rows, urns }
    }

    /// The value of a row, where it is known.
    pub fn value(&self, row: usize) -> Option<u32> {
        match self.urns.get(self.rows[row]) {
            [(value, _)] => Some(*value),
            _ => None,
        }
    }

    /// By row the mean of a number that the records of its people have in the original.
    pub fn mean(&self, records: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.urns.begins.len()];
        for (number, people) in records.iter().zip(&self.original) {
            let (sum, count) = &mut sums[*people as usize];
            *sum += number;
            *count += 1.0;
        }
        let mean = |people: &u32| {
            let (sum, count): (f64, f64) = sums[*people as usize];
            sum / count.max(1.0)
        };
        self.rows.iter().map(mean).collect()
    }

    /// The rows in the order of columns that are not published.
    pub fn by_columns(&self, runs: &[u32], columns: &[Keys]) -> Evidence {
        let mut evidence = Evidence::default();
        let strata = [true, false].map(|by_bucket| self.strata(runs, by_bucket));
        for keys in columns {
            let means = self.mean(&keys.records);
            let mut found = Evidence::default();
            for strata in &strata {
                let lists: Vec<Vec<f64>> =
                    strata.iter().map(|rows| rows.iter().map(|row| means[*row]).collect()).collect();
                rank_evidence(&lists, &format!("the original {}", keys.how), &mut found);
            }
            evidence.group(found, 0.0);
        }
        evidence
    }

    /// The rows in the order of the original: all of them, bucket by bucket, or of people who share quasi-identifiers.
    pub fn in_the_original(&self, arrangement: &Arrangement) -> Evidence {
        let rows = &self.book.trail.rows;
        let conditions =
            [rows.iter().map(|row| row.bucket).collect(), rows.iter().map(|row| row.person).collect()];
        let view = OrderView { released: self.rows.clone(), reference: self.original.clone() };
        arrangement.evidence(&view, &conditions, "the original")
    }

    /// Rows that could stand in any order, by run and, on request, by bucket. Those that agree in everything are left out.
    pub fn strata(&self, runs: &[u32], by_bucket: bool) -> Vec<Vec<usize>> {
        let mut strata: Vec<Vec<usize>> = Vec::new();
        let mut numbers: HashMap<(u32, u32), usize> = HashMap::new();
        for ((place, row), run) in self.book.trail.rows.iter().enumerate().zip(runs) {
            let next = strata.len();
            let at = *numbers.entry((*run, if by_bucket { row.bucket } else { 0 })).or_insert(next);
            if at == next {
                strata.push(Vec::new());
            }
            strata[at].push(place);
        }
        let kind = |row: usize| (self.rows[row], self.book.trail.rows[row].bucket);
        strata.retain(|rows| rows.iter().any(|row| kind(*row) != kind(rows[0])));
        strata
    }

    /// The rows in the order of their values: one of some known orders, or one that is learnt from stratum to stratum.
    pub fn by_values(&self, runs: &[u32]) -> Evidence {
        let mut evidence = Evidence::default();
        let rankings = Ranking::all(self.book);
        for by_bucket in [true, false] {
            let strata = self.strata(runs, by_bucket);
            for ranking in &rankings {
                // People who cannot be told apart have the mean rank of what they have.
                let key = |place: &usize| {
                    let bucket = self.book.trail.rows[*place].bucket;
                    let (mut sum, mut count) = (0.0, 0.0);
                    for (value, times) in self.urns.get(self.rows[*place]) {
                        if let Some(rank) = ranking.of(bucket, *value) {
                            sum += rank * f64::from(*times);
                            count += f64::from(*times);
                        }
                    }
                    (count > 0.0).then(|| sum / count)
                };
                let lists: Vec<Vec<f64>> =
                    strata.iter().map(|rows| rows.iter().filter_map(key).collect::<Vec<f64>>()).collect();
                rank_evidence(
                    &lists,
                    &format!("the values that people have, {}", ranking.how),
                    &mut evidence,
                );
            }
            self.learning(&strata, &mut evidence);
        }
        evidence
    }

    /// Bets that values follow in an order that was learnt from earlier strata, and that a value follows itself.
    fn learning(&self, strata: &[Vec<usize>], evidence: &mut Evidence) {
        let (mut learner, mut repeater) = (Gambler::default(), Gambler::default());
        // By value the sum of its places so far, from 0 to 1, and their number.
        let mut places: HashMap<u32, (f64, f64)> = HashMap::new();
        for rows in strata {
            let own: Vec<Option<u32>> = rows.iter().map(|row| self.value(*row)).collect();
            let mut left: HashMap<u32, u32> = HashMap::new();
            own.iter().flatten().for_each(|value| *left.entry(*value).or_default() += 1);
            let place = |value: &u32| places.get(value).map(|(sum, count)| sum / count);
            let mut expected: Vec<(f64, u32)> =
                left.keys().filter_map(|value| Some((place(value)?, *value))).collect();
            expected.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| other.1.cmp(&one.1)));
            let mut before = None;
            for (at, value) in own.iter().enumerate() {
                let rest = (rows.len() - at) as f64;
                let chance = |guess: u32| f64::from(left.get(&guess).copied().unwrap_or(0)) / rest;
                while expected.last().is_some_and(|(_, guess)| chance(*guess) == 0.0) {
                    expected.pop();
                }
                if let Some((_, guess)) = expected.last() {
                    learner.bet(chance(*guess), *value == Some(*guess));
                }
                if let Some(guess) = before {
                    repeater.bet(chance(guess), *value == Some(guess));
                }
                before = *value;
                if let Some(value) = value {
                    left.entry(*value).and_modify(|left| *left -= 1);
                }
            }
            let last = (rows.len() - 1) as f64;
            for (at, value) in own.iter().enumerate() {
                if let Some(value) = value {
                    let (sum, count) = places.entry(*value).or_default();
                    *sum += at as f64 / last;
                    *count += 1.0;
                }
            }
        }
        evidence.gambler(&learner, "the values of a bucket's people in the order of earlier buckets");
        evidence.gambler(&repeater, "the next row to have the value of the row before");
    }
}
