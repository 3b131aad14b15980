//! Equivalence classes: released records with the same released quasi-identifiers.

use super::table::{Dictionary, Table, Tuples};
use privet_core::Result;

/// The classes of a release.
pub(super) struct Classes {
    /// The distinct combinations of released cells, with the number of records.
    pub cells: Tuples,
    /// The distinct released records, class by class.
    members: Vec<u32>,
    /// Where each class begins in `members`, and the end of the last.
    starts: Vec<usize>,
}

/// How often each value occurs in one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Histogram {
    /// The number of records.
    pub size: u64,
    /// Values, by number, with how often they occur.
    pub counts: Vec<(u32, u64)>,
}

impl Classes {
    /// Puts the released records into their classes.
    pub fn of(release: &Table) -> Result<Classes> {
        let (cells, class_of) = release.records.beginnings(release.quasi.len())?;
        let mut members: Vec<u32> = release.records.ids().collect();
        members.sort_by_key(|id| class_of[*id as usize]);
        let mut starts = vec![0];
        for class in cells.ids() {
            let start = starts[class as usize];
            let size = members[start..].partition_point(|id| class_of[*id as usize] == class);
            starts.push(start + size);
        }
        Ok(Classes { cells, members, starts })
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The distinct released records of a class.
    pub fn members(&self, class: u32) -> &[u32] {
        &self.members[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    /// How often each value of a column (by its place in the records' tuples) occurs in a class.
    pub fn histogram(&self, class: u32, column: usize, records: &Tuples) -> Histogram {
        let mut values: Vec<(u32, u64)> =
            self.members(class).iter().map(|id| (records.get(*id)[column], records.count(*id))).collect();
        values.sort_unstable();
        let mut counts: Vec<(u32, u64)> = Vec::new();
        for (value, count) in values {
            match counts.last_mut() {
                Some(last) if last.0 == value => last.1 += count,
                _ => counts.push((value, count)),
            }
        }
        Histogram { size: self.cells.count(class), counts }
    }

    /// A class in words: its released cells.
    pub fn describe(&self, class: u32, names: &[&str], columns: &[Dictionary]) -> String {
        let cells = self.cells.get(class).iter().zip(columns).zip(names);
        let parts: Vec<String> =
            cells.map(|((cell, column), name)| format!("{name} = {}", column.text(*cell))).collect();
        if parts.is_empty() { "the whole table".to_string() } else { parts.join(", ") }
    }
}
