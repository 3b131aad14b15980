//! Whether the figures of the report agree with each other, worked out again when it is written.

use super::super::Edition;
use super::super::block::Mark;
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::model::Subgroups;

/// Whether it holds, what it is, and the figures, which may be small: they are the steward's.
type Line = (Mark, Datum, Datum);

/// Sums that must agree.
pub(super) fn consistency(common: &Common, edition: Edition) -> Vec<Line> {
    let mut lines = edition.key().map_or_else(Vec::new, |key| sums(common, key));
    lines.push((
        mark(common.audit.passed),
        "every released value is an original one or contains it, so no record becomes impossible".into(),
        edition.key().map_or_else(Datum::default, |_| "checked by the audit, record by record".into()),
    ));
    lines
}

fn mark(holds: bool) -> Mark {
    if holds { Mark::Holds } else { Mark::Fails }
}

/// Sums over the original.
fn sums(common: &Common, key: Key) -> Vec<Line> {
    let records = common.records;
    let [read, dropped, suppressed] =
        [records.read, records.dropped, records.suppressed].map(|count| *count.see(key));
    let sum = records.released + suppressed + dropped;
    let mut lines = vec![(
        mark(sum == read),
        "released, suppressed and dropped records add up to those read".into(),
        Datum::say(
            "{} + {} + {} = {}",
            [records.released, suppressed, dropped, read].map(|count| key.count(count)),
        ),
    )];
    // Where people are counted, classes hold fewer people than records.
    if let Some(risk) = common.risk_after.as_ref().filter(|_| !common.counts_people()) {
        let classes: u64 = risk.classes.iter().map(|entry| entry.records()).sum();
        lines.push((
            mark(classes == records.released),
            "the classes hold all released records".into(),
            Datum::say("{} of {}", [classes, records.released].map(|count| key.count(count))),
        ));
    }
    if !common.subgroups.is_empty() {
        let total =
            |column: &Subgroups| column.groups.iter().map(|group| *group.suppressed.see(key)).sum::<u64>();
        let agree = common.subgroups.iter().all(|column| total(column) == suppressed);
        lines.push((
            mark(agree),
            "suppressed records add up in the subgroups of every column".into(),
            Datum::say(
                "{} in each of {}",
                [suppressed, common.subgroups.len() as u64].map(|count| key.count(count)),
            ),
        ));
    }
    lines
}
