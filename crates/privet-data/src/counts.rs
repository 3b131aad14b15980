//! Tables by their distinct rows: a column says how often each row is there.

use super::Batch;
use super::cells::BATCH_ROWS;
use super::origin::Origin;
use super::source::SourceColumn;
use privet_core::{Error, Result};

/// The column with the counts.
#[derive(Debug)]
pub(super) struct CountColumn {
    column: usize,
    name: String,
    others: Vec<SourceColumn>,
}

impl CountColumn {
    pub(super) fn new(column: usize, columns: &[SourceColumn]) -> CountColumn {
        let mut others = columns.to_vec();
        let name = others.remove(column).name;
        CountColumn { column, name, others }
    }

    /// The other columns.
    pub(super) fn others(&self) -> &[SourceColumn] {
        &self.others
    }

    /// The position in the table, with the counts, of a column of the others.
    pub(super) fn position(&self, column: usize) -> usize {
        column + usize::from(column >= self.column)
    }

    /// How often each row is there.
    pub(super) fn of(&self, batch: &Batch, origin: &Origin) -> Result<Vec<u64>> {
        let count = |row| batch.cell(row, self.column).parse().ok().filter(|count| *count > 0);
        let none = |row| {
            Error::input(format!("the row has no count in '{}'", self.name))
                .in_file(origin)
                .at_line(batch.line(row))
                .help("a count is a whole number from 1 on")
        };
        (0..batch.rows()).map(|row| count(row).ok_or_else(|| none(row))).collect()
    }

    /// The rows without their counts.
    pub(super) fn stripped(&self, batch: &Batch) -> Batch {
        batch.taken(0..batch.rows(), Some(self.column))
    }

    /// Hands every row over as often as it is there, in batches of the usual size.
    pub(super) fn repeated(
        &self,
        batch: &Batch,
        times: &[u64],
        each: &mut dyn FnMut(Batch) -> Result<()>,
    ) -> Result<()> {
        let mut rows = Vec::with_capacity(BATCH_ROWS);
        for (row, times) in times.iter().enumerate() {
            for _ in 0..*times {
                rows.push(row);
                if rows.len() == BATCH_ROWS {
                    each(batch.taken(rows.drain(..), Some(self.column)))?;
                }
            }
        }
        if rows.is_empty() { Ok(()) } else { each(batch.taken(rows.into_iter(), Some(self.column))) }
    }
}
