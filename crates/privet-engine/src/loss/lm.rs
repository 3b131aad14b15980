//! LM, the loss metric (Iyengar, 2002): how much of its domain each released cell covers.
//!
//! A cell that stands for m of a column's M leaves costs (m − 1)/(M − 1), a range of numbers its width over the
//! column's; a suppressed record costs the number of quasi-identifiers, as if every cell were the root.

use super::cells::{CellPrices, Extent, Fraction};
use super::{Frame, Info};
use privet_core::Result;

pub static INFO: Info = Info {
    name: "LM",
    formula: "Σ over records and quasi-identifiers of (leaves covered − 1)/(leaves − 1); a suppressed record counts 1 per quasi-identifier",
    range: "0 to records × quasi-identifiers",
    smaller_is_better: true,
};

pub(super) fn prices(frame: &Frame) -> Result<CellPrices> {
    Ok(CellPrices::by_extent(frame, |extent| match extent {
        Extent::Leaves(_, all) if all <= 1 => Fraction::Ratio(0, 1),
        Extent::Leaves(covered, all) => Fraction::Ratio(covered - 1, all - 1),
        Extent::Span(share) => Fraction::real(share),
    }))
}
