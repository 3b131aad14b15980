//! The posterior of an attacker who knows people's quasi-identifiers: the shares of the sensitive values in the rows
//! that match a person.

use super::Scene;
use super::view::{Spread, TableView};
use privet_core::Result;

/// Sums of shares may be off by a hair.
pub(super) const HAIR: f64 = 1e-9;

/// How likely each cell is for people, ascending by cell.
pub(super) type Likely = [(u32, f64)];

/// What is believed of people's values in one column.
pub(super) struct Belief<'v, T> {
    /// The released table.
    pub table: &'v TableView,
    /// The sensitive column.
    pub column: usize,
    /// Per row of the original, how likely the person's own value is; 0 for people who are not attacked.
    own: Vec<f64>,
    /// What follows for people with the same posterior, by their number in the matcher.
    of_crowd: Vec<T>,
    /// Per cell the value that it spells, unless nobody minds that being known.
    pub value_of: Vec<Option<u32>>,
}

impl<'v, T: Send> Belief<'v, T> {
    /// As a table's rows are spread, or as they would be. `told` says what follows from people's posterior; the
    /// likelihoods themselves are not kept, as there may be very many.
    fn of(
        scene: &Scene<'_>,
        table: &'v TableView,
        column: usize,
        spread: &Spread,
        told: impl Fn(&Likely) -> T + Sync,
    ) -> Result<Belief<'v, T>> {
        let own = &table.columns[column];
        let value = |cell: &str| own.values.find(cell).filter(|_| own.guards(cell));
        let value_of: Vec<Option<u32>> = own.cells.texts().map(value).collect();
        let mut cell_of: Vec<Option<u32>> = vec![None; own.values.len()];
        for (cell, value) in (0u32..).zip(&value_of) {
            if let Some(value) = value {
                cell_of[*value as usize] = Some(cell);
            }
        }
        let codes = &table.original.codes[column];
        let mut people: Vec<Vec<u32>> = vec![Vec::new(); table.quasi.crowds()];
        for row in 0..table.original.len {
            if let Some(crowd) = table.quasi.crowd_of(row) {
                people[crowd].push(row as u32);
            }
        }
        let found = table.quasi.map_crowds(scene.clock, |crowd, classes| {
            let likely = spread.likely(classes);
            let share = |row: &u32| {
                let cell = cell_of[codes.at(*row as usize) as usize]?;
                let place = likely.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
                Some(likely[place].1)
            };
            let own: Vec<f64> = people[crowd].iter().map(|row| share(row).unwrap_or(0.0)).collect();
            (told(&likely), own)
        })?;
        let mut shares = vec![0.0; table.original.len];
        let mut of_crowd = Vec::with_capacity(found.len());
        for ((told, own), people) in found.into_iter().zip(&people) {
            people.iter().zip(own).for_each(|(row, share)| shares[*row as usize] = share);
            of_crowd.push(told);
        }
        Ok(Belief { table, column, own: shares, of_crowd, value_of })
    }

    /// What the release tells, and what a release would tell whose values say nothing about rows.
    pub fn both(
        scene: &Scene<'_>,
        table: &'v TableView,
        column: usize,
        told: impl Fn(&Likely) -> T + Sync,
    ) -> Result<(Belief<'v, T>, Belief<'v, T>)> {
        let spread = table.spread(column, &table.quasi);
        let found = Belief::of(scene, table, column, &spread, &told)?;
        drop(spread);
        let dealt = table.dealt_anew(column, &table.quasi, scene.seed);
        Ok((found, Belief::of(scene, table, column, &dealt, &told)?))
    }

    /// What follows for a row of the original; nothing where the row is not attacked.
    pub fn of_row(&self, row: usize) -> Option<&T> {
        self.table.quasi.crowd_of(row).map(|crowd| &self.of_crowd[crowd])
    }

    /// What follows for people with the same posterior, for all who are attacked.
    pub fn told(&self) -> &[T] {
        &self.of_crowd
    }

    /// How likely a person's own value is.
    pub fn of_own(&self, row: usize) -> f64 {
        self.own[row]
    }

    /// How large a part of all released rows has each cell.
    pub fn base(&self) -> Vec<f64> {
        base(self.table, self.column)
    }
}

/// How large a part of all released rows has each cell of a column.
pub(super) fn base(table: &TableView, column: usize) -> Vec<f64> {
    let codes = &table.released.codes[column];
    let mut counts = vec![0u64; table.columns[column].cells.len()];
    codes.iter().for_each(|cell| counts[cell as usize] += 1);
    counts.into_iter().map(|count| count as f64 / codes.len().max(1) as f64).collect()
}

/// The released tables with their sensitive columns.
pub(super) fn sensitive<'s>(scene: &'s Scene<'_>) -> Result<Vec<(&'s TableView, usize)>> {
    let columns = |table: &'s TableView| table.columns_where(|column| column.is_sensitive()).into_iter();
    Ok(scene.views()?.iter().flat_map(|table| columns(table).map(move |column| (table, column))).collect())
}

/// That only a sample was attacked.
pub(super) fn sampling(scene: &Scene<'_>) -> Result<String> {
    Ok(scene.view()?.quasi.sampling())
}

/// How many of some are marked.
pub(super) fn count(marks: &[bool]) -> u64 {
    marks.iter().filter(|mark| **mark).count() as u64
}
