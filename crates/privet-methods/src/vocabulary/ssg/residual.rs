//! Matches the left-over terms of a cluster's members once more, at a larger distance. They are published as their
//! common ancestor, which loses less than suppressing them.

use super::crowd::CrowdVocabulary;
use super::elect::Election;
use super::grow::GrownCluster;
use super::hyper::{HyperVocabulary, Matchmaker, Tariff};
use super::rows::BagRows;
use crate::vocabulary::PublishedOccurrence;
use privet_data::Term;

/// The published occurrences for the left-over terms of a cluster. The tariff is that of the larger distance.
pub(super) fn shown(
    cluster: &GrownCluster,
    rows: &BagRows,
    tariff: &Tariff<'_>,
    election: &Election<'_>,
    matchmaker: &mut Matchmaker,
) -> Vec<PublishedOccurrence> {
    let mut rest = (0..cluster.members.len()).map(|member| left_over(cluster, rows, member));
    let mut crowd = match rest.next() {
        Some(first) if !first.is_empty() => CrowdVocabulary::from(HyperVocabulary::of(&first)),
        _ => return Vec::new(),
    };
    for terms in rest {
        crowd.matched(&terms, tariff, matchmaker);
        crowd.join(&terms, matchmaker.pairs());
        if crowd.occurrences() == 0 {
            return Vec::new();
        }
    }
    let hyper = crowd.into_hyper();
    let shown = hyper.bags().filter_map(|bag| {
        let mut terms = bag.to_vec();
        terms.sort_unstable();
        let print = election.common(&terms)?;
        terms.dedup();
        Some(PublishedOccurrence { print, distinct: terms.len() as u32 })
    });
    shown.collect()
}

/// The occurrences of a member that are in no bag of the hyper-vocabulary, ascending.
fn left_over(cluster: &GrownCluster, rows: &BagRows, member: usize) -> Vec<Term> {
    let mut matched: Vec<Term> = cluster.hyper.bags().map(|bag| bag[member]).collect();
    matched.sort_unstable();
    let mut matched = matched.into_iter().peekable();
    let rest = rows.bag(cluster.members[member]).iter().copied();
    rest.filter(|term| matched.next_if_eq(term).is_none()).collect()
}
