//! The last stream: reads every row again, applies the decision, and writes the release in shuffled order.

use super::pipeline::Outlet;
use super::run::changed;
use super::shuffle::Shuffle;
use super::turns::Ways;
use privet_core::clock::Clock;
use privet_core::{Error, Result, RunKey};
use privet_data::{Batch, CellKind, FileKind, Formulas, Located, NewTable, SinkColumn, set_cell, terms_of};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::TrackedColumn;
use privet_methods::recoding::{Recoding, STAR};
use privet_methods::released_sets::ReleasedSets;
use privet_policy::{CheckedPolicy, Role};

/// How the release's rows are written.
pub(super) struct Manner<'a> {
    pub name: &'a str,
    pub kind: FileKind,
    pub key: RunKey,
    pub outlet: &'a Outlet<'a>,
}

/// A published column.
enum Published {
    /// The quasi-identifier at this position: its cell comes from the row's class.
    Recoded(usize),
    /// Carried through from this column of the data; a missing value is written as the policy says.
    Kept(usize),
    /// The tracked column at this position, some cells of which are suppressed.
    Starred(usize),
    /// The quasi-sensitive column, from which terms may be removed, or a column of sets, whose items may be generalised.
    Set,
    /// The tracked column at this position, whose cells hold several values: each cell in its one spelling.
    Values(usize),
}

/// Writes the release.
pub(super) fn apply(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    recoding: &Recoding,
    sets: Option<&ReleasedSets>,
    manner: &Manner<'_>,
    clock: &Clock,
) -> Result<()> {
    let source = &policy.source;
    let (columns, published) = published_columns(policy, microdata, recoding)?;
    let formulas = policy.written.formulas();
    let Manner { name, kind, key, outlet } = *manner;
    let delimiter = source.csv_delimiter();
    let mut sink = outlet.to.table(&NewTable { name, kind, delimiter, columns: &columns, formulas })?;
    // Cells that are carried through can be placed in the data; the sink looks at all others.
    let placed = if outlet.to.is_text(kind) { formulas } else { Formulas::Mark };
    let mut shuffle = Shuffle::new(key, outlet.spill);
    let summarised = |index: usize| microdata.summary.columns().iter().any(|column| column.index == index);
    let set_column = policy.columns.iter().find_map(|column| {
        let of_terms = column.sets.as_ref().map(|sets| sets.separator);
        Some((column.index, of_terms.or(column.items.as_ref().map(|items| items.separator))?))
    });
    let carries =
        published.iter().any(|column| matches!(column, Published::Kept(index) if !summarised(*index)))
            || set_column.is_some_and(|(index, _)| !summarised(index));
    let mut ways = match carries {
        true => Ways::in_turn(policy, microdata, recoding, sets, key, clock)?,
        false => Ways::as_they_come(microdata, recoding, sets, key),
    };
    let tracked = &microdata.table.tracked;
    let mut rows = 0;
    clock.progress().stage("writing", Some(source.bytes()));
    source.read(&mut |batch: &Batch, bytes| {
        clock.check()?;
        for row in 0..batch.rows() {
            rows += 1;
            let record = match microdata.summary.locate(batch, row) {
                Located::Record(record) => record,
                Located::Dropped => continue,
                Located::Unknown => return Err(changed(policy.source.origin())),
            };
            let way = ways.next(batch, row, record).ok_or_else(|| changed(policy.source.origin()))?;
            let Some(class) = way.class else { continue };
            let shown = recoding.cells(class as usize);
            let codes = &microdata.summary.record(record)[microdata.quasi.len()..];
            let set = match (way.set, set_column) {
                (Some(changed), _) => changed.to_string(),
                (None, Some((index, separator))) => match batch.cell(row, index) {
                    missing if summarised(index) && policy.is_missing(missing) => String::new(),
                    // A set has no order; the one in which it was written down is not published.
                    cell => set_cell(terms_of(cell, separator), separator),
                },
                (None, None) => String::new(),
            };
            let cells: Vec<&str> = published
                .iter()
                .map(|column| match column {
                    Published::Recoded(position) => {
                        recoding.columns[*position].cells[shown[*position] as usize].label.as_str()
                    }
                    Published::Set => set.as_str(),
                    Published::Values(position) => {
                        tracked[*position].values[codes[*position] as usize].as_str()
                    }
                    Published::Starred(position) => {
                        let (column, code) = (&tracked[*position], codes[*position]);
                        let starred = recoding.is_starred(class, column.slots.start + code);
                        if starred { STAR } else { column.values[code as usize].as_str() }
                    }
                    Published::Kept(index) => {
                        let cell = batch.cell(row, *index);
                        // All spellings of a missing value that is kept are published as one.
                        if policy.is_missing(cell) { policy.missing[0].as_str() } else { cell }
                    }
                })
                .collect();
            for (column, cell) in columns.iter().zip(&cells) {
                let place = format_args!("column '{}'", column.name);
                placed
                    .check(&place, cell)
                    .map_err(|error| error.in_file(source.origin()).at_line(batch.line(row)))?;
            }
            shuffle.push(&cells)?;
        }
        clock.progress().at(bytes);
        Ok(())
    })?;
    if rows != microdata.summary.read {
        return Err(changed(policy.source.origin()));
    }
    clock.progress().stage("shuffling", None);
    shuffle.finish(clock, &mut |cells| sink.write(cells))?;
    sink.finish()
}

/// Identifiers and columns that the policy does not mention are not published.
fn published_columns(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    recoding: &Recoding,
) -> Result<(Vec<SinkColumn>, Vec<Published>)> {
    let mut columns = Vec::new();
    let mut published = Vec::new();
    let starred = |index: usize| {
        let mut tracked = microdata.table.tracked.iter();
        tracked.position(|column| column.index == index && recoding.stars_any(&column.slots))
    };
    for (column, source) in policy.columns.iter().zip(policy.source.columns()) {
        if !super::is_published(column) {
            continue;
        }
        let (kind, how) = match (column.role, starred(column.index)) {
            (None, _) => continue,
            (Some(Role::QuasiIdentifier | Role::Mixed), _) => {
                let position = microdata.quasi.iter().position(|quasi| quasi.index == column.index);
                let Some(position) = position else { continue };
                (CellKind::Text, Published::Recoded(position))
            }
            (Some(Role::QuasiSensitive | Role::Set), _) => (CellKind::Text, Published::Set),
            (Some(Role::Sensitive), None) if column.separator.is_some() => {
                let mut tracked = microdata.table.tracked.iter();
                let Some(position) = tracked.position(|tracked| tracked.index == column.index) else {
                    continue;
                };
                (CellKind::Text, Published::Values(position))
            }
            (_, Some(position)) => {
                no_star_among(policy, &microdata.table.tracked[position])?;
                (CellKind::Text, Published::Starred(position))
            }
            (Some(role), None) => {
                let keeps = role == Role::Other || policy.missing_rule().keep;
                // A typed column has no place for words.
                let spelt = keeps && policy.missing.first().is_some_and(|spelling| !spelling.is_empty());
                let kind = if spelt || column.is_rewritten() { CellKind::Text } else { source.kind.clone() };
                (kind, Published::Kept(column.index))
            }
        };
        columns.push(SinkColumn { name: column.name.clone(), kind });
        published.push(how);
    }
    Ok((columns, published))
}

/// A value that is written like a suppressed cell could not be told from one.
pub(super) fn no_star_among(policy: &CheckedPolicy, column: &TrackedColumn) -> Result<()> {
    if !column.values.iter().any(|value| value == STAR) {
        return Ok(());
    }
    let message =
        format!("column '{}' holds the value '*', which releases use for suppressed cells", column.name);
    Err(Error::input(message)
        .in_file(policy.source.origin())
        .help("list \"*\" under 'missing' in [data], or rename the value"))
}
