//! Suppression search: which occurrences of terms (a term of one record) to remove from a group so that it meets its
//! requirements, at the least cost.
//!
//! The space is a set-enumeration tree over the occurrences: a node is a set of removed ones, its children remove one more
//! out of its *tail*, and the tail of a child holds what comes after it. Whatever the order of each tail, every set is
//! reached once. The search goes depth first. At a node it tries each occurrence of the tail once and orders them by gain
//! per cost, best first, so that the first dive is the greedy answer; what follows improves on it until the tree is done
//! (the answer is then the best there is) or the budget is spent. A node whose cost cannot beat the best is left out, and
//! so is one that differs from an earlier one only by the names of records that are alike.
//!
//! In a large group the first dive is a poor answer and the tree far too large to correct it in time. So quick first answers
//! ([`TermRemovalSearch::start`]) and the answers of the group's parts ([`from_parts`]) come before it.
//!
//! Trying a removal costs a few operations on bitsets of labels and a look at the likeliest labels: see [`State`].

mod cost;
mod divide;
mod goal;
mod search;
mod starts;
mod state;
mod strip;
#[cfg(test)]
pub(crate) mod tests;

pub use cost::Prices;
pub use divide::{Nested, from_parts};
pub use goal::Goal;
pub use search::{Answer, Budget, Order, Removals, TermRemovalSearch};
pub use state::{Standing, State};
pub use strip::stripped;

use crate::privacy::quasi_sensitive::Links;

/// A record of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The terms that take part in linking, by number in [`Links`], rising.
    pub terms: Vec<u32>,
    /// How many terms the record has, also those that take no part.
    pub weight: u32,
}

/// A group and what it must meet.
#[derive(Debug)]
pub struct Problem<'a> {
    /// What terms reveal.
    pub links: &'a Links,
    /// What must hold.
    pub goal: &'a Goal,
    /// What removing a term costs.
    pub prices: &'a Prices,
    /// The group's records.
    pub members: Vec<Member>,
}
