//! From a decision to a published release.

mod account;
mod apply;
mod book;
mod buckets;
mod caution;
mod confidence;
mod crowd;
mod freeform;
mod holdout;
mod lettering;
mod links;
mod links_and_pipes;
mod manifest;
mod opened;
mod people;
mod projections;
pub mod report;
mod rooms;
mod run;
mod scan;
mod shuffle;
mod suppression;
mod target;
#[cfg(test)]
mod tests;
mod transactions;
mod turns;
mod veil;
mod vocabularies;

pub use book::{attack_by_ledger, released_files};
pub use buckets::audit_bucket_files;
pub use lettering::about_released;
pub use opened::{OpenRelease, open_release};
pub use projections::audit_projection_files;
pub use run::{Published, RunOptions, anonymize, anonymize_any, audit_release, rewrite_report};
pub use target::clear_away;
pub use transactions::anonymize_transactions;
pub use vocabularies::{anonymize_vocabularies, audit_vocabulary_file};

use privet_policy::{PolicyColumn, Role};

/// Whether a column appears in the release.
fn is_published(column: &PolicyColumn) -> bool {
    !matches!(column.role, None | Some(Role::Identifier))
}
