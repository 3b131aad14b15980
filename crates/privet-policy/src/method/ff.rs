//! FF-anonymisation, top-down and optimal.

use super::TIME_LIMIT;
use crate::check::Role;
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, method};
use std::time::Duration;

pub(crate) const TAKES: &[Accepts] = &[Accepts::once(&["ff-anonymity"]), Accepts::of(&["k-anonymity"])];

method! {
    /// Cuts that nothing can be specialised in further.
    pub struct Ff {
        /// What the release should lose least of.
        pub cost: FreeformCost,
        /// Whether k-anonymous and l-diverse versions of the table are attacked too.
        pub compare: bool,
    }
    of DECLARATION
}

method! {
    /// The cuts of least cost.
    pub struct FfOptimal {
        /// What the release should lose least of.
        pub cost: FreeformCost,
        /// Whether k-anonymous and l-diverse versions of the table are attacked too.
        pub compare: bool,
        /// How long the search may take.
        pub time_limit: Option<Duration>,
    }
    of OPTIMAL
}

choices! {
    /// What the release should lose least of.
    pub enum FreeformCost {
        /// The loss metric.
        Lm = "LM",
    }
}

/// `[method] name = "ff"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::Mixed),
    accepts: TAKES,
    name: "ff",
    source: "K. Wang, Y. Xu, A. Fu, R. Wong: FF-Anonymity: When Quasi-Identifiers Are Missing. ICDE 2009",
    summary: "the most specific cuts that a top-down search reaches under FF-anonymity; nothing can be specialised further",
    help: "Each mixed column gets a cut through its hierarchy. Starting from the roots, the value whose specialisation gains \
           most is specialised, as long as that adds no breach, and leaves no class below k where [privacy.k-anonymity] asks for it, until no value is \
           left for which it could be: the release is minimal. What is gained is LM, or information about the class column if there is one.",
    keys: &[COST, COMPARE],
};

/// `[method] name = "ff-optimal"`.
pub static OPTIMAL: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::Mixed),
    accepts: TAKES,
    name: "ff-optimal",
    source: "K. Wang, Y. Xu, A. Fu, R. Wong: FF-Anonymity: When Quasi-Identifiers Are Missing. ICDE 2009",
    summary: "the cuts of least cost under FF-anonymity, proven",
    help: "Of all cuts of all mixed columns together that have no breach, and no class below k where [privacy.k-anonymity] asks \
           for it, the one of least LM is found and proven. When the \
           time limit is over, the best so far is published with what is proven about it.",
    keys: &[COST, COMPARE, TIME_LIMIT],
};

pub(crate) const COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(FreeformCost::WORDS),
    "LM",
    "what the release should lose least of: LM",
);

pub(crate) const COMPARE: Key = Key::with_default(
    "compare",
    KeyKind::Flag,
    "false",
    "attack a k-anonymous and l-diverse versions of the table too, and report what they leave open",
);
