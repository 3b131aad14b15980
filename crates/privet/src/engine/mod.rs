//! The machinery that methods share: a method's own file should read like its paper's section.

pub mod baskets;
pub mod clock;
pub mod conflict;
pub mod cpu;
pub mod cut;
pub mod groupings;
pub mod heads;
pub mod itemset;
pub mod lattice;
pub mod local;
pub mod matching;
pub mod microdata;
pub mod negative_rules;
pub(crate) mod numbering;
pub mod partition;
pub mod rollup;
pub mod suppression;
