//! Height: how many levels up the release went (Samarati, 2001).
//!
//! Without suppression it is the sum of the levels; in general the mean over records, a suppressed record counting the
//! highest level of every column. Only defined where values have levels: not for ranges of numbers.

use super::cells::{CellPrices, Fraction, Presentation};
use super::{Frame, Info, precision};
use privet_core::Result;

pub static INFO: Info = Info {
    name: "height",
    formula: "mean over records of Σ over quasi-identifiers of the generalisation level; a suppressed record counts the highest levels",
    range: "0 to the sum of the highest levels",
    smaller_is_better: true,
};

pub(super) fn prices(frame: &Frame) -> Result<CellPrices> {
    let levels = precision::levels(frame, INFO.name)?;
    let columns =
        levels.iter().map(|cells| cells.iter().map(|(level, _)| Fraction::Ratio(*level, 1)).collect());
    let suppressed = levels.iter().map(|cells| Fraction::Ratio(precision::highest(cells), 1)).collect();
    Ok(CellPrices::new(columns.collect(), suppressed, Presentation::Mean))
}
