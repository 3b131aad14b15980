//! A summarised table as methods see it: the columns that are generalised, with taxonomies, and those whose values are
//! counted.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::heads::Heads;
use super::standing::{Register, Weights};
use crate::loss::Extent;
use crate::privacy::{CellLinks, ItemCells, TrackedColumn, TrackedTable};
use privet_core::{Error, Result, RunKey, counted};
use privet_data::naming::{tells_people_apart, words};
use privet_data::{Names, People, Source, Summary, SummaryColumn, set_cell, terms_of};
use privet_policy::{
    CheckedPolicy, ItemColumn, OnMissing, PolicyColumn, Population, ReleaseKind, Requirement, Role, SetPolicy,
};
use privet_taxonomy::{NodeId, Taxonomy};

/// A column of a summarised table that is generalised: a quasi-identifier or a mixed column.
#[derive(Debug, Clone)]
pub struct QuasiIdentifier {
    /// Its position in the data.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// How its values generalise: the policy's hierarchy, or the flat tree of its values below `*`.
    pub taxonomy: Arc<Taxonomy>,
    /// The file that the taxonomy comes from, where the policy names one.
    pub hierarchy: Option<PathBuf>,
    /// Per code, the position of the value's leaf in depth-first order.
    pub leaf_of_code: Vec<u32>,
    /// How many records have each value, by code.
    pub counts: Vec<u64>,
    /// Per leaf, how many values the leaves before it stand for, with the sum of all at the end.
    values_before: Vec<u64>,
}

impl QuasiIdentifier {
    /// How many values a node stands for: its leaves, as in the published costs. Where leaves are ranges or groups that hold
    /// more than ten values of the data on average, as in the draft of a hierarchy for many numbers, it stands for all of
    /// these values, so that what it hides has its price.
    pub fn values_below(&self, node: NodeId) -> u64 {
        let leaves = self.taxonomy.leaves_below(node);
        self.values_before[leaves.end] - self.values_before[leaves.start]
    }

    /// How many values the whole column stands for.
    pub fn values(&self) -> u64 {
        self.values_before.last().copied().unwrap_or(0)
    }

    /// How much of the column a node covers.
    pub fn extent(&self, node: NodeId) -> Extent {
        Extent::Leaves(self.values_below(node), self.values())
    }
}

/// Leaves that hold at most this many values on average are priced as one value each: five years of age are a common leaf.
const FEW: usize = 10;

/// Per leaf, how many values the leaves before it stand for.
fn values_before(leaves: usize, leaf_of_code: &[u32]) -> Vec<u64> {
    if leaf_of_code.len() <= FEW * leaves {
        return (0..=leaves as u64).collect();
    }
    let mut before = vec![0u64; leaves + 1];
    leaf_of_code.iter().for_each(|leaf| before[*leaf as usize + 1] += 1);
    // A leaf without a value of the data stands for one all the same.
    before.iter_mut().skip(1).for_each(|values| *values = (*values).max(1));
    (1..before.len()).for_each(|at| before[at] += before[at - 1]);
    before
}

/// A summarised table with what the policy says about its columns.
#[derive(Debug)]
pub struct Microdata {
    /// The distinct records. Columns 0… are the quasi-identifiers, then come the tracked columns.
    pub summary: Summary,
    /// The quasi-identifiers.
    pub quasi: Vec<QuasiIdentifier>,
    /// The tracked columns: sensitive ones, and the class label if there is one.
    pub table: TrackedTable,
    /// The quasi-sensitive column, where the policy's method uses it. Its values are the cells as they were read.
    pub sets: Option<SetColumn>,
    /// Everybody who may be in the data, where a requirement counts them.
    pub register: Option<Register>,
    /// Survey weights, where a column has them.
    pub weights: Option<Weights>,
    /// The summary's column that says who lives together, where there is one.
    pub household: Option<usize>,
    /// Where the values of each tracked column come from.
    origins: Vec<Origin>,
}

/// The quasi-sensitive column of a summarised table.
#[derive(Debug, Clone)]
pub struct SetColumn {
    /// Its position in the data.
    pub index: usize,
    /// Its position in the summary, behind all other columns.
    pub position: usize,
    /// Its name.
    pub name: String,
    /// What its terms reveal.
    pub policy: SetPolicy,
}

/// Where the values of a tracked column come from.
#[derive(Debug)]
struct Origin {
    /// The summary's column.
    position: usize,
    /// Per code of that column the code of the tracked one, where they differ: a column whose cells hold several values is
    /// replaced by one of zeros and ones per value (the bitmap transformation of CODIP).
    codes: Option<Vec<u32>>,
}

/// The codes of a tracked column, by those of a column of the summary.
#[derive(Debug, Clone, Copy)]
pub struct Coding<'a> {
    /// The column of the summary, by position.
    pub column: usize,
    /// Per code of that column the code of the tracked one; `None` where they are the same.
    codes: Option<&'a [u32]>,
}

impl Coding<'_> {
    /// The code of the tracked column.
    pub fn code(&self, code: u32) -> u32 {
        self.codes.map_or(code, |codes| codes[code as usize])
    }
}

/// The slots that a column of the summary counts in.
#[derive(Debug, Clone)]
pub struct SlotList {
    /// The column, by position.
    pub column: usize,
    /// How many tracked columns come from it.
    width: usize,
    /// Code by code, a slot for each of them.
    slots: Vec<u32>,
}

impl SlotList {
    /// The slots that a code counts in.
    pub fn of(&self, code: u32) -> &[u32] {
        let start = code as usize * self.width;
        &self.slots[start..start + self.width]
    }
}

impl Microdata {
    /// Reads and summarises a policy's data.
    pub fn read(policy: &CheckedPolicy, tick: &mut dyn FnMut(u64) -> Result<()>) -> Result<Microdata> {
        let with_role = |role| policy.with_role(role).collect::<Vec<_>>();
        let quasi = policy.generalised().collect::<Vec<_>>();
        // Where terms are published as they are, requirements about them judge classes by who is in them.
        let judged = !policy.method.is_about(Role::QuasiSensitive) && policy.looks_at_terms();
        let terms = if judged { with_role(Role::QuasiSensitive) } else { Vec::new() };
        let tracked =
            [with_role(Role::Sensitive), with_role(Role::Class), terms, with_role(Role::Set)].concat();
        if quasi.is_empty() {
            return Err(Error::input(
                "no column has role 'quasi-identifier', so there is nothing to generalise",
            )
            .in_file(policy.written.path())
            .help("say which columns could identify a person: [columns.age] role = \"quasi-identifier\""));
        }
        let sets = policy
            .with_role(Role::QuasiSensitive)
            .filter(|_| policy.method.is_about(Role::QuasiSensitive))
            .find_map(|column| {
                let (index, name) = (column.index, column.name.clone());
                let position = quasi.len() + tracked.len();
                Some(SetColumn { index, position, name, policy: column.sets.clone()? })
            });
        let columns = quasi.iter().chain(&tracked).copied();
        let columns: Vec<_> = columns
            .chain(policy.with_role(Role::QuasiSensitive).filter(|_| sets.is_some()))
            .chain(policy.with_role(Role::Weight))
            .chain(policy.with_role(Role::Household))
            .map(|column| (column.index, policy.missing_rule_of(column)))
            .collect();
        let mut summary = Summary::read_columns(&policy.source, &columns, &names(policy), tick)?;
        let is_mentioned = |column: usize| policy.columns[column].role.is_some();
        summary.repeated.retain(|found| is_mentioned(found.column) || found.recurs_like_people());
        if summary.is_empty() {
            return Err(nothing_left(&policy.source, &summary));
        }
        let columns = summary.columns();
        let mut counts = summary.value_counts();
        let quasi: Vec<QuasiIdentifier> = (quasi.iter().enumerate())
            .map(|(position, column)| {
                quasi_identifier(policy, column, &columns[position], std::mem::take(&mut counts[position]))
            })
            .collect::<Result<_>>()?;
        let (mut numbered, mut origins) = (Vec::new(), Vec::new());
        let mut bitmaps = policy.columns.len();
        for (position, column) in tracked.iter().enumerate() {
            let position = quasi.len() + position;
            let counts = std::mem::take(&mut counts[position]);
            let whole = whole_column(policy, column, &columns[position], counts)?;
            if column.separator.is_none() || policy.publishes() != ReleaseKind::Projections {
                origins.push(Origin { position, codes: None });
                numbered.push(whole);
                continue;
            }
            for (bitmap, codes) in bitmap_columns(policy, column, whole)? {
                origins.push(Origin { position, codes: Some(codes) });
                numbered.push(TrackedColumn { index: bitmaps, ..bitmap });
                bitmaps += 1;
            }
        }
        let mut start = 0;
        for column in &mut numbered {
            column.slots = start..start + column.values.len() as u32;
            start = column.slots.end;
        }
        let tracked = numbered;
        let at = |role: Role| {
            let column = policy.with_role(role).next()?;
            let position = summary.columns().iter().position(|own| own.index == column.index)?;
            Some((column, position))
        };
        let weights = at(Role::Weight).map(|(column, position)| {
            let counts = (position, counts[position].as_slice());
            Weights::of(policy, column, &summary.columns()[position], counts)
        });
        let weights = weights.transpose()?;
        let household = at(Role::Household).map(|(_, position)| position);
        let register = match &policy.population {
            Some(Population::Table(table))
                if policy.requirements.iter().any(Requirement::counts_population) =>
            {
                Some(Register::read(policy, table, &summary, &quasi, &mut || tick(0))?)
            }
            _ => None,
        };
        let population = population_size(policy, &summary, register.as_ref(), tick)?;
        let weight_unit = weights.as_ref().map(|weights| weights.unit);
        let table = TrackedTable { records: summary.total(), tracked, population, weight_unit };
        let mut microdata = Microdata { summary, quasi, table, register, weights, household, origins, sets };
        microdata.count_people();
        Ok(microdata)
    }

    /// What one record of a distinct record stands for beyond the data, people of the population aside.
    pub fn weight(&self, record: usize) -> u64 {
        self.weights.as_ref().map_or(0, |weights| weights.of_record(self.summary.record(record)))
    }

    /// Counts how many people have each value of each tracked column.
    fn count_people(&mut self) {
        let Some(people) = self.crowd() else { return };
        let everybody = (0..self.summary.len()).map(|record| (record, 0));
        let heads = Heads::count(self, people, 1, everybody);
        let whole = heads.class(0);
        let counts = self.table.tracked.iter().map(|column| {
            let mut counts = vec![0; column.values.len()];
            whole.counts.for_each(&column.slots, |value, count| counts[value as usize] = count);
            counts
        });
        let counts: Vec<Vec<u64>> = counts.collect();
        for (column, counts) in self.table.tracked.iter_mut().zip(counts) {
            column.people = Some(counts);
        }
    }

    /// Who has which records, where that makes a difference: where somebody has several.
    pub fn crowd(&self) -> Option<&People> {
        self.summary.people.as_ref().filter(|people| !people.have_one_record_each())
    }

    /// The key of a run with this seed on this data.
    pub fn key(&self, seed: u64) -> RunKey {
        RunKey::of(seed, &self.summary.digest)
    }

    /// The codes of the quasi-identifiers of a distinct record.
    pub fn quasi_codes(&self, record: usize) -> &[u32] {
        &self.summary.record(record)[..self.quasi.len()]
    }

    /// The slots that a distinct record counts in, one per tracked column.
    pub fn slots(&self, record: usize) -> impl Iterator<Item = u32> + '_ {
        (self.table.tracked.iter().enumerate())
            .map(move |(position, column)| column.slots.start + self.tracked_code(record, position))
    }

    /// The code of a distinct record's value in a tracked column, by the column's position among them.
    pub fn tracked_code(&self, record: usize, position: usize) -> u32 {
        let coding = self.coding(position);
        coding.code(self.summary.record(record)[coding.column])
    }

    /// Where the codes of a tracked column come from, for passes over all records.
    pub fn coding(&self, position: usize) -> Coding<'_> {
        let origin = &self.origins[position];
        Coding { column: origin.position, codes: origin.codes.as_deref() }
    }

    /// The slots that records count in, by the columns of the summary: several tracked columns may come from one of them.
    pub fn slot_lists(&self) -> Vec<SlotList> {
        let positions: Vec<usize> = (0..self.table.tracked.len()).collect();
        let same = positions.chunk_by(|a, b| self.coding(*a).column == self.coding(*b).column);
        let list = |positions: &[usize]| {
            let column = self.coding(positions[0]).column;
            let codes = 0..self.summary.columns()[column].dictionary.len() as u32;
            let slot = |code, at: &usize| self.table.tracked[*at].slots.start + self.coding(*at).code(code);
            let slots = codes.flat_map(|code| positions.iter().map(move |at| slot(code, at))).collect();
            SlotList { column, width: positions.len(), slots }
        };
        same.map(list).collect()
    }

    /// The column of the data that a tracked column is or comes from.
    pub fn source_column(&self, position: usize) -> usize {
        self.summary.columns()[self.origins[position].position].index
    }

    /// The code of a distinct record's cell in the quasi-sensitive column.
    pub fn set_code(&self, record: usize) -> Option<u32> {
        let column = self.sets.as_ref()?;
        self.summary.record(record).get(column.position).copied()
    }

    /// The tracked columns whose cells are published as they are. A column of sets, which is not among them, comes last.
    pub fn carried(&self) -> &[TrackedColumn] {
        let kept = self.table.tracked.iter().take_while(|column| column.items.is_none()).count();
        &self.table.tracked[..kept]
    }

    /// The column of sets and its items, by its position among the tracked columns.
    pub fn items(&self) -> Option<(usize, &Arc<ItemCells>)> {
        let mut columns = self.table.tracked.iter().enumerate();
        columns.find_map(|(position, column)| Some((position, column.items.as_ref()?)))
    }

    /// The column of the class label.
    pub fn label(&self) -> Option<&TrackedColumn> {
        self.table.tracked.iter().find(|column| column.role == Role::Class)
    }
}

/// How many people the population has, where that is known.
fn population_size(
    policy: &CheckedPolicy,
    data: &Summary,
    register: Option<&Register>,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Option<u64>> {
    if let Some(register) = register {
        return Ok(Some(register.total));
    }
    let size = match &policy.population {
        None => return Ok(None),
        Some(Population::Size(size)) => *size,
        Some(Population::Table(table)) => {
            let columns: Vec<_> =
                table.columns.iter().map(|column| (*column, table.missing_rule())).collect();
            let everybody =
                Summary::read_columns(&table.source, &columns, &Names::default(), &mut |_| tick(0))?;
            everybody.total() + if table.includes_data { 0 } else { data.total() }
        }
    };
    if size < data.total() {
        return Err(Error::input(format!(
            "the population has {}, fewer than the data, which have {}",
            counted(size, "person", "people"),
            counted(data.total(), "record", "records")
        ))
        .in_file(policy.written.path())
        .help("give the size of the whole population that the data were taken from in [population]"));
    }
    Ok(Some(size))
}

/// The column that tells people apart; where the policy names none, the identifiers, whose values should not recur, and columns
/// that the policy does not mention and that seem to be identifiers by their names.
fn names(policy: &CheckedPolicy) -> Names {
    match policy.person {
        Some(column) => Names { person: Some((column, policy.missing_rule())), watched: Vec::new() },
        None => {
            let is_identifier = |column: &&PolicyColumn| match column.role {
                Some(role) => role == Role::Identifier,
                None => tells_people_apart(&words(&column.name)),
            };
            let watched = policy.columns.iter().filter(is_identifier);
            let watched = watched.map(|column| (column.index, policy.missing_rule()));
            Names { person: None, watched: watched.collect() }
        }
    }
}

/// A column of the summary as it is; its slots are given later.
fn whole_column(
    policy: &CheckedPolicy,
    column: &PolicyColumn,
    summary: &SummaryColumn,
    totals: Vec<u64>,
) -> Result<TrackedColumn> {
    let dictionary = &summary.dictionary;
    // A set has no order; the one in which it was written down is not published.
    let sets = column.sets.as_ref();
    let separator = sets.map(|sets| sets.separator).or(column.items.as_ref().map(|items| items.separator));
    let separator = column.separator.or(separator);
    let values: Vec<String> = match separator {
        Some(separator) => {
            let cells = dictionary.values().iter();
            cells.map(|cell| set_cell(terms_of(cell, separator), separator)).collect()
        }
        None => dictionary.values().to_vec(),
    };
    let items = match &column.items {
        Some(items) => Some(item_cells(policy, column, items, (&values, &summary.first_line))?),
        None => None,
    };
    let links = sets.map(|sets| Arc::new(CellLinks::of(sets, &values)));
    Ok(TrackedColumn {
        index: column.index,
        name: column.name.clone(),
        role: column.role.unwrap_or(Role::Other),
        values,
        numeric: dictionary.numbers().is_some(),
        taxonomy: column.hierarchy.clone(),
        separator: column.separator,
        items,
        links,
        slots: 0..0,
        totals,
        people: None,
    })
}

/// The items of a column of sets; one that has no place in the hierarchy is an error.
fn item_cells(
    policy: &CheckedPolicy,
    column: &PolicyColumn,
    items: &ItemColumn,
    (cells, lines): (&[String], &[u64]),
) -> Result<Arc<ItemCells>> {
    let (cell, item) = match ItemCells::of(items, cells)? {
        Ok(cells) => return Ok(Arc::new(cells)),
        Err(unknown) => unknown,
    };
    let (name, data, line) = (&column.name, policy.source.origin(), lines[cell]);
    let is_group = items.tree.as_ref().is_some_and(|tree| tree.find(&item).is_some());
    let (what, help) = match is_group {
        true => ("is a group of items in the hierarchy, not an item", "rename one of the two"),
        false => ("is not in the hierarchy", "add a line for it, and check that the separator is right"),
    };
    let error = Error::input(format!("the item '{item}' of column '{name}' ({data}, line {line}) {what}"));
    let place = items.hierarchy_path.as_deref().unwrap_or(policy.written.path());
    Err(error.in_file(place).help(help))
}

/// One column of zeros and ones per value of a column whose cells hold several, with the code of each cell in it.
fn bitmap_columns(
    policy: &CheckedPolicy,
    column: &PolicyColumn,
    whole: TrackedColumn,
) -> Result<Vec<(TrackedColumn, Vec<u32>)>> {
    let sets: Vec<BTreeSet<&str>> =
        whole.values.iter().map(|cell| column.values_of(cell).into_iter().collect()).collect();
    let values: BTreeSet<&str> = sets.iter().flatten().copied().collect();
    if values.is_empty() {
        return Err(Error::input(format!("all cells of column '{}' are empty sets", column.name))
            .in_file(policy.source.origin())
            .help("leave the column out of the policy"));
    }
    let bitmap = |value: &&str| {
        let name = format!("{}={value}", column.name);
        if policy.columns.iter().any(|other| other.name == name) {
            return Err(Error::input(format!(
                "the data has a column '{name}', which the release needs for a value of '{}'",
                column.name
            ))
            .in_file(policy.source.origin())
            .help("rename that column of the data"));
        }
        let mut totals = [0u64; 2];
        let bits: Vec<usize> = sets.iter().map(|set| usize::from(set.contains(value))).collect();
        bits.iter().zip(&whole.totals).for_each(|(bit, count)| totals[*bit] += count);
        // A value that every record has, or none, makes a column of one value.
        let present: Vec<usize> = (0..2).filter(|bit| totals[*bit] > 0).collect();
        let code = |bit: &usize| present.iter().position(|present| present == bit).unwrap_or(0) as u32;
        let codes = bits.iter().map(code).collect();
        let tracked = TrackedColumn {
            name,
            values: present.iter().map(usize::to_string).collect(),
            numeric: true,
            taxonomy: None,
            separator: None,
            totals: present.iter().map(|bit| totals[*bit]).collect(),
            ..whole.clone()
        };
        Ok((tracked, codes))
    };
    values.iter().map(bitmap).collect()
}

fn nothing_left(source: &Source, summary: &Summary) -> Error {
    let error = if summary.read == 0 {
        Error::input("the data has no records").help("a header alone is not enough")
    } else {
        let wrong = match summary.read {
            1 => "the only record has a missing value and is dropped".to_string(),
            read => format!("all {read} records have a missing value and are dropped"),
        };
        Error::input(wrong)
            .help("set on_missing = \"value\" in [data], or list fewer spellings under 'missing'")
    };
    error.in_file(source.origin())
}

fn quasi_identifier(
    policy: &CheckedPolicy,
    column: &PolicyColumn,
    summary: &SummaryColumn,
    counts: Vec<u64>,
) -> Result<QuasiIdentifier> {
    let values = summary.dictionary.values();
    let taxonomy = match &column.hierarchy {
        Some(taxonomy) => with_missing_leaf(policy, taxonomy, values)?,
        None => Arc::new(flat(policy, column, summary)?),
    };
    let mut leaf_of_code = Vec::with_capacity(values.len());
    for (code, value) in values.iter().enumerate() {
        let hierarchy = || column.hierarchy_path.as_deref().unwrap_or(policy.written.path());
        let leaf = taxonomy.leaf_of(value).map_err(|error| error.in_file(hierarchy()))?;
        let node = leaf.ok_or_else(|| {
            let (line, data) = (summary.first_line[code], policy.source.origin());
            let message = format!("the value '{value}' of column '{}' ({data}, line {line}) has no leaf", column.name);
            Error::input(message).in_file(hierarchy()).help(
                "add a line for it, or list it under 'missing' in [data]; `privet hierarchy check` lists all such values",
            )
        })?;
        leaf_of_code.push(taxonomy.leaves_below(node).start as u32);
    }
    let values_before = values_before(taxonomy.leaves(), &leaf_of_code);
    Ok(QuasiIdentifier {
        index: column.index,
        name: column.name.clone(),
        taxonomy,
        hierarchy: column.hierarchy_path.clone(),
        leaf_of_code,
        counts,
        values_before,
    })
}

fn flat(policy: &CheckedPolicy, column: &PolicyColumn, summary: &SummaryColumn) -> Result<Taxonomy> {
    let values = summary.dictionary.values();
    if let Some(code) = values.iter().position(|value| value == "*") {
        let message =
            format!("column '{}' holds the value '*', which releases use for suppressed cells", column.name);
        return Err(Error::input(message)
            .in_file(policy.source.origin())
            .at_line(summary.first_line[code])
            .help("list \"*\" under 'missing' in [data], or rename the value"));
    }
    if let Some(code) = values.iter().position(|value| !value.is_empty() && value.trim().is_empty()) {
        let message = format!("column '{}' holds a value of blanks alone", column.name);
        return Err(Error::input(message)
            .in_file(policy.source.origin())
            .at_line(summary.first_line[code])
            .help("list it under 'missing' in [data], or write out what it means"));
    }
    let named: Vec<&str> = values.iter().map(String::as_str).filter(|value| !value.is_empty()).collect();
    if named.is_empty() {
        return Err(Error::input(format!("column '{}' holds only empty cells", column.name))
            .in_file(policy.source.origin())
            .help("give it role = \"other\", or leave it out of the policy"));
    }
    let flat = Taxonomy::flat(named.iter().copied())?;
    // Hierarchy files have no empty labels, but data may have empty cells that are values.
    if named.len() < values.len() { flat.with_leaf("") } else { Ok(flat) }
}

/// A missing value that is kept is a leaf of its own below the root, unless the hierarchy has it already.
fn with_missing_leaf(
    policy: &CheckedPolicy,
    taxonomy: &Arc<Taxonomy>,
    values: &[String],
) -> Result<Arc<Taxonomy>> {
    let Some(missing) = policy.missing.first().filter(|_| policy.on_missing == OnMissing::Value) else {
        return Ok(taxonomy.clone());
    };
    if values.contains(missing) && taxonomy.leaf_of(missing)?.is_none() {
        return taxonomy.with_leaf(missing).map(Arc::new);
    }
    Ok(taxonomy.clone())
}
