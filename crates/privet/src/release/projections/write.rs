//! Writes projected tables, each in an order of its own.

use rayon::prelude::*;

use crate::release::pipeline::Outlet;
use crate::release::shuffle::{IN_MEMORY, Shuffle};
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_data::{CellKind, FileKind, Formulas, NewTable, SinkColumn};
use privet_engine::microdata::Microdata;
use privet_methods::codip::{ProjectedTable, ProjectionDecision};
use privet_policy::layout;

/// How the tables are written.
pub(super) struct Manner<'a> {
    pub outlet: &'a Outlet<'a>,
    pub key: RunKey,
    /// About how large the data is.
    pub bytes: u64,
    pub formulas: Formulas,
}

/// Writes all tables; as many side by side as take together no more memory than one may.
pub(super) fn tables(
    microdata: &Microdata,
    decision: &ProjectionDecision,
    manner: &Manner<'_>,
    clock: &Clock,
) -> Result<()> {
    let tables: Vec<(usize, &ProjectedTable)> = (1..).zip(&decision.projections).collect();
    let abreast = IN_MEMORY as u64 / manner.bytes.max(1);
    for abreast in tables.chunks(usize::try_from(abreast).unwrap_or(usize::MAX).max(1)) {
        let write = |(number, table): &(usize, &ProjectedTable)| {
            clock.check()?;
            write(microdata, decision, table, *number, manner, clock)
        };
        let written: Vec<Result<()>> = abreast.par_iter().map(write).collect();
        written.into_iter().collect::<Result<()>>()?;
    }
    Ok(())
}

fn write(
    microdata: &Microdata,
    decision: &ProjectionDecision,
    table: &ProjectedTable,
    number: usize,
    manner: &Manner<'_>,
    clock: &Clock,
) -> Result<()> {
    let attributes: Vec<_> = table.attributes.iter().map(|at| &decision.attributes[*at]).collect();
    let names = microdata.quasi.iter().map(|quasi| &quasi.name);
    let names = names.chain(attributes.iter().map(|attribute| &attribute.name));
    let columns: Vec<SinkColumn> =
        names.map(|name| SinkColumn { name: name.clone(), kind: CellKind::Text }).collect();
    let name = layout::projection(number);
    let kind = FileKind::of_path(name.as_ref())?;
    let new = NewTable { name: &name, kind, delimiter: ',', columns: &columns, formulas: manner.formulas };
    let mut sink = manner.outlet.to.table(&new)?;
    let spill = manner.outlet.spill.with_extension(number.to_string());
    let mut shuffle = Shuffle::of_table(manner.key, number, &spill);
    let codings: Vec<_> = (attributes.iter())
        .map(|attribute| {
            let values = microdata.table.tracked[attribute.tracked].values.as_slice();
            (microdata.coding(attribute.tracked), values)
        })
        .collect();
    let mut row: Vec<&str> = Vec::with_capacity(columns.len());
    for record in 0..microdata.summary.len() {
        let codes = microdata.summary.record(record);
        for (class, count) in table.recoding.destinations(record, microdata.summary.count(record)) {
            let cells = table.recoding.columns.iter().zip(table.recoding.cells(class as usize));
            let shown = cells.map(|(column, cell)| column.cells[*cell as usize].label.as_str());
            let values = codings
                .iter()
                .map(|(coding, values)| values[coding.code(codes[coding.column]) as usize].as_str());
            row.clear();
            row.extend(shown.chain(values));
            for _ in 0..count {
                shuffle.push(&row)?;
            }
        }
    }
    shuffle.finish(clock, &mut |cells| sink.write(cells))?;
    // Empty where everything fitted in memory; where it did not, its files are gone by now.
    if spill.exists() {
        std::fs::remove_dir(&spill)
            .map_err(|error| privet_core::Error::io("shuffle the release", &spill, &error))?;
    }
    sink.finish()
}
