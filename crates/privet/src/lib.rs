//! Privet publishes data about people without publishing the people.

pub mod data;
mod error;
mod exact;
pub mod example;
pub mod policy;
pub mod taxonomy;

pub use error::{Error, ErrorKind, Result};
pub use exact::Exact;
