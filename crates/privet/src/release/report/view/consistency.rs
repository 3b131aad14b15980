//! Whether the figures of the report agree with each other, worked out again when it is written.

use serde::Serialize;

use super::super::Edition;
use super::super::common::Common;
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
    let records = common.records;
    let row =
        |name, holds, figures: String| ConsistencyRow { name, holds, figures: edition.steward_only(figures) };
    let mut rows = Vec::new();
    let sum = records.released + records.suppressed + records.dropped;
    rows.push(row(
        "released, suppressed and dropped records add up to those read",
        sum == records.read,
        format!(
            "{} + {} + {} = {}",
            thousands(records.released),
            thousands(records.suppressed),
            thousands(records.dropped),
            thousands(records.read)
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
        let total = |column: &Subgroups| column.groups.iter().map(|group| group.suppressed).sum::<u64>();
        let agree = common.subgroups.iter().all(|column| total(column) == records.suppressed);
        rows.push(row(
            "suppressed records add up in the subgroups of every column",
            agree,
            format!("{} in each of {}", thousands(records.suppressed), common.subgroups.len()),
        ));
    }
    rows.push(row(
        "every released value is an original one or contains it, so no record becomes impossible",
        common.audit.passed,
        "checked by the audit, record by record".to_string(),
    ));
    rows
}
