//! Negative rules: somebody who knows which values are out of the question for whom works out what remains.
//!
//! Men do not have ovarian cancer. In a group of l diseases such knowledge rules some out for some people, and what is
//! ruled out for one falls to another. The adversary knows everybody's quasi-identifiers, hence everybody's group, and
//! rules from one of three places: all rules without exception that the original data would teach him, those that the
//! release itself teaches, or a list that the steward states.
//!
//! What stays *valid* for a person is exact (`infer`): a value is, iff some assignment of the group's values that agrees with
//! the rules gives it to him. How likely each is is exact for small groups, and an estimate for others.

mod infer;
mod mined;
#[cfg(test)]
mod tests;

pub(crate) use infer::{Inferred, infer};
pub(crate) use mined::{from_release, from_source, from_statements};
