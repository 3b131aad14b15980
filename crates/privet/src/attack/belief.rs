//! What the adversary believes of people's sensitive values who knows their quasi-identifiers: the shares of the values in
//! the rows that they could be.

use super::Scene;
use super::view::{Spread, TableView};
use crate::Result;

/// Sums of shares may be off by a hair.
pub(super) const HAIR: f64 = 1e-9;

/// What is believed of people's values in one column.
pub(super) struct Belief<'v> {
    /// The released table.
    pub table: &'v TableView,
    /// The sensitive column.
    pub column: usize,
    /// Per target of the table's quasi-identifiers, how likely each cell is, ascending by cell.
    pub likely: Vec<Vec<(u32, f64)>>,
    /// Per cell the value that it spells, unless nobody minds that being known.
    pub value_of: Vec<Option<u32>>,
}

impl<'v> Belief<'v> {
    /// As a table's rows are spread, or as they would be.
    pub fn of(scene: &Scene<'_>, table: &'v TableView, column: usize, spread: &Spread) -> Result<Belief<'v>> {
        let likely = table.quasi.map(scene.clock, |_, classes| spread.likely(classes))?;
        let own = &table.columns[column];
        let value = |cell: &str| own.values.find(cell).filter(|_| own.guards(cell));
        let value_of = own.cells.texts().map(value).collect();
        Ok(Belief { table, column, likely, value_of })
    }

    /// What the release tells, and what a release would tell whose values say nothing about rows.
    pub fn both(scene: &Scene<'_>, table: &'v TableView, column: usize) -> Result<(Belief<'v>, Belief<'v>)> {
        let told = Belief::of(scene, table, column, &table.spread(column, &table.quasi))?;
        let dealt = table.dealt_anew(column, &table.quasi, scene.seed);
        Ok((told, Belief::of(scene, table, column, &dealt)?))
    }

    /// What is believed of a row of the original; nothing where the row is not attacked.
    pub fn of_row(&self, row: usize) -> &[(u32, f64)] {
        self.table.quasi.target_of(row).map_or(&[], |target| &self.likely[target])
    }

    /// How likely a person's own value is.
    pub fn of_own(&self, row: usize) -> f64 {
        let own = Some(self.table.original.codes[self.column][row]);
        let is_own = |(cell, _): &&(u32, f64)| self.value_of[*cell as usize] == own;
        self.of_row(row).iter().find(is_own).map_or(0.0, |(_, share)| *share)
    }

    /// How large a part of all released rows has each cell.
    pub fn base(&self) -> Vec<f64> {
        let codes = &self.table.released.codes[self.column];
        let mut counts = vec![0u64; self.value_of.len()];
        codes.iter().for_each(|cell| counts[*cell as usize] += 1);
        counts.into_iter().map(|count| count as f64 / codes.len().max(1) as f64).collect()
    }
}

/// The released tables with their sensitive columns.
pub(super) fn sensitive<'s>(scene: &'s Scene<'_>) -> Result<Vec<(&'s TableView, usize)>> {
    let columns = |table: &'s TableView| table.columns_where(|column| column.is_sensitive()).into_iter();
    Ok(scene.views()?.iter().flat_map(|table| columns(table).map(move |column| (table, column))).collect())
}

/// What to say about a sample.
pub(super) fn sampling(scene: &Scene<'_>) -> Result<String> {
    Ok(scene.view()?.quasi.sampling())
}

/// How many of some are marked.
pub(super) fn count(marks: &[bool]) -> u64 {
    marks.iter().filter(|mark| **mark).count() as u64
}
