//! What is to be released, or was: files, frames and lists of items.

use std::collections::BTreeSet;
use std::path::PathBuf;

use arrow_schema::SchemaRef;
use privet::data::{Source, TransactionLists, TransactionSource};
use privet::policy::OriginalData;
use pyo3::prelude::*;

use crate::arrow::Table;
use crate::errors::{About, data_error, raised};

/// Data that a policy can be about.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug, Clone)]
pub struct Data {
    pub original: OriginalData,
    /// What messages call it.
    pub name: Option<String>,
    /// The columns that have nulls, where it is a frame.
    pub nulls: BTreeSet<String>,
    /// Its columns and their types, where it is a frame.
    pub form: Option<SchemaRef>,
}

#[pymethods]
impl Data {
    /// The file that the policy names.
    #[staticmethod]
    fn named() -> Data {
        Data { original: OriginalData::Named, name: None, nulls: BTreeSet::new(), form: None }
    }

    /// Files that are one table.
    #[staticmethod]
    fn files(mut paths: Vec<PathBuf>) -> Data {
        let name = paths.first().map(|path| path.display().to_string());
        let original = match paths.len() {
            1 => OriginalData::File(paths.remove(0)),
            _ => OriginalData::Files(paths),
        };
        Data { original, name, nulls: BTreeSet::new(), form: None }
    }

    /// A table in memory. `count` names the column that says how often each row is there.
    #[staticmethod]
    #[pyo3(signature = (name, table, count=None))]
    fn table(name: &str, table: &Table, count: Option<&str>) -> PyResult<Data> {
        let source = Source::of_batches(name, &table.schema, table.batches.iter().cloned());
        let source = source.and_then(|source| match count {
            Some(count) => source.counted_by(count),
            None => Ok(source),
        });
        let source = source.map_err(|error| raised(&error, &About::default()))?;
        Ok(Data {
            name: Some(source.origin().to_string()),
            original: source.into(),
            nulls: table.nulls(),
            form: Some(table.schema.clone()),
        })
    }

    /// Transactions in a column of lists, with the column of the people that they belong to where there is one.
    #[staticmethod]
    #[pyo3(signature = (name, table, items, people=None))]
    fn list_column(name: &str, table: &Table, items: &str, people: Option<&str>) -> PyResult<Data> {
        let lists = table.list_column(items)?.ok_or_else(|| {
            data_error(
                &format!("column '{items}' does not hold lists of items"),
                "give a column of lists of texts",
            )
        })?;
        let people = people.map(|name| table.text_column(name)).transpose()?;
        Data::lists(name, lists, people)
    }

    /// Transactions in memory: lists of items, with the people that they belong to where there are any.
    #[staticmethod]
    #[pyo3(signature = (name, lists, people=None))]
    fn lists(name: &str, lists: Vec<Vec<String>>, people: Option<Vec<String>>) -> PyResult<Data> {
        let mut held = TransactionLists::default();
        let added = match people {
            None => lists.iter().try_for_each(|items| held.push(items)),
            Some(people) => {
                people.iter().zip(&lists).try_for_each(|(person, items)| held.push_of(person, items))
            }
        };
        added.map_err(|error| raised(&error, &About::default()))?;
        let source = TransactionSource::of_lists(name, held);
        Ok(Data {
            name: Some(source.origin().to_string()),
            original: source.into(),
            nulls: BTreeSet::new(),
            form: None,
        })
    }

    /// A table of its columns without rows, where it is a frame.
    #[getter]
    fn form(&self) -> Option<Table> {
        self.form.clone().map(|schema| Table { schema, batches: Vec::new() })
    }
}
