//! The released rows nearest to what is known about a person: those with the fewest cells that do not contain the
//! person's values.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;

use super::super::Scene;
use super::super::view::{CodedRows, Distinct, TableView};
use privet_core::Result;
use privet_core::random::below;

/// The distinct released rows of all columns, and how they miss people.
pub(super) struct NearestRows<'v> {
    table: &'v TableView,
    /// By all columns.
    classes: Arc<Distinct>,
    /// Per column and class, the cell.
    cells: Vec<Vec<u32>>,
    /// Per class, its rows.
    rows_of: Vec<Vec<u32>>,
}

/// For one person: per column and class, 1 where the cell does not contain the person's value.
pub(super) struct Misses(Vec<Vec<u8>>);

impl<'v> NearestRows<'v> {
    pub fn new(scene: &Scene<'_>, table: &'v TableView) -> Result<NearestRows<'v>> {
        let all: Vec<usize> = (0..table.columns.len()).collect();
        let classes = table.released.distinct(&all, scene.clock)?;
        let cells_of = |column: &usize| -> Vec<u32> {
            classes.first.iter().map(|row| table.released.codes[*column].at(*row as usize)).collect()
        };
        let cells = all.iter().map(cells_of).collect();
        let mut rows_of = vec![Vec::new(); classes.len()];
        for (row, class) in (0u32..).zip(&classes.of_row) {
            rows_of[*class as usize].push(row);
        }
        Ok(NearestRows { table, classes, cells, rows_of })
    }

    /// How each class misses a person.
    pub fn misses(&self, people: &CodedRows, person: usize) -> Misses {
        let column = |(column, cells): (usize, &Vec<u32>)| {
            let own = &self.table.columns[column];
            let mut misses = vec![1u8; own.cells.len()];
            let value = people.codes[column].at(person);
            own.cover.cells_of(value).iter().for_each(|cell| misses[*cell as usize] = 0);
            cells.iter().map(|cell| misses[*cell as usize]).collect()
        };
        Misses(self.cells.iter().enumerate().map(column).collect())
    }

    /// All classes.
    pub fn classes(&self) -> Vec<u32> {
        (0..self.classes.len() as u32).collect()
    }

    /// The cell of a class.
    pub fn cell(&self, column: usize, class: u32) -> u32 {
        self.cells[column][class as usize]
    }

    /// How many rows a class has.
    pub fn count(&self, class: u32) -> u64 {
        self.rows_of[class as usize].len() as u64
    }

    /// One of the rows of some classes, by chance.
    pub fn draw(&self, classes: &[u32], random: &mut ChaCha20Rng) -> Option<u32> {
        let all: u64 = classes.iter().map(|class| self.count(*class)).sum();
        if all == 0 {
            return None;
        }
        let mut left = below(random, all) as usize;
        for class in classes {
            let rows = &self.rows_of[*class as usize];
            match rows.get(left) {
                Some(row) => return Some(*row),
                None => left -= rows.len(),
            }
        }
        None
    }
}

impl Misses {
    /// The classes that miss least in some columns.
    pub fn nearest(&self, columns: impl Fn(usize) -> bool) -> Vec<u32> {
        let known: Vec<&Vec<u8>> = self
            .0
            .iter()
            .enumerate()
            .filter(|(column, _)| columns(*column))
            .map(|(_, misses)| misses)
            .collect();
        let classes = self.0.first().map_or(0, Vec::len);
        let mut sums = vec![0u8; classes];
        for misses in known {
            sums.iter_mut().zip(misses).for_each(|(sum, miss)| *sum = sum.saturating_add(*miss));
        }
        let least = sums.iter().copied().min().unwrap_or(0);
        (0u32..).zip(&sums).filter(|(_, sum)| **sum == least).map(|(class, _)| class).collect()
    }
}
