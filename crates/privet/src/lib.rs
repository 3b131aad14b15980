//! Privet publishes data about people without publishing the people.

pub mod data;
mod error;
mod exact;
pub mod policy;
pub mod release;
pub mod taxonomy;

pub use error::{Error, ErrorKind, Result};
pub use exact::Exact;
