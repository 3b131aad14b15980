//! What leaves the house, and what is filed about it.

pub mod report;
