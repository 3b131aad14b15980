//! Semantic similarity grouping.

use super::Checked;
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::settings::Setting;
use crate::typed::{Value, choices, method};
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
        /// Whether left-overs are printed as what they have in common.
        pub residual: Residual,
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

/// Whether left-overs of a cluster are printed as what they have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residual {
    /// They are suppressed.
    No,
    /// Wherever the distances have a tree, however far they are apart.
    Any,
    /// Those that are at most this far apart.
    Within(u64),
}

impl Value for Residual {
    fn read(setting: Option<&Setting>) -> Option<Residual> {
        match setting {
            Some(Setting::Flag(false)) => Some(Residual::No),
            Some(Setting::Flag(true)) => Some(Residual::Any),
            Some(Setting::Count(reach)) => Some(Residual::Within(*reach)),
            _ => None,
        }
    }

    fn written(&self) -> Option<Setting> {
        Some(match self {
            Residual::No => Setting::Flag(false),
            Residual::Any => Setting::Flag(true),
            Residual::Within(reach) => Setting::Count(*reach),
        })
    }
}

impl Ssg {
    /// Refuses what the distances between terms do not allow: common ancestors where there is no tree, and a second radius below
    /// the first, at which left-over terms would find nothing.
    pub(super) fn check(&self, semantics: &Semantics, epsilon: u32) -> Checked {
        let needs_tree = match (self.centre, self.residual) {
            (Centre::Generalise, _) => Some(("centre", "centre = \"generalise\"")),
            (_, Residual::Within(_)) => Some(("residual", "residual")),
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
            Residual::Within(residual) if semantics.reach(Exact::whole(residual)) < epsilon => {
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
    publishes: ReleaseKind::Vocabularies,
    role: None,
    accepts: super::ABOUT_VOCABULARIES,
    name: "ssg",
    source: "J. Liu: Enhancing Utility in Privacy Preserving Data Publishing. PhD thesis, Simon Fraser University, 2010",
    summary: "clusters vocabularies by meaning and publishes one typical vocabulary for each cluster",
    help: "The semantic similarity grouping of Liu (2010). Vocabularies with terms of like meaning are clustered, at least \
           k together, and every one of a cluster is published as the same typical vocabulary: its terms are original \
           terms, each within epsilon of a term of every member. Occurrences without such partners are \
           printed as what they have in common, where the distances have a tree, or suppressed. \
           centre = \"hyper\" prints the terms that each one stands for, centre = \"generalise\" what they have in common.",
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
        Key::with_default(
            "residual",
            KeyKind::FlagOrCount(0),
            "true",
            "whether left-overs are printed as what they have in common, where the distances have a tree; or how far they may be \
             apart, as in 12",
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
