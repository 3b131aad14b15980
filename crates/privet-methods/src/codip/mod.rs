//! CODIP and CODIP* (Fang, Ashrafi and Ng): complete disjoint projections of a table with many sensitive attributes.
//!
//! With several sensitive attributes in one table, closeness is hard to reach for all of them at once, and an attacker
//! who knows one of a person's attributes can join it with the table and read the others. So several tables are
//! published. Each has all quasi-identifiers and some of the sensitive attributes, each attribute is in one table, and
//! each table is anonymised on its own. Attributes that are strongly associated belong together: an attacker who knows
//! one of them learns little new, and separating them would lose much.
//!
//! - `attributes`: the sensitive attributes, after the bitmap transformation;
//! - `ratios`: mutual information of all pairs, and from it association loss Γα and information exposure Γβ of any plan;
//! - `tables`: which sets of attributes can be anonymised, and at which cost (`frontier` stores what is known of it);
//! - `star`: CODIP*, greedy; `exhaustive`: CODIP, the best plan of all;
//! - `suppression`: people who do not fit an earlier plan.

mod attributes;
mod decide;
mod exhaustive;
mod frontier;
mod ratios;
mod star;
mod suppression;
mod tables;
#[cfg(test)]
pub(crate) mod tests;

pub use attributes::{SensitiveAttribute, attributes};
pub use decide::{
    Improvement, ProjectedTable, ProjectionDecision, ProjectionSettings, apply_plan, decide, solve, suppress,
};
pub use exhaustive::{ExhaustivePlan, MOST_STEPS, search};
pub use ratios::{PairInformation, ProjectionPlan};
pub use star::{AcceptsPlan, GreedyPlan, merge, path};
pub use tables::ProjectedTables;
