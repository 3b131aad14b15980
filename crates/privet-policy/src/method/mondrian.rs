//! Mondrian.

use super::{CUTS, Checked, Cuts, REFINE, REPORTED_COST, SET_SUPPRESSION, TIME_LIMIT, TableCost};
use crate::check::{PolicyColumn, Role};
use crate::declare::{Accepts, Condition, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::requirement::Requirement;
use crate::typed::{choices, method};
use privet_core::{Error, Exact};
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
        /// What cells show of their class, where the column does not say it.
        pub labels: Option<Labels>,
        /// How columns with sets as labels are split.
        pub splits: Splits,
        /// Whether some children of a node may form classes of their own, next to the rest.
        pub refine: bool,
        /// How the items of a column of sets are generalised.
        pub cuts: Option<Cuts>,
        /// The largest share of these items that may be removed.
        pub item_suppression_limit: Option<Exact>,
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
    /// What a cell shows of its class.
    pub enum Labels {
        /// The lowest node of the hierarchy above all values of the class.
        Hierarchy = "hierarchy",
        /// For numbers the range of the class; for others the node.
        Ranges = "ranges",
        /// For numbers the range of the class; for others the set of values that occur in it.
        Sets = "sets",
    }
}

choices! {
    /// How columns with sets as labels are split.
    pub enum Splits {
        /// Into the children of a node, where there is a hierarchy.
        Hierarchy = "hierarchy",
        /// Anywhere, by the least summed loss.
        Free = "free",
    }
}

impl Mondrian {
    /// What the cells of a column show of their class.
    pub fn labels_of(&self, column: &PolicyColumn) -> Labels {
        let by_numbers = match self.numbers {
            Numbers::Ranges => Labels::Ranges,
            Numbers::Hierarchy => Labels::Hierarchy,
        };
        column.labels.or(self.labels).unwrap_or(by_numbers)
    }

    /// Whether a column is cut anywhere, unless its values are numbers: with sets as labels, where the policy says so and
    /// where no hierarchy says where.
    pub fn cuts_freely(&self, column: &PolicyColumn) -> bool {
        self.labels_of(column) == Labels::Sets && (self.splits == Splits::Free || column.hierarchy.is_none())
    }

    /// Refuses keys that contradict each other.
    pub(super) fn check(&self, columns: &[PolicyColumn], requirements: &[Requirement]) -> Checked {
        let strict = "set partitioning = \"strict\", which is the default";
        let presence = requirements.iter().find(|asked| matches!(asked, Requirement::DeltaPresence(_)));
        if let Some(presence) = presence {
            let wrong =
                format!("[privacy.{}] needs classes whose cells have nobody in common", presence.name());
            if self.partitioning == Partitioning::Relaxed {
                return Err(("partitioning", Error::input(wrong).help(strict)));
            }
            if self.refine {
                return Err((
                    "refine",
                    Error::input(wrong).help("remove 'refine', or choose another requirement"),
                ));
            }
            let quasi = columns.iter().filter(|column| column.role == Some(Role::QuasiIdentifier));
            if let Some(column) = quasi.into_iter().find(|column| self.cuts_freely(column)) {
                let help = format!("choose other labels for '{}'", column.name);
                return Err(("labels", Error::input(wrong).help(help)));
            }
        }
        if self.splits == Splits::Free {
            if self.partitioning == Partitioning::Relaxed {
                let wrong = "splits = \"free\" cuts between values and parts no records at a median";
                return Err(("splits", Error::input(wrong).help(strict)));
            }
            let quasi = columns.iter().filter(|column| column.role == Some(Role::QuasiIdentifier));
            if quasi.into_iter().all(|column| self.labels_of(column) != Labels::Sets) {
                let wrong = "splits = \"free\" is for columns with sets as labels, and there is none";
                let help = "set labels = \"sets\" in [method] or for a column, or remove 'splits'";
                return Err(("splits", Error::input(wrong).help(help)));
            }
        }
        if self.refine && self.partitioning == Partitioning::Relaxed {
            let wrong =
                "refine keeps records with equal values together, which partitioning = \"relaxed\" does not";
            return Err(("refine", Error::input(wrong).help(strict)));
        }
        Ok(())
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
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[
        Accepts::of(super::ABOUT_CLASSES),
        Accepts::of(&["beta-likeness"]),
        Accepts::of(&["kl-privacy"]),
        Accepts::of(&["qs-diversity", "qs-closeness"]).because(super::ABOUT_TERMS),
        // Parts that look alike become one class, and without closure under union that class may fail.
        Accepts::of(&["delta-disclosure"]).with(&[Condition::OneOf("absent", &["violates"])]),
        Accepts::of(super::ABOUT_POPULATION),
    ],
    name: "mondrian",
    source: "K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006",
    summary: "multi-dimensional partitioning from the top: small classes, quickly",
    help: "Splits the table again and again along its widest column, numbers at the median and categories along their \
           hierarchy, while every part meets the policy. Numbers are released as ranges. Not optimal, but far finer \
           than full-domain levels, and quick on millions of records.",
    keys: &[REPORTED_COST, PARTITIONING, NUMBERS, LABELS, SPLITS, REFINE, CUTS, SET_SUPPRESSION, TIME_LIMIT],
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

const LABELS: Key = Key::optional(
    "labels",
    KeyKind::Choice(Labels::WORDS),
    "what cells show: nodes of the hierarchy, ranges of numbers, or sets of the values that occur in the class; a column \
     may have labels of its own; without it, 'numbers' decides for numbers and others show nodes",
);

const SPLITS: Key = Key::with_default(
    "splits",
    KeyKind::Choice(Splits::WORDS),
    "hierarchy",
    "whether columns with sets as labels are split along their hierarchy, or anywhere by the least summed loss; without a \
     hierarchy they are always split freely",
);
