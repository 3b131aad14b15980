//! OG and mOG.

use super::{ITEM_COST, TIME_LIMIT};
use crate::declare::{Accepts, Declaration, Key, KeyKind, Subject};

/// `[method] name = "og"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[Accepts::of(super::ABOUT_TRANSACTIONS)],
    name: "og",
    summary: "the cut of the item tree that loses least of all that meet the requirement, proven",
    help: "Optimal generalisation (Liu, 2010). Every item is published as its ancestor in one cut of the hierarchy, the same \
           in all transactions; sensitive items stay as they are, nothing is suppressed. Of all cuts that leave no threat \
           within the adversary's power it finds one of least cost and proves it. With a time limit it publishes the best \
           valid cut found by then and says how far it may be from the optimum.",
    keys: &[
        ITEM_COST,
        Key::with_default(
            "search",
            KeyKind::Choice(&["conflicts", "enumeration"]),
            "conflicts",
            "enumeration: the thesis' own search over itemsets and cuts, for comparison; much slower",
        ),
        Key::with_default(
            "phase",
            KeyKind::Choice(&["auto", "eager", "lazy"]),
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
    summary: "og in rounds of growing power: valid, and often but not always the optimum",
    help: "OG in rounds (Liu, 2010): first against adversaries who know one item, then two, … m items, then one absence … n \
           absences, each round on the release of the one before. Every round is optimal for itself; together they may \
           generalise more than og does.",
    keys: &[ITEM_COST],
};
