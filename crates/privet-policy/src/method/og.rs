//! OG and mOG.

use super::{Checked, ITEM_COST, ItemCost, TIME_LIMIT};
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::requirement::ItemRequirement;
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
        /// The largest share of item occurrences that may be removed.
        pub item_suppression_limit: Exact,
        /// The largest share of transactions that may be removed.
        pub suppression_limit: Exact,
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
        /// The largest share of item occurrences that may be removed.
        pub item_suppression_limit: Exact,
        /// The largest share of transactions that may be removed.
        pub suppression_limit: Exact,
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
        let limits = ItemLimits { items: self.item_suppression_limit, transactions: self.suppression_limit };
        if let Some(key) = limits.key().filter(|_| self.search == ItemSearch::Enumeration) {
            let wrong = format!("search = \"enumeration\" cannot use '{key}': it suppresses nothing");
            return Err(("search", Error::input(wrong).help(format!("remove '{key}', or remove 'search'"))));
        }
        Ok(())
    }
}

/// How much of set-valued data may be suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemLimits {
    /// The largest share of item occurrences.
    pub items: Exact,
    /// The largest share of transactions.
    pub transactions: Exact,
}

impl ItemLimits {
    /// Nothing may be suppressed.
    pub const NONE: ItemLimits = ItemLimits { items: Exact::ZERO, transactions: Exact::ZERO };

    /// The first key that allows suppression.
    pub(super) fn key(self) -> Option<&'static str> {
        let keys = [("item_suppression_limit", self.items), ("suppression_limit", self.transactions)];
        keys.into_iter().find(|(_, limit)| *limit > Exact::ZERO).map(|(key, _)| key)
    }

    /// Refuses suppression where an adversary may know absences: what is suppressed looks absent (thesis, 4.6.1).
    pub(super) fn check(self, requirements: &[ItemRequirement]) -> Checked {
        let Some(key) = self.key() else { return Ok(()) };
        let Some(asked) = requirements.iter().find(|asked| asked.knows_absences()) else { return Ok(()) };
        let wrong = format!(
            "'{key}' contradicts [privacy.{}]: its adversary knows absent items, and a suppressed item looks absent",
            asked.name()
        );
        let help = match asked {
            ItemRequirement::KlPrivacy(_) => format!("set n = 0, or remove '{key}'"),
            _ => format!("remove '{key}', or ask for kl-privacy with n = 0 or for km-anonymity"),
        };
        Err((key, Error::input(wrong).help(help)))
    }
}

/// How much of all item occurrences may be removed.
const ITEM_SUPPRESSION_LIMIT: Key = Key::with_default(
    "item_suppression_limit",
    KeyKind::Exact("0", "1"),
    "0",
    "the largest share of item occurrences that may be removed, as in 0.01: some items, or groups of them, are then \
     removed from all transactions; only where no adversary knows absent items (n = 0)",
);

/// How many transactions may be removed.
const SUPPRESSION_LIMIT: Key = Key::with_default(
    "suppression_limit",
    KeyKind::Exact("0", "1"),
    "0",
    "the largest share of transactions that may be removed, as in 0.01; only where no adversary knows absent items (n = 0)",
);

/// `[method] name = "og"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[Accepts::of(super::ABOUT_TRANSACTIONS)],
    name: "og",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "the cut of the item tree that loses least of all that meet the requirement, proven",
    help: "Optimal generalisation (Liu, 2010). Every item is published as its ancestor in one cut of the hierarchy, the same \
           in all transactions; sensitive items stay as they are. Of all cuts that leave no threat within the adversary's \
           power it finds one of least cost and proves it. Nothing is suppressed unless a limit allows it: then a few \
           rare items, or transactions, no longer force everything else to be generalised. With a time limit it publishes the best \
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
        ITEM_SUPPRESSION_LIMIT,
        SUPPRESSION_LIMIT,
        TIME_LIMIT,
    ],
};

/// `[method] name = "mog"`.
pub static MULTI_ROUND: Declaration = Declaration {
    publishes: ReleaseKind::Transactions,
    role: None,
    accepts: &[Accepts::of(super::ABOUT_TRANSACTIONS)],
    name: "mog",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "og in rounds of growing power: valid, and often but not always the optimum",
    help: "OG in rounds (Liu, 2010): first against adversaries who know one item, then two, … m items, then one absence … n \
           absences, each round on the release of the one before. Every round is optimal for itself; together they may \
           generalise more than og does.",
    keys: &[ITEM_COST, ITEM_SUPPRESSION_LIMIT, SUPPRESSION_LIMIT],
};
