//! l+-Optimize.

use super::TIME_LIMIT;
use crate::declare::{Accepts, Declaration, Key, KeyKind, Subject};

/// `[method] name = "l-plus-optimize"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[Accepts::once(&["l-plus-diversity"]), Accepts::of(&["k-anonymity"])],
    name: "l-plus-optimize",
    summary: "the optimal cut through every taxonomy under l+-diversity, with five ways to suppress, proven",
    help: "Each quasi-identifier gets a cut through its taxonomy: nodes that together cover every value once, at any \
           levels. Of all cuts of all columns together, the one of least cost is found and proven, where a class that \
           violates a threshold pays for what the suppression scheme does to it.",
    keys: &[
        SUPPRESSION,
        COST,
        COST_VALUE,
        COST_RECORD,
        Key::with_default(
            "approximation",
            KeyKind::Exact("0", "1000"),
            "0",
            "how far above the optimum the answer may be: 0.01 for one per cent",
        ),
        Key::with_default("top", KeyKind::Count(1), "1", "how many of the best cuts are looked for"),
        Key::with_default(
            "break_minimality",
            KeyKind::FlagOrCount(2),
            "false",
            "publish one of so many best cuts (true: of the top ones), drawn by the seed, so that nobody can reason from the \
             best one",
        ),
        SEARCH,
        ORDER,
        TIGHTEN,
        TIME_LIMIT,
    ],
};

pub(crate) const SUPPRESSION: Key = Key::with_default(
    "suppression",
    KeyKind::Choice(SCHEMES),
    "all-rec",
    "what happens to a class that violates a threshold: none, all-rec, vio-rec, all-sa or vio-sa",
);

pub(crate) const COST: Key = Key::with_default(
    "cost",
    KeyKind::Choice(COSTS),
    "LM",
    "what the release should lose least of: LM, DM or CM",
);

pub(crate) const COST_VALUE: Key = Key::optional(
    "cost_value",
    KeyKind::Exact("0", "1000000"),
    "what a suppressed sensitive cell costs under LM; the number of quasi-identifiers when left out",
);

pub(crate) const COST_RECORD: Key = Key::optional(
    "cost_record",
    KeyKind::Exact("0", "1000000"),
    "what a suppressed record costs under LM; twice the number of quasi-identifiers when left out",
);

pub(crate) const SEARCH: Key = Key::with_default(
    "search",
    KeyKind::Choice(&["interval", "enumeration"]),
    "interval",
    "how the best cut is searched for: on intervals of cuts, or by the thesis' enumeration tree, for comparison",
);

pub(crate) const ORDER: Key = Key::with_default(
    "order",
    KeyKind::Choice(&["descending", "ascending"]),
    "descending",
    "for search = \"enumeration\": whether values of many or of few records are specialised first",
);

pub(crate) const TIGHTEN: Key = Key::with_default(
    "tighten",
    KeyKind::Flag,
    "true",
    "for search = \"enumeration\": bound a cut anew each time one of its values has been locked",
);

/// What may happen to a class that violates a threshold (section 3.3 of the thesis).
pub const SCHEMES: &[&str] = &["none", "all-rec", "vio-rec", "all-sa", "vio-sa"];

/// What the search can lose least of.
pub const COSTS: &[&str] = &["LM", "DM", "CM"];
