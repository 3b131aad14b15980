//! What vocabulary k-anonymity promises, and what it does not: the honest matrix for bags of terms.

use super::super::notion::{Attack, Cover, Protection};
use super::VocabularyLimit;

/// What vocabularies are held against, in the order of the report.
const ON_VOCABULARIES: [Attack; 10] = [
    Attack::KnownTerms,
    Attack::SeveralSessions,
    Attack::RareTerms,
    Attack::SharedTerms,
    Attack::DelicateTerms,
    Attack::Minimality,
    Attack::StatisticalInference,
    Attack::Composition,
    Attack::FilesAndOrder,
    Attack::SinglingOut,
];

/// What the requirement promises, as a clause that can follow "In this release".
pub fn promise(limit: &VocabularyLimit) -> String {
    let others = match limit.k {
        0 | 1 => return "nothing is promised, for k = 1 asks nothing".to_string(),
        2 => "one other".to_string(),
        k => format!("{} others", k - 1),
    };
    let users = if limit.distinct_users { ", each of another user" } else { "" };
    let floor = match limit.min_term_users {
        0 | 1 => String::new(),
        people => format!(", and no term is printed that fewer than {people} people used"),
    };
    format!("every vocabulary is identical to at least {others}{users}{floor}")
}

/// Sets the requirement against every attack.
pub fn protections(limit: &VocabularyLimit) -> Vec<Protection> {
    let protection = |attack: Attack| {
        let (cover, meaning) =
            against(limit, attack).unwrap_or_else(|| (Cover::Uncovered, attack.uncovered().to_string()));
        Protection { attack, cover, meaning }
    };
    ON_VOCABULARIES.into_iter().map(protection).collect()
}

fn against(limit: &VocabularyLimit, attack: Attack) -> Option<(Cover, String)> {
    let k = limit.k;
    match attack {
        Attack::KnownTerms if k > 1 => Some((
            Cover::Bounded,
            format!(
                "Anyone who knows how often somebody used any combination of terms finds that person’s vocabulary with a \
                 chance of at most 1 in {k}."
            ),
        )),
        Attack::SeveralSessions if k > 1 && limit.distinct_users => Some(if limit.whole_users {
            (
                Cover::Bounded,
                format!("A vocabulary is all that one person typed, and those that look alike are of {k} people or more."),
            )
        } else {
            (
                Cover::Partly,
                format!(
                    "Vocabularies that look alike are of at least {k} people. Which sessions are of one person is not \
                     published, but who knows it from elsewhere may combine them."
                ),
            )
        }),
        Attack::RareTerms if limit.min_term_users > 1 => Some((
            Cover::Bounded,
            format!("A printed term was used by at least {} people in the data.", limit.min_term_users),
        )),
        Attack::Minimality => Some((
            Cover::Uncovered,
            "The method is public and leaves nothing to chance. That some vocabularies were put together and others not, and \
             what was left out, tells a little about the originals."
                .to_string(),
        )),
        Attack::FilesAndOrder => Some((
            Cover::Mitigated,
            "Vocabularies have fresh numbers in shuffled order; no identifiers, times or addresses are published."
                .to_string(),
        )),
        _ => None,
    }
}
