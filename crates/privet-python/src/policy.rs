//! Policies as written.

use std::path::PathBuf;

use privet::Error;
use privet::data::{MissingRule, Summary};
use privet::policy::{AnyPolicy, Catalogue, DataKind, Declaration, Key, KeyKind, Policy as Written, Purpose};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::data::Data;
use crate::errors::{About, raised};
use crate::work::{Interrupted, run};

/// A policy as written: TOML, and where relative paths in it start.
#[pyclass(frozen, module = "privet._privet")]
pub struct Policy {
    pub written: Written,
}

#[pymethods]
impl Policy {
    /// Takes the text of a policy; `path` is where relative paths start and what messages name.
    #[new]
    fn new(text: String, path: PathBuf) -> PyResult<Policy> {
        let about = About { policy: Some(path.display().to_string()), data: None };
        let written = Written::parse(&path, text).map_err(|error| raised(&error, &about))?;
        Ok(Policy { written })
    }

    /// Reads a policy file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Policy> {
        let about = About { policy: Some(path.display().to_string()), data: None };
        let written = Written::read(&path).map_err(|error| raised(&error, &about))?;
        Ok(Policy { written })
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        self.written.text()
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.written.path().to_path_buf()
    }

    /// The distinct values of a column, each with how often it occurs; missing ones are left out.
    fn values(&self, py: Python<'_>, data: &Data, column: String) -> PyResult<Vec<(String, u64)>> {
        let about = About { policy: Some(self.place()), data: data.name.clone() };
        let (written, original) = (self.written.clone(), data.original.clone());
        run(py, &about, None, Interrupted::MayGoOn, move |clock| {
            let AnyPolicy::Table(checked) = written.check_any_for(original, Purpose::Audit)? else {
                return Err(Error::input("only columns of tables have values of their own"));
            };
            let missing = MissingRule { spellings: checked.missing.clone(), keep: false };
            let place = checked.source.position(&column)?;
            let summary = Summary::read(&checked.source, &[place], &missing, &mut |_| clock.check())?;
            let counts = summary.value_counts().into_iter().next().unwrap_or_default();
            let values = summary.columns().first().map_or(&[][..], |column| column.dictionary.values());
            Ok(values.iter().cloned().zip(counts).collect())
        })
    }
}

impl Policy {
    /// What messages call it.
    pub fn place(&self) -> String {
        self.written.path().display().to_string()
    }
}

/// All requirements and methods with their keys, as JSON.
#[pyfunction]
pub fn catalogue() -> String {
    let key = |key: &Key| {
        let (takes, words): (&str, &[&str]) = match key.kind {
            KeyKind::Count(_) => ("count", &[]),
            KeyKind::Exact(..) | KeyKind::Above(_) => ("exact", &[]),
            KeyKind::Column(_) => ("column", &[]),
            KeyKind::Choice(words) => ("choice", words),
            KeyKind::Flag => ("flag", &[]),
            KeyKind::FlagOrCount(_) => ("flag-or-count", &[]),
            KeyKind::Duration => ("duration", &[]),
            KeyKind::Thresholds(..) => ("thresholds", &[]),
            KeyKind::WordOrWeights(words) => ("word-or-weights", words),
            KeyKind::Choices(_, words) => ("choices", words),
            KeyKind::Counts(_) => ("counts", &[]),
        };
        json!({
            "name": key.name, "takes": takes, "words": words, "required": key.required, "default": key.default,
            "help": key.help,
        })
    };
    let one = |declaration: &&Declaration| {
        let keys: Vec<Json> = declaration.keys.iter().map(key).collect();
        json!({ "name": declaration.name, "summary": declaration.summary, "source": declaration.source, "keys": keys })
    };
    let of = |catalogue: &Catalogue| {
        let requirements: Vec<Json> = catalogue.requirements.iter().map(one).collect();
        let methods: Vec<Json> = catalogue.methods.iter().map(one).collect();
        json!({ "requirements": requirements, "methods": methods })
    };
    let all = json!({
        "tables": of(Catalogue::of(DataKind::Table)),
        "transactions": of(Catalogue::of(DataKind::Transactions)),
        "vocabularies": of(Catalogue::of(DataKind::Vocabularies)),
    });
    all.to_string()
}
