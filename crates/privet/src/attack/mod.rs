//! Attacks on a finished release, one file each, all of the same shape: what the adversary knows, what he does, how
//! often that succeeds, and how often he would have been right without it.
//!
//! An audit says whether a promise holds. An attack says what somebody can do who knows more than the promise assumes;
//! its figures are for the steward alone.

pub mod composition;
mod definetti;
pub mod freeform;
mod horizon;
mod known;
pub mod linking;
pub mod projections;
mod suppression;

pub use known::{ATTACKS, KnownAttack, Outcome, Scene, attack};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::engine::baskets::Baskets;
use crate::engine::clock::Clock;
use crate::engine::microdata::Microdata;
use crate::engine::negative_rules::Observations;
use crate::method::injector::Grouping;
use crate::method::kl::recoding::ItemRecoding;
use crate::method::recoding::Recoding;
use crate::policy::{CheckedPolicy, Subject};
use crate::privacy::kl::KlPrivacy;

/// What an attack found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The attack's name.
    pub name: String,
    /// What the adversary knows beside the release.
    pub knows: String,
    /// What he does with it.
    pub does: String,
    /// What the figures rest on.
    pub assumes: String,
    /// How often he succeeds.
    pub figures: Vec<Figure>,
    /// The finding in one sentence, for somebody about to publish; empty where there is nothing to warn of.
    pub warning: String,
}

/// How often an adversary succeeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// What counts as a success.
    pub what: String,
    /// How many he can try.
    pub targets: u64,
    /// How many succeed.
    pub hits: u64,
    /// How many would succeed without the attack.
    pub baseline: u64,
    /// What he does then instead.
    pub instead: String,
}

impl Finding {
    /// Whether the adversary succeeded in something to warn of.
    pub fn succeeds(&self) -> bool {
        !self.warning.is_empty() && self.figures.iter().any(|figure| figure.hits > 0)
    }
}

impl Figure {
    /// The share of targets that are hit; 0 where there are none.
    pub fn share(&self) -> f64 {
        self.hits as f64 / self.targets.max(1) as f64
    }
}

/// Runs every attack that concerns the policy. The recoding's open choices have been drawn.
pub fn run(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    recoding: &Recoding,
    clock: &Clock,
) -> Result<Vec<Finding>> {
    if policy.subject() == Subject::Freeform {
        return freeform::run(policy, microdata, recoding, clock);
    }
    Ok(suppression::run(policy, microdata, recoding)?.into_iter().collect())
}

/// Runs every attack on released transactions: one more item than each requirement assumes, and items known at random.
pub fn run_transactions(
    baskets: &Baskets,
    recoding: &ItemRecoding,
    requirements: &[KlPrivacy],
    seed: u64,
) -> Result<Vec<Finding>> {
    Ok(horizon::run(baskets, recoding, requirements, seed))
}

/// Runs every attack on records in groups that promise l possible values.
pub fn run_groups(observations: &Observations, grouping: &Grouping, l: usize) -> Vec<Finding> {
    vec![definetti::run(observations, grouping, l)]
}
