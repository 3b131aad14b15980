//! What the audit takes requirements to mean, for others who judge releases without the code that made them.

pub use super::value_sets::set_members;

pub use super::notion::{
    ClassRequirements, LabelIndex, LabelRequirements, LinkedRecords, MixedNode, OriginalColumn, mixed_nodes,
    thresholds,
};
