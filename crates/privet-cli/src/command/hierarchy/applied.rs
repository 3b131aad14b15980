//! What a release publishes for each value.

use privet::method::plan::AppliedColumn;
use privet::release::EarlierPlan;
use privet::{Error, Result, suggestion};
use serde_json::json;

use crate::arguments::Applied;
use crate::output::Output;

pub(super) fn run(arguments: &Applied, output: &Output) -> Result<u8> {
    let mut columns = EarlierPlan::read(&arguments.release)?.plan.applied()?;
    if let Some(wanted) = &arguments.column {
        let names: Vec<&str> = columns.iter().filter_map(|column| column.name.as_deref()).collect();
        if !names.contains(&wanted.as_str()) {
            let help = suggestion(wanted, &names, "generalised columns");
            return Err(
                Error::input(format!("the release does not generalise a column '{wanted}'")).help(help)
            );
        }
        columns.retain(|column| column.name.as_ref() == Some(wanted));
    }
    for column in &columns {
        if column.cells.iter().any(|(_, cells)| cells.len() > 1) {
            let name = column.name.as_deref().unwrap_or("items");
            output.warn(&format!(
                "values of '{name}' have several cells, because other columns decide: each has a line"
            ));
        }
    }
    output.result(
        &table(&columns),
        || json!({ "cells": columns.iter().flat_map(objects).collect::<Vec<_>>() }),
    );
    Ok(0)
}

/// One line per value and cell; a value that is left out has an empty cell.
fn table(columns: &[AppliedColumn]) -> String {
    let (files, names) = (
        columns.iter().any(|column| column.file.is_some()),
        columns.iter().any(|column| column.name.is_some()),
    );
    let mut text = String::new();
    let heads = [(files, "file"), (names, "column"), (true, "value"), (true, "published")];
    text += &line(heads.iter().filter(|(shown, _)| *shown).map(|(_, head)| *head));
    for column in columns {
        for (value, cells) in &column.cells {
            let cells: Vec<&str> =
                if cells.is_empty() { vec![""] } else { cells.iter().map(String::as_str).collect() };
            for cell in cells {
                let place = [column.file.as_deref(), column.name.as_deref()];
                text += &line(place.into_iter().flatten().chain([value.as_str(), cell]));
            }
        }
    }
    text
}

/// Fields as a line of CSV.
fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let field = |field: &str| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.to_string()
        }
    };
    fields.map(field).collect::<Vec<_>>().join(",") + "\n"
}

fn objects(column: &AppliedColumn) -> impl Iterator<Item = serde_json::Value> {
    column.cells.iter().map(|(value, cells)| {
        let mut object = json!({ "value": value, "published": cells });
        if let Some(name) = &column.name {
            object["column"] = json!(name);
        }
        if let Some(file) = &column.file {
            object["file"] = json!(file);
        }
        object
    })
}
