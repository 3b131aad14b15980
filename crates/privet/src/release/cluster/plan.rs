//! A decision as workers apply it, row by row.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::bytes::{self, Reader};
use super::rows_of;
use crate::release::apply::no_star_among;
use crate::release::is_published;
use crate::release::recoded::Recoded;
use privet_core::random::number_of;
use privet_core::{Error, Result, RunKey};
use privet_data::arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use privet_data::arrow_array::cast::AsArray;
use privet_data::arrow_array::types::Int64Type;
use privet_data::arrow_array::{Array, ArrayRef, RecordBatch};
use privet_data::{Batch, MissingRule};
use privet_methods::recoding::STAR;
use privet_policy::{CheckedPolicy, Policy, Role};

/// What the bytes of a plan begin with.
const MAGIC: &[u8] = b"privet row plan 1\n";
/// The fate of records that are left out.
const LEFT_OUT: u32 = u32::MAX;
/// The fate of records that part ways.
const PARTED: u32 = u32::MAX - 1;

/// What is to become of each row of a table, as a function of the row: what workers of a cluster need, and nothing that is not needed
/// there. It holds the key of the run, so it is a secret.
///
/// Rows that look alike to the method may part ways. Who goes where follows from a rank among them, by a number that
/// only the key gives; the cluster finds the rank, see [`RowPlan::apply`] and [`RowPlan::settle`].
pub struct RowPlan {
    key: RunKey,
    /// What the key is made of.
    material: [u8; 32],
    /// The table's columns.
    columns: Vec<String>,
    /// Those that tell records apart.
    wanted: Vec<usize>,
    /// The columns that are published, for turns.
    shown: Vec<usize>,
    /// The spellings of a missing value.
    missing: Vec<String>,
    /// What becomes of missing values, by wanted column.
    rules: Vec<MissingRule>,
    /// The values of each wanted column, by code.
    values: Vec<HashMap<String, u32>>,
    /// The distinct records in codes.
    records: HashMap<Box<[u32]>, u32>,
    /// By record: its class, or what stands for none or several.
    fates: Vec<u32>,
    /// By record that parts ways, its codes and the class of each of its rows, by turn.
    parted: HashMap<u32, (Box<[u32]>, Vec<u32>)>,
    /// The cells of each class, one after the other.
    classes: Vec<u32>,
    /// The texts of each generalised column.
    labels: Vec<Vec<String>>,
    released: Vec<(String, Cell)>,
    /// The released columns that the decision depends on.
    decided: Vec<String>,
}

/// Where a released cell comes from.
#[derive(Debug, Clone)]
enum Cell {
    /// From the row's class: the generalised column at this position.
    Recoded(usize),
    /// From this column of the row; a missing value gets its first spelling.
    Kept { column: usize, plain: bool },
    /// From the record: the wanted column at this position, in this spelling, unless its class stars it.
    Told { wanted: usize, texts: Vec<String>, starred: HashSet<(u32, u32)> },
}

impl std::fmt::Debug for RowPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the key nor values of the data are for logs.
        f.debug_struct("RowPlan").field("records", &self.fates.len()).finish_non_exhaustive()
    }
}

/// Columns that the cluster needs next to those that are released.
pub const SERVICE_COLUMNS: [&str; 3] = ["privet: order", "privet: record", "privet: number"];

impl RowPlan {
    /// The plan of a decision about a counted table, for a table with these columns.
    pub(in crate::release) fn of(decision: &Recoded, policy: &Policy, columns: &[String]) -> Result<RowPlan> {
        let Recoded { microdata, solution, .. } = decision;
        let (wanted, policy) = (super::wanted(policy, columns)?, super::table(policy, columns)?);
        let place = |index: usize| wanted.get(index).copied().ok_or_else(bytes::broken);
        if solution.sets.is_some() {
            return Err(super::refused("a method that changes sets", "make the release on one machine"));
        }
        let (summary, recoding) = (&microdata.summary, &solution.recoding);
        let key = decision.key();
        let material = key.material().ok_or_else(|| Error::internal("a run has a key of its data"))?;
        let mut dispatcher = recoding.dispatcher(key, |record| summary.count(record));
        let (mut fates, mut parted) = (Vec::with_capacity(summary.len()), HashMap::new());
        let apart: HashSet<usize> = recoding.parted().collect();
        for record in 0..summary.len() {
            let mut next = || dispatcher.next(record).unwrap_or(LEFT_OUT);
            if apart.contains(&record) {
                let ways = (0..summary.count(record)).map(|_| next()).collect();
                parted.insert(record as u32, (summary.record(record).into(), ways));
                fates.push(PARTED);
            } else {
                fates.push(next());
            }
        }
        let records = (0..summary.len()).map(|record| (summary.record(record).into(), record as u32));
        let values = summary.columns().iter().map(|column| {
            let values = column.dictionary.values().iter().zip(0..);
            values.map(|(value, code)| (value.clone(), code)).collect()
        });
        let decided = policy.columns.iter().filter(|column| super::matters(column) && is_published(column));
        Ok(RowPlan {
            key,
            material,
            columns: columns.to_vec(),
            wanted: summary.columns().iter().map(|column| place(column.index)).collect::<Result<_>>()?,
            shown: policy
                .columns
                .iter()
                .filter(|column| is_published(column))
                .map(|column| column.index)
                .collect(),
            missing: policy.missing.clone(),
            rules: summary.columns().iter().map(|column| column.missing().clone()).collect(),
            values: values.collect(),
            records: records.collect(),
            fates,
            parted,
            classes: (0..recoding.len()).flat_map(|class| recoding.cells(class)).copied().collect(),
            labels: recoding
                .columns
                .iter()
                .map(|column| column.cells.iter().map(|cell| cell.label.clone()).collect())
                .collect(),
            released: released(decision, &policy)?,
            decided: decided.map(|column| column.name.clone()).collect(),
        })
    }

    /// The names of the released columns.
    pub fn released(&self) -> Vec<String> {
        self.released.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The released columns that the decision depends on; the others are carried along.
    pub fn decided(&self) -> &[String] {
        &self.decided
    }

    /// Whether rows that look alike part ways.
    pub fn parts(&self) -> bool {
        !self.parted.is_empty()
    }

    /// Applies the plan to rows of the table. Without `parted`, it gives the released rows of all records that stay together; with it,
    /// one row for each row of those that part ways, whose class [`settle`](RowPlan::settle) finds.
    ///
    /// Before the released columns stand [`SERVICE_COLUMNS`]: a number to order rows by; the record of a row that parts ways; and
    /// the number that ranks it among the rows of its record.
    pub fn apply(&self, batch: &RecordBatch, parted: bool) -> Result<RecordBatch> {
        let mut out = Out::new(self.released.len(), batch.num_rows());
        let mut tuple = vec![0; self.wanted.len()];
        rows_of(&self.columns, batch, &mut |batch| {
            for row in 0..batch.rows() {
                let Some(record) = self.locate(batch, row, &mut tuple)? else { continue };
                match (self.fates[record as usize], parted) {
                    (PARTED, true) => {
                        let number = self.number(batch, row);
                        let cells =
                            self.released.iter().map(|(_, cell)| self.cell(cell, None, &tuple, batch, row));
                        out.push(None, Some((record, number)), cells);
                    }
                    (PARTED, false) | (LEFT_OUT, _) | (_, true) => {}
                    (class, false) => {
                        let cells = self.released.iter();
                        let cells = cells.map(|(_, cell)| self.cell(cell, Some(class), &tuple, batch, row));
                        let cells: Vec<Option<&str>> = cells.collect();
                        out.push(Some(self.order(cells.iter().flatten())), None, cells.into_iter());
                    }
                }
            }
            Ok(())
        })?;
        out.finish(&self.released())
    }

    /// Completes rows that part ways. `batch` has the columns that [`apply`](RowPlan::apply) gave with `parted`, and `turns` the rank of each
    /// among the rows of its record, from 0, by its number; rows of one number are the same in everything.
    pub fn settle(&self, batch: &RecordBatch, turns: &[u64]) -> Result<RecordBatch> {
        let mut out = Out::new(self.released.len(), batch.num_rows());
        let records = batch.columns().get(1).and_then(|column| column.as_primitive_opt::<Int64Type>());
        let records = records.filter(|records| records.len() == turns.len()).ok_or_else(bytes::broken)?;
        let given: Vec<_> = (batch.columns().iter().skip(SERVICE_COLUMNS.len()))
            .map(|column| column.as_string_opt::<i32>().ok_or_else(bytes::broken))
            .collect::<Result<_>>()?;
        if given.len() != self.released.len() {
            return Err(bytes::broken());
        }
        for (row, turn) in turns.iter().enumerate() {
            let record = u32::try_from(records.value(row)).map_err(|_| bytes::broken())?;
            let (tuple, ways) = self.parted.get(&record).ok_or_else(bytes::broken)?;
            let class = usize::try_from(*turn).ok().and_then(|turn| ways.get(turn));
            let class = *class.ok_or_else(changed)?;
            if class == LEFT_OUT {
                continue;
            }
            let cells: Vec<Option<&str>> = (self.released.iter().zip(&given))
                .map(|((_, cell), given)| match cell {
                    Cell::Kept { .. } => given.is_valid(row).then(|| given.value(row)),
                    cell => self.decided_cell(cell, class, tuple),
                })
                .collect();
            out.push(Some(self.order(cells.iter().flatten())), None, cells.into_iter());
        }
        out.finish(&self.released())
    }

    /// The record that a row is; `None` where it lacks a value and is dropped.
    fn locate(&self, batch: &Batch, row: usize, tuple: &mut [u32]) -> Result<Option<u32>> {
        for (at, code) in tuple.iter_mut().enumerate() {
            let rule = &self.rules[at];
            let mut cell = batch.cell(row, self.wanted[at]);
            if rule.spellings.iter().any(|spelling| spelling == cell) {
                if !rule.keep {
                    return Ok(None);
                }
                cell = &rule.spellings[0];
            }
            *code = *self.values[at].get(cell).ok_or_else(changed)?;
        }
        self.records.get(&*tuple).copied().ok_or_else(changed).map(Some)
    }

    fn is_missing(&self, cell: &str) -> bool {
        self.missing.iter().any(|spelling| spelling == cell)
    }

    fn cell<'a>(
        &'a self,
        cell: &'a Cell,
        class: Option<u32>,
        tuple: &[u32],
        batch: &'a Batch,
        row: usize,
    ) -> Option<&'a str> {
        match cell {
            Cell::Kept { column, plain } => {
                let text = batch.cell(row, *column);
                Some(if *plain && self.is_missing(text) { &self.missing[0] } else { text })
            }
            cell => self.decided_cell(cell, class?, tuple),
        }
    }

    /// The cell of a row of this class and record.
    fn decided_cell<'a>(&'a self, cell: &'a Cell, class: u32, tuple: &[u32]) -> Option<&'a str> {
        match cell {
            Cell::Recoded(position) => {
                let shown = self.classes[class as usize * self.labels.len() + position];
                Some(&self.labels[*position][shown as usize])
            }
            Cell::Told { wanted, texts, starred } => {
                let code = tuple[*wanted];
                Some(if starred.contains(&(class, code)) { STAR } else { &texts[code as usize] })
            }
            Cell::Kept { .. } => None,
        }
    }

    /// The number of a row among those of its record, as on one machine.
    fn number(&self, batch: &Batch, row: usize) -> u128 {
        let shown = self.shown.iter().map(|column| batch.cell(row, *column));
        let shown = number_of(self.key, "privet: turns of records that look alike", shown);
        let whole =
            number_of(self.key, "privet: turns of records that are published alike", batch.cells(row));
        u128::from(shown) << 64 | u128::from(whole)
    }

    /// Where a released row stands: a number that follows from its cells and the key alone, so that the order says nothing that the
    /// rows do not say.
    fn order<'a>(&self, cells: impl Iterator<Item = &'a &'a str>) -> i64 {
        super::order(self.key, cells.copied())
    }

    /// The plan as bytes. They are a secret.
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = MAGIC.to_vec();
        to.extend_from_slice(&self.material);
        bytes::list(&mut to, &self.columns, |to, name| bytes::push(to, name));
        bytes::list(&mut to, &self.wanted, |to, column| bytes::number(to, *column as u64));
        bytes::list(&mut to, &self.shown, |to, column| bytes::number(to, *column as u64));
        bytes::list(&mut to, &self.missing, |to, spelling| bytes::push(to, spelling));
        for (rule, values) in self.rules.iter().zip(&self.values) {
            bytes::list(&mut to, &rule.spellings, |to, spelling| bytes::push(to, spelling));
            bytes::number(&mut to, u64::from(rule.keep));
            let mut sorted: Vec<(&String, &u32)> = values.iter().collect();
            sorted.sort_unstable_by_key(|(_, code)| **code);
            bytes::list(&mut to, &sorted, |to, (value, _)| bytes::push(to, value));
        }
        let mut tuples: Vec<(&[u32], u32)> =
            self.records.iter().map(|(tuple, record)| (&**tuple, *record)).collect();
        tuples.sort_unstable_by_key(|(_, record)| *record);
        bytes::list(&mut to, &tuples, |to, (tuple, record)| {
            tuple.iter().for_each(|code| bytes::number(to, u64::from(*code)));
            bytes::number(to, u64::from(self.fates[*record as usize].wrapping_add(2)));
        });
        let mut parted: Vec<(&u32, &Vec<u32>)> =
            self.parted.iter().map(|(record, (_, ways))| (record, ways)).collect();
        parted.sort_unstable();
        bytes::list(&mut to, &parted, |to, (record, ways)| {
            bytes::number(to, u64::from(**record));
            bytes::list(to, ways, |to, class| bytes::number(to, u64::from(class.wrapping_add(2))));
        });
        bytes::list(&mut to, &self.labels, |to, labels| {
            bytes::list(to, labels, |to, label| bytes::push(to, label))
        });
        bytes::list(&mut to, &self.classes, |to, cell| bytes::number(to, u64::from(*cell)));
        bytes::list(&mut to, &self.released, |to, (name, cell)| {
            bytes::push(to, name);
            match cell {
                Cell::Recoded(position) => {
                    bytes::number(to, 0);
                    bytes::number(to, *position as u64);
                }
                Cell::Kept { column, plain } => {
                    bytes::number(to, 1 + u64::from(*plain));
                    bytes::number(to, *column as u64);
                }
                Cell::Told { wanted, texts, starred } => {
                    bytes::number(to, 3);
                    bytes::number(to, *wanted as u64);
                    bytes::list(to, texts, |to, text| bytes::push(to, text));
                    let mut starred: Vec<&(u32, u32)> = starred.iter().collect();
                    starred.sort_unstable();
                    bytes::list(to, &starred, |to, (class, code)| {
                        bytes::number(to, u64::from(*class));
                        bytes::number(to, u64::from(*code));
                    });
                }
            }
        });
        bytes::list(&mut to, &self.decided, |to, name| bytes::push(to, name));
        to
    }

    /// The plan that these bytes are.
    pub fn of_bytes(from: &[u8]) -> Result<RowPlan> {
        let mut reader = Reader(from.strip_prefix(MAGIC).ok_or_else(bytes::broken)?);
        let material = reader.take(32)?.try_into().map_err(|_| bytes::broken())?;
        let text = |reader: &mut Reader<'_>| reader.text().map(str::to_string);
        let place = |reader: &mut Reader<'_>| reader.small().map(|place| place as usize);
        let columns = reader.list(text)?;
        let wanted: Vec<usize> = reader.list(place)?;
        let shown: Vec<usize> = reader.list(place)?;
        let missing = reader.list(text)?;
        let (mut rules, mut values) = (Vec::new(), Vec::new());
        for _ in &wanted {
            rules.push(MissingRule { spellings: reader.list(text)?, keep: reader.number()? == 1 });
            let texts = reader.list(text)?;
            values.push(texts.into_iter().zip(0..).collect::<HashMap<String, u32>>());
        }
        let fate = |reader: &mut Reader<'_>| reader.small().map(|fate| fate.wrapping_sub(2));
        let (mut records, mut fates, mut parted) = (HashMap::new(), Vec::new(), HashMap::new());
        for record in 0..reader.count()? as u32 {
            let tuple = (0..wanted.len()).map(|_| reader.small()).collect::<Result<Box<[u32]>>>()?;
            let own = fate(&mut reader)?;
            if own == PARTED {
                parted.insert(record, (tuple.clone(), Vec::new()));
            }
            records.insert(tuple, record);
            fates.push(own);
        }
        for (record, ways) in reader.list(|reader| Ok((reader.small()?, reader.list(fate)?)))? {
            parted.get_mut(&record).ok_or_else(bytes::broken)?.1 = ways;
        }
        let labels: Vec<Vec<String>> = reader.list(|reader| reader.list(text))?;
        let classes = reader.list(Reader::small)?;
        let released = reader.list(|reader| {
            let name = text(reader)?;
            let kind = reader.number()?;
            let at = place(reader)?;
            Ok((
                name,
                match kind {
                    0 if at < labels.len() => Cell::Recoded(at),
                    1 | 2 if at < columns.len() => Cell::Kept { column: at, plain: kind == 2 },
                    3 if at < wanted.len() => Cell::Told {
                        wanted: at,
                        texts: reader.list(text)?,
                        starred: reader
                            .list(|reader| Ok((reader.small()?, reader.small()?)))?
                            .into_iter()
                            .collect(),
                    },
                    _ => return Err(bytes::broken()),
                },
            ))
        })?;
        let decided = reader.list(text)?;
        reader.end()?;
        let plan = RowPlan {
            key: RunKey::of_material(material),
            material,
            columns,
            wanted,
            shown,
            missing,
            rules,
            values,
            records,
            fates,
            parted,
            classes,
            labels,
            released,
            decided,
        };
        if plan.is_sound() { Ok(plan) } else { Err(bytes::broken()) }
    }

    /// Whether everything that is referred to is there.
    fn is_sound(&self) -> bool {
        let width = self.labels.len();
        let classes = self.classes.len() / width.max(1);
        let is_class = |class: &u32| *class == LEFT_OUT || (*class as usize) < classes;
        let told = |cell: &Cell| match cell {
            Cell::Told { wanted, texts, .. } => texts.len() == self.values[*wanted].len(),
            _ => true,
        };
        self.wanted.iter().chain(&self.shown).all(|column| *column < self.columns.len())
            && self.rules.iter().all(|rule| !rule.keep || !rule.spellings.is_empty())
            && self.fates.iter().all(|fate| *fate == PARTED || is_class(fate))
            && self.parted.values().flat_map(|(_, ways)| ways).all(is_class)
            && self
                .classes
                .iter()
                .enumerate()
                .all(|(at, cell)| (*cell as usize) < self.labels[at % width].len())
            && self.released.iter().all(|(_, cell)| told(cell))
    }
}

/// The released columns of a decision; `policy` is the one about the whole table.
fn released(decision: &Recoded, policy: &CheckedPolicy) -> Result<Vec<(String, Cell)>> {
    let Recoded { policy: lean, microdata, solution, .. } = decision;
    let recoding = &solution.recoding;
    let mut released = Vec::new();
    for column in policy.columns.iter().filter(|column| is_published(column)) {
        // Where the decision has it.
        let own = lean.columns.iter().find(|own| own.name == column.name).map(|own| own.index);
        let tracked = microdata.table.tracked.iter().position(|tracked| Some(tracked.index) == own);
        let told = tracked.filter(|tracked| {
            column.separator.is_some() || recoding.stars_any(&microdata.table.tracked[*tracked].slots)
        });
        let cell = match (column.role, told) {
            (None | Some(Role::Identifier), _) => continue,
            (Some(Role::QuasiIdentifier | Role::Mixed), _) => {
                match microdata.quasi.iter().position(|quasi| Some(quasi.index) == own) {
                    Some(position) => Cell::Recoded(position),
                    None => continue,
                }
            }
            (_, Some(tracked)) => {
                let values = &microdata.table.tracked[tracked];
                if recoding.stars_any(&values.slots) {
                    no_star_among(policy, values)?;
                }
                let mut starred = HashSet::new();
                for class in 0..recoding.len() as u32 {
                    let codes = (0..values.values.len() as u32)
                        .filter(|code| recoding.is_starred(class, values.slots.start + code));
                    starred.extend(codes.map(|code| (class, code)));
                }
                Cell::Told { wanted: microdata.quasi.len() + tracked, texts: values.values.clone(), starred }
            }
            (Some(role), None) => Cell::Kept { column: column.index, plain: role != Role::QuasiSensitive },
        };
        released.push((column.name.clone(), cell));
    }
    Ok(released)
}

/// Rows in the making.
struct Out {
    order: Int64Builder,
    record: Int64Builder,
    number: BinaryBuilder,
    cells: Vec<StringBuilder>,
}

impl Out {
    fn new(columns: usize, rows: usize) -> Out {
        Out {
            order: Int64Builder::with_capacity(rows),
            record: Int64Builder::with_capacity(rows),
            number: BinaryBuilder::new(),
            cells: (0..columns).map(|_| StringBuilder::new()).collect(),
        }
    }

    fn push<'a>(
        &mut self,
        order: Option<i64>,
        parted: Option<(u32, u128)>,
        cells: impl Iterator<Item = Option<&'a str>>,
    ) {
        self.order.append_option(order);
        self.record.append_option(parted.map(|(record, _)| i64::from(record)));
        // The bytes of a number in this order compare as the numbers do.
        self.number.append_option(parted.map(|(_, number)| number.to_be_bytes()));
        self.cells.iter_mut().zip(cells).for_each(|(column, cell)| column.append_option(cell));
    }

    fn finish(mut self, names: &[String]) -> Result<RecordBatch> {
        let service: [ArrayRef; 3] =
            [Arc::new(self.order.finish()), Arc::new(self.record.finish()), Arc::new(self.number.finish())];
        let cells = self.cells.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let names = SERVICE_COLUMNS.into_iter().chain(names.iter().map(String::as_str));
        let columns = names.zip(service.into_iter().chain(cells)).map(|(name, array)| (name, array, true));
        RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| Error::internal(error.to_string()))
    }
}

/// The error for a row that was not there when rows were counted.
fn changed() -> Error {
    Error::input("the table changed while it was being read: a row was not there when rows were counted")
        .help("run it again when nothing writes to the table, or pin its version")
}
