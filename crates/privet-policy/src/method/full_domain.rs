//! Full-domain generalisation.

use super::{COST, CUTS, Checked, Cuts, REFINE, SET_SUPPRESSION, TIME_LIMIT, TableCost};
use crate::check::{PolicyColumn, Role};
use crate::declare::{Accepts, Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::requirement::{Absent, Requirement};
use crate::typed::method;
use privet_core::{Error, Exact};
use std::collections::BTreeMap;
use std::time::Duration;

method! {
    /// One level for every quasi-identifier.
    pub struct FullDomain {
        /// What the release should lose least of.
        pub cost: TableCost,
        /// The largest share of records that may be left out.
        pub suppression_limit: Exact,
        /// The lowest level that a column may be published at, by the column's position in the data.
        pub least_levels: Option<BTreeMap<usize, u64>>,
        /// Of how many best vectors one is drawn.
        pub break_minimality: Option<u64>,
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

impl FullDomain {
    /// Refuses levels that hierarchies do not have, and to leave out records where a requirement does not allow it.
    pub(super) fn check(&self, columns: &[PolicyColumn], requirements: &[Requirement]) -> Checked {
        for (column, level) in self.least_levels.iter().flatten() {
            let Some(column) = columns.get(*column) else { continue };
            // Without a hierarchy there are the values and the root.
            let top = column.hierarchy.as_ref().map_or(1, |taxonomy| taxonomy.levels() as u64 - 1);
            if *level > top {
                let name = &column.name;
                let wrong = format!(
                    "'least_levels' asks for level {level} of '{name}', whose highest level is {top}"
                );
                let help = "the hierarchy's root is its highest level";
                return Err(("least_levels", Error::input(wrong).help(help)));
            }
        }
        if self.refine {
            self.check_refine(requirements)?;
        }
        let strict = requirements.iter().find_map(|asked| Some((asked.name(), asked.why_not_suppression()?)));
        match strict.filter(|_| self.suppression_limit > Exact::ZERO) {
            None => Ok(()),
            Some((name, reason)) => {
                let wrong = format!("[privacy.{name}] is kept without suppression only: {reason}");
                let help = "remove 'suppression_limit', or set it to 0, which is the default";
                Err(("suppression_limit", Error::input(wrong).help(help)))
            }
        }
    }
}

impl FullDomain {
    /// Refuses what refined classes, which show different levels of one column, cannot keep.
    fn check_refine(&self, requirements: &[Requirement]) -> Checked {
        let levels = requirements.iter().find_map(|asked| match asked {
            Requirement::LkcPrivacy(_) | Requirement::NtCloseness(_) => Some(asked.name()),
            // Refined classes do not cover all people of the population that the class before them did.
            Requirement::DeltaPresence(_) => Some(asked.name()),
            asked if asked.is_about_release() => Some(asked.name()),
            // Refined classes that look alike become one, and together they may fail.
            Requirement::DeltaDisclosure(disclosure) if disclosure.absent == Absent::Skip => {
                Some(asked.name())
            }
            _ => None,
        });
        let wrong = match (levels, &self.least_levels, self.break_minimality) {
            (Some(name), ..) => {
                format!("[privacy.{name}] needs one level per column, and refine shows several")
            }
            (_, Some(least), _) if !least.is_empty() => {
                "refine shows finer values than the level of a column, which 'least_levels' forbids"
                    .to_string()
            }
            (_, _, Some(_)) => {
                "refine follows the data after 'break_minimality' has drawn a plan, so the draw hides \
                                nothing"
                    .to_string()
            }
            _ => return Ok(()),
        };
        Err(("refine", Error::input(wrong).help("remove one of the two")))
    }
}

/// `[method] name = "full-domain"`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[
        Accepts::of(&["k-anonymity", "l-diversity", "l-plus-diversity", "t-closeness", "n-t-closeness"]),
        Accepts::of(&["beta-likeness", "delta-disclosure"]),
        Accepts::of(super::ABOUT_POPULATION),
        Accepts::of(super::ABOUT_RELEASE).because(
            "it is about all classes of a release together, and a search from the top judges them one by one",
        ),
        Accepts::of(&["kl-privacy"]),
        Accepts::of(&["qs-diversity", "qs-closeness"]).because(super::ABOUT_TERMS),
        Accepts::of(&["lkc-privacy"]).because(
            "it groups records by some of the quasi-identifiers, and such groups only grow when a column is generalised if all \
             records of a column are published at one level",
        ),
    ],
    name: "full-domain",
    source: "K. LeFevre, D. DeWitt, R. Ramakrishnan: Incognito: Efficient Full-Domain K-Anonymity. SIGMOD 2005",
    summary: "the optimal generalisation level for every column, proven over the whole lattice",
    help: "Each quasi-identifier is generalised to one level of its hierarchy (a column without a hierarchy is kept or \
           replaced by *). Of all vectors of levels that meet the policy, the one of least cost is found. With \
           suppression_limit, classes that fail are left out whole, up to that share of the records.",
    keys: &[
        COST,
        Key::with_default(
            "suppression_limit",
            KeyKind::Exact("0", "1"),
            "0",
            "the largest share of records that may be left out, as in 0.05",
        ),
        Key::optional(
            "least_levels",
            KeyKind::Counts(Role::QuasiIdentifier),
            "the lowest level that a column may be published at, as in { zip = 2 }; 0 is the value itself",
        ),
        Key::optional(
            "break_minimality",
            KeyKind::Count(2),
            "publish one of this many best vectors, drawn by the seed, so that nobody can reason from the best one",
        ),
        REFINE,
        CUTS,
        SET_SUPPRESSION,
        TIME_LIMIT,
    ],
};
