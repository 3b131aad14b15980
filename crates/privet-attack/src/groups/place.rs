//! Who is in which class or group of a released table.
//!
//! A person is in the class that contains their quasi-identifiers. If several do (ranges that overlap, records that
//! show nothing, identical people in different groups), a person goes where somebody with that value is still
//! missing. That is one of the ways in which the release can have come about, and the only one except for identical
//! people.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{Group, Groups, KnownAttribute, KnownPeople};
use crate::Scene;
use crate::budget::takes_long;
use crate::view::{Matcher, TableView, ViewColumn, value_tree};
use privet_audit::definitions::OriginalColumn;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_policy::{CheckedPolicy, Requirement};
use privet_taxonomy::{NodeId, Taxonomy, number};

/// How a suppressed cell is written.
const SUPPRESSED: &str = "*";

/// How much memory a placed person takes, in addition to their values.
const BYTES_PER_PERSON: u64 = 64;

/// How many people are processed between two checks of the clock.
const BETWEEN: usize = 1024;

/// More people than this are not placed one by one.
const MOST_PEOPLE: usize = 1_000_000;

/// People of a released table in groups, and where they come from.
pub(crate) struct Placed {
    /// The people in groups.
    pub groups: Groups,
    /// Per group, a row of the released table.
    pub rows: Vec<usize>,
    /// Per group, how many rows the release has of it, and how many of them show no value.
    pub released: Vec<(u64, u64)>,
    /// Per record of the people, the row of the original.
    pub original: Vec<u32>,
    /// Records that are in no class: they were left out.
    pub missing: Vec<u32>,
    /// Records of groups that were left out, because they have more records than matching people.
    pub skipped: u64,
}

/// The one table whose people can be placed; else why they cannot, as a clause.
pub(crate) fn one_table<'s>(scene: &'s Scene<'_>) -> std::result::Result<&'s TableView, String> {
    let view = match scene.tables()? {
        [view] => view,
        _ => return Err("the release consists of several tables".to_string()),
    };
    if view.columns_where(ViewColumn::is_quasi).is_empty() {
        return Err("the release has no quasi-identifier".to_string());
    }
    if view.original.len > MOST_PEOPLE {
        return Err(format!("it would have to place more than {MOST_PEOPLE} people one by one"));
    }
    Ok(view)
}

/// The same with a sensitive column.
pub(crate) fn with_values<'s>(scene: &'s Scene<'_>) -> std::result::Result<&'s TableView, String> {
    let view = one_table(scene)?;
    match sensitive(scene, view).is_empty() {
        true => Err("the release has no sensitive column".to_string()),
        false => Ok(view),
    }
}

/// The sensitive columns of a view that attacks go for: those that requirements name, or all where they name none.
pub(crate) fn sensitive(scene: &Scene<'_>, view: &TableView) -> Vec<usize> {
    let requirements = scene.table_policy().map_or(&[][..], |policy| &policy.requirements);
    let named: Vec<usize> = requirements.iter().filter_map(Requirement::column).collect();
    let is_named = |column: &ViewColumn| column.is_sensitive() && named.contains(&column.policy.index);
    let plain = |column: &ViewColumn| column.is_sensitive() && column.policy.separator.is_none();
    match view.columns_where(is_named) {
        found if found.is_empty() => view.columns_where(plain),
        found => found,
    }
}

impl Placed {
    /// Places everybody; `column` is the sensitive column, by its place in the view. Without one, everybody has the same value.
    pub fn of(scene: &Scene<'_>, view: &TableView, column: Option<usize>) -> Result<Placed> {
        let policy = scene.table_policy().ok_or_else(|| Error::internal("people without a table"))?;
        if view.original.is_sample() {
            return Err(takes_long());
        }
        let quasi = view.columns_where(ViewColumn::is_quasi);
        scene.limits.afford(view.original.len as u64 * (4 * quasi.len() as u64 + BYTES_PER_PERSON))?;
        let all;
        let matcher = match view.quasi.sampled {
            None => &view.quasi,
            Some(_) => {
                all = Matcher::new(&view.columns, &quasi, &view.released, &view.original, scene.everybody())?;
                &all
            }
        };
        let values = SensitiveValues::of(view, column);
        let (people, original) = people(policy, view, column, &values, scene.clock)?;
        let hidden = values.hidden();
        let blocks: &[u32] = view.groups.as_deref().unwrap_or(&matcher.classes.of_row);
        let number_of_blocks = blocks.iter().max().map_or(0, |most| *most as usize + 1);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); number_of_blocks];
        (0u32..).zip(blocks).for_each(|(row, block)| rows[*block as usize].push(row));
        let shown: Vec<Vec<(u32, u64)>> =
            rows.iter().map(|rows| values.counted(view, column, rows)).collect();
        let nodes = cell_nodes(view, &people);
        let named = |record: u32, class: u32| {
            let row = matcher.classes.first[class as usize] as usize;
            nodes.iter().enumerate().all(|(at, (column, nodes))| {
                let leaf = people.leaf(at, record as usize) as usize;
                let tree = &people.attributes[at].taxonomy;
                let node = nodes[view.released.codes[*column].at(row) as usize];
                node.is_none_or(|node| tree.leaves_below(node).contains(&leaf))
            })
        };
        let (members, missing) =
            Seats { matcher, blocks, shown: &shown, grouped: view.groups.is_some(), named: &named }.taken(
                &people,
                &original,
                scene.clock,
            )?;
        let mut placed = Placed {
            groups: Groups { people, groups: Vec::new(), hidden: Some(hidden) },
            rows: Vec::new(),
            released: Vec::new(),
            original,
            missing,
            skipped: 0,
        };
        for ((members, shown), rows) in members.into_iter().zip(&shown).zip(&rows) {
            scene.clock.check()?;
            let Some(first) = rows.first() else { continue };
            match Group::new(&placed.groups.people, members, shown, Some(hidden)) {
                Some(group) => {
                    let told: u64 = shown.iter().map(|(_, count)| count).sum();
                    placed.groups.groups.push(group);
                    placed.rows.push(*first as usize);
                    placed.released.push((rows.len() as u64, rows.len() as u64 - told));
                }
                None => placed.skipped += rows.len() as u64,
            }
        }
        Ok(placed)
    }

    /// The sensitive column as requirements see it: its values, and how often each occurs.
    pub fn column<'a>(
        &'a self,
        policy: &'a CheckedPolicy,
        column: &ViewColumn,
    ) -> Result<OriginalColumn<'a>> {
        let people = &self.groups.people;
        let values = people.values.iter().map(String::as_str).collect();
        OriginalColumn::new(policy, column.policy.index, values, people.value_counts().to_vec())
    }

    /// Per group, the node that it shows in each quasi-identifier; `None` if a cell is not a node, such as a range.
    pub fn nodes(&self, view: &TableView) -> Option<Vec<Vec<NodeId>>> {
        let quasi = view.columns_where(ViewColumn::is_quasi);
        let trees: Vec<&Taxonomy> =
            self.groups.people.attributes.iter().map(|attribute| attribute.taxonomy.as_ref()).collect();
        let node = |row: usize, (at, tree): (&usize, &&Taxonomy)| {
            let text = view.columns[*at].cells.text(view.released.codes[*at].at(row));
            match tree.find(text) {
                None if text == SUPPRESSED => Some(tree.root()),
                None => tree.leaf_of(text).ok().flatten(),
                found => found,
            }
        };
        let nodes = |row: &usize| quasi.iter().zip(&trees).map(|pair| node(*row, pair)).collect();
        self.rows.iter().map(nodes).collect()
    }
}

/// The sensitive values, in an order of their own: numbers by size, texts by letters, and what is suppressed last.
struct SensitiveValues {
    names: Vec<String>,
    /// Per value of the view.
    of_value: Vec<u32>,
    /// Per released cell; `None` for one that is not a value.
    of_cell: Vec<Option<u32>>,
}

impl SensitiveValues {
    fn of(view: &TableView, column: Option<usize>) -> SensitiveValues {
        let Some(column) = column.map(|column| &view.columns[column]) else {
            return SensitiveValues {
                names: vec![String::new(), SUPPRESSED.to_string()],
                of_value: vec![0],
                of_cell: vec![],
            };
        };
        let texts: Vec<&str> = column.values.texts().collect();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by(|one, other| by_size(texts[*one], texts[*other]));
        let mut of_value = vec![0; texts.len()];
        (0u32..).zip(&order).for_each(|(rank, value)| of_value[*value] = rank);
        let cell = |text: &str| {
            let value = column.values.find(text).filter(|_| text != SUPPRESSED)?;
            Some(of_value[value as usize])
        };
        let of_cell = column.cells.texts().map(cell).collect();
        let mut names: Vec<String> = order.iter().map(|value| texts[*value].to_string()).collect();
        names.push(SUPPRESSED.to_string());
        SensitiveValues { names, of_value, of_cell }
    }

    fn hidden(&self) -> u32 {
        self.names.len() as u32 - 1
    }

    /// How often each value is shown in some rows, by rising value; suppressed cells are left out.
    fn counted(&self, view: &TableView, column: Option<usize>, rows: &[u32]) -> Vec<(u32, u64)> {
        let Some(column) = column else { return vec![(0, rows.len() as u64)] };
        let codes = &view.released.codes[column];
        let mut values: Vec<u32> =
            rows.iter().filter_map(|row| self.of_cell[codes.at(*row as usize) as usize]).collect();
        values.sort_unstable();
        values.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u64)).collect()
    }
}

/// Numbers by size and before texts, texts by letters.
fn by_size(one: &str, other: &str) -> std::cmp::Ordering {
    match (number(one), number(other)) {
        (Some(a), Some(b)) => a.total_cmp(&b).then_with(|| one.cmp(other)),
        (a, b) => b.is_some().cmp(&a.is_some()).then_with(|| one.cmp(other)),
    }
}

/// Everybody in the original as observations, with the row of each.
fn people(
    policy: &CheckedPolicy,
    view: &TableView,
    column: Option<usize>,
    values: &SensitiveValues,
    clock: &Clock,
) -> Result<(KnownPeople, Vec<u32>)> {
    let quasi = view.columns_where(ViewColumn::is_quasi);
    let mut attributes = Vec::new();
    let mut leaves: Vec<Vec<u32>> = Vec::new();
    for at in &quasi {
        let column = &view.columns[*at];
        let tree = match value_tree(policy, &column.policy)? {
            Some(tree) => tree,
            None => flat(column)?,
        };
        let leaf = |text: &str| -> Result<u32> {
            let node = tree.leaf_of(text)?.ok_or_else(|| {
                Error::input(format!("a value of column '{}' is not in its hierarchy", column.name))
            })?;
            Ok(tree.leaves_below(node).start as u32)
        };
        leaves.push(column.values.texts().map(leaf).collect::<Result<_>>()?);
        attributes.push(KnownAttribute { name: column.name.clone(), taxonomy: Arc::new(tree) });
    }
    let mut people = KnownPeople::new(attributes, values.names.clone());
    let mut own = vec![0; quasi.len()];
    for row in 0..view.original.len {
        if row % BETWEEN == 0 {
            clock.check()?;
        }
        for ((own, at), leaves) in own.iter_mut().zip(&quasi).zip(&leaves) {
            *own = leaves[view.original.codes[*at].at(row) as usize];
        }
        let value = column.map_or(0, |column| values.of_value[view.original.codes[column].at(row) as usize]);
        people.push(&own, value);
    }
    Ok((people, (0..view.original.len as u32).collect()))
}

/// The tree of a column without a hierarchy: its values below the root, numbers by size.
fn flat(column: &ViewColumn) -> Result<Taxonomy> {
    let mut values: Vec<&str> = column.values.texts().collect();
    values.sort_unstable_by(|one, other| by_size(one, other));
    let named = values.iter().copied().filter(|value| !value.trim().is_empty());
    let tree = Taxonomy::flat(named)?;
    // Paths have no empty labels, but data may have empty cells that are values.
    let blank = values.iter().filter(|value| value.trim().is_empty());
    blank.copied().try_fold(tree, |tree, value| tree.with_leaf(value))
}

/// Per quasi-identifier its column, and the node that each of its cells is, if it is one.
fn cell_nodes(view: &TableView, people: &KnownPeople) -> Vec<(usize, Vec<Option<NodeId>>)> {
    let quasi = view.columns_where(ViewColumn::is_quasi).into_iter().zip(&people.attributes);
    let nodes = |column: usize, tree: &Taxonomy| {
        view.columns[column].cells.texts().map(|text| tree.find(text)).collect()
    };
    quasi.map(|(column, attribute)| (column, nodes(column, &attribute.taxonomy))).collect()
}

/// The members of each block, by record, and those who are in none.
type Taken = (Vec<Vec<u32>>, Vec<u32>);

/// Where people may be.
struct Seats<'a> {
    matcher: &'a Matcher,
    /// The block of every released row.
    blocks: &'a [u32],
    /// Per block, what it shows.
    shown: &'a [Vec<(u32, u64)>],
    /// Whether blocks are groups, which quasi-identifiers do not determine.
    grouped: bool,
    /// Whether the nodes that a class shows are above a person's values. A range may hold a number that the hierarchy puts
    /// elsewhere; the hierarchy is what the release was made by.
    named: &'a dyn Fn(u32, u32) -> bool,
}

impl Seats<'_> {
    /// The members of each block, by record, and those who are in none.
    fn taken(&self, people: &KnownPeople, original: &[u32], clock: &Clock) -> Result<Taken> {
        let Seats { matcher, blocks, shown, grouped, named } = *self;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); shown.len()];
        let mut missing = Vec::new();
        // Per class of the matcher the groups of its rows, each as often as it has rows; or the class itself.
        let mut seats: Vec<Vec<u32>> = match grouped {
            true => vec![Vec::new(); matcher.classes.len()],
            false => (0..matcher.classes.len() as u32).map(|class| vec![class]).collect(),
        };
        for (class, block) in matcher.classes.of_row.iter().zip(blocks).filter(|_| grouped) {
            seats[*class as usize].push(*block);
        }
        let mut left: Vec<HashMap<u32, u64>> =
            shown.iter().map(|counts| counts.iter().copied().collect()).collect();
        let matching: Vec<Vec<u32>> = (0..matcher.targets.len())
            .map(|target| {
                clock.check()?;
                let all = matcher.matching(target);
                // Records of the people are rows of the original.
                let record = matcher.targets.first[target];
                let some: Vec<u32> = all.iter().copied().filter(|class| named(record, *class)).collect();
                Ok(if some.is_empty() { all } else { some })
            })
            .collect::<Result<_>>()?;
        let fitting = |record: u32| -> &[u32] {
            let target = matcher.target_of(original[record as usize] as usize);
            target.map_or(&[], |target| matching[target].as_slice())
        };
        // People who match only one class have no choice, and are placed first.
        let mut waiting: Vec<(usize, u32)> = Vec::new();
        for record in 0..original.len() as u32 {
            match fitting(record) {
                [] => missing.push(record),
                [only] if !grouped => {
                    let block = *only as usize;
                    members[block].push(record);
                    if let Some(count) = left[block].get_mut(&people.value(record as usize)) {
                        *count = count.saturating_sub(1);
                    }
                }
                several => {
                    waiting.push((several.iter().map(|class| seats[*class as usize].len()).sum(), record));
                }
            }
        }
        waiting.sort_unstable();
        let mut rows_of = vec![0usize; shown.len()];
        blocks.iter().for_each(|block| rows_of[*block as usize] += 1);
        let mut late = Vec::new();
        for (turn, (_, record)) in waiting.into_iter().enumerate() {
            if turn % BETWEEN == 0 {
                clock.check()?;
            }
            let value = people.value(record as usize);
            let lacks = |block: &u32| left[*block as usize].get(&value).is_some_and(|count| *count > 0);
            let seat = fitting(record).iter().find_map(|class| {
                let place = seats[*class as usize].iter().position(lacks)?;
                Some((*class as usize, place))
            });
            let Some((class, place)) = seat else {
                late.push(record);
                continue;
            };
            let block = if grouped { seats[class].swap_remove(place) } else { seats[class][place] } as usize;
            if let Some(count) = left[block].get_mut(&value) {
                *count -= 1;
            }
            members[block].push(record);
        }
        // The rest goes wherever there is a free record: the release hides the value, or has another.
        for record in late {
            let has_room = |block: &&u32| members[**block as usize].len() < rows_of[**block as usize];
            let room = fitting(record).iter().find_map(|class| seats[*class as usize].iter().find(has_room));
            let first = || fitting(record).iter().find_map(|class| seats[*class as usize].first());
            match room.or_else(first) {
                Some(block) => members[*block as usize].push(record),
                None => missing.push(record),
            }
        }
        members.iter_mut().for_each(|members| members.sort_unstable());
        missing.sort_unstable();
        Ok((members, missing))
    }
}
