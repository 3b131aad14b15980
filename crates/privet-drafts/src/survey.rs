//! What a survey's columns ask for: weights and households bring their requirements, as comments.

use super::DraftColumn;
use super::lexicon;
use super::role;
use super::text::comment;
use privet_policy::Role;

/// Households have at most this many records on average.
const MOST_MEMBERS: u64 = 20;

/// What a column of a survey is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survey {
    /// How many people a record stands for.
    Weight,
    /// Which records live together.
    Household,
}

/// Whether a column is left out as a survey's weight.
pub(super) fn is_weight(column: &DraftColumn) -> bool {
    column.role.is_none() && column.reason == role::WEIGHT
}

/// What a column of a survey is, if it is one; `records` is how many the survey has.
pub(super) fn of(column: &DraftColumn, records: u64) -> Option<Survey> {
    if is_weight(column) {
        return Some(Survey::Weight);
    }
    let words = lexicon::plain_words(&column.name);
    let repeats = column.distinct >= 2 && column.distinct < records;
    let small = column.more || column.distinct.saturating_mul(MOST_MEMBERS) >= records;
    let is_number = match column.role {
        Some(Role::Identifier) if column.reason == role::GROUP => lexicon::speaks_of_groups(&words),
        Some(Role::Sensitive) => false,
        _ => lexicon::numbers_households(&words),
    };
    (is_number && repeats && small).then_some(Survey::Household)
}

impl Survey {
    /// What the column's own section says.
    pub fn remark(self) -> &'static str {
        match self {
            Survey::Weight => {
                "Left out of the release. If it says how many people of the population a record stands for, delete the # before these \
                 lines: it is not published either, but reports estimate figures of the population from it."
            }
            Survey::Household => {
                "If it tells who lives together, role = \"household\" lets the report count households; it is not published then."
            }
        }
    }
}

/// The requirements that fit columns of a survey, ready to be asked. `k` is the least size of a class that is drafted, and
/// `close` whether closeness is asked of a sensitive column, too.
pub(super) fn requirements(text: &mut String, columns: &[DraftColumn], records: u64, k: u64, close: bool) {
    let found = |survey: Survey| columns.iter().find(|column| of(column, records) == Some(survey));
    if let Some(column) = found(Survey::Weight) {
        comment(
            text,
            &format!(
                "With '{}' as the weight: a match is right with an estimated chance of at most 0.01, and the records of every \
                 class stand for at least 100 people of the population:",
                column.name
            ),
        );
        text.push_str("# [privacy.individual-risk]\n# max = 0.01\n");
        text.push_str("# [privacy.k-map]\n# k = 100\n# by = \"weights\"\n\n");
    }
    if let Some(column) = found(Survey::Household) {
        let instead = match close {
            true => ", and t-closeness cannot: ask for l-diversity of these columns instead",
            false => "",
        };
        comment(
            text,
            &format!(
                "With '{}' as the household, in place of the k-anonymity above: those who look alike are of at least {k} \
                 households. All requirements count households then{instead}; models of the population and of risk are for \
                 records alone.",
                column.name
            ),
        );
        text.push_str(&format!("# [privacy.k-anonymity]\n# k = {k}\n# unit = \"household\"\n"));
        comment(
            text,
            "Or, for method full-domain: somebody of a household is found with a chance of at most 0.2. Remove suppression_limit \
             below then, for a household of which members are left out looks smaller than it is:",
        );
        text.push_str("# [privacy.household-risk]\n# max = 0.2\n\n");
    }
}
