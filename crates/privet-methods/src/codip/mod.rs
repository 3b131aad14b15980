//! CODIP and CODIP* (Fang, Ashrafi and Ng): complete disjoint projections of a table with many sensitive attributes.
//!
//! With several sensitive attributes in one table, closeness is hard to reach for all of them at once, and whoever knows one
//! of a person's attributes can join it with the table and read the others. So several tables are published: each has all
//! quasi-identifiers and some of the sensitive attributes, each attribute is in one table, and each table is anonymised on
//! its own. Attributes that tell much about each other belong together: little is new to whoever knows one of them, and
//! much would be lost by parting them.
//!
//! - `attributes`: the sensitive attributes, after the bitmap transformation;
//! - `ratios`: mutual information of all pairs, and from it association loss Γα and information exposure Γβ of any plan;
//! - `tables`: which sets of attributes can be anonymised, and how at the least cost (`frontier`: what is known of it);
//! - `star`: CODIP*, greedy; `exhaustive`: CODIP, the best plan of all.

mod attributes;
mod decide;
mod exhaustive;
mod frontier;
mod ratios;
mod star;
mod tables;
#[cfg(test)]
pub(crate) mod tests;

pub use attributes::{Attribute, attributes};
pub use decide::{Asked, Decision, Improvement, Projected, decide, solve};
pub use exhaustive::{Found, MOST_STEPS, search};
pub use ratios::{Plan, Ratios};
pub use star::{Accepts, Merged, merge, path};
pub use tables::Tables;
