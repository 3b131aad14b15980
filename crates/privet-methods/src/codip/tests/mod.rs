//! Both methods against known answers and against brute force.

pub(crate) mod generated;
mod naive;
mod properties;
mod vectors;
