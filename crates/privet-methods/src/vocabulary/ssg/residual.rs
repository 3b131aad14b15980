//! Matching once more, and from farther away, what the members of a cluster have left over; it is published as what it has
//! in common, which loses less than suppressing it.

use super::crowd::Crowd;
use super::elect::Election;
use super::grow::Grown;
use super::hyper::{Hyper, Matchmaker, Tariff};
use super::rows::Rows;
use crate::vocabulary::Shown;
use privet_data::Term;

/// What is printed for the left-overs of a cluster. The tariff is that of the wider reach.
pub(super) fn shown(
    cluster: &Grown,
    rows: &Rows,
    tariff: &Tariff<'_>,
    election: &Election<'_>,
    matchmaker: &mut Matchmaker,
) -> Vec<Shown> {
    let mut rest = (0..cluster.members.len()).map(|member| left_over(cluster, rows, member));
    let mut crowd = match rest.next() {
        Some(first) if !first.is_empty() => Crowd::from(Hyper::of(&first)),
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
        Some(Shown { print, distinct: terms.len() as u32 })
    });
    shown.collect()
}

/// The occurrences of a member that are in no bag of the hyper-vocabulary, ascending.
fn left_over(cluster: &Grown, rows: &Rows, member: usize) -> Vec<Term> {
    let mut matched: Vec<Term> = cluster.hyper.bags().map(|bag| bag[member]).collect();
    matched.sort_unstable();
    let mut matched = matched.into_iter().peekable();
    let rest = rows.bag(cluster.members[member]).iter().copied();
    rest.filter(|term| matched.next_if_eq(term).is_none()).collect()
}
