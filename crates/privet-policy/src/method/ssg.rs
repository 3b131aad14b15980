//! Semantic similarity grouping.

use super::Checked;
use crate::declare::{Declaration, Key, KeyKind, Subject};
use crate::typed::{choices, method};
use privet_core::{Error, Exact};
use privet_taxonomy::words::Semantics;

method! {
    /// Clusters of vocabularies by meaning.
    pub struct Ssg {
        /// How occurrences find partners.
        pub matching: Matching,
        /// What is printed for partners.
        pub centre: Centre,
        /// What a bag of partners costs that is given up.
        pub penalty: Penalty,
        /// How far left-overs may be apart that are printed as what they have in common.
        pub residual: Option<Exact>,
        /// Whether a vocabulary is left out that would cost its cluster more than its own occurrences.
        pub withhold: bool,
        /// How many members of its cluster a typical term is of at least.
        pub min_vote: u64,
        /// How many vocabularies are looked at for one cluster.
        pub visits: u64,
        /// How many of them stay candidates.
        pub pool: u64,
        /// How many good candidates are enough for each that is needed.
        pub slack: u64,
    }
    of DECLARATION
}

choices! {
    /// How occurrences find partners.
    pub enum Matching {
        /// Exact where both sides are small.
        Auto = "auto",
        /// At the least sum of distances.
        Exact = "exact",
        /// The nearest first.
        Greedy = "greedy",
    }
}

choices! {
    /// What is printed for partners.
    pub enum Centre {
        /// The term nearest to all.
        Vote = "vote",
        /// All of them.
        Hyper = "hyper",
        /// What they have in common.
        Generalise = "generalise",
    }
}

choices! {
    /// What an occurrence costs that stays unmatched (convention C6).
    pub enum Penalty {
        /// Every occurrence that is suppressed costs the same: a bag of the hyper-vocabulary holds as many as it has members.
        Occurrence = "occurrence",
        /// A bag of the hyper-vocabulary costs as much as a single term.
        Uniform = "uniform",
    }
}

impl Ssg {
    /// Refuses what the distances between terms do not allow: common ancestors where there is no tree, and a second radius below
    /// the first, at which left-over terms would find nothing.
    pub(super) fn check(&self, semantics: &Semantics, epsilon: u32) -> Checked {
        let needs_tree = match (self.centre, self.residual) {
            (Centre::Generalise, _) => Some(("centre", "centre = \"generalise\"")),
            (_, Some(_)) => Some(("residual", "residual")),
            _ => None,
        };
        if let Some((key, asked)) = needs_tree.filter(|_| !semantics.has_tree()) {
            let wrong = format!(
                "'{asked}' publishes the common ancestor of terms, which these distances do not provide"
            );
            let help = "use distances from a taxonomy or from wordnet-tree in [semantics], or remove it";
            return Err((key, Error::input(wrong).help(help)));
        }
        match self.residual {
            Some(residual) if semantics.reach(residual) < epsilon => {
                let wrong = format!("'method.residual' is {residual}, less than epsilon");
                let help =
                    "unmatched terms are matched again at a larger distance: raise residual, or remove it";
                Err(("residual", Error::input(wrong).help(help)))
            }
            _ => Ok(()),
        }
    }
}

/// The method `ssg`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: super::ABOUT_VOCABULARIES,
    name: "ssg",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "clusters vocabularies by meaning and publishes one typical vocabulary for each cluster",
    help: "The semantic similarity grouping of Liu (2010). Vocabularies with terms of like meaning are clustered, at least \
           k together, and every one of a cluster is published as the same typical vocabulary: its terms are original \
           terms, each within epsilon of a term of every member. Occurrences without such partners are suppressed. \
           centre = \"hyper\" prints the terms that each one stands for, centre = \"generalise\" what they have in common; \
           residual also prints what left-overs have in common.",
    keys: &[
        Key::with_default(
            "matching",
            KeyKind::Choice(Matching::WORDS),
            "auto",
            "how occurrences find partners; auto is exact up to 64 of them and greedy beyond",
        ),
        Key::with_default(
            "centre",
            KeyKind::Choice(Centre::WORDS),
            "vote",
            "what is printed for partners: the term nearest to all, all of them, or what they have in common",
        ),
        Key::with_default(
            "penalty",
            KeyKind::Choice(Penalty::WORDS),
            "occurrence",
            "what a bag of partners costs that is given up: as many as it has occurrences, or one",
        ),
        Key::optional(
            "residual",
            KeyKind::Exact("0", ""),
            "how far left-overs may be apart that are printed as what they have in common, as in 12",
        ),
        Key::with_default(
            "withhold",
            KeyKind::Flag,
            "false",
            "whether a vocabulary is left out that would cost its cluster more than its own occurrences",
        ),
        Key::with_default(
            "min_vote",
            KeyKind::Count(1),
            "1",
            "how many members of its cluster must have a typical term",
        ),
        Key::with_default(
            "visits",
            KeyKind::Count(1),
            "2000",
            "how many vocabularies are looked at for one cluster where there are more than 20,000; large ones count for several",
        ),
        Key::with_default(
            "pool",
            KeyKind::Count(1),
            "60",
            "how many of them stay candidates for one cluster where there are more than 20,000",
        ),
        Key::with_default(
            "slack",
            KeyKind::Count(1),
            "15",
            "how many good candidates are enough for each that is needed, where there are more than 20,000",
        ),
    ],
};
