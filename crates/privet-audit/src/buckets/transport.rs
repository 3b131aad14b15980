//! Whether the original records can be put into the published buckets at all, where nobody says who is in which.
//!
//! With x[b, p, v] the records of bucket b that have quasi-identifiers p and value v, three families of sums are given: over
//! values, how often b has p; over people, how often b has v; over buckets, how many original records have p and v (at most so
//! many, where records are left out). Whether whole numbers with these sums exist is a transport problem in three
//! dimensions, which is hard in general. Here bounds are drawn tighter from sum to sum until nothing moves, which decides
//! most tables because most people's quasi-identifiers are their own; then every bucket and every p is tried alone by a
//! flow; what is still open is searched, as long as that takes few steps.

use std::collections::{BTreeMap, HashMap};

use super::super::flow;
use super::book::{BucketBook, Person};
use privet_core::Result;

/// So many numbers at most are looked for.
const MOST_NUMBERS: usize = 4_000_000;

/// So many bounds at most are looked at in the search.
const MOST_STEPS: u64 = 60_000_000;

/// Whether there is an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransportVerdict {
    /// One was found.
    Found,
    /// There is none.
    Impossible,
    /// Neither was shown in the steps allowed.
    Undetermined,
}

/// How many records of one bucket have these quasi-identifiers and this value, in every assignment there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountBounds {
    /// At least.
    pub low: u64,
    /// At most.
    pub high: u64,
}

/// What can be told about who is in which bucket.
#[derive(Debug)]
pub(super) struct Transport<'a> {
    pub verdict: TransportVerdict,
    /// Of the pairs asked about, by bucket and quasi-identifiers, with the value.
    bounds: HashMap<(&'a str, &'a Person), Vec<(u32, CountBounds)>>,
}

impl<'a> Transport<'a> {
    /// Looks for an assignment of the original records to the published buckets; bounds are kept for the quasi-identifiers
    /// and values that `is_asked` names.
    pub fn of(
        book: &'a BucketBook,
        is_asked: &dyn Fn(&Person, u32) -> bool,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Transport<'a>> {
        let mut transport = Transport { verdict: TransportVerdict::Undetermined, bounds: HashMap::new() };
        let Some(mut problem) = TransportProblem::of(book) else { return Ok(transport) };
        if !problem.tighten_all() || !problem.slices_can_be_filled(tick)? {
            transport.verdict = TransportVerdict::Impossible;
            return Ok(transport);
        }
        let outer = problem.numbers.clone();
        transport.verdict = problem.search(tick)?;
        for ((bucket, person, value), number) in problem.names.iter().zip(outer) {
            if number.high > 0 && is_asked(person, *value) {
                let bounds = CountBounds { low: number.low, high: number.high };
                transport.bounds.entry((*bucket, *person)).or_default().push((*value, bounds));
            }
        }
        Ok(transport)
    }

    /// What is known about the pairs asked about, in one bucket and of these quasi-identifiers.
    pub fn bounds(&self, bucket: &'a str, person: &'a Person) -> &[(u32, CountBounds)] {
        self.bounds.get(&(bucket, person)).map_or(&[], Vec::as_slice)
    }
}

/// One of the numbers looked for, with the sums that it is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    low: u64,
    high: u64,
    sums: [u32; 3],
}

/// A sum that is given.
#[derive(Debug, Default)]
struct Sum {
    parts: Vec<u32>,
    wanted: u64,
    /// Whether it may be less.
    at_most: bool,
    /// The sums of the parts' bounds.
    low: u64,
    high: u64,
    waiting: bool,
}

struct TransportProblem<'a> {
    numbers: Vec<Number>,
    names: Vec<(&'a str, &'a Person, u32)>,
    sums: Vec<Sum>,
    /// The numbers of each bucket.
    buckets: Vec<Vec<u32>>,
    /// The numbers of each combination of quasi-identifiers.
    people: BTreeMap<&'a Person, Vec<u32>>,
    /// Changed bounds, to take them back.
    trail: Vec<(u32, u64, u64)>,
    steps: u64,
}

impl<'a> TransportProblem<'a> {
    /// Sets the problem up, unless it is too large.
    fn of(book: &'a BucketBook) -> Option<TransportProblem<'a>> {
        let all_published = book.released() == book.rows;
        let mut values_of: BTreeMap<&Person, Vec<(u32, u64)>> = BTreeMap::new();
        for ((person, value), count) in &book.original {
            values_of.entry(person).or_default().push((*value, *count));
        }
        let mut problem = TransportProblem {
            numbers: Vec::new(),
            names: Vec::new(),
            sums: Vec::new(),
            buckets: Vec::new(),
            people: BTreeMap::new(),
            trail: Vec::new(),
            steps: 0,
        };
        let mut records: HashMap<(&Person, u32), u32> = HashMap::new();
        for ((person, value), count) in &book.original {
            records.insert((person, *value), problem.sum(*count, !all_published));
        }
        for (name, bucket) in &book.buckets {
            let held: HashMap<u32, u32> =
                bucket.values.iter().map(|(value, count)| (*value, problem.sum(*count, false))).collect();
            let first = problem.numbers.len() as u32;
            for (person, count) in &bucket.people {
                let own = problem.sum(*count, false);
                for (value, original) in values_of.get(person).into_iter().flatten() {
                    let (Some(held), Some(record)) = (held.get(value), records.get(&(person, *value))) else {
                        continue;
                    };
                    let high = (*count).min(*original).min(problem.sums[*held as usize].wanted);
                    let number = problem.numbers.len() as u32;
                    if problem.numbers.len() == MOST_NUMBERS {
                        return None;
                    }
                    problem.numbers.push(Number { low: 0, high, sums: [own, *held, *record] });
                    problem.names.push((name, person, *value));
                    problem.people.entry(person).or_default().push(number);
                    for sum in [own, *held, *record] {
                        let sum = &mut problem.sums[sum as usize];
                        sum.parts.push(number);
                        sum.high += high;
                    }
                }
            }
            problem.buckets.push((first..problem.numbers.len() as u32).collect());
        }
        Some(problem)
    }

    fn sum(&mut self, wanted: u64, at_most: bool) -> u32 {
        self.sums.push(Sum { wanted, at_most, ..Sum::default() });
        self.sums.len() as u32 - 1
    }

    /// Draws all bounds as tight as the sums make them; says whether they leave anything.
    fn tighten_all(&mut self) -> bool {
        let all = (0..self.sums.len() as u32).collect();
        self.tighten(all)
    }

    fn tighten(&mut self, mut waiting: Vec<u32>) -> bool {
        waiting.iter().for_each(|sum| self.sums[*sum as usize].waiting = true);
        let mut possible = true;
        while let Some(at) = waiting.pop() {
            self.sums[at as usize].waiting = false;
            if possible {
                possible = self.tighten_one(at as usize, &mut waiting);
            }
        }
        possible
    }

    /// Draws the bounds of one sum's parts from each other.
    fn tighten_one(&mut self, at: usize, waiting: &mut Vec<u32>) -> bool {
        let sum = &self.sums[at];
        let (wanted, at_most) = (sum.wanted, sum.at_most);
        if sum.low > wanted || (!at_most && sum.high < wanted) {
            return false;
        }
        if sum.low == sum.high {
            return true;
        }
        self.steps += sum.parts.len() as u64;
        for part in 0..self.sums[at].parts.len() {
            let number = self.sums[at].parts[part];
            let Number { low, high, .. } = self.numbers[number as usize];
            if low == high {
                continue;
            }
            let sum = &self.sums[at];
            let most = wanted - (sum.low - low);
            let others = sum.high - high;
            let least = if at_most { 0 } else { wanted.saturating_sub(others) };
            let (new_low, new_high) = (low.max(least), high.min(most));
            if new_low > new_high {
                return false;
            }
            if (new_low, new_high) != (low, high) {
                self.bound(number, new_low, new_high, waiting);
            }
        }
        true
    }

    /// Sets the bounds of a number; the sums that it is part of have to be looked at again.
    fn bound(&mut self, number: u32, low: u64, high: u64, waiting: &mut Vec<u32>) {
        let place = &mut self.numbers[number as usize];
        let before = std::mem::replace(place, Number { low, high, ..*place });
        self.trail.push((number, before.low, before.high));
        for sum in before.sums {
            let place = &mut self.sums[sum as usize];
            place.low = place.low + low - before.low;
            place.high = place.high + high - before.high;
            if !std::mem::replace(&mut place.waiting, true) {
                waiting.push(sum);
            }
        }
    }

    /// Takes changes of bounds back until the trail is this short.
    fn take_back(&mut self, length: usize) {
        for (number, low, high) in self.trail.split_off(length).into_iter().rev() {
            let place = &mut self.numbers[number as usize];
            let before = std::mem::replace(place, Number { low, high, ..*place });
            for sum in before.sums {
                let place = &mut self.sums[sum as usize];
                place.low = place.low + low - before.low;
                place.high = place.high + high - before.high;
            }
        }
    }

    /// Whether every bucket, and everybody's records over all buckets, could be filled if there were no other.
    fn slices_can_be_filled(&self, tick: &mut dyn FnMut() -> Result<()>) -> Result<bool> {
        for slice in &self.buckets {
            tick()?;
            if !self.can_be_filled(slice, 0, 1) {
                return Ok(false);
            }
        }
        for slice in self.people.values() {
            tick()?;
            if !self.can_be_filled(slice, 2, 0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether sums of one family can be divided so that those of another are met, by numbers of this slice.
    fn can_be_filled(&self, slice: &[u32], from: usize, to: usize) -> bool {
        let mut wants: BTreeMap<u32, u32> = BTreeMap::new();
        let mut takers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for number in slice {
            let number = &self.numbers[*number as usize];
            if number.high > 0 {
                let next = wants.len() as u32;
                let want = *wants.entry(number.sums[to]).or_insert(next);
                takers.entry(number.sums[from]).or_default().push(want);
            }
        }
        let mut wanted = vec![0; wants.len()];
        wants.iter().for_each(|(sum, at)| wanted[*at as usize] = self.sums[*sum as usize].wanted);
        let supplies: Vec<(u64, Vec<u32>)> =
            takers.into_iter().map(|(sum, takers)| (self.sums[sum as usize].wanted, takers)).collect();
        flow::fill(&supplies, &mut wanted);
        wanted.iter().all(|open| *open == 0)
    }

    /// Fixes number after number, bucket after bucket, and turns back where that leads nowhere.
    fn search(&mut self, tick: &mut dyn FnMut() -> Result<()>) -> Result<TransportVerdict> {
        let mut order: Vec<usize> = (0..self.buckets.len()).collect();
        order.sort_by_key(|bucket| {
            self.buckets[*bucket].iter().filter(|number| self.is_open(**number)).count()
        });
        // Numbers set to their upper bound, with where the trail was and which bucket was at hand.
        let mut choices: Vec<(u32, usize, usize)> = Vec::new();
        let mut at = 0;
        self.steps = 0;
        while let Some(bucket) = order.get(at) {
            let Some(number) = self.most_pressing(*bucket) else {
                at += 1;
                continue;
            };
            tick()?;
            choices.push((number, self.trail.len(), at));
            let high = self.numbers[number as usize].high;
            let mut possible = self.set(number, high, high);
            while !possible {
                let Some((number, length, before)) = choices.pop() else {
                    return Ok(TransportVerdict::Impossible);
                };
                if self.steps > MOST_STEPS {
                    return Ok(TransportVerdict::Undetermined);
                }
                self.take_back(length);
                at = before;
                let Number { low, high, .. } = self.numbers[number as usize];
                possible = self.set(number, low, high - 1);
            }
            if self.steps > MOST_STEPS {
                return Ok(TransportVerdict::Undetermined);
            }
        }
        Ok(TransportVerdict::Found)
    }

    fn set(&mut self, number: u32, low: u64, high: u64) -> bool {
        let mut waiting = Vec::new();
        self.bound(number, low, high, &mut waiting);
        self.tighten(waiting)
    }

    fn is_open(&self, number: u32) -> bool {
        let Number { low, high, .. } = self.numbers[number as usize];
        low < high
    }

    /// The open number of a bucket whose original records have fewest places left for how many they are.
    fn most_pressing(&mut self, bucket: usize) -> Option<u32> {
        self.steps += self.buckets[bucket].len() as u64;
        let pressing = |number: &u32| {
            let sum = &self.sums[self.numbers[*number as usize].sums[2] as usize];
            (sum.wanted - sum.low.min(sum.wanted)) as f64 / (sum.high - sum.low).max(1) as f64
        };
        let open = self.buckets[bucket].iter().copied().filter(|number| self.is_open(*number));
        open.reduce(|best, number| if pressing(&number) > pressing(&best) { number } else { best })
    }
}
