//! How the cells of a column are to be read, and what a column shows about that.

mod dates;
mod detect;
mod months;
mod numbers;
pub(crate) mod unknown;

pub use dates::{DateFormat, FIRST_YEAR, ReadDate};
pub use detect::{Counted, DateColumn, NumberColumn};
pub use numbers::{NumberFormat, is_zero_padded};

use crate::summary::parse_number;
use crate::{Batch, Origin, SourceColumn};
use privet_core::{Error, Result, echoed};

/// How the cells of a column are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// As dates, which become ISO dates.
    Date(DateFormat),
    /// As numbers, which become plain decimal numbers.
    Number(NumberFormat),
    /// As plain decimal numbers, which stay as they are written.
    PlainNumber,
    /// As ISO dates, which stay as they are written.
    PlainDate,
}

impl Reading {
    /// What a cell means; `None` where it cannot be read so.
    pub fn read(&self, cell: &str) -> Option<String> {
        match self {
            Reading::Date(format) => format.read(cell).map(|date| date.to_string()),
            Reading::Number(format) => format.read(cell),
            Reading::PlainNumber => parse_number(cell).map(|_| cell.to_string()),
            Reading::PlainDate => {
                let iso = ["%F", "%+"].map(DateFormat::parse);
                iso.iter().flatten().find_map(|format| format.read(cell)).map(|_| cell.to_string())
            }
        }
    }

    /// What its cells are, in words.
    fn noun(&self) -> String {
        match self {
            Reading::PlainNumber => "a number, though `type` says so".to_string(),
            Reading::PlainDate => {
                "an ISO date, though `type` says date and nothing says another form".to_string()
            }
            Reading::Date(format) => format!("a date of the form {}", format.pattern()),
            Reading::Number(format) => {
                let unit = format.unit().map(|unit| format!(" and the unit {unit}")).unwrap_or_default();
                format!("a number with the decimal sign '{}'{unit}", format.decimal())
            }
        }
    }
}

/// How some columns of a table are read.
#[derive(Debug)]
pub(crate) struct Readings {
    /// By their positions in the batches.
    columns: Vec<(usize, Reading)>,
    /// Spellings of a missing value, which stay as they are.
    missing: Vec<String>,
}

impl Readings {
    pub(crate) fn new(columns: Vec<(usize, Reading)>, missing: &[String]) -> Readings {
        Readings { columns, missing: missing.to_vec() }
    }

    /// Reads a batch. Empty cells and missing values stay as they are; any other cell that cannot be read is an error.
    pub(crate) fn read(&self, batch: Batch, names: &[SourceColumn], origin: &Origin) -> Result<Batch> {
        let mut readings: Vec<Option<&Reading>> = vec![None; names.len()];
        for (column, reading) in &self.columns {
            readings[*column] = Some(reading);
        }
        batch.rewritten(&mut |row, column, cell| {
            let Some(reading) = readings[column] else { return Ok(None) };
            if cell.is_empty() || self.missing.iter().any(|spelling| spelling == cell) {
                return Ok(None);
            }
            reading.read(cell).map(Some).ok_or_else(|| {
                let name = &names[column].name;
                Error::input(format!("'{}' in column '{name}' is not {}", echoed(cell), reading.noun()))
                    .in_file(origin)
                    .at_line(batch.line(row))
                    .help("correct the cell, or the column's format; a spelling of a missing value belongs in `missing` in [data]")
            })
        })
    }
}
