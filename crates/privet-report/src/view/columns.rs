//! What was done to each column.

use minijinja::Value;
use serde::Serialize;

use super::super::Edition;
use super::super::chart::{self, TreeCounts};
use super::super::gate::Key;
use super::super::model::{Column, Records, TaxonomyDrawing, TaxonomyNode};
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
    suppressed: Option<String>,
}

/// A column's taxonomy with what was chosen.
#[derive(Serialize)]
pub(super) struct TreeView {
    name: String,
    transformation: String,
    svg: Value,
    table: DataTable,
}

pub(super) fn column(column: &Column, records: Records, edition: Edition) -> ColumnView {
    let loss = column.loss.and_then(|loss| loss.told(edition, records.released));
    ColumnView {
        name: column.name.clone(),
        role: column.role.clone(),
        reason: edition.steward_only(column.reason.clone()).filter(|reason| !reason.is_empty()),
        transformation: column.transformation.clone(),
        distinct_before: (column.distinct_before.zip(edition.key()))
            .map(|(count, key)| edition.count(*count.see(key))),
        distinct_after: column.distinct_after.map(|count| edition.count(count)),
        meter: loss.as_ref().map(|loss| {
            let title = format!("{} of the information in {} is lost", loss.text, column.name);
            chart::meter(loss.share, &title)
        }),
        loss: loss.map(|loss| loss.text),
        suppressed: column.suppressed.map(|share| edition.share(share, records.released)),
        generalised: (column.generalised)
            .and_then(|share| share.told(edition, records.released))
            .map(|share| share.text),
    }
}

pub(super) fn tree(column: &Column, edition: Edition) -> Option<TreeView> {
    let drawing = column.taxonomy.as_ref()?;
    let title = format!("Taxonomy of {}: {}", column.name, column.transformation);
    let heads = match edition.key() {
        Some(key) => vec![Head::Level, Head::Original(key), Head::Release],
        None => vec![Head::Level],
    };
    Some(TreeView::new(&column.name, &column.transformation, &title, drawing, &heads, edition))
}

/// What is said of each label beneath a drawing.
#[derive(Clone, Copy)]
pub(super) enum Head {
    Level,
    Original(Key),
    Release,
}

impl TreeView {
    /// Draws a taxonomy; `heads` says what the table beneath tells of the labels in the release.
    pub(super) fn new(
        name: &str,
        transformation: &str,
        title: &str,
        drawing: &TaxonomyDrawing,
        heads: &[Head],
        edition: Edition,
    ) -> TreeView {
        let counts = edition.key().map_or(TreeCounts::Hidden, TreeCounts::Shown);
        let used = |node: &&TaxonomyNode| node.in_cut && (edition.is_steward() || node.released > 0);
        let cell = |node: &TaxonomyNode, head: &Head| match head {
            Head::Level => format!("level {}", node.level),
            Head::Original(key) => edition.count(*node.records.see(*key)),
            Head::Release => edition.count(node.released),
        };
        let row = |node: &TaxonomyNode| {
            std::iter::once(node.label.clone()).chain(heads.iter().map(|head| cell(node, head))).collect()
        };
        let names = heads.iter().map(|head| match head {
            Head::Level => "Level",
            Head::Original(_) => "In the original",
            Head::Release => "In the release",
        });
        let mut table = DataTable {
            head: std::iter::once("Label").chain(names).map(str::to_string).collect(),
            rows: drawing.nodes.iter().filter(used).map(row).collect(),
        };
        if table.rows.len() > MOST_LABELS {
            table.rows.truncate(MOST_LABELS);
            let mut more = vec![String::new(); table.head.len()];
            if let Some(label) = more.first_mut() {
                *label = "… and more".to_string();
            }
            table.rows.push(more);
        }
        TreeView {
            name: name.to_string(),
            transformation: transformation.to_string(),
            svg: chart::tree(drawing, counts, title),
            table,
        }
    }
}
