//! Groups by Mondrian, then removal of terms.

use super::TIME_LIMIT;
use super::mondrian::{NUMBERS, Numbers, PARTITIONING, Partitioning};
use crate::check::Role;
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, method};
use std::time::Duration;

method! {
    /// Groups by Mondrian, then removal of terms.
    pub struct QuasiSensitive {
        /// Whether records with equal values stay together.
        pub partitioning: Partitioning,
        /// How numeric columns are split.
        pub numbers: Numbers,
        /// In which order removals are tried.
        pub search: RemovalSearch,
        /// What becomes of a group that no removal can save.
        pub infeasible: WayOut,
        /// How long the search may take.
        pub time_limit: Option<Duration>,
    }
    of DECLARATION
}

choices! {
    /// In which order removals are tried.
    pub enum RemovalSearch {
        /// The most promising first.
        Adaptive = "adaptive",
        /// As they come.
        Dfs = "dfs",
    }
}

choices! {
    /// What becomes of a group that no removal can save.
    pub enum WayOut {
        /// It is joined with its sibling.
        Merge = "merge",
        /// It is withheld.
        Suppress = "suppress",
        /// The run fails.
        Fail = "fail",
    }
}

/// `[method] name = "quasi-sensitive"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: Some(Role::QuasiSensitive),
    accepts: &[Accepts::once(&["qs-diversity", "qs-closeness"]), Accepts::of(super::ABOUT_CLASSES)],
    name: "quasi-sensitive",
    source: "P. Shi, L. Xiong, B. Fung: Anonymizing Data with Quasi-Sensitive Attribute Values. CIKM 2010",
    summary: "groups by Mondrian, then removes as few terms as it can, so that a public table reveals little",
    help: "Puts the records into groups by Mondrian, then removes single occurrences of terms from the quasi-sensitive \
           column, in each group that fails, until what its terms reveal by the knowledge file meets the policy. The search \
           has an answer soon and improves it until it is proven the best or the time limit is reached.",
    keys: &[
        PARTITIONING,
        NUMBERS,
        Key::with_default(
            "search",
            KeyKind::Choice(RemovalSearch::WORDS),
            "adaptive",
            "adaptive tries the most promising removals first; dfs takes them as they come: a baseline",
        ),
        Key::with_default(
            "infeasible",
            KeyKind::Choice(WayOut::WORDS),
            "merge",
            "what becomes of a group that no removal can save: joined with its sibling, withheld, or the run fails",
        ),
        Key { default: Some("10s"), ..TIME_LIMIT },
    ],
};
