//! The three risks that European regulators name (Article 29 Working Party, opinion 05/2014): singling out,
//! linkability and inference. Each is tried on people in the data and, if there are any, on people who were left out
//! of the release: what succeeds for them as well is true of people in general, and not a fault of the release.

pub(super) mod inference;
pub(super) mod linkability;
mod nearest;
pub(super) mod singling_out;
#[cfg(test)]
mod tests;

use serde_json::{Value as Json, json};

use super::view::{CodedRows, TableView};
use super::{Figure, Scene};
use privet_core::random::{below, keyed};

/// So often somebody is drawn and attacked, or predicates tried: often enough to tell a rate, however few people there are.
const TRIES: usize = 1000;

/// What to say where nobody was left out.
const UNCONTROLLED: &str = "the rate is uncontrolled: a control needs people who were left out of the release \
                            (`privet anonymize --holdout 10%`, or `privet attack --holdout FILE`)";

/// What is said of a control.
const CONTROLLED: &str = "the same attack on people who were left out of the release";

/// The risk that the release adds: (main − control)/(1 − control), by rates.
fn added(figure: &Figure) -> Option<f64> {
    let control = figure.control? as f64 / figure.targets.max(1) as f64;
    Some(if control < 1.0 { ((figure.share() - control) / (1.0 - control)).max(0.0) } else { 0.0 })
}

fn more(figure: &Figure) -> (String, Json) {
    ("risk".to_string(), json!(added(figure)))
}

/// Some rows by chance, a row at times more than once.
fn drawn(rows: &CodedRows, tries: usize, seed: u64, purpose: &str) -> Vec<usize> {
    let mut random = keyed(seed, purpose);
    if rows.len == 0 {
        return Vec::new();
    }
    (0..tries).map(|_| below(&mut random, rows.len as u64) as usize).collect()
}

/// The first released table, and whether there is something to guess in it.
fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let tables = scene.tables()?;
    let columns = tables.iter().map(|table| table.columns.len()).max().unwrap_or(0);
    let rows = tables.iter().map(|table| table.released.len).min().unwrap_or(0);
    match (rows, columns) {
        (0, _) => Err("the release has no row".to_string()),
        (_, 0 | 1) => Err("the release has only one column".to_string()),
        _ => Ok(()),
    }
}

/// Whether other people can replace those in the data: they have all columns of the table.
fn others(table: &TableView) -> Option<&CodedRows> {
    let holdout = table.holdout.as_ref()?;
    let complete = (0..table.columns.len()).all(|column| holdout.has(column));
    (complete && holdout.len > 0).then_some(holdout)
}
