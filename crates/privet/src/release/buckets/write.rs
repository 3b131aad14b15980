//! Writes groups as tables. Groups are in an order that only the key gives, the records within them in that
//! of what is shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::places::Places;
use crate::release::run::changed;
use privet_core::clock::Clock;
use privet_core::{Result, RunKey, random};
use privet_data::{Batch, CellKind, Destination, FileKind, Formulas, Located, NewTable, RowSink, SinkColumn};
use privet_engine::microdata::Microdata;
use privet_methods::injector::{GroupingDecision, Publication, RecordGroups};
use privet_policy::CheckedPolicy;
use privet_policy::layout::{COUNT_COLUMN, GROUP_COLUMN, PERMUTED, QIT, ST};

/// Writes the tables that are published.
pub(super) fn tables(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    decision: &GroupingDecision,
    key: RunKey,
    to: &dyn Destination,
) -> Result<()> {
    let value = policy.columns.get(decision.asked.demand.column).map_or("", |column| column.name.as_str());
    let quasi: Vec<&str> = microdata.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
    let open = |name: &str, columns: &[&str]| create(to, name, columns, policy.written.formulas());
    match decision.asked.publication {
        Publication::TwoTables => {
            let columns = [&quasi[..], &[GROUP_COLUMN]].concat();
            quasi_identifiers(microdata, decision, open(QIT, &columns)?)?;
            values(decision, open(ST, &[GROUP_COLUMN, value, COUNT_COLUMN])?)
        }
        Publication::Permuted => {
            let columns = [&quasi[..], &[value, GROUP_COLUMN]].concat();
            permuted(microdata, decision, key, open(PERMUTED, &columns)?)
        }
    }
}

fn create(
    to: &dyn Destination,
    name: &str,
    columns: &[&str],
    formulas: Formulas,
) -> Result<Box<dyn RowSink>> {
    let column = |name: &&str| SinkColumn { name: name.to_string(), kind: CellKind::Text };
    let columns: Vec<SinkColumn> = columns.iter().map(column).collect();
    let kind = FileKind::of_path(name.as_ref())?;
    to.table(&NewTable { name, kind, delimiter: ',', columns: &columns, formulas })
}

/// The records of a group in the order of what is shown of them: the order in which they were dealt tells nothing.
fn in_order<'m>(microdata: &'m Microdata, group: &[u32]) -> Vec<Vec<&'m str>> {
    let mut rows: Vec<Vec<&str>> = group.iter().map(|record| cells(microdata, *record).collect()).collect();
    rows.sort_unstable();
    rows
}

/// The texts of a distinct record's quasi-identifiers.
fn cells(microdata: &Microdata, record: u32) -> impl Iterator<Item = &str> {
    let columns = microdata.summary.columns();
    let codes = microdata.quasi_codes(record as usize).iter().enumerate();
    codes.map(|(position, code)| columns[position].dictionary.values()[*code as usize].as_str())
}

fn quasi_identifiers(
    microdata: &Microdata,
    decision: &GroupingDecision,
    mut sink: Box<dyn RowSink>,
) -> Result<()> {
    for (number, group) in (1u64..).zip(&decision.grouping.groups) {
        let number = number.to_string();
        for mut row in in_order(microdata, group) {
            row.push(number.as_str());
            sink.write(&row)?;
        }
    }
    sink.finish()
}

fn values(decision: &GroupingDecision, mut sink: Box<dyn RowSink>) -> Result<()> {
    for (number, group) in (1u64..).zip(&decision.grouping.groups) {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for record in group {
            *counts.entry(decision.observations.value(*record as usize)).or_default() += 1;
        }
        for (value, count) in counts {
            let name = decision.observations.values[value as usize].as_str();
            sink.write(&[number.to_string().as_str(), name, count.to_string().as_str()])?;
        }
    }
    sink.finish()
}

fn permuted(
    microdata: &Microdata,
    decision: &GroupingDecision,
    key: RunKey,
    mut sink: Box<dyn RowSink>,
) -> Result<()> {
    let mut random = random::keyed(key, "values within groups");
    for (number, group) in (1u64..).zip(&decision.grouping.groups) {
        let number = number.to_string();
        let mut values: Vec<u32> =
            group.iter().map(|record| decision.observations.value(*record as usize)).collect();
        // Before the draw they stand in an order of their own, as the rows do.
        values.sort_unstable();
        random::shuffle(&mut values, &mut random);
        for (mut row, value) in in_order(microdata, group).into_iter().zip(values) {
            row.extend([decision.observations.values[value as usize].as_str(), number.as_str()]);
            sink.write(&row)?;
        }
    }
    sink.finish()
}

/// Which record of the data is in which group: a secret. Records that are dropped or left out have none.
pub(super) fn assignment(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    grouping: &RecordGroups,
    places: &Places,
    clock: &Clock,
) -> Result<String> {
    let mut text = String::from("record,bucket\n");
    let mut row_number = 0u64;
    let mut round = places.round(policy, grouping);
    policy.source.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            row_number += 1;
            let group = match microdata.summary.locate(batch, row) {
                Located::Dropped => None,
                Located::Record(record) => round.next(batch, row, record)?,
                Located::Unknown => return Err(changed(policy.source.origin())),
            };
            // Writing to a String cannot fail; published groups are numbered from 1 on.
            let _ = match group {
                Some(group) => writeln!(text, "{row_number},{}", group + 1),
                None => writeln!(text, "{row_number},"),
            };
        }
        clock.check()
    })?;
    Ok(text)
}
