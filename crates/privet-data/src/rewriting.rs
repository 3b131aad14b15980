//! Cells that get another text on their way out of a table: bounds for numbers, pseudonyms for names.

use std::fmt;
use std::sync::Arc;

use super::cells::Batch;
use super::counts::CountColumn;
use super::origin::Origin;
use privet_core::Result;

/// Gives cells of a table another text. Whatever reads the table afterwards finds that text alone.
///
/// An implementor promises: the text depends on the row alone, so that every reading of a table gives the same cells.
pub trait Rewrite: fmt::Debug + Send + Sync {
    /// The columns whose cells may get another text, by position.
    fn columns(&self) -> Vec<usize>;

    /// The text for a cell of such a column; `None` if it stays as it is. The file and the line are added to an error.
    fn text(&self, row: &RowCells<'_>, column: usize) -> Result<Option<String>>;
}

/// The cells of one row, by the positions of their columns.
#[derive(Debug)]
pub struct RowCells<'a> {
    batch: &'a Batch,
    row: usize,
    places: &'a [usize],
}

impl RowCells<'_> {
    /// The text of a cell before anything was rewritten.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn cell(&self, column: usize) -> &str {
        self.batch.cell(self.row, self.places[column])
    }
}

/// How a source rewrites its rows.
#[derive(Debug)]
pub(crate) struct Rewriting {
    rewrite: Arc<dyn Rewrite>,
    /// For each column of the batches, which of the table's columns it is, if its cells may get another text.
    concerned: Vec<Option<usize>>,
    /// Where each column of the table is in the batches.
    places: Vec<usize>,
}

impl Rewriting {
    pub(crate) fn new(
        rewrite: Arc<dyn Rewrite>,
        columns: usize,
        counts: Option<&CountColumn>,
        stored: usize,
    ) -> Rewriting {
        let place = |column: usize| counts.map_or(column, |counts| counts.position(column));
        let places: Vec<usize> = (0..columns).map(place).collect();
        let mut concerned = vec![None; stored];
        rewrite.columns().into_iter().for_each(|column| concerned[places[column]] = Some(column));
        Rewriting { rewrite, concerned, places }
    }

    pub(crate) fn read(&self, batch: &Batch, origin: &Origin) -> Result<Batch> {
        batch.rewritten(&mut |row, stored, _| {
            let Some(column) = self.concerned[stored] else { return Ok(None) };
            let cells = RowCells { batch, row, places: &self.places };
            self.rewrite.text(&cells, column).map_err(|error| error.in_file(origin).at_line(batch.line(row)))
        })
    }
}
