//! Both methods against known answers and against brute force.

mod naive;
mod properties;
mod vectors;
