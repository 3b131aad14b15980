//! Who was left out, by subgroup.

use serde::Serialize;

use super::super::chart::{self, Bar};
use super::super::common::Common;
use super::super::lens::{Shown, percent, thousands};
use super::super::model::{Subgroup, Subgroups};
use super::super::{Edition, lens};
use super::{DataTable, Figure};

/// The section's figures.
#[derive(Serialize)]
pub(super) struct SuppressionView {
    overall: String,
    figures: Vec<Figure>,
}

/// Suppressed records by subgroup; nothing where no record is suppressed, or so few that the public must not learn it.
pub(super) fn suppression(common: &Common, edition: Edition) -> Option<SuppressionView> {
    let suppressed = common.records.suppressed;
    if suppressed == 0 || (!edition.is_steward() && lens::is_small(suppressed)) {
        return None;
    }
    let kept = common.records.read.saturating_sub(common.records.dropped);
    let overall = suppressed as f64 / kept.max(1) as f64;
    let figures: Vec<Figure> =
        common.subgroups.iter().filter_map(|column| by_column(column, overall, edition)).collect();
    (!figures.is_empty()).then(|| SuppressionView { overall: edition.share(overall, kept), figures })
}

fn by_column(column: &Subgroups, overall: f64, edition: Edition) -> Option<Figure> {
    // A label that the release hides must not be named, and with it goes the whole column: the rest would tell its figures.
    if !edition.is_steward() && column.groups.iter().any(|group| !group.shown) {
        return None;
    }
    let groups: Vec<&Subgroup> = column.groups.iter().filter(|group| group.records > 0).collect();
    let shown = edition.counts(&groups.iter().map(|group| group.suppressed).collect::<Vec<_>>());
    let share = |group: &Subgroup, shown: &Shown| {
        let fits = edition.is_steward() || !lens::is_small(group.records);
        shown.known().filter(|_| fits).map(|count| count as f64 / group.records.max(1) as f64)
    };
    let bars: Vec<Bar> = (groups.iter().zip(&shown))
        .map(|(group, shown)| {
            let share = share(group, shown);
            Bar {
                name: group.label.clone(),
                before: None,
                text: share.map_or_else(|| shown.text(), percent),
                after: share,
            }
        })
        .collect();
    let row = |(group, shown): (&&Subgroup, &Shown)| {
        let mut row = vec![group.label.clone(), shown.text()];
        if edition.is_steward() {
            row.push(thousands(group.records));
        }
        row.push(share(group, shown).map_or_else(|| "–".to_string(), percent));
        row
    };
    let mut head = vec!["Subgroup", "Suppressed"];
    head.extend(edition.is_steward().then_some("Records"));
    head.push("Share");
    let title = format!("Share of records left out, by {}; overall {}", column.column, percent(overall));
    Some(Figure {
        title: column.column.clone(),
        note: String::new(),
        svg: chart::bars(&bars, &title),
        table: DataTable {
            head: head.into_iter().map(str::to_string).collect(),
            rows: groups.iter().zip(&shown).map(row).collect(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(shown: bool) -> Subgroups {
        let group = |label: &str, records, suppressed| Subgroup {
            label: label.into(),
            shown: shown || label != "hidden",
            records,
            suppressed,
        };
        Subgroups {
            column: "sex".into(),
            groups: vec![group("hidden", 100, 20), group("b", 90, 4), group("c", 80, 30)],
        }
    }

    #[test]
    fn the_public_reads_no_small_count_and_no_hidden_label() {
        assert!(by_column(&groups(false), 0.2, Edition::Public).is_none());
        let Some(public) = by_column(&groups(true), 0.2, Edition::Public) else { panic!("shown") };
        let cells: Vec<String> = public.table.rows.concat();
        assert!(cells.contains(&"1–10".to_string()) && cells.contains(&"withheld".to_string()), "{cells:?}");
        assert!(by_column(&groups(false), 0.2, Edition::Steward).is_some());
    }
}
