//! What remains possible for everybody, and how likely it is.
//!
//! How likely a value is, if all assignments are equally likely, is a ratio of permanents. For groups of at most 20
//! people it is computed exactly. For larger ones, the matrix of what is possible is scaled until rows and columns
//! have the right sums.

use std::collections::BTreeMap;

use super::assignments::{AlikePeople, MOST_COUNTED, shares, some_assignment, valid_values};
use crate::groups::{Group, GroupEffort, Groups};
use privet_core::{Result, ValueSet};

/// Groups of more people get an estimate.
pub(super) const MOST_EXACT: u64 = MOST_COUNTED;

/// How many steps exact posteriors may take in all groups together; then the rest gets estimates.
const MOST_STEPS: u64 = 20_000_000;

/// How often the matrix is scaled.
const SCALINGS: usize = 30;

/// How many steps a person takes, in addition to those for the values.
const COST_PER_PERSON: u64 = 60;

/// What an attacker infers who knows rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Inferred {
    /// People in groups.
    pub people: u64,
    /// Those for whom a value of their group is ruled out.
    pub ruled: u64,
    /// How many values of their groups are ruled out, over all people.
    pub impossible: u64,
    /// Those for whom only one value remains possible.
    pub pinned: u64,
    /// Those for whom that value is the true one.
    pub right: u64,
    /// Those for whom only one value was possible without any rule.
    pub alone: u64,
    /// Those for whom fewer values remain possible than asked for.
    pub fewer: u64,
    /// Those for whom fewer values than asked for were possible without any rule.
    pub fewer_before: u64,
    /// Those whose likeliest value has a probability above one in as many as asked for.
    pub surer: u64,
    /// The same without rules.
    pub surer_before: u64,
    /// The probability of the likeliest value of anybody.
    pub surest: f64,
    /// Those whose likelihoods are estimates.
    pub estimated: u64,
    /// Those in groups that contradict the rules: the rules are wrong there, and teach nothing.
    pub contradicted: u64,
}

/// Works out every group. `excluded` has the values that are impossible for each record, `l` is how many must remain.
pub(crate) fn infer(
    groups: &Groups,
    excluded: &[ValueSet],
    l: u64,
    effort: GroupEffort<'_>,
) -> Result<Inferred> {
    let mut inferred = Inferred::default();
    let mut steps = effort.steps.map_or(MOST_STEPS, |steps| MOST_STEPS.min(steps / 4));
    let words = groups.people.values.len().div_ceil(64) as u64;
    let mut left = effort.steps;
    for group in effort.order(groups) {
        effort.clock.check()?;
        if let Some(left) = &mut left {
            let kinds = group.len().min(1 << group.counts.len().min(20));
            let fitting = if group.len() > MOST_EXACT { kinds * SCALINGS as u64 } else { 1 };
            let cost = group.len() * (COST_PER_PERSON + 4 * words) + group.counts.len() as u64 * fitting;
            if inferred.people > 0 && *left < cost {
                break;
            }
            *left = left.saturating_sub(cost);
        }
        let known = KnownGroup::of(groups, group, excluded);
        known.tell(groups, group, l.max(1), &mut steps, &mut inferred);
    }
    Ok(inferred)
}

/// A group as an attacker sees it who knows rules.
struct KnownGroup {
    /// The values that occur.
    present: ValueSet,
    /// People for whom the same values are possible.
    kinds: Vec<AlikePeople>,
    /// The kind of each member.
    kind_of: Vec<usize>,
}

impl KnownGroup {
    fn of(groups: &Groups, group: &Group, excluded: &[ValueSet]) -> KnownGroup {
        let values = groups.people.values.len();
        let present = ValueSet::of(values, group.counts.iter().map(|(value, _)| *value));
        let mut numbers: BTreeMap<ValueSet, usize> = BTreeMap::new();
        let mut kinds: Vec<AlikePeople> = Vec::new();
        let mut kind_of = Vec::with_capacity(group.members.len());
        for member in &group.members {
            let mut allowed = present.without(&excluded[*member as usize]);
            // Anything may be behind what is hidden.
            groups
                .hidden
                .filter(|hidden| present.contains(*hidden))
                .into_iter()
                .for_each(|hidden| allowed.insert(hidden));
            let next = numbers.len();
            let kind = *numbers.entry(allowed.clone()).or_insert(next);
            if kind == kinds.len() {
                kinds.push(AlikePeople { allowed, count: 0 });
            }
            kinds[kind].count += 1;
            kind_of.push(kind);
        }
        KnownGroup { present, kinds, kind_of }
    }

    /// Pairs of a kind and a value, by its place, that some assignment has which agrees with the rules; `None` if there is none.
    fn assignment(&self, group: &Group) -> Option<Vec<(usize, usize)>> {
        let held = || self.kind_of.iter().zip(&group.held);
        if !held().all(|(kind, value)| self.kinds[*kind].allowed.contains(*value)) {
            return some_assignment(&self.kinds, &group.counts);
        }
        let place = |value: u32| group.counts.partition_point(|(other, _)| *other < value);
        let mut pairs: Vec<(usize, usize)> = held().map(|(kind, value)| (*kind, place(*value))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Some(pairs)
    }

    fn tell(&self, groups: &Groups, group: &Group, l: u64, steps: &mut u64, inferred: &mut Inferred) {
        let people = group.len();
        let (hidden, values) = (groups.hidden, groups.people.values.len());
        let all = self.present.len() as u64;
        let told = |set: &ValueSet| {
            let hides = hidden.is_some_and(|hidden| set.contains(hidden));
            // What is hidden may be anything, so nothing is pinned and nothing is few.
            if hides { u64::MAX } else { set.len() as u64 }
        };
        let most = group.most_frequent(hidden).map_or(0, |(_, count)| count);
        inferred.people += people;
        inferred.alone += if told(&self.present) == 1 { people } else { 0 };
        inferred.fewer_before += if told(&self.present) < l { people } else { 0 };
        inferred.surer_before += if most * l > people { people } else { 0 };
        let Some(assignment) = self.assignment(group) else {
            inferred.contradicted += people;
            return;
        };
        let valid = valid_values(&self.kinds, &group.counts, &assignment, values);
        let (posteriors, exact) = self.posteriors(group, hidden, &valid, steps);
        inferred.estimated += if exact { 0 } else { people };
        for (kind, member) in self.kinds.iter().enumerate() {
            let remaining = valid[kind].len() as u64;
            inferred.ruled += if remaining < all { member.count } else { 0 };
            inferred.impossible += (all - remaining) * member.count;
            inferred.pinned += if told(&valid[kind]) == 1 { member.count } else { 0 };
            inferred.fewer += if told(&valid[kind]) < l { member.count } else { 0 };
            // A hair more than one in l is rounding, not knowledge.
            inferred.surer += if posteriors[kind] * l as f64 > 1.0 + 1e-9 { member.count } else { 0 };
            inferred.surest = inferred.surest.max(posteriors[kind]);
        }
        for (kind, member) in self.kind_of.iter().zip(&group.members) {
            if told(&valid[*kind]) == 1 {
                inferred.right += u64::from(valid[*kind].contains(groups.people.value(*member as usize)));
            }
        }
    }

    /// The probability of the likeliest value of each kind, except what is hidden, and whether it is exact.
    fn posteriors(
        &self,
        group: &Group,
        hidden: Option<u32>,
        valid: &[ValueSet],
        steps: &mut u64,
    ) -> (Vec<f64>, bool) {
        let told: Vec<bool> = group.counts.iter().map(|(value, _)| Some(*value) != hidden).collect();
        let most = |row: &[f64]| {
            row.iter().zip(&told).filter(|(_, told)| **told).fold(0.0f64, |most, (share, _)| most.max(*share))
        };
        let blind =
            group.counts.iter().map(|(_, count)| *count as f64 / group.len() as f64).collect::<Vec<_>>();
        if self.kinds.iter().all(|kind| kind.allowed == self.present) {
            return (vec![most(&blind); self.kinds.len()], true);
        }
        let states = group.counts.iter().fold(1u64, |states, (_, count)| states.saturating_mul(count + 1));
        let cost = states.saturating_mul(group.counts.len() as u64);
        if group.len() <= MOST_EXACT && cost <= *steps {
            *steps -= cost;
            if let Some(table) = shares(&self.kinds, &group.counts) {
                return (table.iter().map(|row| most(row)).collect(), true);
            }
        }
        (self.fitted(group, valid).iter().map(|row| most(row)).collect(), false)
    }

    /// Shares that sum to one for everybody and to the count of each value, by scaling what is valid in turn.
    fn fitted(&self, group: &Group, valid: &[ValueSet]) -> Vec<Vec<f64>> {
        let possible = |kind: usize, value: u32| f64::from(u8::from(valid[kind].contains(value)));
        let mut shares: Vec<Vec<f64>> = (0..self.kinds.len())
            .map(|kind| group.counts.iter().map(|(value, _)| possible(kind, *value)).collect())
            .collect();
        for _ in 0..SCALINGS {
            for (place, (_, count)) in group.counts.iter().enumerate() {
                let sum: f64 =
                    shares.iter().zip(&self.kinds).map(|(row, kind)| row[place] * kind.count as f64).sum();
                if sum > 0.0 {
                    shares.iter_mut().for_each(|row| row[place] *= *count as f64 / sum);
                }
            }
            for row in &mut shares {
                let sum: f64 = row.iter().sum();
                if sum > 0.0 {
                    row.iter_mut().for_each(|share| *share /= sum);
                }
            }
        }
        shares
    }
}
