//! Precision (Sweeney, 2002): how far below the roots the released cells are.
//!
//! Prec = 1 − mean over cells of level/highest level; a suppressed record counts as all roots. Only defined where values
//! have levels: not for ranges of numbers.

use super::cells::{CellPrices, Fraction, Presentation};
use super::{Frame, Info};
use privet_core::{Error, Result};

pub static INFO: Info = Info {
    name: "precision",
    formula: "1 − mean over records and quasi-identifiers of level/highest level; a suppressed record counts 1 per quasi-identifier",
    range: "0 to 1, larger is better",
    smaller_is_better: false,
};

pub(super) fn prices(frame: &Frame) -> Result<CellPrices> {
    let levels = levels(frame, INFO.name)?;
    let price = |(level, highest): &(u64, u64)| Fraction::Ratio(*level, (*highest).max(1));
    let columns = levels.iter().map(|cells| cells.iter().map(price).collect()).collect();
    let suppressed = vec![Fraction::Ratio(1, 1); levels.len()];
    Ok(CellPrices::new(columns, suppressed, Presentation::Complement))
}

/// The levels of all cells, or why there are none.
pub(super) fn levels(frame: &Frame, name: &str) -> Result<Vec<Vec<(u64, u64)>>> {
    let levels: Option<Vec<Vec<(u64, u64)>>> =
        frame.columns.iter().map(|cells| cells.iter().map(|cell| cell.level).collect()).collect();
    levels.ok_or_else(|| {
        Error::input(format!("{name} counts generalisation levels, and ranges of numbers have none"))
            .help("use LM or NCP, or method full-domain")
    })
}

/// The highest level of a column.
pub(super) fn highest(cells: &[(u64, u64)]) -> u64 {
    cells.first().map_or(0, |(_, highest)| *highest)
}
