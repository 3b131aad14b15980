//! Groups by Mondrian, then removal of terms.

use super::TIME_LIMIT;
use super::mondrian::{NUMBERS, PARTITIONING};
use crate::declare::{Accepts, Declaration, Key, KeyKind, Subject};

/// `[method] name = "quasi-sensitive"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Terms,
    accepts: &[Accepts::once(&["qs-diversity", "qs-closeness"]), Accepts::of(super::ABOUT_CLASSES)],
    name: "quasi-sensitive",
    summary: "groups by Mondrian, then removes as few terms as it can, so that a public table reveals little",
    help: "Puts the records into groups by Mondrian, then removes single occurrences of terms from the quasi-sensitive \
           column, in each group that fails, until what its terms reveal by the knowledge file meets the policy. The search \
           has an answer soon and improves it until it is proven the best or the time limit is reached.",
    keys: &[
        PARTITIONING,
        NUMBERS,
        Key::with_default(
            "search",
            KeyKind::Choice(&["adaptive", "dfs"]),
            "adaptive",
            "adaptive tries the most promising removals first; dfs takes them as they come: a baseline",
        ),
        Key::with_default(
            "infeasible",
            KeyKind::Choice(&["merge", "suppress", "fail"]),
            "merge",
            "what becomes of a group that no removal can save: joined with its sibling, withheld, or the run fails",
        ),
        Key { default: Some("10s"), ..TIME_LIMIT },
    ],
};
