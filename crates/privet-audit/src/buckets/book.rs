//! The original and the published buckets, as texts with numbers.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::super::Check;
use super::super::order::UNKNOWN;
use super::super::table::{Dictionary, UncomparedColumn};
use super::listing::number;
use super::order::{BucketRow, Listed, Trail};
use super::{BUCKET, BucketTables, COUNT};
use privet_core::{Error, Result};
use privet_data::{Batch, Source};
use privet_policy::{CheckedPolicy, OnMissing, Role};

/// The numbers of somebody's quasi-identifiers.
pub(super) type Person = Vec<u32>;

/// A published bucket.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// Quasi-identifiers with how many records have them.
    pub people: BTreeMap<Person, u64>,
    /// Values with how often they occur.
    pub values: BTreeMap<u32, u64>,
    /// What is wrong with the way it is written.
    pub faults: Vec<String>,
}

impl Bucket {
    /// How many records it has.
    pub fn records(&self) -> u64 {
        self.people.values().sum()
    }

    /// How many values it has, repeated ones counted again.
    pub fn occurrences(&self) -> u64 {
        self.values.values().sum()
    }
}

/// Both sides of the audit. Equal numbers are equal texts.
pub(super) struct BucketBook {
    /// The texts of the quasi-identifiers, in the original's order of columns.
    pub quasi: Vec<Dictionary>,
    pub quasi_names: Vec<String>,
    /// Where the quasi-identifiers are in the original.
    pub places: Vec<usize>,
    /// The texts of the sensitive column.
    pub values: Dictionary,
    /// The original's records that the policy keeps.
    pub original: BTreeMap<(Person, u32), u64>,
    /// The same without values.
    pub people: BTreeMap<Person, u64>,
    /// How often each value occurs in the original.
    pub value_counts: BTreeMap<u32, u64>,
    /// Original records that count, and those that were dropped because of a missing value.
    pub rows: u64,
    pub dropped: u64,
    /// The published buckets, by name.
    pub buckets: BTreeMap<String, Bucket>,
    /// What the steward's list puts into each bucket.
    pub assigned: BTreeMap<String, BTreeMap<(Person, u32), u64>>,
    /// The people of both sides, by number.
    pub persons: Vec<Person>,
    /// What the tables show in addition to their contents.
    pub trail: Trail,
    numbers: HashMap<Person, u32>,
    /// How many lines the steward's list has beyond the records of the original.
    pub strays: usize,
}

impl BucketBook {
    /// Reads both sides, and checks the columns of the published tables.
    pub fn read(
        policy: &CheckedPolicy,
        release: &BucketTables,
        about: usize,
        assignment: Option<&[Option<String>]>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<(BucketBook, Check)> {
        let places: Vec<usize> = policy.with_role(Role::QuasiIdentifier).map(|column| column.index).collect();
        let names: Vec<String> =
            policy.with_role(Role::QuasiIdentifier).map(|column| column.name.clone()).collect();
        let mut book = BucketBook {
            quasi_names: names.clone(),
            quasi: places.iter().map(|_| Dictionary::default()).collect(),
            places,
            values: Dictionary::default(),
            original: BTreeMap::new(),
            people: BTreeMap::new(),
            value_counts: BTreeMap::new(),
            rows: 0,
            dropped: 0,
            buckets: BTreeMap::new(),
            assigned: BTreeMap::new(),
            persons: Vec::new(),
            trail: Trail::default(),
            numbers: HashMap::new(),
            strays: 0,
        };
        book.read_original(policy, about, assignment, tick)?;
        let value = policy.columns.get(about).map_or("", |column| column.name.as_str()).to_string();
        let mut faults = Vec::new();
        match release {
            BucketTables::Two { qit, st } => {
                let mut wanted = names.clone();
                wanted.push(BUCKET.to_string());
                let at = columns(qit, &wanted, &mut faults)?;
                book.read_people(qit, &at, tick)?;
                let at = columns(st, &[BUCKET.to_string(), value, COUNT.to_string()], &mut faults)?;
                book.read_values(st, &at, tick)?;
            }
            BucketTables::Permuted(table) => {
                let mut wanted = names.clone();
                wanted.extend([value, BUCKET.to_string()]);
                let at = columns(table, &wanted, &mut faults)?;
                book.read_permuted(table, &at, tick)?;
            }
        }
        let detail = match faults.as_slice() {
            [] => "the tables have the published columns and no others".to_string(),
            faults => faults.join("; "),
        };
        Ok((book, Check::new("columns", faults.is_empty(), detail)))
    }

    /// How many records are published.
    pub fn released(&self) -> u64 {
        self.buckets.values().map(Bucket::records).sum()
    }

    fn read_original(
        &mut self,
        policy: &CheckedPolicy,
        about: usize,
        assignment: Option<&[Option<String>]>,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let mattering: Vec<usize> = (policy.columns.iter())
            .filter(|column| {
                matches!(column.role, Some(Role::QuasiIdentifier | Role::Sensitive | Role::Class))
            })
            .map(|column| column.index)
            .collect();
        let hidden = policy.source.columns().iter().enumerate();
        let hidden = hidden.filter(|(at, _)| *at != about && !self.places.contains(at));
        self.trail.columns =
            hidden.map(|(at, column)| (column.name.clone(), UncomparedColumn::at(at))).collect();
        let spelling = policy.missing.first().cloned().unwrap_or_default();
        let places = self.places.clone();
        let mut number = 0;
        let mut names: HashMap<String, u32> = HashMap::new();
        policy.source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let bucket = assignment.and_then(|list| list.get(number)).cloned().flatten();
                number += 1;
                let missing = mattering.iter().any(|column| policy.is_missing(batch.cell(row, *column)));
                if missing && policy.on_missing == OnMissing::Drop {
                    self.dropped += 1;
                    continue;
                }
                let cell = |column: usize| {
                    let cell = batch.cell(row, column);
                    if policy.is_missing(cell) { spelling.as_str() } else { cell }
                };
                let person = self.person(places.iter().map(|column| cell(*column)), batch.line(row))?;
                let value = self.values.code(cell(about), batch.line(row))?;
                let number = self.number_of(&person);
                self.trail.original.push((number, value));
                for (_, column) in &mut self.trail.columns {
                    column.read(batch, row)?;
                }
                self.rows += 1;
                *self.value_counts.entry(value).or_default() += 1;
                *self.people.entry(person.clone()).or_default() += 1;
                if assignment.is_some() {
                    let next = names.len() as u32;
                    let name = bucket.as_deref().map(|name| *names.entry_ref(name).or_insert(next));
                    if name == Some(next) {
                        self.trail.assigned_names.extend(bucket.clone());
                    }
                    self.trail.assigned.push(name.unwrap_or(UNKNOWN));
                }
                if let Some(bucket) = bucket {
                    let assigned = self.assigned.entry(bucket).or_default();
                    *assigned.entry((person.clone(), value)).or_default() += 1;
                }
                *self.original.entry((person, value)).or_default() += 1;
            }
            tick()
        })?;
        self.strays = assignment.map_or(0, |list| list.len().saturating_sub(number));
        Ok(())
    }

    fn person<'a>(&mut self, cells: impl Iterator<Item = &'a str>, line: u64) -> Result<Person> {
        self.quasi.iter_mut().zip(cells).map(|(column, cell)| column.code(cell, line)).collect()
    }

    fn number_of(&mut self, person: &Person) -> u32 {
        let next = self.persons.len() as u32;
        let number = *self.numbers.entry_ref(person).or_insert(next);
        if number == next {
            self.persons.push(person.clone());
        }
        number
    }

    /// The number of a bucket's name, in the order in which the files show them.
    fn bucket_of(name: &str, known: &mut HashMap<String, u32>, trail: &mut Trail) -> u32 {
        *known.entry_ref(name).or_insert_with(|| {
            trail.buckets.push(name.to_string());
            trail.buckets.len() as u32 - 1
        })
    }

    /// The buckets that the files have shown so far.
    fn known_buckets(&self) -> HashMap<String, u32> {
        self.trail.buckets.iter().cloned().zip(0..).collect()
    }

    fn read_people(
        &mut self,
        table: &Source,
        at: &[usize],
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let (bucket, quasi) = at.split_last().ok_or_else(|| Error::internal("a table without columns"))?;
        let mut known = self.known_buckets();
        table.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let person =
                    self.person(quasi.iter().map(|column| batch.cell(row, *column)), batch.line(row))?;
                let name = batch.cell(row, *bucket);
                let number = Self::bucket_of(name, &mut known, &mut self.trail);
                let own = BucketRow { person: self.number_of(&person), bucket: number, value: None };
                self.trail.rows.push(own);
                let bucket = self.buckets.entry(name.to_string()).or_default();
                *bucket.people.entry(person).or_default() += 1;
            }
            tick()
        })
    }

    fn read_values(
        &mut self,
        table: &Source,
        at: &[usize],
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let [bucket, value, count] = *at else { return Err(Error::internal("a table of three columns")) };
        let mut known = self.known_buckets();
        table.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let (text, line) = (batch.cell(row, value), batch.line(row));
                let code = self.values.code(text, line)?;
                let name = batch.cell(row, bucket);
                let place = Self::bucket_of(name, &mut known, &mut self.trail);
                let bucket = self.buckets.entry(name.to_string()).or_default();
                let stated = batch.cell(row, count);
                if number(stated).is_none() && stated.parse::<u32>().is_ok() {
                    self.trail
                        .spelling
                        .push(format!("the count '{stated}' in line {line} is not how the number is spelt"));
                }
                match stated.parse::<u32>().ok().map(u64::from).filter(|count| *count > 0) {
                    None => bucket.faults.push(format!("'{stated}' in line {line} is not a count")),
                    Some(count) => {
                        self.trail.listed.push(Listed { bucket: place, value: code, count });
                        if bucket.values.insert(code, count).is_some() {
                            bucket.faults.push(format!("'{text}' occurs twice, again in line {line}"));
                        }
                    }
                }
            }
            tick()
        })
    }

    fn read_permuted(
        &mut self,
        table: &Source,
        at: &[usize],
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let [quasi @ .., value, bucket] = at else { return Err(Error::internal("a table of two columns")) };
        let mut known = self.known_buckets();
        table.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let line = batch.line(row);
                let person = self.person(quasi.iter().map(|column| batch.cell(row, *column)), line)?;
                let value = self.values.code(batch.cell(row, *value), line)?;
                let name = batch.cell(row, *bucket);
                let number = Self::bucket_of(name, &mut known, &mut self.trail);
                let own = BucketRow { person: self.number_of(&person), bucket: number, value: Some(value) };
                self.trail.rows.push(own);
                let bucket = self.buckets.entry(name.to_string()).or_default();
                *bucket.people.entry(person).or_default() += 1;
                *bucket.values.entry(value).or_default() += 1;
            }
            tick()
        })
    }
}

/// Where the wanted columns are; a column that must not be there is a fault, one that is missing bad input.
fn columns(table: &Source, wanted: &[String], faults: &mut Vec<String>) -> Result<Vec<usize>> {
    let found: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    for (position, name) in found.iter().enumerate() {
        if found[..position].contains(name) {
            faults.push(format!("column '{name}' occurs twice in {}", table.origin()));
        } else if !wanted.iter().any(|wanted| wanted == name) {
            faults.push(format!("column '{name}' must not be in {}", table.origin()));
        }
    }
    wanted.iter().map(|name| table.position(name)).collect()
}
