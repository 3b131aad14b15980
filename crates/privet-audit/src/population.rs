//! The population, as the audit reads it: who could stand behind each released class.
//!
//! A person of the population stands behind a class if every released cell of it stands for their value: a cell that is the
//! value, a label above it, a range or a set that holds it, or `*`.

use std::collections::HashMap;

use super::cover::Coverage;
use super::notion::Facts;
use super::table::{Dictionary, Tuples};
use super::truth::ClassIndex;
use privet_core::{Error, Result};
use privet_data::{Batch, Source};
use privet_policy::{CheckedPolicy, OnMissing, Population, Role};

/// The people of the population, by the released classes.
pub(super) struct Register {
    /// By class, how many stand behind it.
    pub behind: Vec<u64>,
    /// Those who stand behind no class: their values, with how many have them.
    pub outside: Vec<(Vec<String>, u64)>,
}

/// Values of people, by column and person.
pub(super) struct PeopleTable {
    pub values: Vec<Dictionary>,
    pub people: Tuples,
    pub total: u64,
}

impl PeopleTable {
    /// No people, with this many columns.
    fn new(width: usize) -> PeopleTable {
        let values = (0..width).map(|_| Dictionary::default()).collect();
        PeopleTable { values, people: Tuples::new(width), total: 0 }
    }

    /// Reads the columns of a table. People with missing values in these or in others that matter are left out, or are as the first
    /// spelling says.
    pub fn read(
        &mut self,
        source: &Source,
        columns: &[usize],
        (missing, keep): (&[String], bool),
        also: &[usize],
        tick: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        source.read(&mut |batch: &Batch, _| {
            tick()?;
            for row in 0..batch.rows() {
                let is_missing = |cell: &str| missing.iter().any(|spelling| spelling == cell);
                let cells = columns.iter().map(|column| batch.cell(row, *column));
                let others = also.iter().map(|column| batch.cell(row, *column));
                if !keep && cells.clone().chain(others).any(is_missing) {
                    continue;
                }
                let mut codes = Vec::with_capacity(columns.len());
                for (cell, values) in cells.zip(&mut self.values) {
                    let text =
                        if is_missing(cell) { missing.first().map_or(cell, String::as_str) } else { cell };
                    codes.push(values.code(text, batch.line(row))?);
                }
                self.people.add(&codes, 1, batch.line(row))?;
                self.total += 1;
            }
            Ok(())
        })
    }
}

/// How many people the population has.
pub(super) fn size(facts: &Facts<'_>) -> Result<u64> {
    match &facts.policy.population {
        Some(Population::Size(size)) => Ok(*size),
        Some(Population::Table(_)) => Ok(everybody(facts.policy, facts.watch)?.total),
        None => Err(Error::input("the policy says nothing about the population").help("add [population]")),
    }
}

/// Everybody who may be in the data.
fn everybody(policy: &CheckedPolicy, tick: &dyn Fn() -> Result<()>) -> Result<PeopleTable> {
    let Some(Population::Table(table)) = &policy.population else {
        return Err(Error::input("the policy names no table of the population")
            .help("name it: [population] path = \"register.csv\""));
    };
    let mut everybody = PeopleTable::new(table.columns.len());
    let keep = table.on_missing == OnMissing::Value;
    everybody.read(&table.source, &table.columns, (&table.missing, keep), &[], tick)?;
    if !table.includes_data {
        let columns: Vec<usize> = policy.generalised().map(|column| column.index).collect();
        let matters = |column: &&privet_policy::PolicyColumn| {
            matches!(column.role, Some(Role::Sensitive | Role::Class | Role::Weight | Role::Household))
        };
        let also: Vec<usize> = policy.columns.iter().filter(matters).map(|column| column.index).collect();
        let keep = policy.on_missing == OnMissing::Value;
        everybody.read(&policy.source, &columns, (&policy.missing, keep), &also, tick)?;
    }
    Ok(everybody)
}

/// What cells say about the values of some people.
fn meanings(policy: &CheckedPolicy, cells: &[Dictionary], values: &[Dictionary]) -> Result<Vec<Coverage>> {
    let places = policy.generalised().zip(values).zip(cells);
    places.map(|((column, values), cells)| Coverage::of(policy, column, values, cells)).collect()
}

impl Register {
    /// Counts the population behind the released classes.
    pub fn count(facts: &Facts<'_>) -> Result<Register> {
        Register::behind(facts.policy, (&facts.classes.cells, &facts.tables.release.quasi), facts.watch)
    }

    /// Counts the population behind classes, by their cells.
    fn behind(
        policy: &CheckedPolicy,
        (classes, cells): (&Tuples, &[Dictionary]),
        tick: &dyn Fn() -> Result<()>,
    ) -> Result<Register> {
        let everybody = everybody(policy, tick)?;
        let coverage = meanings(policy, cells, &everybody.values)?;
        let index = ClassIndex::of(classes, &coverage);
        let mut behind = vec![0u64; classes.ids().len()];
        let mut outside = Vec::new();
        for person in everybody.people.ids() {
            let (values, count) = (everybody.people.get(person), everybody.people.count(person));
            let found = index.covering(values);
            for class in &found {
                behind[*class as usize] += count;
            }
            if found.is_empty() {
                let texts = values.iter().zip(&everybody.values);
                outside.push((texts.map(|(code, own)| own.text(*code).to_string()).collect(), count));
            }
        }
        Ok(Register { behind, outside })
    }
}

/// How many people of the population stand behind each class of a table, by the cells of its quasi-identifiers.
///
/// The table is the data or a release: what its cells contain is what counts. Columns are found by their names.
pub fn people_behind(
    policy: &CheckedPolicy,
    table: &Source,
    tick: &dyn Fn() -> Result<()>,
) -> Result<HashMap<Vec<String>, u64>> {
    let mut columns = Vec::new();
    for column in policy.generalised() {
        let place = table.columns().iter().position(|own| own.name == column.name);
        columns.push(place.ok_or_else(|| {
            Error::input(format!("the table lacks the column '{}'", column.name)).in_file(table.origin())
        })?);
    }
    let mut classes = PeopleTable::new(columns.len());
    let keep = policy.on_missing == OnMissing::Value;
    classes.read(table, &columns, (&policy.missing, keep), &[], tick)?;
    let register = Register::behind(policy, (&classes.people, &classes.values), tick)?;
    let text = |class: u32| {
        let cells = classes.people.get(class).iter().zip(&classes.values);
        cells.map(|(code, own)| own.text(*code).to_string()).collect::<Vec<String>>()
    };
    Ok(classes.people.ids().map(|class| (text(class), register.behind[class as usize])).collect())
}
