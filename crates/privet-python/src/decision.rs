//! Decisions, the rows that follow from them, and directories that are published.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use privet::attack::Choice;
use privet::data::{FileKind, MemoryRelease};
use privet::release::{EarlierPlan, Published, RunOptions};
use privet::{Error, Result};
use pyo3::prelude::*;
use serde_json::json;

use crate::arrow::Table;
use crate::data::Data;
use crate::errors::{About, raised};
use crate::policy::Policy;
use crate::work::{Interrupted, run};

/// What a method decided about data.
#[pyclass(frozen, module = "privet._privet")]
pub struct Decision {
    pub decided: Arc<privet::Decision>,
    data: Data,
    about: About,
}

/// The attacks that a word or a list of names stands for.
pub fn choice(attacks: Option<Vec<String>>) -> Result<Choice> {
    let names = attacks.unwrap_or_else(|| vec!["cheap".to_string()]);
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["all"] => Ok(Choice::All),
        ["cheap"] => Ok(Choice::Cheap),
        [] | ["none"] => Ok(Choice::None),
        _ => Choice::only(&names),
    }
}

/// What came of a published release, as JSON.
fn described(published: &Published) -> String {
    json!({
        "manifest": published.manifest,
        "audit": published.audit,
        "attacks": published.attacks,
        "warnings": published.warnings,
        "left_out": published.left_out,
        "empty": published.empty,
    })
    .to_string()
}

#[pymethods]
impl Decision {
    /// Reads data and decides what becomes of them, by an earlier plan where one is given.
    #[staticmethod]
    #[pyo3(signature = (policy, data, seed=None, plan=None, progress=None))]
    fn make(
        py: Python<'_>,
        policy: &Policy,
        data: &Data,
        seed: Option<u64>,
        plan: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Decision> {
        let about = About { policy: Some(policy.place()), data: data.name.clone() };
        let earlier = plan.map(|text| privet::method::plan::Plan::parse(text).and_then(EarlierPlan::of));
        let earlier = earlier.transpose().map_err(|error| raised(&error, &about))?;
        let (policy, original) = (policy.written.clone(), data.original.clone());
        let decided = run(py, &about, progress, Interrupted::MayGoOn, move |clock| match &earlier {
            None => privet::decide(&policy, original, seed, clock),
            Some(earlier) => privet::decide_by_plan(earlier, &policy, original, seed, clock),
        })?;
        Ok(Decision { decided: Arc::new(decided), data: data.clone(), about })
    }

    /// The data that it is about.
    #[getter]
    fn data(&self) -> Data {
        self.data.clone()
    }

    /// What all random choices derive from. It is a secret.
    #[getter]
    fn seed(&self) -> u64 {
        self.decided.seed()
    }

    /// The plan as JSON, as `steward/plan.json` has it.
    fn plan(&self) -> PyResult<String> {
        let plan = self.decided.plan().map_err(|error| raised(&error, &self.about))?;
        serde_json::to_string(&plan).map_err(|_| raised(&crate::errors::defect(), &self.about))
    }

    /// Why the plan cannot be applied to other data; nothing where it can.
    fn why_not_reusable(&self) -> PyResult<Option<String>> {
        let plan = self.decided.plan().map_err(|error| raised(&error, &self.about))?;
        Ok(plan.check_reusable().err().map(|error| error.to_string()))
    }

    /// Whether no better plan exists.
    #[getter]
    fn optimal(&self) -> PyResult<bool> {
        self.decided.is_optimal().map_err(|error| raised(&error, &self.about))
    }

    /// The name of the measure that was minimised, and the loss as a share of the worst.
    #[getter]
    fn loss(&self) -> PyResult<(&'static str, f64)> {
        self.decided.loss().map_err(|error| raised(&error, &self.about))
    }

    /// How many records are released, of how many that were read.
    #[getter]
    fn records(&self) -> PyResult<(u64, u64)> {
        self.decided.records().map_err(|error| raised(&error, &self.about))
    }

    /// What the user should know before anything is published.
    fn warnings(&self) -> PyResult<Vec<String>> {
        self.decided.warnings().map_err(|error| raised(&error, &self.about))
    }

    /// The released rows, in memory.
    #[pyo3(signature = (progress=None))]
    fn apply(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Rows> {
        let (decided, nulls) = (Arc::clone(&self.decided), self.data.nulls.clone());
        run(py, &self.about, progress, Interrupted::MayGoOn, move |clock| {
            let release = MemoryRelease::default();
            let applied = privet::apply(&decided, &release, clock)?;
            Ok(Rows {
                names: applied.names,
                assignment: applied.assignment,
                release: Arc::new(release),
                nulls,
            })
        })
    }

    /// Makes the directory that the command makes; returns what came of it as JSON.
    #[pyo3(signature = (target, force=false, format=None, attacks=None, progress=None))]
    fn publish(
        &self,
        py: Python<'_>,
        target: PathBuf,
        force: bool,
        format: Option<&str>,
        attacks: Option<Vec<String>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let options = || -> Result<RunOptions> {
            if self.decided.policy().written().release_table()?.is_some() {
                return Err(Error::input("'table' in [release] is written by the command alone")
                    .help("remove it from the policy, or run: python -m privet anonymize POLICY -o TARGET"));
            }
            let format = format.map(file_kind).transpose()?;
            Ok(RunOptions { force, format, attacks: choice(attacks)?, ..RunOptions::to(target) })
        };
        let options = options().map_err(|error| raised(&error, &self.about))?;
        let decided = Arc::clone(&self.decided);
        run(py, &self.about, progress, Interrupted::HasToEnd, move |clock| {
            privet::publish(&decided, &options, clock).map(|published| described(&published))
        })
    }
}

/// The format of files that end like this.
fn file_kind(name: &str) -> Result<FileKind> {
    FileKind::of_path(format!("release.{name}").as_ref()).map_err(|error| {
        Error::input(format!("there is no format '{name}'"))
            .help(error.remedy().unwrap_or("csv, parquet, arrow"))
    })
}

/// A release in memory.
#[pyclass(frozen, module = "privet._privet")]
pub struct Rows {
    names: Vec<String>,
    assignment: Option<String>,
    pub release: Arc<MemoryRelease>,
    /// The columns of the data that have nulls.
    nulls: BTreeSet<String>,
}

#[pymethods]
impl Rows {
    /// The names of its tables, the one that names the release first.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Which record is published as what, for methods that publish groups or vocabularies. It is a secret.
    #[getter]
    fn assignment(&self) -> Option<&str> {
        self.assignment.as_deref()
    }

    /// A table, with lists in these columns if they are there; transactions have one column of lists.
    #[pyo3(signature = (name, lists=Vec::new()))]
    fn table(&self, name: &str, lists: Vec<String>) -> PyResult<Table> {
        if let Some((schema, batches)) = self.release.batches(name) {
            let table = Table { schema, batches }.given_back(&self.nulls, &lists);
            return table.map_err(|_| raised(&crate::errors::defect(), &About::default()));
        }
        Table::of_lists(&self.release, name).map_err(|error| raised(&error, &About::default()))
    }
}
