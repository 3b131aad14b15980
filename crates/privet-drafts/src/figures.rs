//! Roles by figures: what columns single out, alone and together.

use std::cmp::Reverse;

use super::kind::ValueKind;
use super::profile::Profile;
use super::relations::Relations;
use super::role::{LEAST_RECORDS, MOST_CODES, Suggestion, has_role, leave_out, suggest};
use super::text::percent;
use super::understood::Understood;
use privet_policy::Role;

/// A column that alone makes this many in a hundred records unique can identify.
const ALONE: u64 = 1;
/// So can one that makes this many more in a hundred unique together with the others.
const TOGETHER: u64 = 5;
/// More quasi-identifiers than this leave little of the data: further ones are left out of the release.
const MOST_QUASI_IDENTIFIERS: usize = 12;

/// What the name does not tell, the figures do: columns that make records unique are quasi-identifiers, those that single out
/// most first.
pub(super) fn settle_by_figures(
    roles: &mut [Option<Suggestion>],
    profile: &Profile,
    understood: &[Understood],
    relations: &Relations,
) {
    let crowded = || format!("others may know it, but {MOST_QUASI_IDENTIFIERS} others say more");
    let sample = &profile.sample;
    let mut named: Vec<usize> =
        (0..roles.len()).filter(|index| has_role(&roles[*index], Role::QuasiIdentifier)).collect();
    if named.len() > MOST_QUASI_IDENTIFIERS {
        let mut ranked: Vec<(u64, u64, usize)> = (named.iter())
            .map(|index| {
                let others: Vec<usize> = named.iter().copied().filter(|other| other != index).collect();
                (sample.unique(&others), u64::MAX - profile.columns[*index].distinct(), *index)
            })
            .collect();
        // The fewer are unique without it, the more it singles out. Of each topic one comes first: three columns about
        // somebody's job are less than their job, age and town.
        ranked.sort_unstable();
        let topic = |index: usize| understood[index].topic.as_ref().map(|(topic, _)| *topic);
        let earlier = |at: usize| {
            let same = |(_, _, other): &&(u64, u64, usize)| topic(*other) == topic(ranked[at].2);
            ranked[..at].iter().filter(same).count()
        };
        let mut order: Vec<(usize, usize)> = (0..ranked.len()).map(|at| (earlier(at), at)).collect();
        order.sort_unstable();
        let chosen: Vec<usize> = order.into_iter().map(|(_, at)| ranked[at].2).collect();
        for index in &chosen[MOST_QUASI_IDENTIFIERS..] {
            roles[*index] = leave_out(crowded());
        }
        named = chosen[..MOST_QUASI_IDENTIFIERS].to_vec();
    }
    let records = sample.len();
    let combined = sample.combined(&named);
    let before = sample.unique(&named);
    let nothing_known = named.is_empty();
    let mut candidates: Vec<Candidate> = Vec::new();
    for (index, role) in roles.iter().enumerate() {
        let column = &profile.columns[index];
        if role.is_some() || column.distinct() < 2 {
            continue;
        }
        let gained = sample.unique_with(&combined, index).saturating_sub(before);
        let identifies = alone(profile, index) * 100 >= records * ALONE || gained * 100 >= records * TOGETHER;
        let category = column.distinct() <= MOST_CODES;
        if category || identifies || nothing_known {
            candidates.push(Candidate { index, category, identifies, gained });
        }
    }
    // Where alone they single out nobody, more values say more.
    candidates.sort_by_key(|one| {
        let values = profile.columns[one.index].distinct();
        (!one.category, Reverse((one.gained, values)), one.index)
    });
    let mut room = MOST_QUASI_IDENTIFIERS.saturating_sub(named.len());
    for Candidate { index, category, identifies, .. } in candidates {
        let same = named.iter().find(|other| relations.same(**other, index));
        roles[index] = if let Some(same) = same {
            leave_out(format!("it says the same as '{}', value by value", profile.columns[*same].name))
        } else if room == 0 && category {
            leave_out(crowded())
        } else if room == 0 {
            leave_out(format!("it may tell people apart, and {MOST_QUASI_IDENTIFIERS} others do already"))
        } else {
            room -= 1;
            named.push(index);
            suggest(
                Role::QuasiIdentifier,
                if identifies { "it can single people out" } else { "others may know it" },
            )
        };
    }
}

/// A column that nobody explains, with what it singles out next to those that are explained.
struct Candidate {
    index: usize,
    category: bool,
    identifies: bool,
    gained: u64,
}

/// How many records a column singles out by itself: all of the table are counted where that is possible.
pub(super) fn alone(profile: &Profile, index: usize) -> u64 {
    let sampled = profile.sample.len();
    match profile.columns[index].singles() {
        Some(singles) => (singles * sampled).div_ceil(profile.rows.max(1)),
        None => profile.sample.unique(&[index]),
    }
}

/// What singles out more than a small share of the records is not published as it is. Amounts that nobody should learn are known
/// to somebody, such as an employer: where they differ so much, they are the best key to a record.
pub(super) fn withhold(roles: &mut [Option<Suggestion>], profile: &Profile) {
    let records = profile.sample.len();
    let is_too_many = |unique: u64| records >= LEAST_RECORDS && unique * 100 > records * ALONE;
    let is_amount =
        |index: usize| matches!(profile.columns[index].kind(), ValueKind::Whole | ValueKind::Number);
    let as_it_is = |role: &Option<Suggestion>| has_role(role, Role::Other) || has_role(role, Role::Class);
    let singles_out = |unique: u64, rather: &str| {
        leave_out(format!("as it is it singles out {} of the records{rather}", percent(unique, records)))
    };
    let quasi: Vec<usize> =
        (0..roles.len()).filter(|other| has_role(&roles[*other], Role::QuasiIdentifier)).collect();
    let combined = profile.sample.combined(&quasi);
    let before = profile.sample.unique(&quasi);
    for (index, role) in roles.iter_mut().enumerate() {
        if as_it_is(role) && is_too_many(alone(profile, index)) {
            *role = singles_out(alone(profile, index), "");
        }
        // What is published as it is splits those who look alike, whatever is done to the rest.
        if has_role(role, Role::Other) {
            let gained = profile.sample.unique_with(&combined, index).saturating_sub(before);
            if is_too_many(gained) {
                *role = singles_out(gained, " next to the quasi-identifiers");
            }
        }
        if has_role(role, Role::Sensitive) && is_too_many(alone(profile, index)) {
            let rather = match is_amount(index) {
                true => "; publish it in bands instead",
                false => "; join its rare values first",
            };
            *role = singles_out(alone(profile, index), rather);
        }
    }
    // Columns that are harmless one by one may not be so together.
    loop {
        let left: Vec<usize> = (0..roles.len()).filter(|index| as_it_is(&roles[*index])).collect();
        let together = profile.sample.unique(&left);
        let most = left.iter().copied().max_by_key(|index| profile.columns[*index].distinct());
        let Some(most) = most.filter(|_| is_too_many(together)) else { return };
        roles[most] = singles_out(together, " together with others");
    }
}
