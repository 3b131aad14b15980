//! The ground that every crate of Privet stands on: errors that say what to change, exact numbers, sets of values, seeds, the
//! clock of a run, and files that appear whole or not at all.

pub mod clock;
pub mod cpu;
mod decimal;
mod digest;
mod error;
mod exact;
pub mod hash;
pub mod lists;
pub mod place;
pub mod platform;
pub mod random;
pub mod secret;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod value_set;
pub mod visible;
mod words;

pub use decimal::Decimal;
pub use digest::Digest;
pub use error::{Error, ErrorKind, MORE_MEMORY, Result};
pub use exact::Exact;
pub use random::RunKey;
pub use secret::Secret;
pub use value_set::ValueSet;
pub use words::{
    counted, described, echoed, nearest, noun, ordinal, quoted, shortened, shortened_values, suggestion,
    thousands,
};
