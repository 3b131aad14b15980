//! Attacks on a finished release, one file each, all with the same form: what the attacker knows, what they do, how
//! often that succeeds, and how often they would have been right without it.
//!
//! An audit says whether a promise holds. An attack says what somebody can do who knows more than the promise
//! assumes; its figures are for the steward only.
//!
//! Attacks see the policy, the original and the released files, never the memory of the run or the code that made the
//! release. Where they need the meaning of a requirement, they use the definitions of the audit.
//!
//! [`attack`] runs the chosen ones of [`ATTACKS`] on a [`Scene`]: the policy with its original, the released files,
//! and what else the attacker may have. It gives a [`Finding`] for each that was run and a reason for each that was
//! not.

mod background_join;
mod belief;
mod budget;
mod columns;
pub mod composition;
mod container;
mod crowds;
mod definetti;
mod doubts;
mod downcoding;
mod finding;
mod fingerprint;
mod follow;
pub mod freeform;
mod groups;
mod haystack;
mod homogeneity;
mod horizon;
pub mod label_linking;
mod linking;
mod membership;
mod minimality;
mod negative_rules;
mod people;
mod predicate;
mod query_terms;
mod record_prints;
mod registry;
mod row_order;
mod scene;
mod set_linking;
mod shown;
mod similarity;
mod skewness;
mod suppression;
#[cfg(test)]
mod testing;
mod transactions;
mod undeclared;
mod view;
mod wp29;
mod xy_linkability;

pub use budget::Budget;
pub use definetti::guessed;
pub use finding::{Figure, Finding};
pub use groups::{KnownAttribute, KnownPeople};
pub use privet_audit::released::Released;
pub use privet_policy::PolicyRef;
pub use registry::{ATTACKS, Attack, Attacks, Choice, NotRun, Threat, attack};
pub use scene::{BaselineRelease, Limits, OtherRelease, Scene};
