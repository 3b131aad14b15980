//! Where each record of the data goes.
//!
//! A method decides about distinct records: of so many that look alike to it, so many go to a class, so many to another, and
//! the others are left out. They may differ in what it does not look at, such as columns of role `other`. Which of them
//! goes where must follow neither from their order in the file (the same records in another order are the same data) nor, in a way that
//! others could follow, from what they hold. So they take turns by a number that only the seed tells, made of all their cells.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::Result;
use crate::data::{Batch, Located};
use crate::engine::clock::Clock;
use crate::engine::microdata::Microdata;
use crate::method::recoding::{Dispatcher, Recoding};
use crate::method::released_sets::ReleasedSets;
use crate::policy::CheckedPolicy;
use crate::random::number_of;

/// Whose turn it is among the records of a distinct record, from 0.
#[derive(Debug)]
pub(super) enum Turns {
    /// As they come, where it does not show which of them is which.
    AsTheyCome(HashMap<usize, usize>),
    /// By number.
    ByNumber {
        seed: u64,
        /// By distinct record, ascending, with how many of the same number have had their turn, told at the first of them.
        numbers: HashMap<usize, Vec<(u64, u32)>>,
    },
}

impl Turns {
    /// Reads the data once and gives every record that is not alone a number, of those distinct records that `part` ways.
    pub fn by_number(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        seed: u64,
        part: &dyn Fn(usize) -> bool,
        clock: &Clock,
    ) -> Result<Turns> {
        let mut numbers: HashMap<usize, Vec<(u64, u32)>> = HashMap::new();
        policy.source.read(&mut |batch: &Batch, _| {
            clock.check()?;
            for row in 0..batch.rows() {
                if let Located::Record(record) = microdata.summary.locate(batch, row)
                    && part(record)
                {
                    numbers.entry(record).or_default().push((number(seed, batch, row), 0));
                }
            }
            Ok(())
        })?;
        numbers.values_mut().for_each(|numbers| numbers.sort_unstable());
        Ok(Turns::ByNumber { seed, numbers })
    }

    /// The turn of a row of a distinct record; rows that are the same take turns as they come.
    pub fn next(&mut self, batch: &Batch, row: usize, record: usize) -> usize {
        match self {
            Turns::AsTheyCome(seen) => {
                let turn = seen.entry(record).or_default();
                *turn += 1;
                *turn - 1
            }
            Turns::ByNumber { seed, numbers } => {
                let Some(numbers) = numbers.get_mut(&record) else { return 0 };
                let own = number(*seed, batch, row);
                let first = numbers.partition_point(|(number, _)| *number < own);
                match numbers.get_mut(first) {
                    Some((_, seen)) => {
                        *seen += 1;
                        first + *seen as usize - 1
                    }
                    // Of a file that was changed meanwhile.
                    None => first,
                }
            }
        }
    }
}

fn number(seed: u64, batch: &Batch, row: usize) -> u64 {
    number_of(seed, "privet: turns of records that look alike", batch.cells(row))
}

/// What becomes of a record: its class, unless it is left out, and the set that it shows instead of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'a> {
    pub class: Option<u32>,
    pub set: Option<&'a str>,
}

/// What becomes of each record.
#[derive(Debug)]
pub(super) struct Ways<'a> {
    classes: Dispatcher<'a>,
    /// Of distinct records whose records part ways, what becomes of each by turn.
    parted: HashMap<usize, Vec<Way<'a>>>,
    turns: Turns,
}

impl<'a> Ways<'a> {
    /// What was decided, where the seed says who takes which turn. Records that differ only in what is not shown need no
    /// numbers.
    pub fn new(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        (recoding, sets): (&'a Recoding, Option<&'a ReleasedSets>),
        seed: u64,
        shows: bool,
        clock: &Clock,
    ) -> Result<Ways<'a>> {
        let count = |record: usize| microdata.summary.count(record);
        let mut classes = recoding.dispatcher(seed, count);
        let mut cells = sets.map(|sets| {
            sets.dispatcher(seed, |record, class| {
                let destinations = recoding.destinations(record as usize, count(record as usize));
                destinations.filter(|(other, _)| *other == class).map(|(_, count)| count).sum()
            })
        });
        let all: BTreeSet<usize> =
            recoding.parted().chain(sets.into_iter().flat_map(ReleasedSets::parted)).collect();
        let mut parted = HashMap::with_capacity(all.len());
        for record in all {
            let mut ways = Vec::new();
            for _ in 0..count(record) {
                let class = classes.next(record);
                let set = class.zip(cells.as_mut());
                ways.push(Way {
                    class,
                    set: set.and_then(|(class, cells)| cells.next(record as u32, class)),
                });
            }
            parted.insert(record, ways);
        }
        let turns = match shows && !parted.is_empty() {
            true => Turns::by_number(policy, microdata, seed, &|record| parted.contains_key(&record), clock)?,
            false => Turns::AsTheyCome(HashMap::new()),
        };
        Ok(Ways { classes, parted, turns })
    }

    /// What becomes of a row of a distinct record; `None` for one that was not there before.
    pub fn next(&mut self, batch: &Batch, row: usize, record: usize) -> Option<Way<'a>> {
        match self.parted.get(&record) {
            None => Some(Way { class: self.classes.next(record), set: None }),
            Some(ways) => ways.get(self.turns.next(batch, row, record)).copied(),
        }
    }
}
