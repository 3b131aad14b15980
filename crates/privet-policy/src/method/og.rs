//! OG and mOG.

use super::{Checked, ITEM_COST, ItemCost, TIME_LIMIT};
use crate::declare::{Accepts, Declaration, Key, KeyKind, Subject};
use crate::typed::{choices, method};
use privet_core::{Error, Exact};
use std::time::Duration;

method! {
    /// The cheapest cut of the item tree.
    pub struct Og {
        /// What the release should lose least of.
        pub cost: ItemCost,
        /// How the cut is searched for.
        pub search: ItemSearch,
        /// When threats are looked for.
        pub phase: Phase,
        /// How much worse than the optimum the answer may be.
        pub alpha: Exact,
        /// How long the search may take.
        pub time_limit: Option<Duration>,
    }
    of DECLARATION
}

method! {
    /// The same in rounds.
    pub struct Mog {
        /// What the release should lose least of.
        pub cost: ItemCost,
    }
    of MULTI_ROUND
}

choices! {
    /// How the cut is searched for.
    pub enum ItemSearch {
        /// By what cuts conflict with.
        Conflicts = "conflicts",
        /// The thesis' own search over itemsets and cuts.
        Enumeration = "enumeration",
    }
}

choices! {
    /// When threats are looked for.
    pub enum Phase {
        /// As the data suggest.
        Auto = "auto",
        /// All of them first.
        Eager = "eager",
        /// Only those of the best cut so far.
        Lazy = "lazy",
    }
}

impl Og {
    /// Refuses keys that contradict each other.
    pub(super) fn check(&self) -> Checked {
        if self.search == ItemSearch::Enumeration && self.phase != Phase::Auto {
            let wrong = "'phase' means nothing to search = \"enumeration\"";
            return Err(("phase", Error::input(wrong).help("remove it, or set search = \"conflicts\"")));
        }
        Ok(())
    }
}

/// `[method] name = "og"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[Accepts::of(super::ABOUT_TRANSACTIONS)],
    name: "og",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "the cut of the item tree that loses least of all that meet the requirement, proven",
    help: "Optimal generalisation (Liu, 2010). Every item is published as its ancestor in one cut of the hierarchy, the same \
           in all transactions; sensitive items stay as they are, nothing is suppressed. Of all cuts that leave no threat \
           within the adversary's power it finds one of least cost and proves it. With a time limit it publishes the best \
           valid cut found by then and says how far it may be from the optimum.",
    keys: &[
        ITEM_COST,
        Key::with_default(
            "search",
            KeyKind::Choice(ItemSearch::WORDS),
            "conflicts",
            "enumeration: the thesis' own search over itemsets and cuts, for comparison; much slower",
        ),
        Key::with_default(
            "phase",
            KeyKind::Choice(Phase::WORDS),
            "auto",
            "when to look for threats: eager, all of them first; lazy, only those of the best cut so far; auto, both",
        ),
        Key::with_default(
            "alpha",
            KeyKind::Exact("0", ""),
            "0",
            "how much worse than the optimum the answer may be, as in 0.05 for 5 %",
        ),
        TIME_LIMIT,
    ],
};

/// `[method] name = "mog"`.
pub static MULTI_ROUND: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[Accepts::of(super::ABOUT_TRANSACTIONS)],
    name: "mog",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "og in rounds of growing power: valid, and often but not always the optimum",
    help: "OG in rounds (Liu, 2010): first against adversaries who know one item, then two, … m items, then one absence … n \
           absences, each round on the release of the one before. Every round is optimal for itself; together they may \
           generalise more than og does.",
    keys: &[ITEM_COST],
};
