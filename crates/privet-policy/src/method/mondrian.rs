//! Mondrian.

use super::{REPORTED_COST, TIME_LIMIT};
use crate::declare::{Accepts, Declaration, Key, KeyKind, Subject};

/// `[method] name = "mondrian"`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: &[Accepts::of(super::ABOUT_CLASSES)],
    name: "mondrian",
    summary: "multi-dimensional partitioning from the top: small classes, quickly",
    help: "Splits the table again and again along its widest column, numbers at the median and categories along their \
           hierarchy, while every part meets the policy. Numbers are released as ranges. Not optimal, but far finer \
           than full-domain levels, and quick on millions of records.",
    keys: &[REPORTED_COST, PARTITIONING, NUMBERS, TIME_LIMIT],
};

pub(crate) const PARTITIONING: Key = Key::with_default(
    "partitioning",
    KeyKind::Choice(&["strict", "relaxed"]),
    "strict",
    "strict keeps records with equal values together; relaxed may part them at the median",
);

pub(crate) const NUMBERS: Key = Key::with_default(
    "numbers",
    KeyKind::Choice(&["ranges", "hierarchy"]),
    "ranges",
    "whether numeric columns are split at medians into ranges, or along their hierarchy like categories",
);
