//! What was done to each column.

use minijinja::Value;
use serde::Serialize;

use super::super::Edition;
use super::super::chart::{self, TreeCounts};
use super::super::lens::percent;
use super::super::model::{Column, ReportModel};
use super::DataTable;

/// More labels than this are not listed beneath a taxonomy.
const MOST_LABELS: usize = 200;

/// A column's row in the table.
#[derive(Serialize)]
pub(super) struct ColumnView {
    name: String,
    role: String,
    reason: Option<String>,
    transformation: String,
    distinct_before: Option<String>,
    distinct_after: Option<String>,
    loss: Option<String>,
    meter: Option<Value>,
    generalised: Option<String>,
}

/// A column's taxonomy with what was chosen.
#[derive(Serialize)]
pub(super) struct TreeView {
    name: String,
    transformation: String,
    svg: Value,
    table: DataTable,
}

pub(super) fn column(column: &Column, model: &ReportModel, edition: Edition) -> ColumnView {
    ColumnView {
        name: column.name.clone(),
        role: column.role.clone(),
        reason: edition.steward_only(column.reason.clone()).filter(|reason| !reason.is_empty()),
        transformation: column.transformation.clone(),
        distinct_before: column.distinct_before.and_then(|count| edition.steward_only(edition.count(count))),
        distinct_after: column.distinct_after.map(|count| edition.count(count)),
        loss: column.loss.map(percent),
        meter: column.loss.map(|loss| {
            chart::meter(loss, &format!("{} of the information in {} is lost", percent(loss), column.name))
        }),
        generalised: column.generalised.map(|share| edition.share(share, model.records.released)),
    }
}

pub(super) fn tree(column: &Column, edition: Edition) -> Option<TreeView> {
    let drawing = column.taxonomy.as_ref()?;
    let counts = if edition.is_steward() { TreeCounts::Shown } else { TreeCounts::Hidden };
    let title = format!("Taxonomy of {}: {}", column.name, column.transformation);
    let used = drawing.nodes.iter().filter(|node| node.in_cut && (edition.is_steward() || node.released > 0));
    let mut table = if edition.is_steward() {
        DataTable {
            head: ["Label", "Level", "In the original", "In the release"].map(str::to_string).to_vec(),
            rows: used
                .map(|node| {
                    let count = |count| edition.count(count);
                    vec![
                        node.label.clone(),
                        node.level.to_string(),
                        count(node.records),
                        count(node.released),
                    ]
                })
                .collect(),
        }
    } else {
        DataTable {
            head: ["Label", "Level"].map(str::to_string).to_vec(),
            rows: used.map(|node| vec![node.label.clone(), node.level.to_string()]).collect(),
        }
    };
    if table.rows.len() > MOST_LABELS {
        table.rows.truncate(MOST_LABELS);
        let mut more = vec![String::new(); table.head.len()];
        if let Some(label) = more.first_mut() {
            *label = "… and more".to_string();
        }
        table.rows.push(more);
    }
    Some(TreeView {
        name: column.name.clone(),
        transformation: column.transformation.clone(),
        svg: chart::tree(drawing, counts, &title),
        table,
    })
}
