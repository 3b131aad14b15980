//! A policy for transactions, as understood.

use std::path::PathBuf;
use std::sync::Arc;

use super::file::Policy;
use super::settings::Clause;
use crate::data::TransactionSource;
use crate::taxonomy::ItemTree;

/// A policy for transactions as understood: only this kind can run.
#[derive(Debug, Clone)]
pub struct TransactionPolicy {
    /// The policy as written.
    pub written: Policy,
    /// The secret that every random choice derives from, if the policy has one.
    pub seed: Option<u64>,
    /// The data.
    pub source: TransactionSource,
    /// How items generalise; `None` where the policy names no hierarchy: then every item is a child of `*`.
    pub tree: Option<Arc<ItemTree>>,
    /// The hierarchy file.
    pub hierarchy_path: Option<PathBuf>,
    /// The sensitive items, in alphabetical order.
    pub sensitive: Vec<String>,
    /// What the release must guarantee.
    pub requirements: Vec<Clause>,
    /// How the release is made.
    pub method: Clause,
}
