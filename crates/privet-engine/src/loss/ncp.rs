//! NCP, the normalised certainty penalty (Xu et al., 2006).
//!
//! A cell that stands for one leaf costs nothing, one that stands for m > 1 of M leaves costs m/M, a range of numbers its
//! width over the column's; a suppressed record costs the number of quasi-identifiers.

use super::cells::{CellPrices, Extent, Fraction};
use super::{Frame, Info};
use privet_core::Result;

pub static INFO: Info = Info {
    name: "NCP",
    formula: "Σ over records and quasi-identifiers of leaves covered/leaves (0 for a single leaf); a suppressed record counts 1 per quasi-identifier",
    range: "0 to records × quasi-identifiers",
    smaller_is_better: true,
};

pub(super) fn prices(frame: &Frame) -> Result<CellPrices> {
    Ok(CellPrices::by_extent(frame, |extent| match extent {
        Extent::Leaves(covered, _) if covered <= 1 => Fraction::Ratio(0, 1),
        Extent::Leaves(covered, all) => Fraction::Ratio(covered, all),
        Extent::Span(share) => Fraction::real(share),
    }))
}
