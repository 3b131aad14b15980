//! The audit, attacks, and risks of single frames.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet::attack::Finding;
use privet::audit::released::{Released, open_released, released_in_memory, released_tables};
use privet::clock::Clock;
use privet::data::{MissingRule, Source, Summary};
use privet::policy::{AnyPolicy, OriginalData, Policy as Written, Purpose};
use privet::release::about_released;
use privet::risk::{RiskOptions, measure};
use privet::{Error, ErrorKind, Result};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::data::Data;
use crate::decision::{Rows, choice};
use crate::errors::{About, raised};
use crate::policy::Policy;
use crate::work::{Interrupted, run};

/// What is judged.
#[derive(FromPyObject)]
pub enum Judged<'py> {
    /// A release that was made here, in memory.
    Rows(Bound<'py, Rows>),
    /// A frame.
    Data(Bound<'py, Data>),
    /// Several frames by name.
    Tables(Vec<(String, Bound<'py, Data>)>),
    /// A file, or the directory of several.
    Path(PathBuf),
}

/// The same, without the interpreter.
enum Held {
    Rows(std::sync::Arc<privet::data::MemoryRelease>),
    Data(Box<OriginalData>),
    Tables(Vec<(String, OriginalData)>),
    Path(PathBuf),
}

impl Judged<'_> {
    fn held(&self) -> Held {
        match self {
            Judged::Rows(rows) => Held::Rows(rows.get().release.clone()),
            Judged::Data(data) => match &data.get().original {
                OriginalData::File(path) => Held::Path(path.clone()),
                other => Held::Data(Box::new(other.clone())),
            },
            Judged::Tables(tables) => {
                let held =
                    |(name, data): &(String, Bound<'_, Data>)| (name.clone(), data.get().original.clone());
                Held::Tables(tables.iter().map(held).collect())
            }
            Judged::Path(path) => Held::Path(path.clone()),
        }
    }
}

/// What was released, as the policy understands it.
fn released(policy: &AnyPolicy, held: Held) -> Result<Released> {
    let any = policy.as_ref();
    match held {
        Held::Rows(release) => released_in_memory(any, &release),
        Held::Path(path) => open_released(any, &path),
        Held::Data(data) => match *data {
            OriginalData::Transactions(lists) => Ok(Released::Transactions(lists)),
            data => of_tables(policy, vec![("release".to_string(), data)]),
        },
        Held::Tables(tables) => of_tables(policy, tables),
    }
}

/// Frames as a release: one of any name, or several by the names of their files.
fn of_tables(policy: &AnyPolicy, held: Vec<(String, OriginalData)>) -> Result<Released> {
    let names: Vec<String> = held.iter().map(|(name, _)| name.clone()).collect();
    let table = |wanted: &str| match held.iter().find(|(name, _)| name == wanted) {
        Some((_, OriginalData::Table(table))) => Ok(table.clone()),
        Some((name, _)) => Err(Error::input(format!("'{name}' is not a table")).help("give a frame")),
        None => Err(Error::input(format!("there is no table '{wanted}'"))
            .help(format!("there is {}; release.names has the names of a release", names.join(", ")))),
    };
    released_tables(policy.as_ref(), &names, &table)
}

fn checked(policy: &Written, original: OriginalData, held: Held, purpose: Purpose) -> Result<Released> {
    released(&policy.check_any_for(original, purpose)?, held)
}

/// Audits a release; returns what was found as JSON.
#[pyfunction]
#[pyo3(signature = (policy, original, release, progress=None))]
pub fn audit(
    py: Python<'_>,
    policy: &Policy,
    original: &Data,
    release: Judged<'_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let about = About { policy: Some(policy.place()), data: original.name.clone() };
    let (policy, original, held) = (policy.written.clone(), original.original.clone(), release.held());
    run(py, &about, progress, Interrupted::MayGoOn, move |clock| {
        clock.progress().stage("auditing", None);
        let released = checked(&policy, original.clone(), held, Purpose::Audit)?;
        let audit = privet::audit(&policy, original, &released, clock)?;
        let warnings = match about_released(&released, clock) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            // The audit reports what cannot be read.
            found => found.unwrap_or_default(),
        };
        let mut found = json!(audit);
        found["warnings"] = json!(warnings);
        found["text"] = privet::audit::render(&audit).into();
        Ok(found.to_string())
    })
}

/// Attacks a release; returns what was found as JSON.
#[pyfunction]
#[pyo3(signature = (policy, original, release, attacks=None, progress=None))]
pub fn attack(
    py: Python<'_>,
    policy: &Policy,
    original: &Data,
    release: Judged<'_>,
    attacks: Option<Vec<String>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let about = About { policy: Some(policy.place()), data: original.name.clone() };
    let choice = choice(attacks).map_err(|error| raised(&error, &about))?;
    let (policy, original, held) = (policy.written.clone(), original.original.clone(), release.held());
    run(py, &about, progress, Interrupted::MayGoOn, move |clock| {
        clock.progress().stage("attacking", None);
        let released = checked(&policy, original.clone(), held, Purpose::Run)?;
        let attacks = privet::attack(&policy, original, released, &choice, clock)?;
        let found = attacks.found.iter().map(|found| {
            let mut json = found.to_json();
            json["line"] = found.in_a_line().into();
            json["warned"] = Some(found).filter(|found| found.succeeds()).map(Finding::warned).into();
            json
        });
        let found: Vec<Json> = found.collect();
        Ok(json!({ "found": found, "not_run": attacks.not_run }).to_string())
    })
}

/// How many classes there are of each size, where records are alike that agree on these columns.
#[pyfunction]
#[pyo3(signature = (data, columns, missing, keep_missing=false, progress=None))]
pub fn class_sizes(
    py: Python<'_>,
    data: &Data,
    columns: Vec<String>,
    missing: Vec<String>,
    keep_missing: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<BTreeMap<u64, u64>> {
    let about = About { policy: None, data: data.name.clone() };
    let original = data.original.clone();
    run(py, &about, progress, Interrupted::MayGoOn, move |clock| {
        let source = opened(original)?;
        sizes(&source, &columns, MissingRule { spellings: missing, keep: keep_missing }, clock)
    })
}

/// What data are worth to an attacker, as `privet risk` measures it: JSON with the sizes of classes and all figures.
#[pyfunction]
#[pyo3(signature = (policy, data, largest=None, progress=None))]
pub fn measure_risk(
    py: Python<'_>,
    policy: &Policy,
    data: &Data,
    largest: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let about = About { policy: Some(policy.place()), data: data.name.clone() };
    let (policy, original) = (policy.written.clone(), data.original.clone());
    run(py, &about, progress, Interrupted::MayGoOn, move |clock| {
        let found = measure(&policy, original, &RiskOptions { largest, ..RiskOptions::default() }, clock)?;
        let sizes: BTreeMap<u64, u64> = found.sizes.counts().collect();
        Ok(json!({ "columns": found.quasi, "sizes": sizes, "figures": found.to_json() }).to_string())
    })
}

fn opened(original: OriginalData) -> Result<Source> {
    match original {
        OriginalData::Table(table) => Ok(table),
        OriginalData::File(path) => Source::open(&path, &Default::default()),
        OriginalData::Files(paths) => Source::open_files(&paths, &Default::default()),
        OriginalData::Named | OriginalData::Transactions(_) => {
            Err(Error::input("risks are of tables").help("give a data frame or the path of a table"))
        }
    }
}

fn sizes(
    source: &Source,
    columns: &[String],
    missing: MissingRule,
    clock: &Clock,
) -> Result<BTreeMap<u64, u64>> {
    let places = columns.iter().map(|name| source.position(name)).collect::<Result<Vec<_>>>()?;
    clock.progress().stage("reading", Some(source.bytes()));
    let summary = Summary::read(source, &places, &missing, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    let mut sizes = BTreeMap::new();
    for record in 0..summary.len() {
        *sizes.entry(summary.count(record)).or_default() += 1;
    }
    Ok(sizes)
}
