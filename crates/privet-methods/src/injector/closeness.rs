//! t-closeness of groups: groups whose values are distributed too differently from the whole table's are merged.
//!
//! The earth mover's distance to a fixed distribution is convex, so two groups that are close stay close when they merge,
//! and all records together are at distance 0 unless some are suppressed. What is valid for a record stays valid, and no
//! value's share exceeds the larger of its shares in the two groups.

use std::collections::{BTreeMap, VecDeque};

use super::classes::RecordClasses;
use super::{GroupingTask, RecordGroups, check_posteriors, index, shuffled};
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result, RunKey, random};
use privet_engine::microdata::Microdata;
use privet_engine::negative_rules::Observations;
use privet_engine::privacy::{self, ClassTest, Counts, EquivalenceClass};
use privet_policy::Requirement;
use privet_policy::requirement::TCloseness;

/// How many of the groups that come next are tried as partners.
const MOST_PARTNERS: usize = 32;

/// t-closeness of the column that groups hide.
#[derive(Debug)]
pub(super) struct GroupCloseness {
    test: Box<dyn ClassTest>,
    /// The number of the column's first value among those that the test counts.
    first_slot: u32,
    /// The largest distance allowed.
    pub t: Exact,
}

/// How often each value occurs in a group.
type ValueCounts = BTreeMap<u32, u64>;

impl GroupCloseness {
    /// The test of a requirement.
    pub fn of(asked: &TCloseness, microdata: &Microdata) -> Result<GroupCloseness> {
        let test = privacy::build(&Requirement::TCloseness(asked.clone()), &microdata.table)?;
        let first_slot = microdata.table.column(asked.column)?.slots.start;
        Ok(GroupCloseness { test, first_slot, t: asked.t })
    }

    fn judged<T>(&self, counts: &ValueCounts, judge: impl Fn(&EquivalenceClass<'_>) -> T) -> T {
        let slots: Vec<(u32, u64)> =
            counts.iter().map(|(value, count)| (self.first_slot + value, *count)).collect();
        let size = counts.values().sum();
        judge(&EquivalenceClass { size, counts: Counts::Sparse(&slots), standing: Default::default() })
    }

    fn holds(&self, counts: &ValueCounts) -> bool {
        self.judged(counts, |class| self.test.holds(class))
    }

    fn distance(&self, counts: &ValueCounts) -> f64 {
        self.judged(counts, |class| self.test.tightness(class).value)
    }

    /// The largest distance of a group.
    pub fn farthest(&self, observations: &Observations, grouping: &RecordGroups) -> f64 {
        let distances = grouping.groups.iter().map(|group| self.distance(&count(observations, group)));
        distances.fold(0.0, f64::max)
    }

    /// Merges groups until all are close: each that is not with the one that brings it closest, out of those near it that
    /// are not close either.
    pub fn reach(
        &self,
        task: &GroupingTask<'_>,
        grouping: RecordGroups,
        key: RunKey,
        clock: &Clock,
    ) -> Result<RecordGroups> {
        let observations = task.observations;
        let RecordGroups { groups, suppressed } = grouping;
        let counted = groups.into_iter().map(|group| (count(observations, &group), group));
        let (mut close, mut far): (Vec<_>, Vec<_>) = counted.partition(|(counts, _)| self.holds(counts));
        if !far.is_empty() {
            let everybody: Vec<u32> = (0..observations.len() as u32).collect();
            let ranks = index::ranks(observations, &everybody);
            far.sort_by_cached_key(|(_, group)| group.iter().map(|record| ranks[*record as usize]).min());
        }
        let mut far: VecDeque<(ValueCounts, Vec<u32>)> = far.into();
        while let Some((mut counts, mut group)) = far.pop_front() {
            while !self.holds(&counts) {
                clock.check()?;
                let reach = |other: &(ValueCounts, Vec<u32>)| self.distance(&sum(&counts, &other.0));
                let nearest = |distances: Vec<f64>| {
                    let best =
                        distances.iter().enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other));
                    best.map(|(at, _)| at)
                };
                let partner = match nearest(far.iter().take(MOST_PARTNERS).map(reach).collect()) {
                    Some(at) => far.remove(at),
                    None => {
                        let start = close.len().saturating_sub(MOST_PARTNERS);
                        nearest(close[start..].iter().map(reach).collect()).map(|at| close.remove(start + at))
                    }
                };
                let Some((others, members)) = partner else { return Err(self.too_far(&counts)) };
                counts = sum(&counts, &others);
                group.extend(members);
            }
            close.push((counts, group));
        }
        let groups: Vec<Vec<u32>> = close.into_iter().map(|(_, group)| group).collect();
        let (classes, class_of) = RecordClasses::of(observations, task.excluded);
        check_posteriors(&classes, &class_of, &groups, task.max_posterior)?;
        Ok(shuffled(groups, suppressed, &mut random::keyed(key, "close groups")))
    }

    /// All records that can be published together are not close to the table that they come from.
    fn too_far(&self, counts: &ValueCounts) -> Error {
        let (distance, t) = (self.distance(counts), self.t);
        Error::infeasible(format!(
            "without the suppressed records, all others together are at distance {distance:.4} from the whole table, more \
             than t = {t} allows"
        ))
        .help("raise t, or mine fewer rules, or mute some, so that fewer records are suppressed")
    }
}

fn count(observations: &Observations, group: &[u32]) -> ValueCounts {
    let mut counts = ValueCounts::new();
    for record in group {
        *counts.entry(observations.value(*record as usize)).or_default() += 1;
    }
    counts
}

fn sum(one: &ValueCounts, other: &ValueCounts) -> ValueCounts {
    let mut sum = one.clone();
    for (value, count) in other {
        *sum.entry(*value).or_default() += count;
    }
    sum
}
