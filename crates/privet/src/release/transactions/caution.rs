//! What the publisher of transactions should know: where a policy says less than it seems to.

use unicode_normalization::UnicodeNormalization;

use crate::Exact;
use crate::engine::baskets::Baskets;
use crate::error::shortened_values;
use crate::policy::{Clause, TransactionPolicy};
use crate::privacy::kl::KlPrivacy;

/// Labels that are told in full at most.
const MOST_PAIRS: usize = 5;

/// What to say beside the release; an empty one first.
pub(super) fn warnings(policy: &TransactionPolicy, baskets: &Baskets, limits: &[KlPrivacy]) -> Vec<String> {
    let mut warnings = Vec::new();
    if baskets.total() == 0 {
        warnings.push("the release is EMPTY: the data hold no transactions".to_string());
    }
    for (clause, limit) in policy.requirements.iter().zip(limits) {
        let name = clause.describe(&[]);
        if limit.m == 0 && limit.n == 0 {
            warnings.push(format!(
                "{name} assumes that the adversary knows nothing: only the release as a whole is checked; raise m or n"
            ));
        }
        if limit.k <= 1 && !limit.guards_marks() {
            warnings.push(format!("{name} asks for nothing: any release meets it"));
        }
        if policy.sensitive.is_empty() && limits_confidence(clause) {
            warnings.push(format!(
                "{name} limits the confidence in sensitive items, but [items] lists none: that part has no effect"
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
    warnings.extend(look_alikes(baskets));
    warnings
}

/// Whether a requirement says anything about sensitive items.
fn limits_confidence(clause: &Clause) -> bool {
    let settings = &clause.settings;
    let above = |key| settings.exact(key).is_some_and(|value| value > Exact::ONE);
    match clause.name() {
        "coherence" => settings.exact("h").is_some_and(|value| value < Exact::ONE),
        "privacy-degree" => above("p"),
        _ => above("l"),
    }
}

/// Labels that only case or Unicode normalisation tells apart: different items here, but perhaps not in the shop.
fn look_alikes(baskets: &Baskets) -> Option<String> {
    let tree = &baskets.tree;
    let labels =
        tree.nodes().map(|node| tree.label(node)).chain(baskets.sensitive.iter().map(String::as_str));
    let folded = |label: &str| {
        if label.is_ascii() { label.to_ascii_lowercase() } else { label.to_lowercase().nfc().collect() }
    };
    // Numbers are never alike, and data may have a million of them.
    let has_letters = |label: &&str| label.bytes().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let mut all: Vec<(String, &str)> =
        labels.filter(has_letters).map(|label| (folded(label), label)).collect();
    all.sort_unstable();
    let alike: Vec<String> = (all.chunk_by(|(one, _), (next, _)| one == next))
        .filter(|group| group.len() > 1)
        .map(|group| group.iter().map(|(_, label)| format!("'{label}'")).collect::<Vec<_>>().join(" and "))
        .collect();
    if alike.is_empty() {
        return None;
    }
    let more = match alike.len().saturating_sub(MOST_PAIRS) {
        0 => String::new(),
        more => format!("; and {more} more such groups"),
    };
    let first = alike.iter().take(MOST_PAIRS).cloned().collect::<Vec<_>>().join("; ");
    Some(format!(
        "labels that differ only in case or in the way accents are encoded are different items: {first}{more}"
    ))
}
