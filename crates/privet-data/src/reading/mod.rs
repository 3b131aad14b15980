//! How the cells of a column are to be read, and what a column shows about that.

mod dates;
mod detect;
mod months;
mod numbers;
pub(crate) mod unknown;

pub use dates::{DateFormat, FIRST_YEAR, ReadDate};
pub use detect::{Counted, DateColumn, NumberColumn};
pub use numbers::{NumberFormat, is_zero_padded};
