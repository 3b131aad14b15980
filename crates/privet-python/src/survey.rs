//! First policies for data, and policies side by side.

use privet::compare::{Candidate, compare_on};
use privet::data::{Source, TransactionOptions, TransactionSource};
use privet::drafts::preset::Preset;
use privet::drafts::{Draft, DraftOptions, Study, draft_queries, draft_transactions, log_columns, long_form};
use privet::policy::OriginalData;
use privet::{Error, Result};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

use crate::data::Data;
use crate::errors::{About, raised};
use crate::policy::Policy;
use crate::work::{Interrupted, run};

/// Drafts a policy; returns it as JSON.
#[pyfunction]
#[pyo3(signature = (data, kind=None, preset=None, public=false, progress=None))]
pub fn draft(
    py: Python<'_>,
    data: &Data,
    kind: Option<String>,
    preset: Option<&str>,
    public: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let about = About { policy: None, data: data.name.clone() };
    let preset = preset.map(Preset::find).transpose().map_err(|error| raised(&error, &about))?;
    let original = data.original.clone();
    let file = match &original {
        OriginalData::File(path) => path.to_str().map(str::to_string),
        _ => None,
    };
    run(py, &about, progress, Interrupted::MayGoOn, move |clock| {
        clock.progress().stage("reading", None);
        let options = DraftOptions { data_path: file, preset, public, ..DraftOptions::default() };
        let (kind, draft) = drafted(original, kind.as_deref(), &options)?;
        described(kind, &draft)
    })
}

/// A draft, and what kind of data it is about.
fn drafted(
    original: OriginalData,
    kind: Option<&str>,
    options: &DraftOptions,
) -> Result<(&'static str, Draft)> {
    let wanted = |name: &str| kind.is_none_or(|kind| kind == name);
    if let OriginalData::Transactions(lists) = &original {
        return Ok(("transactions", draft_transactions(lists, options)?));
    }
    let source = match original {
        OriginalData::Table(table) => table,
        OriginalData::Files(paths) => Source::open_files(&paths, &Default::default())?,
        OriginalData::File(path) => {
            if kind == Some("transactions") {
                let lines = TransactionOptions::Lines { separator: None };
                return Ok((
                    "transactions",
                    draft_transactions(&TransactionSource::open(&path, &lines)?, options)?,
                ));
            }
            Source::open(&path, &Default::default())?
        }
        OriginalData::Named | OriginalData::Transactions(_) => {
            return Err(
                Error::input("nothing says which data to draft a policy for").help("give a frame or a path")
            );
        }
    };
    if wanted("transactions")
        && let Some((id, item)) = long_form(&source, kind.is_some())?
    {
        let lists = TransactionSource::of_table(source, &id, &item)?;
        return Ok(("transactions", draft_transactions(&lists, options)?));
    }
    if wanted("query-log")
        && let Some(columns) = log_columns(&source)
    {
        return Ok(("query-log", draft_queries(&source, &columns, options)?));
    }
    if !wanted("table") {
        let kind = kind.unwrap_or_default();
        return Err(Error::input(format!("this does not look like data of kind '{kind}'"))
            .in_file(source.origin())
            .help("leave out 'kind', or write a policy by hand"));
    }
    Ok(("table", Study::of(&source)?.draft(options)?))
}

fn described(kind: &str, draft: &Draft) -> Result<String> {
    let columns: Vec<Json> = draft
        .columns
        .iter()
        .map(|column| {
            json!({
                "name": column.name, "role": column.role.map(|role| role.name()), "distinct": column.distinct,
                "missing": column.missing, "singles_out": column.alone, "rank": column.rank,
                "reason": column.reason, "figures": column.figures,
            })
        })
        .collect();
    let trees = draft.hierarchies.iter().map(|(path, tree)| {
        let leaves = 0..tree.leaves();
        let label = |leaf, level| tree.label(tree.at_level(leaf, level)).to_string();
        let paths: Vec<Vec<String>> =
            leaves.map(|leaf| (0..tree.levels()).map(|level| label(leaf, level)).collect()).collect();
        json!({ "file": path, "paths": paths })
    });
    let trees: Vec<Json> = trees.collect();
    Ok(json!({
        "kind": kind, "text": draft.policy_text, "hierarchies": trees, "columns": columns, "records": draft.rows,
        "k": draft.k,
    })
    .to_string())
}

/// Compares policies on the same data; returns the table, the points and the figures as JSON.
#[pyfunction]
#[pyo3(signature = (policies, data, progress=None))]
pub fn compare(
    py: Python<'_>,
    policies: Vec<(String, Py<Policy>)>,
    data: &Data,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let about = About { policy: None, data: data.name.clone() };
    let original = data.original.clone();
    let candidates: Vec<Candidate> = policies
        .into_iter()
        .enumerate()
        .map(|(place, (label, policy))| Candidate {
            label,
            policy: policy.get().written.clone(),
            chosen: place == 0,
        })
        .collect();
    run(py, &about, progress, Interrupted::MayGoOn, move |clock| {
        let comparison = compare_on(candidates, &original, clock)?;
        let (axes, points) = comparison.points();
        let (measure, bars) = comparison.bars();
        Ok(json!({
            "table": comparison.table(), "note": comparison.note(), "doubts": comparison.doubts, "axes": axes,
            "points": points, "measure": measure, "bars": bars, "json": comparison.to_json(),
        })
        .to_string())
    })
}
