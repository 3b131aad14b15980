//! Sets of nodes of an item tree and how many transactions hold them: frequent ones, and those that occur too rarely or tell
//! too much.

mod bits;
mod field;
mod general;
mod guard;
mod lookup;
mod marks;
mod mine;
pub mod patterns;
pub mod rows;
pub mod spread;
mod whole;
mod worker;

pub use field::{Layout, Scope};
pub use lookup::Lookup;
pub use mine::{Effort, Ended, Miner, Power, Threat};
