//! What the publisher of transactions should know: where a policy says less than it seems to.

use crate::release::caution::taken_out;
use crate::release::lettering;
use privet_core::Exact;
use privet_core::shortened_values;
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::KlPrivacy;
use privet_policy::{ItemRequirement, TransactionPolicy};

/// What to say about the release; an empty one first.
pub(super) fn warnings(policy: &TransactionPolicy, baskets: &Baskets, limits: &[KlPrivacy]) -> Vec<String> {
    let mut warnings = Vec::new();
    if baskets.total() == 0 {
        warnings.push("the release is EMPTY: the data hold no transactions; check [data] path".to_string());
    }
    for (clause, limit) in policy.requirements.iter().zip(limits) {
        let name = clause.describe(&[]);
        if limit.m == 0 && limit.n == 0 {
            warnings.push(format!(
                "{name} assumes that the adversary knows nothing: only the release as a whole is checked; raise m or n"
            ));
        }
        if limit.k <= 1 && !limit.guards_marks() {
            warnings.push(format!("{name} asks for nothing: any release meets it; raise k"));
        }
        if policy.sensitive.is_empty() && limits_confidence(clause) {
            warnings.push(format!(
                "{name} limits the confidence in sensitive items, but [items] lists none: that part has no effect; list \
                 them under 'sensitive'"
            ));
        }
    }
    let counts = baskets.mark_counts();
    let absent: Vec<&str> = (baskets.sensitive.iter().zip(&counts))
        .filter(|(_, count)| **count == 0)
        .map(|(item, _)| item.as_str())
        .collect();
    match absent[..] {
        [] => {}
        [one] => warnings
            .push(format!("the sensitive item '{one}' does not occur in the data; is it spelt right?")),
        _ => warnings.push(format!(
            "{} sensitive items do not occur in the data; are they spelt right? {}",
            absent.len(),
            shortened_values(&absent)
        )),
    }
    warnings.extend(taken_out(&policy.taken_out));
    let labels = baskets.tree.nodes().map(|node| baskets.tree.label(node));
    warnings
        .extend(lettering::about("the items", labels.chain(baskets.sensitive.iter().map(String::as_str))));
    warnings
}

/// Whether a requirement says anything about sensitive items.
fn limits_confidence(requirement: &ItemRequirement) -> bool {
    match requirement {
        ItemRequirement::KlPrivacy(asked) => asked.l > Exact::ONE,
        ItemRequirement::Coherence(asked) => asked.h < Exact::ONE,
        ItemRequirement::PrivacyDegree(asked) => asked.p > Exact::ONE,
        ItemRequirement::KmAnonymity(_) | ItemRequirement::TransactionalKAnonymity(_) => false,
    }
}
