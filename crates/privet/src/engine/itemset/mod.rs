//! Itemsets over an item tree: which combinations of items occur too rarely or tell too much.

mod field;
mod guard;
mod mine;
pub mod rows;

pub use mine::{Effort, Ended, Miner, Power, Threat};
