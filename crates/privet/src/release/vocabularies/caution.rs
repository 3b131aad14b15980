//! What the publisher of vocabularies should know: where a policy says less than it seems to.

use crate::release::lettering;
use privet_data::{Bags, Extraction};
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_methods::vocabulary::BagSolution;
use privet_policy::{DataKind, VocabularyPolicy};

/// What to say about the release; an empty one first.
pub(super) fn warnings(
    policy: &VocabularyPolicy,
    extraction: &Extraction,
    demand: &VocabularyAnonymity,
    bags: &Bags,
    solution: &BagSolution,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if solution.clusters.iter().all(|cluster| cluster.shown.is_empty()) {
        warnings.push(
            "the release is EMPTY: no term could be printed; raise epsilon, lower k or min_term_users, or let vocabularies \
             that fit nowhere be left out: withhold = true in [method]"
                .to_string(),
        );
    }
    // What a log's sessions lack is in the report.
    let without_terms = extraction.groups.saturating_sub(bags.len() as u64);
    if extraction.queries == 0 && without_terms > 0 {
        warnings.push(match without_terms {
            1 => "1 vocabulary of the data holds no term and is left out; check the column of terms"
                .to_string(),
            many => {
                format!(
                    "{many} vocabularies of the data hold no term and are left out; check the column of terms"
                )
            }
        });
    }
    let sessions = policy.kind == DataKind::QueryLog && !policy.whole_users();
    if bags.users().is_some() && !demand.distinct_users && demand.k > 1 {
        let what = if sessions { "sessions" } else { "vocabularies" };
        warnings.push(format!(
            "distinct_users is off: {} identical vocabularies may all be {what} of one user, who is then found; set distinct_users = true",
            demand.k
        ));
    }
    if bags.users().is_none() && demand.k > 1 {
        warnings.push(
            "the data does not say whose vocabulary is whose: each is taken for another person; name the column of users in \
             [data.columns], if there is one"
                .to_string(),
        );
    }
    if bags.users().is_some() && demand.min_term_users < demand.k {
        warnings.push(format!(
            "min_term_users is {}: a term that only this many people used, such as a name, may be printed; raise it to k",
            demand.min_term_users
        ));
    }
    warnings.extend(lettering::about("the terms", bags.terms().iter().map(String::as_str)));
    warnings
}
