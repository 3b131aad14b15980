//! What `privet.spark` calls on the driver and in the workers of a cluster.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use privet::cluster::{self, Counted, CountedTable, Way, WrittenTable};
use privet::release::RunOptions;
use privet::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::arrow::{Table, imported_as_it_is};
use crate::decision::choice;
use crate::errors::{About, raised};
use crate::policy::Policy;
use crate::work::{Interrupted, run};

fn refused(error: Error) -> PyErr {
    raised(&error, &About::default())
}

fn table(batch: RecordBatch) -> Table {
    Table { schema: batch.schema(), batches: vec![batch] }
}

fn broken() -> Error {
    Error::input("Spark gave other columns than it was asked for")
        .help("install the same version of Spark on all machines")
}

/// The names of the columns that can be read of a table like this one.
#[pyfunction]
pub fn readable(frame: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    cluster::readable(&imported_as_it_is(frame)?.schema).map_err(refused)
}

/// The positions of the columns that a decision depends on.
#[pyfunction]
pub fn wanted(policy: &Policy, columns: Vec<String>) -> PyResult<Vec<usize>> {
    let about = About { policy: Some(policy.place()), data: None };
    cluster::wanted(&policy.written, &columns).map_err(|error| raised(&error, &about))
}

/// The way in which a cluster makes the release: `rows`, `counts` or `lists`.
#[pyfunction]
pub fn way(policy: &Policy, columns: Vec<String>) -> PyResult<&'static str> {
    let about = About { policy: Some(policy.place()), data: None };
    cluster::way(&policy.written, &columns).map(named).map_err(|error| raised(&error, &about))
}

fn named(way: Way) -> &'static str {
    match way {
        Way::Rows => "rows",
        Way::Counts => "counts",
        Way::Lists { .. } => "lists",
    }
}

/// The transactions and the items that the rows of a batch name.
#[pyfunction]
pub fn named_items(
    columns: Vec<String>,
    wanted: (usize, usize),
    batch: &Bound<'_, PyAny>,
) -> PyResult<Table> {
    let rows = imported_as_it_is(batch)?;
    let named = rows.batches.iter().map(|batch| cluster::named_items(&columns, wanted, batch));
    many(named.collect())
}

/// Columns that stand before the released ones.
pub const SERVICE_COLUMNS: [&str; 3] = cluster::SERVICE_COLUMNS;

/// Counts the rows of one part of a table.
#[pyclass(module = "privet._privet")]
pub struct Tally(cluster::Tally);

#[pymethods]
impl Tally {
    #[new]
    fn new(columns: Vec<String>, wanted: Vec<usize>, part: u64) -> Tally {
        Tally(cluster::Tally::new(&columns, &wanted, part))
    }

    /// Counts the rows of a batch.
    fn add(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = imported_as_it_is(batch)?;
        py.detach(|| rows.batches.iter().try_for_each(|batch| self.0.add(batch))).map_err(refused)
    }

    /// Whether enough is counted to be handed on.
    fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// What was counted since the last time: keys with counts.
    fn partial(&mut self) -> PyResult<Table> {
        let (mut keys, mut counts) = (BinaryBuilder::new(), Int64Builder::new());
        for (key, count) in self.0.partial() {
            keys.append_value(key);
            counts.append_value(count as i64);
        }
        let columns: [(&str, ArrayRef); 2] =
            [("key", Arc::new(keys.finish())), ("count", Arc::new(counts.finish()))];
        let batch = RecordBatch::try_from_iter(columns);
        batch.map(table).map_err(|error| refused(Error::internal(error.to_string())))
    }
}

/// A table's name, its columns (none for transactions), and its rows.
type NamedTable = (String, Option<Vec<String>>, Table);

/// A decision about data that a cluster counted.
#[pyclass(frozen, module = "privet._privet")]
pub struct ClusterDecision {
    decision: Arc<privet::Decision>,
    /// The plan for single rows, where there is one.
    plan: Option<cluster::RowPlan>,
    /// The policy about what was counted.
    lean: privet::policy::Policy,
    data: Arc<Counted>,
    about: About,
}

#[pymethods]
impl ClusterDecision {
    /// Decides about counted data. `counted` has the columns `key` and `count`; of transactions, `items` and `count`.
    #[new]
    #[pyo3(signature = (policy, name, columns, counted, seed=None))]
    fn new(
        py: Python<'_>,
        policy: &Policy,
        name: String,
        columns: Vec<String>,
        counted: &Bound<'_, PyAny>,
        seed: Option<u64>,
    ) -> PyResult<ClusterDecision> {
        let counted = imported_as_it_is(counted)?;
        let about = About { policy: Some(policy.place()), data: None };
        let written = policy.written.clone();
        let own = about.clone();
        run(py, &about, None, Interrupted::MayGoOn, move |clock| {
            let way = cluster::way(&written, &columns)?;
            let data = match way {
                Way::Lists { .. } => cluster::gathered_lists(lists(&counted)?),
                Way::Rows | Way::Counts => {
                    let wanted = cluster::wanted(&written, &columns)?;
                    Counted::Table(cluster::gathered(&name, &columns, &wanted, pairs(&counted)?)?)
                }
            };
            drop(counted);
            let lean = cluster::lean(&written, &columns)?;
            let decision = privet::decide(&lean, data.original()?, seed, clock)?;
            let plan = (way == Way::Rows).then(|| decision.row_plan(&written, &columns)).transpose()?;
            Ok(ClusterDecision { decision: Arc::new(decision), plan, lean, data: Arc::new(data), about: own })
        })
    }

    /// The plan for workers, where they apply one to each row. It is a secret.
    fn plan<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.plan.as_ref().map(|plan| PyBytes::new(py, &plan.bytes()))
    }

    /// The tables of a release that follows from the counts: the name of each, its columns (none for transactions), and its distinct
    /// rows, with a number to order them by and their count.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<NamedTable>> {
        let decision = Arc::clone(&self.decision);
        run(py, &self.about, None, Interrupted::MayGoOn, move |clock| {
            let tables = cluster::counted_tables(&decision, clock)?;
            tables
                .into_iter()
                .map(|found| {
                    let rows = spelt(&found)?;
                    Ok((found.name, found.columns, rows))
                })
                .collect()
        })
    }

    /// What was decided, as JSON. It is for the steward.
    fn facts(&self) -> PyResult<String> {
        let facts = || -> Result<String> {
            let decision = &self.decision;
            let ((released, read), (metric, loss)) = (decision.records()?, decision.loss()?);
            let plan =
                serde_json::to_value(decision.plan()?).map_err(|error| Error::internal(error.to_string()))?;
            Ok(json!({
                "read": read, "released": released, "suppressed": decision.suppressed()?, "dropped": decision.dropped()?,
                "distinct": self.data.distinct()?,
                "method": decision.policy().method().name(), "seed": decision.seed(), "metric": metric, "loss": loss,
                "optimal": decision.is_optimal()?, "warnings": decision.warnings()?, "plan": plan,
                "requirements": decision.policy().asked(), "public_requirements": decision.asked_in_public()?,
            })
            .to_string())
        };
        facts().map_err(|error| raised(&error, &self.about))
    }

    /// Audits what was written: of each table its columns (none for transactions), and how often each combination of their cells
    /// occurs. The result is JSON.
    fn audit(
        &self,
        py: Python<'_>,
        written: Vec<(Option<Vec<String>>, Bound<'_, PyAny>)>,
    ) -> PyResult<String> {
        let written = written.into_iter().map(|(columns, counts)| {
            let counts = imported_as_it_is(&counts)?;
            let rows = if columns.is_some() { rows(&counts) } else { lists(&counts) };
            Ok(WrittenTable { columns, rows: rows.map_err(refused)? })
        });
        let written = written.collect::<PyResult<Vec<_>>>()?;
        let (lean, data) = (self.lean.clone(), Arc::clone(&self.data));
        let decision = Arc::clone(&self.decision);
        run(py, &self.about, None, Interrupted::MayGoOn, move |clock| {
            let audit = cluster::audit_written(&lean, &data, written, &decision, clock)?;
            Ok(json!({ "audit": audit, "text": privet::audit::render(&audit) }).to_string())
        })
    }

    /// Makes the release directory that one machine makes of what was counted; returns its manifest as JSON. It is for its reports.
    #[pyo3(signature = (target, attacks=None))]
    fn report(&self, py: Python<'_>, target: PathBuf, attacks: Option<Vec<String>>) -> PyResult<String> {
        let options = RunOptions { attacks: choice(attacks).map_err(refused)?, ..RunOptions::to(target) };
        let decision = Arc::clone(&self.decision);
        run(py, &self.about, None, Interrupted::HasToEnd, move |clock| {
            privet::publish(&decision, &options, clock).map(|published| published.manifest.to_string())
        })
    }
}

/// The most rows of one kind that are spelled out together.
const TOGETHER: u64 = 1 << 16;

/// The distinct rows of a table, with a number to order them by and their count.
fn spelt(found: &CountedTable) -> Result<Table> {
    let (mut order, mut counts) = (Int64Builder::new(), Int64Builder::new());
    let mut places = Vec::new();
    for (place, (number, _, count)) in found.rows.iter().enumerate() {
        for start in (0..*count).step_by(TOGETHER as usize) {
            order.append_value(*number);
            counts.append_value((count - start).min(TOGETHER) as i64);
            places.push(place);
        }
    }
    let [order_name, _, count_name] = cluster::SERVICE_COLUMNS;
    let mut columns: Vec<(&str, ArrayRef)> = vec![(order_name, Arc::new(order.finish()))];
    match &found.columns {
        Some(names) => {
            for (at, name) in names.iter().enumerate() {
                let cells = places.iter().map(|place| found.rows[*place].1.get(at));
                columns.push((name, Arc::new(cells.collect::<StringArray>())));
            }
        }
        None => {
            let mut lists = ListBuilder::new(StringBuilder::new());
            for place in &places {
                found.rows[*place].1.iter().for_each(|item| lists.values().append_value(item));
                lists.append(true);
            }
            columns.push(("items", Arc::new(lists.finish())));
        }
    }
    columns.push((count_name, Arc::new(counts.finish())));
    let batch = RecordBatch::try_from_iter(columns);
    batch.map(table).map_err(|error| Error::internal(error.to_string()))
}

/// Lists of items with their counts.
fn lists(counted: &Table) -> Result<Vec<(Vec<String>, u64)>> {
    let mut lists = Vec::new();
    for batch in &counted.batches {
        let [items, counts] = batch.columns() else { return Err(broken()) };
        let items = items.as_list_opt::<i32>().ok_or_else(broken)?;
        let counts = counts.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        for row in 0..batch.num_rows() {
            lists.push((held(&items.value(row))?, u64::try_from(counts.value(row)).map_err(|_| broken())?));
        }
    }
    Ok(lists)
}

/// The items of a list, as texts or as their bytes.
fn held(items: &ArrayRef) -> Result<Vec<String>> {
    let of_bytes = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| broken());
    match (items.as_string_opt::<i32>(), items.as_binary_opt::<i32>()) {
        (Some(texts), _) => Ok(texts.iter().flatten().map(str::to_string).collect()),
        (None, Some(texts)) => texts.iter().flatten().map(of_bytes).collect(),
        (None, None) => Err(broken()),
    }
}

/// Keys with their counts.
fn pairs(counted: &Table) -> Result<Vec<(Vec<u8>, u64)>> {
    let mut pairs = Vec::new();
    for batch in &counted.batches {
        let [keys, counts] = batch.columns() else { return Err(broken()) };
        let counts = counts.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        for row in 0..batch.num_rows() {
            let key = match (keys.as_binary_opt::<i32>(), keys.as_binary_opt::<i64>()) {
                (Some(keys), _) => keys.value(row),
                (None, Some(keys)) => keys.value(row),
                (None, None) => return Err(broken()),
            };
            pairs.push((key.to_vec(), u64::try_from(counts.value(row)).map_err(|_| broken())?));
        }
    }
    Ok(pairs)
}

/// Rows of texts with their counts, which come last.
fn rows(counts: &Table) -> Result<Vec<(Vec<String>, u64)>> {
    let mut rows = Vec::new();
    for batch in &counts.batches {
        let (last, texts) = batch.columns().split_last().ok_or_else(broken)?;
        let last = last.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        for row in 0..batch.num_rows() {
            let cell =
                |column: &ArrayRef| match (column.as_string_opt::<i32>(), column.as_string_opt::<i64>()) {
                    (Some(texts), _) if texts.is_valid(row) => Ok(texts.value(row).to_string()),
                    (None, Some(texts)) if texts.is_valid(row) => Ok(texts.value(row).to_string()),
                    (None, None) => Err(broken()),
                    _ => Ok(String::new()),
                };
            let cells = texts.iter().map(cell).collect::<Result<_>>()?;
            rows.push((cells, u64::try_from(last.value(row)).map_err(|_| broken())?));
        }
    }
    Ok(rows)
}

/// What becomes of each row, in a worker.
#[pyclass(frozen, module = "privet._privet")]
pub struct RowPlan(cluster::RowPlan);

#[pymethods]
impl RowPlan {
    #[new]
    fn new(bytes: &[u8]) -> PyResult<RowPlan> {
        cluster::RowPlan::of_bytes(bytes).map(RowPlan).map_err(refused)
    }

    /// The names of the released columns.
    #[getter]
    fn released(&self) -> Vec<String> {
        self.0.released()
    }

    /// Those that the decision depends on.
    #[getter]
    fn decided(&self) -> Vec<String> {
        self.0.decided().to_vec()
    }

    /// Whether rows that look alike part ways.
    #[getter]
    fn parts(&self) -> bool {
        self.0.parts()
    }

    /// The released rows of a batch, or with `parted` those whose turn is still to be found.
    fn apply(&self, py: Python<'_>, batch: &Bound<'_, PyAny>, parted: bool) -> PyResult<Table> {
        let rows = imported_as_it_is(batch)?;
        let all = || rows.batches.iter().map(|batch| self.0.apply(batch, parted)).collect::<Result<Vec<_>>>();
        many(py.detach(all))
    }

    /// Completes rows that part ways. The last column of the batch is the turn of each.
    fn settle(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Table> {
        let rows = imported_as_it_is(batch)?;
        let one = |batch: &RecordBatch| -> Result<RecordBatch> {
            let last = batch.num_columns().checked_sub(1).ok_or_else(broken)?;
            let turns = batch.column(last).as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
            let turns: Vec<u64> = turns.values().iter().map(|turn| *turn as u64).collect();
            let own = batch.project(&(0..last).collect::<Vec<_>>()).map_err(|_| broken())?;
            self.0.settle(&own, &turns)
        };
        many(py.detach(|| rows.batches.iter().map(one).collect::<Result<Vec<_>>>()))
    }
}

fn many(batches: Result<Vec<RecordBatch>>) -> PyResult<Table> {
    let batches = batches.map_err(refused)?;
    match batches.first() {
        Some(first) => Ok(Table { schema: first.schema(), batches }),
        None => Ok(Table { schema: Arc::new(arrow_schema::Schema::empty()), batches }),
    }
}
