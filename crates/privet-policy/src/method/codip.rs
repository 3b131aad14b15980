//! CODIP and CODIP*.

use super::{COST, TIME_LIMIT};
use crate::check::{PolicyColumn, Role};
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::typed::{choices, method};
use privet_core::{Error, Result};
use std::time::Duration;

/// What the tables themselves may be asked for, in addition to what is asked of the plan.
pub(crate) const TAKES: &[Accepts] = &[
    Accepts::once(&["projection"]),
    Accepts::some(&["k-anonymity", "l-diversity", "l-plus-diversity", "t-closeness", "n-t-closeness"]),
];

method! {
    /// Several tables by merging those that reveal most about each other.
    pub struct CodipStar {
        /// Whether a merge that breaks a limit is followed by the next best one.
        pub persist: bool,
        /// What each table should lose least of.
        pub cost: ProjectionCost,
        /// Of how many best anonymisations of a table one is drawn.
        pub break_minimality: Option<u64>,
    }
    of STAR
}

method! {
    /// Several tables by the best plan of all.
    pub struct Codip {
        /// What each table should lose least of.
        pub cost: ProjectionCost,
        /// Of how many best anonymisations of a table one is drawn.
        pub break_minimality: Option<u64>,
        /// How long the search may take.
        pub time_limit: Option<Duration>,
    }
    of CODIP
}

choices! {
    /// What each table should lose least of.
    pub enum ProjectionCost {
        /// The discernibility metric.
        Dm = "DM",
        /// The loss metric.
        Lm = "LM",
    }
}

/// Refuses a single sensitive attribute, which has nothing to be kept apart from. A column of sets has as many as its sets have
/// items, which only the data show.
pub(super) fn check_columns(method: &str, columns: &[PolicyColumn]) -> Result<()> {
    let mut sensitive = columns.iter().filter(|column| column.role == Some(Role::Sensitive));
    let found = match (sensitive.next(), sensitive.next()) {
        (None, _) => "there is none".to_string(),
        (Some(only), None) if only.separator.is_none() => format!("there is only '{}'", only.name),
        _ => return Ok(()),
    };
    Err(Error::input(format!("method \"{method}\" needs at least two sensitive attributes, and {found}"))
        .help("set role = \"sensitive\" for more columns, or use method \"full-domain\""))
}

/// `[method] name = "codip-star"`.
pub static STAR: Declaration = Declaration {
    publishes: ReleaseKind::Projections,
    role: None,
    accepts: TAKES,
    name: "codip-star",
    source: "Y. Fang, M. Z. Ashrafi, S. K. Ng: Privacy beyond Single Sensitive Attribute. DEXA 2011",
    summary: "several tables with disjoint sensitive columns, with those together that reveal most about each other",
    help: "Starts with a table per sensitive column and merges the two whose columns reveal most about each other, as long as \
           every table can be anonymised and the exposure stays within beta. Each table has all quasi-identifiers, \
           generalised to one level each, and is shuffled on its own.",
    keys: &[
        Key::with_default(
            "persist",
            KeyKind::Flag,
            "false",
            "whether a merge that breaks a limit is followed by the next best one instead of the end",
        ),
        TABLE_COST,
        BREAK_MINIMALITY,
    ],
};

/// `[method] name = "codip"`.
pub static CODIP: Declaration = Declaration {
    publishes: ReleaseKind::Projections,
    role: None,
    accepts: TAKES,
    name: "codip",
    source: "Y. Fang, M. Z. Ashrafi, S. K. Ng: Privacy beyond Single Sensitive Attribute. DEXA 2011",
    summary: "several tables with disjoint sensitive columns, the plan of least association loss of all",
    help: "Looks for the plan that loses least association of all plans within beta whose tables can be anonymised. Up to \
           about ten sensitive attributes the best is found and proven; beyond, the best so far is returned with what is \
           proven about it.",
    keys: &[TABLE_COST, BREAK_MINIMALITY, TIME_LIMIT],
};

pub(crate) const TABLE_COST: Key = Key {
    kind: KeyKind::Choice(ProjectionCost::WORDS),
    default: Some("DM"),
    help: "what each table should lose least of: DM or LM",
    ..COST
};

const BREAK_MINIMALITY: Key = Key::optional(
    "break_minimality",
    KeyKind::Count(2),
    "publish each table at one of this many best vectors of levels, drawn by the seed, so that nobody can reason from the \
     best one",
);
