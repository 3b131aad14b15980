//! Privet publishes data about people without publishing the people.

pub mod audit;
pub mod data;
pub mod engine;
mod error;
mod exact;
pub mod example;
pub mod loss;
pub mod method;
pub mod policy;
pub mod privacy;
pub mod release;
pub mod taxonomy;

pub use error::{Error, ErrorKind, Result};
pub use exact::Exact;
