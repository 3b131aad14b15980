//! A released table next to its original, as attacks on tables see them: both dictionary-coded, column by column,
//! with what each released cell covers.
//!
//! A released cell matches an original value if it *contains* it: the value, a node above it, a range around it, `*`.
//! Texts are never compared directly. [`Matcher`] finds the released rows that contain what is known about a person.

mod coded;
mod codes;
mod cover;
mod distinct;
mod matcher;
mod posts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(super) use coded::{CodedRows, Dictionary};
pub(super) use codes::Codes;
pub(super) use cover::{Cover, value_tree};
use cover::{EVERYTHING, in_braces};
pub(super) use distinct::Distinct;
pub(super) use matcher::{Matcher, MatchingEffort};

use coded::{MemoryLimit, ReadingStopped, RowSample, TableReader, WantedColumn};

use super::budget::needs;
use super::{PolicyRef, Released, Scene};
use privet_audit::buckets::BucketTables;
use privet_core::Result;
use privet_core::random::{keyed, shuffle};
use privet_data::{Batch, Source};
use privet_policy::layout::{COUNT_COLUMN, GROUP_COLUMN};
use privet_policy::{CheckedPolicy, PolicyColumn, Role};
use privet_taxonomy::{Range, number};

/// A column that both tables have.
#[derive(Clone)]
pub(super) struct ViewColumn {
    /// Its name.
    pub name: String,
    /// What the policy says about it.
    pub policy: PolicyColumn,
    /// The values of people: of the original, and of the population and the hold-out where there are any.
    pub values: Arc<Dictionary>,
    /// How many of these the original has: they are the first.
    pub own: usize,
    /// The released cells.
    pub cells: Dictionary,
    /// Which cells cover which values.
    pub cover: Arc<Cover>,
}

impl ViewColumn {
    /// Whether the policy calls it a quasi-identifier. Columns of role `mixed` are seen in part, and not by everybody.
    pub fn is_quasi(&self) -> bool {
        self.policy.role == Some(Role::QuasiIdentifier)
    }

    /// Whether nobody may learn its values.
    pub fn is_sensitive(&self) -> bool {
        self.policy.role == Some(Role::Sensitive)
    }

    /// Whether all values of the original are numbers.
    pub fn is_numeric(&self, policy: &CheckedPolicy) -> bool {
        let mut own = self.values.texts().take(self.own);
        own.all(|value| number(value).is_some() || policy.is_missing(value))
    }

    /// Which of the released cells say something that neither the original, nor the hierarchy, nor a range, a list or `*` makes
    /// sense of: they match nobody.
    pub fn senseless(&self, policy: &CheckedPolicy) -> Result<Vec<bool>> {
        let tree = value_tree(policy, &self.policy)?;
        let numeric = self.is_numeric(policy);
        let mut makes_sense =
            vec![self.policy.sets.is_some() || self.policy.items.is_some(); self.cells.len()];
        for value in 0..self.values.len() as u32 {
            self.cover.cells_of(value).iter().for_each(|cell| makes_sense[*cell as usize] = true);
        }
        let known = |text: &str| {
            let in_tree = tree.as_ref().is_some_and(|tree| {
                tree.find(text).is_some() || tree.leaf_of(text).is_ok_and(|leaf| leaf.is_some())
            });
            let is_number = numeric && (Range::parse(text).is_some() || number(text).is_some());
            in_tree || is_number || text == EVERYTHING || policy.is_missing(text)
        };
        let senseless = self.cells.texts().zip(makes_sense).map(|(cell, makes_sense)| {
            !makes_sense && !known(cell) && !in_braces(cell).iter().any(|text| known(text))
        });
        Ok(senseless.collect())
    }

    /// Whether nobody may learn this value of it. A suppressed cell is not a value.
    pub fn guards(&self, value: &str) -> bool {
        value != EVERYTHING && !self.policy.insensitive.iter().any(|spared| spared == value)
    }
}

/// A released table next to its original.
pub(super) struct TableView {
    /// The columns that both have, in the released table's order.
    pub columns: Vec<ViewColumn>,
    /// The people: rows of the original, without those that the policy drops for missing values. By view column.
    pub original: CodedRows,
    /// The released rows, by view column.
    pub released: CodedRows,
    /// For records in groups: the group of each released row, from 0. Sensitive cells say only what the group has, not the row.
    pub groups: Option<Vec<u32>>,
    /// Everybody who may be in the original, with the columns of theirs that are known.
    pub population: Option<CodedRows>,
    /// People who were left out of the release.
    pub holdout: Option<CodedRows>,
    /// Which rows match whom, by all quasi-identifiers.
    pub quasi: Matcher,
    /// The columns that only the released table has.
    pub further: Vec<FurtherColumn>,
}

/// A column that only the released table has.
#[derive(Clone)]
pub(super) struct FurtherColumn {
    pub name: String,
    /// How many different cells it has.
    pub cells: usize,
    /// The cell of every row.
    pub codes: Arc<Codes>,
}

impl TableView {
    /// Reads the released tables of a scene; a reason where they cannot be looked at like this.
    pub fn read_all(scene: &Scene<'_>) -> Result<std::result::Result<Vec<TableView>, String>> {
        let PolicyRef::Table(policy) = scene.policy else {
            return Ok(Err("the release is not a table".into()));
        };
        let tables: Vec<&Source> = match &scene.released {
            Released::Table(source) | Released::Groups(BucketTables::Permuted(source)) => vec![source],
            Released::Groups(BucketTables::Two { qit, .. }) => vec![qit],
            Released::Projections(tables) => tables.iter().collect(),
            Released::Transactions(_) | Released::Vocabularies(_) => {
                return Ok(Err("the release is not a table".into()));
            }
        };
        let values = match &scene.released {
            Released::Groups(BucketTables::Two { st, .. }) => Some(st),
            _ => None,
        };
        match read(scene, policy, &tables, values) {
            Ok(views) => Ok(Ok(views)),
            Err(ReadingStopped::TooMany) => Ok(Err(format!(
                "the table has more than {} rows, and this attack holds them in memory",
                scene.limits.rows
            ))),
            Err(ReadingStopped::TooLarge(bytes)) => {
                Ok(Err(needs(bytes, scene.limits.view_bytes().unwrap_or(u64::MAX))))
            }
            Err(ReadingStopped::Error(error)) => Err(error),
        }
    }

    /// The same tables for another number of people.
    pub fn again(&self, effort: MatchingEffort<'_>) -> Result<TableView> {
        let quasi = Matcher::new(&self.columns, &self.quasi.columns, &self.released, &self.original, effort)?;
        Ok(TableView {
            columns: self.columns.clone(),
            original: self.original.clone(),
            released: self.released.clone(),
            groups: self.groups.clone(),
            population: self.population.clone(),
            holdout: self.holdout.clone(),
            quasi,
            further: self.further.clone(),
        })
    }

    /// Tables about the same people, with the same people attacked in each: those for whom all of them have time.
    pub fn with_the_same_people(views: Vec<TableView>, scene: &Scene<'_>) -> Result<Vec<TableView>> {
        let people = |view: &TableView| view.quasi.people();
        let fewest = views.iter().map(people).min().unwrap_or(0);
        if scene.limits.steps.is_none() || views.iter().all(|view| people(view) == fewest) {
            return Ok(views);
        }
        let limit = Some((fewest as usize, scene.seed));
        let same = MatchingEffort { people: limit, steps: Some(u64::MAX), clock: scene.clock };
        views.iter().map(|view| view.again(same)).collect()
    }

    /// The columns that satisfy something.
    pub fn columns_where(&self, is: impl Fn(&ViewColumn) -> bool) -> Vec<usize> {
        (0..self.columns.len()).filter(|column| is(&self.columns[*column])).collect()
    }

    /// How the cells of a column are spread: per group of rows that look alike (a group, or else a class of the matcher), how
    /// many have which cell, ascending by cell.
    pub fn spread(&self, column: usize, matcher: &Matcher) -> Spread {
        self.spread_of(&self.released.codes[column].to_vec(), matcher)
    }

    /// The same after shuffling the column's cells among all released rows: what follows from it then is chance.
    pub fn dealt_anew(&self, column: usize, matcher: &Matcher, seed: u64) -> Spread {
        let mut codes = self.released.codes[column].to_vec();
        shuffle(&mut codes, &mut keyed(seed, "cells that say nothing about rows"));
        self.spread_of(&codes, matcher)
    }

    fn spread_of(&self, codes: &[u32], matcher: &Matcher) -> Spread {
        let blocks: &[u32] = self.groups.as_deref().unwrap_or(&matcher.classes.of_row);
        let number = blocks.iter().max().map_or(0, |most| *most as usize + 1);
        let counts = counted(blocks, codes, number);
        // Where rows are in groups, a class of equal quasi-identifiers has rows of several groups.
        let of_class = self
            .groups
            .as_ref()
            .map(|groups| counted(&matcher.classes.of_row, groups, matcher.classes.len()));
        let width = codes.iter().max().map_or(0, |most| *most as usize + 1);
        Spread { counts, of_class, width }
    }

    /// The code of a released cell that covers everything.
    pub fn star(&self, column: usize) -> Option<u32> {
        self.columns[column].cells.find(EVERYTHING)
    }

    /// A row of the original in words: `line 7: age=34, city=Oslo`.
    pub fn person(&self, row: usize, columns: &[usize]) -> String {
        let value = |column: &usize| {
            let code = self.original.codes[*column].get(row)?;
            let column = &self.columns[*column];
            Some(format!("{}={}", column.name, column.values.text(code)))
        };
        let values: Vec<String> = columns.iter().filter_map(value).collect();
        format!("line {}: {}", self.original.line(row), values.join(", "))
    }
}

/// Per block, how many of its rows have which code, ascending by code; there are `number` blocks.
fn counted(blocks: &[u32], codes: &[u32], number: usize) -> Vec<Vec<(u32, u64)>> {
    let rows = blocks.iter().copied().zip(codes.iter().copied());
    let mut counts: Vec<Vec<(u32, u64)>> = vec![Vec::new(); number];
    let width = codes.iter().max().map_or(0, |most| *most as usize + 1);
    if number.saturating_mul(width) > 4 * blocks.len() {
        let mut rows: Vec<(u32, u32)> = rows.collect();
        rows.sort_unstable();
        for same in rows.chunk_by(|one, other| one == other) {
            counts[same[0].0 as usize].push((same[0].1, same.len() as u64));
        }
        return counts;
    }
    // Few enough to count them all.
    let mut matrix = vec![0u64; number * width];
    rows.for_each(|(block, code)| matrix[block as usize * width + code as usize] += 1);
    for (counts, row) in counts.iter_mut().zip(matrix.chunks(width.max(1))) {
        counts.extend((0u32..).zip(row).filter(|(_, count)| **count > 0).map(|(code, count)| (code, *count)));
    }
    counts
}

/// How a column's cells are spread over the released rows that look alike.
pub(super) struct Spread {
    /// Per block, cells with counts.
    pub counts: Vec<Vec<(u32, u64)>>,
    /// Per class of the matcher, blocks with how many of its rows are in them; a class is its own block where there is none.
    of_class: Option<Vec<Vec<(u32, u64)>>>,
    /// How many different cells there are.
    width: usize,
}

impl Spread {
    /// How likely each cell is for somebody who is in one of these classes of the matcher, any row being as likely as the next.
    /// Ascending by cell; they sum to 1, or there are none.
    pub fn likely(&self, classes: &[u32]) -> Vec<(u32, f64)> {
        if self.width <= FEW_CELLS && self.of_class.is_some() {
            return self.likely_of_few(classes);
        }
        let mut weights: Vec<(u32, f64)> = Vec::new();
        let mut rows = 0.0;
        let mut add = |block: u32, times: Option<u64>| {
            let counts = self.counts.get(block as usize).map_or(&[][..], Vec::as_slice);
            let size: u64 = counts.iter().map(|(_, count)| count).sum();
            let times = times.unwrap_or(size) as f64;
            rows += times;
            weights.extend(
                counts.iter().map(|(cell, count)| (*cell, times * *count as f64 / size.max(1) as f64)),
            );
        };
        for class in classes {
            match &self.of_class {
                None => add(*class, None),
                Some(of_class) => {
                    for (block, times) in of_class.get(*class as usize).into_iter().flatten() {
                        add(*block, Some(*times));
                    }
                }
            }
        }
        weights.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let same = weights.chunk_by(|one, other| one.0 == other.0);
        same.map(|same| (same[0].0, same.iter().map(|(_, weight)| weight).sum::<f64>() / rows)).collect()
    }

    /// The same for groups where there are few cells: their likelihoods are added up in place.
    fn likely_of_few(&self, classes: &[u32]) -> Vec<(u32, f64)> {
        let (mut weights, mut rows) = (vec![0.0; self.width], 0.0);
        let of_class = self.of_class.as_deref().unwrap_or_default();
        for (block, times) in classes.iter().filter_map(|class| of_class.get(*class as usize)).flatten() {
            let counts = self.counts.get(*block as usize).map_or(&[][..], Vec::as_slice);
            let size: u64 = counts.iter().map(|(_, count)| count).sum();
            let part = *times as f64 / size.max(1) as f64;
            rows += *times as f64;
            counts.iter().for_each(|(cell, count)| weights[*cell as usize] += part * *count as f64);
        }
        let likely = (0u32..).zip(weights).filter(|(_, weight)| *weight > 0.0);
        likely.map(|(cell, weight)| (cell, weight / rows)).collect()
    }
}

/// Up to this many cells are counted in a list of all of them.
const FEW_CELLS: usize = 1024;

fn read(
    scene: &Scene<'_>,
    policy: &CheckedPolicy,
    tables: &[&Source],
    values: Option<&Source>,
) -> std::result::Result<Vec<TableView>, ReadingStopped> {
    // Every column of any of the tables that the original has, once.
    let mut shared: Vec<WantedColumn<'_>> = Vec::new();
    for table in tables.iter().copied().chain(values) {
        for column in table.columns() {
            for wanted in wanted(scene, policy, &column.name)? {
                if !shared.iter().any(|other| other.name() == wanted.name()) {
                    shared.push(wanted);
                }
            }
        }
    }
    if shared.is_empty() {
        let file = tables.first().map_or(policy.source.origin(), |table| table.origin());
        return Err(ReadingStopped::Error(strange(policy).in_file(file)));
    }
    let mut held = MemoryLimit { rows: scene.limits.rows, bytes: scene.limits.view_bytes(), taken: 0 };
    let grouped = matches!(scene.released, Released::Groups(_));
    let mut read = Vec::new();
    for table in tables {
        let (released, groups) = match values {
            Some(st) => dealt(scene, table, st, held)?,
            None => coded::released(table, grouped, scene.clock, held)?,
        };
        held.taken += released.bytes();
        read.push((released, groups));
    }
    // Of many people a sample is read: as many have records as there are released rows, or a few more.
    let rows = read.iter().map(|(released, _)| released.len).max().unwrap_or(0);
    let most = scene.limits.people_in_memory(shared.len(), rows);
    let sample = RowSample::of(most, rows, scene.seed);
    let mut reader = TableReader::new(policy, &shared, scene.clock, held);
    let original = reader.original(sample)?;
    let own = reader.lengths();
    let population = scene.population.as_ref().map(|source| reader.people(source)).transpose()?;
    let holdout = scene.holdout.as_ref().map(|source| reader.people(source)).transpose()?;
    let dictionaries = reader.dictionaries();
    let mut views = Vec::new();
    for (released, groups) in read {
        let mut columns = Vec::new();
        let mut places = Vec::new();
        let mut rows = CodedRows::empty(released.len);
        let mut further = Vec::new();
        for (name, cells, codes) in released.columns {
            let whole = |wanted: &WantedColumn<'_>| wanted.item.is_some() && wanted.of.name == name;
            let mut is_known = false;
            for (place, wanted) in shared.iter().enumerate() {
                let (cells, codes) = match wanted.name() == name {
                    true => (cells.clone(), codes.clone()),
                    false if whole(wanted) => taken_apart(wanted, &cells, &codes),
                    false => continue,
                };
                let (policy_column, values) = (wanted.policy(), dictionaries[place].clone());
                let own = own[place];
                let cover = Arc::new(Cover::of(policy, &policy_column, (&values, own), &cells, scene.clock)?);
                columns.push(ViewColumn {
                    name: wanted.name(),
                    policy: policy_column,
                    values,
                    own,
                    cells,
                    cover,
                });
                rows.codes.push(codes);
                places.push(place);
                is_known = true;
            }
            if !is_known {
                further.push(FurtherColumn { name, cells: cells.len(), codes });
            }
        }
        let original = original.pick(&places);
        let quasi: Vec<usize> = (0..columns.len()).filter(|column| columns[*column].is_quasi()).collect();
        let quasi = Matcher::new(&columns, &quasi, &rows, &original, scene.sample())?;
        views.push(TableView {
            columns,
            original,
            released: rows,
            groups,
            population: population.as_ref().map(|rows| rows.pick(&places)),
            holdout: holdout.as_ref().map(|rows| rows.pick(&places)),
            quasi,
            further,
        });
    }
    Ok(TableView::with_the_same_people(views, scene)?)
}

/// A set-valued column is examined value by value: at most this many, those that most cells have.
const MOST_ITEMS: usize = 100;

/// The columns of a view that a released column gives: none if the original has no such column.
fn wanted<'a>(
    scene: &Scene<'_>,
    policy: &'a CheckedPolicy,
    name: &str,
) -> std::result::Result<Vec<WantedColumn<'a>>, ReadingStopped> {
    match policy.columns.iter().find(|column| column.name == name) {
        Some(of) if of.separator.is_some() => {
            let items = items(scene, policy, of)?.into_iter();
            Ok(items.map(|item| WantedColumn { of, item: Some(item) }).collect())
        }
        Some(of) => Ok(vec![WantedColumn { of, item: None }]),
        None => {
            let of_set = policy.columns.iter().filter(|column| column.separator.is_some());
            let mut items = of_set.filter_map(|of| {
                let item = name.strip_prefix(of.name.as_str())?.strip_prefix('=')?;
                Some(WantedColumn { of, item: Some(item.to_string()) })
            });
            Ok(items.next().into_iter().collect())
        }
    }
}

/// The values in the cells of a set-valued column of the original that most cells have, in the order of their letters.
fn items(
    scene: &Scene<'_>,
    policy: &CheckedPolicy,
    column: &PolicyColumn,
) -> std::result::Result<Vec<String>, ReadingStopped> {
    let mut counts: hashbrown::HashMap<String, u64> = hashbrown::HashMap::new();
    policy.source.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            for value in column.values_of(batch.cell(row, column.index)) {
                *counts.entry_ref(value).or_default() += 1;
            }
        }
        scene.clock.check()
    })?;
    let mut items: Vec<(u64, String)> = counts.into_iter().map(|(item, count)| (count, item)).collect();
    items.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    items.truncate(MOST_ITEMS);
    let mut items: Vec<String> = items.into_iter().map(|(_, item)| item).collect();
    items.sort_unstable();
    Ok(items)
}

/// Who has one of the values of a set-valued column, by its cells.
fn taken_apart(wanted: &WantedColumn<'_>, cells: &Dictionary, codes: &Codes) -> (Dictionary, Arc<Codes>) {
    let mut apart = Dictionary::default();
    let of_cell: Vec<&str> =
        cells.texts().map(|cell| if cell == EVERYTHING { cell } else { wanted.value(cell) }).collect();
    let codes = codes.iter().map(|code| apart.intern(of_cell[code as usize])).collect();
    (apart, Arc::new(codes))
}

/// A released table that has nothing in common with the original.
fn strange(policy: &CheckedPolicy) -> privet_core::Error {
    let names: Vec<&str> = policy.columns.iter().map(|column| column.name.as_str()).take(12).collect();
    let more = if policy.columns.len() > names.len() { ", …" } else { "" };
    privet_core::Error::input("none of its columns is in the original").help(format!(
        "a released table is compared column by column, by name: {}{more}; check the header and the delimiter",
        names.join(", ")
    ))
}

/// Two tables of groups as one: the values of each group are dealt to its rows as they come. The group is what counts.
fn dealt(
    scene: &Scene<'_>,
    qit: &Source,
    st: &Source,
    held_in_memory: MemoryLimit,
) -> std::result::Result<(coded::ReleasedRows, Option<Vec<u32>>), ReadingStopped> {
    let (mut released, groups) = coded::released(qit, true, scene.clock, held_in_memory)?;
    let nameless = |table: &Source| {
        let wrong = format!("it has no column '{GROUP_COLUMN}', which says which group a row belongs to");
        ReadingStopped::Error(privet_core::Error::input(wrong).in_file(table.origin()).help(format!(
            "the two tables are joined by '{GROUP_COLUMN}'; the second one has the values of each group and their \
             '{COUNT_COLUMN}'"
        )))
    };
    let Some(groups) = groups else { return Err(nameless(qit)) };
    let names: Vec<&str> = st.columns().iter().map(|column| column.name.as_str()).collect();
    let value = names.iter().position(|name| *name != GROUP_COLUMN && *name != COUNT_COLUMN);
    let (Some(value), Some(group), Some(count)) = (value, st.find(GROUP_COLUMN), st.find(COUNT_COLUMN))
    else {
        return Err(nameless(st));
    };
    let mut cells = Dictionary::default();
    let mut held: hashbrown::HashMap<String, Vec<(u32, u64)>> = hashbrown::HashMap::new();
    st.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            let cell = cells.intern(batch.cell(row, value));
            let count = batch.cell(row, count).trim().parse::<u64>().unwrap_or(0);
            held.entry_ref(batch.cell(row, group)).or_default().push((cell, count));
        }
        scene.clock.check()
    })?;
    let nothing = cells.intern("*");
    let mut own: Vec<Vec<(u32, u64)>> =
        released.groups.iter().map(|name| held.remove(name).unwrap_or_default()).collect();
    let codes = groups.iter().map(|group| {
        let left = &mut own[*group as usize];
        while left.last().is_some_and(|(_, count)| *count == 0) {
            left.pop();
        }
        let Some((cell, count)) = left.last_mut() else { return nothing };
        *count -= 1;
        *cell
    });
    let codes: Codes = codes.collect();
    released.columns.push((names[value].to_string(), cells, Arc::new(codes)));
    Ok((released, Some(groups)))
}
