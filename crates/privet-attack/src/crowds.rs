//! People by the released rows that match them: those who match the same rows are one crowd.

use hashbrown::HashMap;

use super::Scene;
use super::follow::SensitiveColumn;
use super::view::{TableView, ViewColumn};
use privet_core::Result;

/// The crowd of people who are in none: no row contains them, or they are not attacked.
pub(super) const NOWHERE: u32 = u32::MAX;

/// People by the released rows that contain them.
pub(super) struct Crowds {
    /// The crowd of each row of the original.
    pub of_row: Vec<u32>,
    /// The released rows of each crowd, ascending.
    pub rows: Vec<Vec<u32>>,
}

impl Crowds {
    /// Looks everybody up in a table.
    pub fn of(scene: &Scene<'_>, table: &TableView) -> Result<Crowds> {
        let matching = table.quasi.map(scene.clock, |_, classes| classes.to_vec())?;
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut distinct: Vec<&[u32]> = Vec::new();
        let mut of_target = Vec::with_capacity(matching.len());
        for classes in &matching {
            if classes.is_empty() {
                of_target.push(NOWHERE);
                continue;
            }
            let number = *numbers.entry(classes).or_insert(distinct.len() as u32);
            if number as usize == distinct.len() {
                distinct.push(classes);
            }
            of_target.push(number);
        }
        let of_row = (0..table.original.len)
            .map(|row| table.quasi.target_of(row).map_or(NOWHERE, |target| of_target[target]))
            .collect();
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); table.quasi.classes.len()];
        for (row, class) in (0u32..).zip(&table.quasi.classes.of_row) {
            rows_of[*class as usize].push(row);
        }
        let rows = |classes: &&[u32]| {
            let mut rows: Vec<u32> =
                classes.iter().flat_map(|class| rows_of[*class as usize].iter().copied()).collect();
            rows.sort_unstable();
            rows
        };
        Ok(Crowds { of_row, rows: distinct.iter().map(rows).collect() })
    }

    /// The people who are in a crowd, with it.
    pub fn people(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.of_row.iter().copied().enumerate().filter(|(_, crowd)| *crowd != NOWHERE)
    }
}

/// A released table with the people in it and its sensitive columns.
pub(super) struct Gathered<'v> {
    /// The table.
    pub view: &'v TableView,
    /// Who is where.
    pub crowds: Crowds,
    /// Its sensitive columns, by their place in the view.
    pub sensitive: Vec<usize>,
}

impl<'v> Gathered<'v> {
    /// All tables of a release.
    pub fn all(scene: &'v Scene<'_>) -> Result<Vec<Gathered<'v>>> {
        let gathered = |view: &'v TableView| {
            scene.clock.check()?;
            let sensitive = view.columns_where(ViewColumn::is_sensitive);
            Ok(Gathered { view, crowds: Crowds::of(scene, view)?, sensitive })
        };
        scene.views()?.iter().map(gathered).collect()
    }

    /// The released rows of each crowd, one after the other: the crowd of each, and the sensitive columns. Where crowds share
    /// rows, these are there for each.
    pub fn released(&self) -> (Vec<u32>, Vec<SensitiveColumn>) {
        let crowds = (0u32..).zip(&self.crowds.rows);
        let classes = crowds.flat_map(|(crowd, rows)| rows.iter().map(move |_| crowd)).collect();
        let column = |column: &usize| {
            let codes = &self.view.released.codes[*column];
            let own = &self.view.columns[*column];
            SensitiveColumn {
                codes: self.crowds.rows.iter().flatten().map(|row| codes.at(*row as usize)).collect(),
                sensitive: own.cells.texts().map(|cell| own.guards(cell)).collect(),
            }
        };
        (classes, self.sensitive.iter().map(column).collect())
    }

    /// The table with the most crowds; of equals the first.
    pub fn finest<'t>(tables: &'t [Gathered<'v>]) -> Option<&'t Gathered<'v>> {
        tables.iter().rev().max_by_key(|table| table.crowds.rows.len())
    }

    /// The sensitive columns of all tables, as people have them.
    pub fn sensitive_columns(tables: &[Gathered<'_>]) -> impl Iterator<Item = SensitiveColumn> {
        tables.iter().flat_map(|table| table.sensitive.iter().map(|column| table.original(*column)))
    }

    /// A sensitive column of the people.
    pub fn original(&self, column: usize) -> SensitiveColumn {
        let own = &self.view.columns[column];
        SensitiveColumn {
            codes: self.view.original.codes[column].to_vec(),
            sensitive: own.values.texts().map(|value| own.guards(value)).collect(),
        }
    }
}
