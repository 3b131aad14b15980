//! Match sets: the released rows that contain what is known about a person.
//!
//! Released rows that look alike in the known columns are one *class*; people who do are one *target*. Values of a
//! column that the same cells cover are one *kind*. For each column and kind there is a list of the classes whose
//! cell covers it (or bits, if there are many); the match set of a target is their intersection. Targets whose values
//! are of the same kinds have the same match set, which is computed once.

use std::sync::Arc;

use rayon::prelude::*;

use super::distinct::{Distinct, LEFT_OUT};
use super::posts::{Post, Posts};
use super::{CodedRows, Cover, ViewColumn};
use crate::budget::takes_long;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_core::random::{below, keyed};

/// What the lists of a column may hold; beyond it cells are looked at one by one.
const MOST_LISTED: usize = 30_000_000;

/// The same for all columns together where steps and memory are limited.
const MOST_LISTED_IN_BUDGET: usize = 3_000_000;

/// Where steps are limited, this many people are tried first, to see how many steps they take.
const FIRST: usize = 1000;

/// How many distinct people are processed between two checks of the clock.
const BETWEEN: usize = 256;

/// A sample of fewer people than this is not reported.
const FEWEST: usize = 30;

/// Whom to look at, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct MatchingEffort<'c> {
    /// The most people to look at, and the seed that picks them; everybody where there is none.
    pub people: Option<(usize, u64)>,
    /// How many steps it may take: then fewer people are looked at, or the attack is not run where everybody has to be.
    pub steps: Option<u64>,
    /// Time and interruption.
    pub clock: &'c Clock,
}

/// Finds the released rows that contain what is known of a person.
pub(crate) struct Matcher {
    /// The columns that are known, by their place in the view.
    pub columns: Vec<usize>,
    /// The released rows.
    pub classes: Arc<Distinct>,
    /// The people.
    pub targets: Distinct,
    /// Of how many people those are a sample; `None` where they are all.
    pub sampled: Option<usize>,
    covers: Vec<Arc<Cover>>,
    /// Per column and class, the cell.
    cells: Vec<Vec<u32>>,
    /// Per column and target, the value.
    values: Vec<Vec<u32>>,
    /// Per column, where its values can be.
    posts: Vec<Posts>,
    /// Per target, its number among those whose values are of different kinds.
    alike: Vec<u32>,
    /// Per such number, the targets that have it.
    crowds: Vec<Vec<u32>>,
    /// Per such number the classes that contain these targets, where steps are limited: then they are found once and kept.
    sets: Option<Vec<Vec<u32>>>,
    /// How many steps it has taken so far.
    steps: u64,
    /// Whether the clock, and not the number of steps, decided how many people are looked at.
    pub stopped: bool,
}

impl Matcher {
    /// For people for whom these columns are known.
    pub fn new(
        view: &[ViewColumn],
        columns: &[usize],
        released: &CodedRows,
        people: &CodedRows,
        effort: MatchingEffort<'_>,
    ) -> Result<Matcher> {
        let columns: Vec<usize> = columns.iter().copied().filter(|column| people.has(*column)).collect();
        let classes = released.distinct(&columns, effort.clock)?;
        let build = |sample: Option<&[u32]>| {
            Matcher::build(view, &columns, (released, people), classes.clone(), sample, effort)
        };
        let most = effort.people.map_or(people.len, |(most, _)| most.min(people.len));
        let Some(steps) = effort.steps else {
            let sample = effort.people.filter(|_| most < people.len);
            return build(
                sample.map(|(most, seed)| ascending(&sample_of(people.len, most, seed))).as_deref(),
            );
        };
        let Some((_, seed)) = effort.people else {
            if people.is_sample() {
                return Err(takes_long());
            }
            let mut matcher = build(None)?;
            let everybody: Vec<u32> = (0..people.len as u32).collect();
            return match matcher.fill(&everybody, steps, effort.clock)? == everybody.len() {
                true => Ok(matcher),
                false => Err(takes_long()),
            };
        };
        // A few people show how many steps each takes; then as many are tried as there are steps for.
        let order = sample_of(people.len, most, seed);
        let mut tried = order.len().min(FIRST);
        let mut matcher = build(Some(&ascending(&order[..tried])))?;
        let filled = matcher.fill(&order[..tried], steps / 2, effort.clock)?;
        if filled == tried && tried < order.len() && !matcher.stopped {
            let more = u128::from(steps) * tried as u128 / (2 * u128::from(matcher.steps.max(1)));
            tried = usize::try_from(more).unwrap_or(usize::MAX).clamp(tried, order.len());
            if tried > filled {
                matcher = build(Some(&ascending(&order[..tried])))?;
                matcher.fill(&order[..tried], steps, effort.clock)?;
            }
        }
        let looked_at = matcher.people() as usize;
        matcher.sampled = (looked_at < people.all()).then_some(people.all());
        Ok(matcher)
    }

    /// For all people, or for a sample of them, ascending.
    fn build(
        view: &[ViewColumn],
        columns: &[usize],
        (released, people): (&CodedRows, &CodedRows),
        classes: Arc<Distinct>,
        sample: Option<&[u32]>,
        effort: MatchingEffort<'_>,
    ) -> Result<Matcher> {
        let targets = Distinct::of(people, columns, sample, effort.clock)?;
        let pick = |rows: &CodedRows, column: usize, distinct: &Distinct| -> Vec<u32> {
            distinct.first.iter().map(|row| rows.codes[column].at(*row as usize)).collect()
        };
        let cells: Vec<Vec<u32>> = columns.iter().map(|column| pick(released, *column, &classes)).collect();
        let values: Vec<Vec<u32>> = columns.iter().map(|column| pick(people, *column, &targets)).collect();
        let covers: Vec<Arc<Cover>> = columns.iter().map(|column| view[*column].cover.clone()).collect();
        let most_listed = match effort.steps {
            Some(_) => MOST_LISTED_IN_BUDGET / columns.len().max(1),
            None => MOST_LISTED,
        };
        let posts = columns.iter().enumerate().map(|(place, column)| {
            let number = view[*column].cells.len();
            Posts::of(&covers[place], &cells[place], &values[place], number, most_listed, effort.clock)
        });
        let posts: Vec<Posts> = posts.collect::<Result<_>>()?;
        let kinds = posts.iter().zip(&values).map(|(posts, values)| {
            Arc::new(values.iter().map(|value| posts.kinds[*value as usize]).collect())
        });
        let mut by_kind = CodedRows::empty(targets.len());
        by_kind.codes = kinds.collect();
        let alike = Distinct::of(&by_kind, &(0..columns.len()).collect::<Vec<_>>(), None, effort.clock)?;
        let mut crowds = vec![Vec::new(); alike.len()];
        for (target, number) in (0..).zip(&alike.of_row) {
            crowds[*number as usize].push(target);
        }
        let steps = posts.iter().map(|posts| posts.steps).sum();
        Ok(Matcher {
            columns: columns.to_vec(),
            classes,
            targets,
            sampled: (sample.is_some() || people.is_sample()).then_some(people.all()),
            covers,
            cells,
            values,
            posts,
            alike: alike.of_row,
            crowds,
            sets: None,
            steps,
            stopped: false,
        })
    }

    /// Finds the classes of people one after the other until there are no steps left; the rest is not examined. Returns
    /// how many were.
    fn fill(&mut self, order: &[u32], steps: u64, clock: &Clock) -> Result<usize> {
        let mut sets: Vec<Option<Vec<u32>>> = vec![None; self.crowds.len()];
        let mut reached = order.len();
        for (place, row) in order.iter().enumerate() {
            let Some(target) = self.target_of(*row as usize) else { continue };
            let number = self.alike[target] as usize;
            self.steps += self.columns.len() as u64;
            if sets[number].is_none() {
                if clock.is_interrupted() {
                    clock.check()?;
                }
                let (classes, looked_at) = self.found(target);
                // Attacks add up what the rows of these classes show.
                self.steps += looked_at + 2 * self.rows_in(&classes);
                sets[number] = Some(classes);
            }
            self.stopped = place >= FEWEST && clock.is_spent();
            if (place >= FEWEST && self.steps > steps) || self.stopped {
                reached = place + 1;
                break;
            }
        }
        for row in &order[reached..] {
            let left_out = std::mem::replace(&mut self.targets.of_row[*row as usize], LEFT_OUT);
            self.targets.counts[left_out as usize] -= 1;
        }
        self.sets = Some(sets.into_iter().map(Option::unwrap_or_default).collect());
        Ok(reached)
    }

    /// The classes that contain a target, ascending.
    pub fn matching(&self, target: usize) -> Vec<u32> {
        match &self.sets {
            Some(sets) => sets[self.alike[target] as usize].clone(),
            None => self.found(target).0,
        }
    }

    /// The classes that contain a target, ascending, and how many steps it takes to find them.
    fn found(&self, target: usize) -> (Vec<u32>, u64) {
        let values: Vec<u32> = self.values.iter().map(|values| values[target]).collect();
        let post = |place: usize| self.posts[place].of_value(values[place]);
        let fits = |class: u32, but: usize| {
            (0..values.len()).filter(|place| *place != but).all(|place| match post(place) {
                Post::List(list) => list.binary_search(&class).is_ok(),
                Post::Bits(bits) => bits[class as usize / 64] >> (class % 64) & 1 == 1,
                Post::Open => self.covers[place].covers(self.cells[place][class as usize], values[place]),
            })
        };
        let lists = (0..values.len()).filter_map(|place| match post(place) {
            Post::List(list) => Some((list.len(), place, list)),
            _ => None,
        });
        if let Some((_, place, list)) = lists.min_by_key(|(len, place, _)| (*len, *place)) {
            let found = list.iter().copied().filter(|class| fits(*class, place)).collect();
            return (found, (list.len() * values.len()) as u64);
        }
        let mut all: Option<Vec<u64>> = None;
        for place in 0..values.len() {
            if let Post::Bits(bits) = post(place) {
                match &mut all {
                    None => all = Some(bits.clone()),
                    Some(all) => all.iter_mut().zip(bits).for_each(|(word, other)| *word &= other),
                }
            }
        }
        let open = |class: &u32| {
            (0..values.len())
                .filter(|place| matches!(post(*place), Post::Open))
                .all(|place| self.covers[place].covers(self.cells[place][*class as usize], values[place]))
        };
        let words = self.classes.len().div_ceil(64) * values.len();
        match all {
            Some(bits) => {
                let set = bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                (ones(&bits).filter(open).collect(), words as u64 + set * values.len() as u64)
            }
            None => {
                let all = (self.classes.len() * values.len().max(1)) as u64;
                ((0..self.classes.len() as u32).filter(open).collect(), all)
            }
        }
    }

    /// The target that a row of the people is; `None` for those who are not attacked.
    pub fn target_of(&self, row: usize) -> Option<usize> {
        self.targets.of_row.get(row).filter(|target| **target != LEFT_OUT).map(|target| *target as usize)
    }

    /// The number of those who have the same match set as a row of the people; `None` for those who are not attacked.
    pub fn crowd_of(&self, row: usize) -> Option<usize> {
        self.target_of(row).map(|target| self.alike[target] as usize)
    }

    /// How many different kinds of people there are, each with a match set of its own.
    pub fn crowds(&self) -> usize {
        self.crowds.len()
    }

    /// How many released rows some classes have.
    pub fn rows_in(&self, classes: &[u32]) -> u64 {
        classes.iter().map(|class| self.classes.counts[*class as usize]).sum()
    }

    /// How many people are looked at.
    pub fn people(&self) -> u64 {
        self.targets.counts.iter().sum()
    }

    /// Something about every target and the classes that contain it, in the order of targets, in parallel.
    pub fn map<T: Send>(&self, clock: &Clock, of: impl Fn(usize, &[u32]) -> T + Sync) -> Result<Vec<T>> {
        let crowd = |crowd: &Vec<u32>| {
            clock.check()?;
            let classes = crowd.first().map_or_else(Vec::new, |target| self.matching(*target as usize));
            let each = crowd.iter().enumerate().map(|(place, target)| {
                if place % BETWEEN == BETWEEN - 1 {
                    clock.check()?;
                }
                Ok(of(*target as usize, &classes))
            });
            Ok(each.collect::<Result<Vec<T>>>()?.into_iter())
        };
        let mut found = self.crowds.par_iter().map(crowd).collect::<Result<Vec<_>>>()?;
        // Every crowd has its targets in order.
        Ok(self.alike.iter().filter_map(|number| found[*number as usize].next()).collect())
    }

    /// The same about the classes alone: once for all targets that have the same, with the number of each target's.
    pub fn map_alike<T: Send>(
        &self,
        clock: &Clock,
        of: impl Fn(&[u32]) -> T + Sync,
    ) -> Result<(Vec<T>, &[u32])> {
        Ok((self.map_crowds(clock, |_, classes| of(classes))?, &self.alike))
    }

    /// The same with the number of those who have the same match set.
    pub fn map_crowds<T: Send>(
        &self,
        clock: &Clock,
        of: impl Fn(usize, &[u32]) -> T + Sync,
    ) -> Result<Vec<T>> {
        let crowd = |(number, crowd): (usize, &Vec<u32>)| {
            clock.check()?;
            if let Some(sets) = &self.sets {
                return Ok(of(number, &sets[number]));
            }
            Ok(of(number, &crowd.first().map_or_else(Vec::new, |target| self.matching(*target as usize))))
        };
        self.crowds.par_iter().enumerate().map(crowd).collect()
    }

    /// That only a sample was attacked; empty where everybody was.
    pub fn sampling(&self) -> String {
        let stopped = if self.stopped { ", because time ran out" } else { "" };
        match self.sampled {
            Some(all) => {
                format!("a random sample of {} of {all} people was attacked{stopped}", self.people())
            }
            None => String::new(),
        }
    }
}

/// This many rows of a table, drawn at random and in random order: the first of them are a sample as well.
fn sample_of(rows: usize, most: usize, seed: u64) -> Vec<u32> {
    let mut random = keyed(seed, "people under attack");
    let mut numbers: Vec<u32> = (0..rows as u32).collect();
    for place in 0..most.min(rows) {
        let other = place + below(&mut random, (rows - place) as u64) as usize;
        numbers.swap(place, other);
    }
    numbers.truncate(most);
    numbers
}

fn ascending(rows: &[u32]) -> Vec<u32> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows
}

fn ones(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0u32..).zip(bits).flat_map(|(place, word)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            if left == 0 {
                return None;
            }
            left &= left - 1;
            Some(place * 64 + bit)
        })
    })
}
