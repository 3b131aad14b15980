//! Rows in memory: all cells of a batch lie end to end in one text, so that no cell needs an allocation.

use super::formula::unmarked;
use privet_core::Result;

/// The rows of a batch at most.
pub(super) const BATCH_ROWS: usize = 8_192;

/// The text of a batch, in bytes, after which no further row is added to it.
pub(super) const BATCH_BYTES: usize = 1 << 20;

/// A run of consecutive rows, every cell as text.
#[derive(Debug, Default, Clone)]
pub struct Batch {
    columns: usize,
    text: String,
    /// Where in `text` each cell ends, row by row.
    ends: Vec<u32>,
    lines: Vec<u64>,
    replaced: u32,
}

impl Batch {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The texts of all cells of a row.
    pub fn cells(&self, row: usize) -> impl Iterator<Item = &str> + Clone {
        (0..self.columns).map(move |column| self.cell(row, column))
    }

    /// The text of one cell; a null of a typed file is the empty text.
    ///
    /// # Panics
    /// When there is no such row or column.
    #[inline]
    pub fn cell(&self, row: usize, column: usize) -> &str {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        let index = row * self.columns + column;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// The place of a row for messages: the line in delimited text, the row number (from 1) elsewhere.
    pub fn line(&self, row: usize) -> u64 {
        self.lines[row]
    }

    /// The length of all cells.
    pub(super) fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// Keeps the rows that satisfy something.
    pub(super) fn retain(&mut self, takes: impl Fn(usize) -> bool) {
        if (0..self.rows()).all(&takes) {
            return;
        }
        *self = self.taken((0..self.rows()).filter(|row| takes(*row)), None);
    }

    /// These rows, in this order and as often as they are named, without the cells of a column where one is given.
    pub(super) fn taken(&self, rows: impl Iterator<Item = usize>, without: Option<usize>) -> Batch {
        let mut taken = Batch { columns: self.columns, replaced: self.replaced, ..Batch::default() };
        taken.columns -= usize::from(without.is_some());
        for row in rows {
            for column in (0..self.columns).filter(|column| Some(*column) != without) {
                taken.text.push_str(self.cell(row, column));
                taken.ends.push(taken.text.len() as u32);
            }
            taken.lines.push(self.line(row));
        }
        taken
    }

    /// The same rows, where some cells have another text: `text` gets the row, the column and the cell.
    pub(super) fn rewritten(
        &self,
        text: &mut impl FnMut(usize, usize, &str) -> Result<Option<String>>,
    ) -> Result<Batch> {
        let mut rewritten = Batch { columns: self.columns, replaced: self.replaced, ..Batch::default() };
        rewritten.text.reserve(self.text.len());
        rewritten.ends.reserve(self.ends.len());
        for row in 0..self.rows() {
            for (column, cell) in self.cells(row).enumerate() {
                match text(row, column, cell)? {
                    Some(other) => rewritten.text.push_str(&other),
                    None => rewritten.text.push_str(cell),
                }
                rewritten.ends.push(rewritten.text.len() as u32);
            }
        }
        rewritten.lines.clone_from(&self.lines);
        Ok(rewritten)
    }

    /// How many cells had bytes that are not text, where these are replaced instead of refused.
    pub fn replaced(&self) -> u32 {
        self.replaced
    }
}

/// A batch that is being filled; its bytes are checked once, when it is full.
#[derive(Debug, Default)]
pub(super) struct BatchBuilder {
    pub(super) columns: usize,
    pub(super) text: Vec<u8>,
    pub(super) ends: Vec<u32>,
    pub(super) lines: Vec<u64>,
}

/// Why the bytes of a batch cannot be text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadText {
    /// A NUL byte in the row at this line.
    Nul(u64),
    /// Not UTF-8 in the row at this line.
    Encoding(u64),
}

impl BatchBuilder {
    /// An empty builder that takes over the allocations of a batch no longer needed.
    pub(super) fn recycle(batch: Batch, columns: usize) -> Self {
        let Batch { text, mut ends, mut lines, .. } = batch;
        let mut text = text.into_bytes();
        text.clear();
        ends.clear();
        lines.clear();
        BatchBuilder { columns, text, ends, lines }
    }

    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= BATCH_ROWS || self.text.len() >= BATCH_BYTES
    }

    /// Takes these bytes off the end of the current cell, if it ends with them.
    #[inline]
    pub(super) fn drop_end(&mut self, bytes: &[u8]) -> bool {
        let begins = self.ends.last().map_or(0, |end| *end as usize);
        let has = self.text.len() >= begins + bytes.len() && self.text.ends_with(bytes);
        if has {
            self.text.truncate(self.text.len() - bytes.len());
        }
        has
    }

    /// Ends the current cell.
    #[inline]
    pub(super) fn end_cell(&mut self) {
        // A batch stops growing at BATCH_BYTES and one record is limited, so the text is far below 4 GiB;
        // the readers check the size of a record before it is added.
        self.ends.push(self.text.len() as u32);
    }

    /// Ends the current cell of delimited text, without the apostrophe that marks a formula as text.
    #[inline]
    pub(super) fn end_text_cell(&mut self) {
        let begins = self.ends.last().map_or(0, |end| *end as usize);
        if self.text.get(begins) == Some(&b'\'') {
            let cell = std::str::from_utf8(&self.text[begins..]).unwrap_or_default();
            if unmarked(cell).len() < cell.len() {
                self.text.remove(begins);
            }
        }
        self.end_cell();
    }

    /// The finished batch, if its bytes are UTF-8 without NUL.
    pub(super) fn finish(self) -> std::result::Result<Batch, BadText> {
        // `contains` looks at many bytes at once; the place matters only when there is one.
        if self.text.contains(&0)
            && let Some(at) = self.text.iter().position(|&byte| byte == 0)
        {
            return Err(BadText::Nul(self.line_of(at)));
        }
        let BatchBuilder { columns, text, ends, lines } = self;
        match String::from_utf8(text) {
            Ok(text) => {
                // Halves of one character in two cells would together pass as valid.
                match ends.iter().position(|&end| !text.is_char_boundary(end as usize)) {
                    None => Ok(Batch { columns, text, ends, lines, replaced: 0 }),
                    Some(cell) => Err(BadText::Encoding(lines.get(cell / columns).copied().unwrap_or(0))),
                }
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let builder = BatchBuilder { columns, text: error.into_bytes(), ends, lines };
                Err(BadText::Encoding(builder.line_of(at)))
            }
        }
    }

    /// The finished batch; bytes that are not UTF-8 are replaced, cell by cell. NUL bytes are refused even so.
    pub(super) fn finish_lossy(self) -> std::result::Result<Batch, BadText> {
        if self.text.is_ascii() {
            return self.finish();
        }
        let (mut text, mut ends) = (Vec::with_capacity(self.text.len()), Vec::with_capacity(self.ends.len()));
        let (mut begin, mut replaced) = (0, 0);
        for end in &self.ends {
            let cell = String::from_utf8_lossy(&self.text[begin..*end as usize]);
            replaced += u32::from(matches!(cell, std::borrow::Cow::Owned(_)));
            text.extend_from_slice(cell.as_bytes());
            ends.push(text.len() as u32);
            begin = *end as usize;
        }
        let batch = BatchBuilder { text, ends, ..self }.finish()?;
        Ok(Batch { replaced, ..batch })
    }

    /// The line of the row that holds the byte at this place.
    fn line_of(&self, at: usize) -> u64 {
        let cell = self.ends.partition_point(|&end| end as usize <= at);
        self.lines.get(cell / self.columns.max(1)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder(rows: &[[&[u8]; 2]]) -> BatchBuilder {
        let mut builder = BatchBuilder { columns: 2, ..BatchBuilder::default() };
        for (number, row) in rows.iter().enumerate() {
            for cell in row {
                builder.text.extend_from_slice(cell);
                builder.end_cell();
            }
            builder.lines.push(number as u64 + 2);
        }
        builder
    }

    #[test]
    fn cells_come_back_by_row_and_column() {
        let batch = builder(&[[b"a", b""], [b"", "é".as_bytes()]]).finish().unwrap();
        assert_eq!(batch.rows(), 2);
        assert_eq!([batch.cell(0, 0), batch.cell(0, 1)], ["a", ""]);
        assert_eq!([batch.cell(1, 0), batch.cell(1, 1)], ["", "é"]);
        assert_eq!(batch.line(1), 3);
    }

    #[test]
    fn rows_are_left_out() {
        let mut batch = builder(&[[b"a", b"b"], [b"cc", b""], [b"", "é".as_bytes()]]).finish().unwrap();
        batch.retain(|row| row != 1);
        assert_eq!((batch.rows(), batch.line(0), batch.line(1)), (2, 2, 4));
        assert_eq!([batch.cell(0, 1), batch.cell(1, 0), batch.cell(1, 1)], ["b", "", "é"]);
        batch.retain(|_| false);
        assert_eq!(batch.rows(), 0);
    }

    #[test]
    fn bytes_that_are_not_text_may_be_replaced() {
        let batch = builder(&[[b"\xc3", b"\xa9b"], ["é".as_bytes(), b"d"]]).finish_lossy().unwrap();
        assert_eq!([batch.cell(0, 0), batch.cell(0, 1), batch.cell(1, 0)], ["\u{fffd}", "\u{fffd}b", "é"]);
        assert_eq!((batch.replaced(), batch.line(1)), (2, 3));
        assert_eq!(builder(&[[b"\xff", b"\0"]]).finish_lossy().unwrap_err(), BadText::Nul(2));
    }

    #[test]
    fn bytes_that_are_not_text_are_placed() {
        assert_eq!(builder(&[[b"a", b"b"], [b"c", b"\xff"]]).finish().unwrap_err(), BadText::Encoding(3));
        assert_eq!(builder(&[[b"a", b"\0"], [b"c", b"d"]]).finish().unwrap_err(), BadText::Nul(2));
        // é cut in two: valid only as long as nobody looks at the cells.
        assert_eq!(builder(&[[b"a", b"b"], [b"\xc3", b"\xa9"]]).finish().unwrap_err(), BadText::Encoding(3));
    }
}
