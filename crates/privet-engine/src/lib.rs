//! The machinery that methods share: a method's own file should read like its paper's section.

pub mod baskets;
pub mod conflict;
pub mod cut;
pub mod groupings;
pub mod heads;
pub mod itemset;
pub mod lattice;
pub mod local;
pub mod loss;
pub mod matching;
pub mod microdata;
pub mod negative_rules;
pub mod numbering;
pub mod partition;
mod powers;
pub mod privacy;
pub mod rewriting;
pub mod risk;
pub mod rollup;
pub mod standing;
pub mod suppression;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs)]
pub mod testing;
