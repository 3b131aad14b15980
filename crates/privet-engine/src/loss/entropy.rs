//! Non-uniform entropy (Gionis and Tassa, 2009): how many bits about the original values are gone.
//!
//! With n_v records of value v and n_c records covered by the released cell c, a cell costs log2(n_c/n_v); a suppressed
//! one log2(n/n_v). The part −Σ n_v log2 n_v does not depend on the release: it is taken off once as an offset.

use super::cells::{CellPrices, Fraction, Presentation};
use super::{Frame, Info};
use privet_core::Result;

pub static INFO: Info = Info {
    name: "entropy",
    formula: "Σ over records and quasi-identifiers of log2(records covered by the cell/records with the value); a suppressed cell covers all",
    range: "0 to records × Σ of the columns' entropies, in bits",
    smaller_is_better: true,
};

pub(super) fn prices(frame: &Frame) -> Result<CellPrices> {
    let price = |records: u64| Fraction::Fixed(log2(records));
    let columns =
        frame.columns.iter().map(|cells| cells.iter().map(|cell| price(cell.records)).collect()).collect();
    let suppressed = vec![price(frame.records); frame.columns.len()];
    let offset = frame.values.iter().flatten().map(|records| log2(*records) * u128::from(*records)).sum();
    Ok(CellPrices::new(columns, suppressed, Presentation::Sum).with_offset(offset))
}

/// log2 with 64 binary digits after the point, rounded down: repeated squaring on integers, the same on every machine.
pub(super) fn log2(number: u64) -> u128 {
    if number <= 1 {
        return 0;
    }
    let whole = number.ilog2();
    let mut digits = u128::from(whole);
    // A number from 1 to 2 with 63 binary digits after the point.
    let mut mantissa = u128::from(number) << (63 - whole);
    for _ in 0..64 {
        mantissa = (mantissa * mantissa) >> 63;
        digits <<= 1;
        if mantissa >= 1 << 64 {
            mantissa >>= 1;
            digits |= 1;
        }
    }
    digits
}
