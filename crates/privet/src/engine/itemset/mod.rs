//! Itemsets over an item tree: which combinations of items occur too rarely or tell too much, and which are frequent.

mod field;
mod guard;
mod mine;
pub mod patterns;
pub mod rows;
pub mod spread;

pub use mine::{Effort, Ended, Miner, Power, Threat};
