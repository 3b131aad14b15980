//! From a decision to a published release.

mod account;
mod again;
mod apply;
pub mod baselines;
mod book;
mod buckets;
mod caution;
pub mod cluster;
mod confidence;
mod crowd;
mod freeform;
mod holdout;
mod lettering;
mod links;
mod lkc;
mod manifest;
mod opened;
mod people;
mod pipeline;
mod projections;
mod recoded;
mod rooms;
mod run;
mod scan;
mod shuffle;
mod side_by_side;
mod steps;
mod suppression;
mod target;
#[cfg(test)]
mod tests;
mod transactions;
mod turns;
mod veil;
mod vocabularies;
mod why;

pub(crate) use account::requirement;
pub use again::{EarlierPlan, apply_plan};
pub use book::{attack_by_ledger, released_files};
pub use lettering::about_released;
pub use opened::{OpenRelease, open_release};
pub use pipeline::Staged;
pub use run::{
    Published, RunOptions, anonymize, anonymize_any, anonymize_transactions, anonymize_vocabularies,
    rewrite_report,
};
pub use side_by_side::BeforeAfter;
pub use steps::{Applied, Decision, apply, attack, audit, decide, decide_by_plan, publish, stage};
pub use target::clear_away;
pub use why::{Explanation, Questioned, explain_release};

use privet_policy::requirement::OnSuppression;
use privet_policy::{CheckedPolicy, PolicyColumn, Requirement};
use privet_report as report;

/// Whether a column appears in the release.
fn is_published(column: &PolicyColumn) -> bool {
    column.is_published()
}

/// Whether nothing public may say how many records were left out: a class that vanished tells that its people are in the data.
fn hides_suppressed(policy: &CheckedPolicy) -> bool {
    policy.requirements.iter().any(|asked| {
        matches!(asked, Requirement::DeltaPresence(presence) if presence.on_suppression == OnSuppression::Ignore)
    })
}
