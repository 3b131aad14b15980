//! Whether the figures of the report agree with each other, worked out again when it is written.

use serde::Serialize;

use super::super::Edition;
use super::super::common::Common;
use super::super::gate::Key;
use super::super::lens::thousands;
use super::super::model::Subgroups;

/// One comparison.
#[derive(Serialize)]
pub(super) struct ConsistencyRow {
    name: &'static str,
    holds: bool,
    /// The figures. Steward only, for they may be small.
    figures: Option<String>,
}

/// Sums that must agree.
pub(super) fn consistency(common: &Common, edition: Edition) -> Vec<ConsistencyRow> {
    let row =
        |name, holds, figures: String| ConsistencyRow { name, holds, figures: edition.steward_only(figures) };
    let mut rows = edition.key().map_or_else(Vec::new, |key| sums(common, key));
    rows.push(row(
        "every released value is an original one or contains it, so no record becomes impossible",
        common.audit.passed,
        "checked by the audit, record by record".to_string(),
    ));
    rows
}

/// Sums over the original.
fn sums(common: &Common, key: Key) -> Vec<ConsistencyRow> {
    let row = |name, holds, figures: String| ConsistencyRow { name, holds, figures: Some(figures) };
    let records = common.records;
    let [read, dropped, suppressed] =
        [records.read, records.dropped, records.suppressed].map(|count| *count.see(key));
    let mut rows = Vec::new();
    let sum = records.released + suppressed + dropped;
    rows.push(row(
        "released, suppressed and dropped records add up to those read",
        sum == read,
        format!(
            "{} + {} + {} = {}",
            thousands(records.released),
            thousands(suppressed),
            thousands(dropped),
            thousands(read)
        ),
    ));
    // Where people are counted, classes hold fewer people than records.
    if let Some(risk) = common.risk_after.as_ref().filter(|_| !common.counts_people()) {
        let classes: u64 = risk.classes.iter().map(|entry| entry.records()).sum();
        rows.push(row(
            "the classes hold all released records",
            classes == records.released,
            format!("{} of {}", thousands(classes), thousands(records.released)),
        ));
    }
    if !common.subgroups.is_empty() {
        let total =
            |column: &Subgroups| column.groups.iter().map(|group| *group.suppressed.see(key)).sum::<u64>();
        let agree = common.subgroups.iter().all(|column| total(column) == suppressed);
        rows.push(row(
            "suppressed records add up in the subgroups of every column",
            agree,
            format!("{} in each of {}", thousands(suppressed), common.subgroups.len()),
        ));
    }
    rows
}
