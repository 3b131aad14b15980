//! What `privet.spark` calls on the driver and in the workers of a cluster.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use privet::cluster;
use privet::data::Source;
use privet::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::arrow::{Table, imported_as_it_is};
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

/// A decision about a table that a cluster counted.
#[pyclass(frozen, module = "privet._privet")]
pub struct ClusterDecision {
    decision: Arc<privet::Decision>,
    plan: cluster::RowPlan,
    policy: privet::policy::Policy,
    columns: Vec<String>,
    data: Source,
    about: About,
}

#[pymethods]
impl ClusterDecision {
    /// Decides about counted data. `counted` has the columns `key` and `count`.
    #[new]
    #[pyo3(signature = (policy, name, columns, wanted, counted, seed=None))]
    fn new(
        py: Python<'_>,
        policy: &Policy,
        name: String,
        columns: Vec<String>,
        wanted: Vec<usize>,
        counted: &Bound<'_, PyAny>,
        seed: Option<u64>,
    ) -> PyResult<ClusterDecision> {
        let counted = imported_as_it_is(counted)?;
        let about = About { policy: Some(policy.place()), data: None };
        let written = policy.written.clone();
        let own = about.clone();
        run(py, &about, None, Interrupted::MayGoOn, move |clock| {
            let data = cluster::gathered(&name, &columns, &wanted, pairs(&counted)?)?;
            let decision = privet::decide(&written, data.clone(), seed, clock)?;
            let plan = decision.row_plan()?;
            Ok(ClusterDecision {
                decision: Arc::new(decision),
                plan,
                policy: written,
                columns,
                data,
                about: own,
            })
        })
    }

    /// The plan for workers. It is a secret.
    fn plan<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.plan.bytes())
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
                "distinct": self.data_rows()?,
                "method": decision.policy().method().name(), "seed": decision.seed(), "metric": metric, "loss": loss,
                "optimal": decision.is_optimal()?, "warnings": decision.warnings()?, "plan": plan,
                "requirements": decision.policy().asked(),
            })
            .to_string())
        };
        facts().map_err(|error| raised(&error, &self.about))
    }

    /// Audits what was written, by how often each combination of the decided columns occurs: these columns, then their count. The
    /// result is JSON.
    fn audit(&self, py: Python<'_>, counts: &Bound<'_, PyAny>) -> PyResult<String> {
        let counts = imported_as_it_is(counts)?;
        let release = cluster::released(&self.plan, rows(&counts).map_err(refused)?).map_err(refused)?;
        let (policy, columns, data) = (self.policy.clone(), self.columns.clone(), self.data.clone());
        let decision = Arc::clone(&self.decision);
        run(py, &self.about, None, Interrupted::MayGoOn, move |clock| {
            let audit = cluster::audit_counts(&policy, &columns, &data, &release, &decision, clock)?;
            Ok(json!({ "audit": audit, "text": privet::audit::render(&audit) }).to_string())
        })
    }
}

impl ClusterDecision {
    fn data_rows(&self) -> Result<u64> {
        let mut rows = 0;
        self.data.read_counted(&mut |batch, _, _| {
            rows += batch.rows() as u64;
            Ok(())
        })?;
        Ok(rows)
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
