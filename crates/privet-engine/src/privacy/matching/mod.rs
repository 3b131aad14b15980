//! Matching l-diversity (Li and Li, *Injector*, ICDE 2008): what stays possible for a record in a group when the
//! adversary knows which values are out of the question for whom.
//!
//! A release shows the records of a group exactly, and next to them how often each sensitive value occurs in the group.
//! Draw an edge from a record to every occurrence of a value that the record may have. A value is *valid* for a record
//! iff some perfect matching gives it to the record; a group is matching l-diverse iff each of its records has at least l
//! valid values. Counting the values that are not excluded is not enough: with one woman who has ovarian cancer and l men
//! with l common diseases every record has l of them, yet only the woman can have hers.
//!
//! Where the adversary's rules have exceptions in the data, a record may also have what it really has.

mod feasible;
#[cfg(test)]
mod figure_one;
mod graph;
mod posterior;
#[cfg(test)]
mod tests;

pub use feasible::{Feasibility, judge, peel};
pub use graph::{Components, ValueGraph};
pub use posterior::{MOST_STATES, Member, Posterior, posterior_table, posteriors};

use privet_core::{Exact, ValueSet};
use privet_policy::requirement::MatchingLDiversity;

/// Matching l-diversity as a policy asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchingDiversity {
    /// The sensitive column's position in the data.
    pub column: usize,
    /// How many values must stay possible.
    pub l: usize,
    /// The most that an adversary may become sure of a value.
    pub max_posterior: Option<Exact>,
}

impl MatchingDiversity {
    /// What a requirement asks for.
    pub fn of(asked: &MatchingLDiversity) -> MatchingDiversity {
        let MatchingLDiversity { column, l, max_posterior } = *asked;
        MatchingDiversity { column, l: usize::try_from(l).unwrap_or(usize::MAX), max_posterior }
    }
}

/// Records that are alike as far as groups go: they have the same value and may have the same values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind {
    /// What the records have.
    pub value: u32,
    /// What is out of the question for them, by the adversary's rules.
    pub excluded: ValueSet,
}

impl Kind {
    /// What the records may have, out of this many values: what no rule excludes, and what they have.
    pub fn allowed(&self, values: usize) -> ValueSet {
        let mut allowed = ValueSet::all(values);
        allowed.subtract(&self.excluded);
        allowed.insert(self.value);
        allowed
    }
}
