//! Who was left out, by subgroup.
//!
//! The public reads it by quasi-identifiers alone: these an adversary is taken to know. Counts by sensitive values beside
//! them would tell what those who were left out have.

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
    let overall = edition.share(overall, kept);
    let told = |column: &&Subgroups| edition.is_steward() || common.is_quasi_identifier(&column.column);
    let columns = common.subgroups.iter().filter(told);
    let figures: Vec<Figure> = columns.filter_map(|column| by_column(column, &overall, edition)).collect();
    (!figures.is_empty()).then_some(SuppressionView { overall, figures })
}

fn by_column(column: &Subgroups, overall: &str, edition: Edition) -> Option<Figure> {
    // A label that the release hides must not be named, and with it goes the whole column: the rest would tell its figures.
    if !edition.is_steward() && column.groups.iter().any(|group| !group.shown) {
        return None;
    }
    let groups: Vec<&Subgroup> = column.groups.iter().filter(|group| group.records > 0).collect();
    let shown = edition.counts(&groups.iter().map(|group| group.suppressed).collect::<Vec<_>>());
    let shares: Vec<Option<Share>> =
        groups.iter().zip(&shown).map(|(group, shown)| Share::of(group, *shown, edition)).collect();
    let bars: Vec<Bar> = (groups.iter().zip(&shown).zip(&shares))
        .map(|((group, shown), share)| Bar {
            name: group.label.clone(),
            before: None,
            text: share.as_ref().map_or_else(|| shown.text(), |share| share.text.clone()),
            after: share.as_ref().and_then(|share| share.drawn),
        })
        .collect();
    let row = |((group, shown), share): ((&&Subgroup, &Shown), &Option<Share>)| {
        let mut row = vec![group.label.clone(), shown.text()];
        if edition.is_steward() {
            row.push(thousands(group.records));
        }
        row.push(share.as_ref().map_or_else(|| "–".to_string(), |share| share.text.clone()));
        row
    };
    let mut head = vec!["Subgroup", "Suppressed"];
    head.extend(edition.is_steward().then_some("Records"));
    head.push("Share");
    let title = format!("Share of records left out, by {}; overall {overall}", column.column);
    Some(Figure {
        title: column.column.clone(),
        note: String::new(),
        svg: chart::bars(&bars, &title),
        table: DataTable {
            head: head.into_iter().map(str::to_string).collect(),
            rows: groups.iter().zip(&shown).zip(&shares).map(row).collect(),
        },
    })
}

/// The share of a subgroup that was left out.
struct Share {
    text: String,
    /// Nothing where the text withholds it: beside the count it would tell how few are left.
    drawn: Option<f64>,
}

impl Share {
    fn of(group: &Subgroup, shown: Shown, edition: Edition) -> Option<Share> {
        let share = shown.known()? as f64 / group.records.max(1) as f64;
        let text = edition.share(share, group.records);
        let drawn = (edition.is_steward() || text == percent(share)).then_some(share);
        Some(Share { text, drawn })
    }
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
        assert!(by_column(&groups(false), "20 %", Edition::Public).is_none());
        let Some(public) = by_column(&groups(true), "20 %", Edition::Public) else { panic!("shown") };
        let cells: Vec<String> = public.table.rows.concat();
        assert!(cells.contains(&"1–10".to_string()) && cells.contains(&"withheld".to_string()), "{cells:?}");
        assert!(by_column(&groups(false), "20 %", Edition::Steward).is_some());
    }

    #[test]
    fn a_share_beside_a_count_does_not_tell_how_few_are_left() {
        let group = |label: &str, records, suppressed| Subgroup {
            label: label.into(),
            shown: true,
            records,
            suppressed,
        };
        let groups = vec![group("Europe", 334, 325), group("elsewhere", 600, 40)];
        let column = Subgroups { column: "birth-country".into(), groups };
        let rows = |edition| by_column(&column, "39 %", edition).map(|figure| figure.table.rows.concat());
        let public = rows(Edition::Public).unwrap_or_default();
        assert_eq!(public, ["Europe", "325", "nearly all", "elsewhere", "40", "6.7 %"]);
        let steward = rows(Edition::Steward).unwrap_or_default();
        assert_eq!(steward, ["Europe", "325", "334", "97.3 %", "elsewhere", "40", "600", "6.7 %"]);
    }
}
