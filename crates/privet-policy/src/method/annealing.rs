//! Simulated annealing over cuts.

use super::l_plus::{COST, COST_RECORD, COST_VALUE, LPlusCost, SUPPRESSION, Scheme};
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::method;
use privet_core::Exact;
use std::time::Duration;

method! {
    /// A random walk over the cuts of l-plus-optimize.
    pub struct SimulatedAnnealing {
        /// What happens to a class that violates a threshold.
        pub suppression: Scheme,
        /// What the release should lose least of.
        pub cost: LPlusCost,
        /// What a suppressed sensitive cell costs under LM; left out: the number of quasi-identifiers.
        pub cost_value: Option<Exact>,
        /// What a suppressed record costs under LM; left out: twice the number of quasi-identifiers.
        pub cost_record: Option<Exact>,
        /// How long the search takes.
        pub time_limit: Option<Duration>,
        /// How many moves are tried, instead of as many as the time allows.
        pub steps: Option<u64>,
    }
    of DECLARATION
}

/// `[method] name = "simulated-annealing"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[Accepts::once(&["l-plus-diversity"]), Accepts::of(&["k-anonymity"])],
    name: "simulated-annealing",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "a good cut through every taxonomy under l+-diversity by simulated annealing, without proof",
    help: "A random walk over the cuts of l-plus-optimize, with the same costs and suppression schemes: each move opens \
           or closes one value, and moves for the worse are taken less and less often. It is there to compare with; \
           l-plus-optimize finds the optimum and proves it.",
    keys: &[SUPPRESSION, COST, COST_VALUE, COST_RECORD, TIME_LIMIT, STEPS],
};

pub(crate) const TIME_LIMIT: Key = Key::optional(
    "time_limit",
    KeyKind::Duration,
    "how long the search takes, as in \"30s\"; 10 seconds when neither this nor steps is given",
);

pub(crate) const STEPS: Key = Key::optional(
    "steps",
    KeyKind::Count(1),
    "how many moves are tried, instead of as many as the time allows; the seed then decides the result",
);
