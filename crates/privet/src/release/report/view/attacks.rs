//! What attacks on the release found.

use serde::Serialize;

use super::super::lens::{capital, percent, thousands};
use super::DataTable;
use crate::attack::{Figure, Finding};

/// One attack.
#[derive(Serialize)]
pub(super) struct AttackView {
    name: String,
    knows: String,
    does: String,
    assumes: String,
    table: DataTable,
}

pub(super) fn attacks(found: &[Finding]) -> Vec<AttackView> {
    found.iter().map(attack).collect()
}

fn attack(found: &Finding) -> AttackView {
    let head = ["What counts", "Targets", "Hits", "Share", "For comparison"];
    let row = |figure: &Figure| {
        vec![
            figure.what.clone(),
            thousands(figure.targets),
            thousands(figure.hits),
            percent(figure.share()),
            format!("{} ({})", thousands(figure.baseline), figure.instead),
        ]
    };
    AttackView {
        name: if found.title.is_empty() { found.name.clone() } else { found.title.clone() },
        knows: found.knows.clone(),
        does: found.does.clone(),
        assumes: sentence(&found.assumes),
        table: DataTable {
            head: head.map(str::to_string).to_vec(),
            rows: found.figures.iter().map(row).collect(),
        },
    }
}

fn sentence(text: &str) -> String {
    let text = capital(text.trim_end_matches('.'));
    if text.is_empty() { text } else { text + "." }
}
