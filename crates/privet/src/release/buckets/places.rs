//! Which record of the data is in which group.

use super::super::run::changed;
use super::super::turns::{Seen, Turns};
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_data::Batch;
use privet_engine::microdata::Microdata;
use privet_methods::injector::RecordGroups;
use privet_policy::CheckedPolicy;

/// Where the records of each distinct record are.
#[derive(Debug)]
pub(crate) struct Places {
    /// By distinct record, its groups by number, from 0: one for each of its records.
    groups: Vec<Vec<u32>>,
    /// Who of those that look alike is in which.
    turns: Turns,
}

impl Places {
    pub fn of(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        grouping: &RecordGroups,
        key: RunKey,
        clock: &Clock,
    ) -> Result<Places> {
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); microdata.summary.len()];
        for (number, group) in (0u32..).zip(&grouping.groups) {
            for record in group {
                groups[*record as usize].push(number);
            }
        }
        let turns = Turns::of(policy, microdata, key, &|record| groups[record].len() > 1, clock)?;
        Ok(Places { groups, turns })
    }

    /// To be asked for every record of the data, one after the other.
    pub fn round<'p>(&'p self, policy: &'p CheckedPolicy, grouping: &'p RecordGroups) -> Round<'p> {
        Round { places: self, policy, grouping, seen: Seen::new() }
    }
}

/// One reading of the data.
pub(crate) struct Round<'p> {
    places: &'p Places,
    policy: &'p CheckedPolicy,
    grouping: &'p RecordGroups,
    seen: Seen,
}

impl Round<'_> {
    /// The group of the next row, which is of this distinct record; `None` where it is left out.
    pub fn next(&mut self, batch: &Batch, row: usize, record: usize) -> Result<Option<u32>> {
        let (Places { groups, turns }, policy, grouping) = (self.places, self.policy, self.grouping);
        if grouping.suppressed.binary_search(&(record as u32)).is_ok() {
            return Ok(None);
        }
        let found = match groups[record].as_slice() {
            [one] => Some(*one),
            several => {
                turns.next(&mut self.seen, batch, row, record).and_then(|turn| several.get(turn).copied())
            }
        };
        found.map(Some).ok_or_else(|| changed(policy.source.origin()))
    }
}
