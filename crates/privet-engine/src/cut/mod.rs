//! The search for the best *cut*: one cut per taxonomy, out of as many as there are ways to stop on the way down.
//!
//! A cut of a tree holds exactly one node of every path from the root to a leaf. The search works on *intervals* of
//! cuts: some nodes must be opened, some may not be, the others are free. A problem gives, for an interval, a bound on
//! the cost of all its cuts, and for each free node the bound when it is opened and when it is locked; from these the
//! search fixes what it can and branches on what it cannot.
//!
//! l+-Optimize runs on it; any method whose solutions are cuts can. Next to it is the thesis' own search through the cut
//! enumeration tree.

pub mod enumeration;
pub mod forest;
pub mod interval;
pub mod programme;
pub mod search;
#[cfg(test)]
pub(crate) mod tests;

pub use forest::{Cut, Forest, Tree};
pub use interval::{Interval, Place};
pub use programme::Programme;
pub use search::{Bounds, CutOutcome, CutProblem, Effort, Limits, Step, WarmPart, search};
pub use search::{Incumbents, note};

/// A cost in whole units of its problem. Bounds may be negative; costs of cuts are not.
pub type Amount = i128;

/// The cost of what is not allowed. Sums of it stay in range.
pub const FORBIDDEN: Amount = 1 << 122;

/// The sum of two amounts, where anything forbidden stays forbidden.
pub fn plus(one: Amount, other: Amount) -> Amount {
    if one >= FORBIDDEN || other >= FORBIDDEN { FORBIDDEN } else { one + other }
}
