//! Where each record of the data goes.
//!
//! A method decides about distinct records: of those that look alike to it, some go to one class, some to another, and
//! the others are left out. They may differ in what it does not look at, such as columns of role `other`. Which of them
//! goes where must follow neither from their order in the file (the same records in another order are the same data), nor from what
//! is not published, nor, in a way that others could follow, from what is. So they take turns by a number that only the key
//! gives, made of their published cells; those that are published alike by one made of all their cells, which tells nobody but
//! the ledger.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::is_published;
use super::run::changed;
use privet_core::clock::Clock;
use privet_core::random::number_of;
use privet_core::{Result, RunKey};
use privet_data::{Batch, Located};
use privet_engine::microdata::Microdata;
use privet_methods::recoding::{Dispatcher, Recoding};
use privet_methods::released_sets::{ReleasedSets, SetDispatcher};
use privet_policy::CheckedPolicy;

/// Whose turn it is among the records of a distinct record.
#[derive(Debug)]
pub(super) struct Turns {
    key: RunKey,
    published: Vec<usize>,
    /// By distinct record, the numbers of its records, ascending.
    numbers: HashMap<usize, Vec<u128>>,
}

/// How many of the records that are the same in everything have had their turn.
pub(super) type Seen = HashMap<(usize, u128), usize>;

impl Turns {
    /// Reads the data once and gives numbers to all records of those distinct records that `part` ways.
    pub fn of(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        key: RunKey,
        part: &dyn Fn(usize) -> bool,
        clock: &Clock,
    ) -> Result<Turns> {
        let published = policy.columns.iter().filter(|column| is_published(column));
        let published = published.map(|column| column.index).collect();
        let mut turns = Turns { key, published, numbers: HashMap::new() };
        clock.progress().stage("drawing who goes where", Some(policy.source.bytes()));
        policy.source.read(&mut |batch: &Batch, bytes| {
            clock.check()?;
            clock.progress().at(bytes);
            for row in 0..batch.rows() {
                match microdata.summary.locate(batch, row) {
                    Located::Record(record) if part(record) => {
                        let number = turns.number(batch, row);
                        turns.numbers.entry(record).or_default().push(number);
                    }
                    Located::Record(_) | Located::Dropped => {}
                    Located::Unknown => return Err(changed(policy.source.origin())),
                }
            }
            Ok(())
        })?;
        turns.numbers.values_mut().for_each(|numbers| numbers.sort_unstable());
        Ok(turns)
    }

    fn number(&self, batch: &Batch, row: usize) -> u128 {
        let published = self.published.iter().map(|column| batch.cell(row, *column));
        let shown = number_of(self.key, "privet: turns of records that look alike", published);
        let whole =
            number_of(self.key, "privet: turns of records that are published alike", batch.cells(row));
        u128::from(shown) << 64 | u128::from(whole)
    }

    /// The turn, from 0, of the next row of a distinct record that parts ways; those that are the same in everything take turns
    /// as they come. `None` for a row that did not get a number.
    pub fn next(&self, seen: &mut Seen, batch: &Batch, row: usize, record: usize) -> Option<usize> {
        let numbers = self.numbers.get(&record)?;
        let own = self.number(batch, row);
        let mut turn = numbers.partition_point(|number| *number < own);
        if numbers.get(turn + 1) == Some(&own) {
            let same = seen.entry((record, own)).or_default();
            turn += *same;
            *same += 1;
        }
        (numbers.get(turn) == Some(&own)).then_some(turn)
    }
}

/// What becomes of a record: its class, unless it is left out, and the set that it shows instead of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way<'a> {
    pub class: Option<u32>,
    pub set: Option<&'a str>,
}

/// What becomes of the records of a distinct record, by turn.
#[derive(Debug, Default)]
struct Parted<'a> {
    classes: Vec<Option<u32>>,
    /// Empty where no record shows another set than its own.
    sets: Vec<Option<&'a str>>,
}

/// What becomes of each record.
#[derive(Debug)]
pub(super) struct Ways<'a> {
    classes: Dispatcher<'a>,
    sets: Option<SetDispatcher<'a>>,
    in_turn: Option<InTurn<'a>>,
}

#[derive(Debug)]
struct InTurn<'a> {
    turns: Turns,
    seen: Seen,
    parted: HashMap<usize, Parted<'a>>,
}

impl<'a> Ways<'a> {
    /// For records that are known by nothing but what the method looked at: they part as they come.
    pub fn as_they_come(
        microdata: &Microdata,
        recoding: &'a Recoding,
        sets: Option<&'a ReleasedSets>,
        key: RunKey,
    ) -> Ways<'a> {
        let count = |record: usize| microdata.summary.count(record);
        let in_class = |record: u32, class: u32| {
            let destinations = recoding.destinations(record as usize, count(record as usize));
            destinations.filter(|(other, _)| *other == class).map(|(_, count)| count).sum()
        };
        let sets = sets.map(|sets| sets.dispatcher(key, in_class));
        Ways { classes: recoding.dispatcher(key, count), sets, in_turn: None }
    }

    /// For records that can be told apart by more than that: they take turns.
    pub fn in_turn(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        recoding: &'a Recoding,
        sets: Option<&'a ReleasedSets>,
        key: RunKey,
        clock: &Clock,
    ) -> Result<Ways<'a>> {
        let mut ways = Ways::as_they_come(microdata, recoding, sets, key);
        let all: BTreeSet<usize> =
            recoding.parted().chain(sets.into_iter().flat_map(ReleasedSets::parted)).collect();
        if all.is_empty() {
            return Ok(ways);
        }
        let turns = Turns::of(policy, microdata, key, &|record| all.contains(&record), clock)?;
        let mut parted = HashMap::with_capacity(all.len());
        for record in all {
            let mut own = Parted::default();
            for _ in 0..microdata.summary.count(record) {
                let Way { class, set } = ways.next_that_comes(record);
                own.classes.push(class);
                own.sets.extend(sets.map(|_| set));
            }
            parted.insert(record, own);
        }
        ways.in_turn = Some(InTurn { turns, seen: Seen::new(), parted });
        Ok(ways)
    }

    fn next_that_comes(&mut self, record: usize) -> Way<'a> {
        let class = self.classes.next(record);
        let set = class.zip(self.sets.as_mut()).and_then(|(class, sets)| sets.next(record as u32, class));
        Way { class, set }
    }

    /// What becomes of a row of a distinct record; `None` for one that was not there before.
    pub fn next(&mut self, batch: &Batch, row: usize, record: usize) -> Option<Way<'a>> {
        if let Some(InTurn { turns, seen, parted }) = &mut self.in_turn
            && let Some(own) = parted.get(&record)
        {
            let turn = turns.next(seen, batch, row, record)?;
            return Some(Way { class: *own.classes.get(turn)?, set: own.sets.get(turn).copied().flatten() });
        }
        Some(self.next_that_comes(record))
    }
}

#[cfg(test)]
mod tests;
