//! Sets of taxonomy nodes and how many transactions hold them.

pub mod patterns;
pub mod spread;
