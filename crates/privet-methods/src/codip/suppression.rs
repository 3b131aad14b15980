//! Suppression in tables of an earlier plan: later data may have too few people for it.

use std::collections::BTreeSet;

use super::decide::ProjectedTable;
use super::tables::ProjectedTables;
use crate::recoding::ClassTable;
use privet_core::Result;
use privet_core::clock::Clock;

/// Suppresses the people of these classes, table by table, in all tables; then those whose class fails in one of the tables, and
/// again until no class fails.
///
/// All tables are about the same people before and after. Records that agree in all quasi-identifiers share their class in every
/// table, so what goes is always a set of such lots.
pub(super) fn suppress(
    projections: &mut [ProjectedTable],
    tables: &ProjectedTables<'_>,
    classes: &[BTreeSet<u32>],
    clock: &Clock,
) -> Result<()> {
    let microdata = tables.levelling.microdata;
    let mut failing: Vec<BTreeSet<u32>> = classes.to_vec();
    failing.resize(projections.len(), BTreeSet::new());
    let mut changed = false;
    loop {
        clock.check()?;
        for at in 0..projections.len() {
            if !failing[at].is_empty() {
                changed = true;
                let gone = projections[at].recoding.lots_of(&failing[at]);
                projections.iter_mut().for_each(|table| table.recoding.suppress_lots(&gone));
            }
        }
        let counted: Vec<ClassTable> =
            projections.iter().map(|table| table.recoding.count(microdata)).collect();
        let fails = |(table, classes): (&ProjectedTable, &ClassTable)| -> BTreeSet<u32> {
            let present = (0..classes.sizes.len()).filter(|class| classes.sizes[*class] > 0);
            let failing = present.filter(|class| !tables.allows(&classes.class(*class), &table.attributes));
            failing.map(|class| class as u32).collect()
        };
        failing = projections.iter().zip(&counted).map(fails).collect();
        if failing.iter().all(BTreeSet::is_empty) {
            if changed {
                let measured = projections.iter_mut().zip(&counted);
                measured.for_each(|(table, classes)| measure(table, tables, classes));
            }
            return Ok(());
        }
    }
}

/// The figures of a table without its empty classes.
fn measure(table: &mut ProjectedTable, tables: &ProjectedTables<'_>, classes: &ClassTable) {
    let (empty, present): (Vec<usize>, Vec<usize>) =
        (0..classes.sizes.len()).partition(|class| classes.sizes[*class] == 0);
    table.recoding.suppress(&empty.into_iter().map(|class| class as u32).collect());
    table.classes = present.len() as u64;
    table.dm = present.iter().map(|class| u128::from(classes.sizes[*class]).pow(2)).sum();
    let distances = present.iter().map(|class| tables.distance(&classes.class(*class), &table.attributes));
    table.closeness = distances.fold(0.0, f64::max);
}
