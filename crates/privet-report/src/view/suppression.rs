//! Who was left out, by subgroup. For the steward alone: it speaks of records that the release does not have.

use serde::Serialize;

use super::super::chart::{self, Bar};
use super::super::common::Common;
use super::super::gate::Key;
use super::super::lens::{percent, thousands};
use super::super::model::{Subgroup, Subgroups};
use super::{DataTable, Figure};

/// The section's figures.
#[derive(Serialize)]
pub(super) struct SuppressionView {
    overall: String,
    figures: Vec<Figure>,
}

/// Suppressed records by subgroup; nothing where no record is suppressed.
pub(super) fn suppression(common: &Common, key: Key) -> Option<SuppressionView> {
    let records = &common.records;
    let suppressed = *records.suppressed.see(key);
    if suppressed == 0 {
        return None;
    }
    let overall = percent(*records.suppressed.beside(records.released).see(key));
    let figures: Vec<Figure> =
        common.subgroups.iter().map(|column| by_column(column, &overall, key)).collect();
    (!figures.is_empty()).then_some(SuppressionView { overall, figures })
}

fn by_column(column: &Subgroups, overall: &str, key: Key) -> Figure {
    let groups: Vec<&Subgroup> = column.groups.iter().filter(|group| *group.records.see(key) > 0).collect();
    let share = |group: &Subgroup| {
        *group.suppressed.with(group.records, |part, whole| part as f64 / whole.max(1) as f64).see(key)
    };
    let bar = |group: &&Subgroup| Bar {
        name: group.label.clone(),
        before: None,
        text: percent(share(group)),
        after: Some(share(group)),
    };
    let row = |group: &&Subgroup| {
        let counts = [group.suppressed, group.records].map(|count| thousands(*count.see(key)));
        let [suppressed, records] = counts;
        vec![group.label.clone(), suppressed, records, percent(share(group))]
    };
    let title = format!("Share of records left out, by {}; overall {overall}", column.column);
    Figure {
        title: column.column.clone(),
        note: String::new(),
        svg: chart::bars(&groups.iter().map(bar).collect::<Vec<_>>(), &title),
        table: DataTable {
            head: ["Subgroup", "Suppressed", "Records", "Share"].map(str::to_string).to_vec(),
            rows: groups.iter().map(row).collect(),
        },
    }
}
