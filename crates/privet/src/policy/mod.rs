//! What the publisher wants: a TOML file, checked once, at the door.
//!
//! [`Policy`] is the file as written; [`CheckedPolicy`] is the policy as understood: the data is there, every column
//! exists, every hierarchy is a tree, every threshold is a number. Methods and audits take only the checked kind.

mod check;
mod declare;
pub mod draft;
mod file;

pub use check::parse_duration;
pub use check::{CheckedPolicy, Clause, DataKind, OnMissing, PolicyColumn, Role, Setting, Settings};
pub use declare::{Catalogue, Declaration, Key, KeyKind};
pub use file::Policy;
