//! Mondrian.

use super::{REPORTED_COST, TIME_LIMIT, TableCost};
use crate::declare::{Accepts, Declaration, Key, KeyKind, Subject};
use crate::typed::{choices, method};
use std::time::Duration;

method! {
    /// Partitioning from the top.
    pub struct Mondrian {
        /// The cost that is reported first.
        pub cost: TableCost,
        /// Whether records with equal values stay together.
        pub partitioning: Partitioning,
        /// How numeric columns are split.
        pub numbers: Numbers,
        /// How long the search may take.
        pub time_limit: Option<Duration>,
    }
    of DECLARATION
}

choices! {
    /// Whether records with equal values stay together.
    pub enum Partitioning {
        /// They do.
        Strict = "strict",
        /// They may be parted at the median.
        Relaxed = "relaxed",
    }
}

choices! {
    /// How numeric columns are split.
    pub enum Numbers {
        /// At medians, into ranges.
        Ranges = "ranges",
        /// Along their hierarchy, like categories.
        Hierarchy = "hierarchy",
    }
}

/// `[method] name = "mondrian"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[Accepts::of(super::ABOUT_CLASSES)],
    name: "mondrian",
    source: "K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006",
    summary: "multi-dimensional partitioning from the top: small classes, quickly",
    help: "Splits the table again and again along its widest column, numbers at the median and categories along their \
           hierarchy, while every part meets the policy. Numbers are released as ranges. Not optimal, but far finer \
           than full-domain levels, and quick on millions of records.",
    keys: &[REPORTED_COST, PARTITIONING, NUMBERS, TIME_LIMIT],
};

pub(crate) const PARTITIONING: Key = Key::with_default(
    "partitioning",
    KeyKind::Choice(Partitioning::WORDS),
    "strict",
    "strict keeps records with equal values together; relaxed may part them at the median",
);

pub(crate) const NUMBERS: Key = Key::with_default(
    "numbers",
    KeyKind::Choice(Numbers::WORDS),
    "ranges",
    "whether numeric columns are split at medians into ranges, or along their hierarchy like categories",
);
