//! Semantic similarity grouping.

use crate::declare::{Declaration, Key, KeyKind, Subject};

/// The method `ssg`.
pub static DECLARATION: Declaration = Declaration {
    subject: Subject::Classes,
    accepts: super::ABOUT_VOCABULARIES,
    name: "ssg",
    summary: "clusters vocabularies by meaning and publishes one typical vocabulary for each cluster",
    help: "The semantic similarity grouping of Liu (2010). Vocabularies with terms of like meaning are clustered, at least \
           k together, and every one of a cluster is published as the same typical vocabulary: its terms are original \
           terms, each within epsilon of a term of every member. Occurrences without such partners are suppressed. \
           centre = \"hyper\" prints the terms that each one stands for, centre = \"generalise\" what they have in common; \
           residual also prints what left-overs have in common.",
    keys: &[
        Key::with_default(
            "matching",
            KeyKind::Choice(&["auto", "exact", "greedy"]),
            "auto",
            "how occurrences find partners; auto is exact up to 64 of them and greedy beyond",
        ),
        Key::with_default(
            "centre",
            KeyKind::Choice(&["vote", "hyper", "generalise"]),
            "vote",
            "what is printed for partners: the term nearest to all, all of them, or what they have in common",
        ),
        Key::with_default(
            "penalty",
            KeyKind::Choice(&["occurrence", "uniform"]),
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
            "a typical term is that of at least so many members of its cluster",
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
